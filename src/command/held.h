/* held.h - a command that is started as it would be without us, once everything is ready for it.
 *
 * It is forked and held before its exec. It keeps our terminal, process group, environment,
 * descriptors, working directory, limits and dispositions of signals, and nothing ties its life to
 * ours. */
#ifndef DPKGTOP_HELD_H
#define DPKGTOP_HELD_H

#include <stdbool.h>
#include <sys/types.h>

#include "dpkgtop/err.h"
#include "dpkgtop/loop.h"

/* glibc's own, SIGRTMIN and the one after it: a program's first thread makes it handle them. */
#define HELD_HIDDEN 2

struct held {
	bool ignored[HELD_HIDDEN]; /* as we were started */
	pid_t pid;
	int gate;   /* written to: it may go */
	int report; /* closed by its exec, or says why there was none */
};

/* Before the program's first thread. */
void held_init(struct held *h);

/* Forks the child that is to become `argv` (found in PATH, as execvp(3) does), with the signal mask
 * from before loop_signals(). The caller waits for it. 0 or -errno with detail. */
int held_start(struct held *h, char *const *argv, const struct loop *loop, struct err *e);

/* Lets it go, and returns when it has executed the command: 0; -errno of exec; or -EPIPE if a
 * signal ended it before that, `*ret_status` as shells say it. If not 0 it was waited for. */
int held_release(struct held *h, int *ret_status);

/* Ends it without the command. */
void held_drop(struct held *h);

#endif
