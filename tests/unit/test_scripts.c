/* test_scripts.c - maintainer scripts by package: each run counted once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed.h"

static void begin(struct feed *f)
{
	feed_init(f, "");
	feed_begin(f, "apt");
	feed_exec(f, ROLE_DPKG, 101, "", "");
}

static void exec(struct feed *f, int32_t pid, int32_t parent, uint64_t start_ticks,
                 const char *package, const char *script)
{
	struct event e = {.kind = EVENT_EXEC,
	                  .exec = {.pid = pid,
	                           .parent = parent,
	                           .start_ticks = start_ticks,
	                           .role = ROLE_SCRIPT}};

	snprintf(e.exec.package, sizeof(e.exec.package), "%s", package);
	snprintf(e.exec.script, sizeof(e.exec.script), "%s", script);
	feed_event(f, e);
}

static void quit(struct feed *f, int32_t pid, uint64_t start_ticks)
{
	feed_event(f, (struct event){.kind = EVENT_EXIT,
	                             .exit = {.pid = pid,
	                                      .start_ticks = start_ticks,
	                                      .role = ROLE_SCRIPT,
	                                      .status = 0}});
}

static void check(const struct feed *f, const char *package, const char *name, uint64_t count,
                  int64_t ns)
{
	const struct script *s = scripts_find(&f->model.scripts, package, name);

	assert_non_null(s);
	assert_int_equal(s->count, count);
	assert_int_equal(s->ns, ns);
}

static int64_t package_ns(const struct feed *f, const char *name)
{
	const struct package *k = packages_find(&f->model.packages, name, "");

	assert_non_null(k);
	return k->script_ns;
}

/* Twice the same script, and another one of that package. */
static void runs_add_up(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	assert_int_equal(package_ns(&f, "a"), UNKNOWN_NS);
	exec(&f, 10, 101, 1, "a", "postinst");
	check(&f, "a", "postinst", 1, UNKNOWN_NS);
	feed_wait(&f, 2 * SECOND);
	quit(&f, 10, 1);
	/* Told once more, when its status has come to light. */
	feed_wait(&f, SECOND);
	quit(&f, 10, 1);
	exec(&f, 11, 101, 2, "a", "postinst");
	feed_wait(&f, SECOND);
	quit(&f, 11, 2);
	exec(&f, 12, 101, 3, "a", "prerm");
	feed_wait(&f, SECOND);
	quit(&f, 12, 3);
	check(&f, "a", "postinst", 2, 3 * SECOND);
	check(&f, "a", "prerm", 1, SECOND);
	assert_int_equal(package_ns(&f, "a"), 4 * SECOND);
	assert_null(scripts_find(&f.model.scripts, "a", "postrm"));
	feed_done(&f);
}

/* The script becomes debconf's frontend, which runs the script again: one run. */
static void debconf_runs_it_again(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	exec(&f, 10, 101, 1, "a", "postinst");
	feed_wait(&f, SECOND);
	exec(&f, 10, 101, 1, "a", "postinst");
	feed_wait(&f, SECOND);
	exec(&f, 11, 10, 2, "a", "postinst");
	exec(&f, 12, 11, 2, "a", "postinst");
	feed_wait(&f, 3 * SECOND);
	quit(&f, 12, 2);
	quit(&f, 11, 2);
	feed_wait(&f, SECOND);
	quit(&f, 10, 1);
	check(&f, "a", "postinst", 1, 6 * SECOND);
	assert_int_equal(f.model.scripts.n_runs, 0);
	/* Another one's script inside is a run of its own. */
	exec(&f, 20, 101, 3, "a", "postinst");
	exec(&f, 21, 20, 3, "b", "postinst");
	feed_wait(&f, SECOND);
	quit(&f, 21, 3);
	quit(&f, 20, 3);
	check(&f, "a", "postinst", 2, 7 * SECOND);
	check(&f, "b", "postinst", 1, SECOND);
	assert_int_equal(package_ns(&f, "a"), 7 * SECOND);
	feed_done(&f);
}

/* A preinst runs from a place that names no package. */
static void who_is_in_work_runs_a_preinst(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
	exec(&f, 10, 101, 1, "", "preinst");
	exec(&f, 11, 10, 1, "", "preinst");
	feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a", "1", "");
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "1", "");
	feed_line(&f, VERB_INSTALL, STATE_NONE, "b", "", "1");
	feed_wait(&f, SECOND);
	quit(&f, 11, 1);
	quit(&f, 10, 1);
	check(&f, "a", "preinst", 1, SECOND);
	assert_int_equal(package_ns(&f, "a"), SECOND);
	assert_int_equal(package_ns(&f, "b"), UNKNOWN_NS);
	/* Nobody is in work: it is nobody's, but it ran. */
	feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "b", "1", "");
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "b", "1", "");
	exec(&f, 12, 101, 2, "", "preinst");
	quit(&f, 12, 2);
	check(&f, "", "preinst", 1, 0);
	feed_done(&f);
}

/* An end that was missed is no time; what runs when the upgrade ends, ends with it. */
static void ends_that_do_not_come(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	exec(&f, 10, 101, 1, "a", "postinst");
	feed_wait(&f, 100 * SECOND);
	exec(&f, 10, 101, 9, "b", "postinst");
	feed_wait(&f, SECOND);
	quit(&f, 10, 1); /* of the first, too late to be of use */
	check(&f, "a", "postinst", 1, UNKNOWN_NS);
	check(&f, "b", "postinst", 1, UNKNOWN_NS);
	feed_end(&f, 1);
	check(&f, "b", "postinst", 1, SECOND);
	/* The next upgrade begins with none. */
	feed_begin(&f, "apt");
	assert_int_equal(f.model.scripts.count, 0);
	assert_null(scripts_find(&f.model.scripts, "b", "postinst"));
	for (int i = 0; i < 2 * SCRIPT_RUNS_MAX; i++)
		exec(&f, 1000 + i, 101, 1, "c", "postinst");
	assert_int_equal(f.model.scripts.n_runs, SCRIPT_RUNS_MAX);
	check(&f, "c", "postinst", 2 * SCRIPT_RUNS_MAX, UNKNOWN_NS);
	feed_done(&f);
}

static void too_many(void **state)
{
	struct feed f;
	char name[32];

	(void)state;
	begin(&f);
	for (int i = 0; i < SCRIPTS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		exec(&f, 10, 101, 1, name, "postinst");
		feed_wait(&f, 5);
		quit(&f, 10, 1);
	}
	assert_int_equal(f.model.scripts.count, SCRIPTS_MAX);
	assert_int_equal(f.model.scripts.left_out, 10);
	check(&f, "p0", "postinst", 1, 5);
	check(&f, "p9999", "postinst", 1, 5);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_add_up),
		cmocka_unit_test(debconf_runs_it_again),
		cmocka_unit_test(who_is_in_work_runs_a_preinst),
		cmocka_unit_test(ends_that_do_not_come),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests_name("scripts", tests, NULL, NULL);
}
