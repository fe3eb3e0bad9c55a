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

/* A script that was left a child in the background reads the terminal: what has ended, and was not
 * waited for, is no work that goes on. */
static void test_zombie_below(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	keep_first(&f, 3);
	f.sample.processes[1].waits = 'r';
	assert_int_equal(after(&f, 1000 * MS), INPUT_NONE);
	assert_int_equal(after(&f, 1000 * MS), INPUT_NONE);
	f.sample.processes[2].state = 'Z';
	assert_int_equal(after(&f, 250 * MS), INPUT_NONE);
	assert_int_equal(after(&f, 500 * MS), INPUT_QUESTION);
	assert_int_equal(f.model.input.pid, 101);
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

/* debconf asks by itself where it has no dialog program; its script waits below it. */
static void test_debconf_asks(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[2].waits = 'r';
	after(&f, 100 * MS);
	assert_int_equal(after(&f, 600 * MS), INPUT_DIALOG);
	assert_string_equal(f.model.input.name, "frontend");
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

static void check_ms(const struct feed *f, enum cause c, int64_t ms)
{
	assert_int_equal(ledger_cause(&f->model.ledger, c).ns / MS, ms);
	assert_int_equal(ledger_total(&f->model.ledger), model_elapsed(&f->model));
	for (int p = 0; p < N_PHASES; p++)
		assert_true(f->model.ledger.cells[p][c].ns >= 0);
}

/* The second process alone, at a prompt for so many samples. */
static void ask(struct feed *f, int samples)
{
	keep_first(f, 2);
	f->sample.processes[1].waits = 'r';
	for (int i = 0; i < samples; i++)
		after(f, 250 * MS);
}

/* All of a person's time is charged to the person, that before it was sure too. */
static void test_charged(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	ask(&f, 2);
	check_ms(&f, CAUSE_OTHER, 500);
	ask(&f, 1);
	check_ms(&f, CAUSE_OTHER, 0);
	ask(&f, 5);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_INPUT).quality, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_INPUT, 2000);
	feed_done(&f);
}

/* Where the wait begins and where it ends, what is known to be at work comes first. */
static void test_edges(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_wait(&f, 1000 * MS);
	feed_sample(&f, SAMPLE_FULL);
	f.sample.processes[1].cpu_ns += 100 * MS;
	ask(&f, 8);
	check_ms(&f, CAUSE_CPU, 100);
	check_ms(&f, CAUSE_INPUT, 1900);
	f.sample.processes[1].cpu_ns += 50 * MS;
	f.sample.processes[1].waits = '-';
	after(&f, 250 * MS);
	check_ms(&f, CAUSE_CPU, 150);
	check_ms(&f, CAUSE_INPUT, 2100);
	after(&f, 250 * MS);
	check_ms(&f, CAUSE_INPUT, 2100);
	check_ms(&f, CAUSE_OTHER, 1250);
	feed_done(&f);
}

/* Who answers faster than anybody reads was not waited for. */
static void test_too_short(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	ask(&f, 2);
	f.sample.processes[1].waits = '-';
	after(&f, 250 * MS);
	ask(&f, 2);
	f.sample.processes[1].pid++; /* another one asks: the time before is not its */
	ask(&f, 2);
	check_ms(&f, CAUSE_INPUT, 0);
	ask(&f, 1);
	check_ms(&f, CAUSE_INPUT, 750);
	check_ms(&f, CAUSE_OTHER, 1250);
	feed_done(&f);
}

/* Keys cost a tick of CPU now and then: the person is at it all the time. */
static void test_types(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	ask(&f, 4);
	for (int i = 0; i < 5; i++) {
		f.sample.processes[1].cpu_ns += 10 * MS;
		ask(&f, 1);
		assert_int_equal(f.model.input.kind, INPUT_NONE);
	}
	f.sample.processes[1].waits = '-';
	after(&f, 250 * MS);
	check_ms(&f, CAUSE_CPU, 50);
	check_ms(&f, CAUSE_INPUT, 2450);
	feed_done(&f);
}

/* An answer ends with the sample that shows it, be it one at a boundary: what the upgrade then does
 * is not the person's. */
static void test_boundaries(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	ask(&f, 8);
	f.sample.processes[1].waits = '-';
	feed_wait(&f, 50 * MS);
	feed_line(&f, VERB_INSTALL, STATE_NONE, "b", "", "1");
	feed_wait(&f, 100 * MS);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "b", "1", "");
	assert_int_equal(f.model.input.kind, INPUT_NONE);
	check_ms(&f, CAUSE_INPUT, 2050);
	assert_int_equal(f.model.ledger.cells[PHASE_CONFIGURE][CAUSE_INPUT].ns, 2050 * MS);
	assert_int_equal(f.model.ledger.cells[PHASE_UNPACK][CAUSE_OTHER].ns, 100 * MS);
	feed_done(&f);
}

/* A question begins in one phase and is known as such in the next: each has its part. */
static void test_two_phases(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
	ask(&f, 2);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	ask(&f, 2);
	check_ms(&f, CAUSE_INPUT, 1000);
	assert_int_equal(f.model.ledger.cells[PHASE_UNPACK][CAUSE_INPUT].ns, 500 * MS);
	assert_int_equal(f.model.ledger.cells[PHASE_CONFIGURE][CAUSE_INPUT].ns, 500 * MS);
	assert_int_equal(f.model.ledger.wall_ns[PHASE_UNPACK], 500 * MS);
	feed_done(&f);
}

/* Stopped in mid-question, nobody can answer. */
static void test_stopped(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	ask(&f, 4);
	f.sample.processes[1].state = 'T';
	f.sample.processes[1].waits = '?';
	for (int i = 0; i < 8; i++)
		after(&f, 250 * MS);
	assert_int_equal(f.model.input.kind, INPUT_NONE);
	check_ms(&f, CAUSE_INPUT, 1250);
	check_ms(&f, CAUSE_OTHER, 1750);
	feed_done(&f);
}

/* What the observer slept through may have been anything. */
static void test_long_gap(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	keep_first(&f, 2);
	f.sample.processes[1].waits = 'r';
	after(&f, 60 * SECOND);
	ask(&f, 4);
	check_ms(&f, CAUSE_INPUT, 1000);
	f.sample.processes[1].waits = '-';
	after(&f, 60 * SECOND);
	check_ms(&f, CAUSE_INPUT, 1000);
	check_ms(&f, CAUSE_OTHER, 120000);
	feed_done(&f);
}

/* A sample of the probe's groups alone, after which the tree had used so much CPU time. */
static void passed_over(struct input *i, enum sample_kind kind, int64_t cpu_ns)
{
	struct sample s;

	sample_init(&s);
	s.kind = kind;
	s.probe.cpu_ns = cpu_ns;
	input_sample(i, &s);
	sample_done(&s);
}

/* One process that reads a terminal. */
static void seen_reading(struct input *i)
{
	struct process_counters *p;
	struct sample s;

	sample_init(&s);
	s.kind = SAMPLE_THIN;
	s.why[GROUP_PROCESSES] = 0;
	p = sample_add_process(&s);
	*p = (struct process_counters){.pid = 7, .state = 'S', .waits = 'r', .left = '-'};
	input_sample(i, &s);
	sample_done(&s);
}

/* Who ran may have come to wait at the end of it: that time counts too, should it turn out so. */
static void test_passed_over_and_ran(void **state)
{
	struct input i;

	(void)state;
	input_init(&i);
	passed_over(&i, SAMPLE_THIN, 5 * MS);
	assert_int_equal(i.share, INPUT_SHARE_MAYBE);
	assert_true(i.begins);
	seen_reading(&i);
	assert_int_equal(i.share, INPUT_SHARE_MAYBE);
	assert_false(i.begins);
}

/* Where nobody ran nobody came to wait; and what came before a line of the log is its own. */
static void test_passed_over_at_rest(void **state)
{
	struct input i;

	(void)state;
	input_init(&i);
	passed_over(&i, SAMPLE_THIN, 5 * MS);
	passed_over(&i, SAMPLE_THIN, 5 * MS);
	assert_int_equal(i.share, INPUT_SHARE_NONE);
	seen_reading(&i);
	assert_true(i.begins);
	input_init(&i);
	passed_over(&i, SAMPLE_THIN, 5 * MS);
	passed_over(&i, SAMPLE_BOUNDARY, 9 * MS);
	assert_int_equal(i.share, INPUT_SHARE_NONE);
	seen_reading(&i);
	assert_true(i.begins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passed_over_and_ran),
		cmocka_unit_test(test_passed_over_at_rest),
		cmocka_unit_test(test_question),
		cmocka_unit_test(test_zombie_below),
		cmocka_unit_test(test_polls),
		cmocka_unit_test(test_not_a_leaf),
		cmocka_unit_test(test_debconf_asks),
		cmocka_unit_test(test_pager),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_left_running),
		cmocka_unit_test(test_charged),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_too_short),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_two_phases),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_long_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
