/* hist.h - a histogram of durations.
 *
 * Fixed room, no allocation; a value is known to about 3 % (bucket.h). An empty histogram is one of
 * which nothing is known: its percentiles are UNKNOWN_NS, never 0. */
#ifndef DPKGTOP_HIST_H
#define DPKGTOP_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "dpkgtop/bucket.h"

struct hist {
	uint64_t counts[BUCKETS];
};

void hist_clear(struct hist *h);
/* A negative duration counts as 0. */
void hist_add(struct hist *h, int64_t ns);
/* How many values it holds. */
uint64_t hist_count(const struct hist *h);

/* Adds all that `other` holds. */
void hist_merge(struct hist *h, const struct hist *other);
/* Takes away an earlier state of itself, which leaves what came in between. False if it was not
 * that (some count would be negative): then `h` is cleared. */
bool hist_subtract(struct hist *h, const struct hist *earlier);

/* The duration that `part` (0 … 1) of the values do not exceed; UNKNOWN_NS if it is empty. */
int64_t hist_percentile(const struct hist *h, double part);
/* The largest one. */
int64_t hist_max(const struct hist *h);

#endif
