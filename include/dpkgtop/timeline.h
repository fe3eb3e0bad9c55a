/* timeline.h - the phases in order of time. */
#ifndef DPKGTOP_TIMELINE_H
#define DPKGTOP_TIMELINE_H

#include <stddef.h>

#include "dpkgtop/phase.h"

struct span {
	enum phase phase;
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end > begin */
};

struct timeline {
	struct span *spans; /* owned; in order, without gaps, neighbours differ in phase */
	size_t count, room;
};

void timeline_init(struct timeline *t);
void timeline_done(struct timeline *t);
/* Time passed in `phase`: lengthens the last span or begins a new one. */
void timeline_add(struct timeline *t, enum phase phase, int64_t begin_ns, int64_t end_ns);
/* What lies after `from_ns` turned out to be `phase`. */
void timeline_rewrite(struct timeline *t, int64_t from_ns, enum phase phase);
/* Forgets what lies after `from_ns`. */
void timeline_cut(struct timeline *t, int64_t from_ns);
/* How much of [begin, end) was spent in `phase`, 0..1. */
double timeline_share(const struct timeline *t, enum phase phase, int64_t begin_ns, int64_t end_ns);

#endif
