/* dpkglog_time.h - the stamps of dpkg.log as instants. */
#ifndef DPKGTOP_DPKGLOG_TIME_H
#define DPKGTOP_DPKGLOG_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the stamp "2026-11-30 13:29:00", all but the seconds. */
#define LOG_MINUTE 16
#define LOG_STAMP  19

/* The instants that one stamp may mean, CLOCK_REALTIME in seconds: they differ only in the hour
 * that the end of summer time repeats. */
struct log_instant {
	int64_t first, second;
};

/* How stamps of one file are read; zeroed, it takes them for this machine's local time. */
struct log_clock {
	bool foreign;   /* the zone is not ours */
	int64_t offset; /* seconds that it is ahead of UTC */
	/* The last minute that was converted: most lines share it with the one before. */
	bool any, shown; /* there is one; and a clock ever showed it */
	char minute[LOG_MINUTE];
	struct log_instant begin;
};

/* What the stamp at the beginning of `line` means. False if there is none, or it means nothing. */
bool log_clock_read(struct log_clock *c, const char *line, size_t len, struct log_instant *ret);

/* Learns the zone: the file was changed at `changed` (seconds) by the writing of `line`. If the
 * stamp is another time of day than ours then, by whole quarters of an hour, the zone is another.
 * False if there is no stamp. */
bool log_clock_learn(struct log_clock *c, const char *line, size_t len, int64_t changed);

#endif
