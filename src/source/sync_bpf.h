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

/* Why a process of the tree is worth waking for. */
#define MEMBER_WAKES 1u /* dpkg, a script, an initramfs builder */
#define MEMBER_ENDED 2u /* its last thread has exited */

/* A process of the tree, by its pid in the viewer's namespace. */
struct member {
	__u64 start;    /* ticks since boot, as in /proc/PID/stat */
	__u32 watching; /* the count of upgrades watched when it came in */
	__u32 flags;
};

struct sync_key {
	__u64 start;
	__u32 pid;
	__u16 call, class;
};

/* A call in flight is open * now - since_sum ns old (modulo 2^64): with these two, one look at one
 * value gives the time up to now, and no call can be both here and in a list of those in flight. */
struct sync_value {
	__u64 count, total, longest; /* of calls that returned */
	__u64 open, since_sum;
};

struct latency_value {
	__u64 count, total, longest;
	__u64 buckets[BUCKETS];
};

/* By the kernel's id of the thread. */
struct flight {
	struct sync_key key;
	__u64 since;
	__u32 watching;
	__u32 length;         /* of the whole name */
	char file[FILE_ROOM]; /* its end */
};

struct writer_key {
	__u64 start;
	__u32 pid; /* 0: not known in the viewer's namespace */
	__u32 unused;
};

struct writer_value {
	__u64 count, total, longest;
	__u32 ended, unused;
	char name[COMM_ROOM];
};

enum ring_kind { RING_EXEC, RING_EXIT, RING_FREE, RING_SLOW };

struct ring_head {
	__u32 kind, pid;
	__u64 start;
	__u64 at; /* CLOCK_MONOTONIC */
};

struct ring_exec {
	struct ring_head head;
	__u32 parent, length; /* of the command */
	char name[COMM_ROOM];
	char command[COMMAND_ROOM]; /* words end in NUL */
};

struct ring_exit {
	struct ring_head head;
	__u32 status; /* as wait(2) says it */
	__u32 unused;
};

/* Some ms after the parent has waited for it: only then is the CPU time whole. */
struct ring_free {
	struct ring_head head;
	__u64 cpu;
};

struct ring_slow {
	struct ring_head head;
	__u64 took;
	__u32 length;
	__u16 call, class;
	char file[FILE_ROOM];
};

#endif
