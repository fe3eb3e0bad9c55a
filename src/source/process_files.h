/* process_files.h - what is read of a process without libproc2: its children, I/O, command, and
 * what it waits for. */
#ifndef DPKGTOP_PROCESS_FILES_H
#define DPKGTOP_PROCESS_FILES_H

#include "dpkgtop/sample.h"

/* The most processes a tree may have. */
#define TREE_MAX 4096

/* Whether proc/PID/task/TID/children exist (proc(5); CONFIG_PROC_CHILDREN). */
bool process_has_children_files(int proc);

/* Adds the children of `pid`, pid alone, to `into`. 0, -E2BIG beyond TREE_MAX, or another -errno;
 * a process that ended has no children. */
int process_add_children(int proc, int32_t pid, struct sample *into);

/* Its I/O counters (proc/PID/io), UNKNOWN_U64 without permission. Own, because libproc2 gives 0
 * for those that it may not read. */
void process_read_io(int proc, struct process_counters *p);

/* Its command line, "" if it has none. Own, because only the beginning is wanted: libproc2 reads,
 * converts and copies up to 128 KiB, and dpkg's can be that long. */
void process_read_command(int proc, struct process_counters *p);

/* Fills what proc/PID/stat has of it: all but I/O, command line and waits. False if it is gone, or
 * is just being waited for, so that its parent has its time already. Own, since libproc2 reads two
 * more files for it, a fifteenth of all that watching an upgrade cost. */
bool process_read_stat(int proc, int64_t tick_ns, struct process_counters *p);

/* Fills `waits`, '?' without permission (proc/PID/syscall). For a process that sleeps. */
void process_read_waits(int proc, struct process_counters *p);

#endif
