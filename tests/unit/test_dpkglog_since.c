/* test_dpkglog_since.c - the follower of dpkg.log, come in mid-run. */
#include "follow_fixture.h"

#include <time.h>

#define SECOND INT64_C(1000000000)
#define MINUTE 60
#define HOUR   3600
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

#define STAMPED(stamp, name) stamp " status installed " name ":all 1\n"
/* On one day, which has 24 hours everywhere. */
#define ON(time, name) STAMPED("2026-11-30 " time, name)

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

/* Seconds since 1970 of a time in UTC. */
static int64_t utc(const char *text)
{
	struct tm tm = {0};

	assert_non_null(strptime(text, "%Y-%m-%d %H:%M:%S", &tm));
	return timegm(&tm);
}

static void set_changed(const char *path, int64_t when)
{
	struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A log that was last changed at `changed`, UTC. */
static void store(const char *path, const char *text, const char *changed)
{
	append_text(path, text);
	set_changed(path, utc(changed));
}

/* Follows since `since` and reads at `at`, both UTC. */
static void come(struct fixture *f, const char *since, const char *at)
{
	follow_since(f, DPKGLOG_SINCE, utc(since) * SECOND);
	f->at.real_ns = utc(at) * SECOND;
}

static void expect_ago(const struct fixture *f, int n, const int64_t *ago)
{
	assert_int_equal(f->n, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(f->ago[i], ago[i]);
}

#define AGO(f, ...)                                                                                \
	expect_ago(f, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                   \
	           (const int64_t[]){__VA_ARGS__})

static void test_old_log(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	store(f->path,
	      "torn\n" STAMPED("2025-01-01 00:00:00", "old1") ON("12:59:59", "old2")
	              ON("13:00:00", "a") ON("13:00:00", "b") ON("13:01:00", "c"),
	      "2026-11-30 13:01:00");
	come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
	expect(f, "a b c ");
	AGO(f, 2 * MINUTE, 2 * MINUTE, MINUTE);
	append_text(f->path, ON("13:02:30", "d"));
	f->at.real_ns += 30 * SECOND;
	expect_woken(f, "d ");
	AGO(f, 0);
	assert_int_equal(dpkglog_skipped(f->log), 0);
}

/* The stamp was cut to the second in which the run began. */
static void test_never_before_since(void **state)
{
	struct fixture *f = *state;
	int64_t since;

	zone("UTC0");
	store(f->path, ON("13:00:04", "old") ON("13:00:05", "a") ON("13:00:10", "b"),
	      "2026-11-30 13:00:10");
	since = utc("2026-11-30 13:00:05") * SECOND + 2 * SECOND / 3;
	follow_since(f, DPKGLOG_SINCE, since);
	f->at.real_ns = since + 3 * SECOND;
	expect(f, "a b ");
	/* And the second was stamped after we came, so it seems. */
	AGO(f, 3, 0);
}

static void test_all_is_old(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	store(f->path, ON("12:00:00", "a") ON("12:00:01", "b") "2026-11-30 12:00:02 sta",
	      "2026-11-30 12:00:02");
	come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
	expect(f, "");
	/* The half line is whole now. */
	append_text(f->path, "tus installed c:all 1\n" ON("13:02:00", "d"));
	expect_woken(f, "c d ");
	AGO(f, 0, 0);
	assert_int_equal(dpkglog_skipped(f->log), 0);
}

static void test_no_log_yet(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	come(f, "2026-11-30 13:00:00", "2026-11-30 13:02:00");
	assert_int_equal(dpkglog_why(f->log), -ENOENT);
	append_text(f->path, ON("12:00:00", "a"));
	expect_woken(f, "a ");
	AGO(f, 0);
}

/* --- long logs -------------------------------------------------------------------------------- */

/* `count` lines of 200 bytes, each a second later than the one before; when the last was. */
static int64_t store_many(struct fixture *f, int count, int64_t begin)
{
	FILE *out = fopen(f->path, "ae");

	assert_non_null(out);
	for (int i = 0; i < count; i++) {
		time_t t = (time_t)begin + i;
		char stamp[32];
		struct tm tm;

		strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", gmtime_r(&t, &tm));
		fprintf(out, "%s startup archives %0162d\n", stamp, i);
	}
	fclose(out);
	set_changed(f->path, begin + count - 1);
	return begin + count - 1;
}

struct counted {
	int lines;
	int64_t ago, first_ago;
};

static void count(void *context, const struct event *e)
{
	struct counted *c = context;

	if (!c->lines++)
		c->first_ago = c->ago = e->package.ago_ns;
	assert_true(e->package.ago_ns >= 0 && e->package.ago_ns <= c->ago);
	c->ago = e->package.ago_ns;
}

/* Runs of each length: found by the first look back, by the second, by the third. */
static void test_long_runs(void **state)
{
	static const int lengths[] = {0, 1, 100, 655, 656, 3000, 5300, 20000, 41000};
	const int lines = 50000;
	struct fixture *f = *state;
	int64_t end;

	zone("UTC0");
	end = store_many(f, lines, utc("2026-11-29 13:00:00"));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct counted c = {0};

		follow_since(f, DPKGLOG_SINCE, (end + 1 - lengths[i]) * SECOND);
		f->at.real_ns = (end + 7) * SECOND;
		assert_int_equal(dpkglog_read(f->log, &f->at, count, &c), lengths[i]);
		assert_int_equal(c.lines, lengths[i]);
		if (lengths[i]) {
			assert_int_equal(c.first_ago, (lengths[i] + 6) * SECOND);
			assert_int_equal(c.ago, 7 * SECOND);
		}
		assert_int_equal(dpkglog_skipped(f->log), 0);
		dpkglog_close(f->log);
		f->log = NULL;
	}
}

/* Of a longer one the last 8 MiB, from the first whole line on. */
static void test_longer_than_is_looked_at(void **state)
{
	const int lines = 50000, got = (8 << 20) / 200;
	struct fixture *f = *state;
	struct counted c = {0};
	int64_t begin = utc("2026-11-29 13:00:00"), end;

	zone("UTC0");
	end = store_many(f, lines, begin);
	follow_since(f, DPKGLOG_SINCE, begin * SECOND);
	f->at.real_ns = end * SECOND;
	assert_int_equal(dpkglog_read(f->log, &f->at, count, &c), got);
	assert_int_equal(c.first_ago, (got - 1) * SECOND);
	assert_int_equal(c.ago, 0);
	assert_int_equal(dpkglog_skipped(f->log), 0);
}

/* --- rotation --------------------------------------------------------------------------------- */

static void test_rotated_in_mid_run(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	store(f->old, ON("12:00:00", "old") ON("13:00:00", "a") ON("13:00:10", "b"),
	      "2026-11-30 13:00:10");
	store(f->path, ON("13:01:00", "c"), "2026-11-30 13:01:00");
	come(f, "2026-11-30 12:59:00", "2026-11-30 13:02:00");
	expect(f, "a b c ");
	AGO(f, 2 * MINUTE, 110, MINUTE);
	/* The dpkg from before goes on writing there, the next one here. */
	append_text(f->old, ON("13:02:00", "d"));
	expect_woken(f, "d ");
	append_text(f->path, ON("13:02:00", "e"));
	expect_woken(f, "e ");
	AGO(f, 0);
}

static void test_rotated_and_still_empty(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	store(f->old, ON("13:00:00", "a"), "2026-11-30 13:00:00");
	store(f->path, "", "2026-11-30 13:00:01");
	come(f, "2026-11-30 12:59:00", "2026-11-30 13:02:00");
	expect(f, "a ");
	AGO(f, 2 * MINUTE);
}

static void test_rotated_long_ago(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	/* Stamps of the future do not make it of this run. */
	store(f->old, ON("23:00:00", "future"), "2026-11-01 00:00:00");
	store(f->path, ON("13:00:00", "a"), "2026-11-30 13:00:00");
	come(f, "2026-11-30 12:59:00", "2026-11-30 13:02:00");
	expect(f, "a ");
	append_text(f->old, ON("13:02:00", "d"));
	expect(f, "");
}

/* Seen before the first read: what was old stays old, the new file is new. */
static void test_rotated_while_coming(void **state)
{
	struct fixture *f = *state;

	zone("UTC0");
	store(f->path, ON("13:00:00", "a"), "2026-11-30 13:00:00");
	come(f, "2026-11-30 12:59:00", "2026-11-30 13:02:00");
	assert_int_equal(rename(f->path, f->old), 0);
	append_text(f->path, ON("13:02:00", "b"));
	expect(f, "a b ");
	AGO(f, 2 * MINUTE, 0);
	/* Truncated in place, all is new. */
	assert_int_equal(truncate(f->old, 0), 0);
	expect(f, "");
	append_text(f->old, ON("13:00:00", "c"));
	expect(f, "c ");
	AGO(f, 0);
}

/* --- zones and clocks ------------------------------------------------------------------------- */

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
	static const char *const changed[] = {"2026-11-30 13:07:00", "2026-12-02 13:00:00",
	                                      "2026-11-28 13:00:00", "2026-11-30 12:59:00"};
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(test_old_log),
		FOLLOW_TEST(test_never_before_since),
		FOLLOW_TEST(test_all_is_old),
		FOLLOW_TEST(test_no_log_yet),
		FOLLOW_TEST(test_long_runs),
		FOLLOW_TEST(test_longer_than_is_looked_at),
		FOLLOW_TEST(test_rotated_in_mid_run),
		FOLLOW_TEST(test_rotated_and_still_empty),
		FOLLOW_TEST(test_rotated_long_ago),
		FOLLOW_TEST(test_rotated_while_coming),
		FOLLOW_TEST(test_other_zones),
		FOLLOW_TEST(test_touched_log),
		FOLLOW_TEST(test_stamps_go_back),
		FOLLOW_TEST(test_stamps_that_are_none),
		FOLLOW_TEST(test_hour_that_is_repeated),
		FOLLOW_TEST(test_hour_that_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
