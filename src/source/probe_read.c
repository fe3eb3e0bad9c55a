/* probe_read.c - what the kernel counted, as parts of a sample. */
#include "probe_parts.h"

#include <string.h>

#include "dpkgtop/source.h"
#include "dpkgtop/text.h"

/* Full samples from one look for stale members to the next. */
#define FORGET_SAMPLES 64

void probe_file_name(char *dst, size_t size, const char *end, uint32_t length)
{
	static const char ellipsis[] = "…";
	size_t len = strnlen(end, FILE_ROOM), at = 0;

	if (length > len) {
		/* The sign takes as many bytes as it replaces, and then no character's middle. */
		at = sizeof(ellipsis) - 1 < len ? sizeof(ellipsis) - 1 : len;
		while (at < len && (end[at] & 0xc0) == 0x80)
			at++;
		memcpy(dst, ellipsis, sizeof(ellipsis) - 1);
		dst += sizeof(ellipsis) - 1;
		size -= sizeof(ellipsis) - 1;
	}
	text_printable(dst, size, end + at, len - at);
}

static void add_sync(struct sample *into, const struct sync_slot *s, int64_t now)
{
	struct sync_counters *c = sample_add_sync(into);
	/* Below 0 if one began since `now`. */
	int64_t elapsed = (int64_t)(s->open * (uint64_t)now - s->since_sum);

	c->pid = (int32_t)s->key.pid;
	c->start_ticks = s->key.start;
	c->call = (enum sync_call)s->key.call;
	c->class = (enum sync_class)s->key.class;
	c->count = s->count;
	c->open = s->open;
	c->total_ns = (int64_t)s->total + (elapsed > 0 ? elapsed : 0);
	c->longest_ns = (int64_t)s->longest;
}

static void add_flight(struct sample *into, const struct sync_slot *s)
{
	struct sync_flight *f = sample_add_flight(into);

	f->pid = (int32_t)s->key.pid;
	f->start_ticks = s->key.start;
	f->call = (enum sync_call)s->key.call;
	f->class = (enum sync_class)s->key.class;
	f->since_ns = (int64_t)(s->open == 1 ? s->since_sum : s->since);
	probe_file_name(f->file, sizeof(f->file), s->text, s->length);
}

static void add_writer(struct sample *into, const struct sync_slot *s)
{
	struct sync_writer *w = sample_add_writer(into);

	w->pid = (int32_t)s->key.pid;
	w->start_ticks = s->key.start;
	text_printable(w->name, sizeof(w->name), s->text, strnlen(s->text, COMM_ROOM));
	w->count = s->count;
	w->total_ns = (int64_t)s->total;
	w->longest_ns = (int64_t)s->longest;
}

/* Looks made at numbers that change meanwhile. */
#define LOOKS 8

/* Of a call that returns meanwhile one number must not be older than the other. */
static void look_at_slot(const struct sync_slot *from, struct sync_slot *ret)
{
	for (int i = 0; i < LOOKS; i++) {
		*ret = *(const volatile struct sync_slot *)from;
		if (__atomic_load_n(&from->open, __ATOMIC_ACQUIRE) == ret->open &&
		    __atomic_load_n(&from->since_sum, __ATOMIC_ACQUIRE) == ret->since_sum)
			return;
	}
}

/* Whether nothing changes in it any more. */
static bool has_ended(const struct probe *p, const struct sync_slot *s)
{
	const struct member *m = &p->members[s->member];

	if (s->key.class == SYNC_OUTSIDE)
		return __atomic_load_n(&s->ended, __ATOMIC_ACQUIRE);
	/* Its place may be another's by now. */
	return __atomic_load_n(&m->ended, __ATOMIC_ACQUIRE) || m->pid != s->key.pid ||
	       m->start != s->key.start || !__atomic_load_n(&m->live, __ATOMIC_ACQUIRE);
}

static int read_slot(struct probe *p, struct sample *into, uint32_t place, int64_t now)
{
	/* First: what ended before the values were read was final. */
	bool ended = has_ended(p, &p->slots[place]);
	struct sync_slot s;

	look_at_slot(&p->slots[place], &s);
	if (s.key.class == SYNC_OUTSIDE) {
		add_writer(into, &s);
	} else {
		add_sync(into, &s, now);
		if (s.open)
			add_flight(into, &s);
	}
	return ended ? probe_recycle(p, place) : 0;
}

static int read_range(struct probe *p, struct sample *into, uint32_t first, const __u64 *used,
                      int64_t now)
{
	uint64_t end = first + __atomic_load_n(used, __ATOMIC_ACQUIRE);
	int r = 0;

	for (uint32_t i = first; i < end && r == 0; i++)
		if (__atomic_load_n(&p->slots[i].live, __ATOMIC_ACQUIRE))
			r = read_slot(p, into, i, now);
	return r;
}

/* Up to now: one that has just begun it may not have told since when. */
static int64_t read_in_sync(const struct probe *p, int64_t now)
{
	const struct sync_probe__bss *shared = p->object->bss;
	const struct in_sync *from = &shared->in_syncs[shared->tree.watching % 2];
	int64_t total = (int64_t)__atomic_load_n(&from->total, __ATOMIC_ACQUIRE);
	int64_t since = (int64_t)__atomic_load_n(&from->since, __ATOMIC_ACQUIRE);
	bool open = __atomic_load_n(&from->open, __ATOMIC_ACQUIRE);

	/* Of a call that has ended meanwhile one may be that of before. */
	if ((int64_t)__atomic_load_n(&from->total, __ATOMIC_ACQUIRE) != total)
		return p->sync_ns;
	return total + (open && now > since ? now - since : 0);
}

static int read_slots(struct probe *p, struct sample *into)
{
	const struct sync_probe__bss *shared = p->object->bss;
	int64_t now = stamp_now().mono_ns, in_sync = read_in_sync(p, now);
	int r = read_range(p, into, 0, &shared->slots_used, now);

	if (in_sync > p->sync_ns)
		p->sync_ns = in_sync;
	return r ? r : read_range(p, into, probe_outside(p), &shared->outside_used, now);
}

static void read_latencies(const struct probe *p, struct sample *into)
{
	for (int i = 0; i < LATENCIES_MAX; i++) {
		const struct latency_value *v = &p->latencies[i];
		struct sync_latency *to;

		if (!v->count)
			continue;
		to = sample_add_latency(into);
		to->call = (enum sync_call)(i / N_SYNC_CLASSES);
		to->class = (enum sync_class)(i % N_SYNC_CLASSES);
		to->count = v->count;
		to->total_ns = (int64_t)v->total;
		to->longest_ns = (int64_t)v->longest;
		for (unsigned j = 0; j < BUCKETS; j++)
			to->hist.counts[j] = v->buckets[j];
	}
}

int probe_read(struct probe *p, struct sample *into)
{
	const struct sync_probe__bss *shared = p->object->bss;
	bool is_full = into->kind == SAMPLE_FULL;
	int r = read_slots(p, into);

	if (r == 0 && is_full)
		read_latencies(p, into);
	if (r == 0 && is_full && ++p->full_samples % FORGET_SAMPLES == 0)
		probe_forget_members(p);
	into->probe = (struct probe_counters){.lost = shared->lost,
	                                      .missed = shared->missed,
	                                      .full = shared->full,
	                                      .compat = shared->compat,
	                                      .outside = shared->outside,
	                                      .sync_ns = p->sync_ns};
	probe_read_time(p, &into->probe);
	memcpy(into->probe.lacks, p->lacks, sizeof(p->lacks));
	for (int g = GROUP_PROBE; g <= GROUP_LATENCIES; g++)
		into->why[g] = g != GROUP_LATENCIES || is_full ? r : GROUP_NOT_ASKED;
	return r;
}
