/* process_files.c - what is read of a process without libproc2: its children, I/O and command. */
#include "process_files.h"

#include "dpkgtop/source.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 64

bool process_has_children_files(int proc)
{
	return faccessat(proc, "thread-self/children", R_OK, 0) == 0;
}

static int add_child(int32_t pid, struct sample *into)
{
	if (into->n_processes >= TREE_MAX)
		return -E2BIG;
	sample_add_process(into)->pid = pid;
	return 0;
}

/* A list of any length, read in pieces: a number may go on in the next one. */
static int add_listed(int fd, struct sample *into)
{
	char buf[4096];
	int32_t pid = 0;
	ssize_t n;
	int r = 0;

	while (!r && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; !r && i < n; i++) {
			if (buf[i] >= '0' && buf[i] <= '9' && pid < INT32_MAX / 10 - 1) {
				pid = pid * 10 + (buf[i] - '0');
			} else if (pid) {
				r = add_child(pid, into);
				pid = 0;
			}
		}
	}
	return r;
}

static int add_children_of_thread(int task, const char *tid, struct sample *into)
{
	char path[PATH_ROOM];
	int fd, r;

	snprintf(path, sizeof(path), "%.20s/children", tid);
	fd = openat(task, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return 0;
	r = add_listed(fd, into);
	close(fd);
	return r;
}

int process_add_children(int proc, int32_t pid, struct sample *into)
{
	/* Not opendir(3): it takes memory anew each time, for each process, each tick. */
	_Alignas(struct dirent64) char buf[4096];
	char path[PATH_ROOM];
	ssize_t n;
	int fd, r = 0;

	snprintf(path, sizeof(path), "%" PRId32 "/task", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	while (!r && (n = getdents64(fd, buf, sizeof(buf))) > 0) {
		const struct dirent64 *d;

		for (ssize_t at = 0; !r && at < n; at += d->d_reclen) {
			d = (const struct dirent64 *)(buf + at);
			if (d->d_name[0] != '.')
				r = add_children_of_thread(fd, d->d_name, into);
		}
	}
	close(fd);
	return r;
}

static uint64_t io_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : UNKNOWN_U64;
}

void process_read_io(int proc, struct process_counters *p)
{
	char path[PATH_ROOM], text[512];

	p->read_bytes = UNKNOWN_U64;
	p->written_bytes = UNKNOWN_U64;
	snprintf(path, sizeof(path), "%" PRId32 "/io", p->pid);
	if (roots_read(proc, path, text, sizeof(text)) < 0)
		return;
	p->read_bytes = io_value(text, "\nread_bytes: ");
	/* The newline tells it from cancelled_write_bytes. */
	p->written_bytes = io_value(text, "\nwrite_bytes: ");
}

void process_read_command(int proc, struct process_counters *p)
{
	/* A little more than is kept, so that the cut falls on a whole character. */
	char path[PATH_ROOM], text[sizeof(p->command) + 8];
	ssize_t len;

	snprintf(path, sizeof(path), "%" PRId32 "/cmdline", p->pid);
	len = roots_read(proc, path, text, sizeof(text));
	if (len == -EFBIG)
		len = sizeof(text) - 1;
	/* Words end in NUL, and a process that rewrote its title may have left many. */
	while (len > 0 && (text[len - 1] == '\0' || text[len - 1] == ' '))
		len--;
	text_printable(p->command, sizeof(p->command), text, len > 0 ? (size_t)len : 0);
}

int process_identify(const struct roots *roots, int32_t pid, struct process_counters *ret)
{
	char path[PATH_ROOM], text[1024];
	struct process_counters p = {
		.pid = pid,
		.cpu_ns = UNKNOWN_NS,
		.reaped_cpu_ns = UNKNOWN_NS,
		.read_bytes = UNKNOWN_U64,
		.written_bytes = UNKNOWN_U64,
	};
	const char *open, *close;
	ssize_t len;

	snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
	len = roots_read(roots->proc, path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	/* The name may itself hold spaces and brackets. */
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return -EBADMSG;
	if (sscanf(close + 1,
	           " %c %" SCNd32
	           " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
	           "%*d %" SCNu64,
	           &p.state, &p.parent, &p.start_ticks) != 3)
		return -EBADMSG;
	text_printable(p.name, sizeof(p.name), open + 1, (size_t)(close - open - 1));
	process_read_command(roots->proc, &p);
	if (!*p.command)
		memcpy(p.command, p.name, sizeof(p.name));
	*ret = p;
	return 0;
}
