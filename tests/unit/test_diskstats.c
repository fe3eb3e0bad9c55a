/* test_diskstats.c - lines of /proc/diskstats, old, new, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/diskstats.h"
#include "dpkgtop/units.h"

#define COLUMNS_14 "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11"

static int parse(const char *line, struct disk_counters *ret)
{
	return diskstats_parse_line(line, strlen(line), ret);
}

static void names_every_column(void **state)
{
	struct disk_counters d;

	(void)state;
	assert_int_equal(parse(COLUMNS_14 " 12 13 14 15 16 17", &d), 0);
	assert_string_equal(d.name, "sda");
	assert_int_equal(d.major, 8);
	assert_int_equal(d.minor, 0);
	assert_int_equal(d.reads, 1);
	assert_int_equal(d.reads_merged, 2);
	assert_int_equal(d.read_sectors, 3);
	assert_int_equal(d.read_ms, 4);
	assert_int_equal(d.writes, 5);
	assert_int_equal(d.writes_merged, 6);
	assert_int_equal(d.written_sectors, 7);
	assert_int_equal(d.write_ms, 8);
	assert_int_equal(d.in_flight, 9);
	assert_int_equal(d.busy_ms, 10);
	assert_int_equal(d.queue_ms, 11);
	assert_int_equal(d.discards, 12);
	assert_int_equal(d.discards_merged, 13);
	assert_int_equal(d.discarded_sectors, 14);
	assert_int_equal(d.discard_ms, 15);
	assert_int_equal(d.flushes, 16);
	assert_int_equal(d.flush_ms, 17);
}

/* Each further column is known from its own count on, and unknown before. */
static void missing_columns_are_unknown(void **state)
{
	static const size_t later[] = {
		offsetof(struct disk_counters, discards),
		offsetof(struct disk_counters, discards_merged),
		offsetof(struct disk_counters, discarded_sectors),
		offsetof(struct disk_counters, discard_ms),
		offsetof(struct disk_counters, flushes),
		offsetof(struct disk_counters, flush_ms),
	};
	char line[256] = COLUMNS_14;

	(void)state;
	for (size_t columns = 14; columns <= 24; columns++) {
		struct disk_counters d;

		assert_int_equal(parse(line, &d), 0);
		assert_int_equal(d.queue_ms, 11);
		for (size_t i = 0; i < 6; i++) {
			uint64_t value = *(uint64_t *)((char *)&d + later[i]);

			assert_true(value == (i < columns - 14 ? 12 + i : UNKNOWN_U64));
		}
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %zu", columns - 2);
	}
}

static void refuses_damaged_lines(void **state)
{
	static const char *const damaged[] = {
		"",
		"   ",
		"sda",
		"8 0",
		"8 0 sda",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 x",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 -1",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 1.5",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 18446744073709551616",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 99999999999999999999999",
		"x 0 sda 1 2 3 4 5 6 7 8 9 10 11",
		"8 4294967296 sda 1 2 3 4 5 6 7 8 9 10 11",
		"8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1?",
		"8 0 an-ever-so-long-name-of-32-bytes 1 2 3 4 5 6 7 8 9 10 11",
	};
	struct disk_counters d = {.reads = 77};

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		assert_int_equal(parse(damaged[i], &d), -EBADMSG);
	assert_int_equal(d.reads, 77);
}

static void takes_extremes(void **state)
{
	struct disk_counters d;

	(void)state;
	assert_int_equal(parse("8\t0 a-long-name-that-has-31-bytes-x 1 2 3 4 5 6 7 8 9 10 "
	                       "18446744073709551615",
	                       &d),
	                 0);
	assert_string_equal(d.name, "a-long-name-that-has-31-bytes-x");
	assert_int_equal(strlen(d.name), 31);
	assert_true(d.queue_ms == UINT64_MAX);
	assert_int_equal(parse("8 0 s\033[31m 1 2 3 4 5 6 7 8 9 10 11", &d), 0);
	assert_string_equal(d.name, "s?[31m");
}

/* The line's length is the limit, not a terminator behind it. */
static void stops_at_the_length(void **state)
{
	struct disk_counters d;
	const char *line = COLUMNS_14 " 12";

	(void)state;
	assert_int_equal(diskstats_parse_line(line, strlen(COLUMNS_14), &d), 0);
	assert_true(d.discards == UNKNOWN_U64);
	assert_int_equal(diskstats_parse_line(line, strlen(COLUMNS_14) - 3, &d), -EBADMSG);
}

static void parses_a_file(void **state)
{
	static const char text[] = COLUMNS_14 " 0 0 0 0 40 41\n"
					      "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
					      "7 1 loop1 0 0 0 0 0 0 0 0 0 0 0\n"
					      "garbage\n"
					      "\n"
					      "7 2 loop2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0\n"
					      "8 16 sdb 9 2 3 4 5 6 7 8 9 10 11";
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_int_equal(diskstats_parse(text, strlen(text), &s), 1);
	assert_int_equal(s.n_disks, 3);
	assert_string_equal(s.disks[0].name, "sda");
	assert_int_equal(s.disks[0].flush_ms, 41);
	assert_string_equal(s.disks[1].name, "loop2");
	assert_string_equal(s.disks[2].name, "sdb");
	assert_int_equal(s.disks[2].reads, 9);
	assert_int_equal(diskstats_parse("", 0, &s), 0);
	assert_int_equal(s.n_disks, 3);
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_every_column),
		cmocka_unit_test(missing_columns_are_unknown),
		cmocka_unit_test(refuses_damaged_lines),
		cmocka_unit_test(takes_extremes),
		cmocka_unit_test(stops_at_the_length),
		cmocka_unit_test(parses_a_file),
	};

	return cmocka_run_group_tests_name("diskstats", tests, NULL, NULL);
}
