/* compare_text.c - runs beside each other, as tables for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/report.h"
#include "dpkgtop/text.h"

#include "compare_words.h"
#include "parts.h"

/* So that the three modes stand beside each other: 18 + 9 + 2 * 26 columns. */
#define KEY_COLUMNS        18
#define VALUE_COLUMNS      8
#define SPREAD_COLUMNS     7
#define DIFFERENCE_COLUMNS 9
#define RELATIVE_COLUMNS   6

/* Whether any group is of several runs: only then there is a spread. */
static bool has_spread(const struct comparison *c)
{
	for (size_t g = 0; g < c->n_groups; g++)
		if (c->groups[g].runs > 1)
			return true;
	return false;
}

static int base_columns(bool spread)
{
	return 1 + VALUE_COLUMNS + (spread ? 1 + SPREAD_COLUMNS : 0);
}

static int group_columns(bool spread)
{
	return base_columns(spread) + 1 + DIFFERENCE_COLUMNS + 1 + RELATIVE_COLUMNS;
}

/* Right-aligned and cut. */
static void write_right(FILE *out, const char *text, int columns)
{
	fprintf(out, " %*.*s", columns, columns, text);
}

/* Nothing is filled up behind the last one. */
static void write_name(FILE *out, const char *text, int columns, bool last)
{
	fputc(' ', out);
	if (last && text_width(text) < columns)
		fputs(text, out);
	else
		part_left_aligned(out, text, columns - 1);
}

static void write_value(FILE *out, const struct compare_row *r, size_t g, bool spread)
{
	const struct compare_value *v = &r->values[g];

	write_right(out, words_of_value(r->unit, v->median).s, VALUE_COLUMNS);
	if (spread)
		write_right(out, isnan(v->spread) ? "" : words_of_value(r->unit, v->spread).s,
		            SPREAD_COLUMNS);
}

static void write_difference(FILE *out, const struct compare_row *r, size_t g, bool last)
{
	const struct compare_value *v = &r->values[g];
	struct number_text relative = words_of_relative(v);

	write_right(out, words_of_difference(r->unit, v->difference).s, DIFFERENCE_COLUMNS);
	if (*relative.s || !last)
		write_right(out, relative.s, RELATIVE_COLUMNS);
}

/* "safe-io, median of 3", or what there is of it. */
static void group_words(const struct compare_group *g, char *ret, size_t size)
{
	const char *mode = strcmp(g->name, g->mode) == 0 ? "" : g->mode;

	snprintf(ret, size, "%s", mode);
	if (g->runs > 1)
		snprintf(ret, size, "%s%smedian of %zu", mode, *mode ? ", " : "", g->runs);
}

static void write_names(const struct comparison *c, size_t from, size_t to, bool modes, FILE *out)
{
	bool spread = has_spread(c);
	char text[128];

	fprintf(out, "%-*s", KEY_COLUMNS, "");
	for (size_t i = from; i <= to; i++) {
		/* The base stands first in every block. */
		size_t g = i == from ? 0 : i - 1;

		group_words(&c->groups[g], text, sizeof(text));
		write_name(out, modes ? text : c->groups[g].name,
		           i == from ? base_columns(spread) : group_columns(spread), i == to);
	}
	fputc('\n', out);
}

static void write_heads(size_t others, bool spread, FILE *out)
{
	fprintf(out, "%-*s", KEY_COLUMNS, "");
	for (size_t i = 0; i <= others; i++) {
		write_right(out, "", VALUE_COLUMNS);
		if (spread)
			write_right(out, "spread", SPREAD_COLUMNS);
		if (i == 0)
			continue;
		write_right(out, "more/less", DIFFERENCE_COLUMNS);
		if (i < others)
			write_right(out, "", RELATIVE_COLUMNS);
	}
	fputc('\n', out);
}

static void write_title(const char *key, const char *before, FILE *out)
{
	size_t len = strcspn(key, ".");

	if (!key[len] || (strncmp(key, before, len) == 0 && before[len] == '.'))
		return;
	if (strncmp(key, "phase", len) == 0)
		fputs("phases\n", out);
	else if (strncmp(key, "cause", len) == 0)
		fputs("causes\n", out);
	else
		fputs("sync calls\n", out);
}

/* Groups [from, to) beside the base. */
static void write_block(const struct comparison *c, size_t from, size_t to, FILE *out)
{
	bool spread = has_spread(c), indent;
	const char *before = "";

	write_names(c, from, to, false, out);
	write_names(c, from, to, true, out);
	write_heads(to - from, spread, out);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *r = &c->rows[i];
		const char *words = words_of_key(r->key, &indent);

		if (!words_worth_a_row(c, r))
			continue;
		write_title(r->key, before, out);
		before = r->key;
		fprintf(out, "%s%-*.*s", indent ? " " : "", KEY_COLUMNS - indent,
		        KEY_COLUMNS - indent, words);
		write_value(out, r, 0, spread);
		for (size_t g = from; g < to; g++) {
			write_value(out, r, g, spread);
			write_difference(out, r, g, g + 1 == to);
		}
		fputc('\n', out);
	}
}

static void write_work(const struct comparison *c, FILE *out)
{
	char text[768];

	if (!c->n_differences)
		return;
	fputs("Not the same work:\n", out);
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct compare_difference *d = &c->differences[i];

		snprintf(text, sizeof(text), "- %s, %s: %s; first: %s", d->name, d->what, d->is,
		         d->base);
		part_words(out, text);
	}
	fputc('\n', out);
}

void report_compare_text(const struct comparison *c, FILE *out)
{
	bool spread = has_spread(c);
	int room = TEXT_COLUMNS - KEY_COLUMNS - base_columns(spread);
	size_t most = (size_t)(room / group_columns(spread));

	if (!most)
		most = 1;
	write_work(c, out);
	if (c->n_groups == 1)
		write_block(c, 1, 1, out);
	for (size_t g = 1; g < c->n_groups; g += most) {
		if (g > 1)
			fputc('\n', out);
		write_block(c, g, g + most < c->n_groups ? g + most : c->n_groups, out);
	}
	fputs("\nTimes are in seconds.", out);
	if (spread)
		fputs(" A difference below a group's spread is noise.", out);
	fputc('\n', out);
}

/* --- markdown ------------------------------------------------------------------------------ */

/* What is foreign must not end its cell. */
static void write_cell(FILE *out, const char *text)
{
	fputs(" ", out);
	for (; *text; text++) {
		if (strchr("|\\`*<[", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
	fputs(" |", out);
}

static void write_markdown_head(const struct comparison *c, FILE *out)
{
	bool spread = has_spread(c);

	fputs("| |", out);
	for (size_t g = 0; g < c->n_groups; g++) {
		write_cell(out, c->groups[g].name);
		fputs(spread ? " spread |" : "", out);
		fputs(g ? " difference | |" : "", out);
	}
	fputs("\n|---|", out);
	for (size_t g = 0; g < c->n_groups; g++) {
		fputs("---:|", out);
		fputs(spread ? "---:|" : "", out);
		fputs(g ? "---:|---:|" : "", out);
	}
	fputc('\n', out);
}

static void write_markdown_row(const struct comparison *c, const struct compare_row *r, FILE *out)
{
	bool spread = has_spread(c);

	fputc('|', out);
	write_cell(out, r->key);
	for (size_t g = 0; g < c->n_groups; g++) {
		const struct compare_value *v = &r->values[g];

		write_cell(out, words_of_value(r->unit, v->median).s);
		if (spread)
			write_cell(out, words_of_value(r->unit, v->spread).s);
		if (g) {
			write_cell(out, words_of_difference(r->unit, v->difference).s);
			write_cell(out, words_of_relative(v).s);
		}
	}
	fputc('\n', out);
}

void report_compare_markdown(const struct comparison *c, FILE *out)
{
	if (c->n_differences)
		fputs("Not the same work:\n\n| run | what | is | first |\n|---|---|---|---|\n",
		      out);
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct compare_difference *d = &c->differences[i];

		fputc('|', out);
		write_cell(out, d->name);
		write_cell(out, d->what);
		write_cell(out, d->is);
		write_cell(out, d->base);
		fputc('\n', out);
	}
	if (c->n_differences)
		fputc('\n', out);
	write_markdown_head(c, out);
	for (size_t i = 0; i < c->n_rows; i++)
		if (words_worth_a_row(c, &c->rows[i]))
			write_markdown_row(c, &c->rows[i], out);
}
