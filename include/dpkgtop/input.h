/* input.h - whether the upgrade waits for a person, and since when.
 *
 * The rule: a leaf of the tree that used no CPU for at least half a second and either reads a
 * terminal, or polls with a terminal as its standard input below a dialog program (whiptail,
 * dialog, debconf's frontend, a pager). Debconf's frontend that reads a terminal need be no leaf:
 * its script waits below it. apt itself always polls its terminal: no prompt. Without
 * root it can not be known.
 *
 * Once it has been still for so long, it waits as long as each sample sees it do so: who types
 * makes it compute for a moment. Samples without processes come where nobody waits yet: then the
 * wait may have begun in the last of these. */
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

/* How much of the time since the sample before was a person's. */
enum input_share {
	INPUT_SHARE_NONE,
	/* What nothing else explains, should it turn out that someone is waited for. */
	INPUT_SHARE_MAYBE,
	/* What nothing else explains: someone was waited for when it began, and has answered, for
	 * who waited has done something since. */
	INPUT_SHARE_REST,
	INPUT_SHARE_ALL /* all but syncs; and what was MAYBE just before turned out to be so */
};

struct input {
	enum input_kind kind;
	int32_t pid; /* who waits */
	char name[32];
	int64_t since_ns; /* CLOCK_MONOTONIC when it was last seen at work */
	/* The candidate: a leaf that looks like it, and the CPU it had used. */
	int32_t seen_pid;
	int64_t seen_cpu_ns, seen_ns;
	bool sure; /* it has been still for long enough, since it was first seen */
	/* Of the time up to the last sample; and whether the candidate was not seen before it. */
	enum input_share share;
	bool begins;
	/* The last sample had no processes, and one of them had run; the tree's CPU time then. */
	bool passed_over;
	int64_t tree_cpu_ns;
};

void input_init(struct input *i);
void input_sample(struct input *i, const struct sample *s);
bool input_waits(const struct input *i);

#endif
