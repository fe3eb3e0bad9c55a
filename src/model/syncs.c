/* syncs.c - the upgrade's sync calls by class, as the probe counts them. */
#include "dpkgtop/syncs.h"

#include <stdio.h>
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
	for (int c = 0; c < N_SYNC_CLASSES; c++)
		s->longest_ns[c] = UNKNOWN_NS;
	forget_rates(s);
}

void syncs_done(struct syncs *s)
{
	free(s->before);
	free(s->writers.before);
	syncs_init(s);
}

void syncs_clear(struct syncs *s)
{
	struct syncs old = *s;

	syncs_init(s);
	s->before = old.before;
	s->before_room = old.before_room;
	s->writers.before = old.writers.before;
	s->writers.before_room = old.writers.before_room;
}

uint64_t syncs_count(const struct syncs *s)
{
	uint64_t sum = 0;

	for (int c = 0; c < N_SYNC_CLASSES; c++)
		sum += s->classes[c].count;
	return sum;
}

int64_t syncs_percentile(const struct syncs *s, enum sync_class class, double part)
{
	int64_t ns = hist_percentile(&s->hists[class], part), longest = s->longest_ns[class];

	return longest != UNKNOWN_NS && ns > longest ? longest : ns;
}

static bool same_row(const struct sync_counters *a, const struct sync_counters *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks && a->call == b->call &&
	       a->class == b->class;
}

/* Rows keep their order from sample to sample, but for those that went: the search begins where the
 * row was. */
static const struct sync_counters *row_before(const struct syncs *s, const struct sync_counters *r,
                                              size_t place)
{
	for (size_t i = 0; i < s->n_before; i++) {
		const struct sync_counters *b = &s->before[(place + i) % s->n_before];

		if (same_row(b, r))
			return b;
	}
	return NULL;
}

/* A row is cumulative and goes when its process has ended: what it grew by is what counts. */
static void add_row(struct syncs *s, const struct sync_counters *r, size_t place)
{
	const struct sync_counters *before = row_before(s, r, place);
	uint64_t known = before ? before->count : 0, calls;
	struct sync_total *total;
	int64_t ns;

	if ((unsigned)r->class >= N_SYNC_CLASSES || (unsigned)r->call >= N_SYNC_CALLS ||
	    r->total_ns == UNKNOWN_NS || (before && before->total_ns == UNKNOWN_NS))
		return;
	ns = r->total_ns - (before ? before->total_ns : 0);
	if (ns < 0)
		return;
	calls = r->count > known ? r->count - known : 0;
	total = &s->classes[r->class];
	total->ns = span_add(total->ns, ns);
	total->count += calls;
	s->by_call[r->call] += calls;
	if (r->longest_ns > s->longest_ns[r->class] && r->count)
		s->longest_ns[r->class] = r->longest_ns;
	s->grown_ns[r->class] = span_add(s->grown_ns[r->class], ns);
	s->grown_calls += calls;
}

static void keep_rows(struct syncs *s, const struct sample *sample)
{
	s->before = mem_grow(s->before, &s->before_room, sample->n_syncs, sizeof(*s->before));
	if (sample->n_syncs)
		memcpy(s->before, sample->syncs, sample->n_syncs * sizeof(*s->before));
	s->n_before = sample->n_syncs;
}

static const struct sync_writer *writer_before(const struct writers *w, const struct sync_writer *r,
                                               size_t place)
{
	for (size_t i = 0; i < w->n_before; i++) {
		const struct sync_writer *b = &w->before[(place + i) % w->n_before];

		if (b->pid == r->pid && b->start_ticks == r->start_ticks)
			return b;
	}
	return NULL;
}

/* Where the sum of a name stands. With too many of them the least makes way: it comes back with
 * what it does from then on. */
static struct sync_total *writer_named(struct writers *w, const char *name)
{
	struct writer_total *at = &w->names[0];

	for (size_t i = 0; i < w->n_names; i++) {
		if (strcmp(w->names[i].name, name) == 0)
			return &w->names[i].sum;
		if (w->names[i].sum.ns < at->sum.ns)
			at = &w->names[i];
	}
	if (w->n_names < WRITERS_NAMED)
		at = &w->names[w->n_names++];
	memset(at, 0, sizeof(*at));
	snprintf(at->name, sizeof(at->name), "%s", name);
	return &at->sum;
}

static void add_writer(struct writers *w, const struct sync_writer *r, size_t place)
{
	const struct sync_writer *before = writer_before(w, r, place);
	struct sync_total grown = {r->count, r->total_ns}, *named;

	if (r->total_ns == UNKNOWN_NS)
		return;
	if (before) {
		grown.ns -= before->total_ns;
		grown.count = r->count > before->count ? r->count - before->count : 0;
	}
	if (grown.ns < 0 || (grown.count == 0 && grown.ns == 0))
		return;
	w->sum.count += grown.count;
	w->sum.ns = span_add(w->sum.ns, grown.ns);
	named = writer_named(w, r->name);
	named->count += grown.count;
	named->ns = span_add(named->ns, grown.ns);
}

static void writers_sample(struct writers *w, const struct sample *s)
{
	for (size_t i = 0; i < s->n_writers; i++)
		add_writer(w, &s->writers[i], i);
	w->before = mem_grow(w->before, &w->before_room, s->n_writers, sizeof(*w->before));
	if (s->n_writers)
		memcpy(w->before, s->writers, s->n_writers * sizeof(*w->before));
	w->n_before = s->n_writers;
}

const struct writer_total *writers_first(const struct writers *w)
{
	const struct writer_total *first = NULL;

	for (size_t i = 0; i < w->n_names; i++)
		if (!first || w->names[i].sum.ns > first->sum.ns)
			first = &w->names[i];
	return first;
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

static void keep_hists(struct syncs *s, const struct sample *sample)
{
	for (int c = 0; c < N_SYNC_CLASSES; c++)
		hist_clear(&s->hists[c]);
	for (size_t i = 0; i < sample->n_latencies; i++)
		if ((unsigned)sample->latencies[i].class < N_SYNC_CLASSES)
			hist_merge(&s->hists[sample->latencies[i].class],
			           &sample->latencies[i].hist);
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

bool syncs_whole(const struct sample *s)
{
	return sample_has(s, GROUP_SYNCS) && sample_has(s, GROUP_PROBE) && s->probe.compat == 0 &&
	       s->probe.missed == 0 && s->probe.full == 0 && !*s->probe.lacks;
}

void syncs_sample(struct syncs *s, const struct sample *sample)
{
	memset(s->grown_ns, 0, sizeof(s->grown_ns));
	s->grown_calls = 0;
	s->exact = syncs_whole(sample);
	if (sample_has(sample, GROUP_PROBE))
		s->probe = sample->probe;
	if (sample_has(sample, GROUP_SYNCS)) {
		s->counted = true;
		for (size_t i = 0; i < sample->n_syncs; i++)
			add_row(s, &sample->syncs[i], i);
		keep_rows(s, sample);
	}
	if (sample_has(sample, GROUP_WRITERS))
		writers_sample(&s->writers, sample);
	find_longest(s, sample);
	if (sample->kind == SAMPLE_FULL && sample_has(sample, GROUP_LATENCIES)) {
		set_rates(s, sample);
		keep_hists(s, sample);
	}
}
