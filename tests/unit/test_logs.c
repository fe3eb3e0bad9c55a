/* test_logs.c - two real dpkg.logs, with the times at which their lines arrived, as the model
 * sees them: Debian 11 -> 12 (246 packages), and a kernel with dracut into sid (79).
 *
 * A line is "NANOSECONDS DATE TIME …". By a log alone no process is seen: the end of a dpkg shows
 * only in the next startup line, and a build by the kernel's hook stays in configure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "dpkgtop/dpkglog.h"
#include "feed.h"

static void feed_log(struct feed *f, const char *path)
{
	struct event begin = {.kind = EVENT_UPGRADE, .upgrade = {.since_ns = UNKNOWN_NS}};
	char command[256], line[4096];
	bool begun = false;
	FILE *in;

	feed_init(f, "");
	snprintf(command, sizeof(command), "zcat %s", path);
	in = popen(command, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		struct event e;
		char *rest;

		f->now_ns = strtoll(line, &rest, 10);
		if (!begun)
			feed_event(f, begin);
		begun = true;
		assert_int_equal(dpkglog_parse_line(rest + 1, strcspn(rest + 1, "\n"), &e), 0);
		feed_event(f, e);
	}
	assert_int_equal(pclose(in), 0);
	feed_end(f, STATUS_UNKNOWN);
}

static double seconds(const struct feed *f, enum phase p)
{
	return (double)f->model.ledger.wall_ns[p] / 1e9;
}

static void check_done(const struct feed *f, uint64_t unpacked, uint64_t configured,
                       uint64_t triggered, uint64_t runs)
{
	const struct packages *k = &f->model.packages;

	assert_int_equal(k->unpacked, unpacked);
	assert_int_equal(k->configured, configured);
	assert_int_equal(k->triggered, triggered);
	assert_int_equal(k->dpkg_runs, runs);
	assert_int_equal(k->failures, 0);
	assert_int_equal(ledger_total(&f->model.ledger), model_elapsed(&f->model));
}

static void test_bookworm(void **state)
{
	struct feed f;

	(void)state;
	feed_log(&f, "tests/fixtures/log/bullseye-bookworm.ns.txt.gz");
	check_done(&f, 246, 246, 5, 177);
	assert_float_equal(seconds(&f, PHASE_READ), 7.2, 0.5);
	/* With the reading of the database that goes before it. */
	assert_float_equal(seconds(&f, PHASE_UNPACK) + seconds(&f, PHASE_READ), 61.1, 0.5);
	assert_float_equal(seconds(&f, PHASE_CONFIGURE) + seconds(&f, PHASE_TRIGGERS) +
	                           seconds(&f, PHASE_INITRAMFS),
	                   185.6, 0.5);
	assert_float_equal(seconds(&f, PHASE_INITRAMFS), 74.1, 0.5);
	assert_float_equal(seconds(&f, PHASE_TRIGGERS), 4.0, 0.5);
	assert_float_equal(seconds(&f, PHASE_BETWEEN), 7.4, 0.5);
	feed_done(&f);
}

static void test_sid(void **state)
{
	struct feed f;

	(void)state;
	feed_log(&f, "tests/fixtures/log/sid-kernel.ns.txt.gz");
	check_done(&f, 79, 79, 3, 10);
	assert_float_equal(seconds(&f, PHASE_READ), 0.3, 0.5);
	assert_float_equal(seconds(&f, PHASE_UNPACK) + seconds(&f, PHASE_READ), 17.1, 0.5);
	assert_float_equal(seconds(&f, PHASE_CONFIGURE) + seconds(&f, PHASE_TRIGGERS) +
	                           seconds(&f, PHASE_INITRAMFS),
	                   64.0, 0.5);
	assert_float_equal(seconds(&f, PHASE_INITRAMFS), 26.6, 0.5);
	assert_float_equal(seconds(&f, PHASE_BETWEEN), 0.4, 0.5);
	feed_done(&f);
}

/* Single packages: bash-completion's forks in its prerm, and fontconfig-config, which turns from
 * "all" to "amd64" between the first line of its upgrade and the last. */
static void test_package(void **state)
{
	const struct package *k;
	struct feed f;

	(void)state;
	feed_log(&f, "tests/fixtures/log/bullseye-bookworm.ns.txt.gz");
	k = packages_find(&f.model.packages, "bash-completion", "all");
	assert_non_null(k);
	assert_int_equal(k->unpack_ns, INT64_C(1953628073124) - INT64_C(1947412794351));
	assert_int_equal(k->configure_ns, INT64_C(1971705987669) - INT64_C(1971661671872));
	assert_int_equal(k->action, VERB_UPGRADE);
	assert_int_equal(k->state, STATE_INSTALLED);
	k = packages_find(&f.model.packages, "fontconfig-config", "amd64");
	assert_non_null(k);
	assert_int_equal(k->unpack_ns, INT64_C(1958928245665) - INT64_C(1957446268838));
	assert_int_equal(k->configure_ns, INT64_C(1976423496188) - INT64_C(1975686652295));
	assert_null(packages_find(&f.model.packages, "fontconfig-config", "all"));
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bookworm),
		cmocka_unit_test(test_sid),
		cmocka_unit_test(test_package),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
