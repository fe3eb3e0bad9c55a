/* test_ring.c - the last N values of a series. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "dpkgtop/ring.h"

static void assert_value(double value, double expected)
{
	/* Small whole numbers: equal is equal. */
	assert_true(value == expected);
}

static void empty_is_unknown(void **state)
{
	struct ring r;

	(void)state;
	memset(&r, 0xff, sizeof(r));
	ring_clear(&r);
	assert_true(isnan(ring_at(&r, 0)));
	assert_true(isnan(ring_max(&r, RING_ROOM)));
}

static void newest_first(void **state)
{
	struct ring r;

	(void)state;
	ring_clear(&r);
	ring_push(&r, 1);
	ring_push(&r, 2);
	ring_push(&r, 3);
	assert_value(ring_at(&r, 0), 3);
	assert_value(ring_at(&r, 1), 2);
	assert_value(ring_at(&r, 2), 1);
	assert_true(isnan(ring_at(&r, 3)));
	assert_true(isnan(ring_at(&r, SIZE_MAX)));
	assert_int_equal(r.count, 3);
}

static void forgets_the_oldest(void **state)
{
	struct ring r;

	(void)state;
	ring_clear(&r);
	for (int i = 0; i < 3 * RING_ROOM + 7; i++) {
		ring_push(&r, i);
		assert_value(ring_at(&r, 0), i);
		assert_true(r.next < RING_ROOM);
	}
	assert_int_equal(r.count, RING_ROOM);
	for (int age = 0; age < RING_ROOM; age++)
		assert_value(ring_at(&r, (size_t)age), 3 * RING_ROOM + 6 - age);
	assert_true(isnan(ring_at(&r, RING_ROOM)));
}

static void clear_forgets_all(void **state)
{
	struct ring r;

	(void)state;
	ring_clear(&r);
	ring_push(&r, 9);
	ring_clear(&r);
	assert_true(isnan(ring_at(&r, 0)));
	ring_push(&r, 4);
	assert_value(ring_at(&r, 0), 4);
	assert_value(ring_max(&r, 5), 4);
}

static void max_of_a_span(void **state)
{
	struct ring r;

	(void)state;
	ring_clear(&r);
	ring_push(&r, 50);
	ring_push(&r, 7);
	ring_push(&r, 20);
	ring_push(&r, 3);
	assert_true(isnan(ring_max(&r, 0)));
	assert_value(ring_max(&r, 1), 3);
	assert_value(ring_max(&r, 2), 20);
	assert_value(ring_max(&r, 3), 20);
	assert_value(ring_max(&r, 4), 50);
	assert_value(ring_max(&r, SIZE_MAX), 50);
	for (int i = 0; i < RING_ROOM - 1; i++)
		ring_push(&r, 1);
	/* 50, 7 and 20 are gone; 3 is the oldest held. */
	assert_value(ring_max(&r, RING_ROOM), 3);
}

static void max_passes_over_the_unknown(void **state)
{
	struct ring r;

	(void)state;
	ring_clear(&r);
	ring_push(&r, UNKNOWN_RATE);
	assert_true(isnan(ring_max(&r, 1)));
	ring_push(&r, -5);
	ring_push(&r, UNKNOWN_RATE);
	assert_true(isnan(ring_at(&r, 0)));
	assert_true(isnan(ring_max(&r, 1)));
	assert_value(ring_max(&r, 3), -5);
	ring_push(&r, 0);
	ring_push(&r, UNKNOWN_RATE);
	assert_value(ring_max(&r, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_unknown),   cmocka_unit_test(newest_first),
		cmocka_unit_test(forgets_the_oldest), cmocka_unit_test(clear_forgets_all),
		cmocka_unit_test(max_of_a_span),      cmocka_unit_test(max_passes_over_the_unknown),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
