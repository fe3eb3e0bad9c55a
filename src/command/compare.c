/* compare.c - recorded runs beside each other. */
#include "dpkgtop/compare.h"

#include <stdio.h>
#include <stdlib.h>

#include "dpkgtop/mem.h"
#include "options.h"
#include "runs.h"

static void tell(const struct comparison *c, enum run_format format)
{
	static void (*const writers[])(const struct comparison *c, FILE *out) = {
		[FORMAT_TEXT] = report_compare_text,
		[FORMAT_JSON] = report_compare_json,
		[FORMAT_CSV] = report_compare_csv,
		[FORMAT_MARKDOWN] = report_compare_markdown,
	};

	writers[format](c, stdout);
}

static int compare_files(const struct run_options *o)
{
	struct run *runs = mem_new((size_t)o->count, sizeof(*runs));
	struct compare_run *list = mem_new((size_t)o->count, sizeof(*list));
	struct comparison c;
	int loaded = 0, status = STATUS_OK;

	while (loaded < o->count && status == STATUS_OK) {
		status = runs_load(o, loaded, &runs[loaded]);
		list[loaded] = (struct compare_run){&runs[loaded].model, runs[loaded].name};
		loaded++;
	}
	/* With one of them missing it would be another comparison. */
	if (status == STATUS_OK) {
		compare(list, (size_t)o->count, &c);
		tell(&c, o->format);
		compare_done(&c);
		status = runs_written(status);
	}
	while (loaded)
		model_done(&runs[--loaded].model);
	free(list);
	free(runs);
	return status;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct run_options o;
	int status = runs_options(&o, self, true, argc, argv);

	if (status >= 0)
		return status;
	if (o.count < 2)
		return options_refuse(self, "two recordings at least");
	return compare_files(&o);
}

const struct command command_compare = {
	.name = "compare",
	.usage = "dpkgtop compare FILE FILE... [options]",
	.summary = "Holds recorded runs against the first; those of one label are one group.",
	.options = "      --format text|json|csv|markdown  text\n"
		   "      --anonymous           without host names, paths and addresses\n",
	.run = run,
};
