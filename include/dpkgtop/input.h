/* input.h - whether the upgrade waits for a person.
 *
 * The rule: a leaf of the tree that used no CPU for at least half a second and either reads a
 * terminal, or polls with a terminal as its standard input below a dialog program (whiptail,
 * dialog, debconf's frontend, a pager). apt itself always polls its terminal: no prompt. Without
 * root it can not be known. */
#ifndef DPKGTOP_INPUT_H
#define DPKGTOP_INPUT_H

#include "dpkgtop/sample.h"

enum input_kind {
	INPUT_NONE,
	INPUT_QUESTION, /* something reads the terminal: dpkg's conffile prompt, a script's read */
	INPUT_DIALOG,   /* debconf, whiptail, dialog */
	INPUT_PAGER,
	INPUT_UNKNOWN /* nothing can be told */
};

struct input {
	enum input_kind kind;
	int32_t pid; /* who waits */
	char name[32];
	int64_t since_ns; /* CLOCK_MONOTONIC when it was last seen at work */
	/* The candidate: a leaf that looks like it, and the CPU it had used. */
	int32_t seen_pid;
	int64_t seen_cpu_ns, seen_ns;
};

void input_init(struct input *i);
/* A full or thin sample: boundary ones do not look at what processes wait for. */
void input_sample(struct input *i, const struct sample *s);
bool input_waits(const struct input *i);

#endif
