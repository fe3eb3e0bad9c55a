/* test_dpkglog_since.c - the follower of dpkg.log, come in mid-run. */
#include "since_fixture.h"

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
