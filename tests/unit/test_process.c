/* test_process.c - the process source on a small tree of this test's own.
 *
 * child → grandchild, where the test is the root. Each waits for a byte on its pipe and does what
 * it says; it answers with a byte when that is done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

struct fixture {
	struct roots roots;
	struct target target;
	void *self;
	struct sample sample;
	pid_t child, grandchild;
	int ask, answer;
};

/* The start time of a process as proc(5) says it: field 22, the 20th after the name. */
static uint64_t start_ticks(pid_t pid)
{
	char path[64], text[1024], *at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	at = strrchr(text, ')');
	for (int i = 0; i < 20; i++)
		at = strchr(at + 1, ' ');
	return strtoull(at, NULL, 10);
}

static int64_t own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void burn(int64_t ns)
{
	int64_t until = own_cpu() + ns;

	while (own_cpu() < until)
		;
}

static void say(int fd, char c)
{
	if (write(fd, &c, 1) != 1)
		_exit(9);
}

static char hear(int fd)
{
	char c = 'q';

	return read(fd, &c, 1) == 1 ? c : 'q';
}

static void write_to_disk(void)
{
	char path[] = "dpkgtop-test-XXXXXX";
	char block[4096] = "";
	int fd = mkstemp(path);

	unlink(path);
	for (int i = 0; i < 64; i++)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			_exit(8);
	fsync(fd);
	close(fd);
}

/* 'b': burn CPU. 'w': write. 'q', or the end of the test: quit. */
static void obey(int ask, int answer)
{
	for (;;) {
		char c = hear(ask);

		if (c == 'q')
			return;
		if (c == 'b')
			burn(120000000);
		else if (c == 'w')
			write_to_disk();
		say(answer, c);
	}
}

static void fork_tree(struct fixture *f)
{
	int ask[2], answer[2], pids[2];

	assert_int_equal(pipe(ask) | pipe(answer) | pipe(pids), 0);
	f->child = fork();
	assert_true(f->child >= 0);
	if (f->child == 0) {
		pid_t pid;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ask[1]);
		pid = fork();
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			prctl(PR_SET_NAME, "x (grand) \033\xff");
			pid = getpid();
			if (write(pids[1], &pid, sizeof(pid)) != sizeof(pid))
				_exit(7);
			obey(ask[0], answer[1]);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		say(answer[1], 'r');
		pause();
		_exit(0);
	}
	close(ask[0]);
	close(answer[1]);
	assert_int_equal(read(pids[0], &f->grandchild, sizeof(f->grandchild)),
	                 sizeof(f->grandchild));
	close(pids[0]);
	close(pids[1]);
	f->ask = ask[1];
	f->answer = answer[0];
}

static int set_up(void **state)
{
	struct fixture *f = mem_new(1, sizeof(*f));

	sample_init(&f->sample);
	assert_int_equal(roots_open(&f->roots, NULL, NULL, NULL), 0);
	f->self = mem_new(1, source_process.size);
	assert_int_equal(source_process.open(f->self, &f->roots, NULL), 0);
	f->target = (struct target){.pid = getpid(), .start_ticks = start_ticks(getpid())};
	fork_tree(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kill(f->child, SIGKILL);
	waitpid(f->child, NULL, 0);
	close(f->ask);
	close(f->answer);
	source_process.close(f->self);
	free(f->self);
	roots_close(&f->roots);
	sample_done(&f->sample);
	free(f);
	return 0;
}

static const struct process_counters *see_as(struct fixture *f, enum sample_kind kind, pid_t pid)
{
	sample_clear(&f->sample);
	f->sample.kind = kind;
	assert_int_equal(source_process.read(f->self, &f->target, &f->sample), 0);
	f->sample.why[GROUP_PROCESSES] = 0;
	return sample_process(&f->sample, pid);
}

static const struct process_counters *see(struct fixture *f, pid_t pid)
{
	return see_as(f, SAMPLE_FULL, pid);
}

static void command(struct fixture *f, char c)
{
	say(f->ask, c);
	assert_int_equal(hear(f->answer), c);
}

static void sees_the_tree(void **state)
{
	struct fixture *f = *state;
	const struct process_counters *p = see(f, f->child);
	char own_name[32] = "";

	assert_int_equal(f->sample.n_processes, 3);
	for (size_t i = 1; i < 3; i++)
		assert_true(f->sample.processes[i - 1].pid < f->sample.processes[i].pid);
	assert_non_null(p);
	assert_int_equal(p->parent, getpid());
	assert_true(p->start_ticks == start_ticks(f->child));
	prctl(PR_GET_NAME, own_name);
	assert_string_equal(p->name, own_name);
	assert_non_null(strstr(p->command, "test_process"));
	p = sample_process(&f->sample, f->grandchild);
	assert_non_null(p);
	assert_int_equal(p->parent, f->child);
	/* What stands for the two foreign bytes is another matter. */
	assert_int_equal(strlen(p->name), strlen("x (grand) ??"));
	assert_int_equal(strncmp(p->name, "x (grand) ", 10), 0);
	for (const char *c = p->name; *c; c++)
		assert_true(*c >= ' ' && *c < 0x7f);
	p = sample_process(&f->sample, getpid());
	assert_non_null(p);
	assert_int_equal(p->state, 'R');
	assert_int_equal(p->waits, '?');
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f->sample.processes[i].left, '-');
	assert_true(p->start_ticks == f->target.start_ticks);
}

static void counts_cpu(void **state)
{
	struct fixture *f = *state;
	int64_t before = see(f, f->grandchild)->cpu_ns, after;

	command(f, 'b');
	after = see(f, f->grandchild)->cpu_ns;
	/* Ticks of 10 ms: burnt 120. */
	assert_true(after - before >= 90000000 && after - before <= 600000000);
	assert_int_equal(sample_process(&f->sample, f->child)->reaped_cpu_ns, 0);
	say(f->ask, 'q');
	assert_int_equal(hear(f->answer), 'r');
	assert_null(see(f, f->grandchild));
	assert_true(sample_process(&f->sample, f->child)->reaped_cpu_ns >= after);
	assert_int_equal(f->sample.n_processes, 2);
}

static void counts_bytes(void **state)
{
	struct fixture *f = *state;
	uint64_t before = see(f, f->grandchild)->written_bytes;

	/* One's own child may be looked at without being root. */
	assert_true(before != UNKNOWN_U64);
	assert_true(see(f, f->grandchild)->read_bytes != UNKNOWN_U64);
	command(f, 'w');
	/* 256 KiB; none at all where the directory is on no disk (tmpfs). */
	if (see(f, f->grandchild)->written_bytes != before)
		assert_true(see(f, f->grandchild)->written_bytes >= before + 64 * 4096);
}

/* What may not be read is unknown, not 0. */
static void refused_bytes_are_unknown(void **state)
{
	struct fixture *f = *state;
	const struct process_counters *p;

	if (geteuid() == 0) {
		assert_int_equal(seteuid(65534), 0);
		p = see(f, f->child);
		assert_int_equal(seteuid(0), 0);
	} else {
		/* Root's own is refused already. */
		f->target = (struct target){.pid = 1, .start_ticks = start_ticks(1)};
		p = see(f, 1);
	}
	assert_non_null(p);
	assert_true(p->written_bytes == UNKNOWN_U64);
	assert_true(p->read_bytes == UNKNOWN_U64);
	assert_true(p->cpu_ns >= 0);
	assert_string_not_equal(p->command, "");
	for (size_t i = 0; geteuid() == 0 && i < f->sample.n_processes; i++)
		assert_int_equal(f->sample.processes[i].waits, '?');
}

static void keeps_zombies(void **state)
{
	struct fixture *f = *state;
	const struct process_counters *p;
	siginfo_t info;

	kill(f->child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)f->child, &info, WEXITED | WNOWAIT), 0);
	p = see(f, f->child);
	assert_non_null(p);
	assert_int_equal(p->state, 'Z');
	assert_string_equal(p->command, "");
	assert_string_not_equal(p->name, "");
	/* Its own child went to another parent, or died with it. */
	assert_null(sample_process(&f->sample, f->grandchild));
}

static void *fork_in_thread(void *arg)
{
	pid_t *pid = arg;

	*pid = fork();
	if (*pid == 0) {
		prctl(PR_SET_NAME, "of-a-thread");
		pause();
		_exit(0);
	}
	pause();
	return NULL;
}

/* The kernel lists children by the thread that forked them. */
static void sees_children_of_threads(void **state)
{
	struct fixture *f = *state;
	int ready[2];
	pid_t middle, pid = 0;

	assert_int_equal(pipe(ready), 0);
	middle = fork();
	if (middle == 0) {
		pthread_t thread;
		pid_t volatile child = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, fork_in_thread, (void *)&child);
		while (!child)
			sched_yield();
		pid = child;
		if (write(ready[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &pid, sizeof(pid)), sizeof(pid));
	assert_non_null(see(f, pid));
	assert_int_equal(sample_process(&f->sample, pid)->parent, middle);
	kill(pid, SIGKILL);
	kill(middle, SIGKILL);
	waitpid(middle, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

static void a_used_pid_is_no_tree(void **state)
{
	struct fixture *f = *state;

	f->target.start_ticks++;
	assert_int_equal(source_process.read(f->self, &f->target, &f->sample), -ESRCH);
	assert_int_equal(f->sample.n_processes, 0);
	f->target = (struct target){0};
	assert_int_equal(source_process.read(f->self, &f->target, &f->sample), -ESRCH);
	/* Above any pid_max. */
	f->target = (struct target){.pid = INT32_MAX, .start_ticks = 1};
	assert_int_equal(source_process.read(f->self, &f->target, &f->sample), -ESRCH);
}

/* A /proc of these processes alone, with nothing but `stat` of each: without the file by which
 * children files are found, and without `io`. */
static void link_process(const char *dir, pid_t pid)
{
	char from[96], to[32];

	snprintf(from, sizeof(from), "%s/%d", dir, (int)pid);
	assert_int_equal(mkdir(from, 0755), 0);
	snprintf(from, sizeof(from), "%s/%d/stat", dir, (int)pid);
	snprintf(to, sizeof(to), "/proc/%d/stat", (int)pid);
	assert_int_equal(symlink(to, from), 0);
}

static void unlink_process(const char *dir, pid_t pid)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%d/stat", dir, (int)pid);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%d", dir, (int)pid);
	rmdir(path);
}

/* Without children files the tree comes from all processes. */
static void finds_the_tree_without_children_files(void **state)
{
	struct fixture *f = *state;
	const pid_t pids[] = {getpid(), f->child, f->grandchild};
	char dir[] = "/tmp/process-test-XXXXXX";
	void *self = mem_new(1, source_process.size);
	const struct process_counters *p;
	struct roots roots;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 3; i++)
		link_process(dir, pids[i]);
	assert_int_equal(roots_open(&roots, dir, NULL, NULL), 0);
	assert_int_equal(faccessat(roots.proc, "thread-self", F_OK, 0), -1);
	assert_int_equal(source_process.open(self, &roots, NULL), 0);
	assert_int_equal(source_process.read(self, &f->target, &f->sample), 0);
	f->sample.why[GROUP_PROCESSES] = 0;
	assert_int_equal(f->sample.n_processes, 3);
	p = sample_process(&f->sample, f->grandchild);
	assert_non_null(p);
	assert_int_equal(p->parent, f->child);
	assert_true(p->written_bytes == UNKNOWN_U64);
	source_process.close(self);
	free(self);
	roots_close(&roots);
	for (int i = 0; i < 3; i++)
		unlink_process(dir, pids[i]);
	assert_int_equal(rmdir(dir), 0);
}

/* Sums over the tree never go back while children come and go. */
static void cpu_never_goes_back(void **state)
{
	struct fixture *f = *state;
	int64_t before = 0, reaped = 0, deadline = stamp_now().mono_ns + INT64_C(30000000000);
	pid_t maker = fork();

	if (maker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			pid_t pid = fork();

			if (pid == 0) {
				burn(20000000);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
		}
	}
	while (reaped < 400000000) {
		const struct process_counters *p = see(f, maker);
		int64_t sum = 0;

		assert_true(stamp_now().mono_ns < deadline);
		assert_non_null(p);
		reaped = p->reaped_cpu_ns;
		for (size_t k = 0; k < f->sample.n_processes; k++) {
			p = &f->sample.processes[k];
			if (p->pid == maker || p->parent == maker)
				sum += p->cpu_ns + p->reaped_cpu_ns;
		}
		assert_true(sum >= before);
		before = sum;
	}
	kill(maker, SIGKILL);
	waitpid(maker, NULL, 0);
}

/* --- what a process waits for ---------------------------------------------------------------- */

/* A child of the test that has the terminal `tty` (NULL: a pipe that stays empty) as its standard
 * input and does `what`: reads it, reads it as debconf, polls it, polls it as a frontend, sleeps,
 * reads another pipe. */
static pid_t fork_waiting(const char *tty, char what)
{
	int empty[2];
	pid_t pid;

	assert_int_equal(pipe(empty), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct pollfd standard = {.events = POLLIN};
		struct timespec long_time = {.tv_sec = 1000};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (what == 'd') {
			pid_t debconf = getpid();

			/* As debconf: it has a child. */
			prctl(PR_SET_NAME, "frontend");
			if (fork() == 0) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				/* That may have been too late: it would stay for ever. */
				if (getppid() == debconf)
					pause();
				_exit(0);
			}
			what = 'r';
		}
		if (what == 'f')
			prctl(PR_SET_NAME, "apt-get");
		dup2(tty ? open(tty, O_RDWR | O_NOCTTY) : empty[0], 0);
		if (what == 'r')
			hear(0);
		else if (what == 'p' || what == 'f')
			poll(&standard, 1, -1);
		else if (what == 's')
			nanosleep(&long_time, NULL);
		else
			hear(empty[0]);
		_exit(0);
	}
	close(empty[0]);
	close(empty[1]);
	return pid;
}

/* Polls until it is seen to wait so; the last that was seen. */
static char wait_for_waits(struct fixture *f, pid_t pid, char waits)
{
	int64_t deadline = stamp_now().mono_ns + INT64_C(10000000000);
	char seen;

	do
		seen = see(f, pid)->waits;
	while (seen != waits && stamp_now().mono_ns < deadline);
	return seen;
}

static void assert_waits(struct fixture *f, const char *tty, char what, char waits)
{
	pid_t pid = fork_waiting(tty, what);
	/* Until it sleeps nothing is known; '-' alone could be its way there. */
	int64_t deadline = stamp_now().mono_ns + INT64_C(10000000000);

	while (see(f, pid)->state != 'S')
		assert_true(stamp_now().mono_ns < deadline);
	assert_int_equal(wait_for_waits(f, pid, waits), waits);
	assert_int_equal(see_as(f, SAMPLE_BOUNDARY, pid)->waits, waits);
	/* apt polls its terminal all the time. */
	assert_int_equal(process_may_ask(&f->roots, pid),
	                 waits == 'r' || (waits == 'p' && what != 'f'));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void tells_what_it_waits_for(void **state)
{
	struct fixture *f = *state;
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), other;
	char tty[64], path[64];

	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) ||
	    ptsname_r(terminal, tty, sizeof(tty))) {
		print_message("# skipped: no pseudo-terminal: %s\n", strerror(errno));
		skip();
	}
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)f->grandchild);
	other = open(path, O_RDONLY | O_CLOEXEC);
	if (other < 0 || read(other, tty, 0) < 0) {
		print_message("# skipped: %s may not be read: %s\n", path, strerror(errno));
		close(terminal);
		skip();
	}
	close(other);
	assert_waits(f, tty, 'r', 'r');
	assert_waits(f, tty, 'p', 'p');
	assert_waits(f, tty, 'f', 'p');
	assert_waits(f, tty, 's', '-');
	assert_waits(f, tty, 'o', '-');
	assert_waits(f, NULL, 'r', '-');
	assert_waits(f, NULL, 'p', '-');
	assert_waits(f, tty, 'd', 'r');
	/* Else only leaves are looked at: the child waits for its own. */
	assert_int_equal(wait_for_waits(f, f->grandchild, '-'), '-');
	assert_int_equal(sample_process(&f->sample, f->child)->state, 'S');
	assert_int_equal(sample_process(&f->sample, f->child)->waits, '?');
	close(terminal);
}

/* --- left running ---------------------------------------------------------------------------- */

/* A child of the test with `count` children of its own, which live until `*ret_end` is closed. */
static pid_t fork_parent(size_t count, pid_t *ret_pids, int *ret_end)
{
	int end[2], pids[2];
	pid_t parent;

	assert_int_equal(pipe(end) | pipe(pids), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0) {
		close(end[1]);
		for (size_t i = 0; i < count; i++) {
			pid_t pid = fork();

			if (pid == 0) {
				hear(end[0]);
				_exit(0);
			}
			if (write(pids[1], &pid, sizeof(pid)) != sizeof(pid))
				_exit(1);
		}
		hear(end[0]);
		_exit(0);
	}
	close(end[0]);
	close(pids[1]);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(read(pids[0], &ret_pids[i], sizeof(pid_t)), sizeof(pid_t));
	close(pids[0]);
	*ret_end = end[1];
	return parent;
}

static void end_parent(pid_t parent)
{
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
}

static void keeps_what_is_left_running_in_sight(void **state)
{
	struct fixture *f = *state;
	int64_t deadline = stamp_now().mono_ns + INT64_C(10000000000);
	const struct process_counters *p;
	pid_t parent, daemon;
	int end;

	parent = fork_parent(1, &daemon, &end);
	p = see(f, daemon);
	assert_non_null(p);
	assert_int_equal(p->left, '-');
	end_parent(parent);
	for (int i = 0; i < 3; i++) {
		p = see(f, daemon);
		assert_non_null(p);
		assert_int_equal(p->left, 'y');
		assert_int_not_equal(p->parent, parent);
		assert_int_equal(p->waits, '?');
		assert_string_not_equal(p->command, "");
		assert_int_equal(f->sample.n_processes, 4);
		for (size_t k = 1; k < 4; k++)
			assert_true(f->sample.processes[k - 1].pid < f->sample.processes[k].pid);
		assert_int_equal(sample_process(&f->sample, f->child)->left, '-');
	}
	close(end);
	while (see(f, daemon))
		assert_true(stamp_now().mono_ns < deadline);
	assert_int_equal(f->sample.n_processes, 3);
}

/* Who was never seen in this tree is none of its. */
static void another_target_has_left_nothing(void **state)
{
	struct fixture *f = *state;
	struct target own = f->target;
	pid_t parent, daemon;
	int end;

	parent = fork_parent(1, &daemon, &end);
	assert_non_null(see(f, daemon));
	end_parent(parent);
	assert_non_null(see(f, daemon));
	f->target = (struct target){.pid = f->child, .start_ticks = start_ticks(f->child)};
	assert_null(see(f, daemon));
	assert_int_equal(f->sample.n_processes, 2);
	f->target = own;
	assert_null(see(f, daemon));
	close(end);
}

/* Someone in the tree who takes orphans in keeps them in the tree. */
static void an_orphan_in_the_tree_is_not_left(void **state)
{
	struct fixture *f = *state;
	pid_t parent, orphan;
	int end;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	parent = fork_parent(1, &orphan, &end);
	assert_non_null(see(f, orphan));
	end_parent(parent);
	assert_non_null(see(f, orphan));
	assert_int_equal(sample_process(&f->sample, orphan)->left, '-');
	assert_int_equal(sample_process(&f->sample, orphan)->parent, getpid());
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	close(end);
	waitpid(orphan, NULL, 0);
}

static void few_of_many_left_are_kept(void **state)
{
	struct fixture *f = *state;
	pid_t parent, many[70];
	size_t left = 0;
	int end;

	parent = fork_parent(70, many, &end);
	assert_non_null(see(f, many[69]));
	assert_int_equal(f->sample.n_processes, 74);
	end_parent(parent);
	for (int i = 0; i < 2; i++) {
		see(f, getpid());
		assert_int_equal(f->sample.n_processes, 3 + 64);
	}
	for (size_t i = 0; i < f->sample.n_processes; i++)
		left += f->sample.processes[i].left == 'y';
	assert_int_equal(left, 64);
	close(end);
}

/* --- large trees ----------------------------------------------------------------------------- */

static char *title;

static char see_title(struct fixture *f, enum sample_kind kind)
{
	sample_clear(&f->sample);
	f->sample.kind = kind;
	assert_int_equal(source_process.read(f->self, &f->target, &f->sample), 0);
	f->sample.why[GROUP_PROCESSES] = 0;
	return *sample_process(&f->sample, getpid())->command;
}

static void commands_are_read_in_full_samples(void **state)
{
	struct fixture *f = *state;
	pid_t many[300], parent;
	int end;

	*title = 'A';
	assert_int_equal(see_title(f, SAMPLE_THIN), 'A');
	*title = 'B';
	assert_int_equal(see_title(f, SAMPLE_THIN), 'A');
	assert_int_equal(see_title(f, SAMPLE_FULL), 'B');
	parent = fork_parent(300, many, &end);
	assert_int_equal(see_title(f, SAMPLE_THIN), 'B');
	assert_int_equal(f->sample.n_processes, 304);
	/* Those that are new are read at once. */
	assert_int_equal(*sample_process(&f->sample, many[299])->command, 'B');
	*title = 'C';
	assert_int_equal(see_title(f, SAMPLE_THIN), 'B');
	assert_int_equal(see_title(f, SAMPLE_FULL), 'C');
	assert_int_equal(see_title(f, SAMPLE_THIN), 'C');
	end_parent(parent);
	close(end);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(sees_the_tree),
		TEST(counts_cpu),
		TEST(counts_bytes),
		TEST(refused_bytes_are_unknown),
		TEST(keeps_zombies),
		TEST(sees_children_of_threads),
		TEST(a_used_pid_is_no_tree),
		TEST(finds_the_tree_without_children_files),
		TEST(cpu_never_goes_back),
		TEST(tells_what_it_waits_for),
		TEST(keeps_what_is_left_running_in_sight),
		TEST(another_target_has_left_nothing),
		TEST(an_orphan_in_the_tree_is_not_left),
		TEST(few_of_many_left_are_kept),
		TEST(commands_are_read_in_full_samples),
	};

	(void)argc;
	title = argv[0];
	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
