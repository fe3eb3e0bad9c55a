/* charging.c - the time between two samples, split by what it was spent on. */
#include "dpkgtop/charging.h"

#include <string.h>

#include "dpkgtop/span.h"
#include "dpkgtop/tree.h"
#include "dpkgtop/units.h"

/* CPU time that two cores spent in one interval of one wall clock can never be charged; no more
 * than a couple of clock ticks of it may wait for the next interval. */
#define CPU_DEBT_NS INT64_C(30000000)

/* The kernel adds up the time of a running thread at the scheduler's ticks, 4 ms apart on Debian:
 * what comes late of it belongs to the interval before. */
#define COUNTED_DEBT_NS INT64_C(4000000)

/* A sampled state says something of the time around it, not of a minute. */
#define SAMPLED_SPAN_NS INT64_C(5000000000)

void charging_begin(struct charging *c, const struct stamp *at)
{
	memset(c, 0, sizeof(*c));
	c->last = *at;
	c->cpu_seen_ns = UNKNOWN_NS;
	c->counted_cpu_ns = c->counted_blocked_ns = c->counted_sync_ns = UNKNOWN_NS;
	c->flush_seen_ms = UNKNOWN_U64;
}

static int64_t at_most(int64_t wanted, int64_t limit)
{
	if (wanted < 0)
		return 0;
	return wanted < limit ? wanted : limit;
}

/* Takes what `cause` may have of the rest of the interval. */
static int64_t take(struct charge *ret, enum cause cause, enum quality quality, int64_t wanted,
                    int64_t *rest)
{
	int64_t taken = at_most(wanted, *rest);

	ret->causes[cause] = (struct cell){taken, quality};
	*rest -= taken;
	return taken;
}

/* How far a cumulative time has come; a counter that went back tells nothing. */
static bool advanced(int64_t before, int64_t now, int64_t *ret)
{
	if (before == UNKNOWN_NS || now == UNKNOWN_NS || now < before)
		return false;
	*ret = now - before;
	return true;
}

/* How long the disk has been in flushes since the last sample, ms; UNKNOWN_U64. */
static uint64_t flushed_ms(struct charging *c, const struct sample *s, const char *disk)
{
	const struct disk_counters *d = *disk ? sample_disk(s, disk) : NULL;
	uint64_t now = d ? d->flush_ms : UNKNOWN_U64, before = c->flush_seen_ms;

	/* Another device by the same name counts for itself. */
	if (d && (d->major != c->flush_major || d->minor != c->flush_minor))
		before = UNKNOWN_U64;
	if (d) {
		c->flush_major = d->major;
		c->flush_minor = d->minor;
	}
	if (sample_has(s, GROUP_DISKS))
		c->flush_seen_ms = now;
	if (now == UNKNOWN_U64 || before == UNKNOWN_U64 || now < before)
		return UNKNOWN_U64;
	return now - before;
}

static int64_t charge_estimated(struct charging *c, uint64_t ms, struct charge *ret, int64_t *rest)
{
	int64_t taken;

	if (ms == UNKNOWN_U64) {
		take(ret, CAUSE_SYNC_ESTIMATED, QUALITY_UNKNOWN, 0, rest);
		return 0;
	}
	/* Flushes of several processes overlap: what exceeds the interval is dropped, but for
	 * the millisecond that the counter rounds by. */
	c->flush_owed_ns = span_add(c->flush_owed_ns, span_of_ms(ms));
	taken = take(ret, CAUSE_SYNC_ESTIMATED, QUALITY_ESTIMATED, c->flush_owed_ns, rest);
	c->flush_owed_ns = at_most(c->flush_owed_ns - taken, 1000000);
	return taken;
}

static bool charge_cpu(struct charging *c, int64_t now, struct charge *ret, int64_t *rest)
{
	int64_t spent = 0;

	/* Each process' time is cut to a tick, so the sum may step back by a few when one of
	 * them is reaped; more than that is a process that left the tree. */
	if (c->cpu_seen_ns != UNKNOWN_NS && now != UNKNOWN_NS && now < c->cpu_seen_ns &&
	    c->cpu_seen_ns - now < CPU_DEBT_NS)
		now = c->cpu_seen_ns;
	if (!advanced(c->cpu_seen_ns, now, &spent)) {
		c->cpu_seen_ns = now;
		take(ret, CAUSE_CPU, QUALITY_UNKNOWN, 0, rest);
		return false;
	}
	c->cpu_seen_ns = now;
	c->cpu_owed_ns = span_add(c->cpu_owed_ns, spent);
	c->cpu_owed_ns -= take(ret, CAUSE_CPU, QUALITY_SAMPLED, c->cpu_owed_ns, rest);
	c->cpu_owed_ns = at_most(c->cpu_owed_ns, CPU_DEBT_NS);
	return true;
}

/* D state is seen only at samples, and most of it is waiting for syncs, which were charged
 * already: the difference of the two, over time, is the disk's. */
static void charge_disk(struct charging *c, bool blocked, int64_t span, int64_t synced,
                        struct charge *ret, int64_t *rest)
{
	if (span > SAMPLED_SPAN_NS) {
		take(ret, CAUSE_DISK, QUALITY_UNKNOWN, 0, rest);
		return;
	}
	c->blocked_owed_ns += (blocked ? span : 0) - synced;
	if (c->blocked_owed_ns < -SAMPLED_SPAN_NS / 5)
		c->blocked_owed_ns = -SAMPLED_SPAN_NS / 5;
	c->blocked_owed_ns -= take(ret, CAUSE_DISK, QUALITY_SAMPLED, c->blocked_owed_ns, rest);
	if (c->blocked_owed_ns > 0)
		c->blocked_owed_ns = 0;
}

/* The two are not read at the very same moment. */
#define SYNC_ROOM_NS INT64_C(1000000)

/* How long anyone was in a sync call, of `span`; that is its limit where it is not known. */
static int64_t synced_of(struct charging *c, const struct syncs *syncs, int64_t span)
{
	int64_t before = c->counted_sync_ns, grown;

	c->counted_sync_ns = syncs->probe.sync_ns;
	if (!advanced(before, c->counted_sync_ns, &grown) || grown == 0)
		return span;
	c->sync_room_ns = span_add(at_most(c->sync_room_ns, SYNC_ROOM_NS), grown);
	return at_most(c->sync_room_ns, span);
}

/* The four causes as the probe counted them. Calls of several threads overlap: then each class gets
 * its share of the time in which there was any. */
static int64_t charge_counted(struct charging *c, const struct syncs *syncs, struct charge *ret,
                              int64_t *rest)
{
	static const enum cause causes[N_SYNC_CLASSES] = {
		[SYNC_PACKAGE] = CAUSE_PACKAGE_SYNC,
		[SYNC_DATABASE] = CAUSE_DATABASE_SYNC,
		[SYNC_WRITEBACK] = CAUSE_WRITEBACK,
		[SYNC_OTHER] = CAUSE_OTHER_SYNC,
	};
	int64_t limit = synced_of(c, syncs, *rest), sum = 0, taken = 0;
	double share;

	c->flush_owed_ns = 0;
	for (int i = 0; i < N_SYNC_CLASSES; i++)
		sum = span_add(sum, syncs->grown_ns[i]);
	share = sum > limit ? (double)limit / (double)sum : 1;
	for (int i = 0; i < N_SYNC_CLASSES; i++)
		taken += take(ret, causes[i], QUALITY_EXACT,
		              (int64_t)((double)syncs->grown_ns[i] * share), rest);
	c->sync_room_ns -= taken;
	return taken;
}

/* CPU and blocked time as the probe counted them, both of several threads at once: each may have
 * what is left. False if they are not known. */
static bool charge_exact(struct charging *c, const struct sample *s, bool exact, struct charge *ret,
                         int64_t *rest)
{
	bool known = exact && sample_has(s, GROUP_PROBE);
	int64_t cpu_before = c->counted_cpu_ns, blocked_before = c->counted_blocked_ns;
	int64_t cpu, blocked;

	c->counted_cpu_ns = known ? s->probe.cpu_ns : UNKNOWN_NS;
	c->counted_blocked_ns = known ? s->probe.blocked_ns : UNKNOWN_NS;
	if (!advanced(cpu_before, c->counted_cpu_ns, &cpu) ||
	    !advanced(blocked_before, c->counted_blocked_ns, &blocked))
		return false;
	c->cpu_owed_ns = span_add(at_most(c->cpu_owed_ns, COUNTED_DEBT_NS), cpu);
	c->cpu_owed_ns -= take(ret, CAUSE_CPU, QUALITY_EXACT, c->cpu_owed_ns, rest);
	c->cpu_owed_ns = at_most(c->cpu_owed_ns, COUNTED_DEBT_NS);
	c->blocked_owed_ns = 0;
	take(ret, CAUSE_DISK, QUALITY_EXACT, blocked, rest);
	return true;
}

/* A person's time is all that syncs leave of the interval: nobody else is at work then. */
static void charge_input(const struct input *input, struct charge *ret, int64_t *rest)
{
	if (input->kind == INPUT_UNKNOWN)
		take(ret, CAUSE_INPUT, QUALITY_UNKNOWN, 0, rest);
	else
		take(ret, CAUSE_INPUT, QUALITY_SAMPLED, input->share == INPUT_SHARE_ALL ? *rest : 0,
		     rest);
}

/* Who has answered is busy at once: what all that is known to take time has left was the person's.
 */
static void charge_answer(const struct input *input, struct charge *ret)
{
	if (input->share == INPUT_SHARE_REST && charging_is_short(ret))
		charge_turn(ret, CAUSE_OTHER, CAUSE_INPUT, ret->causes[CAUSE_OTHER].ns);
}

bool charging_is_short(const struct charge *c)
{
	return charge_total(c) <= SAMPLED_SPAN_NS;
}

void charging_unseen(struct charging *c, int64_t until_ns, struct charge *ret)
{
	int64_t span = until_ns - c->last.mono_ns;

	charge_init(ret);
	if (span <= 0)
		return;
	ret->causes[CAUSE_UNKNOWN] = (struct cell){span, QUALITY_UNKNOWN};
	c->last.mono_ns = until_ns;
}

void charging_sample(struct charging *c, const struct sample *s, const char *disk,
                     const struct input *input, const struct syncs *syncs, struct charge *ret)
{
	int64_t cpu = tree_cpu(s);
	int64_t span = s->at.mono_ns - c->last.mono_ns;
	int64_t rest, synced;
	uint64_t flushed;
	struct charge charge;

	charge_init(&charge);
	if (span < 0)
		span = 0;
	rest = span;
	flushed = flushed_ms(c, s, disk);
	synced = syncs->exact ? charge_counted(c, syncs, &charge, &rest)
	                      : charge_estimated(c, flushed, &charge, &rest);
	charge_input(input, &charge, &rest);
	if (charge_exact(c, s, syncs->exact, &charge, &rest)) {
		c->cpu_seen_ns = cpu;
		take(&charge, CAUSE_OTHER, QUALITY_SAMPLED, rest, &rest);
	} else if (charge_cpu(c, cpu, &charge, &rest)) {
		charge_disk(c, tree_blocked(s), span, synced, &charge, &rest);
		take(&charge, CAUSE_OTHER, QUALITY_SAMPLED, rest, &rest);
	} else {
		take(&charge, CAUSE_DISK, QUALITY_UNKNOWN, 0, &rest);
		take(&charge, CAUSE_UNKNOWN, QUALITY_UNKNOWN, rest, &rest);
	}
	charge_answer(input, &charge);
	c->last = s->at;
	/* No time, so nothing is known or unknown of it; the counters were read all the same. */
	if (span == 0)
		charge_init(&charge);
	*ret = charge;
}
