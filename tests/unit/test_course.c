/* test_course.c - upgrades that do not run the plain way: attached late, resident, in mixed modes,
 * with builds and tools inside; and numbers that no upgrade has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "dpkgtop/span.h"

#include "feed.h"

static double seconds(const struct feed *f, enum phase p)
{
	return (double)f->model.ledger.wall_ns[p] / 1e9;
}

static void past_line(struct feed *f, int64_t ago_ns, enum package_verb verb,
                      enum package_state state, const char *name)
{
	struct event e = {.kind = EVENT_PACKAGE,
	                  .package = {.verb = verb, .state = state, .ago_ns = ago_ns}};

	snprintf(e.package.name, sizeof(e.package.name), "%s", name);
	feed_event(f, e);
}

/* The time before is known as time, by phase; what it went to is not. */
static void test_attached_late(void **state)
{
	struct event begin = {.kind = EVENT_UPGRADE, .upgrade = {.pid = 100, .start_ticks = 1}};
	const struct package *k;
	struct feed f;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda");
	feed_process(&f, 100, 1);
	begin.upgrade.since_ns = f.now_ns - 20 * SECOND;
	feed_event(&f, begin);
	past_line(&f, 17 * SECOND, VERB_STARTUP, STATE_NONE, "");
	past_line(&f, 15 * SECOND, VERB_INSTALL, STATE_NONE, "a");
	past_line(&f, 15 * SECOND, VERB_STATUS, STATE_HALF_INSTALLED, "a");
	past_line(&f, 10 * SECOND, VERB_STATUS, STATE_UNPACKED, "a");
	past_line(&f, 8 * SECOND, VERB_STARTUP, STATE_NONE, "");
	past_line(&f, 8 * SECOND, VERB_CONFIGURE, STATE_NONE, "a");
	feed_sample(&f, SAMPLE_FULL);
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	assert_int_equal(model_elapsed(&f.model), 20 * SECOND);
	assert_float_equal(seconds(&f, PHASE_PREPARE), 3, 1e-9);
	assert_float_equal(seconds(&f, PHASE_READ), 2, 1e-9);
	assert_float_equal(seconds(&f, PHASE_UNPACK), 5, 1e-9);
	assert_float_equal(seconds(&f, PHASE_BETWEEN), 2, 1e-9);
	assert_float_equal(seconds(&f, PHASE_CONFIGURE), 8, 1e-9);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_UNKNOWN).ns, 20 * SECOND);
	k = packages_find(&f.model.packages, "a", "");
	assert_int_equal(k->unpack_ns, 5 * SECOND);
	/* From here on it is seen. */
	f.sample.processes[0].cpu_ns += SECOND;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_CPU).ns, SECOND);
	assert_float_equal(seconds(&f, PHASE_CONFIGURE), 9, 1e-9);
	feed_done(&f);
}

/* The log's clock was set back between two lines: nothing took less than no time. */
static void test_clock_set_back(void **state)
{
	const struct package *k;
	struct feed f;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda");
	feed_process(&f, 100, 1);
	feed_begin(&f, "dpkg");
	feed_wait(&f, 20 * SECOND);
	past_line(&f, 5 * SECOND, VERB_CONFIGURE, STATE_NONE, "a");
	past_line(&f, 8 * SECOND, VERB_STATUS, STATE_INSTALLED, "a");
	k = packages_find(&f.model.packages, "a", "");
	assert_int_equal(k->configure_ns, 0);
	assert_int_equal(f.model.packages.configure_ns, 0);
	feed_done(&f);
}

/* The steps to come need not wait for a person because one did; the package's time is what it is.
 */
static void test_waits_are_no_steps(void **state)
{
	struct process_counters *p;
	const struct package *k;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	p = feed_process(&f, 100, 1);
	feed_begin(&f, "dpkg");
	feed_sample(&f, SAMPLE_FULL);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	feed_wait(&f, SECOND);
	p->state = 'S';
	p->waits = 'r';
	for (int i = 0; i <= 20; i++) {
		feed_sample(&f, SAMPLE_FULL);
		feed_wait(&f, SECOND);
	}
	assert_true(ledger_cause(&f.model.ledger, CAUSE_INPUT).ns >= 19 * SECOND);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "a", "1", "");
	k = packages_find(&f.model.packages, "a", "");
	assert_int_equal(k->configure_ns, 22 * SECOND);
	assert_true(f.model.packages.configure_ns <= 3 * SECOND);
	feed_done(&f);
}

/* A resident frontend's upgrade ended with its last dpkg, however long one waited to be sure. */
static void test_resident(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "aptitude");
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	feed_wait(&f, 4 * SECOND);
	feed_exit(&f, ROLE_DPKG, 101, 0);
	feed_wait(&f, 5 * SECOND);
	feed_sample(&f, SAMPLE_THIN);
	feed_event(&f, (struct event){.kind = EVENT_END, .end = {STATUS_UNKNOWN, 1}});
	assert_int_equal(model_elapsed(&f.model), 4 * SECOND);
	assert_int_equal(ledger_total(&f.model.ledger), 4 * SECOND);
	assert_int_equal(f.model.timeline.spans[f.model.timeline.count - 1].end_ns,
	                 f.model.ended.mono_ns);
	feed_done(&f);
}

static void ask(struct feed *f, int samples)
{
	for (int i = 0; i < samples; i++) {
		f->sample.processes[0].waits = 'r';
		feed_wait(f, SECOND / 4);
		feed_sample(f, SAMPLE_THIN);
	}
}

/* A question asked between two dpkgs, of which the log alone tells, and known only in the second's
 * time: it goes with the time that turns out to have been between them. */
static void test_asked_between(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_process(&f, 100, 1);
	feed_begin(&f, "dpkg");
	feed_sample(&f, SAMPLE_FULL);
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	ask(&f, 2);
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	ask(&f, 4);
	assert_int_equal(f.model.ledger.cells[PHASE_BETWEEN][CAUSE_INPUT].ns, SECOND / 2);
	assert_int_equal(f.model.ledger.cells[PHASE_READ][CAUSE_INPUT].ns, SECOND);
	assert_int_equal(f.model.ledger.wall_ns[PHASE_CONFIGURE], 0);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_OTHER).ns, 0);
	assert_int_equal(ledger_total(&f.model.ledger), model_elapsed(&f.model));
	feed_done(&f);
}

/* One known in the tail goes with it. */
static void test_asked_in_tail(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_process(&f, 100, 1);
	feed_begin(&f, "aptitude");
	feed_sample(&f, SAMPLE_FULL);
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	ask(&f, 1);
	feed_exit(&f, ROLE_DPKG, 101, 0);
	ask(&f, 4);
	assert_int_equal(f.model.ledger.cells[PHASE_READ][CAUSE_INPUT].ns, SECOND / 4);
	assert_int_equal(f.model.ledger.cells[PHASE_BETWEEN][CAUSE_INPUT].ns, SECOND);
	feed_event(&f, (struct event){.kind = EVENT_END, .end = {STATUS_UNKNOWN, 1}});
	assert_int_equal(f.model.ledger.cells[PHASE_BETWEEN][CAUSE_INPUT].ns, 0);
	assert_int_equal(f.model.ledger.cells[PHASE_BETWEEN][CAUSE_OTHER].ns, 0);
	assert_int_equal(ledger_total(&f.model.ledger), model_elapsed(&f.model));
	feed_done(&f);
}

static void mode(struct feed *f, const char *mode, const char *source)
{
	struct event e = {.kind = EVENT_MODE};

	snprintf(e.mode.mode, sizeof(e.mode.mode), "%s", mode);
	snprintf(e.mode.source, sizeof(e.mode.source), "%s", source);
	feed_event(f, e);
}

static void test_modes(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt");
	assert_string_equal(f.model.mode.mode, "");
	mode(&f, "unsafe-io", "arguments");
	mode(&f, "", "");
	mode(&f, "unsafe-io", "arguments");
	assert_string_equal(f.model.mode.mode, "unsafe-io");
	mode(&f, "safe-io", "default");
	assert_string_equal(f.model.mode.mode, "mixed");
	mode(&f, "safe-io", "default");
	assert_string_equal(f.model.mode.mode, "mixed");
	feed_done(&f);
}

/* A kernel builds its initramfs twice: by its hook, and by the trigger that the log announces. */
static void test_two_builds(void **state)
{
	const struct step *steps;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt-get install linux-image-amd64");
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "linux-image-6.1", "1", "");
	feed_wait(&f, SECOND);
	feed_exec(&f, ROLE_STEP, 201, "linux-image-6.1 postinst", "dkms");
	feed_wait(&f, SECOND);
	feed_exit(&f, ROLE_STEP, 201, 0);
	feed_exec(&f, ROLE_INITRAMFS, 202, "linux-image-6.1 postinst", "mkinitramfs");
	assert_ptr_equal(steps_now(&f.model.steps), &f.model.steps.items[1]);
	feed_wait(&f, 18 * SECOND);
	feed_exit(&f, ROLE_INITRAMFS, 202, 0);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "linux-image-6.1", "1", "");
	feed_line(&f, VERB_TRIGPROC, STATE_NONE, "initramfs-tools", "1", "");
	feed_wait(&f, SECOND);
	feed_exec(&f, ROLE_INITRAMFS, 203, "initramfs-tools postinst", "mkinitramfs");
	feed_wait(&f, 17 * SECOND);
	feed_exit(&f, ROLE_INITRAMFS, 203, 0);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "initramfs-tools", "1", "");
	feed_exit(&f, ROLE_DPKG, 101, 0);
	feed_end(&f, 0);
	steps = f.model.steps.items;
	assert_int_equal(f.model.steps.count, 3);
	assert_string_equal(steps[0].tool, "dkms");
	assert_int_equal(steps[0].end_ns - steps[0].begin_ns, SECOND);
	assert_string_equal(steps[1].tool, "mkinitramfs");
	assert_string_equal(steps[1].by, "linux-image-6.1 postinst");
	assert_int_equal(steps[1].end_ns - steps[1].begin_ns, 18 * SECOND);
	assert_string_equal(steps[2].tool, "mkinitramfs");
	assert_string_equal(steps[2].by, "trigger of initramfs-tools");
	assert_int_equal(steps[2].end_ns - steps[2].begin_ns, 18 * SECOND);
	assert_null(steps_now(&f.model.steps));
	assert_float_equal(seconds(&f, PHASE_INITRAMFS), 36, 1e-9);
	feed_done(&f);
}

/* dracut's trigger by the log alone: a build all the same. */
static void test_build_by_log(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_event(&f, (struct event){.kind = EVENT_UPGRADE, .upgrade = {.since_ns = UNKNOWN_NS}});
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	feed_line(&f, VERB_TRIGPROC, STATE_NONE, "dracut", "1", "");
	feed_wait(&f, 9 * SECOND);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "dracut", "1", "");
	assert_int_equal(f.model.steps.count, 1);
	assert_string_equal(f.model.steps.items[0].by, "trigger of dracut");
	assert_int_equal(f.model.steps.items[0].end_ns - f.model.steps.items[0].begin_ns,
	                 9 * SECOND);
	feed_done(&f);
}

/* The status of the frontend, or of a script, may come to light after its end. */
static void test_late_status(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt-get");
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	feed_exec(&f, ROLE_SCRIPT, 102, "a", "postinst");
	feed_exit(&f, ROLE_SCRIPT, 102, STATUS_UNKNOWN);
	feed_exit(&f, ROLE_SCRIPT, 102, 3);
	assert_int_equal(f.model.packages.items[0].failure.status, 3);
	feed_exit(&f, ROLE_DPKG, 101, 1);
	feed_exit(&f, ROLE_FRONTEND, 100, STATUS_UNKNOWN);
	feed_end(&f, STATUS_UNKNOWN);
	assert_int_equal(f.model.status, STATUS_UNKNOWN);
	feed_event(&f, (struct event){.kind = EVENT_EXIT,
	                              .exit = {.pid = 100, .start_ticks = 1, .status = 100}});
	assert_int_equal(f.model.status, 100);
	feed_done(&f);
}

/* After the end the disk goes on, and is none of the upgrade's. */
static void test_sums_stand(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda");
	feed_begin(&f, "dpkg");
	feed_sample(&f, SAMPLE_FULL);
	f.sample.disks[0].flushes = 100;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	feed_end(&f, 0);
	f.sample.disks[0].flushes = 500;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(f.model.storage.flushes, 100);
	assert_float_equal(f.model.storage.rates.flushes, 400, 1e-9);
	feed_done(&f);
}

static void test_pressure(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	f.sample.why[GROUP_PRESSURE] = 0;
	f.sample.pressure = (struct pressure_counters){1000, UNKNOWN_U64, 0, 0, 0};
	feed_sample(&f, SAMPLE_FULL);
	assert_true(isnan(f.model.pressure.io_some));
	f.sample.pressure.io_some_us += 250000;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_float_equal(f.model.pressure.io_some, 0.25, 1e-9);
	assert_true(isnan(f.model.pressure.io_full));
	feed_done(&f);
}

/* Numbers as a damaged recording may hold them: nothing overflows, the sums stay sums. */
static void test_absurd_numbers(void **state)
{
	struct event plan = {.kind = EVENT_PLAN, .plan = {UNKNOWN_U64 - 1, 7, 7}};
	const int64_t most = INT64_MAX / 2;
	struct feed f;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda");
	for (int i = 0; i < 5; i++)
		feed_process(&f, 100 + i, 1);
	feed_begin(&f, "dpkg");
	feed_sample(&f, SAMPLE_FULL);
	f.sample.disks[0].flush_ms = UINT64_C(1) << 63;
	for (int i = 0; i < 5; i++)
		f.sample.processes[i].cpu_ns = f.sample.processes[i].reaped_cpu_ns = most;
	for (int i = 0; i < 6; i++) {
		feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
		feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a", "1", "");
		f.now_ns = f.now_ns < most - SPAN_MAX / 4 ? f.now_ns + SPAN_MAX / 4 : most;
		feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "1", "");
	}
	feed_event(&f, plan);
	feed_sample(&f, SAMPLE_FULL);
	assert_true(f.model.progress.left_ns == UNKNOWN_NS || f.model.progress.left_ns >= 0);
	assert_int_equal(ledger_total(&f.model.ledger), model_elapsed(&f.model));
	feed_done(&f);
}

/* As many packages as there are, each found at once. */
static void test_many_packages(void **state)
{
	struct feed f;
	char name[32];

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg");
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100000; i++) {
			snprintf(name, sizeof(name), "package-%d", i);
			feed_line(&f, VERB_CONFIGURE, STATE_NONE, name, "1", "");
			feed_line(&f, VERB_STATUS, STATE_INSTALLED, name, "1", "");
		}
	}
	assert_int_equal(f.model.packages.count, 100000);
	assert_int_equal(f.model.packages.configured, 200000);
	feed_done(&f);
}

/* A log may name more packages than there are: what came first is kept, and all count. */
static void test_too_many_packages(void **state)
{
	struct feed f;
	char name[32];

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg");
	for (int i = 0; i < PACKAGES_MAX + 1000; i++) {
		snprintf(name, sizeof(name), "package-%d", i);
		feed_line(&f, VERB_CONFIGURE, STATE_NONE, name, "1", "");
		if (i == 7 || i >= PACKAGES_MAX + 998)
			feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
		else
			feed_line(&f, VERB_STATUS, STATE_INSTALLED, name, "1", "");
	}
	assert_int_equal(f.model.packages.count, PACKAGES_MAX);
	assert_int_equal(f.model.packages.configured, PACKAGES_MAX + 997);
	assert_int_equal(f.model.packages.failures, 3);
	assert_int_equal(f.model.packages.unnamed_failures, 1);
	assert_true(packages_find(&f.model.packages, "package-7", "")->failed);
	assert_ptr_equal(packages_find(&f.model.packages, name, ""),
	                 packages_current(&f.model.packages));
	snprintf(name, sizeof(name), "package-%d", PACKAGES_MAX - 1);
	assert_null(packages_find(&f.model.packages, name, ""));
	feed_done(&f);
}

/* Each dpkg that ends is told of those that it began alone: with all that there are, this takes
 * minutes. */
static void test_many_runs(void **state)
{
	struct feed f;
	char name[32];
	clock_t began;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg");
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "package-%d", i);
		feed_line(&f, VERB_CONFIGURE, STATE_NONE, name, "1", "");
	}
	began = clock();
	for (int i = 0; i < 100000; i++) {
		feed_line(&f, VERB_CONFIGURE, STATE_NONE, "package-0", "1", "");
		feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	}
	assert_true((clock() - began) / CLOCKS_PER_SEC < 10);
	assert_int_equal(f.model.packages.failures, 100000);
	assert_int_equal(f.model.packages.dpkg_runs, 100000);
	feed_done(&f);
}

/* The status of a dpkg comes to light when the next one is at work: nothing ends once more. */
static void test_end_told_twice(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt");
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	feed_wait(&f, SECOND);
	feed_exit(&f, ROLE_DPKG, 101, STATUS_UNKNOWN);
	feed_exec(&f, ROLE_DPKG, 102, "", "");
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
	feed_wait(&f, SECOND);
	feed_exit(&f, ROLE_DPKG, 101, 0);
	assert_int_equal(phase_now(&f.model.phase), PHASE_UNPACK);
	assert_int_equal(f.model.packages.failures, 0);
	assert_non_null(packages_current(&f.model.packages));
	assert_int_equal(packages_current(&f.model.packages)->busy, VERB_INSTALL);
	feed_exit(&f, ROLE_DPKG, 102, 1);
	assert_int_equal(phase_now(&f.model.phase), PHASE_BETWEEN);
	assert_int_equal(f.model.packages.failures, 1);
	feed_done(&f);
}

static void builder(struct feed *f, int32_t pid, int32_t parent, const char *tool)
{
	struct event e = {.kind = EVENT_EXEC,
	                  .exec = {.pid = pid, .parent = parent, .role = ROLE_INITRAMFS}};

	snprintf(e.exec.script, sizeof(e.exec.script), "%s", tool);
	feed_event(f, e);
}

/* update-initramfs runs mkinitramfs, by itself or by a child, which executes once more: one build,
 * as long as its outermost process. */
static void test_build_within_build(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt");
	feed_exec(&f, ROLE_DPKG, 101, "", "");
	builder(&f, 200, 150, "update-initramfs");
	builder(&f, 201, 200, "mkinitramfs");
	builder(&f, 201, 200, "mkinitramfs");
	feed_wait(&f, 5 * SECOND);
	feed_exit(&f, ROLE_INITRAMFS, 201, 0);
	feed_wait(&f, SECOND);
	assert_non_null(steps_now(&f.model.steps));
	builder(&f, 200, 150, "mkinitramfs");
	feed_wait(&f, SECOND);
	feed_exit(&f, ROLE_INITRAMFS, 200, 0);
	assert_int_equal(phase_now(&f.model.phase), PHASE_READ);
	assert_int_equal(f.model.steps.count, 1);
	assert_int_equal(f.model.steps.open, 0);
	assert_string_equal(f.model.steps.items[0].tool, "update-initramfs");
	assert_int_equal(f.model.steps.items[0].end_ns - f.model.steps.items[0].begin_ns,
	                 7 * SECOND);
	/* The next one is another, by the same pid or not. */
	builder(&f, 200, 150, "mkinitramfs");
	assert_int_equal(f.model.steps.count, 2);
	feed_done(&f);
}

static void test_too_many_steps(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg");
	for (int i = 0; i < STEPS_MAX + 10; i++) {
		feed_line(&f, VERB_TRIGPROC, STATE_NONE, "initramfs-tools", "1", "");
		feed_line(&f, VERB_STATUS, STATE_INSTALLED, "initramfs-tools", "1", "");
	}
	assert_int_equal(f.model.steps.count, STEPS_MAX);
	assert_int_equal(f.model.steps.left_out, 10);
	assert_int_equal(f.model.steps.open, 0);
	assert_null(steps_now(&f.model.steps));
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attached_late),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_waits_are_no_steps),
		cmocka_unit_test(test_resident),
		cmocka_unit_test(test_asked_between),
		cmocka_unit_test(test_asked_in_tail),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_two_builds),
		cmocka_unit_test(test_build_by_log),
		cmocka_unit_test(test_late_status),
		cmocka_unit_test(test_sums_stand),
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_absurd_numbers),
		cmocka_unit_test(test_many_packages),
		cmocka_unit_test(test_too_many_packages),
		cmocka_unit_test(test_many_runs),
		cmocka_unit_test(test_build_within_build),
		cmocka_unit_test(test_end_told_twice),
		cmocka_unit_test(test_too_many_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
