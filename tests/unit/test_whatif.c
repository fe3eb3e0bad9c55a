/* test_whatif.c - what other modes would have taken, and when nothing is said of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dpkgtop/whatif.h"
#include "feed.h"

#define MS INT64_C(1000000)

/* 30.1 s of which 23.9 are package files and 4.7 the database: all of it counted. */
static void fill(struct model *m, const char *filesystem)
{
	struct charge c;

	model_init(m);
	m->state = MODEL_ENDED;
	m->since_ns = 1000 * SECOND;
	m->ended.mono_ns = m->since_ns + 30100 * MS;
	snprintf(m->mode.mode, sizeof(m->mode.mode), "safe-io");
	snprintf(m->facts.filesystem, sizeof(m->facts.filesystem), "%s", filesystem);
	charge_init(&c);
	c.causes[CAUSE_PACKAGE_SYNC] = (struct cell){23900 * MS, QUALITY_EXACT};
	c.causes[CAUSE_DATABASE_SYNC] = (struct cell){4000 * MS, QUALITY_EXACT};
	c.causes[CAUSE_WRITEBACK] = (struct cell){500 * MS, QUALITY_EXACT};
	c.causes[CAUSE_OTHER_SYNC] = (struct cell){200 * MS, QUALITY_EXACT};
	c.causes[CAUSE_CPU] = (struct cell){1500 * MS, QUALITY_SAMPLED};
	ledger_charge(&m->ledger, PHASE_UNPACK, &c);
	m->exact_ns = 30100 * MS;
}

static void both_modes(void **state)
{
	struct prediction p[N_WHATIFS];
	struct model m;

	(void)state;
	fill(&m, "ext4");
	whatif(&m, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].wall_ns, 6200 * MS);
	assert_int_equal(p[WHATIF_EATMYDATA].wall_ns, 1500 * MS);
	for (int i = 0; i < N_WHATIFS; i++) {
		assert_int_equal(p[i].why, WHATIF_KNOWN);
		assert_int_equal(p[i].quality, QUALITY_EXACT);
		assert_true(p[i].low_ns >= 0);
		assert_in_range(p[i].high_ns - p[i].wall_ns, 1053 * MS, 1054 * MS);
		/* Nobody saw the disk. */
		assert_int_equal(p[i].on_disk_ns, UNKNOWN_NS);
	}
	assert_in_range(p[WHATIF_UNSAFE_IO].wall_ns - p[WHATIF_UNSAFE_IO].low_ns, 1053 * MS,
	                1054 * MS);
	model_done(&m);
}

/* Twice as far off there, and where nobody knows. */
static void btrfs_is_wider(void **state)
{
	static const char *const names[] = {"btrfs", ""};
	struct prediction p[N_WHATIFS];
	struct model m;

	(void)state;
	for (int i = 0; i < 2; i++) {
		fill(&m, names[i]);
		whatif(&m, p);
		assert_in_range(p[WHATIF_UNSAFE_IO].high_ns - p[WHATIF_UNSAFE_IO].wall_ns,
		                2167 * MS, 2168 * MS);
		/* 1.5 s less 2.2 s is not negative. */
		assert_int_equal(p[WHATIF_EATMYDATA].low_ns, 0);
		model_done(&m);
	}
}

static void only_from_a_safer_mode(void **state)
{
	static const struct {
		const char *mode;
		enum whatif_why unsafe_io, eatmydata;
	} cases[] = {
		{"safe-io", WHATIF_KNOWN, WHATIF_KNOWN}, {"unsafe-io", WHATIF_MODE, WHATIF_KNOWN},
		{"eatmydata", WHATIF_MODE, WHATIF_MODE}, {"mixed", WHATIF_MODE, WHATIF_MODE},
		{"", WHATIF_MODE, WHATIF_MODE},
	};
	struct prediction p[N_WHATIFS];
	struct model m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fill(&m, "ext4");
		snprintf(m.mode.mode, sizeof(m.mode.mode), "%s", cases[i].mode);
		whatif(&m, p);
		assert_int_equal(p[WHATIF_UNSAFE_IO].why, cases[i].unsafe_io);
		assert_int_equal(p[WHATIF_EATMYDATA].why, cases[i].eatmydata);
		for (int k = 0; k < N_WHATIFS; k++)
			if (p[k].why != WHATIF_KNOWN)
				assert_int_equal(p[k].wall_ns, UNKNOWN_NS);
		model_done(&m);
	}
}

/* A small part not counted widens the range below; a large one leaves nothing to say. */
static void what_was_not_seen(void **state)
{
	struct prediction p[N_WHATIFS];
	struct charge c;
	struct model m;

	(void)state;
	fill(&m, "ext4");
	m.exact_ns -= 1000 * MS;
	whatif(&m, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].quality, QUALITY_SAMPLED);
	assert_int_equal(p[WHATIF_UNSAFE_IO].wall_ns, 6200 * MS);
	assert_in_range(p[WHATIF_UNSAFE_IO].low_ns, 4146 * MS, 4147 * MS);
	assert_in_range(p[WHATIF_UNSAFE_IO].high_ns, 7253 * MS, 7254 * MS);
	m.exact_ns -= 1000 * MS;
	whatif(&m, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].why, WHATIF_UNSEEN);
	assert_int_equal(p[WHATIF_UNSAFE_IO].quality, QUALITY_UNKNOWN);
	assert_int_equal(p[WHATIF_UNSAFE_IO].wall_ns, UNKNOWN_NS);
	/* The disk's flushes tell of syncs, but not whose: that is said, and no number is. */
	charge_init(&c);
	c.causes[CAUSE_SYNC_ESTIMATED] = (struct cell){2000 * MS, QUALITY_ESTIMATED};
	ledger_charge(&m.ledger, PHASE_UNPACK, &c);
	whatif(&m, p);
	assert_int_equal(p[WHATIF_EATMYDATA].why, WHATIF_UNSEEN);
	m.exact_ns = 0;
	whatif(&m, p);
	assert_int_equal(p[WHATIF_EATMYDATA].why, WHATIF_ESTIMATED);
	assert_int_equal(p[WHATIF_EATMYDATA].quality, QUALITY_ESTIMATED);
	assert_int_equal(p[WHATIF_EATMYDATA].wall_ns, UNKNOWN_NS);
	model_done(&m);
}

/* 80 MB at 20 MB/s: whoever does not wait for them is done before they are on the disk. */
static void until_on_disk(void **state)
{
	struct prediction p[N_WHATIFS];
	struct model m;

	(void)state;
	fill(&m, "ext4");
	m.storage.written_bytes = 60000000;
	m.storage.dirty_first_kib = 1000;
	m.storage.dirty_last_kib = 1000 + 20000000 / 1024;
	m.storage.fastest_write = 20e6;
	whatif(&m, p);
	assert_int_equal(p[WHATIF_UNSAFE_IO].on_disk_ns, p[WHATIF_UNSAFE_IO].wall_ns);
	assert_in_range(p[WHATIF_EATMYDATA].on_disk_ns, 3999 * MS, 4000 * MS);
	m.storage.dirty_last_kib = UNKNOWN_U64;
	whatif(&m, p);
	assert_int_equal(p[WHATIF_EATMYDATA].on_disk_ns, UNKNOWN_NS);
	/* More dirty before than after is not less than nothing. */
	m.storage.dirty_last_kib = 0;
	m.storage.fastest_write = UNKNOWN_RATE;
	whatif(&m, p);
	assert_int_equal(p[WHATIF_EATMYDATA].on_disk_ns, UNKNOWN_NS);
	model_done(&m);
}

static void no_run(void **state)
{
	struct prediction p[N_WHATIFS];
	struct model m;

	(void)state;
	model_init(&m);
	whatif(&m, p);
	for (int i = 0; i < N_WHATIFS; i++)
		assert_int_equal(p[i].why, WHATIF_NO_RUN);
	model_done(&m);
}

/* Through frames: a probe that counts from the first sample on makes nearly all of it exact, and
 * one that finds the kernel lacking makes none. */
static void counted_in_frames(void **state)
{
	struct prediction p[N_WHATIFS];
	struct feed f;

	(void)state;
	for (int lacks = 0; lacks < 2; lacks++) {
		struct event mode = {.kind = EVENT_MODE,
		                     .mode = {.mode = "safe-io", .source = "default"}};
		struct sync_counters *row;

		feed_init(&f, "vda");
		feed_process(&f, 100, 1);
		feed_begin(&f, "dpkg -i a");
		feed_event(&f, mode);
		f.sample.why[GROUP_PROBE] = f.sample.why[GROUP_SYNCS] = 0;
		snprintf(f.sample.probe.lacks, sizeof(f.sample.probe.lacks), lacks ? "msync" : "");
		row = sample_add_sync(&f.sample);
		*row = (struct sync_counters){.pid = 100, .start_ticks = 1};
		feed_sample(&f, SAMPLE_FULL);
		feed_exec(&f, ROLE_DPKG, 100, "", "");
		for (int i = 0; i < 10; i++) {
			feed_wait(&f, SECOND);
			f.sample.syncs[0].count += 10;
			f.sample.syncs[0].total_ns += 600 * MS;
			f.sample.syncs[0].longest_ns = 90 * MS;
			f.sample.processes[0].cpu_ns += 300 * MS;
			feed_sample(&f, SAMPLE_FULL);
		}
		feed_end(&f, 0);
		whatif(&f.model, p);
		if (lacks) {
			assert_int_equal(p[WHATIF_UNSAFE_IO].why, WHATIF_UNSEEN);
		} else {
			assert_int_equal(p[WHATIF_UNSAFE_IO].why, WHATIF_KNOWN);
			assert_int_equal(p[WHATIF_UNSAFE_IO].wall_ns, 4 * SECOND);
		}
		assert_int_equal(f.model.syncs.by_call[SYNC_FSYNC], 100);
		assert_int_equal(f.model.syncs.longest_ns[SYNC_PACKAGE], 90 * MS);
		feed_done(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_modes),
		cmocka_unit_test(btrfs_is_wider),
		cmocka_unit_test(only_from_a_safer_mode),
		cmocka_unit_test(what_was_not_seen),
		cmocka_unit_test(until_on_disk),
		cmocka_unit_test(no_run),
		cmocka_unit_test(counted_in_frames),
	};

	return cmocka_run_group_tests_name("whatif", tests, NULL, NULL);
}
