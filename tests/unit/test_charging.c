/* test_charging.c - where an interval's time goes, and what is said when that is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed.h"

#define MS INT64_C(1000000)

static struct cell total(const struct feed *f, enum cause c)
{
	return ledger_cause(&f->model.ledger, c);
}

static void check_ms(const struct feed *f, enum cause c, int64_t ms, enum quality q)
{
	assert_int_equal(total(f, c).ns / MS, ms);
	assert_int_equal(total(f, c).quality, q);
}

static void begin(struct feed *f)
{
	feed_init(f, "vda");
	feed_disk(f, "vda");
	feed_disk(f, "vdb");
	feed_process(f, 100, 1);
	feed_process(f, 101, 100);
	feed_begin(f, "dpkg -i a");
	feed_sample(f, SAMPLE_FULL);
}

/* CPU of the tree, that of reaped children included, and the rest is "else". */
static void test_cpu(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[0].cpu_ns += 100 * MS;
	f.sample.processes[1].reaped_cpu_ns += 200 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_CPU, 300, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_OTHER, 700, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_DISK, 0, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_INPUT, 0, QUALITY_SAMPLED);
	assert_int_equal(total(&f, CAUSE_PACKAGE_SYNC).quality, QUALITY_NONE);
	feed_done(&f);
}

/* CPU time comes in ticks of 10 ms: short intervals owe it to the next ones, none is lost. */
static void test_cpu_ticks(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	for (int ms = 1; ms <= 1000; ms++) {
		if (ms % 10 == 0)
			f.sample.processes[0].cpu_ns += 10 * MS;
		feed_wait(&f, MS);
		feed_sample(&f, SAMPLE_BOUNDARY);
	}
	assert_true(total(&f, CAUSE_CPU).ns >= 980 * MS);
	assert_int_equal(ledger_total(&f.model.ledger), SECOND);
	feed_done(&f);
}

/* Two cores' time does not fit into one clock: it is cut, not carried on for ever. */
static void test_two_cores(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[0].cpu_ns += 2000 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_true(total(&f, CAUSE_CPU).ns <= 1030 * MS);
	feed_done(&f);
}

/* Two processes at work beside each other for so long as each of them: one clock's time. */
static void test_two_processes(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 8; i++) {
		f.sample.processes[0].cpu_ns += 250 * MS;
		f.sample.processes[1].cpu_ns += 250 * MS;
		feed_wait(&f, 250 * MS);
		feed_sample(&f, SAMPLE_THIN);
	}
	check_ms(&f, CAUSE_CPU, 2000, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_OTHER, 0, QUALITY_SAMPLED);
	feed_done(&f);
}

/* One waits for its sync while the other computes: the time is the sync's, and once. */
static void test_sync_beside_cpu(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 8; i++) {
		f.sample.processes[0].cpu_ns += 200 * MS;
		f.sample.disks[0].flush_ms += 150;
		feed_wait(&f, 250 * MS);
		feed_sample(&f, SAMPLE_THIN);
	}
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 1200, QUALITY_ESTIMATED);
	check_ms(&f, CAUSE_CPU, 800, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_OTHER, 0, QUALITY_SAMPLED);
	assert_int_equal(ledger_total(&f.model.ledger), 2 * SECOND);
	feed_done(&f);
}

/* Stopped by a signal, it waits for nothing that has a name. */
static void test_stopped(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[1].state = 'T';
	for (int i = 0; i < 8; i++) {
		feed_wait(&f, 250 * MS);
		feed_sample(&f, SAMPLE_THIN);
	}
	f.sample.processes[0].state = 'T';
	for (int i = 0; i < 8; i++) {
		feed_wait(&f, 250 * MS);
		feed_sample(&f, SAMPLE_THIN);
	}
	check_ms(&f, CAUSE_OTHER, 4000, QUALITY_SAMPLED);
	feed_done(&f);
}

/* With the probe at work; its counters are at 0. */
static void begin_counted(struct feed *f)
{
	begin(f);
	f->sample.why[GROUP_PROBE] = f->sample.why[GROUP_SYNCS] = 0;
	feed_wait(f, SECOND);
	feed_sample(f, SAMPLE_FULL);
	check_ms(f, CAUSE_CPU, 0, QUALITY_SAMPLED);
}

/* What was counted stands, whatever /proc and the states of the moment say. */
static void test_counted(void **state)
{
	struct feed f;

	(void)state;
	begin_counted(&f);
	f.sample.processes[0].state = 'D';
	f.sample.processes[0].cpu_ns += 700 * MS;
	f.sample.probe.cpu_ns = 123 * MS;
	f.sample.probe.blocked_ns = 456 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_CPU, 123, QUALITY_SAMPLED); /* the first second's, which was not */
	check_ms(&f, CAUSE_DISK, 456, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_OTHER, 1000 + 421, QUALITY_SAMPLED);
	feed_done(&f);
}

/* One second, from a sample on. */
struct second {
	struct charging charging;
	struct input input;
	struct syncs syncs;
	struct sample sample;
};

static void second_begin(struct second *x)
{
	const struct stamp at = {0};

	sample_init(&x->sample);
	syncs_init(&x->syncs);
	input_init(&x->input);
	charging_begin(&x->charging, &at);
	x->syncs.exact = true;
	x->sample.why[GROUP_PROBE] = x->sample.why[GROUP_PROCESSES] = 0;
}

static struct charge second_take(struct second *x, int64_t at_ns)
{
	struct charge charge;

	x->sample.at.mono_ns = at_ns;
	charging_sample(&x->charging, &x->sample, "", &x->input, &x->syncs, &charge);
	return charge;
}

static struct charge second_end(struct second *x)
{
	struct charge charge = second_take(x, SECOND);

	sample_done(&x->sample);
	syncs_done(&x->syncs);
	assert_int_equal(charge_total(&charge), SECOND);
	return charge;
}

static struct charge one_counted(int64_t cpu_ms, int64_t blocked_ms)
{
	struct second x;

	second_begin(&x);
	second_take(&x, 0);
	x.sample.probe.cpu_ns = cpu_ms == UNKNOWN_NS ? UNKNOWN_NS : cpu_ms * MS;
	x.sample.probe.blocked_ns = blocked_ms == UNKNOWN_NS ? UNKNOWN_NS : blocked_ms * MS;
	return second_end(&x);
}

/* Of a second: the calls of all threads, and the time in which there was any. */
static struct charge one_synced(int64_t package_ms, int64_t other_ms, int64_t any_ms)
{
	struct second x;

	second_begin(&x);
	x.syncs.probe.sync_ns = any_ms == UNKNOWN_NS ? UNKNOWN_NS : 0;
	second_take(&x, 0);
	x.syncs.grown_ns[SYNC_PACKAGE] = package_ms * MS;
	x.syncs.grown_ns[SYNC_OTHER] = other_ms * MS;
	if (any_ms != UNKNOWN_NS)
		x.syncs.probe.sync_ns = any_ms * MS;
	return second_end(&x);
}

/* Sixty-four threads that sync at once wait no longer than one. */
static void test_parallel_syncs(void **state)
{
	struct charge c = one_synced(0, 640, 10);

	(void)state;
	assert_int_equal(c.causes[CAUSE_OTHER_SYNC].ns, 10 * MS);
	assert_int_equal(c.causes[CAUSE_OTHER].ns, 990 * MS);
	c = one_synced(300, 100, 200);
	assert_int_equal(c.causes[CAUSE_PACKAGE_SYNC].ns, 150 * MS);
	assert_int_equal(c.causes[CAUSE_OTHER_SYNC].ns, 50 * MS);
	/* One after the other: read a moment apart. */
	c = one_synced(300, 100, 401);
	assert_int_equal(c.causes[CAUSE_PACKAGE_SYNC].ns, 300 * MS);
	assert_int_equal(c.causes[CAUSE_OTHER_SYNC].ns, 100 * MS);
	/* An older recording: what fits. */
	c = one_synced(1500, 500, UNKNOWN_NS);
	assert_int_equal(c.causes[CAUSE_PACKAGE_SYNC].ns, 750 * MS);
	assert_int_equal(c.causes[CAUSE_OTHER_SYNC].ns, 250 * MS);
}

static void test_counted_is_exact(void **state)
{
	struct charge c = one_counted(300, 200);

	(void)state;
	assert_int_equal(c.causes[CAUSE_CPU].ns, 300 * MS);
	assert_int_equal(c.causes[CAUSE_CPU].quality, QUALITY_EXACT);
	assert_int_equal(c.causes[CAUSE_DISK].ns, 200 * MS);
	assert_int_equal(c.causes[CAUSE_DISK].quality, QUALITY_EXACT);
	assert_int_equal(c.causes[CAUSE_OTHER].ns, 500 * MS);
	/* Many threads: CPU first, and the disk has what is left. */
	c = one_counted(700, 5000);
	assert_int_equal(c.causes[CAUSE_CPU].ns, 700 * MS);
	assert_int_equal(c.causes[CAUSE_DISK].ns, 300 * MS);
	c = one_counted(1900, 100);
	assert_int_equal(c.causes[CAUSE_CPU].ns, 1000 * MS);
	assert_int_equal(c.causes[CAUSE_DISK].ns, 0);
	assert_int_equal(c.causes[CAUSE_DISK].quality, QUALITY_EXACT);
	/* One alone tells nothing: as without the probe. */
	c = one_counted(UNKNOWN_NS, 100);
	assert_int_equal(c.causes[CAUSE_CPU].quality, QUALITY_SAMPLED);
	c = one_counted(100, UNKNOWN_NS);
	assert_int_equal(c.causes[CAUSE_CPU].quality, QUALITY_SAMPLED);
	assert_int_equal(c.causes[CAUSE_DISK].quality, QUALITY_SAMPLED);
	/* Nor does one that went back. */
	c = one_counted(-100, 100);
	assert_int_equal(c.causes[CAUSE_CPU].ns, 0);
	assert_int_equal(c.causes[CAUSE_CPU].quality, QUALITY_SAMPLED);
}

/* The time of what runs comes at the scheduler's ticks: none of it is lost in short intervals, and
 * that of a second core is charged to nobody later. */
static void test_counted_ticks(void **state)
{
	struct feed f;

	(void)state;
	begin_counted(&f);
	for (int ms = 1; ms <= 1000; ms++) {
		if (ms % 4 == 0)
			f.sample.probe.cpu_ns += 4 * MS;
		feed_wait(&f, MS);
		feed_sample(&f, SAMPLE_BOUNDARY);
	}
	assert_true(total(&f, CAUSE_CPU).ns >= 996 * MS);
	f.sample.probe.cpu_ns += 2000 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_true(total(&f, CAUSE_CPU).ns <= 2004 * MS);
	feed_done(&f);
}

/* The watched disk's flush time stands for the syncs; another disk's does not. */
static void test_flushes(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.disks[0].flush_ms += 250;
	f.sample.disks[1].flush_ms += 500;
	f.sample.processes[0].cpu_ns += 100 * MS;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_THIN);
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 250, QUALITY_ESTIMATED);
	check_ms(&f, CAUSE_CPU, 100, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_OTHER, 650, QUALITY_SAMPLED);
	feed_done(&f);
}

/* D state is mostly the wait for syncs, which the flushes tell: only what exceeds them is disk. */
static void test_blocked(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[1].state = 'D';
	for (int i = 0; i < 40; i++) {
		f.sample.disks[0].flush_ms += 150;
		feed_wait(&f, 250 * MS);
		feed_sample(&f, SAMPLE_THIN);
	}
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 6000, QUALITY_ESTIMATED);
	check_ms(&f, CAUSE_DISK, 4000, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_OTHER, 0, QUALITY_SAMPLED);
	feed_done(&f);
}

/* Half the time in syncs and half asleep: the sampled D states are the syncs', not the disk's. */
static void test_blocked_by_syncs(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 40; i++) {
		f.sample.processes[1].state = i % 2 ? 'D' : 'S';
		f.sample.disks[0].flush_ms += 125;
		feed_wait(&f, 250 * MS);
		feed_sample(&f, SAMPLE_THIN);
	}
	assert_true(total(&f, CAUSE_DISK).ns <= 300 * MS);
	feed_done(&f);
}

/* Without the process group nothing is said of CPU or disk, and the time has no known cause. */
static void test_no_processes(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.why[GROUP_PROCESSES] = -13;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_CPU, 0, QUALITY_UNKNOWN);
	check_ms(&f, CAUSE_DISK, 0, QUALITY_UNKNOWN);
	check_ms(&f, CAUSE_UNKNOWN, 1000, QUALITY_UNKNOWN);
	assert_int_equal(ledger_total(&f.model.ledger), SECOND);
	feed_done(&f);
}

/* Without flush counters (Linux before 5.5, a partition) the syncs are unknown, not 0. */
static void test_no_flushes(void **state)
{
	struct feed f;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda")->flush_ms = UNKNOWN_U64;
	feed_process(&f, 100, 1);
	feed_begin(&f, "dpkg -i a");
	feed_sample(&f, SAMPLE_FULL);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 0, QUALITY_UNKNOWN);
	feed_done(&f);
}

/* A counter that goes back gives unknown for that interval, and counts on from there. */
static void test_counters_back(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	f.sample.processes[0].cpu_ns = 900 * MS;
	f.sample.disks[0].flush_ms = f.sample.disks[0].flushes = 900;
	feed_wait(&f, 2 * SECOND);
	feed_sample(&f, SAMPLE_FULL);
	f.sample.processes[0].cpu_ns = 100 * MS;
	f.sample.disks[0].flush_ms = f.sample.disks[0].flushes = 100;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_CPU, 900, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 900, QUALITY_ESTIMATED);
	check_ms(&f, CAUSE_UNKNOWN, 1000, QUALITY_UNKNOWN);
	f.sample.processes[0].cpu_ns += 50 * MS;
	f.sample.disks[0].flush_ms += 50;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_CPU, 950, QUALITY_SAMPLED);
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 950, QUALITY_ESTIMATED);
	assert_true(isnan(ring_at(&f.model.storage.flush_rate, 1)));
	assert_false(isnan(ring_at(&f.model.storage.flush_rate, 0)));
	feed_done(&f);
}

/* A phase that begins in the middle of a second gets what was used up since, and no more. */
static void test_boundary(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_line(&f, VERB_STARTUP, STATE_NONE, "", "", "");
	f.sample.disks[0].flush_ms += 200;
	feed_wait(&f, 300 * MS);
	feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
	f.sample.disks[0].flush_ms += 600;
	feed_wait(&f, 700 * MS);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(f.model.ledger.cells[PHASE_READ][CAUSE_SYNC_ESTIMATED].ns, 200 * MS);
	assert_int_equal(f.model.ledger.cells[PHASE_UNPACK][CAUSE_SYNC_ESTIMATED].ns, 600 * MS);
	feed_done(&f);
}

/* A disk that comes back under another number is another disk, whatever its counters say. */
static void test_other_disk(void **state)
{
	struct feed f;

	(void)state;
	begin(&f);
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	f.sample.disks[0].minor = 16;
	f.sample.disks[0].flushes = f.sample.disks[0].flush_ms = 800;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 0, QUALITY_ESTIMATED);
	assert_true(isnan(f.model.storage.rates.flushes));
	f.sample.disks[0].flush_ms += 100;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	check_ms(&f, CAUSE_SYNC_ESTIMATED, 100, QUALITY_ESTIMATED);
	feed_done(&f);
}

static void test_rates(void **state)
{
	const struct disk_rates *r;
	struct feed f;

	(void)state;
	begin(&f);
	r = &f.model.storage.rates;
	assert_true(isnan(r->writes)); /* one sample is no rate */
	f.sample.disks[0].writes += 100;
	f.sample.disks[0].written_sectors += 4000;
	f.sample.disks[0].write_ms += 50;
	f.sample.disks[0].flushes += 10;
	f.sample.disks[0].flush_ms += 40;
	f.sample.disks[0].busy_ms += 1003;
	f.sample.disks[0].queue_ms += 500;
	f.sample.processes[0].written_bytes += 8192;
	f.sample.processes[0].cpu_ns += 100 * MS;
	feed_wait(&f, 2 * SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_float_equal(r->writes, 50, 1e-9);
	assert_float_equal(r->written_bytes, 4000 * 512 / 2.0, 1e-6);
	assert_float_equal(r->write_ms, 0.5, 1e-9);
	assert_float_equal(r->flushes, 5, 1e-9);
	assert_float_equal(r->flush_ms, 4, 1e-9);
	assert_float_equal(r->queue, 0.25, 1e-9);
	assert_true(isnan(r->read_ms)); /* no read, so no mean */
	assert_float_equal(f.model.tree.items[0].written_rate, 4096, 1e-6);
	assert_float_equal(f.model.tree.items[0].cpu, 0.05, 1e-9);
	assert_int_equal(f.model.storage.flushes, 10);
	/* The disk goes: unknown, not 0. */
	f.sample.n_disks = 0;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_true(isnan(r->writes));
	assert_true(f.model.storage.flushes == UNKNOWN_U64);
	assert_string_equal(f.model.storage.disk, "vda");
	feed_done(&f);
}

/* Parents stand before their children, whatever the pids; one that has another's pid, or is new,
 * began at 0 in the interval. */
static void test_tree(void **state)
{
	const struct tree *t;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_process(&f, 50, 100);
	feed_process(&f, 100, 1);
	feed_process(&f, 101, 100);
	feed_process(&f, 102, 50);
	feed_begin(&f, "apt-get");
	feed_sample(&f, SAMPLE_FULL);
	t = &f.model.tree;
	assert_int_equal(t->count, 4);
	assert_int_equal(t->items[0].at.pid, 100);
	assert_int_equal(t->items[1].at.pid, 50);
	assert_int_equal(t->items[2].at.pid, 102);
	assert_int_equal(t->items[2].depth, 2);
	assert_int_equal(t->items[3].at.pid, 101);
	f.sample.processes[0].start_ticks = 2;
	f.sample.processes[0].cpu_ns = 5 * MS;
	f.sample.processes[0].written_bytes = 1000;
	assert_true(isnan(t->items[1].cpu)); /* no interval yet */
	feed_process(&f, 103, 100)->read_bytes = 500;
	feed_process(&f, 104, 100)->read_bytes = UNKNOWN_U64;
	feed_wait(&f, SECOND / 2);
	feed_sample(&f, SAMPLE_FULL);
	assert_float_equal(t->items[1].cpu, 0.01, 1e-9);
	assert_float_equal(t->items[1].written_rate, 2000, 1e-9);
	assert_float_equal(t->items[0].cpu, 0, 1e-9);
	assert_float_equal(t->items[4].read_rate, 1000, 1e-9);
	assert_true(isnan(t->items[5].read_rate));
	feed_done(&f);
}

/* As a dpkg ends all that it wrote comes to apt's counters: it was shown as dpkg's. */
static void test_ended_child(void **state)
{
	const struct tree *t;
	struct feed f;

	(void)state;
	feed_init(&f, "");
	feed_process(&f, 100, 1);
	feed_process(&f, 101, 100)->written_bytes = 80000;
	feed_begin(&f, "apt-get");
	feed_sample(&f, SAMPLE_FULL);
	t = &f.model.tree;
	f.sample.n_processes = 1;
	f.sample.processes[0].written_bytes = 81000;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	assert_int_equal(t->count, 1);
	assert_float_equal(t->items[0].written_rate, 1000, 1e-9);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_cpu_ticks),
		cmocka_unit_test(test_two_cores),
		cmocka_unit_test(test_flushes),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_blocked_by_syncs),
		cmocka_unit_test(test_no_processes),
		cmocka_unit_test(test_no_flushes),
		cmocka_unit_test(test_counters_back),
		cmocka_unit_test(test_boundary),
		cmocka_unit_test(test_other_disk),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_ended_child),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_sync_beside_cpu),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_counted_ticks),
		cmocka_unit_test(test_parallel_syncs),
		cmocka_unit_test(test_counted_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
