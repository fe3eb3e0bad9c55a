/* syncs.c - the upgrade's sync calls by class, as the probe counts them. */
#include "dpkgtop/syncs.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

static void forget_rates(struct syncs *s)
{
	s->rates = (struct sync_rates){UNKNOWN_RATE, UNKNOWN_NS, UNKNOWN_NS, UNKNOWN_NS};
}

void syncs_init(struct syncs *s)
{
	memset(s, 0, sizeof(*s));
	forget_rates(s);
}

void syncs_done(struct syncs *s)
{
	free(s->before);
	syncs_init(s);
}

void syncs_clear(struct syncs *s)
{
	struct sync_counters *before = s->before;
	size_t room = s->before_room;

	syncs_init(s);
	s->before = before;
	s->before_room = room;
}

uint64_t syncs_count(const struct syncs *s)
{
	uint64_t sum = 0;

	for (int c = 0; c < N_SYNC_CLASSES; c++)
		sum += s->classes[c].count;
	return sum;
}

static bool same_row(const struct sync_counters *a, const struct sync_counters *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks && a->call == b->call &&
	       a->class == b->class;
}

static const struct sync_counters *row_before(const struct syncs *s, const struct sync_counters *r)
{
	for (size_t i = 0; i < s->n_before; i++)
		if (same_row(&s->before[i], r))
			return &s->before[i];
	return NULL;
}

/* A row is cumulative and goes when its process has ended: what it grew by is what counts. */
static void add_row(struct syncs *s, const struct sync_counters *r)
{
	const struct sync_counters *before = row_before(s, r);
	uint64_t known = before ? before->count : 0;
	struct sync_total *total;
	int64_t ns;

	if ((unsigned)r->class >= N_SYNC_CLASSES || r->total_ns == UNKNOWN_NS)
		return;
	ns = r->total_ns - (before ? before->total_ns : 0);
	if (ns < 0)
		return;
	total = &s->classes[r->class];
	total->ns = span_add(total->ns, ns);
	total->count += r->count > known ? r->count - known : 0;
	s->grown_ns[r->class] = span_add(s->grown_ns[r->class], ns);
}

static void keep_rows(struct syncs *s, const struct sample *sample)
{
	s->before = mem_grow(s->before, &s->before_room, sample->n_syncs, sizeof(*s->before));
	if (sample->n_syncs)
		memcpy(s->before, sample->syncs, sample->n_syncs * sizeof(*s->before));
	s->n_before = sample->n_syncs;
}

static void find_longest(struct syncs *s, const struct sample *sample)
{
	memset(&s->longest, 0, sizeof(s->longest));
	if (!sample_has(sample, GROUP_FLIGHTS))
		return;
	for (size_t i = 0; i < sample->n_flights; i++)
		if (!s->longest.pid || sample->flights[i].since_ns < s->longest.since_ns)
			s->longest = sample->flights[i];
}

static void set_rates(struct syncs *s, const struct sample *sample)
{
	double seconds = s->calls_ns ? (double)(sample->at.mono_ns - s->calls_ns) / 1e9 : 0;
	struct hist since;

	forget_rates(s);
	s->calls_before = s->calls;
	hist_clear(&s->calls);
	for (size_t i = 0; i < sample->n_latencies; i++)
		hist_merge(&s->calls, &sample->latencies[i].hist);
	since = s->calls;
	if (seconds > 0 && hist_subtract(&since, &s->calls_before)) {
		s->rates.calls = (double)hist_count(&since) / seconds;
		s->rates.p50_ns = hist_percentile(&since, 0.5);
		s->rates.p99_ns = hist_percentile(&since, 0.99);
		s->rates.max_ns = hist_max(&since);
	}
	s->calls_ns = sample->at.mono_ns;
	ring_push(&s->rate_ring, s->rates.calls);
}

static bool whole(const struct sample *s)
{
	return sample_has(s, GROUP_SYNCS) && sample_has(s, GROUP_PROBE) && s->probe.compat == 0 &&
	       s->probe.missed == 0 && s->probe.full == 0 && !*s->probe.lacks;
}

void syncs_sample(struct syncs *s, const struct sample *sample)
{
	memset(s->grown_ns, 0, sizeof(s->grown_ns));
	s->exact = whole(sample);
	if (sample_has(sample, GROUP_SYNCS)) {
		for (size_t i = 0; i < sample->n_syncs; i++)
			add_row(s, &sample->syncs[i]);
		keep_rows(s, sample);
	}
	find_longest(s, sample);
	if (sample->kind == SAMPLE_FULL && sample_has(sample, GROUP_LATENCIES))
		set_rates(s, sample);
}
