/* dpkglog_time.c - the stamps of dpkg.log as instants. */
#include "dpkglog_time.h"

#include <string.h>
#include <time.h>

#define DAY 86400
/* Zones are from 12 hours behind UTC to 14 ahead of it, in quarters of an hour. */
#define QUARTER     900
#define MOST_BEHIND (-12 * 3600)
#define MOST_AHEAD  (14 * 3600)
/* dpkg takes the time just before it writes; a disk that is behind may hold up the writing. */
#define LATE_MAX 60

static int number(const char *digits, int count)
{
	int n = 0;

	for (int i = 0; i < count; i++)
		n = n * 10 + digits[i] - '0';
	return n;
}

static bool stamp_parse(const char *line, size_t len, struct tm *ret)
{
	static const char form[] = "dddd-dd-dd dd:dd:dd";

	if (len < LOG_STAMP)
		return false;
	for (int i = 0; i < LOG_STAMP; i++) {
		bool digit = line[i] >= '0' && line[i] <= '9';

		if (form[i] == 'd' ? !digit : line[i] != form[i])
			return false;
	}
	*ret = (struct tm){
		.tm_year = number(line, 4) - 1900,
		.tm_mon = number(line + 5, 2) - 1,
		.tm_mday = number(line + 8, 2),
		.tm_hour = number(line + 11, 2),
		.tm_min = number(line + 14, 2),
		.tm_sec = number(line + 17, 2),
	};
	return ret->tm_mon >= 0 && ret->tm_mon < 12 && ret->tm_mday >= 1 && ret->tm_mday <= 31 &&
	       ret->tm_hour < 24 && ret->tm_min < 60 && ret->tm_sec <= 60;
}

/* Seconds that our zone is ahead of UTC at an instant. localtime_r(3), unlike mktime(3), does not
 * look at /etc/localtime each time. */
static int64_t ahead_at(int64_t instant)
{
	time_t t = (time_t)instant;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

/* `wall` is the stamp read as if it were UTC. What holds a day before and a day after are the two
 * readings to try; only in the hour that a change repeats both are right. In the one that a change
 * leaves out none is: no clock of our zone showed that, and it says nothing. */
static bool instant_here(int64_t wall, struct log_instant *ret)
{
	int64_t before = ahead_at(wall - DAY), after = ahead_at(wall + DAY);
	int64_t first = wall - before, second = wall - after;
	bool is_first = ahead_at(first) == before, is_second = ahead_at(second) == after;

	if (!is_first && !is_second)
		return false;
	/* Both only if the clock was set back, so that they are in order. */
	*ret = (struct log_instant){is_first ? first : second, is_second ? second : first};
	return true;
}

static bool instant_of(const struct log_clock *c, int64_t wall, struct log_instant *ret)
{
	if (!c->foreign)
		return instant_here(wall, ret);
	*ret = (struct log_instant){wall - c->offset, wall - c->offset};
	return true;
}

bool log_clock_read(struct log_clock *c, const char *line, size_t len, struct log_instant *ret)
{
	struct tm tm;

	if (!stamp_parse(line, len, &tm))
		return false;
	if (!c->any || memcmp(line, c->minute, LOG_MINUTE) != 0) {
		struct tm minute = tm;

		minute.tm_sec = 0;
		c->shown = instant_of(c, timegm(&minute), &c->begin);
		memcpy(c->minute, line, LOG_MINUTE);
		c->any = true;
	}
	*ret = (struct log_instant){c->begin.first + tm.tm_sec, c->begin.second + tm.tm_sec};
	return c->shown;
}

/* What came so much later than the stamp was not this line's writing. */
static bool is_writing(int64_t late)
{
	return late >= -1 && late <= LATE_MAX;
}

bool log_clock_learn(struct log_clock *c, const char *line, size_t len, int64_t changed)
{
	struct log_instant here;
	struct tm tm;
	int64_t wall, offset;

	if (!stamp_parse(line, len, &tm))
		return false;
	tzset();
	*c = (struct log_clock){0};
	wall = timegm(&tm);
	if (instant_here(wall, &here) &&
	    (is_writing(changed - here.first) || is_writing(changed - here.second)))
		return true;
	/* To the nearest quarter; a day is added since division rounds towards 0. */
	offset = (wall - changed + DAY + QUARTER / 2) / QUARTER * QUARTER - DAY;
	if (offset < MOST_BEHIND || offset > MOST_AHEAD || !is_writing(changed + offset - wall))
		return true;
	c->foreign = true;
	c->offset = offset;
	return true;
}
