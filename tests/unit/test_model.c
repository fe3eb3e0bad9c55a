/* test_model.c - phases, packages, failures and progress, told by events made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed.h"

static double seconds(const struct feed *f, enum phase p)
{
	return (double)f->model.ledger.wall_ns[p] / 1e9;
}

static void check_sum(const struct feed *f)
{
	const struct ledger *l = &f->model.ledger;
	int64_t cells = 0;

	for (int c = 0; c < N_CAUSES; c++)
		cells += ledger_cause(l, c).ns;
	assert_int_equal(ledger_total(l), model_elapsed(&f->model));
	assert_int_equal(cells, model_elapsed(&f->model));
}

static void install(struct feed *f, const char *name, int64_t ns)
{
	feed_line(f, VERB_INSTALL, STATE_NONE, name, "", "2");
	feed_line(f, VERB_STATUS, STATE_HALF_INSTALLED, name, "2", "");
	feed_wait(f, ns);
	feed_line(f, VERB_STATUS, STATE_UNPACKED, name, "2", "");
}

static void configure(struct feed *f, const char *name, int64_t ns)
{
	feed_line(f, VERB_CONFIGURE, STATE_NONE, name, "2", "");
	feed_line(f, VERB_STATUS, STATE_UNPACKED, name, "2", "");
	feed_line(f, VERB_STATUS, STATE_HALF_CONFIGURED, name, "2", "");
	feed_wait(f, ns);
	feed_line(f, VERB_STATUS, STATE_INSTALLED, name, "2", "");
}

/* A whole apt run: each phase gets its time, and all of them the wall time. */
static void test_phases(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt-get install a");
	feed_wait(&f, 1 * SECOND);
	feed_exec(&f, ROLE_METHOD, 102, "", "");
	feed_wait(&f, 2 * SECOND);
	feed_exit(&f, ROLE_METHOD, 102, 0);
	feed_wait(&f, 1 * SECOND);
	feed_exec(&f, ROLE_DPKG, 103, "", "");
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	feed_wait(&f, 3 * SECOND);
	install(&f, "a", 5 * SECOND);
	feed_exit(&f, ROLE_DPKG, 103, 0);
	feed_wait(&f, 1 * SECOND);
	feed_exec(&f, ROLE_DPKG, 104, "", "");
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	configure(&f, "a", 2 * SECOND);
	feed_exec(&f, ROLE_INITRAMFS, 105, "", "mkinitramfs");
	feed_wait(&f, 7 * SECOND);
	feed_exit(&f, ROLE_INITRAMFS, 105, 0);
	feed_line(&f, VERB_TRIGPROC, STATE_NONE, "man-db", "1", "");
	feed_wait(&f, 4 * SECOND);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "man-db", "1", "");
	feed_exit(&f, ROLE_DPKG, 104, 0);
	feed_wait(&f, 6 * SECOND);
	feed_end(&f, 0);
	assert_float_equal(seconds(&f, PHASE_PREPARE), 2, 1e-9);
	assert_float_equal(seconds(&f, PHASE_DOWNLOAD), 2, 1e-9);
	assert_float_equal(seconds(&f, PHASE_READ), 3, 1e-9);
	assert_float_equal(seconds(&f, PHASE_UNPACK), 5, 1e-9);
	assert_float_equal(seconds(&f, PHASE_BETWEEN), 1, 1e-9);
	assert_float_equal(seconds(&f, PHASE_CONFIGURE), 2, 1e-9);
	assert_float_equal(seconds(&f, PHASE_INITRAMFS), 7, 1e-9);
	assert_float_equal(seconds(&f, PHASE_TRIGGERS), 4, 1e-9);
	assert_float_equal(seconds(&f, PHASE_FINISH), 6, 1e-9);
	assert_int_equal(f.model.state, MODEL_ENDED);
	assert_int_equal(f.model.status, 0);
	check_sum(&f);
	feed_done(&f);
}

/* The timeline tells the same times as the ledger, in order and without a gap. */
static void test_timeline(void **state)
{
	const struct timeline *t;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg -i a b");
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	feed_wait(&f, 1 * SECOND);
	install(&f, "a", 1 * SECOND);
	configure(&f, "a", 1 * SECOND);
	install(&f, "b", 2 * SECOND);
	feed_wait(&f, 3 * SECOND);
	/* No exit was seen: only this line tells that the last 3 s lay between two dpkgs. */
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	feed_wait(&f, 1 * SECOND);
	feed_end(&f, 0);
	t = &f.model.timeline;
	for (size_t i = 1; i < t->count; i++) {
		assert_int_equal(t->spans[i].begin_ns, t->spans[i - 1].end_ns);
		assert_int_not_equal(t->spans[i].phase, t->spans[i - 1].phase);
	}
	for (int p = 0; p < N_PHASES; p++) {
		double share = timeline_share(t, p, f.model.begun.mono_ns, f.model.ended.mono_ns);

		assert_float_equal(share * 9, seconds(&f, p), 1e-6);
	}
	assert_float_equal(seconds(&f, PHASE_BETWEEN), 3, 1e-9);
	assert_float_equal(seconds(&f, PHASE_UNPACK), 3, 1e-9);
	check_sum(&f);
	feed_done(&f);
}

/* The status "unpacked" comes twice in an upgrade; only the second ends it, also when both
 * versions are the same. */
static void test_upgrade_times(void **state)
{
	const struct package *k;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg -i a");
	feed_line(&f, VERB_UPGRADE, STATE_NONE, "a", "1", "1");
	feed_line(&f, VERB_STATUS, STATE_HALF_CONFIGURED, "a", "1", "");
	feed_wait(&f, 1 * SECOND);
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "1", "");
	feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a", "1", "");
	feed_wait(&f, 2 * SECOND);
	assert_int_equal(f.model.packages.unpacked, 0);
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "1", "");
	/* Old dpkgs write a status line twice. */
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "1", "");
	k = packages_find(&f.model.packages, "a", "");
	assert_int_equal(f.model.packages.unpacked, 1);
	assert_int_equal(k->unpack_ns, 3 * SECOND);
	assert_true(k->configure_ns == UNKNOWN_NS);
	feed_done(&f);
}

/* A postinst that fails: its status, and the package left half-configured. */
static void test_failed_script(void **state)
{
	const struct package *k;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "apt-get install a b");
	feed_exec(&f, ROLE_DPKG, 103, "", "");
	install(&f, "a", SECOND);
	install(&f, "b", SECOND);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "2", "");
	feed_line(&f, VERB_STATUS, STATE_HALF_CONFIGURED, "a", "2", "");
	feed_exec(&f, ROLE_SCRIPT, 104, "a", "postinst");
	feed_exit(&f, ROLE_SCRIPT, 104, 7);
	configure(&f, "b", SECOND);
	feed_exit(&f, ROLE_DPKG, 103, 1);
	feed_end(&f, 100);
	k = packages_find(&f.model.packages, "a", "");
	assert_true(k->failed);
	assert_string_equal(k->failure.script, "postinst");
	assert_int_equal(k->failure.status, 7);
	assert_int_equal(k->state, STATE_HALF_CONFIGURED);
	assert_false(packages_find(&f.model.packages, "b", "")->failed);
	assert_int_equal(f.model.packages.failures, 1);
	assert_int_equal(f.model.packages.configured, 1);
	assert_int_equal(f.model.status, 100);
	feed_done(&f);
}

/* Without a script's status the half-done package is known all the same, and its status is not. */
static void test_failed_unseen(void **state)
{
	const struct package *k;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg -i a");
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	install(&f, "a", SECOND);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "2", "");
	feed_line(&f, VERB_STATUS, STATE_HALF_CONFIGURED, "a", "2", "");
	feed_end(&f, STATUS_UNKNOWN);
	k = packages_find(&f.model.packages, "a", "");
	assert_true(k->failed);
	assert_int_equal(k->failure.status, STATUS_UNKNOWN);
	feed_done(&f);
}

/* A failing old prerm is no failure if dpkg then goes on with the new one (deb-prerm(5)). */
static void test_recovered_script(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg -i a");
	feed_exec(&f, ROLE_DPKG, 103, "", "");
	feed_line(&f, VERB_UPGRADE, STATE_NONE, "a", "1", "2");
	feed_exec(&f, ROLE_SCRIPT, 104, "a", "prerm");
	feed_exit(&f, ROLE_SCRIPT, 104, 1);
	assert_int_equal(f.model.packages.failures, 1);
	feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a", "1", "");
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "2", "");
	assert_int_equal(f.model.packages.failures, 0);
	feed_done(&f);
}

static void test_progress(void **state)
{
	struct event plan = {.kind = EVENT_PLAN, .plan = {4, 4, 0}};
	const struct progress *p;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	p = &f.model.progress;
	feed_begin(&f, "dpkg -i a b c d");
	install(&f, "a", 2 * SECOND);
	assert_true(p->total == UNKNOWN_U64);
	assert_true(isnan(progress_part(p)));
	feed_event(&f, plan);
	install(&f, "b", 2 * SECOND);
	assert_true(p->left_ns == UNKNOWN_NS);
	install(&f, "c", 2 * SECOND);
	assert_int_equal(p->left_ns, 2 * SECOND);
	assert_true(p->left_is_floor); /* nothing is known of configuring yet */
	install(&f, "d", 2 * SECOND);
	configure(&f, "a", 1 * SECOND);
	configure(&f, "b", 1 * SECOND);
	configure(&f, "c", 1 * SECOND);
	assert_false(p->left_is_floor);
	assert_int_equal(p->left_ns, 1 * SECOND);
	assert_float_equal(progress_part(p), 7.0 / 8, 1e-9);
	/* A step far out of line: the means tell the least that is to come. */
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "d", "2", "");
	feed_wait(&f, 20 * SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_true(p->left_is_floor);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "d", "2", "");
	/* All steps are done; triggers may come, and nobody knows how long they take. */
	assert_true(p->left_ns == UNKNOWN_NS);
	install(&f, "e", SECOND);
	install(&f, "g", SECOND);
	/* More than was planned: then the total is not known. */
	assert_true(p->total == UNKNOWN_U64);
	feed_done(&f);
}

/* The quick ones are configured first: a mean of them is no forecast of the rest. */
static void test_few_configures_are_a_floor(void **state)
{
	struct packages k;
	struct progress p;

	(void)state;
	packages_init(&k);
	progress_init(&p);
	progress_plan(&p, &(struct plan_event){30, 30, 0});
	k.unpacked = 30;
	k.unpack_ns = k.configure_ns = 9 * SECOND;
	k.configured = 9;
	progress_update(&p, &k, SECOND);
	assert_true(p.left_is_floor);
	assert_int_equal(p.left_ns, 21 * SECOND);
	k.configured = 10;
	progress_update(&p, &k, SECOND);
	assert_false(p.left_is_floor);
	packages_done(&k);
}

/* A second upgrade starts from nothing. */
static void test_second_upgrade(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_begin(&f, "dpkg -i a");
	install(&f, "a", 2 * SECOND);
	feed_end(&f, 0);
	feed_wait(&f, 60 * SECOND);
	assert_int_equal(model_elapsed(&f.model), 2 * SECOND);
	feed_begin(&f, "dpkg -i b");
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_THIN);
	assert_int_equal(f.model.packages.count, 0);
	assert_int_equal(model_elapsed(&f.model), SECOND);
	check_sum(&f);
	feed_done(&f);
}

/* What the command used and what watching cost come after the end, and are that upgrade's alone;
 * what upgrades comes before. */
static void test_usage_and_own(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "");
	assert_true(f.model.usage.user_ns == UNKNOWN_NS && f.model.own.rss_kib == UNKNOWN_U64);
	feed_event(&f, (struct event){.kind = EVENT_SOFTWARE, .software = {"1.21.22", "2.6.1"}});
	feed_begin(&f, "dpkg -i a");
	install(&f, "a", SECOND);
	feed_end(&f, 0);
	feed_event(&f, (struct event){.kind = EVENT_OWN, .own = {5, 7000}});
	feed_event(&f, (struct event){.kind = EVENT_USAGE, .usage = {SECOND, 2}});
	assert_string_equal(f.model.software.dpkg, "1.21.22");
	assert_int_equal(f.model.own.cpu_ns, 5);
	assert_int_equal(f.model.usage.sys_ns, 2);
	feed_begin(&f, "dpkg -i b");
	assert_true(f.model.usage.user_ns == UNKNOWN_NS && f.model.usage.sys_ns == UNKNOWN_NS);
	assert_true(f.model.own.cpu_ns == UNKNOWN_NS && f.model.own.rss_kib == UNKNOWN_U64);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_timeline),
		cmocka_unit_test(test_upgrade_times),
		cmocka_unit_test(test_failed_script),
		cmocka_unit_test(test_failed_unseen),
		cmocka_unit_test(test_recovered_script),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_second_upgrade),
		cmocka_unit_test(test_usage_and_own),
		cmocka_unit_test(test_few_configures_are_a_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
