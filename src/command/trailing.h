/* trailing.h - what a command leaves in memory, written to disk and timed: syncfs(2).
 *
 * In a process of its own, since syncfs may take minutes and can not be interrupted. */
#ifndef DPKGTOP_TRAILING_H
#define DPKGTOP_TRAILING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dpkgtop/loop.h"

struct trailing {
	struct loop *loop;
	int answer; /* read end of the pipe */
	pid_t pid;  /* 0: not at work */
	void (*done)(void *context, int64_t sync_ns);
	void *context;
};

/* Syncs the filesystems that the directories `fds` are on, one after the other, and closes them
 * here. `done` is told by the loop how long it took, UNKNOWN_NS if one could not be synced. 0 or
 * -errno: then `done` is not called. `t` stays in place until then or until it is let go of. */
int trailing_start(struct trailing *t, struct loop *loop, const int *fds, size_t count,
                   void (*done)(void *context, int64_t sync_ns), void *context);

/* Nobody waits for the answer any longer; the kernel may still be at it. */
void trailing_drop(struct trailing *t);
/* Waits until the kernel is through. */
void trailing_wait(struct trailing *t);

#endif
