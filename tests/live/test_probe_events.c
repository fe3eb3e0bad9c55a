/* test_probe_events.c - what the probe tells of single processes and calls. Needs root and BPF. */
#include "live.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/mount.h>

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

static void programs_and_their_ends(void **state)
{
	const struct probe_event *e;

	(void)state;
	NEED_PROBE();
	assert_int_equal(
		run_watched(run_shell,
	                    (void *)"exec 2>/dev/null; /bin/sh -c 'exit 7' one '' 'tw\tw'; "
	                            "/bin/sh -c 'kill -9 $$'; (exit 5); exit 3",
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
	assert_int_equal(
		find_of(PROBE_EXIT, find_event(PROBE_EXEC, "/bin/sh -c kill -9 $$")->pid)->status,
		128 + SIGKILL);
	/* Not that of the subshell, which executed nothing. */
	assert_int_equal(events_of(PROBE_EXEC), 3);
	assert_int_equal(events_of(PROBE_EXIT), 3);
	assert_nothing_lost();
}

/* Thousands of such run in each upgrade. */
static void what_is_not_named_only_counts(void **state)
{
	char command[1024], other[128];

	(void)state;
	NEED_PROBE();
	snprintf(other, sizeof(other), "%s/unnamed", scratch);
	assert_int_equal(symlink(workload, other), 0);
	snprintf(command, sizeof(command), "%s dpkg %s/u.dpkg-new fsync 14; /bin/false; exit 3",
	         other, scratch);
	assert_int_equal(run_watched(run_shell, command, 5), 3);
	unlink(other);
	assert_int_equal(events_of(PROBE_EXEC), 1);
	assert_string_equal(seen.events[0].name, "sh");
	assert_int_equal(events_of(PROBE_EXIT), 1);
	assert_int_equal(find_of(PROBE_EXIT, last_runner)->status, 3);
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, 14);
	assert_int_equal(seen.n_rows, 1);
	assert_true(seen.rows[0].pid != last_runner);
	/* Its end is known without being told. */
	assert_int_equal(seen.sample.n_syncs, 0);
	assert_nothing_lost();
}

/* The program that it becomes is not told of, but its end is. */
static void a_name_stays(void **state)
{
	const struct probe_event *e;

	(void)state;
	NEED_PROBE();
	assert_int_equal(run_watched(run_shell, (void *)"/bin/sh -c 'exec /bin/false'; exit 3", 5),
	                 3);
	assert_int_equal(events_of(PROBE_EXEC), 2);
	e = find_event(PROBE_EXEC, "/bin/sh -c exec /bin/false");
	assert_non_null(e);
	assert_int_equal(events_of(PROBE_EXIT), 2);
	assert_int_equal(find_of(PROBE_EXIT, e->pid)->status, 1);
}

#define METHODS "/usr/lib/apt/methods"

static bool make_script(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	bool made = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return made;
}

/* In mounts of its own; what it hides is there for all others. */
static int run_method(void *context)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", METHODS, "tmpfs", 0, NULL) < 0 ||
	    !make_script(METHODS "/some", "#!/bin/sh\nexit 6\n"))
		return 77;
	return run_shell(context);
}

/* Their names are those of common programs, too. */
static void methods_are_told_by_their_path(void **state)
{
	const struct probe_event *e;
	int r;

	(void)state;
	NEED_PROBE();
	r = run_watched(run_method, (void *)METHODS "/some; exit 3", 5);
	if (r == 77)
		SKIP("no mounts here, or no " METHODS);
	assert_int_equal(r, 3);
	e = find_event(PROBE_EXEC, "/bin/sh " METHODS "/some");
	assert_non_null(e);
	assert_string_equal(e->name, "some");
	assert_int_equal(find_of(PROBE_EXIT, e->pid)->status, 6);
	assert_int_equal(events_of(PROBE_EXEC), 2);
	assert_int_equal(events_of(PROBE_EXIT), 2);
}

/* What processes of the tree say; in memory that all share. */
static struct {
	_Atomic int32_t before, after;
	_Atomic bool go;
} * said;

/* Neither child executes anything: one is there before the tree is watched, one comes later. */
static int run_children(void *context)
{
	int32_t before = fork(), after;
	int status = 0;

	if (before == 0) {
		while (!said->go)
			nap(1);
		_exit(6);
	}
	said->before = before;
	while (!said->go)
		nap(1);
	after = fork();
	if (after == 0)
		_exit(8);
	waitpid(after, NULL, 0);
	said->after = after;
	waitpid(before, &status, 0);
	return context || WEXITSTATUS(status) != 6 ? 1 : 3;
}

static void who_was_there_before(void **state)
{
	const struct probe_event *e;
	int64_t end = now_ns() + 5000 * MS;
	uint64_t start;
	struct runner r;

	(void)state;
	NEED_PROBE();
	said = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(said != MAP_FAILED);
	r = runner_start(run_children, NULL);
	runner_go(&r);
	while (!said->before && now_ns() < end)
		nap(1);
	assert_true(said->before > 0);
	start = start_of(said->before);
	watch(&r);
	said->go = true;
	assert_int_equal(runner_finish(&r, 5), 3);
	e = find_of(PROBE_EXIT, said->before);
	assert_non_null(e);
	assert_int_equal(e->status, 6);
	assert_int_equal(e->start_ticks, start);
	assert_int_equal(find_of(PROBE_EXIT, r.pid)->status, 3);
	assert_true(said->after > 0);
	assert_null(find_of(PROBE_EXIT, said->after));
	assert_int_equal(seen.n_events, 2);
	munmap(said, 4096);
}

/* Above a program is what wakes, whatever is between: here one that is told of, a subshell, and one
 * that is not. */
static void who_is_above(void **state)
{
	const struct probe_event *script, *shell, *program;
	char path[128], command[256];

	(void)state;
	NEED_PROBE();
	snprintf(path, sizeof(path), "%s/x.postinst", scratch);
	assert_true(make_script(path, "#!/bin/sh\n"
	                              "/bin/sh -c '(timeout 20 /bin/true; exit 0); exit 0'\n"
	                              "exit 4\n"));
	snprintf(command, sizeof(command), "%s; exit 3", path);
	assert_int_equal(run_watched(run_shell, command, 5), 3);
	unlink(path);
	assert_int_equal(events_of(PROBE_EXEC), 4);
	assert_int_equal(seen.events[0].above, 0);
	assert_int_equal(seen.events[0].parent, getpid());
	snprintf(command, sizeof(command), "/bin/sh %s", path);
	script = find_event(PROBE_EXEC, command);
	assert_non_null(script);
	assert_int_equal(script->above, last_runner);
	assert_int_equal(script->parent, last_runner);
	assert_int_equal(find_of(PROBE_EXIT, script->pid)->status, 4);
	shell = find_event(PROBE_EXEC, "/bin/sh -c (timeout 20 /bin/true; exit 0); exit 0");
	assert_non_null(shell);
	assert_int_equal(shell->above, script->pid);
	assert_int_equal(shell->parent, script->pid);
	program = find_event(PROBE_EXEC, "/bin/true");
	assert_non_null(program);
	assert_int_equal(program->above, script->pid);
	assert_true(program->parent > 0 && program->parent != shell->pid);
	assert_null(find_of(PROBE_EXEC, program->parent));
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
	assert_int_equal(events_of(PROBE_EXEC), STORM);
	assert_int_equal(events_of(PROBE_EXIT), STORM + 1);
	assert_nothing_lost();
}

#define FLOOD       3000
#define FLOOD_SYNCS 50

/* Far more than the ring holds, at once; then what is counted without it. */
static int run_flood(void *context)
{
	char *argv[] = {(char *)"true", NULL};
	int fd = memfd_create("flood", MFD_CLOEXEC);

	for (int i = 0; i < FLOOD; i++) {
		pid_t pid;

		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			return 1;
		waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < FLOOD_SYNCS; i++)
		fsync(fd);
	return context != NULL;
}

/* What finds no room is told as a number, and the counts do not suffer. */
static void an_overrun_ring_is_told(void **state)
{
	struct runner r;
	int status;
	uint64_t lost;

	(void)state;
	NEED_PROBE();
	r = runner_start(run_flood, NULL);
	watch(&r);
	runner_go(&r);
	assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
	assert_int_equal(status, 0);
	tick(SAMPLE_FULL);
	lost = seen.sample.probe.lost;
	printf("# %zu events came, %lu are lost\n", seen.n_events, lost);
	assert_true(lost > 0);
	/* An exec and an exit of each, and an exit of the root. */
	assert_int_equal(seen.n_events + lost, 2 * FLOOD + 1);
	assert_int_equal(seen.sample.probe.missed, 0);
	assert_int_equal(seen.sample.probe.full, 0);
	assert_count(SYNC_FSYNC, SYNC_OTHER, FLOOD_SYNCS);
	/* Now that it was emptied nothing more is. */
	assert_int_equal(run_watched(run_shell, (void *)"/bin/true; exit 0", 5), 0);
	assert_int_equal(events_of(PROBE_EXEC), 2);
	assert_nothing_lost();
}

static bool is_readable(int ms)
{
	struct pollfd p = {.fd = probe_fd(probe), .events = POLLIN};

	return poll(&p, 1, ms) > 0;
}

static void drain_all(void)
{
	while (is_readable(0))
		probe_drain(probe, take, NULL);
}

static bool wakes(const char *command)
{
	struct runner r = runner_start(run_shell, (void *)(uintptr_t)command);
	bool woken;

	watch(&r);
	drain_all();
	runner_go(&r);
	woken = is_readable(300);
	kill(r.pid, SIGKILL);
	runner_finish(&r, 1);
	return woken;
}

static void only_what_matters_wakes(void **state)
{
	static const char *const names[] = {"x.postinst", "x.preinst",        "x.postrm", "x.prerm",
	                                    "preinst",    "update-initramfs", "dpkg"};
	char command[256];

	(void)state;
	NEED_PROBE();
	/* Not told at all, and told without waking. */
	assert_false(wakes("/bin/false; /bin/false; exec sleep 5"));
	assert_int_equal(events_of(PROBE_EXEC), 2);
	assert_false(wakes("/bin/true; /bin/true; exec sleep 5"));
	assert_int_equal(events_of(PROBE_EXEC), 4);
	assert_int_equal(events_of(PROBE_EXIT), 3);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(command, sizeof(command),
		         "printf '#!/bin/sh\\n' >%s/%s; chmod 755 %s/%s; %s/%s; exec sleep 5",
		         scratch, names[i], scratch, names[i], scratch, names[i]);
		if (!wakes(command))
			fail_msg("%s does not wake", names[i]);
	}
}

/* Of those that matter a pidfd tells, which costs the dying process less. */
static void an_end_does_not_wake(void **state)
{
	char path[128], command[256];
	const struct probe_event *e;
	struct runner r;

	(void)state;
	NEED_PROBE();
	snprintf(path, sizeof(path), "%s/y.postinst", scratch);
	assert_true(make_script(path, "#!/bin/sh\nsleep 0.3\nexit 5\n"));
	snprintf(command, sizeof(command), "%s; exec sleep 5", path);
	r = runner_start(run_shell, command);
	watch(&r);
	drain_all();
	runner_go(&r);
	assert_true(is_readable(2000));
	drain_all();
	assert_false(is_readable(700));
	tick(SAMPLE_THIN);
	snprintf(command, sizeof(command), "/bin/sh %s", path);
	e = find_event(PROBE_EXEC, command);
	assert_non_null(e);
	assert_non_null(find_of(PROBE_EXIT, e->pid));
	assert_int_equal(find_of(PROBE_EXIT, e->pid)->status, 5);
	kill(r.pid, SIGKILL);
	runner_finish(&r, 1);
	unlink(path);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_and_their_ends),
		cmocka_unit_test(what_is_not_named_only_counts),
		cmocka_unit_test(a_name_stays),
		cmocka_unit_test(methods_are_told_by_their_path),
		cmocka_unit_test(who_was_there_before),
		cmocka_unit_test(who_is_above),
		cmocka_unit_test(a_storm_of_programs),
		cmocka_unit_test(an_overrun_ring_is_told),
		cmocka_unit_test(only_what_matters_wakes),
		cmocka_unit_test(an_end_does_not_wake),
		cmocka_unit_test(a_call_in_flight),
		cmocka_unit_test(killed_in_flight),
	};

	return cmocka_run_group_tests_name("probe_events", tests, set_up, tear_down);
}
