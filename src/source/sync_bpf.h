/* sync_bpf.h - what the BPF program and its reader share. */
#ifndef SOURCE_SYNC_BPF_H
#define SOURCE_SYNC_BPF_H

#include <linux/types.h>

#include "dpkgtop/bucket.h"
#include "dpkgtop/sync.h"

#define COMM_ROOM    16 /* TASK_COMM_LEN, include/linux/sched.h */
#define FILE_ROOM    64
#define COMMAND_ROOM 192

/* Internal: the caller is not of the tree. */
#define SYNC_OUTSIDE N_SYNC_CLASSES

#define MEMBER_WAKES  1u /* has been dpkg, a script, a builder: what it runs wakes */
#define MEMBER_TOLD   2u /* an exec of it has been told: its end will be */
#define MEMBER_FORMER 4u /* it was there when the tree was first watched */

/* A process of the tree. The reader has these mapped, for the reason told below. */
struct member {
	__u64 start;    /* ticks since boot, as in /proc/PID/stat */
	__u64 ended;    /* when its last thread exited, CLOCK_MONOTONIC; 0: it lives */
	__u64 buried;   /* CPU time of its threads that have ended: in the tally too, ns */
	__u64 seen;     /* the reader's: of all its threads, at its last look, */
	__u64 told;     /* and when it was last told as one that has run */
	__u32 pid;      /* in the viewer's namespace */
	__u32 watching; /* the count of upgrades watched when it came in; 0: it has left the tree */
	__u32 flags;
	__u32 above; /* the nearest one above it that wakes, by its pid; 0 none */
	__u32 place; /* its own */
	__u32 live;  /* in use */
	__u32 used;  /* at any time */
	__u32 unused;
};

struct sync_key {
	__u64 start;
	__u32 pid; /* 0: a stranger whom the viewer's namespace does not know */
	__u16 call, class;
};

/* What one process did with one call on one class; a stranger's calls are all in one. The reader
 * has these mapped: reading by system calls would, where the kernel is preemptible, keep programs
 * from running on that CPU for the while (bpf_disable_instrumentation()).
 *
 * A call in flight is open * now - since_sum ns old (modulo 2^64): with these two, one look gives
 * the time up to now, and no call can be both here and in a list of those in flight. */
struct sync_slot {
	struct sync_key key;
	__u64 count, total, longest; /* of calls that returned */
	__u64 open, since_sum;
	__u64 since;          /* the call that began last: when, */
	char text[FILE_ROOM]; /* the end of its file's name (a stranger's slot: his comm), */
	__u32 length;         /* and how long that is as a whole */
	__u32 member;         /* place of its process; of a stranger nothing */
	__u32 live;           /* in use */
	__u32 ended;          /* a stranger's process has: nothing changes any more */
	__u32 used;           /* at any time */
	__u32 unused;
};

struct latency_value {
	__u64 count, total, longest;
	__u64 buckets[BUCKETS];
};

#define NO_PLACE (~0u)

/* What a thread is in, and waits for. */
struct flight {
	struct sync_key key;
	__u64 since; /* 0: in none */
	__u32 watching;
	__u32 place;  /* of its slot, */
	__u32 member; /* and of its process: where either was at the last call */
	__u32 length;
	__u64 blocked; /* outside of a call, since when; 0: it is not */
	__u64 ran;     /* its CPU time when that began */
	__u32 blocked_watching;
	__u32 unused;
	char file[FILE_ROOM];
};

/* The tree's time, ns. Threads that are blocked now are told as calls in flight are. */
struct tally {
	__u64 open, since_sum, blocked;
	__u64 cpu; /* of threads that have ended, and of processes that left */
};

struct tree_now {
	__u32 watching;  /* raised by the reader at each new upgrade: tells what belonged to the
	                  * former one apart */
	__u32 beginning; /* a tree has been found, while the iterator is run for that */
	/* By `watching`, in turn: what ends late for the former upgrade does not touch this one's.
	 */
	struct tally tallies[2];
};

/* When anyone of the tree is in a sync call, however many: ns. */
struct in_sync {
	__u64 open;  /* so many are now, */
	__u64 since; /* the first of them since then */
	__u64 total; /* of times that are over */
	__u64 unused;
};

enum ring_kind { RING_EXEC, RING_EXIT, RING_SLOW };

struct ring_head {
	__u32 kind, pid;
	__u64 start;
	__u64 at; /* CLOCK_MONOTONIC */
};

struct ring_exec {
	struct ring_head head;
	__u32 parent, above;
	__u32 length, unused; /* of the command */
	char name[COMM_ROOM];
	char command[COMMAND_ROOM]; /* words end in NUL */
};

struct ring_exit {
	struct ring_head head;
	__u32 status; /* as wait(2) says it */
	__u32 unused;
};

struct ring_slow {
	struct ring_head head;
	__u64 took;
	__u32 length;
	__u16 call, class;
	char file[FILE_ROOM];
};

#endif
