/* test_probe_counts.c - sync calls of known programs, counted to the last one. Needs root, BPF. */
#include "live.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

static void a_known_workload(void **state)
{
	char command[2048];

	(void)state;
	NEED_PROBE();
	snprintf(command, sizeof(command),
	         "%s dpkg %s/a.dpkg-new && %s dpkg %s/status-new && %s dpkg-new %s/b.dpkg-new",
	         workload, scratch, workload, scratch, workload, scratch);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(run_watched(run_shell, command, 5), 0);
		assert_count(SYNC_FSYNC, SYNC_PACKAGE, 23);
		assert_count(SYNC_FDATASYNC, SYNC_PACKAGE, 7);
		assert_count(SYNC_RANGE_WAIT, SYNC_PACKAGE, 5);
		assert_count(SYNC_RANGE_WRITE, SYNC_PACKAGE, 0);
		assert_count(SYNC_RANGE_OTHER, SYNC_PACKAGE, 10);
		assert_count(SYNC_SYNCFS, SYNC_PACKAGE, 0);
		assert_count(SYNC_SYNC, SYNC_PACKAGE, 0);
		assert_count(SYNC_MSYNC, SYNC_PACKAGE, 0);
		assert_count(SYNC_FSYNC, SYNC_DATABASE, 23);
		assert_count(SYNC_FDATASYNC, SYNC_DATABASE, 7);
		assert_count(SYNC_RANGE_WAIT, SYNC_DATABASE, 5);
		assert_count(SYNC_RANGE_OTHER, SYNC_DATABASE, 10);
		assert_count(SYNC_SYNCFS, SYNC_DATABASE, 2 * 3);
		assert_count(SYNC_SYNC, SYNC_DATABASE, 2 * 2);
		assert_count(SYNC_MSYNC, SYNC_DATABASE, 2 * 11);
		assert_count(SYNC_RANGE_WRITE, SYNC_WRITEBACK, 2 * 5);
		assert_count(SYNC_FSYNC, SYNC_OTHER, 23);
		assert_count(SYNC_FDATASYNC, SYNC_OTHER, 7);
		assert_count(SYNC_RANGE_WAIT, SYNC_OTHER, 5);
		assert_count(SYNC_RANGE_WRITE, SYNC_OTHER, 5);
		assert_count(SYNC_RANGE_OTHER, SYNC_OTHER, 10);
		assert_count(SYNC_SYNCFS, SYNC_OTHER, 3);
		assert_count(SYNC_SYNC, SYNC_OTHER, 2);
		assert_count(SYNC_MSYNC, SYNC_OTHER, 11);
		assert_nothing_lost();
		/* Who has ended was told, and is forgotten. */
		assert_int_equal(seen.sample.n_syncs, 0);
		assert_int_equal(seen.sample.n_flights, 0);
	}
}

static double slurp_total(const char *path)
{
	unsigned long calls;
	double total_ms = 0;
	char line[256];
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " fsync %lu %*u %lf", &calls, &total_ms) == 2)
			break;
	if (f)
		fclose(f);
	return total_ms;
}

/* Each by its own clock readings around the same calls. */
static void mean_latency_as_perf_has_it(void **state)
{
	char command[1024], out[128];
	double theirs = 0, ours = 0;

	(void)state;
	NEED_PROBE();
	snprintf(out, sizeof(out), "%s/perf", scratch);
	/* perf mounts tracefs where it is not, and leaves it: in a namespace of its own. */
	snprintf(command, sizeof(command),
	         "unshare --mount perf trace -s -e fsync -o %s %s dpkg %s/p.dpkg-new fsync 2000 "
	         "2>/dev/null",
	         out, workload, scratch);
	if (run_watched(run_shell, command, 20) || (theirs = slurp_total(out)) <= 0)
		SKIP("no perf trace here");
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 2000);
	for (size_t i = 0; i < seen.sample.n_latencies; i++)
		if (seen.sample.latencies[i].class == SYNC_PACKAGE)
			ours = (double)seen.sample.latencies[i].total_ns / 1e6;
	printf("# perf %.3f ms, probe %.3f ms: %+.2f %%\n", theirs, ours,
	       (ours / theirs - 1) * 100);
	assert_true(ours > theirs * 0.98 && ours < theirs * 1.02);
}

#define FAST_CALLS   150000
#define FAST_THREADS 3

static void *sync_fast(void *context)
{
	int fd = *(int *)context;

	for (int i = 0; i < FAST_CALLS / FAST_THREADS; i++)
		fsync(fd);
	return NULL;
}

/* In memory, where a call costs next to nothing. */
static int run_fast(void *context)
{
	pthread_t threads[FAST_THREADS];
	int fd = memfd_create("fast", MFD_CLOEXEC);

	(void)context;
	for (int i = 0; i < FAST_THREADS; i++)
		if (pthread_create(&threads[i], NULL, sync_fast, &fd))
			return 1;
	for (int i = 0; i < FAST_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void full_speed(void **state)
{
	int64_t begun = now_ns();

	(void)state;
	NEED_PROBE();
	assert_int_equal(run_watched(run_fast, NULL, 10), 0);
	assert_count(SYNC_FSYNC, SYNC_OTHER, FAST_CALLS);
	assert_nothing_lost();
	printf("# %d calls in %lld ms\n", FAST_CALLS, (long long)((now_ns() - begun) / MS));
}

static void another_upgrade_begins_anew(void **state)
{
	struct runner r;
	char command[512];

	(void)state;
	NEED_PROBE();
	snprintf(command, sizeof(command), "%s dpkg %s/c.dpkg-new fsync 10", workload, scratch);
	assert_int_equal(run_watched(run_shell, command, 5), 0);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 10);
	/* The former one is no longer counted, though it lives on. */
	r = runner_start(run_shell, command);
	watch(&r);
	assert_int_equal(probe_watch(probe, 0, 0), 0);
	runner_go(&r);
	assert_int_equal(runner_finish(&r, 5), 0);
	assert_int_equal(seen.n_rows, 0);
	assert_int_equal(seen.sample.n_latencies, 0);
	assert_int_equal(run_watched(run_shell, command, 5), 0);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 10);
	assert_int_equal(probe_watch(probe, r.pid, r.start_ticks), -ESRCH);
	assert_int_equal(probe_watch(probe, getpid(), 1), -ESRCH);
}

/* A tree that ran before it was watched: grandchildren, too. */
static void late_to_a_running_tree(void **state)
{
	struct runner r;
	char command[1024], go[128];
	int fd;

	(void)state;
	NEED_PROBE();
	snprintf(go, sizeof(go), "%s/go", scratch);
	snprintf(command, sizeof(command),
	         "(: >%s/ready; while [ ! -e %s ]; do sleep 0.01; done; "
	         "%s dpkg %s/d.dpkg-new fsync 12; exit 0); exit 0",
	         scratch, go, workload, scratch);
	r = runner_start(run_shell, command);
	runner_go(&r);
	snprintf(command, sizeof(command), "%s/ready", scratch);
	for (int i = 0; i < 500 && access(command, F_OK) < 0; i++)
		nap(10);
	assert_int_equal(access(command, F_OK), 0);
	watch(&r);
	fd = open(go, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	assert_int_equal(runner_finish(&r, 5), 0);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 12);
	assert_nothing_lost();
}

static const struct sync_writer *writer_of(pid_t pid)
{
	for (size_t i = 0; i < seen.sample.n_writers; i++)
		if (seen.sample.writers[i].pid == pid)
			return &seen.sample.writers[i];
	return NULL;
}

/* Whoever is not of the tree is apart, and told once after its end. */
static void other_writers(void **state)
{
	struct runner r;
	char command[512];
	const struct sync_writer *w;
	int status;

	(void)state;
	NEED_PROBE();
	assert_int_equal(probe_watch(probe, 0, 0), 0);
	snprintf(command, sizeof(command), "exec %s stranger %s/e fsync 9", workload, scratch);
	r = runner_start(run_shell, command);
	runner_go(&r);
	assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
	tick(SAMPLE_FULL);
	assert_int_equal(seen.sample.n_latencies, 0);
	assert_int_equal(seen.sample.n_syncs, 0);
	w = writer_of(r.pid);
	assert_non_null(w);
	assert_string_equal(w->name, "stranger");
	assert_int_equal(w->count, 9);
	assert_int_equal(w->start_ticks, r.start_ticks);
	assert_true(w->total_ns >= w->longest_ns && w->longest_ns > 0);
	tick(SAMPLE_THIN);
	assert_null(writer_of(r.pid));
}

static int run_joining(void *context)
{
	const int *pipes = context; /* it tells that it has begun, and is told to go on */
	int fd = memfd_create("joining", MFD_CLOEXEC);
	char c = 'x';

	for (int i = 0; i < 5; i++)
		fsync(fd);
	if (write(pipes[1], &c, 1) != 1 || read(pipes[2], &c, 1) != 1)
		return 1;
	for (int i = 0; i < 3; i++)
		fsync(fd);
	return 0;
}

/* Who is of the tree is no other writer, whatever it did before. */
static void a_stranger_who_joins(void **state)
{
	int pipes[4];
	struct runner r;
	char c;

	(void)state;
	NEED_PROBE();
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(pipe2(pipes + 2, O_CLOEXEC), 0);
	assert_int_equal(probe_watch(probe, 0, 0), 0);
	r = runner_start(run_joining, pipes);
	runner_go(&r);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	tick(SAMPLE_THIN);
	assert_non_null(writer_of(r.pid));
	watch(&r);
	tick(SAMPLE_THIN);
	assert_null(writer_of(r.pid));
	assert_int_equal(write(pipes[3], "x", 1), 1);
	assert_int_equal(runner_finish(&r, 5), 0);
	assert_null(writer_of(r.pid));
	assert_count(SYNC_FSYNC, SYNC_OTHER, 3);
	for (int i = 0; i < 4; i++)
		close(pipes[i]);
}

/* More than the probe has room for: threads, and processes. */
#define CROWD_THREADS   5000
#define CROWD_PROCESSES 1500

struct crowd {
	int fd;
	int ready[2]; /* a byte from each that has made its call */
	int stay[2];  /* till its other end is closed */
};

static void be_of_the_crowd(const struct crowd *c)
{
	char byte = 'x';

	if (fsync(c->fd) == 0 && write(c->ready[1], &byte, 1) == 1)
		while (read(c->stay[0], &byte, 1) > 0)
			;
}

static void *be_thread(void *context)
{
	be_of_the_crowd(context);
	return NULL;
}

static int run_crowd(void *context)
{
	const struct crowd *c = context;
	pthread_attr_t small;
	pthread_t thread;

	close(c->stay[1]);
	close(c->ready[0]);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (int i = 0; i < CROWD_PROCESSES; i++) {
		pid_t pid = fork();

		if (pid == 0)
			be_of_the_crowd(c);
		if (pid <= 0)
			_exit(pid < 0);
	}
	for (int i = 0; i < CROWD_THREADS; i++)
		if (pthread_create(&thread, &small, be_thread, context))
			return 1;
	be_of_the_crowd(c);
	return 0;
}

/* Whoever else syncs, and however many, the tree's calls are counted. */
static void a_crowd_of_strangers(void **state)
{
	struct crowd c = {.fd = memfd_create("crowd", MFD_CLOEXEC)};
	char command[512], bytes[512];
	ssize_t n, there = 0;
	struct runner r;

	(void)state;
	NEED_PROBE();
	assert_int_equal(pipe2(c.ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(c.stay, O_CLOEXEC), 0);
	assert_int_equal(probe_watch(probe, 0, 0), 0);
	r = runner_start(run_crowd, &c);
	runner_go(&r);
	close(c.ready[1]);
	while (there < CROWD_THREADS + CROWD_PROCESSES + 1 &&
	       (n = read(c.ready[0], bytes, sizeof(bytes))) > 0)
		there += n;
	if (there <= CROWD_THREADS + CROWD_PROCESSES) {
		close(c.stay[1]);
		SKIP("not so many threads and processes here: %zd", there);
	}
	tick(SAMPLE_THIN);
	assert_true(seen.sample.probe.outside > 0);
	snprintf(command, sizeof(command), "%s dpkg %s/f.dpkg-new fsync 10", workload, scratch);
	assert_int_equal(run_watched(run_shell, command, 5), 0);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 10);
	assert_nothing_lost();
	kill(-r.pid, SIGKILL);
	close(c.stay[1]);
	while (waitpid(r.pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(c.ready[0]);
	close(c.stay[0]);
	close(c.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_workload),
		cmocka_unit_test(mean_latency_as_perf_has_it),
		cmocka_unit_test(full_speed),
		cmocka_unit_test(another_upgrade_begins_anew),
		cmocka_unit_test(late_to_a_running_tree),
		cmocka_unit_test(other_writers),
		cmocka_unit_test(a_stranger_who_joins),
		cmocka_unit_test(a_crowd_of_strangers),
	};

	return cmocka_run_group_tests_name("probe_counts", tests, set_up, tear_down);
}
