/* since_fixture.h - logs with lines from before we came. */
#ifndef SINCE_FIXTURE_H
#define SINCE_FIXTURE_H

#include "follow_fixture.h"

#include <time.h>

#define SECOND INT64_C(1000000000)
#define MINUTE 60

#define STAMPED(stamp, name) stamp " status installed " name ":all 1\n"
/* On one day, which has 24 hours everywhere. */
#define ON(time, name) STAMPED("2026-11-30 " time, name)

static inline void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

/* Seconds since 1970 of a time in UTC. */
static inline int64_t utc(const char *text)
{
	struct tm tm = {0};

	assert_non_null(strptime(text, "%Y-%m-%d %H:%M:%S", &tm));
	return timegm(&tm);
}

static inline void set_changed(const char *path, int64_t when)
{
	struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A log that was last changed at `changed`, UTC. */
static inline void store(const char *path, const char *text, const char *changed)
{
	append_text(path, text);
	set_changed(path, utc(changed));
}

/* Follows since `since` and reads at `at`, both UTC. */
static inline void come(struct fixture *f, const char *since, const char *at)
{
	follow_since(f, DPKGLOG_SINCE, utc(since) * SECOND);
	f->at.real_ns = utc(at) * SECOND;
}

static inline void expect_ago(const struct fixture *f, int n, const int64_t *ago)
{
	assert_int_equal(f->n, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(f->ago[i], ago[i]);
}

#define AGO(f, ...)                                                                                \
	expect_ago(f, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                   \
	           (const int64_t[]){__VA_ARGS__})

#endif
