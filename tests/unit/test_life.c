/* test_life.c - the processes that matter: known by their names, and told from start to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/session/life.h"
#include "../../src/session/role.h"

/* Far more than it takes. */
#define DEADLINE_MS 30000

static const struct {
	const char *name, *command;
	enum role role; /* N_ROLES: none */
	const char *package, *script;
} processes[] = {
	{"libc6.postinst", "/bin/sh /var/lib/dpkg/info/libc6:amd64.postinst configure 2.36",
         ROLE_SCRIPT, "libc6", "postinst"},
	{"a.prerm", "/srv/root/var/lib/dpkg/info/a.prerm upgrade 2", ROLE_SCRIPT, "a", "prerm"},
	{"frontend",
         "/usr/bin/perl -w /usr/share/debconf/frontend /var/lib/dpkg/info/man-db.postinst "
         "configure",
         ROLE_SCRIPT, "man-db", "postinst"},
	{"preinst", "/bin/sh /var/lib/dpkg/tmp.ci/preinst install", ROLE_SCRIPT, "", "preinst"},
	{"lib.x.postrm", "/var/lib/dpkg/info/lib.x.postrm purge", ROLE_SCRIPT, "lib.x", "postrm"},
	{"cat", "cat /var/lib/dpkg/info/a.list", N_ROLES, "", ""},
	{"less", "less /home/me/postinst", N_ROLES, "", ""},
	{"sh", "sh -c 1 2 3 4 /var/lib/dpkg/info/a.postinst", N_ROLES, "", ""},
	{"mkinitramfs", "/bin/sh /usr/sbin/mkinitramfs -o /boot/i", ROLE_INITRAMFS, "",
         "mkinitramfs"},
	{"update-initramf", "/bin/sh /usr/sbin/update-initramfs -u", ROLE_INITRAMFS, "",
         "update-initramfs"},
	{"dracut", "/bin/bash /usr/bin/dracut --force", ROLE_INITRAMFS, "", "dracut"},
	{"update-initramf", "/bin/sh /usr/sbin/update-initramfs --version", N_ROLES, "", ""},
	{"dracut-install", "/usr/lib/dracut/dracut-install -D", N_ROLES, "", ""},
	{"dkms", "/bin/bash /usr/sbin/dkms autoinstall", ROLE_STEP, "", "dkms"},
	{"update-mime-dat", "update-mime-database /usr/share/mime", ROLE_STEP, "",
         "update-mime-database"},
	{"dpkg", "dpkg --print-architecture", N_ROLES, "", ""},
	{"", "", N_ROLES, "", ""},
};

static void roles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++) {
		struct exec_event exec = {.role = N_ROLES};

		assert_int_equal(role_of(processes[i].name, processes[i].command, false, &exec),
		                 processes[i].role != N_ROLES);
		if (processes[i].role == N_ROLES)
			continue;
		assert_int_equal(exec.role, processes[i].role);
		assert_string_equal(exec.package, processes[i].package);
		assert_string_equal(exec.script, processes[i].script);
	}
}

/* What the probe is to tell of: as the kernel names it, no more than it takes, and each once. */
static void names_for_the_probe(void **state)
{
	int count = 0;

	(void)state;
	for (; role_names[count].comm; count++) {
		const char *name = role_names[count].comm;
		struct exec_event exec = {.role = N_ROLES};
		bool is_dpkg = strcmp(name, "dpkg") == 0;

		assert_in_range(strlen(name), 1, 15);
		for (int i = 0; i < count; i++)
			assert_string_not_equal(role_names[i].comm, name);
		assert_int_equal(role_of(name, name, false, &exec), !is_dpkg);
		assert_int_equal(role_names[count].wakes, is_dpkg || exec.role == ROLE_INITRAMFS);
	}
	assert_in_range(count, 1, 64);
	/* Each that has a role by its name alone is among them. */
	for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++) {
		bool found = false;

		for (int n = 0; n < count; n++)
			found = found || strcmp(role_names[n].comm, processes[i].name) == 0;
		if (processes[i].role == ROLE_INITRAMFS || processes[i].role == ROLE_STEP)
			assert_true(found);
	}
}

struct told {
	struct life life;
	struct loop *loop;
	struct roots roots;
	struct event events[16];
	int count;
};

static int polls;

/* In the place of the C library's. */
int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};

	polls++;
	return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}

static void happened(void *context, struct event *e)
{
	struct told *t = context;

	t->events[t->count++] = *e;
}

static void ended(void *context)
{
	(void)context;
}

static void begin(struct told *t)
{
	memset(t, 0, sizeof(*t));
	assert_int_equal(loop_new(&t->loop, NULL), 0);
	assert_int_equal(roots_open(&t->roots, NULL, NULL, NULL), 0);
	life_init(&t->life, t->loop, &t->roots, happened, ended, t);
}

static void finish(struct told *t)
{
	life_done(&t->life);
	loop_free(t->loop);
	roots_close(&t->roots);
}

static void add(struct told *t, enum role role, int32_t pid)
{
	struct exec_event exec = {.pid = pid, .role = role};
	struct process_counters p;

	if (process_identify(&t->roots, pid, &p) == 0)
		exec.start_ticks = p.start_ticks;
	life_add(&t->life, &exec);
}

/* A grandchild, so that somebody else is its parent: it exits with `status` when the pipe closes,
 * and its parent waits for it when the other one does. */
static pid_t grandchild(int status, int go[2], int wait_now[2], int tell[2])
{
	pid_t pid = fork(), child;
	char byte;

	if (pid > 0)
		return pid;
	close(go[1]);
	child = fork();
	if (child == 0) {
		close(wait_now[1]);
		_exit(read(go[0], &byte, 1) < 0 ? 99 : status);
	}
	close(wait_now[1]);
	close(go[0]);
	if (write(tell[1], &child, sizeof(child)) != sizeof(child) ||
	    read(wait_now[0], &byte, 1) < 0)
		_exit(1);
	waitpid(child, NULL, 0);
	_exit(0);
}

static bool poll_until_ended(struct life *l)
{
	for (int ms = 0; ms < DEADLINE_MS; ms += 10) {
		if (life_any_ended(l))
			return true;
		poll(NULL, 0, 10);
	}
	return false;
}

/* A script's status, by its zombie (root) or, once its parent has waited, by the kernel. */
static void status_of_a_stranger(void **state)
{
	int go[2], wait_now[2], tell[2];
	struct told t;
	pid_t parent, child;

	(void)state;
	begin(&t);
	assert_int_equal(pipe(go) | pipe(wait_now) | pipe(tell), 0);
	parent = grandchild(7, go, wait_now, tell);
	assert_int_equal(read(tell[0], &child, sizeof(child)), sizeof(child));
	close(go[0]);
	add(&t, ROLE_SCRIPT, child);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.events[0].kind, EVENT_EXEC);
	assert_false(life_any_ended(&t.life));
	close(go[1]);
	assert_true(poll_until_ended(&t.life));
	life_check(&t.life);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.events[1].kind, EVENT_EXIT);
	if (geteuid() == 0)
		assert_int_equal(t.events[1].exit.status, 7);
	close(wait_now[1]);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	/* Told at once, and not again but for a status that comes late. */
	life_any_ended(&t.life);
	life_check(&t.life);
	assert_in_range(t.count, 2, 3);
	finish(&t);
}

/* Our own child is left to be waited for: its usage is its starter's to have. */
static void status_of_a_child(void **state)
{
	struct told t;
	pid_t pid;

	(void)state;
	begin(&t);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	add(&t, ROLE_DPKG, pid);
	kill(pid, SIGTERM);
	assert_true(poll_until_ended(&t.life));
	life_check(&t.life);
	assert_int_equal(t.events[1].exit.status, 128 + SIGTERM);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), pid);
	finish(&t);
}

/* One that is gone already was never there: its end would be told with another's lines. */
static void gone_before_it_was_known(void **state)
{
	uint64_t start;
	struct told t;
	pid_t pid;

	(void)state;
	begin(&t);
	pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	add(&t, ROLE_DPKG, pid);
	assert_int_equal(t.count, 0);
	assert_int_equal(life_dpkg(&t.life, &start), 0);
	finish(&t);
}

/* What ended after it was asked who has is told next time: its last lines may not be read yet. */
static void ends_after_the_question(void **state)
{
	struct told t;
	siginfo_t info;
	pid_t pid;

	(void)state;
	begin(&t);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	add(&t, ROLE_DPKG, pid);
	assert_false(life_any_ended(&t.life));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	life_check(&t.life);
	assert_int_equal(t.count, 1);
	assert_true(life_any_ended(&t.life));
	life_check(&t.life);
	assert_int_equal(t.count, 2);
	finish(&t);
}

/* Four dpkgs whose startup lines have come; of the last one there is no pidfd. */
static void begin_four(struct told *t, pid_t pids[4])
{
	struct life_process *last = &t->life.items[3];

	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			pause();
			_exit(0);
		}
		add(t, ROLE_DPKG, pids[i]);
		assert_false(life_startup(&t->life));
	}
	loop_forget(t->loop, last->fd);
	close(last->fd);
	last->fd = -1;
}

/* Many are asked at once, and each has its own answer; asking nobody is no call at all. */
static void asked_at_once(void **state)
{
	struct told t;
	siginfo_t info;
	pid_t pids[4];

	(void)state;
	begin(&t);
	polls = 0;
	assert_false(life_any_ended(&t.life));
	assert_int_equal(polls, 0);
	begin_four(&t, pids);
	for (int i = 0; i < 4; i += i ? 1 : 2) {
		kill(pids[i], SIGKILL);
		assert_int_equal(waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT), 0);
	}
	for (int startup = 0; startup < 2; startup++) {
		polls = 0;
		assert_true(startup ? life_startup(&t.life) : life_any_ended(&t.life));
		assert_true(polls <= 1);
		for (int i = 0; i < 4; i++)
			assert_int_equal(t.life.items[i].due, i == 0 || i == 2);
	}
	life_check(&t.life);
	assert_int_equal(t.count, 6);
	assert_int_equal(t.events[4].exit.pid, pids[2]);
	assert_int_equal(t.events[5].exit.pid, pids[0]);
	kill(pids[1], SIGKILL);
	finish(&t);
}

/* A startup line is the next dpkg's own first; only a later one ends it. */
static void startup_lines(void **state)
{
	struct told t;
	siginfo_t info;
	pid_t pids[2];

	(void)state;
	begin(&t);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			pause();
			_exit(0);
		}
		add(&t, i ? ROLE_DPKG : ROLE_FRONTEND, pids[i]);
		kill(pids[i], SIGKILL);
		assert_int_equal(waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT), 0);
	}
	assert_false(life_startup(&t.life)); /* its own, although both have ended */
	life_check(&t.life);
	assert_int_equal(t.count, 2);
	assert_true(life_startup(&t.life)); /* another's: the dpkg has ended, of the frontend */
	life_check(&t.life);                /* nothing is said */
	assert_int_equal(t.count, 3);
	assert_int_equal(t.events[2].kind, EVENT_EXIT);
	assert_int_equal(t.events[2].exit.pid, pids[1]);
	assert_true(life_any_ended(&t.life));
	life_check(&t.life);
	assert_int_equal(t.events[3].exit.pid, pids[0]);
	finish(&t);
}

static struct probe_event executed(int32_t pid, int32_t parent, int32_t above, const char *name,
                                   const char *command)
{
	struct probe_event e = {.kind = PROBE_EXEC, .pid = pid, .start_ticks = 5};

	e.parent = parent;
	e.above = above;
	snprintf(e.name, sizeof(e.name), "%s", name);
	snprintf(e.command, sizeof(e.command), "%s", command);
	return e;
}

static void exec(struct told *t, const struct probe_event *e)
{
	life_exec(&t->life, e);
}

/* Pids that nobody has: they are told of after their end. */
enum { DPKG = INT32_MAX - 9, SCRIPT, SUBSHELL, DEBCONF_CHILD, BUILDER, INNER };

#define POSTINST "/var/lib/dpkg/info/man-db.postinst"

/* As the probe tells them: programs gone before they could be looked at, parents of which nothing
 * is known, and a script that debconf executes anew. */
static void told_by_the_probe(void **state)
{
	struct probe_event e;
	struct told t;

	(void)state;
	begin(&t);
	e = executed(SCRIPT, DPKG, DPKG, "man-db.postinst", "/bin/sh " POSTINST " configure");
	exec(&t, &e);
	assert_int_equal(t.count, 1);
	assert_string_equal(t.events[0].exec.package, "man-db");
	/* The same process is debconf's frontend now, and runs the script below itself. */
	e = executed(SCRIPT, DPKG, DPKG, "frontend",
	             "/usr/bin/perl -w /usr/share/debconf/frontend " POSTINST " configure");
	exec(&t, &e);
	e = executed(DEBCONF_CHILD, SCRIPT, SCRIPT, "man-db.postinst",
	             "/bin/sh " POSTINST " configure");
	exec(&t, &e);
	assert_int_equal(t.count, 1);
	/* Below a subshell, which executes nothing. */
	e = executed(BUILDER, SUBSHELL, SCRIPT, "update-initramf",
	             "/bin/sh /usr/sbin/update-initramfs -u");
	e.at_ns = 1000;
	exec(&t, &e);
	/* It may only ask for its trigger: it is a builder when it builds. */
	assert_int_equal(t.count, 1);
	e = executed(INNER, SUBSHELL, BUILDER, "mkinitramfs", "/bin/sh /usr/sbin/mkinitramfs");
	e.at_ns = 5000;
	exec(&t, &e);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.events[1].exec.role, ROLE_INITRAMFS);
	assert_int_equal(t.events[1].exec.pid, BUILDER);
	assert_int_equal(t.events[1].exec.ago_ns, 4000);
	assert_string_equal(t.events[1].exec.script, "update-initramfs");
	assert_string_equal(t.events[1].exec.package, "man-db postinst");
	e = (struct probe_event){.kind = PROBE_EXIT, .pid = BUILDER, .start_ticks = 5, .status = 3};
	life_exit(&t.life, &e);
	assert_int_equal(t.count, 3);
	assert_int_equal(t.events[2].kind, EVENT_EXIT);
	assert_int_equal(t.events[2].exit.role, ROLE_INITRAMFS);
	assert_int_equal(t.events[2].exit.status, 3);
	life_exit(&t.life, &e);
	assert_int_equal(t.count, 3);
	finish(&t);
}

/* update-initramfs in a postinst, which leaves the work to the trigger. */
static void not_a_build(void **state)
{
	struct probe_event e = executed(BUILDER, SCRIPT, SCRIPT, "update-initramf",
	                                "/bin/sh /usr/sbin/update-initramfs -u");
	struct told t;

	(void)state;
	begin(&t);
	exec(&t, &e);
	assert_true(life_has(&t.life, BUILDER, 5));
	e.kind = PROBE_EXIT;
	life_exit(&t.life, &e);
	assert_false(life_has(&t.life, BUILDER, 5));
	assert_int_equal(t.count, 0);
	finish(&t);
}

/* /proc may show a process alive a moment after its end was told. */
static void not_begun_anew_by_a_sample(void **state)
{
	struct process_counters *p;
	struct sample s;
	struct told t;
	struct probe_event e = executed(getpid(), DPKG, DPKG, "a.postinst",
	                                "/bin/sh /var/lib/dpkg/info/a.postinst configure");

	(void)state;
	begin(&t);
	sample_init(&s);
	s.kind = SAMPLE_THIN;
	s.why[GROUP_PROCESSES] = 0;
	p = sample_add_process(&s);
	*p = (struct process_counters){.pid = e.pid, .start_ticks = e.start_ticks, .state = 'R'};
	snprintf(p->command, sizeof(p->command), "%s", e.command);
	exec(&t, &e);
	e.kind = PROBE_EXIT;
	life_exit(&t.life, &e);
	assert_int_equal(t.count, 2);
	life_sample(&t.life, &s);
	assert_int_equal(t.count, 2);
	/* Another process by that pid is another one. */
	p->start_ticks++;
	life_sample(&t.life, &s);
	assert_int_equal(t.count, 3);
	sample_done(&s);
	finish(&t);
}

static void dpkgs_at_work(void **state)
{
	(void)state;
	assert_true(role_is_dpkg_at_work("dpkg",
	                                 "/usr/bin/dpkg --status-fd 15 --no-triggers --unpack "
	                                 "--auto-deconfigure /a.deb"));
	assert_true(role_is_dpkg_at_work("dpkg", "dpkg -i a.deb"));
	assert_true(role_is_dpkg_at_work("dpkg", "dpkg --configure -a"));
	assert_false(role_is_dpkg_at_work("dpkg", "dpkg --print-foreign-architectures"));
	assert_false(role_is_dpkg_at_work("dpkg", "dpkg --compare-versions 1 gt 2"));
	assert_false(role_is_dpkg_at_work("dpkg-deb", "dpkg-deb --unpack"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles),
		cmocka_unit_test(names_for_the_probe),
		cmocka_unit_test(status_of_a_stranger),
		cmocka_unit_test(status_of_a_child),
		cmocka_unit_test(gone_before_it_was_known),
		cmocka_unit_test(ends_after_the_question),
		cmocka_unit_test(asked_at_once),
		cmocka_unit_test(startup_lines),
		cmocka_unit_test(told_by_the_probe),
		cmocka_unit_test(not_a_build),
		cmocka_unit_test(not_begun_anew_by_a_sample),
		cmocka_unit_test(dpkgs_at_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
