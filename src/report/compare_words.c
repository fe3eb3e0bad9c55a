/* compare_words.c - values of a comparison as words. */
#include "compare_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Eight columns at most. */
struct number_text words_of_value(enum compare_unit unit, double value)
{
	struct number_text text;

	if (isnan(value))
		return (struct number_text){"-"};
	if (unit == COMPARE_SECONDS)
		return number_fixed(value, value < 9999.9995 ? 3 : 0);
	if (unit == COMPARE_BYTES)
		snprintf(text.s, sizeof(text.s), "%s", units_bytes(value).s);
	else if (value >= 999999.5 && value < 9999999.5)
		/* With commas it would be one column too wide. */
		return number_fixed(value, 0);
	else
		/* Medians of two counts may lie between them. */
		snprintf(text.s, sizeof(text.s), "%s", units_count((uint64_t)(value + 0.5)).s);
	return text;
}

struct number_text words_of_difference(enum compare_unit unit, double value)
{
	struct number_text text, size;

	if (isnan(value))
		return (struct number_text){"-"};
	size = words_of_value(unit, fabs(value));
	/* What is rounded to nothing has no sign. */
	if (!strpbrk(size.s, "123456789"))
		return size;
	snprintf(text.s, sizeof(text.s), "%s%.38s", value > 0 ? "+" : "-", size.s);
	return text;
}

struct number_text words_of_relative(const struct compare_value *v)
{
	struct number_text text = {""};

	if (v->noise == COMPARE_NOISE)
		return (struct number_text){"noise"};
	if (isnan(v->relative))
		return text;
	if (v->relative >= 9.995)
		snprintf(text.s, sizeof(text.s), "x%.30s", number_fixed(v->relative + 1, 0).s);
	else
		snprintf(text.s, sizeof(text.s), "%s%.30s%%", v->relative > 0 ? "+" : "",
		         number_fixed(v->relative * 100, fabs(v->relative) < 0.9995).s);
	return text;
}

static const struct {
	const char *key, *words;
} names[] = {
	{"trailing_sync", "trailing sync"},     {"without_initramfs", "without initramfs"},
	{"without_input", "without waiting"},   {"written_bytes", "bytes written"},
	{"cause.package_sync", "package sync"}, {"cause.database_sync", "database sync"},
	{"cause.other_sync", "other syncs"},    {"cause.sync_estimated", "syncs, estimated"},
	{"cause.input", "waiting for you"},     {"cause.other", "else"},
	{"syncs.package", "package"},
};

const char *words_of_key(const char *key, bool *ret_indent)
{
	const char *dot = strchr(key, '.');

	*ret_indent = dot != NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i].key, key) == 0)
			return names[i].words;
	return dot ? dot + 1 : key;
}

static bool is_more(double value)
{
	return !isnan(value) && value != 0;
}

/* Whether some run has waited for a person: where less than half of a group's have, its median is
 * 0, but there is a spread. */
static bool anyone_waited(const struct comparison *c)
{
	const struct compare_row *row = c->rows;

	while (strcmp(row->key, "cause.input") != 0)
		row++;
	for (size_t g = 0; g < c->n_groups; g++)
		if (is_more(row->values[g].median) || is_more(row->values[g].spread))
			return true;
	return false;
}

bool words_worth_a_row(const struct comparison *c, const struct compare_row *row)
{
	if (strcmp(row->key, "without_input") == 0 && !anyone_waited(c))
		return false;
	for (size_t g = 0; g < c->n_groups; g++)
		if (is_more(row->values[g].median))
			return true;
	return false;
}
