/* process_files.c - what is read of a process without libproc2: its children, I/O, command,
 * and what it waits for. */
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "holder.h"

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

static int add_children_of_thread(int dir, const char *thread, struct sample *into)
{
	char path[PATH_ROOM];
	int fd, r;

	snprintf(path, sizeof(path), "%.40s/children", thread);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return 0;
	r = add_listed(fd, into);
	close(fd);
	return r;
}

static int add_children_of_threads(int proc, int32_t pid, struct sample *into)
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

/* The kernel lists children by the thread that forked them. A directory has a link for each of its
 * directories, so that of a process with one thread need not be read (proc_task_getattr() in Linux'
 * fs/proc/base.c). */
static bool has_one_thread(int proc, int32_t pid)
{
	char path[PATH_ROOM];
	struct stat st;

	snprintf(path, sizeof(path), "%" PRId32 "/task", pid);
	return fstatat(proc, path, &st, 0) == 0 && st.st_nlink == 3;
}

int process_add_children(int proc, int32_t pid, struct sample *into)
{
	char path[PATH_ROOM];

	if (!has_one_thread(proc, pid))
		return add_children_of_threads(proc, pid, into);
	snprintf(path, sizeof(path), "%" PRId32 "/task/%" PRId32, pid, pid);
	return add_children_of_thread(proc, path, into);
}

/* Reads a file of a process in one piece: the kernel makes these up at once, so that what is
 * shorter than the buffer is whole, and no second read need tell. Done for each process, each tick.
 * Its length, terminated, or -errno. */
static ssize_t read_once(int proc, int32_t pid, const char *file, char *buf, size_t size)
{
	char path[PATH_ROOM];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%" PRId32 "/%s", pid, file);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

static uint64_t io_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : UNKNOWN_U64;
}

void process_read_io(int proc, struct process_counters *p)
{
	char text[512];

	p->read_bytes = UNKNOWN_U64;
	p->written_bytes = UNKNOWN_U64;
	if (read_once(proc, p->pid, "io", text, sizeof(text)) < 0)
		return;
	p->read_bytes = io_value(text, "\nread_bytes: ");
	/* The newline tells it from cancelled_write_bytes. */
	p->written_bytes = io_value(text, "\nwrite_bytes: ");
}

void process_read_command(int proc, struct process_counters *p)
{
	/* A little more than is kept, so that the cut falls on a whole character. */
	char text[sizeof(p->command) + 8];
	ssize_t len = read_once(proc, p->pid, "cmdline", text, sizeof(text));

	/* Words end in NUL, and a process that rewrote its title may have left many. */
	while (len > 0 && (text[len - 1] == '\0' || text[len - 1] == ' '))
		len--;
	text_printable(p->command, sizeof(p->command), text, len > 0 ? (size_t)len : 0);
}

static bool is_terminal_name(const char *path)
{
	/* Below another root there is more before it: "/srv/root/dev/pts/3". */
	for (const char *dev = path; (dev = strstr(dev, "/dev/")); dev++)
		if (text_starts(dev, "/dev/pts/") || text_starts(dev, "/dev/tty") ||
		    strcmp(dev, "/dev/console") == 0)
			return true;
	return false;
}

/* Whether its descriptor `fd` is a terminal. Anybody may give such a name to a FIFO, so what it is
 * counts too; nothing is opened, and no server of a filesystem is asked. */
static bool is_terminal(int proc, int32_t pid, uint64_t fd)
{
	char path[PATH_ROOM], to[256];
	struct statx sx;
	ssize_t len;

	snprintf(path, sizeof(path), "%" PRId32 "/fd/%" PRIu64, pid, fd);
	len = readlinkat(proc, path, to, sizeof(to) - 1);
	if (len <= 0)
		return false;
	to[len] = '\0';
	if (!is_terminal_name(to))
		return false;
	/* Old containers forbid statx(2): then the name is all there is. */
	return statx(proc, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &sx) != 0 ||
	       S_ISCHR(sx.stx_mode);
}

/* poll(2), select(2) and their kin; which of them exist depends on the architecture. */
static bool is_poll(long number)
{
	static const long numbers[] = {
#ifdef SYS_poll
		SYS_poll,
#endif
#ifdef SYS_select
		SYS_select,
#endif
#ifdef SYS__newselect
		SYS__newselect,
#endif
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
		SYS_epoll_pwait2,
#endif
#ifdef SYS_ppoll_time64
		SYS_ppoll_time64,
#endif
#ifdef SYS_pselect6_time64
		SYS_pselect6_time64,
#endif
#ifdef SYS_ppoll
		SYS_ppoll,
#endif
#ifdef SYS_pselect6
		SYS_pselect6,
#endif
		SYS_epoll_pwait,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* A program of another word size has other numbers for its calls: its stack tells it. */
static bool is_foreign(const char *text)
{
	uint64_t stack;

	/* number, six arguments, stack pointer, program counter (proc(5)) */
	return sscanf(text, "%*d %*x %*x %*x %*x %*x %*x %" SCNx64, &stack) != 1 ||
	       (stack > UINT32_MAX) != (sizeof(long) == 8);
}

void process_read_waits(int proc, struct process_counters *p)
{
	char text[256];
	uint64_t first;
	long number;

	p->waits = '?';
	if (read_once(proc, p->pid, "syscall", text, sizeof(text)) <= 0)
		return;
	/* "running", or "-1 …" outside of a call (a page fault). */
	if (sscanf(text, "%ld 0x%" SCNx64, &number, &first) != 2 || number < 0)
		p->waits = '-';
	/* After a stop signal poll(2) goes on as restart_syscall(2), which does not say of what. */
	else if (is_foreign(text) || number == SYS_restart_syscall)
		return;
	else if (number == SYS_read && is_terminal(proc, p->pid, first))
		p->waits = 'r';
	else if (is_poll(number) && is_terminal(proc, p->pid, 0))
		p->waits = 'p';
	else
		p->waits = '-';
}

bool process_may_ask(const struct roots *roots, int32_t pid)
{
	struct process_counters p = {.pid = pid};

	process_read_waits(roots->proc, &p);
	if (p.waits != 'p')
		return p.waits == 'r';
	return holder_name(roots, pid, p.name, sizeof(p.name)) == 0 && !holder_is_frontend(p.name);
}

/* Clock ticks, as proc/PID/stat has them. */
struct cpu_ticks {
	uint64_t user, system, user_reaped, system_reaped;
};

/* Fills parent, start, state and name from the text of proc/PID/stat (proc(5)). */
static bool parse_stat(const char *text, struct process_counters *p, struct cpu_ticks *ret)
{
	/* The name may itself hold spaces and brackets. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open)
		return false;
	text_printable(p->name, sizeof(p->name), open + 1, (size_t)(close - open - 1));
	return sscanf(close + 1,
	              " %c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
	              " %" SCNu64 " %" SCNu64 " %*d %*d %*d %*d %" SCNu64,
	              &p->state, &p->parent, &ret->user, &ret->system, &ret->user_reaped,
	              &ret->system_reaped, &p->start_ticks) == 7;
}

bool process_read_stat(int proc, int64_t tick_ns, struct process_counters *p)
{
	struct cpu_ticks ticks;
	char text[1024];

	if (read_once(proc, p->pid, "stat", text, sizeof(text)) <= 0)
		return false;
	if (!parse_stat(text, p, &ticks) || p->state == 'X') {
		p->state = 0;
		return false;
	}
	p->cpu_ns = (int64_t)(ticks.user + ticks.system) * tick_ns;
	p->reaped_cpu_ns = (int64_t)(ticks.user_reaped + ticks.system_reaped) * tick_ns;
	p->waits = '?';
	p->left = '-';
	return true;
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
		.waits = '?',
		.left = '-',
	};
	struct cpu_ticks ticks;
	ssize_t len;

	snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
	len = roots_read(roots->proc, path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	if (!parse_stat(text, &p, &ticks))
		return -EBADMSG;
	process_read_command(roots->proc, &p);
	if (!*p.command)
		memcpy(p.command, p.name, sizeof(p.name));
	*ret = p;
	return 0;
}

int process_zombie_status(const struct roots *roots, int32_t pid, uint64_t start_ticks, int *ret)
{
	char path[PATH_ROOM], text[1024];
	struct process_counters p;
	const char *last;
	int r;

	/* Who may not read it is shown a 0. */
	if (geteuid() != 0)
		return -EACCES;
	r = process_identify(roots, pid, &p);
	if (r < 0 || p.start_ticks != start_ticks)
		return -ESRCH;
	if (p.state != 'Z')
		return -EBUSY;
	snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
	if (roots_read(roots->proc, path, text, sizeof(text)) < 0)
		return -ESRCH;
	/* proc(5): exit_code is field 52 of 52. */
	last = strrchr(text, ' ');
	if (!last)
		return -ESRCH;
	*ret = atoi(last + 1);
	return 0;
}
