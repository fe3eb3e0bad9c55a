/* outlet.h - what is sent to the terminal, without waiting for one that takes nothing: a frozen ssh
 * or a stopped tmux must hold up neither the samples nor the recording.
 *
 * What curses writes to standard output goes into a store meanwhile, and from there to the terminal
 * by a description of our own that does not block: to set O_NONBLOCK on standard output would set
 * it for the shell and for all others that share it. */
#ifndef DPKGTOP_SCREEN_OUTLET_H
#define DPKGTOP_SCREEN_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

struct outlet {
	int terminal; /* standard output as it was */
	int own;      /* the same terminal, not blocking; -1: there is none, and writes may wait */
	int store;
	char *bytes; /* owned; taken from the store, and from `sent` on not yet sent */
	size_t room, len, sent;
};

/* Whether a terminal takes something, or comes to within so long. */
bool outlet_takes(int fd, int wait_ms);

/* Without a description of our own (another user's terminal, as after su(1)) or a store (under
 * `ulimit -f`) all writes go to standard output, and wait. */
void outlet_open(struct outlet *o);
/* What was not taken is dropped. */
void outlet_close(struct outlet *o);

/* Sends what is left of before, and whether none is: else nothing more should be made for it. A
 * terminal that goes on taking is waited for a moment. */
bool outlet_ready(struct outlet *o);

/* What is written to standard output between these two is sent. */
void outlet_begin(struct outlet *o);
void outlet_end(struct outlet *o);

void outlet_send(struct outlet *o, const char *bytes, size_t len);

#endif
