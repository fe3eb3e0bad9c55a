/* test_syncs.c - sync calls as the probe counts them: summed by class, and charged exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "feed.h"

#define MS INT64_C(1000000)

static void row(struct feed *f, int32_t pid, uint64_t start_ticks, enum sync_call call,
                enum sync_class class, uint64_t count, int64_t total_ms)
{
	*sample_add_sync(&f->sample) = (struct sync_counters){
		.pid = pid,
		.start_ticks = start_ticks,
		.call = call,
		.class = class,
		.count = count,
		.total_ns = total_ms * MS,
	};
}

static void begin(struct feed *f)
{
	feed_init(f, "vda");
	feed_disk(f, "vda");
	feed_process(f, 100, 1);
	for (int g = GROUP_PROBE; g < N_GROUPS; g++)
		f->sample.why[g] = 0;
	feed_begin(f, "dpkg -i a");
	feed_sample(f, SAMPLE_FULL);
}

static int64_t ms(const struct feed *f, enum cause c)
{
	return ledger_cause(&f->model.ledger, c).ns / MS;
}

/* Each class is charged to its cause; the flushes say nothing any more. */
static void charged_by_class(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 40, 300);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_DATABASE, 8, 100);
	row(&f, 101, 1, SYNC_FDATASYNC, SYNC_OTHER, 1, 50);
	f.sample.disks[0].flush_ms = 900;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 300);
	assert_int_equal(ms(&f, CAUSE_DATABASE_SYNC), 100);
	assert_int_equal(ms(&f, CAUSE_OTHER_SYNC), 50);
	assert_int_equal(ms(&f, CAUSE_OTHER), 550);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_PACKAGE_SYNC).quality, QUALITY_EXACT);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_SYNC_ESTIMATED).quality, QUALITY_NONE);
	/* The same again: a cumulative count that stood still is nothing new. */
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 300);
	/* The process has ended and its row is gone; another has its pid. */
	f.sample.n_syncs = 0;
	row(&f, 100, 2, SYNC_FSYNC, SYNC_PACKAGE, 2, 20);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 320);
	assert_int_equal(f.model.syncs.classes[SYNC_PACKAGE].count, 42);
	assert_int_equal(syncs_count(&f.model.syncs), 51);
	feed_done(&f);
}

/* Calls of several processes overlap: each class gets its share, and the sum is the interval. */
static void overlapping_calls(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 1, 900);
	row(&f, 101, 1, SYNC_FSYNC, SYNC_OTHER, 1, 900);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 500);
	assert_int_equal(ms(&f, CAUSE_OTHER_SYNC), 500);
	assert_int_equal(ledger_total(&f.model.ledger), SECOND);
	feed_done(&f);
}

/* A 32-bit program's calls are not seen: then nothing is exact, and never 0. */
static void not_whole(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.probe.compat = 1;
	f.sample.disks[0].flush_ms = 200;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_false(f.model.syncs.exact);
	assert_int_equal(ledger_cause(&f.model.ledger, CAUSE_PACKAGE_SYNC).quality, QUALITY_NONE);
	assert_int_equal(ms(&f, CAUSE_SYNC_ESTIMATED), 200);
	feed_done(&f);
}

static void writer(struct feed *f, int32_t pid, const char *name, uint64_t count, int64_t total_ms)
{
	struct sync_writer *w = sample_add_writer(&f->sample);

	*w = (struct sync_writer){
		.pid = pid,
		.start_ticks = 1,
		.count = count,
		.total_ns = total_ms * MS,
	};
	snprintf(w->name, sizeof(w->name), "%s", name);
}

static void next(struct feed *f)
{
	feed_wait(f, SECOND);
	feed_sample(f, SAMPLE_FULL);
}

/* By name: daemons that run for long, and many short ones of one name. */
static void other_writers(void **state)
{
	const struct writers *w;
	struct feed f;

	(void)state;
	begin(&f);
	w = &f.model.syncs.writers;
	assert_null(writers_first(w));
	writer(&f, 300, "journald", 10, 400);
	writer(&f, 301, "sync", 1, 300);
	next(&f);
	assert_string_equal(writers_first(w)->name, "journald");
	assert_int_equal(w->sum.count, 11);
	/* The first has ended, and a second of its name has come. */
	f.sample.n_writers = 0;
	writer(&f, 300, "journald", 11, 410);
	writer(&f, 302, "sync", 1, 300);
	next(&f);
	assert_string_equal(writers_first(w)->name, "sync");
	assert_int_equal(writers_first(w)->sum.count, 2);
	assert_int_equal(writers_first(w)->sum.ns, 600 * MS);
	assert_int_equal(w->sum.count, 13);
	assert_int_equal(w->sum.ns, 1010 * MS);
	/* None of it is the upgrade's. */
	assert_int_equal(syncs_count(&f.model.syncs), 0);
	assert_int_equal(ms(&f, CAUSE_OTHER_SYNC), 0);
	feed_begin(&f, "the next");
	assert_null(writers_first(w));
	assert_int_equal(w->sum.count, 0);
	feed_done(&f);
}

/* Of more names than are kept the least makes way, and the sum has all. */
static void many_writers(void **state)
{
	struct feed f;
	char name[32];

	(void)state;
	begin(&f);
	for (int i = 0; i < 3 * WRITERS_NAMED; i++) {
		snprintf(name, sizeof(name), "daemon%d", i);
		writer(&f, 300 + i, name, 1, i == 5 ? 1000 : i + 1);
	}
	next(&f);
	assert_int_equal(f.model.syncs.writers.n_names, WRITERS_NAMED);
	assert_string_equal(writers_first(&f.model.syncs.writers)->name, "daemon5");
	assert_int_equal(f.model.syncs.writers.sum.count, 3 * WRITERS_NAMED);
	feed_done(&f);
}

static void flight(struct feed *f, int32_t pid, enum sync_call call, int64_t age_ms)
{
	*sample_add_flight(&f->sample) = (struct sync_flight){
		.pid = pid,
		.start_ticks = 1,
		.call = call,
		.since_ns = f->now_ns - age_ms * MS,
	};
}

static const struct tree_process *item(const struct feed *f, int32_t pid)
{
	for (size_t i = 0; i < f->model.tree.count; i++)
		if (f->model.tree.items[i].at.pid == pid)
			return &f->model.tree.items[i];
	return NULL;
}

/* Rows of calls and classes are one process' sum; no row is none. */
static void rates_of_processes(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	assert_true(isnan(item(&f, 100)->sync_rate)); /* no interval yet */
	feed_process(&f, 101, 100);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 40, 300);
	row(&f, 100, 1, SYNC_RANGE_WAIT, SYNC_PACKAGE, 20, 100);
	row(&f, 101, 9, SYNC_FSYNC, SYNC_OTHER, 7, 70); /* who had its pid before */
	flight(&f, 100, SYNC_FSYNC, 5);
	flight(&f, 100, SYNC_SYNCFS, 9);
	flight(&f, 101, SYNC_SYNC, 1);
	feed_wait(&f, 2 * SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_float_equal(item(&f, 100)->sync_rate, 30, 1e-9);
	assert_float_equal(item(&f, 100)->in_sync, 0.2, 1e-9);
	assert_int_equal(item(&f, 100)->in_call, SYNC_SYNCFS);
	/* It began since; what had its pid before is another. */
	assert_float_equal(item(&f, 101)->sync_rate, 0, 1e-9);
	assert_int_equal(item(&f, 101)->in_call, SYNC_SYNC);
	f.sample.syncs[0].total_ns += 500 * MS; /* in flight */
	f.sample.n_flights = 0;
	next(&f);
	assert_float_equal(item(&f, 100)->sync_rate, 0, 1e-9);
	assert_float_equal(item(&f, 100)->in_sync, 0.5, 1e-9);
	assert_int_equal(item(&f, 100)->in_call, N_SYNC_CALLS);
	assert_float_equal(item(&f, 101)->sync_rate, 0, 1e-9);
	assert_float_equal(item(&f, 101)->in_sync, 0, 1e-9);
	feed_done(&f);
}

/* What is not seen whole, at either end of the interval, is not known. */
static void rates_that_are_not_known(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 40, 300);
	f.sample.why[GROUP_SYNCS] = -EPERM;
	next(&f);
	assert_true(isnan(item(&f, 100)->sync_rate));
	f.sample.why[GROUP_SYNCS] = 0;
	next(&f);
	assert_true(isnan(item(&f, 100)->sync_rate));
	next(&f);
	assert_float_equal(item(&f, 100)->sync_rate, 0, 1e-9);
	f.sample.syncs[0].count = 39;
	next(&f);
	assert_true(isnan(item(&f, 100)->sync_rate) && isnan(item(&f, 100)->in_sync));
	f.sample.probe.compat = 1;
	next(&f);
	assert_true(isnan(item(&f, 100)->sync_rate));
	f.sample.probe = (struct probe_counters){.missed = 1};
	next(&f);
	next(&f);
	assert_true(isnan(item(&f, 100)->in_sync));
	feed_done(&f);
}

static const struct package *package(const struct feed *f, const char *name)
{
	return packages_find(&f->model.packages, name, "");
}

/* As the ledger gets them, sample by sample, to who is in work then. */
static void charged_to_packages(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_DATABASE, 5, 10);
	next(&f); /* nobody's */
	feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
	assert_int_equal(package(&f, "a")->sync_calls, UNKNOWN_U64);
	f.sample.syncs[0].count = 15;
	f.sample.syncs[0].total_ns = 110 * MS;
	next(&f);
	feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a", "1", "");
	feed_line(&f, VERB_STATUS, STATE_UNPACKED, "a", "1", "");
	feed_line(&f, VERB_INSTALL, STATE_NONE, "b", "", "1");
	next(&f);
	row(&f, 101, 1, SYNC_FSYNC, SYNC_OTHER, 2, 20);
	f.sample.syncs[0].count = 16;
	next(&f);
	assert_int_equal(package(&f, "a")->sync_calls, 10);
	assert_int_equal(package(&f, "a")->sync_ns, 100 * MS);
	assert_int_equal(package(&f, "b")->sync_calls, 3);
	assert_int_equal(package(&f, "b")->sync_ns, 20 * MS);
	assert_int_equal(syncs_count(&f.model.syncs), 5 + 10 + 3);
	/* A part that is not known makes the whole so, for good. */
	f.sample.probe.compat = 1;
	next(&f);
	assert_int_equal(package(&f, "b")->sync_calls, UNKNOWN_U64);
	f.sample.probe.compat = 0;
	next(&f);
	assert_int_equal(package(&f, "b")->sync_calls, UNKNOWN_U64);
	assert_int_equal(package(&f, "b")->sync_ns, UNKNOWN_NS);
	assert_int_equal(package(&f, "a")->sync_calls, 10);
	feed_done(&f);
}

/* The first row goes on: `calls` more, each of a millisecond, within 20 of them. */
static void synced(struct feed *f, uint64_t calls)
{
	f->sample.syncs[0].count += calls;
	f->sample.syncs[0].total_ns += (int64_t)calls * MS;
	feed_wait(f, 20 * MS);
}

static void begin_syncs(struct feed *f)
{
	begin(f);
	feed_exec(f, ROLE_DPKG, 100, "", "");
	row(f, 100, 1, SYNC_FSYNC, SYNC_DATABASE, 5, 5);
	next(f);
	feed_wait(f, 20 * MS);
}

static void unpack(struct feed *f, const char *name)
{
	feed_line(f, VERB_INSTALL, STATE_NONE, name, "", "1");
	feed_line(f, VERB_STATUS, STATE_HALF_INSTALLED, name, "1", "");
}

static void unpacked(struct feed *f, const char *name)
{
	feed_line(f, VERB_STATUS, STATE_UNPACKED, name, "1", "");
}

/* Each has what was counted while it was in work, also where no sample was due in that time. */
static void packages_shorter_than_a_sample(void **state)
{
	struct feed f;

	(void)state;
	begin_syncs(&f);
	unpack(&f, "a");
	synced(&f, 3);
	unpacked(&f, "a");
	synced(&f, 100); /* nobody's */
	unpack(&f, "b");
	synced(&f, 0);
	unpacked(&f, "b");
	unpack(&f, "c");
	synced(&f, 7);
	unpacked(&f, "c");
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	synced(&f, 2);
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "a", "1", "");
	synced(&f, 50);
	next(&f);
	assert_int_equal(package(&f, "a")->sync_calls, 3 + 2);
	assert_int_equal(package(&f, "a")->sync_ns, 5 * MS);
	assert_int_equal(package(&f, "b")->sync_calls, 0);
	assert_int_equal(package(&f, "b")->sync_ns, 0);
	assert_int_equal(package(&f, "c")->sync_calls, 7);
	assert_int_equal(syncs_count(&f.model.syncs), 5 + 3 + 100 + 7 + 2 + 50);
	feed_done(&f);
}

/* Lines that were read together: nobody can tell whose of them the calls before were. */
static void packages_of_one_stamp(void **state)
{
	struct feed f;

	(void)state;
	begin_syncs(&f);
	unpack(&f, "a");
	synced(&f, 30);
	unpacked(&f, "a");
	unpack(&f, "b");
	unpacked(&f, "b");
	unpack(&f, "c");
	synced(&f, 4);
	unpacked(&f, "c");
	next(&f);
	assert_int_equal(package(&f, "a")->sync_calls, UNKNOWN_U64);
	assert_int_equal(package(&f, "a")->sync_ns, UNKNOWN_NS);
	assert_int_equal(package(&f, "b")->sync_calls, UNKNOWN_U64);
	assert_int_equal(package(&f, "c")->sync_calls, 4);
	/* With nobody in work before, nobody else is concerned. */
	unpack(&f, "d");
	unpacked(&f, "d");
	next(&f);
	assert_int_equal(package(&f, "c")->sync_calls, 4);
	assert_int_equal(package(&f, "d")->sync_calls, UNKNOWN_U64);
	/* What is one package's before and after is its own. */
	unpack(&f, "e");
	synced(&f, 6);
	unpacked(&f, "e");
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "e", "1", "");
	feed_line(&f, VERB_STATUS, STATE_INSTALLED, "e", "1", "");
	next(&f);
	assert_int_equal(package(&f, "e")->sync_calls, 6);
	feed_done(&f);
}

/* While somebody may be waiting for a person there is no sample for each package. */
static void packages_without_a_boundary(void **state)
{
	struct feed f;

	(void)state;
	begin_syncs(&f);
	unpack(&f, "a");
	synced(&f, 3);
	f.sample.processes[0].waits = 'r';
	next(&f);
	assert_int_equal(package(&f, "a")->sync_calls, 3);
	synced(&f, 9);
	unpacked(&f, "a");
	unpack(&f, "b");
	synced(&f, 2);
	unpacked(&f, "b");
	synced(&f, 1);
	unpack(&f, "c");
	f.sample.processes[0].waits = '-';
	next(&f);
	assert_int_equal(package(&f, "a")->sync_calls, UNKNOWN_U64);
	assert_int_equal(package(&f, "b")->sync_calls, UNKNOWN_U64);
	assert_int_equal(package(&f, "c")->sync_calls, UNKNOWN_U64);
	unpacked(&f, "c");
	unpack(&f, "d");
	synced(&f, 8);
	unpacked(&f, "d");
	assert_int_equal(package(&f, "d")->sync_calls, 8);
	feed_done(&f);
}

/* Of a package that began before we looked a part is known, which is not the whole. */
static void packages_from_before(void **state)
{
	struct event e = {
		.kind = EVENT_PACKAGE,
		.package = {.verb = VERB_INSTALL, .name = "a", .target = "1", .ago_ns = SECOND}};
	struct feed f;

	(void)state;
	begin_syncs(&f);
	next(&f);
	feed_event(&f, e);
	synced(&f, 9);
	next(&f);
	assert_int_equal(package(&f, "a")->sync_calls, UNKNOWN_U64);
	feed_done(&f);
}

static bool wants(const struct feed *f, enum package_verb verb, enum package_state to,
                  const char *name)
{
	struct event e = {.at = feed_at(f),
	                  .kind = EVENT_PACKAGE,
	                  .package = {.verb = verb, .state = to, .arch = "all"}};

	snprintf(e.package.name, sizeof(e.package.name), "%s", name);
	snprintf(e.package.version, sizeof(e.package.version), "1");
	return packages_wants_boundary(&f->model.packages, &e);
}

/* Lines that begin or end what is done to a package, and no others. */
static void boundaries_of_packages(void **state)
{
	struct event past = {.kind = EVENT_PACKAGE,
	                     .package = {.verb = VERB_INSTALL, .name = "a", .ago_ns = SECOND}};
	struct feed f;

	(void)state;
	begin_syncs(&f);
	for (enum package_verb v = 0; v < N_VERBS; v++)
		assert_int_equal(wants(&f, v, STATE_NONE, "a"),
		                 v != VERB_STARTUP && v != VERB_STATUS && v != VERB_CONFFILE);
	past.at = feed_at(&f);
	assert_false(packages_wants_boundary(&f.model.packages, &past));
	assert_false(packages_wants_boundary(&f.model.packages, &(struct event){0}));
	assert_false(wants(&f, VERB_STATUS, STATE_UNPACKED, "a"));
	/* "unpacked" is the old version's first. */
	feed_line(&f, VERB_UPGRADE, STATE_NONE, "a", "0", "1");
	assert_false(wants(&f, VERB_STATUS, STATE_UNPACKED, "a"));
	assert_false(wants(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a"));
	feed_line(&f, VERB_STATUS, STATE_HALF_INSTALLED, "a", "0", "");
	assert_true(wants(&f, VERB_STATUS, STATE_UNPACKED, "a"));
	assert_false(wants(&f, VERB_STATUS, STATE_UNPACKED, "b"));
	unpacked(&f, "a");
	assert_false(wants(&f, VERB_STATUS, STATE_UNPACKED, "a"));
	feed_line(&f, VERB_CONFIGURE, STATE_NONE, "a", "1", "");
	assert_false(wants(&f, VERB_STATUS, STATE_HALF_CONFIGURED, "a"));
	assert_true(wants(&f, VERB_STATUS, STATE_TRIGGERS_AWAITED, "a"));
	assert_true(wants(&f, VERB_STATUS, STATE_INSTALLED, "a"));
	feed_line(&f, VERB_REMOVE, STATE_NONE, "a", "1", "");
	assert_false(wants(&f, VERB_STATUS, STATE_HALF_CONFIGURED, "a"));
	assert_true(wants(&f, VERB_STATUS, STATE_CONFIG_FILES, "a"));
	feed_done(&f);
}

static void slow(struct feed *f, int32_t pid, int64_t took_ms)
{
	struct event e = {.kind = EVENT_SLOW, .slow = {.pid = pid, .took_ns = took_ms * MS}};

	feed_event(f, e);
}

/* The longest are kept, in order; of equals the first that came. */
static void the_slowest_calls(void **state)
{
	const struct slowest *s;
	struct feed f;

	(void)state;
	begin(&f);
	s = &f.model.slowest;
	for (int i = 0; i < 3 * SLOWEST_MAX; i++)
		slow(&f, i, 100 + i % 7);
	slow(&f, 500, 30000);
	assert_int_equal(s->count, SLOWEST_MAX);
	assert_int_equal(s->seen, 3 * SLOWEST_MAX + 1);
	assert_int_equal(s->items[0].pid, 500);
	assert_int_equal(s->items[1].pid, 6);
	assert_int_equal(s->items[2].pid, 13);
	for (size_t i = 1; i < s->count; i++)
		assert_true(s->items[i - 1].took_ns >= s->items[i].took_ns);
	/* The next upgrade has its own. */
	feed_begin(&f, "dpkg -i b");
	assert_int_equal(s->count, 0);
	feed_done(&f);
}

/* What grew since nobody knows when is not known; only the sanitizer saw it. */
static void a_time_that_was_not_known(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	row(&f, 100, 1, SYNC_FSYNC, SYNC_PACKAGE, 40, 0);
	f.sample.syncs[0].total_ns = UNKNOWN_NS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	f.sample.syncs[0].total_ns = 500 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 0);
	f.sample.syncs[0].total_ns = 600 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(ms(&f, CAUSE_PACKAGE_SYNC), 100);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_calls),
		cmocka_unit_test(charged_by_class),
		cmocka_unit_test(overlapping_calls),
		cmocka_unit_test(not_whole),
		cmocka_unit_test(other_writers),
		cmocka_unit_test(many_writers),
		cmocka_unit_test(rates_of_processes),
		cmocka_unit_test(rates_that_are_not_known),
		cmocka_unit_test(charged_to_packages),
		cmocka_unit_test(a_time_that_was_not_known),
		cmocka_unit_test(packages_shorter_than_a_sample),
		cmocka_unit_test(packages_of_one_stamp),
		cmocka_unit_test(packages_without_a_boundary),
		cmocka_unit_test(packages_from_before),
		cmocka_unit_test(boundaries_of_packages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
