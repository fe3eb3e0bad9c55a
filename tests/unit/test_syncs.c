/* test_syncs.c - sync calls as the probe counts them: summed by class, and charged exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed.h"

#define MS INT64_C(1000000)

static void row(struct feed *f, int32_t pid, uint64_t start_ticks, enum sync_call call,
                enum sync_class class, uint64_t count, int64_t total_ms)
{
	*sample_add_sync(&f->sample) = (struct sync_counters){
		.pid = pid,
		.start_ticks = start_ticks,
		.call = call,
		.class = class,
		.count = count,
		.total_ns = total_ms * MS,
	};
}

static void begin(struct feed *f)
{
	feed_init(f, "vda");
	feed_disk(f, "vda");
	feed_process(f, 100, 1);
	for (int g = GROUP_PROBE; g < N_GROUPS; g++)
		f->sample.why[g] = 0;
	feed_begin(f, "dpkg -i a");
	feed_sample(f, SAMPLE_FULL);
}

static int64_t ms(const struct feed *f, enum cause c)
{
	return ledger_cause(&f->model.ledger, c).ns / MS;
}

/* Each class is charged to its cause; the flushes say nothing any more. */
static void charged_by_class(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 40, 300);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_DATABASE, 8, 100);
	row(&f, 101, 1, SYNC_FDATASYNC, SYNC_OTHER, 1, 50);
	f.sample.disks[0].flush_ms = 900;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 300);
	assert_int_equal(ms(&f, CAUSE_DATABASE_SYNC), 100);
	assert_int_equal(ms(&f, CAUSE_OTHER_SYNC), 50);
	assert_int_equal(ms(&f, CAUSE_OTHER), 550);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_PACKAGE_SYNC).quality, QUALITY_EXACT);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_SYNC_ESTIMATED).quality, QUALITY_NONE);
	/* The same again: a cumulative count that stood still is nothing new. */
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 300);
	/* The process has ended and its row is gone; another has its pid. */
	f.sample.n_syncs = 0;
	row(&f, 100, 2, SYNC_FSYNC, SYNC_PACKAGE, 2, 20);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 320);
	assert_int_equal(f.model.syncs.classes[SYNC_PACKAGE].count, 42);
	assert_int_equal(syncs_count(&f.model.syncs), 51);
	feed_done(&f);
}

/* Calls of several processes overlap: each class gets its share, and the sum is the interval. */
static void overlapping_calls(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 1, 900);
	row(&f, 101, 1, SYNC_FSYNC, SYNC_OTHER, 1, 900);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 500);
	assert_int_equal(ms(&f, CAUSE_OTHER_SYNC), 500);
	assert_int_equal(ledger_total(&f.model.ledger), SECOND);
	feed_done(&f);
}

/* A 32-bit program's calls are not seen: then nothing is exact, and never 0. */
static void not_whole(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.probe.compat = 1;
	f.sample.disks[0].flush_ms = 200;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_false(f.model.syncs.exact);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_PACKAGE_SYNC).quality, QUALITY_NONE);
	assert_int_equal(ms(&f, CAUSE_SYNC_ESTIMATED), 200);
	feed_done(&f);
}

static void slow(struct feed *f, int32_t pid, int64_t took_ms)
{
	struct event e = {.kind = EVENT_SLOW, .slow = {.pid = pid, .took_ns = took_ms * MS}};

	feed_event(f, e);
}

/* The longest are kept, in order; of equals the first that came. */
static void the_slowest_calls(void **state)
{
	const struct slowest *s;
	struct feed f;

	(void)state;
	begin(&f);
	s = &f.model.slowest;
	for (int i = 0; i < 3 * SLOWEST_MAX; i++)
		slow(&f, i, 100 + i % 7);
	slow(&f, 500, 30000);
	assert_int_equal(s->count, SLOWEST_MAX);
	assert_int_equal(s->seen, 3 * SLOWEST_MAX + 1);
	assert_int_equal(s->items[0].pid, 500);
	assert_int_equal(s->items[1].pid, 6);
	assert_int_equal(s->items[2].pid, 13);
	for (size_t i = 1; i < s->count; i++)
		assert_true(s->items[i - 1].took_ns >= s->items[i].took_ns);
	/* The next upgrade has its own. */
	feed_begin(&f, "dpkg -i b");
	assert_int_equal(s->count, 0);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_calls),
		cmocka_unit_test(charged_by_class),
		cmocka_unit_test(overlapping_calls),
		cmocka_unit_test(not_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
