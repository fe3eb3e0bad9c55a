/* timeline.c - the phases in order of time. */
#include "dpkgtop/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"

void timeline_init(struct timeline *t)
{
	memset(t, 0, sizeof(*t));
}

void timeline_done(struct timeline *t)
{
	free(t->spans);
	timeline_init(t);
}

void timeline_add(struct timeline *t, enum phase phase, int64_t begin_ns, int64_t end_ns)
{
	struct span *last = t->count ? &t->spans[t->count - 1] : NULL;

	if (end_ns <= begin_ns)
		return;
	if (last && last->phase == phase && last->end_ns == begin_ns) {
		last->end_ns = end_ns;
		return;
	}
	t->spans = mem_grow(t->spans, &t->room, t->count + 1, sizeof(*t->spans));
	t->spans[t->count++] = (struct span){phase, begin_ns, end_ns};
}

void timeline_cut(struct timeline *t, int64_t from_ns)
{
	while (t->count && t->spans[t->count - 1].begin_ns >= from_ns)
		t->count--;
	if (t->count && t->spans[t->count - 1].end_ns > from_ns)
		t->spans[t->count - 1].end_ns = from_ns;
}

void timeline_rewrite(struct timeline *t, int64_t from_ns, enum phase phase)
{
	int64_t end_ns = t->count ? t->spans[t->count - 1].end_ns : from_ns;

	timeline_cut(t, from_ns);
	timeline_add(t, phase, from_ns, end_ns);
}

/* The first span that ends after `ns`. */
static size_t first_after(const struct timeline *t, int64_t ns)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->spans[middle].end_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double timeline_share(const struct timeline *t, enum phase phase, int64_t begin_ns, int64_t end_ns)
{
	int64_t sum = 0;

	if (end_ns <= begin_ns)
		return 0;
	for (size_t i = first_after(t, begin_ns); i < t->count; i++) {
		const struct span *s = &t->spans[i];
		int64_t from = s->begin_ns > begin_ns ? s->begin_ns : begin_ns;
		int64_t to = s->end_ns < end_ns ? s->end_ns : end_ns;

		if (s->begin_ns >= end_ns)
			break;
		if (s->phase == phase)
			sum += to - from;
	}
	return (double)sum / (double)(end_ns - begin_ns);
}
