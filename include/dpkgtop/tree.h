/* tree.h - the upgrade's processes, with rates since the last full sample. */
#ifndef DPKGTOP_TREE_H
#define DPKGTOP_TREE_H

#include "dpkgtop/sample.h"

struct tree_process {
	struct process_counters at;     /* as last read */
	int depth;                      /* below the root, 0 = root */
	double cpu;                     /* share of one core; NaN unknown */
	double read_rate, written_rate; /* bytes per second, children that ended included; NaN */
};

struct tree {
	/* Owned; parents before children, by pid among brothers; last those left running, which
	 * are no part of the upgrade any more (at.left == 'y', depth 0). */
	struct tree_process *items;
	size_t count, room;
	size_t n_left;        /* how many of the last */
	int64_t at_ns;        /* of the full sample that the rates end at */
	struct sample before; /* that sample's processes */
};

void tree_init(struct tree *t);
void tree_done(struct tree *t);
void tree_clear(struct tree *t);
void tree_sample(struct tree *t, const struct sample *s);

/* The tree's CPU: own and reaped time of all its processes, ns; UNKNOWN_NS without the group. */
int64_t tree_cpu(const struct sample *s);
/* Whether a process is in D state and none is running: the tree waits for a device. */
bool tree_blocked(const struct sample *s);

#endif
