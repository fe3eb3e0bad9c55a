/* test_compare.c - runs beside each other: groups, differences, noise, and not the same work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "dpkgtop/report.h"
#include "feed.h"

#define MS   INT64_C(1000000)
#define RUNS 6

/* A run of one package, so long in unpack and then in an initramfs build. */
static void fill(struct model *m, const char *label, int64_t unpack_ms, int64_t initramfs_ms)
{
	struct charge c;

	model_init(m);
	m->state = MODEL_ENDED;
	m->status = 0;
	m->ended.mono_ns = (unpack_ms + initramfs_ms) * MS;
	snprintf(m->header.label, sizeof(m->header.label), "%s", label);
	snprintf(m->header.kernel, sizeof(m->header.kernel), "6.1");
	snprintf(m->facts.filesystem, sizeof(m->facts.filesystem), "ext4");
	m->facts.rotational = 0;
	charge_init(&c);
	c.causes[CAUSE_CPU] = (struct cell){unpack_ms * MS, QUALITY_SAMPLED};
	ledger_charge(&m->ledger, PHASE_UNPACK, &c);
	c.causes[CAUSE_CPU].ns = initramfs_ms * MS;
	ledger_charge(&m->ledger, PHASE_INITRAMFS, &c);
}

static void package(struct model *m, const char *name, const char *version)
{
	struct event e = {.kind = EVENT_PACKAGE, .package = {.verb = VERB_INSTALL}};

	snprintf(e.package.name, sizeof(e.package.name), "%s", name);
	snprintf(e.package.target, sizeof(e.package.target), "%s", version);
	packages_event(&m->packages, &e);
}

static const struct compare_row *row(const struct comparison *c, const char *key)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (strcmp(c->rows[i].key, key) == 0)
			return &c->rows[i];
	fail_msg("no row %s", key);
	return NULL;
}

static void begin(struct compare_run *runs, const struct model *m, int count)
{
	static const char *const names[RUNS] = {"a", "b", "c", "d", "e", "f"};

	for (int i = 0; i < count; i++)
		runs[i] = (struct compare_run){&m[i], names[i]};
}

static char *text_of(const struct comparison *c,
                     void (*writer)(const struct comparison *c, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	writer(c, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void done(struct comparison *c, struct model *m, int count)
{
	compare_done(c);
	for (int i = 0; i < count; i++)
		model_done(&m[i]);
}

/* The mailing list's arithmetic, without its guess: 110, 107 and 96 s with 45 of initramfs. */
static void against_the_first(void **state)
{
	static const int64_t unpack[] = {65451, 62309, 51407};
	struct compare_run runs[3];
	static struct model m[3];
	struct comparison c;
	const struct compare_row *r;
	char *text;

	(void)state;
	for (int i = 0; i < 3; i++)
		fill(&m[i], "", unpack[i], 45000);
	begin(runs, m, 3);
	compare(runs, 3, &c);
	assert_int_equal(c.n_groups, 3);
	assert_int_equal(c.n_differences, 0);
	r = row(&c, "real");
	assert_float_equal(r->values[0].median, 110.451, 1e-9);
	assert_true(isnan(r->values[0].difference));
	assert_float_equal(r->values[2].difference, -14.044, 1e-9);
	assert_float_equal(r->values[2].relative, -14.044 / 110.451, 1e-9);
	/* One run each: who knows what is noise? */
	assert_true(isnan(r->values[2].spread));
	assert_int_equal(r->values[2].noise, COMPARE_NOISE_UNKNOWN);
	assert_float_equal(row(&c, "without_initramfs")->values[1].median, 62.309, 1e-9);
	assert_true(isnan(row(&c, "user")->values[0].median));
	assert_true(isnan(row(&c, "syncs.package")->values[1].median));
	assert_float_equal(row(&c, "phase.read")->values[0].median, 0, 0);
	text = text_of(&c, report_compare_text);
	assert_non_null(strstr(text, "without initramfs    65.451   62.309    -3.142  -4.8%"));
	assert_null(strstr(text, "read"));
	assert_null(strstr(text, "noise"));
	free(text);
	done(&c, m, 3);
}

static void labels_are_groups(void **state)
{
	static const struct {
		const char *label;
		int64_t ms;
	} of[RUNS] = {{"safe", 10000},  {"unsafe", 9900}, {"safe", 10400},
	              {"unsafe", 9000}, {"safe", 10200},  {"eat", 5000}};
	struct compare_run runs[RUNS];
	static struct model m[RUNS];
	struct comparison c;
	const struct compare_value *v;
	char *text;

	(void)state;
	for (int i = 0; i < RUNS; i++)
		fill(&m[i], of[i].label, of[i].ms, 0);
	begin(runs, m, RUNS);
	compare(runs, RUNS, &c);
	assert_int_equal(c.n_groups, 3);
	assert_string_equal(c.groups[1].name, "unsafe");
	assert_int_equal(c.groups[0].runs, 3);
	v = row(&c, "real")->values;
	assert_float_equal(v[0].median, 10.2, 1e-9);
	assert_float_equal(v[0].spread, 0.4, 1e-9);
	/* Of two runs the median lies between. */
	assert_float_equal(v[1].median, 9.45, 1e-9);
	assert_float_equal(v[1].spread, 0.9, 1e-9);
	assert_int_equal(v[1].noise, COMPARE_NOISE);
	/* One run, but the base's spread tells. */
	assert_true(isnan(v[2].spread));
	assert_int_equal(v[2].noise, COMPARE_NO_NOISE);
	text = text_of(&c, report_compare_text);
	assert_non_null(strstr(text, "noise"));
	free(text);
	done(&c, m, RUNS);
}

/* So long of the run's unpack was a person's; < 0: it is not known. */
static void waited(struct model *m, int64_t ms)
{
	m->ledger.cells[PHASE_UNPACK][CAUSE_CPU].ns -= ms > 0 ? ms * MS : 0;
	m->ledger.cells[PHASE_UNPACK][CAUSE_INPUT] =
		ms < 0 ? (struct cell){0, QUALITY_UNKNOWN}
		       : (struct cell){ms * MS, QUALITY_SAMPLED};
}

/* 24.9 s more, of which a person had 22.1; and of a third run nobody knows. */
static void a_person_is_no_slower_upgrade(void **state)
{
	struct compare_run runs[3];
	static struct model m[3];
	const struct compare_value *v;
	struct comparison c;
	char *text;

	(void)state;
	for (int i = 0; i < 3; i++)
		fill(&m[i], "", i == 1 ? 84900 : 60000, 0);
	waited(&m[0], 0);
	waited(&m[1], 22100);
	waited(&m[2], -1);
	begin(runs, m, 3);
	compare(runs, 3, &c);
	v = row(&c, "without_input")->values;
	assert_float_equal(v[0].median, 60, 1e-9);
	assert_float_equal(v[1].difference, 2.8, 1e-9);
	assert_true(isnan(v[2].median));
	text = text_of(&c, report_compare_text);
	assert_non_null(strstr(text, "\nwithout initramfs    60.000   84.900   +24.900 +41.5%"));
	assert_non_null(strstr(text, "\nwithout waiting      60.000   62.800    +2.800  +4.7%"));
	free(text);
	text = text_of(&c, report_compare_markdown);
	assert_non_null(strstr(text, "\n| without_input | 60.000 | 62.800 | +2.800 | +4.7% | - |"));
	free(text);
	text = text_of(&c, report_compare_csv);
	assert_non_null(strstr(text, "\nwithout_input,s,60,,62.8,,2.8,0.0466"));
	free(text);
	text = text_of(&c, report_compare_json);
	assert_non_null(strstr(text, "\"without_input\""));
	free(text);
	done(&c, m, 3);
}

/* The tables for people have the row where it says anything: one of a group is enough. */
static void without_a_wait_is_no_row(void **state)
{
	struct compare_run runs[4];
	static struct model m[4];
	struct comparison c;

	(void)state;
	for (int one = 0; one < 2; one++) {
		char *text, *table;

		for (int i = 0; i < 4; i++) {
			fill(&m[i], i ? "many" : "base", 10000, 0);
			waited(&m[i], i == 2 && one ? 4000 : 0);
		}
		begin(runs, m, 4);
		compare(runs, 4, &c);
		text = text_of(&c, report_compare_text);
		table = text_of(&c, report_compare_markdown);
		assert_int_equal(strstr(text, "without waiting") != NULL, one);
		assert_int_equal(strstr(table, "without_input") != NULL, one);
		free(text);
		free(table);
		assert_float_equal(row(&c, "without_input")->values[0].median, 10, 1e-9);
		done(&c, m, 4);
	}
}

static const struct compare_difference *difference(const struct comparison *c, const char *what)
{
	for (size_t i = 0; i < c->n_differences; i++)
		if (strcmp(c->differences[i].what, what) == 0)
			return &c->differences[i];
	return NULL;
}

static void not_the_same_work(void **state)
{
	struct compare_run runs[2];
	static struct model m[2];
	struct comparison c;
	char *text;

	(void)state;
	for (int i = 0; i < 2; i++)
		fill(&m[i], "", 1000, 0);
	package(&m[0], "a", "1");
	package(&m[0], "b", "1");
	package(&m[0], "gone", "1");
	package(&m[1], "b", "2");
	package(&m[1], "a", "1");
	package(&m[1], "new", "1");
	snprintf(m[1].header.kernel, sizeof(m[1].header.kernel), "6.12");
	m[1].facts.rotational = 1;
	m[1].facts.filesystem[0] = '\0';
	m[1].status = 1;
	begin(runs, m, 2);
	compare(runs, 2, &c);
	assert_non_null(difference(&c, "packages"));
	assert_string_equal(difference(&c, "packages")->base, "3 packages");
	assert_string_equal(difference(&c, "packages")->is,
	                    "1 missing, 1 more, 1 of another version or action: b, gone, new");
	assert_string_equal(difference(&c, "kernel")->is, "6.12");
	assert_string_equal(difference(&c, "storage")->base, "not rotating");
	assert_string_equal(difference(&c, "end")->is, "exit status 1");
	/* What is not known is no difference. */
	assert_null(difference(&c, "filesystem"));
	assert_int_equal(c.n_differences, 4);
	text = text_of(&c, report_compare_text);
	assert_non_null(strstr(text, "Not the same work:\n- b, end: exit status 1;"));
	assert_non_null(strstr(text, "real"));
	free(text);
	text = text_of(&c, report_compare_json);
	assert_non_null(strstr(text, "\"same_work\":false"));
	free(text);
	done(&c, m, 2);
}

/* However many groups there are, and however they are called. */
static void eighty_columns(void **state)
{
	struct compare_run runs[RUNS];
	static struct model m[RUNS];
	struct comparison c;

	(void)state;
	for (int same = 0; same < 2; same++) {
		char *text;

		for (int i = 0; i < RUNS; i++) {
			fill(&m[i], "", 100000000 * (i + 1), 20000000);
			m[i].storage.written_bytes = UINT64_C(999400000000) * (uint64_t)(i + 1);
			m[i].storage.flushes = 1234567;
			snprintf(m[i].header.label, sizeof(m[i].header.label),
			         "a label that nobody would ever give %d", same ? i / 2 : i);
			snprintf(m[i].mode.mode, sizeof(m[i].mode.mode), "eatmydata");
		}
		begin(runs, m, RUNS);
		compare(runs, RUNS, &c);
		text = text_of(&c, report_compare_text);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > 80)
				fail_msg("%.*s", (int)strcspn(line, "\n"), line);
		free(text);
		done(&c, m, RUNS);
	}
}

static void as_csv_and_markdown(void **state)
{
	struct compare_run runs[2];
	static struct model m[2];
	struct comparison c;
	char *text;

	(void)state;
	fill(&m[0], "one, \"two\"", 1000, 0);
	fill(&m[1], "a|b", 1500, 0);
	begin(runs, m, 2);
	compare(runs, 2, &c);
	text = text_of(&c, report_compare_csv);
	assert_non_null(strstr(text,
	                       "key,unit,\"one, \"\"two\"\"\",\"one, \"\"two\"\" spread\",a|b,"
	                       "a|b spread,a|b difference,a|b relative,a|b noise\n"));
	assert_non_null(strstr(text, "real,s,1,,1.5,,0.5,0.5,\n"));
	assert_non_null(strstr(text, "user,s,,,,,,,\n"));
	free(text);
	text = text_of(&c, report_compare_markdown);
	assert_non_null(strstr(text, "| a\\|b | difference | |\n|---|---:|---:|---:|---:|\n"));
	assert_non_null(strstr(text, "| real | 1.000 | 1.500 | +0.500 | +50.0% |\n"));
	free(text);
	done(&c, m, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_the_first),
		cmocka_unit_test(labels_are_groups),
		cmocka_unit_test(not_the_same_work),
		cmocka_unit_test(eighty_columns),
		cmocka_unit_test(as_csv_and_markdown),
		cmocka_unit_test(a_person_is_no_slower_upgrade),
		cmocka_unit_test(without_a_wait_is_no_row),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
