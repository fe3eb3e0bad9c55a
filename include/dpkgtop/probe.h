/* probe.h - every sync call of a tree of processes, counted in the kernel by BPF.
 *
 * Programs on tracepoints (sync.bpf.c) count sync calls per process, call and class of file, and
 * tell of executed programs, exits and slow calls. It changes nothing of what is watched, shows no
 * mount and needs none. Needs root, or CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN for tracefs; Linux
 * 5.10 with BTF.
 *
 * Its descriptors close on exec; its reading needs CAP_BPF before Linux 5.19 or so. */
#ifndef DPKGTOP_PROBE_H
#define DPKGTOP_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "dpkgtop/err.h"
#include "dpkgtop/sample.h"

struct probe;

enum probe_event_kind {
	PROBE_EXEC, /* a process of the tree executed a program that is to be told of */
	PROBE_EXIT, /* the last thread ended of one that has been told so, or that was there when
	             * the tree was first watched; it may not have been waited for yet */
	PROBE_SLOW, /* a sync call of the tree returned that took 100 ms or more */
};

/* Pids are those of the viewer's namespace; texts are printable. */
struct probe_event {
	enum probe_event_kind kind;
	int64_t at_ns; /* CLOCK_MONOTONIC; does not go back for one process */
	int32_t pid;
	uint64_t start_ticks;
	/* PROBE_EXEC: its parent, 0 if that is outside; the nearest process above it that wakes, or
	 * was there when it was watched, 0 none (those between may not be told of); comm; words
	 * separated by spaces, cut. */
	int32_t parent, above;
	char name[32];
	char command[192];
	int32_t status; /* PROBE_EXIT: as shells say it: 0–255, 128 + signal */
	/* PROBE_SLOW: it returned at at_ns. */
	enum sync_call call;
	enum sync_class class;
	int64_t took_ns;
	char file[64]; /* as in struct sync_flight */
};

/* A program to be told of, by the name that the kernel gives a process which executes it: its
 * file's, of which 15 characters are kept. */
struct probe_name {
	const char *comm;
	bool wakes; /* its beginning can not wait for the next tick: probe_fd() */
};

/* Loads and attaches, which takes less than 0.1 s. Besides maintainer scripts, which wake, and
 * apt's methods it tells of `names` (borrowed during the call, ends with a comm of NULL; at most
 * 64); other programs, thousands in each upgrade, only count. 0 or -errno, with the reason in words
 * too. The numbers travel in frames as why[GROUP_PROBE], so each says one thing: -ENOSYS built
 * without BPF; -EOPNOTSUPP the kernel has no bpf(2), or a filter hides it; -EACCES we are not root;
 * -EPERM we are, and may not (a container); -EKEYREJECTED the kernel is locked down; -ENODATA it
 * has no BTF; -ENOENT it has no tracepoints of system calls; -EXDEV /proc shows another pid
 * namespace than ours; -EMFILE it would not leave 24 descriptors to all else, and so it was let go
 * of; what the kernel said else. A call whose tracepoints are not there is left out (struct
 * probe_counters, `lacks`). */
int probe_open(struct probe **ret, const struct probe_name *names, struct err *e);

/* Returns at once: the last descriptors are left to a child of init's, since closing them takes
 * the kernel some 0.8 s. NULL is allowed. */
void probe_close(struct probe *p);

/* Watches the process and all its descendants, those alive and those to come, from now on; nobody
 * else any more. A descendant stays watched when its parents end. All counts begin anew and events
 * not yet taken are dropped. root_pid 0: nobody. 0; -ESRCH if it is not there, or another process
 * by its start; -errno: then nobody is watched. */
int probe_watch(struct probe *p, int32_t root_pid, uint64_t start_ticks);

/* The process is of the tree no longer, though it lives on; its children are, each by itself. What
 * it did before stays counted, a call in flight included. 0, also if it had left before; -ESRCH if
 * it is not of the tree; -errno. */
int probe_leave(struct probe *p, int32_t pid, uint64_t start_ticks);

/* Puts the pids of those of the tree that live and have run since they were last told by this, up
 * to the last probe_read(), into `pids`, of room for `room`, in no order: who has not run is in
 * what he was in then. Returns how many there are, which may be more. */
size_t probe_ran(struct probe *p, int32_t *pids, size_t room);

/* Fills the probe's groups, and their why[]: all but the latencies always, those if `into` is to be
 * a full sample (into->kind). What has ended is told once and then forgotten: the sample must
 * become a frame. 0 or -errno, which is then in why[]. */
int probe_read(struct probe *p, struct sample *into);

/* Readable when there is something that can not wait for the next tick: what wakes began, or a call
 * was slow. Ends do not wake: a pidfd does that for less. */
int probe_fd(const struct probe *p);

/* Valid only during the call. */
typedef void probe_take(void *context, const struct probe_event *e);

/* Hands over all events up to now, in order; the caller does so each tick, lest they be lost
 * (struct probe_counters). Returns how many, or -errno. */
int probe_drain(struct probe *p, probe_take *take, void *context);

#endif
