/* csv.c - one row per run. */
#include "csv.h"

#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/units.h"
#include "number.h"
#include "object.h"

void csv_field(FILE *out, int *column, const char *text)
{
	bool quote = strpbrk(text, ",\"\r\n") || *text == ' ' ||
	             (*text && text[strlen(text) - 1] == ' ');

	if ((*column)++)
		fputc(',', out);
	if (quote)
		fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	if (quote)
		fputc('"', out);
}

void csv_end(FILE *out, int *column)
{
	fputc('\n', out);
	*column = 0;
}

/* Members of the JSON object that are one value each, "." leading into an inner object. */
static const char *const plain[] = {
	"host",
	"label",
	"command",
	"frontend",
	"exit_status",
	"complete",
	"started",
	"observed_from_s",
	"mode",
	"mode_source",
	"kernel",
	"dpkgtop",
	"software.dpkg",
	"software.apt",
	"storage.device",
	"storage.model",
	"storage.rotational",
	"storage.write_cache",
	"storage.fs",
	"storage.mount_options",
	"storage.simulated",
	"wall_s",
	"user_s",
	"sys_s",
	"trailing_sync_s",
	"syncs.exact",
	"syncs.lost",
	"whatif.unsafe-io.wall_s",
	"whatif.unsafe-io.low_s",
	"whatif.unsafe-io.high_s",
	"whatif.unsafe-io.on_disk_s",
	"whatif.eatmydata.wall_s",
	"whatif.eatmydata.low_s",
	"whatif.eatmydata.high_s",
	"whatif.eatmydata.on_disk_s",
	"own_cost.cpu_s",
	"own_cost.rss_kib",
	NULL,
};

/* What stands in the row for the rows of a comparison that are no such member. */
static bool is_summed(const char *key)
{
	return strchr(key, '.') || strcmp(key, "without_initramfs") == 0 ||
	       strcmp(key, "without_input") == 0 || strcmp(key, "flushes") == 0 ||
	       strcmp(key, "written_bytes") == 0;
}

static const char *value_at(struct json_object *o, const char *path)
{
	char key[64];

	while (*path) {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		o = json_object_object_get(o, key);
		path += len + (path[len] == '.');
	}
	return o ? json_object_get_string(o) : "";
}

static const char *unit_suffix(enum compare_unit unit)
{
	return unit == COMPARE_SECONDS ? "_s" : "";
}

/* Phases, causes, syncs by class: the rows of a comparison with itself alone. */
static void write_summed(const struct report_run *run, bool names, FILE *out, int *column)
{
	const struct compare_run alone = {run->model, ""};
	struct comparison c;

	compare(&alone, 1, &c);
	for (size_t i = 0; i < c.n_rows; i++) {
		const struct compare_row *r = &c.rows[i];
		char name[80];

		if (!is_summed(r->key))
			continue;
		snprintf(name, sizeof(name), "%s%s", r->key, unit_suffix(r->unit));
		csv_field(out, column, names ? name : number_plain(r->values[0].median).s);
	}
	compare_done(&c);
}

static uint64_t count_packages(const struct packages *p)
{
	uint64_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count += p->items[i].action != N_VERBS;
	return count;
}

static void write_packages(const struct packages *p, FILE *out, int *column)
{
	csv_field(out, column, number_plain((double)count_packages(p)).s);
	csv_field(out, column, number_plain((double)p->failures).s);
}

void report_csv_head(FILE *out)
{
	struct model m;
	int column = 0;

	csv_field(out, &column, "file");
	for (int i = 0; plain[i]; i++)
		csv_field(out, &column, plain[i]);
	model_init(&m);
	write_summed(&(struct report_run){.model = &m, .name = ""}, true, out, &column);
	model_done(&m);
	csv_field(out, &column, "packages");
	csv_field(out, &column, "failures");
	csv_end(out, &column);
}

void report_csv(const struct report_run *run, FILE *out)
{
	struct json_object *o = object_of_run(run);
	int column = 0;

	csv_field(out, &column, run->name);
	for (int i = 0; plain[i]; i++)
		csv_field(out, &column, value_at(o, plain[i]));
	write_summed(run, false, out, &column);
	write_packages(&run->model->packages, out, &column);
	csv_end(out, &column);
	json_object_put(o);
}
