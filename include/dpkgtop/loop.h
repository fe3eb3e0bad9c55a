/* loop.h - wait for descriptors, timers and signals in one place: epoll(7), timerfd, signalfd. */
#ifndef DPKGTOP_LOOP_H
#define DPKGTOP_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "dpkgtop/err.h"

struct loop;

/* `events` is what epoll(7) answered: EPOLLIN, EPOLLHUP, EPOLLERR. */
typedef void loop_ready(void *context, int fd, unsigned events);
typedef void loop_signal(void *context, int signal);

/* 0 or -errno. */
int loop_new(struct loop **ret, struct err *e);
void loop_free(struct loop *l);

/* Calls `ready` whenever `fd` is readable or hung up. The caller keeps the descriptor, and forgets
 * it before it is closed. May be called from within a callback. What epoll(7) does not take is
 * never told: a closed descriptor, a regular file. */
void loop_watch(struct loop *l, int fd, loop_ready *ready, void *context);
void loop_forget(struct loop *l, int fd);

/* A timer that fires every `period_ns`, first after one period (a lost tick is not made up for).
 * Returns its descriptor, to be given to loop_stop_timer(), or -errno. */
int loop_timer(struct loop *l, int64_t period_ns, loop_ready *ready, void *context);
void loop_stop_timer(struct loop *l, int fd);

/* Blocks the signals and hands them to `taken`; once per loop. 0 or -errno. loop_free() unblocks
 * them again. */
int loop_signals(struct loop *l, const sigset_t *set, loop_signal *taken, void *context);

/* Runs until loop_stop(). Returns what that was given, or -errno. */
int loop_run(struct loop *l);
void loop_stop(struct loop *l, int result);

/* In a child between fork and exec: gives back the signal mask from before. */
void loop_child_signals(const struct loop *l);

#endif
