/* test_probe_cpu.c - the CPU time of a tree, and what it waits for outside of sync calls, against
 * clocks. Needs root and BPF. */
#include "live.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "fuse.h"

/* What the processes of the tree tell of themselves; in memory that all share. */
static struct told {
	_Atomic int64_t cpu_ns, blocked_ns;
	_Atomic int32_t pid, step;
} * told;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t usage_ns(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * INT64_C(1000000000) +
	       (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * INT64_C(1000);
}

static void burn(clockid_t clock, int64_t until_ns)
{
	while (clock_ns(clock) < until_ns)
		;
}

/* In a process of the tree: lets the test go on, and waits until it says so. */
static void reach(int step)
{
	told->step = step;
	while (told->step == step)
		nap(1);
}

static void wait_for_step(int step)
{
	int64_t end = now_ns() + 20000 * MS;

	while (told->step != step && now_ns() < end)
		nap(1);
	assert_int_equal(told->step, step);
}

static struct probe_counters before;
/* What the tree's root had used when it came to be watched. */
static int64_t used_before_ns;

static int64_t process_ns(pid_t pid)
{
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	return clock_ns(clock);
}

/* As tick(), and time must not go back. */
static void look(enum sample_kind kind)
{
	tick(kind);
	if (seen.sample.probe.cpu_ns == UNKNOWN_NS)
		SKIP("this kernel has no iterators of tasks");
	assert_true(seen.sample.probe.cpu_ns >= before.cpu_ns);
	assert_true(seen.sample.probe.blocked_ns >= before.blocked_ns);
	before = seen.sample.probe;
}

static void begin(const struct runner *r)
{
	memset(&before, 0, sizeof(before));
	memset(told, 0, sizeof(*told));
	used_before_ns = process_ns(r->pid);
	watch(r);
}

static void finish(struct runner *r, struct rusage *ret_usage)
{
	int status = 0;

	while (wait4(r->pid, &status, WNOHANG, ret_usage) == 0) {
		look(SAMPLE_THIN);
		nap(20);
	}
	/* The last switch comes after a parent may know. */
	nap(10);
	look(SAMPLE_FULL);
	assert_nothing_lost();
}

static void assert_near(const char *what, int64_t got, int64_t wanted, int64_t slack_ns)
{
	int64_t off = got - wanted;

	printf("# %s: %.3f ms, of %.3f ms\n", what, (double)got / 1e6, (double)wanted / 1e6);
	if (off < 0)
		off = -off;
	assert_true(off <= wanted / 50 + slack_ns);
}

static int burn_alone(void *context)
{
	burn(CLOCK_PROCESS_CPUTIME_ID, *(const int64_t *)context * MS);
	return 0;
}

static void one_process(void **state)
{
	int64_t ms = 400;
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	for (int round = 0; round < 2; round++) {
		r = runner_start(burn_alone, &ms);
		begin(&r);
		look(SAMPLE_THIN);
		/* Nothing of the former one's. */
		assert_true(seen.sample.probe.cpu_ns < 5 * MS);
		runner_go(&r);
		finish(&r, &usage);
		assert_near("one process", seen.sample.probe.cpu_ns,
		            usage_ns(&usage) - used_before_ns, MS);
	}
}

static void *burn_thread(void *context)
{
	burn(CLOCK_THREAD_CPUTIME_ID, *(const int64_t *)context * MS);
	return NULL;
}

/* Long ones that live side by side, then short ones that end between two ticks of the scheduler. */
static int burn_threads(void *context)
{
	int64_t lengths[] = {150, 100, 200, 1};
	pthread_t threads[3];

	(void)context;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, burn_thread, &lengths[i]))
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 300; i++) {
		if (pthread_create(&threads[0], NULL, burn_thread, &lengths[3]))
			return 1;
		pthread_join(threads[0], NULL);
	}
	return 0;
}

static void many_threads(void **state)
{
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = runner_start(burn_threads, NULL);
	begin(&r);
	runner_go(&r);
	finish(&r, &usage);
	assert_near("303 threads", seen.sample.probe.cpu_ns, usage_ns(&usage) - used_before_ns,
	            8 * MS);
}

#define SHORT_ONES 2000

/* What the kernel says of each, and of itself. */
static int burn_shortly(void *context)
{
	struct rusage usage;
	int status;

	(void)context;
	for (int i = 0; i < SHORT_ONES; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			burn(CLOCK_PROCESS_CPUTIME_ID, MS / 2);
			_exit(0);
		}
		if (wait4(pid, &status, 0, &usage) != pid)
			return 1;
		atomic_fetch_add(&told->cpu_ns, usage_ns(&usage));
	}
	atomic_fetch_add(&told->cpu_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

static void thousands_of_processes(void **state)
{
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = runner_start(burn_shortly, NULL);
	begin(&r);
	runner_go(&r);
	finish(&r, &usage);
	assert_near("2000 processes", seen.sample.probe.cpu_ns, told->cpu_ns, 5 * MS);
}

/* It is told while it runs, and whole when it was killed. */
static void killed_while_it_runs(void **state)
{
	int64_t ms = 60000, end = now_ns() + 20000 * MS;
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = runner_start(burn_alone, &ms);
	begin(&r);
	runner_go(&r);
	do {
		nap(20);
		look(SAMPLE_THIN);
	} while (seen.sample.probe.cpu_ns < 200 * MS && now_ns() < end);
	kill(r.pid, SIGKILL);
	finish(&r, &usage);
	assert_near("killed", seen.sample.probe.cpu_ns, usage_ns(&usage), MS);
}

/* A thread that waits and a process that burns, before and after they are watched. */
static int burn_twice(void *context)
{
	int64_t ms = 200;
	pthread_t thread;
	int status;

	(void)context;
	if (fork() == 0) {
		if (pthread_create(&thread, NULL, burn_thread, &ms))
			_exit(1);
		burn(CLOCK_THREAD_CPUTIME_ID, 100 * MS);
		pthread_join(thread, NULL);
		reach(1);
		told->cpu_ns = -clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		burn(CLOCK_THREAD_CPUTIME_ID, clock_ns(CLOCK_THREAD_CPUTIME_ID) + 250 * MS);
		_exit(0);
	}
	wait(&status);
	return WEXITSTATUS(status);
}

static void adopted_late(void **state)
{
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	memset(told, 0, sizeof(*told));
	r = runner_start(burn_twice, NULL);
	runner_go(&r);
	wait_for_step(1);
	memset(&before, 0, sizeof(before));
	used_before_ns = process_ns(r.pid);
	watch(&r);
	told->step = 2;
	finish(&r, &usage);
	/* That of the child, which was waited for, is in it. */
	assert_near("adopted late", seen.sample.probe.cpu_ns,
	            usage_ns(&usage) - used_before_ns + told->cpu_ns, 3 * MS);
}

static int rest(void *context)
{
	(void)context;
	pause();
	return 0;
}

/* How many are told as having run up to now; `pid`: no other. */
static size_t ran(pid_t pid)
{
	int32_t pids[2] = {0};
	size_t count;

	look(SAMPLE_THIN);
	count = probe_ran(probe, pids, 1);
	assert_int_equal(pids[1], 0);
	assert_true(count == 0 || pids[0] == pid);
	return count;
}

/* Who sleeps is told once, and again when he has run. */
static void who_has_run(void **state)
{
	int64_t end = now_ns() + 20000 * MS;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = runner_start(rest, NULL);
	begin(&r);
	while (ran(r.pid) == 0)
		assert_true(now_ns() < end);
	/* It may have been on its way to sleep. */
	while (ran(r.pid) != 0)
		assert_true(now_ns() < end);
	for (int i = 0; i < 20; i++)
		assert_int_equal(ran(r.pid), 0);
	runner_go(&r);
	while (ran(r.pid) == 0)
		assert_true(now_ns() < end);
	while (ran(r.pid) != 0)
		assert_true(now_ns() < end);
	kill(r.pid, SIGKILL);
	waitpid(r.pid, NULL, 0);
	/* Who has ended runs no more. */
	assert_int_equal(ran(r.pid), 0);
}

#define HELD (1536u << 20)

/* It ends with so much memory that giving it back takes long. */
static int end_slowly(void *context)
{
	char *held = mmap(NULL, HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	if (held == MAP_FAILED)
		return 1;
	madvise(held, HELD, MADV_NOHUGEPAGE);
	memset(held, 1, HELD);
	return 0;
}

/* What it uses then is told as it goes, not at a stroke: an interval has no more than passed. */
static void long_in_ending(void **state)
{
	int64_t before_ns, cpu_ns, most = sysconf(_SC_NPROCESSORS_ONLN), over = 0;
	struct rusage usage;
	struct runner r;
	int status = 0;

	(void)state;
	NEED_PROBE();
	if (sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) < 2 * (long)HELD)
		SKIP("too little memory is free");
	r = runner_start(end_slowly, NULL);
	begin(&r);
	runner_go(&r);
	do {
		before_ns = now_ns();
		cpu_ns = before.cpu_ns;
		nap(5);
		look(SAMPLE_THIN);
		cpu_ns = before.cpu_ns - cpu_ns - most * (now_ns() - before_ns);
		over = cpu_ns > over ? cpu_ns : over;
	} while (wait4(r.pid, &status, WNOHANG, &usage) == 0);
	assert_int_equal(status, 0);
	nap(10);
	look(SAMPLE_FULL);
	printf("# at most %.1f ms more than passed\n", (double)over / 1e6);
	/* The scheduler adds up at its ticks. */
	assert_true(over < 30 * MS);
	assert_near("slow end", seen.sample.probe.cpu_ns, usage_ns(&usage), 8 * MS);
}

/* A daemon: it goes on when its parent has ended. */
static int leave_one(void *context)
{
	(void)context;
	if (fork() == 0) {
		told->pid = getpid();
		burn(CLOCK_PROCESS_CPUTIME_ID, 100 * MS);
		told->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		reach(1);
		burn(CLOCK_PROCESS_CPUTIME_ID, 300 * MS);
		if (fork() == 0) {
			burn(CLOCK_PROCESS_CPUTIME_ID, 100 * MS);
			reach(2);
			_exit(0);
		}
		wait(NULL);
		_exit(0);
	}
	reach(0);
	return 0;
}

static void left_running(void **state)
{
	int64_t at_leave;
	uint64_t start;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = runner_start(leave_one, NULL);
	begin(&r);
	runner_go(&r);
	wait_for_step(1);
	start = start_of(told->pid);
	assert_int_equal(probe_leave(probe, told->pid, start + 1), -ESRCH);
	assert_int_equal(probe_leave(probe, getpid(), start_of(getpid())), -ESRCH);
	assert_int_equal(probe_leave(probe, told->pid, start), 0);
	look(SAMPLE_THIN);
	at_leave = seen.sample.probe.cpu_ns;
	/* Its parent is in it, too, which sleeps, and wakes each ms. */
	printf("# before it left: %.1f ms, of %.1f ms\n", (double)at_leave / 1e6,
	       (double)told->cpu_ns / 1e6);
	assert_in_range(at_leave, told->cpu_ns - 5 * MS, told->cpu_ns + 50 * MS);
	told->step = 3;
	wait_for_step(2);
	look(SAMPLE_THIN);
	assert_true(seen.sample.probe.cpu_ns - at_leave < 100 * MS);
	assert_int_equal(probe_leave(probe, told->pid, start), 0);
	told->step = 4;
	for (int i = 0; i < 1000 && start_of(told->pid) == start; i++)
		nap(1);
	look(SAMPLE_THIN);
	assert_true(seen.sample.probe.cpu_ns - at_leave < 150 * MS);
	kill(r.pid, SIGKILL);
	waitpid(r.pid, NULL, 0);
}

static struct fuse fuse;
static int fuse_go;

/* Reads as many pages as it is told to, each of which comes when the test says so. */
static int read_slowly(void *context)
{
	int pieces = *(const int *)context;
	char byte;
	int fd;

	/* Else the connection would not end with the test's own. */
	close(fuse.device);
	fd = openat(fuse.mount, FUSE_FILE, O_RDONLY | O_CLOEXEC);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	told->step = 1;
	for (int i = 0; i < pieces; i++) {
		int64_t begun = clock_ns(CLOCK_MONOTONIC);

		if (pread(fd, &byte, 1, i * 4096) != 1)
			return 1;
		told->blocked_ns += clock_ns(CLOCK_MONOTONIC) - begun;
		told->step = i + 2;
	}
	return 0;
}

static char state_of(pid_t pid)
{
	char path[64], text[1024] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f) {
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
	}
	return strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
}

/* Whether the process comes to wait as for a disk. */
static bool gets_blocked(pid_t pid)
{
	int64_t end = now_ns() + 5000 * MS;
	char state;

	do {
		nap(1);
		state = state_of(pid);
	} while (state != 'D' && now_ns() < end);
	return state == 'D';
}

static struct runner start_reading(int (*read)(void *context), int *pieces)
{
	struct runner r;

	if (!fuse_open(&fuse, &fuse_go))
		SKIP("no FUSE here: %s", strerror(errno));
	r = runner_start(read, pieces);
	begin(&r);
	runner_go(&r);
	if (!gets_blocked(r.pid)) {
		fuse_close(&fuse);
		SKIP("reading a file of FUSE is no uninterruptible wait here");
	}
	return r;
}

/* While the process waits, one look must tell its time up to now. */
static void blocked_once(void **state)
{
	int pieces = 1;
	struct rusage usage;
	struct runner r;
	int64_t first, since, seen_at, until;

	(void)state;
	NEED_PROBE();
	r = start_reading(read_slowly, &pieces);
	since = now_ns();
	look(SAMPLE_THIN);
	first = seen.sample.probe.blocked_ns;
	seen_at = now_ns();
	nap(1000);
	until = now_ns();
	look(SAMPLE_THIN);
	assert_in_range(seen.sample.probe.blocked_ns - first, until - seen_at, now_ns() - since);
	assert_int_equal(write(fuse_go, "x", 1), 1);
	finish(&r, &usage);
	printf("# blocked once: %.3f ms, of %.3f ms\n", (double)seen.sample.probe.blocked_ns / 1e6,
	       (double)told->blocked_ns / 1e6);
	assert_in_range(seen.sample.probe.blocked_ns, until - since, told->blocked_ns + MS);
	assert_true(seen.sample.probe.cpu_ns < 100 * MS);
	fuse_close(&fuse);
}

static void blocked_many_times(void **state)
{
	int pieces = 50;
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = start_reading(read_slowly, &pieces);
	for (int i = 0; i < pieces; i++) {
		nap(20);
		look(SAMPLE_THIN);
		assert_int_equal(write(fuse_go, "x", 1), 1);
		wait_for_step(i + 2);
	}
	finish(&r, &usage);
	printf("# blocked 50 times: %.3f ms, of %.3f ms\n",
	       (double)seen.sample.probe.blocked_ns / 1e6, (double)told->blocked_ns / 1e6);
	/* Its own clock also has what it waited for a processor. */
	assert_in_range(seen.sample.probe.blocked_ns, pieces * 16 * MS, told->blocked_ns + MS);
	fuse_close(&fuse);
}

static int read_and_burn(void *context)
{
	if (read_slowly(context))
		return 1;
	burn(CLOCK_PROCESS_CPUTIME_ID, 300 * MS);
	return 0;
}

/* Not each switch is told by each kernel: one that was missed must not count for ever. */
static void blocked_and_then_busy(void **state)
{
	int pieces = 1000;
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = start_reading(read_and_burn, &pieces);
	for (int i = 0; i < pieces; i++) {
		nap(1);
		look(SAMPLE_THIN);
		assert_int_equal(write(fuse_go, "x", 1), 1);
		wait_for_step(i + 2);
	}
	finish(&r, &usage);
	printf("# blocked 1000 times: %.3f ms, of %.3f ms\n",
	       (double)seen.sample.probe.blocked_ns / 1e6, (double)told->blocked_ns / 1e6);
	/* What runs is known up to the last tick of the scheduler. */
	assert_in_range(seen.sample.probe.blocked_ns, pieces * MS, told->blocked_ns + 15 * MS);
	fuse_close(&fuse);
}

/* What ends in the midst of a wait is closed; another upgrade does not inherit it. */
static void killed_while_blocked(void **state)
{
	int pieces = 1;
	struct rusage usage;
	struct runner r, other;
	int64_t ms = 1, ended;

	(void)state;
	NEED_PROBE();
	r = start_reading(read_slowly, &pieces);
	nap(100);
	kill(r.pid, SIGKILL);
	nap(10);
	/* The end of the connection sets it free. */
	fuse_close(&fuse);
	finish(&r, &usage);
	ended = seen.sample.probe.blocked_ns;
	assert_true(ended >= 100 * MS);
	nap(100);
	look(SAMPLE_THIN);
	assert_int_equal(seen.sample.probe.blocked_ns, ended);

	other = runner_start(burn_alone, &ms);
	r = start_reading(read_slowly, &pieces);
	begin(&other);
	nap(50);
	look(SAMPLE_THIN);
	assert_true(seen.sample.probe.blocked_ns < 20 * MS);
	kill(r.pid, SIGKILL);
	fuse_close(&fuse);
	waitpid(r.pid, NULL, 0);
	runner_go(&other);
	finish(&other, &usage);
	assert_true(seen.sample.probe.blocked_ns < 20 * MS);
}

static int64_t time_in_syncs(void)
{
	int64_t sum = 0;

	for (size_t i = 0; i < seen.n_rows; i++)
		sum += seen.rows[i].total_ns;
	return sum;
}

#define PARALLEL 4

static pthread_barrier_t together;

static void *sync_slowly(void *context)
{
	int fd = openat(fuse.mount, FUSE_FILE, O_RDWR | O_CLOEXEC);

	(void)context;
	pthread_barrier_wait(&together);
	return fsync(fd) == 0 ? &fuse : NULL;
}

/* The file syncs for one after the other: most of them wait for others. */
static int sync_in_parallel(void *context)
{
	pthread_t threads[PARALLEL];
	int64_t begun;

	(void)context;
	close(fuse.device);
	pthread_barrier_init(&together, NULL, PARALLEL);
	for (int round = 0; round < 5; round++) {
		begun = clock_ns(CLOCK_MONOTONIC);
		for (int i = 0; i < PARALLEL; i++)
			if (pthread_create(&threads[i], NULL, sync_slowly, NULL))
				return 1;
		for (int i = 0; i < PARALLEL; i++)
			pthread_join(threads[i], NULL);
		told->blocked_ns += clock_ns(CLOCK_MONOTONIC) - begun;
		nap(50);
	}
	return 0;
}

static void syncs_in_parallel(void **state)
{
	const struct fuse_delays delays = {.gate = -1, .fsync_ms = 20};
	struct rusage usage;
	struct runner r;
	int64_t any;

	(void)state;
	NEED_PROBE();
	if (!fuse_start(&fuse, &delays, -1))
		SKIP("no FUSE here: %s", strerror(errno));
	r = runner_start(sync_in_parallel, NULL);
	begin(&r);
	runner_go(&r);
	finish(&r, &usage);
	fuse_close(&fuse);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 0);
	assert_count(SYNC_FSYNC, SYNC_OTHER, 5 * PARALLEL);
	any = seen.sample.probe.sync_ns;
	printf("# in a sync call %.1f ms, of at most %.1f; added up %.1f\n", (double)any / 1e6,
	       (double)told->blocked_ns / 1e6, (double)time_in_syncs() / 1e6);
	assert_in_range(any, 5 * PARALLEL * 20 * MS, told->blocked_ns + MS);
	assert_true(time_in_syncs() > any / 2 * 3);
}

/* The wait of a sync call for the disk is that of the call, and not of both. */
static void blocked_in_a_sync_call(void **state)
{
	struct rusage usage;
	struct runner r;
	char command[512];

	(void)state;
	NEED_PROBE();
	snprintf(command, sizeof(command), "exec %s dpkg %s/i.dpkg-new fsync 500", workload,
	         scratch);
	/* The program may have to be read, and its writes to wait for others': not each time. Were
	 * the waits counted twice, they would be so in each. */
	for (int i = 0; i < 5; i++) {
		r = runner_start(run_shell, command);
		begin(&r);
		runner_go(&r);
		finish(&r, &usage);
		assert_count(SYNC_FSYNC, SYNC_PACKAGE, 500);
		printf("# %.1f ms in syncs, %.1f ms blocked besides\n",
		       (double)time_in_syncs() / 1e6, (double)seen.sample.probe.blocked_ns / 1e6);
		if (seen.sample.probe.blocked_ns < time_in_syncs() / 5)
			return;
	}
	fail();
}

/* vfork() waits in the same state for its child, which is no wait for a disk. */
static int wait_for_a_child(void *context)
{
	(void)context;
	if (vfork() == 0) {
		nap(300);
		_exit(0);
	}
	wait(NULL);
	return 0;
}

static void waiting_for_a_child_is_none(void **state)
{
	struct rusage usage;
	struct runner r;

	(void)state;
	NEED_PROBE();
	r = runner_start(wait_for_a_child, NULL);
	begin(&r);
	runner_go(&r);
	assert_true(gets_blocked(r.pid));
	finish(&r, &usage);
	assert_true(seen.sample.probe.blocked_ns < 20 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_process),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(thousands_of_processes),
		cmocka_unit_test(killed_while_it_runs),
		cmocka_unit_test(adopted_late),
		cmocka_unit_test(who_has_run),
		cmocka_unit_test(long_in_ending),
		cmocka_unit_test(left_running),
		cmocka_unit_test(blocked_once),
		cmocka_unit_test(blocked_many_times),
		cmocka_unit_test(blocked_and_then_busy),
		cmocka_unit_test(killed_while_blocked),
		cmocka_unit_test(blocked_in_a_sync_call),
		cmocka_unit_test(syncs_in_parallel),
		cmocka_unit_test(waiting_for_a_child_is_none),
	};

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return told == MAP_FAILED
	               ? 1
	               : cmocka_run_group_tests_name("probe_cpu", tests, set_up, tear_down);
}
