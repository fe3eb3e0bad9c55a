/* storage.c - the watched disk and the dirty pages, as rates and histories. */
#include "dpkgtop/storage.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/disks.h"
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
	if (!s->over) {
		s->flushes = s->flush_ms = s->written_bytes = s->read_bytes = UNKNOWN_U64;
		s->torn = s->any;
	}
	s->any = false;
}

void storage_begin(struct storage *s, const char *disk)
{
	snprintf(s->disk, sizeof(s->disk), "%s", disk);
	s->over = s->torn = s->any = false;
	s->fastest_write = UNKNOWN_RATE;
	s->dirty_first_kib = s->dirty_last_kib = UNKNOWN_U64;
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

static uint64_t begin_sum(uint64_t counter)
{
	return counter == UNKNOWN_U64 ? UNKNOWN_U64 : 0;
}

static void begin_sums(struct storage *s, const struct disk_counters *now)
{
	if (s->torn)
		return;
	s->flushes = begin_sum(now->flushes);
	s->flush_ms = begin_sum(now->flush_ms);
	s->written_bytes = begin_sum(now->written_sectors);
	s->read_bytes = begin_sum(now->read_sectors);
}

/* By each interval: a counter that went back may later be above where it began. */
static void add_up(struct storage *s, const struct disk_counters *now)
{
	const struct disk_counters *b = &s->before;

	disks_grow(&s->flushes, b->flushes, now->flushes, 1);
	disks_grow(&s->flush_ms, b->flush_ms, now->flush_ms, 1);
	disks_grow(&s->written_bytes, b->written_sectors, now->written_sectors, SECTOR);
	disks_grow(&s->read_bytes, b->read_sectors, now->read_sectors, SECTOR);
}

/* One that is not known is no larger one. */
static void raise_to(double *most, double value)
{
	if (value > 0 && !(value <= *most))
		*most = value;
}

static void note_speed(struct storage *s, const struct disk_counters *now)
{
	double bytes = grown(s->before.written_sectors, now->written_sectors) * SECTOR;
	double within = mean(bytes * 1e3, grown(s->before.write_ms, now->write_ms));

	raise_to(&s->fastest_write, s->rates.written_bytes);
	raise_to(&s->fastest_write, within);
}

static void add_disk(struct storage *s, const struct disk_counters *now, int64_t now_ns)
{
	double seconds = (double)(now_ns - s->before_ns) / 1e9;

	/* Another device by the same name: its counters are no continuation. */
	if (s->any && (s->before.major != now->major || s->before.minor != now->minor))
		forget_counters(s);
	if (!s->any && !s->over)
		begin_sums(s, now);
	rates_unknown(&s->rates);
	if (s->any && seconds > 0) {
		set_rates(&s->rates, &s->before, now, seconds);
		note_speed(s, now);
	}
	if (s->any && !s->over)
		add_up(s, now);
	s->before = *now;
	s->before_ns = now_ns;
	s->any = true;
}

static void note_dirty(struct storage *s)
{
	uint64_t kib = s->memory.dirty_kib;

	if (s->over)
		return;
	if (kib != UNKNOWN_U64 && s->memory.writeback_kib != UNKNOWN_U64)
		kib += s->memory.writeback_kib;
	else
		kib = UNKNOWN_U64;
	if (s->dirty_first_kib == UNKNOWN_U64)
		s->dirty_first_kib = kib;
	s->dirty_last_kib = kib;
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
	note_dirty(s);
	ring_push(&s->flush_rate, s->rates.flushes);
	ring_push(&s->write_rate, s->rates.written_bytes);
	ring_push(&s->dirty_kib, gauge(s->memory.dirty_kib));
	ring_push(&s->writeback_kib, gauge(s->memory.writeback_kib));
}
