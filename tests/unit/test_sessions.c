/* test_sessions.c - recorded sessions, as the report, its JSON and the screen tell them.
 *
 * tests/sessions/README says where each comes from. With GOLDEN=write in the environment the golden
 * files are written anew; look at the diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json-c/json.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/report.h"
#include "dpkgtop/units.h"
#include "dpkgtop/view.h"
#include "dpkgtop/whatif.h"

#include "../../src/command/load.h"

#define SECOND INT64_C(1000000000)

static const char *const sessions[] = {
	"clean-upgrade", "failed-postinst", "no-probe",      "counter-reset",  "suspended",
	"500-packages",  "truncated",       "two-initramfs", "attach-mid-run",
};
#define N_SESSIONS (sizeof(sessions) / sizeof(*sessions))

struct session {
	struct model model;
	bool cut;
};

static void load(struct session *s, const char *name)
{
	struct err e = {""};
	char path[128];

	snprintf(path, sizeof(path), "tests/sessions/%s.jsonl", name);
	model_init(&s->model);
	s->cut = false;
	if (load_model(path, &s->model, &s->cut, &e) < 0)
		fail_msg("%s", e.text);
}

static char *file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = mem_new(1, 1 << 20);

	if (f) {
		text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

static void write_golden(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Releases of json-c differ in spaces: JSON is what it says. */
static bool same(const char *path, const char *golden, const char *now)
{
	struct json_object *a, *b;
	bool equal;

	if (!strstr(path, ".json"))
		return strcmp(golden, now) == 0;
	a = json_tokener_parse(golden);
	b = json_tokener_parse(now);
	equal = a && b && json_object_equal(a, b);
	json_object_put(a);
	json_object_put(b);
	return equal;
}

/* The lines that differ; false if any does. Takes `now`. */
static bool golden_equal(const char *path, char *now)
{
	const char *write = getenv("GOLDEN");
	char *golden;
	bool equal = true;

	if (write && !strcmp(write, "write")) {
		write_golden(path, now);
		free(now);
		return true;
	}
	golden = file_text(path);
	if (!same(path, golden, now)) {
		const char *a = golden, *b = now;

		equal = false;
		for (int line = 1; *a || *b; line++) {
			size_t la = strcspn(a, "\n"), lb = strcspn(b, "\n");

			if (la != lb || memcmp(a, b, la))
				print_error("%s:%d\n-%.*s\n+%.*s\n", path, line, (int)la, a,
				            (int)lb, b);
			a += la + (a[la] == '\n');
			b += lb + (b[lb] == '\n');
		}
	}
	free(golden);
	free(now);
	return equal;
}

static char *screen_of(const struct model *m)
{
	const struct ui ui = {.paused = false};
	struct canvas c;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	canvas_init(&c, 24, 80, false);
	view_overview.draw(m, &ui, &c);
	canvas_write_text(&c, out);
	fclose(out);
	canvas_done(&c);
	return text;
}

static char *text_of(const struct session *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_text(&s->model, out);
	fclose(out);
	return text;
}

static char *json_of(const struct session *s, const char *name)
{
	const struct report_run run = {&s->model, name, s->cut};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_json(&run, out);
	fclose(out);
	return text;
}

static void look_as_before(void **state)
{
	bool equal = true;

	(void)state;
	for (size_t i = 0; i < N_SESSIONS; i++) {
		struct session s;
		char path[128];

		load(&s, sessions[i]);
		snprintf(path, sizeof(path), "tests/golden/session-%s-80x24.txt", sessions[i]);
		equal &= golden_equal(path, screen_of(&s.model));
		snprintf(path, sizeof(path), "tests/golden/session-%s.txt", sessions[i]);
		equal &= golden_equal(path, text_of(&s));
		snprintf(path, sizeof(path), "tests/golden/session-%s.json", sessions[i]);
		equal &= golden_equal(path, json_of(&s, sessions[i]));
		model_done(&s.model);
	}
	assert_true(equal);
}

/* Whatever happened, the phases are the run, the causes are the phases, and 80 columns are enough.
 */
static void sums_and_widths(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SESSIONS; i++) {
		struct session s;
		char *text;

		load(&s, sessions[i]);
		assert_int_equal(ledger_total(&s.model.ledger), model_wall(&s.model));
		for (int p = 0; p < N_PHASES; p++) {
			int64_t sum = 0;

			for (int c = 0; c < N_CAUSES; c++) {
				assert_true(s.model.ledger.cells[p][c].ns >= 0);
				sum += s.model.ledger.cells[p][c].ns;
			}
			assert_int_equal(sum, s.model.ledger.wall_ns[p]);
		}
		text = text_of(&s);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > 80)
				fail_msg("%s: %.*s", sessions[i], (int)strcspn(line, "\n"), line);
		free(text);
		model_done(&s.model);
	}
}

static void a_clean_upgrade(void **state)
{
	struct prediction p[N_WHATIFS];
	struct session s;

	(void)state;
	load(&s, "clean-upgrade");
	assert_false(s.cut);
	assert_int_equal(s.model.status, 0);
	assert_int_equal(s.model.packages.unpacked, 12);
	assert_int_equal(s.model.packages.configured, 12);
	assert_int_equal(s.model.packages.dpkg_runs, 1);
	assert_true(s.model.ledger.trailing_ns > 0);
	/* 12 packages of 20 files: each is waited for once before its fsync. */
	assert_int_equal(s.model.syncs.by_call[SYNC_RANGE_WAIT], 240);
	assert_true(s.model.syncs.exact);
	for (int c = 0; c < N_SYNC_CLASSES; c++)
		assert_true(syncs_percentile(&s.model.syncs, c, 0.99) <=
		            s.model.syncs.longest_ns[c]);
	whatif(&s.model, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].why, WHATIF_KNOWN);
	assert_true(p[WHATIF_EATMYDATA].wall_ns < p[WHATIF_UNSAFE_IO].wall_ns);
	model_done(&s.model);
}

static void a_failed_postinst(void **state)
{
	const struct package *k;
	struct session s;

	(void)state;
	load(&s, "failed-postinst");
	assert_int_equal(s.model.status, 1);
	assert_int_equal(s.model.packages.failures, 1);
	k = packages_find(&s.model.packages, "postfix", "all");
	assert_non_null(k);
	assert_string_equal(k->failure.script, "postinst");
	assert_int_equal(k->failure.status, 11);
	model_done(&s.model);
}

/* The estimate stands for the four, and nothing is predicted of it. */
static void without_the_probe(void **state)
{
	struct prediction p[N_WHATIFS];
	struct session s;
	char *text;

	(void)state;
	load(&s, "no-probe");
	assert_false(s.model.syncs.counted);
	assert_true(ledger_cause(&s.model.ledger, CAUSE_SYNC_ESTIMATED).ns > 0);
	whatif(&s.model, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].why, WHATIF_ESTIMATED);
	text = json_of(&s, "no-probe");
	assert_non_null(strstr(text, "\"sync_estimated\":0"));
	assert_null(strstr(text, "\"package_sync\""));
	free(text);
	model_done(&s.model);
}

/* The disk's counters began anew in the middle, and then went beyond where they had begun. */
static void a_counter_reset(void **state)
{
	const struct disk_total *d;
	struct session s;

	(void)state;
	load(&s, "counter-reset");
	d = disks_find(&s.model.disks, s.model.facts.disk);
	assert_non_null(d);
	assert_true(d->written_bytes == UNKNOWN_U64 && d->flushes == UNKNOWN_U64);
	assert_true(s.model.storage.written_bytes == UNKNOWN_U64);
	assert_true(s.model.storage.flushes == UNKNOWN_U64);
	model_done(&s.model);
}

/* An hour of sleep is in no phase. */
static void a_sleeping_machine(void **state)
{
	struct session s, clean;

	(void)state;
	load(&s, "suspended");
	load(&clean, "clean-upgrade");
	/* The two clocks are read one after the other. */
	assert_in_range(s.model.suspended_ns, 3600 * SECOND - 1000, 3600 * SECOND + 1000);
	assert_int_equal(model_wall(&s.model), model_wall(&clean.model));
	assert_int_equal(clean.model.suspended_ns, 0);
	model_done(&s.model);
	model_done(&clean.model);
}

static void many_packages(void **state)
{
	struct session s;

	(void)state;
	load(&s, "500-packages");
	assert_int_equal(s.model.packages.unpacked, 500);
	assert_int_equal(s.model.packages.configured, 500);
	model_done(&s.model);
}

static void a_cut_file(void **state)
{
	struct session s;
	char *text;

	(void)state;
	load(&s, "truncated");
	assert_true(s.cut);
	assert_int_equal(s.model.state, MODEL_RUNNING);
	text = json_of(&s, "truncated");
	assert_non_null(strstr(text, "\"complete\":false"));
	assert_non_null(strstr(text, "\"exit_status\":null"));
	free(text);
	model_done(&s.model);
}

static void two_builds(void **state)
{
	struct session s;

	(void)state;
	load(&s, "two-initramfs");
	assert_int_equal(s.model.steps.count, 2);
	for (int i = 0; i < 2; i++)
		assert_true(s.model.steps.items[i].end_ns > s.model.steps.items[i].begin_ns);
	assert_string_equal(s.model.steps.items[1].by, "trigger of initramfs-tools");
	assert_true(s.model.ledger.wall_ns[PHASE_INITRAMFS] > 0);
	model_done(&s.model);
}

/* What was before is known by the log alone: no cause, and no prediction. */
static void coming_late(void **state)
{
	struct prediction p[N_WHATIFS];
	struct session s;

	(void)state;
	load(&s, "attach-mid-run");
	assert_true(s.model.begun.mono_ns > s.model.since_ns);
	assert_true(ledger_cause(&s.model.ledger, CAUSE_UNKNOWN).ns > 0);
	whatif(&s.model, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].wall_ns, UNKNOWN_NS);
	assert_int_equal(p[WHATIF_EATMYDATA].wall_ns, UNKNOWN_NS);
	model_done(&s.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(look_as_before),     cmocka_unit_test(sums_and_widths),
		cmocka_unit_test(a_clean_upgrade),    cmocka_unit_test(a_failed_postinst),
		cmocka_unit_test(without_the_probe),  cmocka_unit_test(a_counter_reset),
		cmocka_unit_test(a_sleeping_machine), cmocka_unit_test(many_packages),
		cmocka_unit_test(a_cut_file),         cmocka_unit_test(two_builds),
		cmocka_unit_test(coming_late),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
