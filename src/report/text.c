/* text.c - the ledger and what goes with it, as plain text. */
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/report.h"
#include "dpkgtop/units.h"

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

/* A cause that took no time, or of which nothing is known, has no column. */
static bool has_column(const struct ledger *l, enum cause c)
{
	return ledger_cause(l, c).ns > 0;
}

static void write_row(const struct ledger *l, const char *name, int64_t total,
                      const struct cell cells[N_CAUSES], FILE *out)
{
	fprintf(out, "%-10s %7s", name, units_seconds(total).s);
	for (int c = 0; c < N_CAUSES; c++)
		if (has_column(l, c))
			write_cell(out, &cells[c]);
	fputc('\n', out);
}

static void write_ledger(const struct ledger *l, FILE *out)
{
	struct cell sums[N_CAUSES];

	fprintf(out, "%-10s %7s", "", "total");
	for (int c = 0; c < N_CAUSES; c++) {
		sums[c] = ledger_cause(l, c);
		if (has_column(l, c))
			fprintf(out, " %8s", cause_heads[c]);
	}
	fputc('\n', out);
	for (int p = 0; p < N_PHASES; p++)
		if (l->wall_ns[p] > 0)
			write_row(l, phase_names[p], l->wall_ns[p], l->cells[p], out);
	write_row(l, "", ledger_total(l), sums, out);
	if (l->trailing_ns != UNKNOWN_NS)
		fprintf(out, "%-10s %7s\n", "trailing", units_seconds(l->trailing_ns).s);
}

static void write_failures(const struct packages *p, FILE *out)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct package *k = &p->items[i];

		if (!k->failed)
			continue;
		fprintf(out, "failed: %s", k->name);
		if (*k->failure.script)
			fprintf(out, ", %s ended with status %d", k->failure.script,
			        k->failure.status);
		fprintf(out, ", left %s\n", word_state[k->state]);
	}
}

void report_text(const struct model *m, FILE *out)
{
	const struct storage *s = &m->storage;

	fprintf(out, "%s\n", m->upgrade.command);
	if (*m->mode.mode || *m->facts.disk)
		fprintf(out, "%s%s%s on %s\n", m->mode.mode, *m->mode.mode ? ", " : "",
		        *m->facts.filesystem ? m->facts.filesystem : "unknown filesystem",
		        *m->facts.disk ? m->facts.disk : "an unknown disk");
	if (m->status == STATUS_UNKNOWN)
		fprintf(out, "exit status unknown");
	else
		fprintf(out, "exit status %d", m->status);
	fprintf(out, " after %s\n\n", units_seconds(model_elapsed(m)).s);
	write_ledger(&m->ledger, out);
	fprintf(out, "\n%s unpacked", units_count(m->packages.unpacked).s);
	fprintf(out, ", %s configured", units_count(m->packages.configured).s);
	fprintf(out, ", %s triggers", units_count(m->packages.triggered).s);
	fprintf(out, ", %s removed", units_count(m->packages.removed).s);
	fprintf(out, " in %s run%s of dpkg\n", units_count(m->packages.dpkg_runs).s,
	        m->packages.dpkg_runs == 1 ? "" : "s");
	if (s->flushes != UNKNOWN_U64 && s->written_bytes != UNKNOWN_U64)
		fprintf(out, "%s: %s flushes, %s written\n", s->disk, units_count(s->flushes).s,
		        units_bytes((double)s->written_bytes).s);
	write_failures(&m->packages, out);
	if (has_column(&m->ledger, CAUSE_SYNC_ESTIMATED))
		fprintf(out, "\n\"~\" marks estimates: syncs by the time that the disk spent in "
		             "flushes.\n");
}
