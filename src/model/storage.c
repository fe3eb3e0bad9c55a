/* storage.c - the watched disk and the dirty pages, as rates and histories. */
#include "dpkgtop/storage.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/units.h"

#define SECTOR 512

static void rates_unknown(struct disk_rates *r)
{
	*r = (struct disk_rates){
		.reads = UNKNOWN_RATE,
		.writes = UNKNOWN_RATE,
		.flushes = UNKNOWN_RATE,
		.discards = UNKNOWN_RATE,
		.read_bytes = UNKNOWN_RATE,
		.written_bytes = UNKNOWN_RATE,
		.read_ms = UNKNOWN_RATE,
		.write_ms = UNKNOWN_RATE,
		.flush_ms = UNKNOWN_RATE,
		.busy = UNKNOWN_RATE,
		.queue = UNKNOWN_RATE,
	};
}

static void forget_counters(struct storage *s)
{
	rates_unknown(&s->rates);
	if (!s->over)
		s->flushes = s->flush_ms = s->written_bytes = s->read_bytes = UNKNOWN_U64;
	s->any = false;
}

void storage_begin(struct storage *s, const char *disk)
{
	snprintf(s->disk, sizeof(s->disk), "%s", disk);
	s->over = false;
	forget_counters(s);
}

void storage_init(struct storage *s)
{
	memset(s, 0, sizeof(*s));
	memset(&s->memory, 0xff, sizeof(s->memory));
	storage_begin(s, "");
}

/* The difference of a counter; NaN if it is unknown or went back. */
static double grown(uint64_t before, uint64_t now)
{
	if (before == UNKNOWN_U64 || now == UNKNOWN_U64 || now < before)
		return UNKNOWN_RATE;
	return (double)(now - before);
}

/* Mean time of an operation; NaN if none was done. */
static double mean(double ms, double operations)
{
	return operations > 0 ? ms / operations : UNKNOWN_RATE;
}

static void set_rates(struct disk_rates *r, const struct disk_counters *a,
                      const struct disk_counters *b, double seconds)
{
	double reads = grown(a->reads, b->reads), writes = grown(a->writes, b->writes);
	double flushes = grown(a->flushes, b->flushes);

	r->reads = reads / seconds;
	r->writes = writes / seconds;
	r->flushes = flushes / seconds;
	r->discards = grown(a->discards, b->discards) / seconds;
	r->read_bytes = grown(a->read_sectors, b->read_sectors) * SECTOR / seconds;
	r->written_bytes = grown(a->written_sectors, b->written_sectors) * SECTOR / seconds;
	r->read_ms = mean(grown(a->read_ms, b->read_ms), reads);
	r->write_ms = mean(grown(a->write_ms, b->write_ms), writes);
	r->flush_ms = mean(grown(a->flush_ms, b->flush_ms), flushes);
	r->busy = grown(a->busy_ms, b->busy_ms) / 1e3 / seconds;
	/* The kernel adds up busy time in its own ticks: a full second can come out as 1.003. */
	if (r->busy > 1)
		r->busy = 1;
	r->queue = grown(a->queue_ms, b->queue_ms) / 1e3 / seconds;
}

static uint64_t sum(uint64_t first, uint64_t now, uint64_t unit)
{
	if (first == UNKNOWN_U64 || now == UNKNOWN_U64 || now < first)
		return UNKNOWN_U64;
	return (now - first) * unit;
}

static void add_up(struct storage *s, const struct disk_counters *now)
{
	s->flushes = sum(s->first.flushes, now->flushes, 1);
	s->flush_ms = sum(s->first.flush_ms, now->flush_ms, 1);
	s->written_bytes = sum(s->first.written_sectors, now->written_sectors, SECTOR);
	s->read_bytes = sum(s->first.read_sectors, now->read_sectors, SECTOR);
}

static void add_disk(struct storage *s, const struct disk_counters *now, int64_t now_ns)
{
	double seconds = (double)(now_ns - s->before_ns) / 1e9;

	/* Another device by the same name: its counters are no continuation. */
	if (s->any && (s->before.major != now->major || s->before.minor != now->minor))
		forget_counters(s);
	if (!s->any)
		s->first = *now;
	rates_unknown(&s->rates);
	if (s->any && seconds > 0)
		set_rates(&s->rates, &s->before, now, seconds);
	if (!s->over)
		add_up(s, now);
	s->before = *now;
	s->before_ns = now_ns;
	s->any = true;
}

static double gauge(uint64_t value)
{
	return value == UNKNOWN_U64 ? UNKNOWN_RATE : (double)value;
}

void storage_sample(struct storage *s, const struct sample *sample)
{
	const struct disk_counters *d = *s->disk ? sample_disk(sample, s->disk) : NULL;

	if (d)
		add_disk(s, d, sample->at.mono_ns);
	else
		forget_counters(s);
	if (sample_has(sample, GROUP_MEMORY))
		s->memory = sample->memory;
	else
		memset(&s->memory, 0xff, sizeof(s->memory));
	ring_push(&s->flush_rate, s->rates.flushes);
	ring_push(&s->write_rate, s->rates.written_bytes);
	ring_push(&s->dirty_kib, gauge(s->memory.dirty_kib));
	ring_push(&s->writeback_kib, gauge(s->memory.writeback_kib));
}
