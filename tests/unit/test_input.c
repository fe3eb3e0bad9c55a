/* test_input.c - who is taken to wait for a person, and who is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed.h"

#define MS INT64_C(1000000)

/* apt-get > dpkg > perl debconf frontend > whiptail, none of which waits. */
static void begin(struct feed *f)
{
	static const char *const names[] = {"apt-get", "dpkg", "frontend", "whiptail"};

	feed_init(f, "");
	for (int i = 0; i < 4; i++) {
		struct process_counters *p = feed_process(f, 100 + i, i ? 99 + i : 1);

		snprintf(p->name, sizeof(p->name), "%s", names[i]);
		p->waits = '-';
	}
	feed_begin(f, "apt-get");
	feed_sample(f, SAMPLE_FULL);
}

static void keep_first(struct feed *f, size_t count)
{
	f->sample.n_processes = count;
}

static enum input_kind after(struct feed *f, int64_t ns)
{
	feed_wait(f, ns);
	feed_sample(f, SAMPLE_THIN);
	return f->model.input.kind;
}

/* dpkg's conffile prompt reads its terminal; half a second must pass without CPU time. */
static void test_question(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	keep_first(&f, 2);
	f.sample.processes[1].waits = 'r';
	assert_int_equal(after(&f, 250 * MS), INPUT_NONE);
	assert_int_equal(after(&f, 250 * MS), INPUT_NONE);
	assert_int_equal(after(&f, 250 * MS), INPUT_QUESTION);
	assert_int_equal(f.model.input.pid, 101);
	assert_string_equal(f.model.input.name, "dpkg");
	/* Someone typed, and it worked on that. */
	f.sample.processes[1].cpu_ns += 10 * MS;
	assert_int_equal(after(&f, 250 * MS), INPUT_NONE);
	assert_int_equal(after(&f, 500 * MS), INPUT_QUESTION);
	f.sample.processes[1].waits = '-';
	assert_int_equal(after(&f, 250 * MS), INPUT_NONE);
	feed_done(&f);
}

/* A dialog polls; apt polls too, and asks nothing. */
static void test_polls(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[0].waits = f.sample.processes[3].waits = 'p';
	after(&f, 100 * MS);
	assert_int_equal(after(&f, 600 * MS), INPUT_DIALOG);
	keep_first(&f, 1);
	after(&f, 100 * MS);
	assert_int_equal(after(&f, 600 * MS), INPUT_NONE);
	feed_done(&f);
}

/* Only leaves wait: a shell that waits for its child reads nothing, whatever it did before. */
static void test_not_a_leaf(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[1].waits = 'r';
	after(&f, 100 * MS);
	assert_int_equal(after(&f, 600 * MS), INPUT_NONE);
	feed_done(&f);
}

static void test_pager(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	snprintf(f.sample.processes[3].name, sizeof(f.sample.processes[3].name), "less");
	snprintf(f.sample.processes[2].name, sizeof(f.sample.processes[2].name), "sh");
	f.sample.processes[3].waits = 'r';
	after(&f, 100 * MS);
	assert_int_equal(after(&f, 600 * MS), INPUT_PAGER);
	feed_done(&f);
}

/* Without root nobody can tell, and nobody is said not to wait. */
static void test_unknown(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[3].waits = '?';
	assert_int_equal(after(&f, 600 * MS), INPUT_UNKNOWN);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_INPUT).quality, QUALITY_UNKNOWN);
	f.sample.why[GROUP_PROCESSES] = -13;
	assert_int_equal(after(&f, 600 * MS), INPUT_UNKNOWN);
	feed_done(&f);
}

/* What was left running asks the upgrade's person nothing. */
static void test_left_running(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[3].waits = 'r';
	f.sample.processes[3].left = 'y';
	f.sample.processes[3].parent = 1;
	after(&f, 100 * MS);
	assert_int_equal(after(&f, 600 * MS), INPUT_NONE);
	feed_done(&f);
}

/* The person's time is charged to the person. */
static void test_charged(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	keep_first(&f, 2);
	f.sample.processes[1].waits = 'r';
	for (int i = 0; i < 40; i++)
		after(&f, 250 * MS);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_INPUT).quality, QUALITY_SAMPLED);
	assert_in_range(ledger_cause(&f.model.ledger, CAUSE_INPUT).ns, 9250 * MS, 10000 * MS);
	assert_int_equal(ledger_total(&f.model.ledger), model_elapsed(&f.model));
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_question),   cmocka_unit_test(test_polls),
		cmocka_unit_test(test_not_a_leaf), cmocka_unit_test(test_pager),
		cmocka_unit_test(test_unknown),    cmocka_unit_test(test_left_running),
		cmocka_unit_test(test_charged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
