/* source.h - what a source of data is.
 *
 * A source fills one group of a sample. It reads, and never changes anything. It may be missing:
 * then its group's why[] says so and the rest goes on. Own reads go through the directory
 * descriptors of `struct roots`, so that a recorded tree can stand in for the machine; libproc2
 * alone always reads /proc. It also leaves its descriptors of /proc/meminfo and /proc/vmstat open
 * across an exec: who starts a program closes them in the child (close_range(2)). */
#ifndef DPKGTOP_SOURCE_H
#define DPKGTOP_SOURCE_H

#include <sys/types.h>

#include "dpkgtop/err.h"
#include "dpkgtop/sample.h"

/* Directory descriptors for /proc and /sys, or for what --procfs and --sysfs name. */
struct roots {
	int proc, sys;
};

/* Opens both (NULL: "/proc", "/sys"). 0, or -errno with detail. */
int roots_open(struct roots *r, const char *procfs, const char *sysfs, struct err *e);
void roots_close(struct roots *r);

/* Reads the whole small file `path` below `dir` into `buf`, terminated. Returns its length,
 * -errno, or -EFBIG if it does not fit: then `buf` holds its beginning. */
ssize_t roots_read(int dir, const char *path, char *buf, size_t size);

/* As roots_read(), into a buffer that grows by mem_grow() (`*room` bytes at `*buf`; NULL and 0 to
 * begin with; the caller frees it). -EFBIG beyond 4 MiB. */
ssize_t roots_read_whole(int dir, const char *path, char **buf, size_t *room);

/* As roots_read_whole(), of a file that is read again and again: it stays open in `*kept` where it
 * is one of the kernel's /proc (-1 to begin with, and after an error; the caller closes it). NULL:
 * it is opened each time. */
ssize_t roots_read_kept(int *kept, int dir, const char *path, char **buf, size_t *room);

struct place;

/* What is watched; the session keeps it up to date, sources look at it. */
struct target {
	int32_t pid; /* the upgrade's root process, in the viewer's pid namespace; 0 none */
	uint64_t start_ticks;
	const struct place *place; /* its root directory; never NULL */
};

struct source_ops {
	const char *name;
	enum group group;
	size_t size; /* of the source's own state, zeroed before open */
	int (*open)(void *self, const struct roots *roots, struct err *e); /* 0 or -errno */
	/* Fills its group of `into` (not the why[]). 0 or -errno. */
	int (*read)(void *self, const struct target *target, struct sample *into);
	void (*close)(void *self); /* also after a failed open */
};

extern const struct source_ops source_pressure; /* /proc/pressure */
extern const struct source_ops source_space;    /* statvfs of the target's filesystems */
/* Opens a directory on each of those filesystems, for syncfs(2); the caller closes them. How many.
 */
size_t space_directories(const struct place *place, int ret[SPACES_MAX]);
extern const struct source_ops source_disk;   /* /proc/diskstats */
extern const struct source_ops source_memory; /* libproc2 meminfo and vmstat, thresholds */
/* The target's tree, by proc/PID; libproc2 pids where the kernel lists no children. -ESRCH without
 * a target, or if its pid is another process by now; -E2BIG if the tree has more than 4096
 * processes. */
extern const struct source_ops source_process;

/* Who one process is: its pid, parent, name, state and start, by its stat (proc(5)), and its
 * command line, or its name where it has none. The counters stay unknown. 0, or -errno (-ENOENT,
 * -ESRCH: it is gone). */
int process_identify(const struct roots *roots, int32_t pid, struct process_counters *ret);

/* Whether it may be asking a person: it reads a terminal, or, unless it is a frontend, which does
 * so all the time, polls one (proc/PID/syscall). Takes a fifth of what source_process takes, which
 * says more. False if it is gone or may not be looked at. */
bool process_may_ask(const struct roots *roots, int32_t pid);

/* The wait status (waitpid(2)) of a process that has ended and was not waited for yet, by its
 * stat's last field, which is root's to read. 0; -EBUSY it has not ended; -EACCES not root; -ESRCH
 * it is gone, or another by now. */
int process_zombie_status(const struct roots *roots, int32_t pid, uint64_t start_ticks, int *ret);

/* The clocks, now: how far the others are from CLOCK_MONOTONIC is rounded to the ms. */
struct stamp stamp_now(void);

#endif
