/* test_tree_io.c - what the upgrade has read and written, each byte once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "feed.h"

/* The next sample, and what becomes of it. */
struct bench {
	struct sample sample;
	struct tree_io io;
};

static void begin(struct bench *b)
{
	sample_init(&b->sample);
	tree_io_init(&b->io);
}

static void done(struct bench *b)
{
	sample_done(&b->sample);
	tree_io_done(&b->io);
}

static void next(struct bench *b)
{
	sample_clear(&b->sample);
	b->sample.why[GROUP_PROCESSES] = 0;
}

static struct process_counters *process(struct bench *b, int32_t pid, int32_t parent, uint64_t read,
                                        uint64_t written)
{
	struct process_counters *p = sample_add_process(&b->sample);

	*p = (struct process_counters){
		.pid = pid,
		.parent = parent,
		.start_ticks = 7,
		.state = 'S',
		.read_bytes = read,
		.written_bytes = written,
		.left = '-',
	};
	return p;
}

static void check(struct bench *b, uint64_t read, uint64_t written)
{
	tree_io_sample(&b->io, &b->sample, 7);
	assert_int_equal(b->io.read_bytes, read);
	assert_int_equal(b->io.written_bytes, written);
}

/* A child's bytes move into its parent, with what it did since it was last seen. */
static void a_reaped_child_counts_once(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 100, 0);
	process(&b, 11, 10, 40, 400);
	check(&b, 140, 400);
	next(&b);
	process(&b, 10, 1, 100 + 50, 500);
	check(&b, 150, 500);
	/* One that came and went between two samples. */
	next(&b);
	process(&b, 10, 1, 100 + 50 + 7, 500 + 9);
	check(&b, 157, 509);
	done(&b);
}

/* What is shown of a parent is not what a child was shown with before. */
static void what_each_did_since(void **state)
{
	struct tree_io_bytes grown;
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 100, 0);
	process(&b, 11, 10, 40, 400);
	check(&b, 140, 400);
	next(&b);
	process(&b, 10, 1, 100 + 50, 500);
	check(&b, 150, 500);
	assert_true(tree_io_grown(&b.io, &b.sample.processes[0], &grown));
	assert_int_equal(grown.read, 10);
	assert_int_equal(grown.written, 100);
	/* Another one by its start; and one whose counters go back. */
	assert_false(tree_io_grown(&b.io, &(struct process_counters){.pid = 10, .start_ticks = 8},
	                           &grown));
	next(&b);
	process(&b, 10, 1, 100, 500);
	tree_io_sample(&b.io, &b.sample, 7);
	assert_false(tree_io_grown(&b.io, &b.sample.processes[0], &grown));
	done(&b);
}

/* The one between has ended too: its heir is who waited for it. */
static void a_grandchild_counts_once(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 1, 10);
	process(&b, 11, 10, 2, 20);
	process(&b, 12, 11, 3, 30);
	check(&b, 6, 60);
	next(&b);
	process(&b, 10, 1, 1 + 2 + 3, 10 + 20 + 30 + 5);
	check(&b, 6, 65);
	done(&b);
}

/* A zombie has its bytes until it is waited for. */
static void a_zombie_counts_once(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 0, 10);
	process(&b, 11, 10, 0, 30)->state = 'Z';
	check(&b, 0, 40);
	next(&b);
	process(&b, 10, 1, 0, 40);
	check(&b, 0, 40);
	done(&b);
}

/* Nobody waited for it: what it did stays counted, and nothing goes back. */
static void a_child_that_is_not_waited_for(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 0, 10);
	process(&b, 11, 10, 0, 30);
	check(&b, 0, 40);
	next(&b);
	process(&b, 10, 1, 0, 12);
	check(&b, 0, 40);
	/* What hid behind it is lost, what comes later is not. */
	next(&b);
	process(&b, 10, 1, 0, 17);
	check(&b, 0, 45);
	done(&b);
}

/* What it did while it was the upgrade's stays; what it does now is its own. */
static void a_process_that_left(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 0, 10);
	process(&b, 11, 10, 0, 20);
	process(&b, 12, 11, 0, 30);
	check(&b, 0, 60);
	next(&b);
	process(&b, 10, 1, 0, 10 + 20 + 1);
	process(&b, 12, 1, 0, 500)->left = 'y';
	check(&b, 0, 61);
	next(&b);
	process(&b, 10, 1, 0, 10 + 20 + 2);
	check(&b, 0, 62);
	done(&b);
}

static void a_pid_that_comes_again(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 0, 10);
	process(&b, 11, 10, 0, 30);
	check(&b, 0, 40);
	/* The first was waited for; the second begins at 0. */
	next(&b);
	process(&b, 10, 1, 0, 40);
	process(&b, 11, 10, 0, 5)->start_ticks = 8;
	check(&b, 0, 45);
	done(&b);
}

/* Unknown is what is not known of any of them, and while it is not. */
static void unknown_counters(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	assert_int_equal(b.io.read_bytes, UNKNOWN_U64);
	next(&b);
	process(&b, 10, 1, 1, 10);
	process(&b, 11, 10, UNKNOWN_U64, UNKNOWN_U64);
	check(&b, UNKNOWN_U64, UNKNOWN_U64);
	/* Its end brings all it did. */
	next(&b);
	process(&b, 10, 1, 1 + 3, 10 + 30);
	process(&b, 12, 10, 5, 50);
	check(&b, 9, 90);
	/* Missed once, and read again. */
	next(&b);
	process(&b, 10, 1, 4, 40);
	process(&b, 12, 10, UNKNOWN_U64, 60);
	check(&b, UNKNOWN_U64, UNKNOWN_U64);
	next(&b);
	process(&b, 10, 1, 4, 40);
	process(&b, 12, 10, 6, 70);
	check(&b, 10, 110);
	/* The whole list is not there. */
	next(&b);
	b.sample.why[GROUP_PROCESSES] = -E2BIG;
	check(&b, UNKNOWN_U64, UNKNOWN_U64);
	next(&b);
	process(&b, 10, 1, 4 + 6, 40 + 71);
	check(&b, 10, 111);
	done(&b);
}

/* A resident frontend's bytes from before its upgrade. */
static void what_came_before_is_not_counted(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 1, 1000, 2000)->start_ticks = 6;
	process(&b, 11, 10, 1, 2);
	check(&b, 1, 2);
	next(&b);
	process(&b, 10, 1, 1000 + 1 + 5, 2000 + 2 + 6)->start_ticks = 6;
	check(&b, 6, 8);
	done(&b);
}

/* Numbers that no machine has do not come round to small ones; parents in a circle end. */
static void damaged_samples(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	next(&b);
	process(&b, 10, 11, UNKNOWN_U64 - 2, UNKNOWN_U64 - 1);
	process(&b, 11, 10, UNKNOWN_U64 - 2, UNKNOWN_U64 - 1);
	check(&b, UNKNOWN_U64 - 1, UNKNOWN_U64 - 1);
	next(&b);
	process(&b, 12, 12, 1, 1);
	check(&b, UNKNOWN_U64 - 1, UNKNOWN_U64 - 1);
	done(&b);
}

/* The model tells it apart: what began with the upgrade, and who lived before. */
static void of_the_whole_upgrade(void **state)
{
	for (int resident = 0; resident < 2; resident++) {
		struct event e = {.kind = EVENT_UPGRADE, .upgrade = {.pid = 100, .start_ticks = 1}};
		struct feed f;

		(void)state;
		feed_init(&f, "");
		e.upgrade.since_ns = resident ? f.now_ns : f.now_ns - SECOND;
		feed_event(&f, e);
		feed_process(&f, 100, 1)->written_bytes = 5000;
		feed_sample(&f, SAMPLE_FULL);
		assert_int_equal(f.model.tree.io.written_bytes, resident ? 0 : 5000);
		/* Between full samples bytes are not read. */
		f.sample.processes[0].written_bytes = UNKNOWN_U64;
		feed_wait(&f, SECOND / 4);
		feed_sample(&f, SAMPLE_THIN);
		f.sample.processes[0].written_bytes = 5100;
		feed_wait(&f, SECOND);
		feed_sample(&f, SAMPLE_FULL);
		assert_int_equal(f.model.tree.io.written_bytes, resident ? 100 : 5100);
		feed_begin(&f, "another");
		assert_int_equal(f.model.tree.io.written_bytes, UNKNOWN_U64);
		feed_done(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reaped_child_counts_once),
		cmocka_unit_test(what_each_did_since),
		cmocka_unit_test(a_grandchild_counts_once),
		cmocka_unit_test(a_zombie_counts_once),
		cmocka_unit_test(a_child_that_is_not_waited_for),
		cmocka_unit_test(a_process_that_left),
		cmocka_unit_test(a_pid_that_comes_again),
		cmocka_unit_test(unknown_counters),
		cmocka_unit_test(what_came_before_is_not_counted),
		cmocka_unit_test(damaged_samples),
		cmocka_unit_test(of_the_whole_upgrade),
	};

	return cmocka_run_group_tests_name("tree_io", tests, NULL, NULL);
}
