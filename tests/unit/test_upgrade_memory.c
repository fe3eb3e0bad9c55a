/* test_upgrade_memory.c - holders of the same locks are not asked each time. */
#include "upgrade_fixture.h"

/* What one call after the other is given. */
static struct upgrade_memory memory;
static struct upgrade_list list;

static int begin(void **state)
{
	memset(&memory, 0, sizeof(memory));
	memset(&list, 0, sizeof(list));
	return setup(state);
}

static int look(struct fixture *f)
{
	return upgrade_list_again(&f->roots, f->admin, false, &memory, &list);
}

static void rewrite(struct fixture *f, const char *name, const char *text)
{
	assert_int_equal(unlinkat(f->roots.proc, name, 0), 0);
	put(f->proc, name, "%s", text);
}

static void set_stat(struct fixture *f, int pid, const char *name, int parent, int start)
{
	char file[32], text[128];

	snprintf(file, sizeof(file), "%d/stat", pid);
	snprintf(text, sizeof(text),
	         "%d (%s) S %d 1 1 0 1 0 0 0 0 0 5 6 7 8 20 0 1 0 %d 0 800 0 0\n", pid, name,
	         parent, start);
	rewrite(f, file, text);
}

/* Only a call that asks anew sees this. */
static void set_command(struct fixture *f, const char *command)
{
	rewrite(f, "220/cmdline", command);
}

static void expect_command(const char *command)
{
	assert_true(list.count >= 1);
	assert_string_equal(list.runs[0].command, command);
}

/* apt with a dpkg, asked once; the next call will not ask unless something is changed. */
static void run(struct fixture *f)
{
	add_process(f, 220, 200, "apt-get", "old");
	add_process(f, 300, 220, "dpkg", "dpkg --unpack a.deb");
	add_lock(f, HELD, 220, &f->frontend);
	add_lock(f, HELD, 300, &f->lock);
	assert_int_equal(look(f), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.runs[0].dpkg, 300);
	expect_command("old");
	set_command(f, "new");
}

static void expect_asked(struct fixture *f)
{
	assert_int_equal(look(f), 0);
	expect_command("new");
}

static void test_each_fifth_call_asks(void **state)
{
	struct fixture *f = *state;

	run(f);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(look(f), 0);
		expect_command("old");
		assert_int_equal(list.runs[0].dpkg, 300);
	}
	expect_asked(f);
	set_command(f, "newer");
	for (int i = 0; i < 4; i++)
		expect_asked(f);
	assert_int_equal(look(f), 0);
	expect_command("newer");
}

static void test_other_locks(void **state)
{
	struct fixture *f = *state;

	run(f);
	/* Between two dpkgs. */
	rewrite(f, "locks", "");
	add_lock(f, HELD, 220, &f->frontend);
	expect_asked(f);
	assert_int_equal(list.runs[0].dpkg, 0);
	set_command(f, "old");
	add_process(f, 310, 220, "dpkg", "dpkg --configure a");
	add_lock(f, HELD, 310, &f->lock);
	assert_int_equal(look(f), 0);
	expect_command("old");
	assert_int_equal(list.runs[0].dpkg, 310);
	/* As many locks, by another. */
	set_command(f, "new");
	add_process(f, 320, 220, "dpkg", "dpkg --configure b");
	set_stat(f, 320, "dpkg", 220, 3100);
	rewrite(f, "locks", "");
	add_lock(f, HELD, 220, &f->frontend);
	add_lock(f, HELD, 320, &f->lock);
	expect_asked(f);
	assert_int_equal(list.runs[0].dpkg, 320);
	rewrite(f, "locks", "");
	assert_int_equal(look(f), 0);
	assert_int_equal(list.count, 0);
}

static void test_a_lock_on_another_file(void **state)
{
	struct fixture *f = *state;

	run(f);
	rewrite(f, "locks", "");
	add_lock(f, HELD, 220, &f->frontend);
	add_lock(f, HELD, 300, &f->frontend);
	expect_asked(f);
	assert_int_equal(list.runs[0].dpkg, 0);
}

static void test_pid_used_again(void **state)
{
	struct fixture *f = *state;

	run(f);
	set_stat(f, 300, "dpkg", 220, 3001);
	expect_asked(f);
	assert_int_equal(list.runs[0].dpkg_start_ticks, 3001);
}

static void test_another_program(void **state)
{
	struct fixture *f = *state;

	run(f);
	set_stat(f, 220, "apt", 200, 2200);
	expect_asked(f);
	assert_string_equal(list.runs[0].frontend, "apt");
}

static void test_parent_ended(void **state)
{
	struct fixture *f = *state;

	run(f);
	set_stat(f, 300, "dpkg", 1, 3000);
	assert_int_equal(look(f), 0);
	assert_int_equal(list.count, 2);
	expect_command("new");
	assert_int_equal(list.runs[1].root, 300);
}

/* One that can not be seen is asked each time, and so are the others. */
static void test_holder_not_seen(void **state)
{
	struct fixture *f = *state;

	run(f);
	assert_int_equal(unlinkat(f->roots.proc, "300/stat", 0), 0);
	expect_asked(f);
	set_command(f, "newer");
	assert_int_equal(look(f), 0);
	expect_command("newer");
}

static void test_our_file_given_away(void **state)
{
	struct fixture *f = *state;
	char path[96];

	if (getuid() != 0) {
		print_message("# needs root: to give a file away\n");
		skip();
	}
	run(f);
	assert_true(list.runs[0].trusted);
	snprintf(path, sizeof(path), "%s/lock", f->admin);
	assert_int_equal(chown(path, 65534, -1), 0);
	expect_asked(f);
	assert_false(list.runs[0].trusted);
}

static void test_our_file_replaced(void **state)
{
	struct fixture *f = *state;
	char path[96], old[96];

	run(f);
	snprintf(path, sizeof(path), "%s/lock", f->admin);
	snprintf(old, sizeof(old), "%s/old", f->admin);
	assert_int_equal(rename(path, old), 0);
	put(f->admin, "lock", "%s", "");
	expect_asked(f);
	/* Now 300 has a lock on no file of ours, nor on one that it has open. */
	assert_int_equal(list.runs[0].dpkg, 0);
}

static void test_others_left_out(void **state)
{
	struct fixture *f = *state;

	run(f);
	assert_int_equal(upgrade_list_again(&f->roots, f->admin, true, &memory, &list), 0);
	expect_command("new");
}

static void test_after_an_error(void **state)
{
	struct fixture *f = *state;

	run(f);
	assert_int_equal(renameat(f->roots.proc, "locks", f->roots.proc, "other"), 0);
	assert_int_equal(look(f), -ENOENT);
	expect_command("old");
	assert_int_equal(renameat(f->roots.proc, "other", f->roots.proc, "locks"), 0);
	expect_asked(f);
}

static void test_too_many_holders(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < UPGRADE_HOLDERS_MAX - 1; i++)
		add_lock(f, HELD, 220, &f->frontend);
	run(f);
	expect_asked(f);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMORY_TEST(test_each_fifth_call_asks),   MEMORY_TEST(test_other_locks),
		MEMORY_TEST(test_a_lock_on_another_file), MEMORY_TEST(test_pid_used_again),
		MEMORY_TEST(test_another_program),        MEMORY_TEST(test_parent_ended),
		MEMORY_TEST(test_holder_not_seen),        MEMORY_TEST(test_our_file_given_away),
		MEMORY_TEST(test_our_file_replaced),      MEMORY_TEST(test_others_left_out),
		MEMORY_TEST(test_after_an_error),         MEMORY_TEST(test_too_many_holders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
