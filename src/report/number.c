/* number.c - numbers for machines to read. */
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* `scaled` in units of 10^-decimals; `strip`: without zeros at the end. */
static struct number_text written(int64_t scaled, int decimals, bool strip)
{
	struct number_text text;
	uint64_t all = scaled < 0 ? -(uint64_t)scaled : (uint64_t)scaled, unit = 1;
	size_t len;

	for (int i = 0; i < decimals; i++)
		unit *= 10;
	if (!decimals)
		snprintf(text.s, sizeof(text.s), "%s%" PRIu64, scaled < 0 ? "-" : "", all);
	else
		snprintf(text.s, sizeof(text.s), "%s%" PRIu64 ".%0*" PRIu64, scaled < 0 ? "-" : "",
		         all / unit, decimals, all % unit);
	if (!strip || !decimals)
		return text;
	len = strlen(text.s);
	while (text.s[len - 1] == '0')
		len--;
	if (text.s[len - 1] == '.')
		len--;
	text.s[len] = '\0';
	return text;
}

static int64_t rounded_thousandth(int64_t n)
{
	return n / 1000 + (n % 1000 >= 500) - (n % 1000 <= -500);
}

struct number_text number_seconds(int64_t ns)
{
	if (ns == UNKNOWN_NS)
		return (struct number_text){""};
	return written(rounded_thousandth(ns), 6, true);
}

struct number_text number_micros(int64_t ns)
{
	if (ns == UNKNOWN_NS)
		return (struct number_text){""};
	return written(ns, 3, true);
}

/* Half a unit away from zero; `value` is far below 2^63. */
static int64_t rounded(double value)
{
	return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* The most that has room for six decimals. */
#define DECIMALS_MOST 1e12

struct number_text number_plain(double value)
{
	if (!isfinite(value) || fabs(value) > 9e18)
		return (struct number_text){""};
	if (fabs(value) > DECIMALS_MOST)
		return written(rounded(value), 0, true);
	return written(rounded(value * 1e6), 6, true);
}

struct number_text number_fixed(double value, int decimals)
{
	double unit = 1;

	if (!isfinite(value) || fabs(value) > DECIMALS_MOST)
		return (struct number_text){"-"};
	for (int i = 0; i < decimals; i++)
		unit *= 10;
	return written(rounded(value * unit), decimals, false);
}

struct units_text number_ascii(struct units_text text)
{
	static const char *const from[] = {"–", "µ"};
	static const char to[] = {'-', 'u'};

	for (int i = 0; i < 2; i++) {
		char *at = strstr(text.s, from[i]);

		if (!at)
			continue;
		*at = to[i];
		memmove(at + 1, at + strlen(from[i]), strlen(at + strlen(from[i])) + 1);
	}
	return text;
}
