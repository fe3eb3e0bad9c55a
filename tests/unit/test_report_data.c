/* test_report_data.c - the report for machines: every key there, null for unknown, CSV quoted, and
 * what
 * --anonymous leaves out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json-c/json.h>
#include <stdlib.h>

#include "dpkgtop/report.h"
#include "feed.h"

#define MS INT64_C(1000000)

/* The whole schema: a name, and "." before what is inside an object, "[]" for each of a list. */
static const char *const keys[] = {
	"format",
	"dpkgtop",
	"command",
	"exit_status",
	"complete",
	"started",
	"observed_from_s",
	"label",
	"mode",
	"mode_source",
	"frontend",
	"host",
	"kernel",
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
	"phases",
	"initramfs",
	"syncs.exact",
	"syncs.lost",
	"syncs.classes[].class",
	"syncs.classes[].calls",
	"syncs.classes[].total_s",
	"syncs.classes[].p50_us",
	"syncs.classes[].p99_us",
	"syncs.classes[].max_us",
	"syncs.calls.fsync",
	"syncs.calls.fdatasync",
	"syncs.calls.range-wait",
	"syncs.calls.range-write",
	"syncs.calls.range-other",
	"syncs.calls.syncfs",
	"syncs.calls.sync",
	"syncs.calls.msync",
	"packages",
	"disks",
	"left_running",
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
};
/* Those of a run in which there was one of each. */
static const char *const list_keys[] = {
	"phases[].name",
	"phases[].wall_s",
	"phases[].intervals",
	"phases[].causes.disk",
	"phases[].causes.cpu",
	"phases[].causes.input",
	"phases[].causes.other",
	"phases[].causes.unknown",
	"initramfs[].tool",
	"initramfs[].by",
	"initramfs[].start_s",
	"initramfs[].wall_s",
	"packages[].name",
	"packages[].arch",
	"packages[].action",
	"packages[].old_version",
	"packages[].version",
	"packages[].unpack_s",
	"packages[].configure_s",
	"packages[].script_s",
	"packages[].sync_calls",
	"packages[].sync_s",
	"packages[].failed.script",
	"packages[].failed.status",
	"disks[].name",
	"disks[].reads",
	"disks[].writes",
	"disks[].read_bytes",
	"disks[].written_bytes",
	"disks[].discards",
	"disks[].flushes",
	"disks[].flush_s",
	"left_running[].name",
	"left_running[].command",
};

static const char *const counted_keys[] = {
	"phases[].causes.package_sync",
	"phases[].causes.database_sync",
	"phases[].causes.writeback",
	"phases[].causes.other_sync",
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static char *written(void (*writer)(const struct report_run *run, FILE *out), const struct model *m,
                     bool cut)
{
	const struct report_run run = {m, "a.dtop", cut};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	writer(&run, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static struct json_object *report_of(const struct model *m, bool cut)
{
	char *text = written(report_json, m, cut);
	struct json_object *o = json_tokener_parse(text);

	if (!o)
		fail_msg("no JSON: %s", text);
	free(text);
	return o;
}

/* The value at `path`, of lists the first; fails where a key is not there. */
static struct json_object *at(struct json_object *o, const char *path)
{
	char key[64];

	for (const char *p = path; *p;) {
		size_t len = strcspn(p, ".[");

		snprintf(key, sizeof(key), "%.*s", (int)len, p);
		if (!json_object_object_get_ex(o, key, &o))
			fail_msg("no key %s", path);
		p += len;
		if (strncmp(p, "[]", 2) == 0) {
			assert_true(json_object_array_length(o) > 0);
			o = json_object_array_get_idx(o, 0);
			p += 2;
		}
		p += *p == '.';
	}
	return o;
}

static void has(struct json_object *o, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		at(o, paths[i]);
}

static void nothing_known(void **state)
{
	static const char *const known[] = {
		"format",    "dpkgtop",     "complete", "phases",
		"initramfs", "syncs.exact", "packages", "syncs.classes[].class",
	};
	struct json_object *o;
	struct model m;

	(void)state;
	model_init(&m);
	o = report_of(&m, false);
	has(o, keys, COUNT(keys));
	for (size_t i = 0; i < COUNT(keys); i++) {
		bool is_known = false;

		for (size_t k = 0; k < COUNT(known); k++)
			is_known |= strcmp(known[k], keys[i]) == 0;
		if (!is_known && at(o, keys[i]))
			fail_msg("%s is not null", keys[i]);
	}
	assert_int_equal(json_object_get_int(at(o, "format")), 1);
	assert_false(json_object_get_boolean(at(o, "complete")));
	assert_false(json_object_get_boolean(at(o, "syncs.exact")));
	json_object_put(o);
	model_done(&m);
}

/* One of everything. */
static void begin(struct feed *f, bool counted)
{
	struct process_counters *left;

	feed_init(f, "vda");
	f->model.facts.rotational = 1;
	snprintf(f->model.facts.mount_options, sizeof(f->model.facts.mount_options),
	         "rw,lowerdir=/srv/secret,addr=192.0.2.7,clientaddr=fe80::77%%eth0");
	snprintf(f->model.header.host, sizeof(f->model.header.host), "alpha.example.org");
	snprintf(f->model.header.label, sizeof(f->model.header.label), "alpha, \"quick\"");
	feed_disk(f, "vda");
	feed_process(f, 100, 1);
	left = feed_process(f, 200, 1);
	left->left = 'y';
	snprintf(left->name, sizeof(left->name), "stray");
	snprintf(left->command, sizeof(left->command), "/opt/secret/stray --on alpha");
	feed_begin(f, "/usr/bin/apt-get -o Dir=/secret install ./secret.deb foo=1.0");
	if (counted) {
		f->sample.why[GROUP_PROBE] = f->sample.why[GROUP_SYNCS] = 0;
		*sample_add_sync(&f->sample) = (struct sync_counters){.pid = 100, .start_ticks = 1};
	}
	feed_sample(f, SAMPLE_FULL);
	feed_exec(f, ROLE_DPKG, 100, "", "");
	feed_line(f, VERB_UPGRADE, STATE_NONE, "foo", "0.9", "1.0");
}

static void end(struct feed *f)
{
	feed_exec(f, ROLE_INITRAMFS, 101, "foo", "mkinitramfs");
	feed_wait(f, 500 * MS);
	feed_exit(f, ROLE_INITRAMFS, 101, 0);
	feed_exec(f, ROLE_SCRIPT, 102, "foo", "postinst");
	feed_wait(f, 123456789);
	feed_exit(f, ROLE_SCRIPT, 102, 11);
	f->sample.disks[0].written_sectors += 2048;
	f->sample.disks[0].flush_ms += 250;
	feed_sample(f, SAMPLE_FULL);
	feed_end(f, 1);
}

static void all_keys(void **state)
{
	(void)state;
	for (int counted = 0; counted < 2; counted++) {
		struct json_object *o;
		struct feed f;

		begin(&f, counted);
		end(&f);
		o = report_of(&f.model, false);
		has(o, keys, COUNT(keys));
		has(o, list_keys, COUNT(list_keys));
		if (counted)
			has(o, counted_keys, COUNT(counted_keys));
		else
			at(o, "phases[].causes.sync_estimated");
		assert_true(json_object_get_boolean(at(o, "complete")));
		assert_int_equal(json_object_get_int(at(o, "exit_status")), 1);
		assert_int_equal(json_object_get_int(at(o, "packages[].failed.status")), 11);
		assert_string_equal(json_object_get_string(at(o, "packages[].old_version")), "0.9");
		assert_string_equal(json_object_get_string(at(o, "wall_s")), "0.623457");
		assert_string_equal(json_object_get_string(at(o, "packages[].script_s")),
		                    "0.123457");
		assert_int_equal(json_object_get_int(at(o, "disks[].written_bytes")), 1048576);
		assert_string_equal(json_object_get_string(at(o, "disks[].flush_s")), "0.25");
		assert_string_equal(json_object_get_string(at(o, "started")),
		                    "1970-01-01T00:16:40.000000Z");
		json_object_put(o);
		o = report_of(&f.model, true);
		assert_false(json_object_get_boolean(at(o, "complete")));
		json_object_put(o);
		feed_done(&f);
	}
}

static struct json_object *first_phase_without(const struct model *m, const char *key)
{
	struct json_object *o = report_of(m, false), *none;

	assert_false(json_object_object_get_ex(at(o, "phases[].causes"), key, &none));
	return o;
}

/* Estimated or counted: a run has the causes of the one or of the other. */
static void one_kind_of_syncs(void **state)
{
	struct feed f;

	(void)state;
	begin(&f, false);
	end(&f);
	json_object_put(first_phase_without(&f.model, "package_sync"));
	feed_done(&f);
	begin(&f, true);
	end(&f);
	json_object_put(first_phase_without(&f.model, "sync_estimated"));
	feed_done(&f);
}

/* What a phase's causes sum to is the phase, and the phases are the run. */
static void sums_are_whole(void **state)
{
	struct json_object *o, *phases;
	struct feed f;
	double wall = 0;

	(void)state;
	begin(&f, true);
	end(&f);
	o = report_of(&f.model, false);
	phases = at(o, "phases");
	for (size_t i = 0; i < json_object_array_length(phases); i++) {
		struct json_object *p = json_object_array_get_idx(phases, i);
		double sum = 0;

		json_object_object_foreach(at(p, "causes"), key, value)
		{
			(void)key;
			sum += json_object_get_double(value);
		}
		assert_float_equal(sum, json_object_get_double(at(p, "wall_s")), 1e-5);
		wall += json_object_get_double(at(p, "wall_s"));
	}
	assert_float_equal(wall, json_object_get_double(at(o, "wall_s")), 1e-5);
	json_object_put(o);
	feed_done(&f);
}

static void anonymous(void **state)
{
	static const char *const kept[] = {"/usr/bin/apt-get -o Dir=[...] install [...] foo=1.0",
	                                   "rw,lowerdir=[...],addr=[...],clientaddr=[...]",
	                                   "[...] --on [...]"};
	struct feed f;
	char *text;

	(void)state;
	begin(&f, false);
	snprintf(f.model.mode.source, sizeof(f.model.mode.source), "/etc/dpkg/dpkg.cfg.d/secret");
	snprintf(f.model.upgrade.where, sizeof(f.model.upgrade.where), "/srv/secret");
	end(&f);
	report_anonymize(&f.model);
	text = written(report_json, &f.model, false);
	assert_null(strstr(text, "secret"));
	assert_null(strstr(text, "alpha"));
	assert_null(strstr(text, "192.0.2"));
	assert_null(strstr(text, "fe80"));
	assert_non_null(strstr(text, "\"host\":null"));
	for (size_t i = 0; i < COUNT(kept); i++)
		if (!strstr(text, kept[i]))
			fail_msg("lacks %s:\n%s", kept[i], text);
	free(text);
	feed_done(&f);
}

/* As many fields in each row, and quotes where a comma is. */
static int fields_of(const char *line)
{
	int fields = 1;
	bool quoted = false;

	for (; *line && *line != '\n'; line++) {
		if (*line == '"')
			quoted = !quoted;
		fields += *line == ',' && !quoted;
	}
	return fields;
}

static void csv_is_quoted(void **state)
{
	struct feed f;
	char *row, *head = NULL;
	size_t size;
	FILE *out = open_memstream(&head, &size);

	(void)state;
	report_csv_head(out);
	fclose(out);
	begin(&f, false);
	end(&f);
	row = written(report_csv, &f.model, false);
	assert_int_equal(fields_of(head), fields_of(row));
	assert_int_equal(strncmp(head, "file,host,label,command,", 24), 0);
	assert_non_null(
		strstr(row, "a.dtop,alpha.example.org,\"alpha, \"\"quick\"\"\",/usr/bin/apt"));
	assert_non_null(strstr(head, "phase.unpack_s"));
	assert_int_equal(strcspn(row, "\n"), strlen(row) - 1);
	free(row);
	free(head);
	feed_done(&f);
}

static void a_table_of_many(void **state)
{
	struct report_row rows[3];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct feed f;

	(void)state;
	begin(&f, false);
	end(&f);
	for (int i = 0; i < 3; i++)
		report_row_of(&(struct report_run){&f.model, "a.dtop", i == 1}, &rows[i]);
	for (int p = 0; p < N_PHASES; p++)
		rows[2].phases[p] = 3000 * SECOND;
	rows[2].wall_ns = UNKNOWN_NS;
	report_table(rows, 3, out);
	fclose(out);
	assert_non_null(strstr(text, "0.6s+"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	for (int p = 0; p < N_PHASES; p++)
		assert_non_null(strstr(text, phase_names[p]));
	free(text);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known),     cmocka_unit_test(all_keys),
		cmocka_unit_test(one_kind_of_syncs), cmocka_unit_test(sums_are_whole),
		cmocka_unit_test(anonymous),         cmocka_unit_test(csv_is_quoted),
		cmocka_unit_test(a_table_of_many),
	};

	return cmocka_run_group_tests_name("report_data", tests, NULL, NULL);
}
