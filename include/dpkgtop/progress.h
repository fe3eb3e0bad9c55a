/* progress.h - how far, and how long to go.
 *
 * A step is one unpack, one configure or one removal. Triggers and initramfs builds are not known
 * in advance and are no steps. */
#ifndef DPKGTOP_PROGRESS_H
#define DPKGTOP_PROGRESS_H

#include "dpkgtop/packages.h"

struct progress {
	struct plan_event plan; /* UNKNOWN_U64 where unknown */
	uint64_t done;
	uint64_t total;  /* UNKNOWN_U64 */
	int64_t left_ns; /* by the mean time of each kind of step; UNKNOWN_NS */
	/* At least left_ns: a kind of step still to come was hardly seen, less than a third of the
	 * configures are done, or the present step takes far longer than its like. */
	bool left_is_floor;
};

void progress_init(struct progress *p);
void progress_plan(struct progress *p, const struct plan_event *plan);
/* Counts anew from the packages. */
void progress_update(struct progress *p, const struct packages *k, int64_t now_ns);
/* 0..1, NaN unknown. */
double progress_part(const struct progress *p);

#endif
