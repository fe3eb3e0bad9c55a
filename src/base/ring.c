/* ring.c - the last N values of a series. */
#include "dpkgtop/ring.h"

void ring_clear(struct ring *r)
{
	r->next = 0;
	r->count = 0;
}

void ring_push(struct ring *r, double value)
{
	r->values[r->next] = value;
	r->next = (r->next + 1) % RING_ROOM;
	if (r->count < RING_ROOM)
		r->count++;
}

double ring_at(const struct ring *r, size_t age)
{
	if (age >= r->count)
		return UNKNOWN_RATE;
	return r->values[(r->next + RING_ROOM - 1 - age) % RING_ROOM];
}

double ring_max(const struct ring *r, size_t span)
{
	double max = UNKNOWN_RATE;

	for (size_t age = 0; age < span && age < r->count; age++) {
		double value = ring_at(r, age);

		if (!isnan(value) && !(max >= value))
			max = value;
	}
	return max;
}
