/* tree.h - the upgrade's processes, with rates since the last full sample.
 *
 * One that is not in that sample began after it: what it did counts for the whole interval. */
#ifndef DPKGTOP_TREE_H
#define DPKGTOP_TREE_H

#include "dpkgtop/sample.h"
#include "dpkgtop/tree_io.h"

struct tree_process {
	struct process_counters at;     /* as last read */
	int depth;                      /* below the root, 0 = root */
	double cpu;                     /* share of one core; NaN unknown */
	double read_rate, written_rate; /* bytes per second; NaN. Of children that ended what
	                                 * no sample has shown */
	double sync_rate; /* sync calls that returned, per second; NaN unknown, also where not all
	                   * are seen */
	double in_sync;   /* part of the time spent in them, those in flight included; of several
	                   * threads together, so that it may be above 1; NaN */
	enum sync_call in_call; /* it is in this one, the oldest of several; N_SYNC_CALLS: none */
};

/* The sync calls of a process up to a sample. */
struct tree_syncs {
	uint64_t count;
	int64_t ns;
	enum sync_call in_call; /* as in struct tree_process */
	int64_t since_ns;
};

struct tree {
	/* Owned; parents before children, by pid among brothers; last those left running, which
	 * are no part of the upgrade any more (at.left == 'y', depth 0). */
	struct tree_process *items;
	size_t count, room;
	size_t n_left;                           /* how many of the last */
	int64_t at_ns;                           /* of the full sample that the rates end at */
	struct sample before;                    /* that sample's processes */
	struct tree_io io;                       /* what the upgrade has read and written so far */
	struct tree_syncs *syncs, *syncs_before; /* owned: of the processes of a sample, by place */
	size_t syncs_room, syncs_before_room;
};

void tree_init(struct tree *t);
void tree_done(struct tree *t);
void tree_clear(struct tree *t);
/* A full sample. `since_ticks`: see tree_io_sample(). */
void tree_sample(struct tree *t, const struct sample *s, uint64_t since_ticks);

/* The tree's CPU: own and reaped time of all its processes, ns; UNKNOWN_NS without the group. */
int64_t tree_cpu(const struct sample *s);
/* Whether a process is in D state and none is running: the tree waits for a device. */
bool tree_blocked(const struct sample *s);

#endif
