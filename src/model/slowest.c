/* slowest.c - the sync calls that took longest, with their files. */
#include "dpkgtop/slowest.h"

#include <string.h>

void slowest_clear(struct slowest *s)
{
	memset(s, 0, sizeof(*s));
}

void slowest_event(struct slowest *s, const struct event *e)
{
	size_t at = s->count;

	if (e->kind != EVENT_SLOW)
		return;
	s->seen++;
	while (at > 0 && s->items[at - 1].took_ns < e->slow.took_ns)
		at--;
	if (at == SLOWEST_MAX)
		return;
	if (s->count < SLOWEST_MAX)
		s->count++;
	memmove(&s->items[at + 1], &s->items[at], (s->count - at - 1) * sizeof(*s->items));
	s->items[at] = e->slow;
}
