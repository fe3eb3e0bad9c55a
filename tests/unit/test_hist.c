/* test_hist.c - buckets and histograms of durations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dpkgtop/hist.h"
#include "dpkgtop/units.h"

#define MS INT64_C(1000000)

static void buckets_meet_without_gap_or_overlap(void **state)
{
	(void)state;
	assert_int_equal(bucket_low(0), 0);
	for (unsigned i = 0; i < BUCKETS; i++) {
		unsigned long long low = bucket_low(i), beyond = bucket_low(i + 1);

		assert_true(low < beyond);
		assert_int_equal(bucket_of(low), i);
		assert_int_equal(bucket_of(beyond - 1), i);
		/* 6.25 % wide at most. */
		assert_true(i < BUCKET_STEPS || (beyond - low) * BUCKET_STEPS <= low);
	}
	assert_true(bucket_low(BUCKETS) == 1ull << BUCKET_MAX_BITS);
}

static void what_is_too_long_is_in_the_last(void **state)
{
	(void)state;
	assert_int_equal(bucket_of(1ull << BUCKET_MAX_BITS), BUCKETS - 1);
	assert_int_equal(bucket_of(UINT64_MAX), BUCKETS - 1);
}

static void assert_near(int64_t ns, int64_t expected)
{
	int64_t off = ns > expected ? ns - expected : expected - ns;

	if (off * 1000 > expected * 31)
		fail_msg("%lld is more than 3.1 %% off %lld", (long long)ns, (long long)expected);
}

static void one_value_is_known_to_three_percent(void **state)
{
	struct hist h;

	(void)state;
	for (int64_t ns = 1; ns < 1ll << BUCKET_MAX_BITS; ns += ns / 37 + 1) {
		hist_clear(&h);
		hist_add(&h, ns);
		assert_near(hist_max(&h), ns);
		assert_near(hist_percentile(&h, 0.5), ns);
	}
}

static void empty_is_unknown(void **state)
{
	struct hist h;

	(void)state;
	hist_clear(&h);
	assert_int_equal(hist_count(&h), 0);
	assert_true(hist_max(&h) == UNKNOWN_NS);
	assert_true(hist_percentile(&h, 0) == UNKNOWN_NS);
	assert_true(hist_percentile(&h, 0.5) == UNKNOWN_NS);
	assert_true(hist_percentile(&h, 1) == UNKNOWN_NS);
}

static void percentiles(void **state)
{
	struct hist h;

	(void)state;
	hist_clear(&h);
	for (int64_t i = 1; i <= 1000; i++)
		hist_add(&h, i * MS);
	assert_int_equal(hist_count(&h), 1000);
	assert_near(hist_percentile(&h, 0), 1 * MS);
	assert_near(hist_percentile(&h, 0.5), 500 * MS);
	assert_near(hist_percentile(&h, 0.99), 990 * MS);
	assert_near(hist_percentile(&h, 1), 1000 * MS);
	assert_near(hist_percentile(&h, 2), 1000 * MS);
	assert_near(hist_max(&h), 1000 * MS);
}

static void rare_and_long(void **state)
{
	struct hist h;

	(void)state;
	hist_clear(&h);
	for (int i = 0; i < 99; i++)
		hist_add(&h, 2 * MS);
	hist_add(&h, 900 * MS);
	assert_near(hist_percentile(&h, 0.5), 2 * MS);
	assert_near(hist_percentile(&h, 0.99), 2 * MS);
	assert_near(hist_percentile(&h, 0.995), 900 * MS);
	assert_near(hist_max(&h), 900 * MS);
}

static void negative_is_nothing(void **state)
{
	struct hist h;

	(void)state;
	hist_clear(&h);
	hist_add(&h, -5);
	assert_int_equal(h.counts[0], 1);
	assert_int_equal(hist_percentile(&h, 0.5), 0);
}

static void merge_and_subtract_undo_each_other(void **state)
{
	struct hist a, b, sum;

	(void)state;
	hist_clear(&a);
	hist_clear(&b);
	for (int i = 0; i < 50; i++) {
		hist_add(&a, i * MS);
		hist_add(&b, i * i * MS);
	}
	sum = a;
	hist_merge(&sum, &b);
	assert_int_equal(hist_count(&sum), 100);
	assert_true(hist_subtract(&sum, &a));
	assert_memory_equal(&sum, &b, sizeof(b));
}

static void what_goes_back_is_unknown(void **state)
{
	struct hist now, earlier;

	(void)state;
	hist_clear(&now);
	hist_clear(&earlier);
	hist_add(&now, 1);
	hist_add(&now, 7 * MS);
	hist_add(&earlier, 9 * MS);
	assert_false(hist_subtract(&now, &earlier));
	assert_int_equal(hist_count(&now), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_meet_without_gap_or_overlap),
		cmocka_unit_test(what_is_too_long_is_in_the_last),
		cmocka_unit_test(one_value_is_known_to_three_percent),
		cmocka_unit_test(empty_is_unknown),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(rare_and_long),
		cmocka_unit_test(negative_is_nothing),
		cmocka_unit_test(merge_and_subtract_undo_each_other),
		cmocka_unit_test(what_goes_back_is_unknown),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
