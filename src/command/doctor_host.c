/* doctor_host.c - who and where we are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"
#include "dpkgtop/term.h"
#include "dpkgtop/text.h"

void doctor_check_program(struct doctor *d, bool with_bpf)
{
	struct utsname u;

	doctor_add(d, "dpkgtop", DOCTOR_WORKS, NULL, NULL, "%s, built with%s BPF", VERSION,
	           with_bpf ? "" : "out");
	if (uname(&u) == 0)
		doctor_add(d, "kernel", DOCTOR_WORKS, NULL, NULL, "%s %s %s", u.sysname, u.release,
		           u.machine);
}

/* What root may do inside a user namespace it may not do outside. */
static bool in_user_namespace(const struct doctor *d)
{
	char text[64];
	unsigned inside, outside, count;

	return roots_read(d->roots.proc, "self/uid_map", text, sizeof(text)) >= 0 &&
	       !(sscanf(text, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 &&
	         outside == 0 && count == UINT32_MAX);
}

static const char said_below[] = "what is said below";

void doctor_check_privileges(struct doctor *d, const char *before, const char *failed)
{
	bool inside = in_user_namespace(d), whole = strcmp(before, "root") == 0 && !inside;

	if (*failed)
		doctor_add(d, "privileges", DOCTOR_PARTLY,
		           "nothing; dpkgtop keeps more rights than it uses", NULL, "%s: %s",
		           before, failed);
	else if (whole)
		doctor_add(d, "privileges", DOCTOR_WORKS, NULL, NULL, "%s", before);
	else
		doctor_add(d, "privileges", DOCTOR_PARTLY, said_below, doctor_as_root(d), "%s%s",
		           before, inside ? ", in a user namespace" : "");
}

void doctor_settle_privileges(struct doctor *d)
{
	struct finding *rights = NULL;
	bool needed = !d->self;

	for (size_t i = 0; i < d->count; i++) {
		struct finding *f = &d->findings[i];

		if (f->loss == said_below)
			rights = f;
		else
			needed |= f->enable == doctor_as_root(d);
	}
	if (!rights || needed)
		return;
	rights->state = DOCTOR_WORKS;
	rights->loss = rights->enable = NULL;
	snprintf(rights->why + strlen(rights->why), sizeof(rights->why) - strlen(rights->why),
	         "; nothing below is lost by that");
}

void doctor_check_terminal(struct doctor *d)
{
	bool ascii = options_ascii(d->o);
	const char *name = getenv("TERM");
	char printable[64] = "";
	int colours = term_colours();

	if (name)
		text_printable_string(printable, sizeof(printable), name);
	if (colours < 0)
		doctor_add(d, "terminal", DOCTOR_NOT, "the screen; --snapshot text works",
		           *printable ? "apt install ncurses-term" : "export TERM=xterm-256color",
		           *printable ? "TERM=%s is not known here, or shows no screen"
		                      : "TERM is not set%s",
		           printable);
	else if (ascii)
		doctor_add(d, "terminal", DOCTOR_PARTLY, "pictures; all is drawn with ASCII",
		           "export LC_ALL=C.UTF-8", "%s, %d colours, a locale without UTF-8",
		           printable, colours);
	else
		doctor_add(d, "terminal", DOCTOR_WORKS, NULL, NULL, "%s, %d colours%s, UTF-8",
		           printable, colours, options_colour(d->o) ? "" : " (off: NO_COLOR)");
}

/* Where root has no name, its processes are nobody's. */
#define NOBODY 65534

static bool is_program_of_root(int proc, const char *pid, bool inside)
{
	char path[32], text[8];
	struct stat st;

	snprintf(path, sizeof(path), "%.16s/cmdline", pid);
	/* Kernel threads have none. */
	return fstatat(proc, pid, &st, 0) == 0 &&
	       (st.st_uid == 0 || (inside && st.st_uid == NOBODY)) &&
	       roots_read(proc, path, text, sizeof(text)) != 0;
}

/* Some are harder to look into than an upgrade is: one that is not decides. */
static void find_other(struct doctor *d)
{
	int fd = openat(d->roots.proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool found = false, inside = in_user_namespace(d);
	char path[32], text[8];

	while (dir && !found && (entry = readdir(dir))) {
		int32_t pid = atoi(entry->d_name);

		if (pid <= 0 || pid == d->self || !is_program_of_root(fd, entry->d_name, inside))
			continue;
		d->other = pid;
		snprintf(path, sizeof(path), "%d/io", (int)pid);
		found = roots_read(fd, path, text, sizeof(text)) == -EFBIG;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

void doctor_check_proc(struct doctor *d)
{
	static const char loss[] = "nearly all; it is the first thing to set right";
	static const char enable[] = "mount -t proc proc /proc";
	struct process_counters self;
	struct statfs fs;
	char text[32] = "";

	if (d->roots.proc < 0 || fstatfs(d->roots.proc, &fs) < 0 ||
	    (!d->o->procfs && fs.f_type != PROC_SUPER_MAGIC)) {
		doctor_add(d, "/proc", DOCTOR_NOT, loss, enable, "nothing is mounted there");
		return;
	}
	if (readlinkat(d->roots.proc, "self", text, sizeof(text) - 1) > 0)
		d->self = atoi(text);
	if (d->self > 0 && process_identify(&d->roots, d->self, &self) == 0)
		d->self_start_ticks = self.start_ticks;
	find_other(d);
	d->hidden = !d->other && d->self != 1 && faccessat(d->roots.proc, "1", F_OK, 0) < 0;
	if (d->self != getpid())
		doctor_add(d, "/proc", DOCTOR_PARTLY,
		           "the probe, and the ends of processes: their pids are not ours", enable,
		           "it is of another pid namespace");
	else
		doctor_add(d, "/proc", DOCTOR_WORKS, NULL, NULL, "%s", "");
}
