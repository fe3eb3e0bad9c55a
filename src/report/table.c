/* table.c - many runs, one row each. */
#include <stdio.h>
#include <string.h>

#include "dpkgtop/units.h"

#include "parts.h"

#define PHASE_COLUMNS 10

void report_row_of(const struct report_run *run, struct report_row *ret)
{
	const struct model *m = run->model;
	const struct storage_event *f = &m->facts;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->name, sizeof(ret->name), "%s", run->name);
	snprintf(ret->host, sizeof(ret->host), "%s", m->header.host);
	snprintf(ret->label, sizeof(ret->label), "%s", m->header.label);
	snprintf(ret->mode, sizeof(ret->mode), "%s", m->mode.mode);
	snprintf(ret->storage, sizeof(ret->storage), "%s%s%s", f->filesystem,
	         *f->filesystem && *f->disk ? " " : "", f->disk);
	ret->wall_ns = model_wall(m);
	memcpy(ret->phases, m->ledger.wall_ns, sizeof(ret->phases));
	ret->complete = m->state == MODEL_ENDED && !run->cut;
}

static bool any_has(const struct report_row *rows, size_t count, int phase)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].phases[phase] > 0)
			return true;
	return false;
}

static void write_text(FILE *out, const char *text, int columns)
{
	part_left_aligned(out, *text ? text : "-", columns);
	fputc(' ', out);
}

#define FILE_COLUMNS 20

/* A run that was not seen to its end has a "+": it took that long at least. */
static void write_wall(FILE *out, const struct report_row *r)
{
	char text[sizeof(struct units_text) + 1];

	if (r->wall_ns == UNKNOWN_NS)
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%s%s", units_seconds(r->wall_ns).s,
		         r->complete ? "" : "+");
	fprintf(out, "%9s", text);
}

static void write_first_block(const struct report_row *rows, size_t count, FILE *out)
{
	fprintf(out, "%-*s %-12s %-10s %-9s %-14s %9s\n", FILE_COLUMNS, "file", "host", "label",
	        "mode", "storage", "real");
	for (size_t i = 0; i < count; i++) {
		write_text(out, rows[i].name, FILE_COLUMNS);
		write_text(out, rows[i].host, 12);
		write_text(out, rows[i].label, 10);
		write_text(out, rows[i].mode, 9);
		write_text(out, rows[i].storage, 14);
		write_wall(out, &rows[i]);
		fputc('\n', out);
	}
}

static void write_phases(const struct report_row *rows, size_t count, const int *phases, int n,
                         FILE *out)
{
	fprintf(out, "\n%-*s", FILE_COLUMNS, "file");
	for (int i = 0; i < n; i++)
		fprintf(out, "%*s", PHASE_COLUMNS, phase_names[phases[i]]);
	fputc('\n', out);
	for (size_t i = 0; i < count; i++) {
		part_left_aligned(out, *rows[i].name ? rows[i].name : "-", FILE_COLUMNS);
		for (int j = 0; j < n; j++) {
			int64_t ns = rows[i].phases[phases[j]];

			fprintf(out, "%*s", PHASE_COLUMNS, ns > 0 ? units_seconds(ns).s : "-");
		}
		fputc('\n', out);
	}
}

void report_table(const struct report_row *rows, size_t count, FILE *out)
{
	const int most = (TEXT_COLUMNS - FILE_COLUMNS) / PHASE_COLUMNS;
	int phases[N_PHASES], n = 0;

	write_first_block(rows, count, out);
	for (int p = 0; p < N_PHASES; p++)
		if (any_has(rows, count, p))
			phases[n++] = p;
	for (int i = 0; i < n; i += most)
		write_phases(rows, count, phases + i, n - i < most ? n - i : most, out);
}
