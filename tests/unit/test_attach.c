/* test_attach.c - what a session begins or is asked for is looked at anew. Needs root. */
#include "upgrade_fixture.h"

#include "dpkgtop/loop.h"
#include "dpkgtop/session.h"

struct watched {
	struct loop *loop;
	struct session *session;
};

static void begin(struct watched *w, const struct fixture *f)
{
	struct session_options o;

	session_options_init(&o);
	o.procfs = f->proc;
	o.admindir = f->admin;
	o.log = "/nonexistent";
	o.history = "/nonexistent";
	assert_int_equal(loop_new(&w->loop, NULL), 0);
	assert_int_equal(session_new(&w->session, &o, w->loop, NULL), 0);
}

static void end(struct watched *w)
{
	session_free(w->session);
	loop_free(w->loop);
}

static void rewrite(struct fixture *f, const char *name, const char *text)
{
	assert_int_equal(unlinkat(f->roots.proc, name, 0), 0);
	put(f->proc, name, "%s", text);
}

/* apt alone, which is us by its pid: it must be seen to live. */
static int add_apt(struct fixture *f, char *name, size_t size, const char *file)
{
	add_process(f, getpid(), 1, "apt-get", "old");
	add_lock(f, HELD, getpid(), &f->frontend);
	snprintf(name, size, "%d/%s", getpid(), file);
	return getpid();
}

static bool needs_root(void)
{
	if (getuid() == 0)
		return false;
	print_message("# needs root: the lock files are not root's\n");
	return true;
}

static void test_chosen(void **state)
{
	struct fixture *f = *state;
	struct watched w;
	char name[32];
	int pid;

	if (needs_root())
		skip();
	pid = add_apt(f, name, sizeof(name), "cmdline");
	begin(&w, f);
	assert_int_equal(session_model(w.session)->state, MODEL_RUNNING);
	for (int i = 0; i < 3; i++) {
		char command[] = {(char)('a' + i), '\0'};

		rewrite(f, name, command);
		assert_int_equal(session_choose(w.session, pid, (uint64_t)pid * 10), 0);
		assert_int_equal(session_upgrades(w.session)->count, 1);
		assert_string_equal(session_upgrades(w.session)->runs[0].command, command);
	}
	end(&w);
}

static void enough(void *context, int fd, unsigned events)
{
	(void)fd, (void)events;
	loop_stop(context, 0);
}

/* While nothing runs each tick looks anew: here, that it may be trusted by now. */
static void test_begun(void **state)
{
	struct fixture *f = *state;
	struct watched w;
	char name[32];

	if (needs_root())
		skip();
	add_apt(f, name, sizeof(name), "status");
	rewrite(f, name, "Name:\tapt-get\nUid:\t1000\t1000\t1000\t1000\n");
	begin(&w, f);
	assert_int_equal(session_model(w.session)->state, MODEL_WAITING);
	assert_int_equal(session_upgrades(w.session)->count, 1);
	rewrite(f, name, "Name:\tapt-get\nUid:\t0\t0\t0\t0\n");
	assert_true(loop_timer(w.loop, INT64_C(600000000), enough, w.loop) >= 0);
	assert_int_equal(loop_run(w.loop), 0);
	assert_int_equal(session_model(w.session)->state, MODEL_RUNNING);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UPGRADE_TEST(test_chosen),
		UPGRADE_TEST(test_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
