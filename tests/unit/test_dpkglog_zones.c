/* test_dpkglog_zones.c - lines from before we came: other zones, clocks that jump. */
#include "since_fixture.h"

#define HOUR   3600
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

static void test_other_zones(void **state)
{
	/* What a clock there showed at 13:00 UTC of the day; -2 h 30 is Newfoundland's summer. */
	static const char *const logs[] = {
		STAMPED("2026-11-30 21:59:00", "old") STAMPED("2026-11-30 22:00:00", "a")
			STAMPED("2026-11-30 22:00:10", "b"),
		STAMPED("2026-11-30 18:44:00", "old") STAMPED("2026-11-30 18:45:00", "a")
			STAMPED("2026-11-30 18:45:10", "b"),
		STAMPED("2026-11-30 10:29:00", "old") STAMPED("2026-11-30 10:30:00", "a")
			STAMPED("2026-11-30 10:30:10", "b"),
		STAMPED("2026-12-01 02:59:00", "old") STAMPED("2026-12-01 03:00:00", "a")
			STAMPED("2026-12-01 03:00:10", "b"),
		STAMPED("2026-11-30 00:59:00", "old") STAMPED("2026-11-30 01:00:00", "a")
			STAMPED("2026-11-30 01:00:10", "b"),
		ON("12:59:00", "old") ON("13:00:00", "a") ON("13:00:10", "b"),
	};
	static const char *const ours[] = {"UTC0", BERLIN, "NPT-5:45", "HST10"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		for (size_t k = 0; k < sizeof(ours) / sizeof(*ours); k++) {
			zone(ours[k]);
			unlink(f->path);
			store(f->path, logs[i], "2026-11-30 13:00:11");
			come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
			expect(f, "a b ");
			AGO(f, 120, 110);
			dpkglog_close(f->log);
			f->log = NULL;
		}
	}
}

/* A time of change that no zone explains says nothing: the log was touched, or copied. */
static void test_touched_log(void **state)
{
	static const char *const changed[] = {"2026-11-30 13:07:00", "2026-11-30 13:20:00",
	                                      "2026-12-02 13:00:00", "2026-11-28 13:00:00",
	                                      "2026-11-30 12:59:00"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
		zone(BERLIN);
		unlink(f->path);
		store(f->path, ON("13:59:00", "old") ON("14:00:00", "a"), changed[i]);
		come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
		expect(f, "a ");
		AGO(f, 120);
		dpkglog_close(f->log);
		f->log = NULL;
	}
}

static void test_stamps_go_back(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	/* A clock that was years ahead, an earlier run, and in this one a clock that is set back
	 * twice and is once ahead of us. */
	store(f->path,
	      STAMPED("2031-01-01 00:00:00", "future") ON("12:00:00", "old") ON("13:10:00", "a")
	              ON("13:05:00", "b") ON("13:12:00", "c") ON("13:11:59", "d")
	                      ON("13:30:00", "e") ON("13:13:00", "f"),
	      "2026-11-30 13:13:00");
	come(f, "2026-11-30 13:04:00", "2026-11-30 13:20:00");
	expect(f, "a b c d e f ");
	AGO(f, 600, 600, 480, 480, 0, 0);
}

static void test_stamps_that_are_none(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	store(f->path,
	      ON("12:00:00", "old") STAMPED("9999-12-31 23:59:60", "a")
	              STAMPED("2026-13-99 99:99:99", "b") STAMPED("0000-00-00 00:00:00", "c")
	                      ON("13:01:00", "d"),
	      "2026-11-30 13:01:00");
	come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
	expect(f, "a b c d ");
	AGO(f, 0, 0, 0, 0);
	dpkglog_close(f->log);
	/* Years that nanoseconds can not tell. */
	unlink(f->path);
	store(f->path, STAMPED("0001-01-01 00:00:00", "a") STAMPED("9999-12-31 23:59:59", "b"),
	      "2026-11-30 13:01:00");
	come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
	expect(f, "b ");
	AGO(f, 0);
	dpkglog_close(f->log);
	follow_since(f, DPKGLOG_SINCE, INT64_MIN / 2);
	expect(f, "b ");
	AGO(f, 0);
}

#define AUTUMN(time, name) STAMPED("2026-10-25 " time, name)

/* Summer time ends at 01:00 UTC: 02:59:59 is followed by 02:00:00. */
static void test_hour_that_is_repeated(void **state)
{
	struct fixture *f = *state;

	zone(BERLIN);
	store(f->path,
	      AUTUMN("01:50:00", "old") AUTUMN("02:10:00", "a") AUTUMN("02:50:00", "b")
	              AUTUMN("02:05:00", "c") AUTUMN("02:55:00", "d") AUTUMN("03:05:00", "e"),
	      "2026-10-25 02:05:00");
	come(f, "2026-10-25 00:00:00", "2026-10-25 02:10:00");
	expect(f, "a b c d e ");
	AGO(f, 2 * HOUR, 80 * MINUTE, 65 * MINUTE, 15 * MINUTE, 5 * MINUTE);
	dpkglog_close(f->log);
	/* All in it, and the run in its second half. */
	unlink(f->path);
	store(f->path, AUTUMN("02:40:00", "old") AUTUMN("02:10:00", "a") AUTUMN("02:20:00", "b"),
	      "2026-10-25 01:20:00");
	come(f, "2026-10-25 01:10:00", "2026-10-25 01:30:00");
	expect(f, "a b ");
	AGO(f, 20 * MINUTE, 10 * MINUTE);
}

/* West of Greenwich: ends at 06:00 UTC, 01:59:59 is followed by 01:00:00. */
static void test_hour_that_is_repeated_in_the_west(void **state)
{
	struct fixture *f = *state;

	zone("EST5EDT,M3.2.0,M11.1.0");
	store(f->path,
	      STAMPED("2026-11-01 00:50:00", "old") STAMPED("2026-11-01 01:50:00", "a")
	              STAMPED("2026-11-01 01:10:00", "b") STAMPED("2026-11-01 02:00:00", "c"),
	      "2026-11-01 07:00:00");
	come(f, "2026-11-01 05:30:00", "2026-11-01 07:00:00");
	expect(f, "a b c ");
	AGO(f, 70 * MINUTE, 50 * MINUTE, 0);
}

#define SPRING(time, name) STAMPED("2026-03-29 " time, name)

/* And begins at 01:00 UTC: 01:59:59 is followed by 03:00:00. */
static void test_hour_that_is_left_out(void **state)
{
	struct fixture *f = *state;

	zone(BERLIN);
	store(f->path,
	      SPRING("01:40:00", "old") SPRING("01:50:00", "a") SPRING("03:10:00", "b")
	              SPRING("02:30:00", "never") SPRING("03:20:00", "c"),
	      "2026-03-29 01:20:00");
	come(f, "2026-03-29 00:45:00", "2026-03-29 01:30:00");
	expect(f, "a b never c ");
	AGO(f, 40 * MINUTE, 20 * MINUTE, 20 * MINUTE, 10 * MINUTE);
	dpkglog_close(f->log);
	/* Nothing else is there to tell the time. */
	unlink(f->path);
	store(f->path, SPRING("02:30:00", "never"), "2026-03-29 05:20:00");
	come(f, "2026-03-29 00:45:00", "2026-03-29 01:30:00");
	expect(f, "never ");
	AGO(f, 45 * MINUTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(test_other_zones),
		FOLLOW_TEST(test_touched_log),
		FOLLOW_TEST(test_stamps_go_back),
		FOLLOW_TEST(test_stamps_that_are_none),
		FOLLOW_TEST(test_hour_that_is_repeated),
		FOLLOW_TEST(test_hour_that_is_repeated_in_the_west),
		FOLLOW_TEST(test_hour_that_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
