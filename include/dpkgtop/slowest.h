/* slowest.h - the sync calls that took longest, with their files. */
#ifndef DPKGTOP_SLOWEST_H
#define DPKGTOP_SLOWEST_H

#include <stddef.h>

#include "dpkgtop/event.h"

#define SLOWEST_MAX 10

struct slowest {
	struct slow_event items[SLOWEST_MAX]; /* the longest first; of equals the earlier one */
	size_t count;
	uint64_t seen; /* how many took 100 ms or more in all */
};

void slowest_clear(struct slowest *s);
void slowest_event(struct slowest *s, const struct event *e);

#endif
