/* units.c - numbers as short text for a screen. */
#include "dpkgtop/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NS_PER_S 1000000000LL

static const struct units_text unknown = {"–"};

static bool known(double value)
{
	return value >= 0 && !isinf(value);
}

/* `value` in the step where it has at most three digits, with one decimal below 10; the smallest
 * step may be `whole`, without decimals. Steps are left where the number would *round* to 1000,
 * not where it reaches it. */
static struct units_text scaled(double value, const char *const steps[], bool whole,
                                const char *tail)
{
	struct units_text text;
	int step = 0, decimals;

	while (value >= 999.5 && steps[step + 1]) {
		value /= 1000;
		step++;
	}
	if (value >= 999.5) {
		snprintf(text.s, sizeof(text.s), ">999%s%s", steps[step], tail);
		return text;
	}
	decimals = value < 9.95 && !(whole && step == 0);
	/* fabs(): zero may be negative. */
	snprintf(text.s, sizeof(text.s), "%.*f%s%s", decimals, fabs(value), steps[step], tail);
	return text;
}

static const char *const byte_steps[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB", NULL};
static const char *const plain_steps[] = {"", "k", "M", "G", "T", "P", "E", NULL};
static const char *const latency_steps[] = {"ns", "µs", "ms", "s", NULL};

struct units_text units_bytes(double bytes)
{
	return known(bytes) ? scaled(bytes, byte_steps, true, "") : unknown;
}

struct units_text units_byte_rate(double per_second)
{
	return known(per_second) ? scaled(per_second, byte_steps, true, "/s") : unknown;
}

struct units_text units_count(uint64_t count)
{
	struct units_text text;

	if (count == UNKNOWN_U64)
		return unknown;
	if (count >= 10000000)
		return scaled((double)count, plain_steps, true, "");
	if (count >= 1000000)
		snprintf(text.s, sizeof(text.s), "%" PRIu64 ",%03u,%03u", count / 1000000,
		         (unsigned)(count / 1000 % 1000), (unsigned)(count % 1000));
	else if (count >= 1000)
		snprintf(text.s, sizeof(text.s), "%" PRIu64 ",%03u", count / 1000,
		         (unsigned)(count % 1000));
	else
		snprintf(text.s, sizeof(text.s), "%" PRIu64, count);
	return text;
}

struct units_text units_rate(double per_second)
{
	if (!known(per_second))
		return unknown;
	return scaled(per_second, plain_steps, per_second == 0, "/s");
}

struct units_text units_percent(double part)
{
	struct units_text text;
	double percent = part * 100;

	if (!known(percent))
		return unknown;
	if (percent > 0 && percent < 0.5)
		return (struct units_text){"<1%"};
	if (percent >= 9999.5)
		return (struct units_text){">9999%"};
	/* Nearly all is not all; what double arithmetic loses of a whole is no part of it. */
	if (percent >= 99.5 && percent < 100 - 1e-9)
		return (struct units_text){"99%"};
	snprintf(text.s, sizeof(text.s), "%.0f%%", fabs(percent));
	return text;
}

/* Divides, rounding half up; `ns` is not negative. Adding half first could overflow. */
static int64_t rounded(int64_t ns, int64_t unit)
{
	return ns / unit + (ns % unit >= unit / 2);
}

struct units_text units_seconds(int64_t ns)
{
	struct units_text text;
	int64_t tenths, seconds, minutes;

	if (ns < 0)
		return unknown;
	if (ns == 0)
		return (struct units_text){"0"};
	tenths = rounded(ns, NS_PER_S / 10);
	seconds = rounded(ns, NS_PER_S);
	minutes = rounded(ns, 60 * NS_PER_S);
	if (tenths < 10000)
		snprintf(text.s, sizeof(text.s), "%" PRId64 ".%us", tenths / 10,
		         (unsigned)(tenths % 10));
	else if (seconds < 3600)
		snprintf(text.s, sizeof(text.s), "%" PRId64 "m%02u", seconds / 60,
		         (unsigned)(seconds % 60));
	else if (minutes < 100 * 60)
		snprintf(text.s, sizeof(text.s), "%" PRId64 "h%02u", minutes / 60,
		         (unsigned)(minutes % 60));
	else if (rounded(ns, 3600 * NS_PER_S) < 10000)
		snprintf(text.s, sizeof(text.s), "%" PRId64 "h", rounded(ns, 3600 * NS_PER_S));
	else
		return (struct units_text){">9999h"};
	return text;
}

struct units_text units_latency(double ns)
{
	if (!known(ns))
		return unknown;
	if (ns == 0)
		return (struct units_text){"0"};
	if (ns >= 999.5 * NS_PER_S)
		return units_seconds(ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX);
	return scaled(ns, latency_steps, true, "");
}

struct units_text units_clock(int64_t ns)
{
	struct units_text text;
	int64_t seconds = ns / NS_PER_S;

	if (ns < 0)
		return unknown;
	snprintf(text.s, sizeof(text.s), "%" PRId64 ":%02u:%02u", seconds / 3600,
	         (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
	return text;
}

struct units_text units_left(int64_t ns)
{
	struct units_text text;
	int64_t seconds = ns / NS_PER_S;

	if (ns < 0)
		return unknown;
	if (seconds >= 3600)
		return units_clock(ns);
	snprintf(text.s, sizeof(text.s), "%u:%02u", (unsigned)(seconds / 60),
	         (unsigned)(seconds % 60));
	return text;
}
