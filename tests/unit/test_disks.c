/* test_disks.c - what disks did over a run: growth, and what is no growth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed.h"

static void next(struct feed *f)
{
	feed_wait(f, SECOND);
	feed_sample(f, SAMPLE_FULL);
}

static void begin(struct feed *f)
{
	struct disk_counters *d;

	feed_init(f, "vda");
	feed_disk(f, "sda")->discards = UNKNOWN_U64;
	d = feed_disk(f, "vda");
	d->written_sectors = 1000;
	d->flushes = 50;
	f->sample.why[GROUP_DISKS] = 0;
	feed_begin(f, "dpkg -i a");
	feed_sample(f, SAMPLE_FULL);
}

static struct disk_counters *disk(struct feed *f, int at)
{
	return &f->sample.disks[at];
}

static void growth(void **state)
{
	const struct disk_total *d;
	struct feed f;

	(void)state;
	begin(&f);
	disk(&f, 0)->reads += 3;
	disk(&f, 1)->written_sectors += 2048;
	disk(&f, 1)->flush_ms += 7;
	next(&f);
	disk(&f, 1)->written_sectors += 2048;
	next(&f);
	d = disks_find(&f.model.disks, "vda");
	assert_non_null(d);
	assert_int_equal(d->written_bytes, 2 * 1048576);
	assert_int_equal(d->flushes, 0);
	assert_int_equal(d->flush_ms, 7);
	assert_int_equal(f.model.storage.written_bytes, 2 * 1048576);
	d = disks_find(&f.model.disks, "sda");
	assert_int_equal(d->reads, 3);
	assert_true(d->discards == UNKNOWN_U64);
	assert_null(disks_find(&f.model.disks, "sdb"));
	/* After the end it is another's work. */
	feed_end(&f, 0);
	disk(&f, 1)->written_sectors += 2048;
	next(&f);
	assert_int_equal(disks_find(&f.model.disks, "vda")->written_bytes, 2 * 1048576);
	assert_int_equal(f.model.storage.written_bytes, 2 * 1048576);
	/* The next upgrade has its own. */
	assert_int_equal(f.model.upgrades, 1);
	feed_begin(&f, "dpkg -i b");
	assert_int_equal(f.model.disks.count, 0);
	assert_int_equal(f.model.upgrades, 2);
	/* Told again, it is no third one. */
	feed_begin(&f, "dpkg -i b");
	assert_int_equal(f.model.upgrades, 2);
	feed_done(&f);
}

/* It goes back, and then beyond where it began: by first and last alone that would be growth. */
static void a_counter_that_went_back(void **state)
{
	const struct disk_total *d;
	struct feed f;

	(void)state;
	begin(&f);
	disk(&f, 1)->written_sectors = 10;
	next(&f);
	disk(&f, 1)->written_sectors = 5000;
	disk(&f, 1)->flushes += 2;
	next(&f);
	d = disks_find(&f.model.disks, "vda");
	assert_true(d->written_bytes == UNKNOWN_U64);
	assert_int_equal(d->flushes, 2);
	assert_true(f.model.storage.written_bytes == UNKNOWN_U64);
	assert_int_equal(f.model.storage.flushes, 2);
	feed_done(&f);
}

static void a_disk_that_went(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.n_disks = 1;
	next(&f);
	f.sample.n_disks = 2;
	next(&f);
	assert_true(disks_find(&f.model.disks, "vda")->flushes == UNKNOWN_U64);
	assert_true(f.model.storage.flushes == UNKNOWN_U64);
	/* Another device by the same name. */
	disk(&f, 0)->minor++;
	next(&f);
	assert_true(disks_find(&f.model.disks, "sda")->reads == UNKNOWN_U64);
	feed_done(&f);
}

/* The rate that a prediction's bytes are divided by: between samples, or within the writes. */
static void the_fastest_write(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	assert_true(isnan(f.model.storage.fastest_write));
	next(&f);
	assert_true(isnan(f.model.storage.fastest_write));
	disk(&f, 1)->written_sectors += 20000;
	disk(&f, 1)->write_ms += 2000;
	next(&f);
	assert_float_equal(f.model.storage.fastest_write, 20000 * 512, 1);
	disk(&f, 1)->written_sectors += 10000;
	disk(&f, 1)->write_ms += 100;
	next(&f);
	assert_float_equal(f.model.storage.fastest_write, 10000 * 512 * 10, 1);
	next(&f);
	assert_float_equal(f.model.storage.fastest_write, 10000 * 512 * 10, 1);
	feed_done(&f);
}

/* Clocks part by the time slept; what two readings of them differ by is none. */
static void suspend(void **state)
{
	struct feed f;
	struct sample s;

	(void)state;
	begin(&f);
	next(&f);
	sample_init(&s);
	s.kind = SAMPLE_THIN;
	s.at = feed_at(&f);
	s.at.boot_ns += 5000000;
	model_add(&f.model, &(struct frame){.kind = FRAME_SAMPLE, .sample = &s});
	assert_int_equal(f.model.suspended_ns, 0);
	s.at.boot_ns += 60 * SECOND;
	model_add(&f.model, &(struct frame){.kind = FRAME_SAMPLE, .sample = &s});
	assert_int_equal(f.model.suspended_ns, 60 * SECOND + 5000000);
	assert_int_equal(model_elapsed(&f.model), SECOND);
	s.at.boot_ns = UNKNOWN_NS;
	model_add(&f.model, &(struct frame){.kind = FRAME_SAMPLE, .sample = &s});
	assert_int_equal(f.model.suspended_ns, UNKNOWN_NS);
	sample_done(&s);
	feed_done(&f);
}

/* As of the last look at the processes; at the very end there is none. */
static void left_behind(void **state)
{
	struct process_counters *p;
	struct feed f;

	(void)state;
	begin(&f);
	assert_false(f.model.left.known);
	feed_process(&f, 100, 1);
	p = feed_process(&f, 101, 1);
	p->left = 'y';
	snprintf(p->name, sizeof(p->name), "stray");
	next(&f);
	f.sample.why[GROUP_PROCESSES] = GROUP_NOT_ASKED;
	next(&f);
	assert_true(f.model.left.known);
	assert_int_equal(f.model.left.count, 1);
	assert_string_equal(f.model.left.items[0].name, "stray");
	f.sample.why[GROUP_PROCESSES] = 0;
	for (int i = 0; i < LEFT_MAX + 4; i++) {
		p = feed_process(&f, 200 + i, 1);
		p->left = 'y';
	}
	next(&f);
	assert_int_equal(f.model.left.count, LEFT_MAX);
	assert_int_equal(f.model.left.left_out, 5);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth),           cmocka_unit_test(a_counter_that_went_back),
		cmocka_unit_test(a_disk_that_went), cmocka_unit_test(the_fastest_write),
		cmocka_unit_test(suspend),          cmocka_unit_test(left_behind),
	};

	return cmocka_run_group_tests_name("disks", tests, NULL, NULL);
}
