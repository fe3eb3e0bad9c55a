/* text_ledger.c - the ledger as a table. */
#include <string.h>

#include "dpkgtop/units.h"

#include "parts.h"

/* A cell says how well it is known: "~" stands before an estimate. */
static void write_cell(FILE *out, const struct cell *c)
{
	char text[sizeof(struct units_text) + 1];

	/* Time of unknown cause is known as time. */
	if (c->ns == 0 && (c->quality == QUALITY_NONE || c->quality == QUALITY_UNKNOWN)) {
		fprintf(out, " %8s", "-");
		return;
	}
	snprintf(text, sizeof(text), "%s%s", c->quality == QUALITY_ESTIMATED ? "~" : "",
	         units_seconds(c->ns).s);
	fprintf(out, " %8s", text);
}

/* With all ten causes the row has 108 columns: what took least has no column of its own then. */
#define COLUMNS_MOST 6

/* A cause that took no time, or of which nothing is known, has no column. */
struct columns {
	bool has[N_CAUSES];
	int left_out;
	int64_t left_out_ns;
};

static enum cause smallest(const struct ledger *l, const struct columns *c)
{
	enum cause least = N_CAUSES;

	for (int i = 0; i < N_CAUSES; i++)
		if (c->has[i] &&
		    (least == N_CAUSES || ledger_cause(l, i).ns < ledger_cause(l, least).ns))
			least = i;
	return least;
}

static void choose(const struct ledger *l, struct columns *c)
{
	int count = 0;

	memset(c, 0, sizeof(*c));
	for (int i = 0; i < N_CAUSES; i++) {
		c->has[i] = ledger_cause(l, i).ns > 0;
		count += c->has[i];
	}
	for (; count > COLUMNS_MOST; count--) {
		enum cause least = smallest(l, c);

		c->has[least] = false;
		c->left_out++;
		c->left_out_ns += ledger_cause(l, least).ns;
	}
}

static void write_row(const struct columns *columns, const char *name, int64_t total,
                      const struct cell cells[N_CAUSES], FILE *out)
{
	fprintf(out, "%-10s %7s", name, units_seconds(total).s);
	for (int c = 0; c < N_CAUSES; c++)
		if (columns->has[c])
			write_cell(out, &cells[c]);
	fputc('\n', out);
}

static void write_left_out(const struct ledger *l, const struct columns *c, FILE *out)
{
	bool first = true;

	if (!c->left_out)
		return;
	fputs("not shown:", out);
	for (int i = 0; i < N_CAUSES; i++) {
		struct cell sum = ledger_cause(l, i);

		if (c->has[i] || sum.ns <= 0)
			continue;
		fprintf(out, "%s %s %s", first ? "" : ",", cause_heads[i], units_seconds(sum.ns).s);
		first = false;
	}
	fputc('\n', out);
}

void part_ledger(const struct model *m, FILE *out)
{
	const struct ledger *l = &m->ledger;
	struct cell sums[N_CAUSES];
	struct columns columns;

	choose(l, &columns);
	fprintf(out, "%-10s %7s", "", "total");
	for (int c = 0; c < N_CAUSES; c++) {
		sums[c] = ledger_cause(l, c);
		if (columns.has[c])
			fprintf(out, " %8s", cause_heads[c]);
	}
	fputc('\n', out);
	for (int p = 0; p < N_PHASES; p++)
		if (l->wall_ns[p] > 0)
			write_row(&columns, phase_names[p], l->wall_ns[p], l->cells[p], out);
	write_row(&columns, "", ledger_total(l), sums, out);
	if (l->trailing_ns != UNKNOWN_NS)
		fprintf(out, "%-10s %7s\n", "trailing", units_seconds(l->trailing_ns).s);
	write_left_out(l, &columns, out);
	if (ledger_cause(l, CAUSE_SYNC_ESTIMATED).ns > 0)
		fputs("\"~\" marks estimates: syncs by the time that the disk spent in flushes.\n",
		      out);
}
