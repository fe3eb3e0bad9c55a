/* test_upgrade.c - which upgrade is running, by a fake /proc. */
#include "upgrade_fixture.h"

static void expect(struct fixture *f, int dpkg, int root, const char *frontend, const char *command,
                   const char *dpkg_command)
{
	struct upgrade_run run;

	memset(&run, 0x55, sizeof(run));
	assert_int_equal(upgrade_find(&f->roots, f->admin, &run), 1);
	assert_int_equal(run.dpkg, dpkg);
	assert_int_equal(run.dpkg_start_ticks, dpkg * 10);
	assert_int_equal(run.root, root);
	assert_int_equal(run.root_start_ticks, root * 10);
	assert_string_equal(run.frontend, frontend);
	assert_string_equal(run.command, command);
	assert_string_equal(run.dpkg_command, dpkg_command);
}

static void expect_none(struct fixture *f, int r)
{
	struct upgrade_run run, before;

	memset(&run, 0x55, sizeof(run));
	before = run;
	assert_int_equal(upgrade_find(&f->roots, f->admin, &run), r);
	assert_memory_equal(&run, &before, sizeof(run));
}

static void test_nothing_runs(void **state)
{
	struct fixture *f = *state;

	expect_none(f, 0);
	/* A dpkg helper of nobody's holds no lock, and other locks are other files. */
	add_process(f, 300, 1, "dpkg", "dpkg --print-architecture");
	put(f->proc, "locks", "1: " HELD " 300 00:2b:1 0 EOF\n");
	expect_none(f, 0);
}

static void test_apt_get_and_dpkg(void **state)
{
	struct fixture *f = *state;

	add_process(f, 100, 1, "bash", "-bash");
	add_process(f, 150, 100, "sudo", "sudo apt-get install a");
	add_process(f, 200, 150, "apt-get", "apt-get install a");
	add_process(f, 300, 200, "dpkg", "/usr/bin/dpkg --unpack a.deb");
	/* A helper of a maintainer script. */
	add_process(f, 310, 300, "a.postinst", "/bin/sh /var/lib/dpkg/info/a.postinst");
	add_process(f, 320, 310, "dpkg", "dpkg --compare-versions 1 lt 2");
	/* While it downloads. */
	add_lock(f, HELD, 200, &f->frontend);
	add_lock(f, HELD, 200, &f->lock);
	expect(f, 0, 200, "apt-get", "apt-get install a", "");
	put(f->proc, "locks.new", "2: FLOCK  ADVISORY  WRITE 77 00:17:1234 0 EOF\n");
	assert_int_equal(renameat(f->roots.proc, "locks.new", f->roots.proc, "locks"), 0);
	/* Between two dpkgs. */
	add_lock(f, HELD, 200, &f->frontend);
	expect(f, 0, 200, "apt-get", "apt-get install a", "");
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 200, "apt-get", "apt-get install a", "/usr/bin/dpkg --unpack a.deb");
}

static void test_plain_dpkg(void **state)
{
	struct fixture *f = *state;

	add_process(f, 100, 1, "bash", "-bash");
	add_process(f, 300, 100, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &f->frontend);
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
}

static void test_aptitude(void **state)
{
	struct fixture *f = *state;

	/* Its dpkg holds both locks itself. */
	add_process(f, 200, 1, "aptitude-curses", "aptitude");
	add_process(f, 300, 200, "dpkg", "dpkg --configure -a");
	add_lock(f, HELD, 300, &f->lock);
	add_lock(f, HELD, 300, &f->frontend);
	expect(f, 300, 200, "aptitude-curses", "aptitude", "dpkg --configure -a");
}

static void test_frontends_above_frontends(void **state)
{
	struct fixture *f = *state;

	/* nala forks a second nala; unattended-upgrade's name is cut by the kernel. */
	add_process(f, 100, 1, "systemd", "/sbin/init");
	add_process(f, 200, 100, "unattended-upgr", "/usr/bin/python3 /usr/bin/unattended-upgrade");
	add_process(f, 210, 200, "nala", "python3 nala");
	add_process(f, 300, 210, "dpkg", "dpkg --unpack x");
	add_lock(f, HELD, 210, &f->frontend);
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 200, "unattended-upgr", "/usr/bin/python3 /usr/bin/unattended-upgrade",
	       "dpkg --unpack x");
}

static void test_a_loop_of_parents_ends(void **state)
{
	struct fixture *f = *state;
	struct upgrade_run run;

	add_process(f, 200, 300, "dpkg", "dpkg a");
	add_process(f, 300, 200, "dpkg", "dpkg b");
	add_lock(f, HELD, 300, &f->lock);
	assert_int_equal(upgrade_find(&f->roots, f->admin, &run), 1);
	assert_int_equal(run.dpkg, 300);
}

static void test_lines_that_are_no_holder(void **state)
{
	static const char *const others[] = {
		"-> POSIX  ADVISORY  WRITE", "   -> POSIX  ADVISORY  WRITE",
		"POSIX  ADVISORY  READ ",    "FLOCK  ADVISORY  WRITE",
		"OFDLCK ADVISORY  WRITE",    "LEASE  ACTIVE    WRITE",
	};
	struct fixture *f = *state;

	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		add_lock(f, others[i], 300, &f->lock);
	/* Held in another pid namespace, by a process that is gone, by one with an odd stat. */
	add_lock(f, HELD, 0, &f->lock);
	add_lock(f, HELD, -1, &f->lock);
	add_lock(f, HELD, 400, &f->lock);
	put(f->proc, "locks", "garbage\n1: POSIX\n\n1: " HELD " 300 zz:zz:1 0 EOF\n");
	expect_none(f, 0);
	/* The one that waits for the lock is not the one that has it. */
	add_process(f, 500, 1, "apt-get", "apt-get upgrade");
	add_lock(f, HELD, 500, &f->lock);
	expect(f, 0, 500, "apt-get", "apt-get upgrade", "");
}

static void test_device_and_name(void **state)
{
	struct fixture *f = *state;
	struct stat btrfs = f->lock;

	btrfs.st_dev = makedev(0, 0xabcd);
	/* The same inode number elsewhere. */
	add_process(f, 250, 1, "postgres", "postgres");
	add_lock(f, HELD, 250, &btrfs);
	expect_none(f, 0);
	/* btrfs shows another device than stat(2). */
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &btrfs);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
	/* A frontend that nobody has heard of, on the very file. */
	add_process(f, 240, 1, "newapt (x) y", "newapt go");
	add_lock(f, HELD, 240, &f->frontend);
	expect(f, 300, 240, "newapt (x) y", "newapt go", "dpkg -i a.deb");
}

static void test_command_lines_are_printable(void **state)
{
	struct fixture *f = *state;
	char path[112], *words = malloc(100001);

	memset(words, 'w', 100000);
	words[100000] = '\0';
	memcpy(words, "dpkg \033]0;x\a \xff ", 14);
	add_process(f, 300, 1, "dpkg", "");
	snprintf(path, sizeof(path), "%s/300", f->proc);
	add_lock(f, HELD, 300, &f->lock);
	/* A zombie has none. */
	expect(f, 300, 300, "dpkg", "dpkg", "dpkg");
	unlinkat(f->roots.proc, "300/cmdline", 0);
	expect(f, 300, 300, "dpkg", "dpkg", "dpkg");
	put(path, "cmdline", "%s", words);
	memcpy(words, "dpkg ?]0;x? ? ", 14);
	words[sizeof(((struct upgrade_run *)0)->command) - 1] = '\0';
	expect(f, 300, 300, "dpkg", words, words);
	free(words);
}

static void test_many_locks(void **state)
{
	struct fixture *f = *state;
	char path[112];
	FILE *out;

	snprintf(path, sizeof(path), "%s/locks", f->proc);
	out = fopen(path, "we");
	assert_non_null(out);
	for (int i = 0; i < 5000; i++)
		fprintf(out, "%d: " HELD " 77 00:17:%d 0 EOF\n", i, 1000000000 + i);
	fclose(out);
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
}

static void remove_lock(struct fixture *f, const char *name)
{
	char path[112];

	snprintf(path, sizeof(path), "%s/%s", f->admin, name);
	assert_int_equal(unlink(path), 0);
}

static void test_what_can_not_be_told(void **state)
{
	struct fixture *f = *state;

	/* Before dpkg 1.19.1 there was no lock-frontend. */
	remove_lock(f, "lock-frontend");
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
	remove_lock(f, "lock");
	expect_none(f, -ENOENT);
	put(f->admin, "lock", "%s", "");
	assert_int_equal(unlinkat(f->roots.proc, "locks", 0), 0);
	expect_none(f, -ENOENT);
	strcat(f->admin, "/lock");
	expect_none(f, -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UPGRADE_TEST(test_nothing_runs),
		UPGRADE_TEST(test_apt_get_and_dpkg),
		UPGRADE_TEST(test_plain_dpkg),
		UPGRADE_TEST(test_aptitude),
		UPGRADE_TEST(test_frontends_above_frontends),
		UPGRADE_TEST(test_a_loop_of_parents_ends),
		UPGRADE_TEST(test_lines_that_are_no_holder),
		UPGRADE_TEST(test_device_and_name),
		UPGRADE_TEST(test_command_lines_are_printable),
		UPGRADE_TEST(test_many_locks),
		UPGRADE_TEST(test_what_can_not_be_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
