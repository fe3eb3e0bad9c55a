/* report.c - what finished runs say, from their recordings. */
#include <stdio.h>
#include <stdlib.h>

#include "dpkgtop/mem.h"
#include "options.h"
#include "runs.h"

struct report {
	struct run_options o;
	struct report_row *rows; /* of a table, told at the end */
	size_t n_rows;
};

static void tell(struct report *p, const struct run *r)
{
	const struct report_run run = {&r->model, r->name, r->cut};

	if (p->o.format == FORMAT_CSV)
		report_csv(&run, stdout);
	else if (p->o.format == FORMAT_JSON && p->o.count > 1)
		report_json_next(&run, p->n_rows == 0, stdout);
	else if (p->o.format == FORMAT_JSON)
		report_json(&run, stdout);
	else if (p->o.count > 1)
		report_row_of(&run, &p->rows[p->n_rows]);
	else
		report_text(&r->model, stdout);
	p->n_rows++;
}

static void begin(const struct report *p)
{
	if (p->o.format == FORMAT_CSV)
		report_csv_head(stdout);
	if (p->o.format == FORMAT_JSON && p->o.count > 1)
		report_json_begin(stdout);
}

static void end(const struct report *p)
{
	if (p->o.format == FORMAT_JSON && p->o.count > 1)
		report_json_end(stdout);
	if (p->o.format == FORMAT_TEXT && p->o.count > 1)
		report_table(p->rows, p->n_rows, stdout);
}

/* One recording after the other: of fifty machines only one is in memory. What can not be read is
 * left out, and tells in the exit status. */
static int report(struct report *p)
{
	int status = STATUS_OK;

	p->rows = mem_new((size_t)p->o.count, sizeof(*p->rows));
	begin(p);
	for (int i = 0; i < p->o.count && !ferror(stdout); i++) {
		struct run *r = mem_new(1, sizeof(*r));
		int loaded = runs_load(&p->o, i, r);

		if (loaded == STATUS_OK)
			tell(p, r);
		if (status != STATUS_DAMAGED && loaded != STATUS_OK)
			status = loaded;
		model_done(&r->model);
		free(r);
	}
	end(p);
	free(p->rows);
	return runs_written(status);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct report p = {.n_rows = 0};
	int status = runs_options(&p.o, self, false, argc, argv);

	if (status >= 0)
		return status;
	if (p.o.count < 1)
		return options_refuse(self, "which recording?");
	return report(&p);
}

const struct command command_report = {
	.name = "report",
	.usage = "dpkgtop report FILE... [options]",
	.summary = "Tells what recorded runs say: one in full, several as a table.",
	.options = "      --format text|json|csv  text\n"
		   "      --anonymous           without host names, paths and addresses\n",
	.run = run,
};
