/* stops.h - a command that stops itself stops us too, so that the shell that waits for us gets its
 * terminal back; and what continues us continues it. */
#ifndef DPKGTOP_STOPS_H
#define DPKGTOP_STOPS_H

#include <sys/types.h>

#include "dpkgtop/loop.h"

struct stops {
	struct loop *loop;
	pid_t pid;
	int timer; /* -1: it is not seen stopped */
};

void stops_init(struct stops *s, struct loop *l, pid_t pid);

/* At a SIGCHLD, while the command was not waited for: if it is stopped, and still is a moment
 * later, we stop by the same signal. Only in the foreground of a terminal and below a shell with
 * job control: elsewhere nobody would continue us. */
void stops_look(struct stops *s);

/* At a SIGCONT: the command goes on too. */
void stops_continued(struct stops *s);

#endif
