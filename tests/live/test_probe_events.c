/* test_probe_events.c - what the probe tells of single processes and calls, and how it comes and
 * goes. Needs root and BPF. */
#include "live.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "fuse.h"

static const struct probe_event *find_event(enum probe_event_kind kind, const char *command)
{
	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].kind == kind && strcmp(seen.events[i].command, command) == 0)
			return &seen.events[i];
	return NULL;
}

static const struct probe_event *find_of(enum probe_event_kind kind, int32_t pid)
{
	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].kind == kind && seen.events[i].pid == pid)
			return &seen.events[i];
	return NULL;
}

/* The event of CPU time comes from whatever context the kernel frees the process in, and there are
 * such that run no BPF: one in some hundreds is missing where that happens. Returns how many came.
 */
static size_t wait_for_cpu_events(size_t count)
{
	int64_t end = now_ns() + 2000 * MS;

	while (events_of(PROBE_CPU) < count && now_ns() < end) {
		tick(SAMPLE_THIN);
		nap(5);
	}
	assert_true(events_of(PROBE_CPU) <= count);
	if (events_of(PROBE_CPU) < count)
		printf("# %zu of %zu processes were freed out of sight\n",
		       count - events_of(PROBE_CPU), count);
	return events_of(PROBE_CPU);
}

static void programs_and_their_ends(void **state)
{
	const struct probe_event *e;

	(void)state;
	NEED_PROBE();
	assert_int_equal(run_watched(run_shell,
	                             (void *)"/bin/sh -c 'exit 7' one '' 'tw\tw'; "
	                                     "(exec /bin/sleep 9) & kill -9 $!; wait; exit 3",
	                             5),
	                 3);
	e = find_event(PROBE_EXEC, "/bin/sh -c exit 7 one  tw?w");
	assert_non_null(e);
	assert_string_equal(e->name, "sh");
	assert_int_equal(e->parent, find_event(PROBE_EXEC, seen.events[0].command)->pid);
	assert_non_null(find_of(PROBE_EXIT, e->pid));
	assert_int_equal(find_of(PROBE_EXIT, e->pid)->status, 7);
	assert_true(find_of(PROBE_EXIT, e->pid)->at_ns > e->at_ns);
	assert_int_equal(find_of(PROBE_EXIT, e->pid)->start_ticks, e->start_ticks);
	assert_int_equal(find_of(PROBE_EXIT, seen.events[0].pid)->status, 3);
	assert_int_equal(events_of(PROBE_EXIT), 3);
	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].kind == PROBE_EXIT && seen.events[i].status != 3 &&
		    seen.events[i].status != 7)
			assert_int_equal(seen.events[i].status, 128 + SIGKILL);
	assert_nothing_lost();
}

static int run_burn(void *context)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 * MS + t.tv_nsec < 300 * MS);
	return context != NULL;
}

/* By the kernel's own account, which is told when it is too late to ask for one process. */
static int64_t children_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 * MS +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static int run_many_short(void *context)
{
	/* Each far shorter than a tick of the scheduler's clock. */
	for (int i = 0; i < 100; i++) {
		pid_t pid = fork();
		struct timespec t;

		if (pid == 0) {
			do
				clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
			while (t.tv_nsec < 2 * MS);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	*(int64_t *)context = children_cpu_ns();
	return 0;
}

/* That of the root. */
static const struct probe_event *last_exit(void)
{
	const struct probe_event *last = NULL;

	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].kind == PROBE_EXIT)
			last = &seen.events[i];
	return last;
}

static void cpu_time_is_whole(void **state)
{
	size_t came = 0;
	int64_t sum = 0,
		*all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	NEED_PROBE();
	for (int i = 0; i < 5 && came == 0; i++) {
		assert_int_equal(run_watched(run_burn, NULL, 20), 0);
		came = wait_for_cpu_events(1);
	}
	assert_int_equal(came, 1);
	assert_in_range(find_of(PROBE_CPU, seen.events[0].pid)->cpu_ns, 300 * MS, 315 * MS);
	assert_in_range(find_of(PROBE_EXIT, seen.events[0].pid)->cpu_ns, 270 * MS,
	                find_of(PROBE_CPU, seen.events[0].pid)->cpu_ns);
	assert_int_equal(run_watched(run_many_short, all, 20), 0);
	came = wait_for_cpu_events(101);
	assert_in_range(came, 85, 101);
	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].kind == PROBE_CPU && seen.events[i].pid != last_exit()->pid)
			sum += seen.events[i].cpu_ns;
	printf("# %lld of %lld us\n", (long long)sum / 1000, (long long)*all / 1000);
	assert_in_range(sum, *all / 100 * 97 * ((int64_t)came - 1) / 100, *all / 100 * 103);
	munmap(all, 4096);
}

#define STORM 2000

static int run_storm(void *context)
{
	char *argv[] = {(char *)"true", NULL};
	int64_t begun = now_ns();

	for (int i = 0; i < STORM; i++) {
		pid_t pid;

		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			return 1;
		waitpid(pid, NULL, 0);
		while (now_ns() - begun < i * 2 * MS)
			nap(1);
	}
	printf("# %d programs in %lld ms\n", STORM, (long long)((now_ns() - begun) / MS));
	return context != NULL;
}

/* 500 programs a second, taken at the pace of a tick. */
static void a_storm_of_programs(void **state)
{
	(void)state;
	NEED_PROBE();
	assert_int_equal(run_watched(run_storm, NULL, 250), 0);
	assert_in_range(wait_for_cpu_events(STORM + 1), STORM * 85 / 100, STORM + 1);
	assert_int_equal(events_of(PROBE_EXEC), STORM);
	assert_int_equal(events_of(PROBE_EXIT), STORM + 1);
	assert_nothing_lost();
}

static bool wakes(const char *command)
{
	struct runner r = runner_start(run_shell, (void *)(uintptr_t)command);
	struct pollfd p = {.fd = probe_fd(probe), .events = POLLIN};
	bool woken;

	watch(&r);
	while (poll(&p, 1, 0) > 0)
		probe_drain(probe, take, NULL);
	runner_go(&r);
	woken = poll(&p, 1, 300) > 0;
	kill(r.pid, SIGKILL);
	runner_finish(&r, 1);
	return woken;
}

static void only_what_matters_wakes(void **state)
{
	static const char *const names[] = {"x.postinst", "preinst", "dpkg", "update-initramfs"};
	char command[256];

	(void)state;
	NEED_PROBE();
	assert_false(wakes("/bin/true; /bin/true; exec sleep 5"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(command, sizeof(command),
		         "printf '#!/bin/sh\\n' >%s/%s; chmod 755 %s/%s; %s/%s; exec sleep 5",
		         scratch, names[i], scratch, names[i], scratch, names[i]);
		if (!wakes(command))
			fail_msg("%s does not wake", names[i]);
	}
}

static struct fuse fuse;

static int run_slow(void *context)
{
	int fd;

	prctl(PR_SET_NAME, "dpkg");
	/* Its own copy would keep the connection when the server has gone. */
	close(fuse.device);
	fd = openat(fuse.mount, FUSE_FILE, O_RDWR | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 || context;
}

/* It is seen while it lasts, and its time grows. */
static void a_call_in_flight(void **state)
{
	const struct sync_flight *f;
	const struct probe_event *e;
	int64_t end = now_ns() + 5000 * MS, before, begun;
	struct runner r;
	int go;

	(void)state;
	NEED_PROBE();
	if (!fuse_open(&fuse, &go))
		SKIP("no FUSE: %s", strerror(errno));
	r = runner_start(run_slow, NULL);
	watch(&r);
	begun = now_ns();
	runner_go(&r);
	do {
		nap(1);
		tick(SAMPLE_FULL);
	} while (seen.sample.n_flights == 0 && now_ns() < end);
	assert_int_equal(seen.sample.n_flights, 1);
	f = &seen.sample.flights[0];
	assert_int_equal(f->pid, r.pid);
	assert_int_equal(f->call, SYNC_FSYNC);
	assert_int_equal(f->class, SYNC_PACKAGE);
	assert_in_range(f->since_ns, begun, now_ns());
	assert_string_equal(f->file,
	                    "…er-than-anything-the-kernel-keeps-for-us-to-show-it.dpkg-new");
	assert_int_equal(seen.n_rows, 1);
	assert_int_equal(seen.rows[0].open, 1);
	assert_int_equal(seen.rows[0].count, 0);
	assert_int_equal(seen.sample.n_latencies, 0);
	before = seen.rows[0].total_ns;
	nap(150);
	tick(SAMPLE_THIN);
	assert_true(seen.rows[0].total_ns >= before + 150 * MS);
	assert_true(seen.rows[0].total_ns <= now_ns() - begun);
	assert_int_equal(write(go, "x", 1), 1);
	assert_int_equal(runner_finish(&r, 1), 0);
	assert_int_equal(seen.sample.n_flights, 0);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 1);
	assert_int_equal(seen.rows[0].total_ns, seen.rows[0].longest_ns);
	assert_int_equal(events_of(PROBE_SLOW), 1);
	for (e = seen.events; e->kind != PROBE_SLOW; e++)
		;
	assert_int_equal(e->took_ns, seen.rows[0].total_ns);
	assert_int_equal(e->pid, r.pid);
	assert_int_equal(e->class, SYNC_PACKAGE);
	assert_non_null(strstr(e->file, "show-it.dpkg-new"));
	close(go);
	fuse_close(&fuse);
}

/* Killed in the middle of its call, which never returns to it. */
static void killed_in_flight(void **state)
{
	int64_t end = now_ns() + 5000 * MS;
	struct runner r;
	int go;

	(void)state;
	NEED_PROBE();
	if (!fuse_open(&fuse, &go))
		SKIP("no FUSE: %s", strerror(errno));
	r = runner_start(run_slow, NULL);
	watch(&r);
	runner_go(&r);
	do {
		nap(1);
		tick(SAMPLE_THIN);
	} while (seen.sample.n_flights == 0 && now_ns() < end);
	assert_int_equal(seen.sample.n_flights, 1);
	kill(r.pid, SIGKILL);
	nap(10);
	/* The end of the connection sets it free. */
	fuse_close(&fuse);
	assert_int_equal(runner_finish(&r, 1), 128 + SIGKILL);
	assert_int_equal(seen.sample.n_flights, 0);
	assert_int_equal(seen.rows[0].open, 0);
	assert_int_equal(seen.sample.n_syncs, 0);
	close(go);
}

/* A program of 52 bytes of header, 32 of program header and 7 of code, for i386: exit(0). */
static const unsigned char small_program[] = {
	0x7f, 'E',  'L', 'F', 1,    1,    1,    0,    0,  0,    0,    0, 0,  0, 0, 0, 2, 0, 3, 0,
	1,    0,    0,   0,   0x54, 0x80, 4,    8,    52, 0,    0,    0, 0,  0, 0, 0, 0, 0, 0, 0,
	52,   0,    32,  0,   1,    0,    40,   0,    0,  0,    0,    0, 1,  0, 0, 0, 0, 0, 0, 0,
	0,    0x80, 4,   8,   0,    0x80, 4,    8,    91, 0,    0,    0, 91, 0, 0, 0, 5, 0, 0, 0,
	0,    0x10, 0,   0,   0x31, 0xdb, 0x8d, 0x43, 1,  0xcd, 0x80,
};

static int run_small(void *context)
{
	execl(context, context, NULL);
	return 77;
}

static void programs_of_32_bits_are_told(void **state)
{
	char path[128];
	FILE *f;
	int r;

	(void)state;
	NEED_PROBE();
	snprintf(path, sizeof(path), "%s/small", scratch);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(small_program, sizeof(small_program), 1, f), 1);
	fclose(f);
	chmod(path, 0755);
	r = run_watched(run_small, path, 1);
	if (r == 77)
		SKIP("no i386 programs run here");
	assert_int_equal(r, 0);
	assert_int_equal(seen.sample.probe.compat, 1);
	assert_int_equal(run_watched(run_shell, (void *)"/bin/true; /bin/true", 1), 0);
	assert_int_equal(seen.sample.probe.compat, 0);
}

static int run_in_namespace(void *context)
{
	pid_t pid;
	int status;

	if (unshare(CLONE_NEWPID) < 0)
		return 77;
	pid = fork();
	if (pid == 0)
		_exit(run_shell(context));
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* A container's upgrade, seen from the host. */
static void a_tree_in_a_pid_namespace(void **state)
{
	char command[1024];
	int r;

	(void)state;
	NEED_PROBE();
	snprintf(command, sizeof(command), "%s dpkg %s/f.dpkg-new fsync 14; exit 0", workload,
	         scratch);
	r = run_watched(run_in_namespace, command, 2);
	if (r == 77)
		SKIP("no pid namespaces here");
	assert_int_equal(r, 0);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 14);
	wait_for_cpu_events(events_of(PROBE_EXIT));
	assert_nothing_lost();
	for (size_t i = 0; i < seen.n_rows; i++)
		assert_true(seen.rows[i].pid > 2);
}

/* In a namespace of its own, with a /proc that shows it or not; 0 as expected. */
static int watch_from_within(bool has_proc)
{
	struct err e = {""};
	struct probe *own;
	struct runner r;
	char command[1024];
	int result;

	if (has_proc && mount("proc", "/proc", "proc", 0, NULL) < 0)
		return 77;
	/* In our copy of the mounts alone. */
	while (umount2("/sys/kernel/tracing", MNT_DETACH) == 0)
		;
	if (access("/sys/kernel/tracing/events", F_OK) == 0)
		return 7;
	result = probe_open(&own, &e);
	if (!has_proc)
		return result == -EXDEV && strstr(e.text, "pid namespace") ? 0 : 1;
	if (result)
		return 2;
	/* Without a trace of it where anybody could see. */
	if (access("/sys/kernel/tracing/events", F_OK) == 0)
		return 8;
	probe = own;
	snprintf(command, sizeof(command),
	         "(%s dpkg %s/g.dpkg-new fsync 15); unshare -p -f %s dpkg %s/h.dpkg-new fsync 6",
	         workload, scratch, workload, scratch);
	r = runner_start(run_shell, command);
	seen.n_rows = seen.n_events = 0;
	if (r.pid > 100 || probe_watch(probe, r.pid, r.start_ticks))
		return 3;
	runner_go(&r);
	if (runner_finish(&r, 2) != 0 || rows_of(SYNC_FSYNC, SYNC_PACKAGE) != 21)
		return 4;
	/* A pid is looked up where the process no longer has it. */
	if (events_of(PROBE_EXIT) < 3 || wait_for_cpu_events(events_of(PROBE_EXIT)) == 0)
		return 5;
	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].pid > 100)
			return 6;
	probe_close(own);
	return 0;
}

static int from_within(bool has_proc)
{
	pid_t pid = fork(), inner;
	int status;

	if (pid == 0) {
		/* A slave, so that what the host unmounts meanwhile is unmounted here, too. */
		if (unshare(CLONE_NEWPID | CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
			_exit(77);
		inner = fork();
		if (inner == 0)
			_exit(watch_from_within(has_proc));
		waitpid(inner, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 50);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 51;
}

/* And where tracefs is not mounted. */
static void a_viewer_in_a_pid_namespace(void **state)
{
	int r;

	(void)state;
	NEED_PROBE();
	r = from_within(true);
	if (r == 77)
		SKIP("no namespaces here");
	assert_int_equal(r, 0);
	assert_int_equal(from_within(false), 0);
}

/* How many programs of the probe's the kernel has. */
static int loaded(void)
{
	struct bpf_prog_info info;
	uint32_t id = 0;
	int count = 0;

	while (bpf_prog_get_next_id(id, &id) == 0) {
		uint32_t size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		memset(&info, 0, sizeof(info));
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0)
			count += strncmp(info.name, "sync_", 5) == 0 ||
			         strncmp(info.name, "tree_", 5) == 0;
		if (fd >= 0)
			close(fd);
	}
	return count;
}

static int loaded_until(int64_t end, int wanted)
{
	int count;

	while ((count = loaded()) != wanted && now_ns() < end)
		nap(20);
	return count;
}

/* The prompt does not wait for the kernel, and nothing stays behind. */
static void letting_go_is_quick(void **state)
{
	struct probe *own = NULL;
	struct err e = {""};
	int before, pipes[2];
	int64_t begun;
	char c;

	(void)state;
	NEED_PROBE();
	/* Those of the namespaces above may be on their way. */
	before = loaded_until(now_ns() + 5000 * MS, 11);
	/* A reader of what we write waits no longer than for us. */
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	begun = now_ns();
	assert_int_equal(probe_open(&own, &e), 0);
	printf("# attached in %lld ms\n", (long long)((now_ns() - begun) / MS));
	assert_int_equal(loaded(), before + 11);
	begun = now_ns();
	probe_close(own);
	printf("# let go in %lld ms\n", (long long)((now_ns() - begun) / MS));
	assert_true(now_ns() - begun < 100 * MS);
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &c, 1), 0);
	assert_true(now_ns() - begun < 150 * MS);
	close(pipes[0]);
	begun = now_ns();
	assert_int_equal(loaded_until(now_ns() + 10000 * MS, before), before);
	printf("# gone after %lld ms\n", (long long)((now_ns() - begun) / MS));
	/* No child of ours. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int open_as_nobody(void *context)
{
	struct probe *own;
	struct err e = {""};

	if (setuid(65534) < 0)
		return 77;
	return probe_open(&own, &e) != -EPERM || strcmp(e.text, "BPF needs root") || own || context;
}

static void without_permission_it_says_so(void **state)
{
	struct runner r = runner_start(open_as_nobody, NULL);
	int status;

	(void)state;
	runner_go(&r);
	waitpid(r.pid, &status, 0);
	if (geteuid() != 0)
		SKIP("needs root");
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_and_their_ends),
		cmocka_unit_test(cpu_time_is_whole),
		cmocka_unit_test(a_storm_of_programs),
		cmocka_unit_test(only_what_matters_wakes),
		cmocka_unit_test(a_call_in_flight),
		cmocka_unit_test(killed_in_flight),
		cmocka_unit_test(programs_of_32_bits_are_told),
		cmocka_unit_test(a_tree_in_a_pid_namespace),
		cmocka_unit_test(a_viewer_in_a_pid_namespace),
		cmocka_unit_test(letting_go_is_quick),
		cmocka_unit_test(without_permission_it_says_so),
	};

	return cmocka_run_group_tests_name("probe_events", tests, set_up, tear_down);
}
