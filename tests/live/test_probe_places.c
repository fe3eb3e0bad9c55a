/* test_probe_places.c - the probe in namespaces, without its permissions, and gone again. Needs
 * root and BPF. */
#include "live.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "dpkgtop/syncs.h"

/* Programs for i386: 52 bytes of header, 32 of program header, and their code. */
#define HEAD_SIZE 84
static const unsigned char small_head[HEAD_SIZE] = {
	0x7f, 'E', 'L',  'F',  1,    1,   1, 0,  0, 0,   0, 0, 0, 0, 0, 0, 2, 0, 3,    0,    1,
	0,    0,   0,    0x54, 0x80, 4,   8, 52, 0, 0,   0, 0, 0, 0, 0, 0, 0, 0, 0,    52,   0,
	32,   0,   1,    0,    40,   0,   0, 0,  0, 0,   1, 0, 0, 0, 0, 0, 0, 0, 0,    0x80, 4,
	8,    0,   0x80, 4,    8,    100, 0, 0,  0, 100, 0, 0, 0, 5, 0, 0, 0, 0, 0x10, 0,    0,
};
#define CODE_SIZE 16
/* fsync(0), exit(0) */
static const unsigned char syncs[CODE_SIZE] = {0xb8, 118,  0,    0,    0,    0x31, 0xdb, 0xcd,
                                               0x80, 0x31, 0xdb, 0x8d, 0x43, 1,    0xcd, 0x80};
/* for (;;) pause() */
static const unsigned char pauses[CODE_SIZE] = {0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7};

static char small_path[128];

static void make_small(const unsigned char code[CODE_SIZE])
{
	int fd;

	snprintf(small_path, sizeof(small_path), "%s/small", scratch);
	unlink(small_path);
	fd = open(small_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, small_head, HEAD_SIZE), HEAD_SIZE);
	assert_int_equal(write(fd, code, CODE_SIZE), CODE_SIZE);
	close(fd);
}

/* With a file to sync. */
static int run_small(void *context)
{
	char path[128];
	int fd;

	(void)context;
	snprintf(path, sizeof(path), "%s/synced", scratch);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || dup2(fd, STDIN_FILENO) < 0)
		return 78;
	execl(small_path, small_path, NULL);
	return 77;
}

/* What the model makes of it. */
static bool is_exact(void)
{
	struct syncs s;
	bool exact;

	syncs_init(&s);
	syncs_sample(&s, &seen.sample);
	exact = s.exact;
	syncs_done(&s);
	return exact;
}

/* Its call is not seen, and so the counts are no longer taken for exact. */
static void programs_of_32_bits_are_told(void **state)
{
	int r;

	(void)state;
	NEED_PROBE();
	make_small(syncs);
	r = run_watched(run_small, NULL, 1);
	if (r == 77)
		SKIP("no i386 programs run here");
	assert_int_equal(r, 0);
	assert_int_equal(seen.sample.probe.compat, 1);
	assert_int_equal(count_of(SYNC_FSYNC, SYNC_OTHER), 0);
	assert_false(is_exact());
	assert_int_equal(run_watched(run_shell, (void *)"/bin/true; /bin/true", 1), 0);
	assert_int_equal(seen.sample.probe.compat, 0);
	assert_true(is_exact());
}

static bool runs_small(pid_t pid)
{
	char path[64], program[128] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, program, sizeof(program) - 1) > 0 && strcmp(program, small_path) == 0;
}

/* One that ran before it was watched. */
static void a_program_of_32_bits_found_late(void **state)
{
	int64_t end = now_ns() + 5000 * MS;
	struct runner r;

	(void)state;
	NEED_PROBE();
	make_small(pauses);
	r = runner_start(run_small, NULL);
	runner_go(&r);
	while (!runs_small(r.pid) && now_ns() < end && waitpid(r.pid, NULL, WNOHANG) == 0)
		nap(1);
	if (!runs_small(r.pid)) {
		kill(r.pid, SIGKILL);
		waitpid(r.pid, NULL, 0);
		SKIP("no i386 programs run here");
	}
	watch(&r);
	tick(SAMPLE_FULL);
	assert_int_equal(seen.sample.probe.compat, 1);
	assert_false(is_exact());
	kill(r.pid, SIGKILL);
	assert_int_equal(runner_finish(&r, 1), 128 + SIGKILL);
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
	assert_nothing_lost();
	for (size_t i = 0; i < seen.n_rows; i++)
		assert_true(seen.rows[i].pid > 2);
	/* The shell and the program, and the end of the root. */
	assert_int_equal(events_of(PROBE_EXEC), 2);
	assert_int_equal(events_of(PROBE_EXIT), 3);
	for (size_t i = 0; i < seen.n_events; i++)
		assert_true(seen.events[i].pid > 2);
}

#define BURNT_NS (100 * MS)

/* A child that the kernel itself waits for: it is switched out for the last time when it no longer
 * has its pid, which must be looked up elsewhere. */
static int run_unreaped(void *context)
{
	struct timespec t;

	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0) {
		do
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		while (t.tv_nsec < BURNT_NS);
		_exit(0);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return context != NULL;
}

static bool time_is_whole(void)
{
	struct runner r = runner_start(run_unreaped, NULL);

	if (probe_watch(probe, r.pid, r.start_ticks))
		return false;
	seen.n_rows = 0;
	runner_go(&r);
	/* Hardly ever looked at while it lives, since what was told once is not taken back. */
	if (runner_finish(&r, 300) != 0)
		return false;
	/* The last switch comes after a parent may know. */
	nap(10);
	tick(SAMPLE_THIN);
	printf("# within: %lld us\n", (long long)seen.sample.probe.cpu_ns / 1000);
	return seen.sample.probe.cpu_ns == UNKNOWN_NS ||
	       (seen.sample.probe.cpu_ns >= BURNT_NS && seen.sample.probe.cpu_ns < 2 * BURNT_NS);
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
	result = probe_open(&own, told_names, &e);
	if (!has_proc)
		return result == -EXDEV && strstr(e.text, "pid namespace") ? 0 : 1;
	if (result)
		return 2;
	/* Without a trace of it where anybody could see. */
	if (access("/sys/kernel/tracing/events", F_OK) == 0)
		return 8;
	probe = own;
	snprintf(command, sizeof(command),
	         "(%s dpkg %s/g.dpkg-new fsync 15); unshare -p -f %s dpkg %s/h.dpkg-new fsync 6 "
	         "|| exit 1; exit 0",
	         workload, scratch, workload, scratch);
	r = runner_start(run_shell, command);
	seen.n_rows = seen.n_events = 0;
	if (r.pid > 100 || probe_watch(probe, r.pid, r.start_ticks))
		return 3;
	runner_go(&r);
	if (runner_finish(&r, 2) != 0 || rows_of(SYNC_FSYNC, SYNC_PACKAGE) != 21)
		return 4;
	/* The shell, unshare(1), and the program twice. */
	if (events_of(PROBE_EXEC) != 4 || events_of(PROBE_EXIT) != 4)
		return 5;
	for (size_t i = 0; i < seen.n_events; i++)
		if (seen.events[i].pid > 100)
			return 6;
	if (!time_is_whole())
		return 9;
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

static int call_bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static bool is_ours(int program)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)program;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	return call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0 &&
	       (strncmp(info.name, "sync_", 5) == 0 || strncmp(info.name, "tree_", 5) == 0);
}

/* How many programs of the probe's the kernel has. */
static int loaded(void)
{
	union bpf_attr attr;
	uint32_t id = 0;
	int count = 0;

	for (;;) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			return count;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		count += is_ours(fd);
		close(fd);
	}
}

static int loaded_until(int64_t end, int wanted)
{
	int count;

	while ((count = loaded()) != wanted && now_ns() < end)
		nap(20);
	return count;
}

/* Six of the tree, and those of calls: three begin them, one ends them. */
#define PROGRAMS 10

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
	before = loaded_until(now_ns() + 5000 * MS, PROGRAMS);
	/* A reader of what we write waits no longer than for us. */
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	begun = now_ns();
	assert_int_equal(probe_open(&own, told_names, &e), 0);
	printf("# attached in %lld ms\n", (long long)((now_ns() - begun) / MS));
	assert_int_equal(loaded(), before + PROGRAMS);
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
	return probe_open(&own, told_names, &e) != -EACCES || strcmp(e.text, "BPF needs root") ||
	       own || context;
}

static void without_permission_it_says_so(void **state)
{
	struct runner r;
	int status;

	(void)state;
	NEED_PROBE();
	r = runner_start(open_as_nobody, NULL);
	runner_go(&r);
	waitpid(r.pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_of_32_bits_are_told),
		cmocka_unit_test(a_program_of_32_bits_found_late),
		cmocka_unit_test(a_tree_in_a_pid_namespace),
		cmocka_unit_test(a_viewer_in_a_pid_namespace),
		cmocka_unit_test(letting_go_is_quick),
		cmocka_unit_test(without_permission_it_says_so),
	};

	return cmocka_run_group_tests_name("probe_places", tests, set_up, tear_down);
}
