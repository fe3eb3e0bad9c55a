/* test_units.c - numbers as short text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#define MS 1000000LL
#define S  (1000 * MS)
#define M  (60 * S)
#define H  (60 * M)

static void bytes(void **state)
{
	(void)state;
	assert_string_equal(units_bytes(0).s, "0 B");
	assert_string_equal(units_bytes(-0.0).s, "0 B");
	assert_string_equal(units_bytes(1).s, "1 B");
	assert_string_equal(units_bytes(942).s, "942 B");
	assert_string_equal(units_bytes(999.4).s, "999 B");
	assert_string_equal(units_bytes(999.5).s, "1.0 kB");
	assert_string_equal(units_bytes(1000).s, "1.0 kB");
	assert_string_equal(units_bytes(9949).s, "9.9 kB");
	assert_string_equal(units_bytes(9951).s, "10 kB");
	assert_string_equal(units_bytes(999400).s, "999 kB");
	assert_string_equal(units_bytes(999600).s, "1.0 MB");
	assert_string_equal(units_bytes(38e6).s, "38 MB");
	assert_string_equal(units_bytes(999.6e6).s, "1.0 GB");
	assert_string_equal(units_bytes(1.24e9).s, "1.2 GB");
	assert_string_equal(units_bytes(2.5e12).s, "2.5 TB");
	assert_string_equal(units_bytes(18446744073709551615.0).s, "18 EB");
	assert_string_equal(units_bytes(1e30).s, ">999 EB");
	assert_string_equal(units_byte_rate(0).s, "0 B/s");
	assert_string_equal(units_byte_rate(38e6).s, "38 MB/s");
	assert_string_equal(units_byte_rate(999.6e3).s, "1.0 MB/s");
}

static void counts(void **state)
{
	(void)state;
	assert_string_equal(units_count(0).s, "0");
	assert_string_equal(units_count(926).s, "926");
	assert_string_equal(units_count(999).s, "999");
	assert_string_equal(units_count(1000).s, "1,000");
	assert_string_equal(units_count(41200).s, "41,200");
	assert_string_equal(units_count(1002003).s, "1,002,003");
	assert_string_equal(units_count(9999999).s, "9,999,999");
	assert_string_equal(units_count(10000000).s, "10M");
	assert_string_equal(units_count(999600000).s, "1.0G");
	assert_string_equal(units_count(UNKNOWN_U64 - 1).s, "18E");
}

static void rates(void **state)
{
	(void)state;
	assert_string_equal(units_rate(0).s, "0/s");
	assert_string_equal(units_rate(-0.0).s, "0/s");
	assert_string_equal(units_rate(0.01).s, "0.0/s");
	assert_string_equal(units_rate(3.4).s, "3.4/s");
	assert_string_equal(units_rate(9.96).s, "10/s");
	assert_string_equal(units_rate(312).s, "312/s");
	assert_string_equal(units_rate(999.6).s, "1.0k/s");
	assert_string_equal(units_rate(1234).s, "1.2k/s");
}

static void percents(void **state)
{
	(void)state;
	assert_string_equal(units_percent(0).s, "0%");
	assert_string_equal(units_percent(-0.0).s, "0%");
	assert_string_equal(units_percent(1e-9).s, "<1%");
	assert_string_equal(units_percent(0.0049).s, "<1%");
	assert_string_equal(units_percent(0.0051).s, "1%");
	assert_string_equal(units_percent(0.31).s, "31%");
	assert_string_equal(units_percent(511 / 512.0).s, "99%");
	assert_string_equal(units_percent(0.1 * 3 + 0.7).s, "100%");
	assert_string_equal(units_percent(1 - 1e-15).s, "100%");
	assert_string_equal(units_percent(1).s, "100%");
	assert_string_equal(units_percent(2.5).s, "250%");
	assert_string_equal(units_percent(1e6).s, ">9999%");
}

static void seconds(void **state)
{
	(void)state;
	assert_string_equal(units_seconds(0).s, "0");
	assert_string_equal(units_seconds(1).s, "0.0s");
	assert_string_equal(units_seconds(50 * MS - 1).s, "0.0s");
	assert_string_equal(units_seconds(50 * MS).s, "0.1s");
	assert_string_equal(units_seconds(300 * MS).s, "0.3s");
	assert_string_equal(units_seconds(960 * MS).s, "1.0s");
	assert_string_equal(units_seconds(41200 * MS).s, "41.2s");
	assert_string_equal(units_seconds(83 * S).s, "83.0s");
	assert_string_equal(units_seconds(185600 * MS).s, "185.6s");
	assert_string_equal(units_seconds(1000 * S - 51 * MS).s, "999.9s");
	assert_string_equal(units_seconds(1000 * S - 50 * MS).s, "16m40");
	assert_string_equal(units_seconds(17 * M + 5 * S).s, "17m05");
	assert_string_equal(units_seconds(H - 501 * MS).s, "59m59");
	assert_string_equal(units_seconds(H - 500 * MS).s, "1h00");
	assert_string_equal(units_seconds(2 * H + 5 * M).s, "2h05");
	assert_string_equal(units_seconds(2 * H - 30 * S).s, "2h00");
	assert_string_equal(units_seconds(100 * H - 31 * S).s, "99h59");
	assert_string_equal(units_seconds(100 * H - 30 * S).s, "100h");
	assert_string_equal(units_seconds(9999 * H).s, "9999h");
	assert_string_equal(units_seconds(INT64_MAX).s, ">9999h");
}

static void latencies(void **state)
{
	(void)state;
	assert_string_equal(units_latency(0).s, "0");
	assert_string_equal(units_latency(850).s, "850ns");
	assert_string_equal(units_latency(999.6).s, "1.0µs");
	assert_string_equal(units_latency(310e3).s, "310µs");
	assert_string_equal(units_latency(999.6e3).s, "1.0ms");
	assert_string_equal(units_latency(2.1e6).s, "2.1ms");
	assert_string_equal(units_latency(18e6).s, "18ms");
	assert_string_equal(units_latency(999.6e6).s, "1.0s");
	assert_string_equal(units_latency(1.2e9).s, "1.2s");
	assert_string_equal(units_latency(61e9).s, "61s");
	assert_string_equal(units_latency(1000e9).s, "16m40");
	assert_string_equal(units_latency(1e30).s, ">9999h");
}

static void clocks(void **state)
{
	(void)state;
	assert_string_equal(units_clock(0).s, "0:00:00");
	assert_string_equal(units_clock(83 * S).s, "0:01:23");
	assert_string_equal(units_clock(84 * S - 1).s, "0:01:23");
	assert_string_equal(units_clock(25 * H + 2 * M + 3 * S).s, "25:02:03");
	assert_string_equal(units_clock(INT64_MAX).s, "2562047:47:16");
	assert_string_equal(units_left(0).s, "0:00");
	assert_string_equal(units_left(41 * S).s, "0:41");
	assert_string_equal(units_left(H - 1).s, "59:59");
	assert_string_equal(units_left(H).s, "1:00:00");
	assert_string_equal(units_left(H + 2 * M + 3 * S).s, "1:02:03");
}

static void unknown_is_not_zero(void **state)
{
	static const double values[] = {NAN, -1, -1e-9, INFINITY, -INFINITY};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		assert_string_equal(units_bytes(values[i]).s, "–");
		assert_string_equal(units_byte_rate(values[i]).s, "–");
		assert_string_equal(units_rate(values[i]).s, "–");
		assert_string_equal(units_percent(values[i]).s, "–");
		assert_string_equal(units_latency(values[i]).s, "–");
	}
	assert_string_equal(units_count(UNKNOWN_U64).s, "–");
	assert_string_equal(units_seconds(UNKNOWN_NS).s, "–");
	assert_string_equal(units_clock(UNKNOWN_NS).s, "–");
	assert_string_equal(units_left(UNKNOWN_NS).s, "–");
	assert_string_equal(units_seconds(-1).s, "–");
	assert_string_equal(units_clock(-1).s, "–");
	assert_string_equal(units_left(-1).s, "–");
}

static void assert_narrow(struct units_text text, int columns)
{
	assert_non_null(memchr(text.s, '\0', sizeof(text.s)));
	assert_in_range(text_width(text.s), 1, columns);
	/* No unit is ever used up to its thousand. */
	assert_null(strstr(text.s, "1000"));
}

static void stays_narrow(void **state)
{
	(void)state;
	for (double value = 1e-6; value < 1e25; value *= 1.0037) {
		assert_narrow(units_bytes(value), 7);
		assert_narrow(units_byte_rate(value), 9);
		assert_narrow(units_rate(value), 7);
		assert_narrow(units_latency(value), 6);
		if (value < 9.99)
			assert_narrow(units_percent(value), 6);
		if (value < 9e18) {
			assert_narrow(units_count((uint64_t)value), 9);
			assert_narrow(units_left((int64_t)value), 13);
		}
		/* Hours stand without a unit above them, up to 9999. */
		if (value < 999.0 * H)
			assert_narrow(units_seconds((int64_t)value), 6);
	}
	assert_in_range(text_width(units_seconds(INT64_MAX).s), 1, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes),        cmocka_unit_test(counts),
		cmocka_unit_test(rates),        cmocka_unit_test(percents),
		cmocka_unit_test(seconds),      cmocka_unit_test(latencies),
		cmocka_unit_test(clocks),       cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(stays_narrow),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "no C.UTF-8 locale\n");
		return 1;
	}
	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
