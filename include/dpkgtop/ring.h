/* ring.h - the last N values of a series, unknown ones included.
 *
 * Values are doubles; an unknown value is NaN (UNKNOWN_RATE). Fixed room, no allocation. */
#ifndef DPKGTOP_RING_H
#define DPKGTOP_RING_H

#include <math.h>
#include <stddef.h>

#define UNKNOWN_RATE ((double)NAN)
#define RING_ROOM    240

struct ring {
	double values[RING_ROOM];
	size_t next;  /* where the next value goes; < RING_ROOM */
	size_t count; /* values held; <= RING_ROOM */
};

void ring_clear(struct ring *r);

/* Adds a value, forgetting the oldest when full. */
void ring_push(struct ring *r, double value);

/* The value `age` steps back, 0 being the newest; NaN beyond what is held. */
double ring_at(const struct ring *r, size_t age);

/* The largest known value of the newest `span`; NaN if none is known. */
double ring_max(const struct ring *r, size_t span);

#endif
