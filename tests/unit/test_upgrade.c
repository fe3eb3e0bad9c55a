/* test_upgrade.c - which upgrades are running on this machine's own database, by a fake /proc. */
#include "upgrade_fixture.h"

/* The only one there is. */
static struct upgrade_run expect_one(struct fixture *f)
{
	struct upgrade_list list;

	memset(&list, 0x55, sizeof(list));
	assert_int_equal(upgrade_list(&f->roots, f->admin, false, &list), 0);
	assert_int_equal(list.count, 1);
	assert_false(list.more);
	return list.runs[0];
}

static void expect(struct fixture *f, int dpkg, int root, const char *frontend, const char *command,
                   const char *dpkg_command)
{
	struct upgrade_run run = expect_one(f);

	assert_int_equal(run.dpkg, dpkg);
	assert_int_equal(run.dpkg_start_ticks, dpkg * 10);
	assert_int_equal(run.root, root);
	assert_int_equal(run.root_start_ticks, root * 10);
	assert_string_equal(run.frontend, frontend);
	assert_string_equal(run.command, command);
	assert_string_equal(run.dpkg_command, dpkg_command);
	assert_string_equal(run.where, "");
	/* The lock files are the tester's. */
	assert_int_equal(run.trusted, getuid() == 0);
}

static void expect_none(struct fixture *f)
{
	struct upgrade_list list;

	memset(&list, 0x55, sizeof(list));
	assert_int_equal(upgrade_list(&f->roots, f->admin, false, &list), 0);
	assert_int_equal(list.count, 0);
	assert_false(list.more);
}

static void expect_failure(struct fixture *f, int r)
{
	struct upgrade_list list, before;

	memset(&list, 0x55, sizeof(list));
	before = list;
	assert_int_equal(upgrade_list(&f->roots, f->admin, true, &list), r);
	assert_memory_equal(&list, &before, sizeof(list));
}

static void test_nothing_runs(void **state)
{
	struct fixture *f = *state;

	expect_none(f);
	/* A dpkg helper of nobody's holds no lock, and other locks are other files. */
	add_process(f, 300, 1, "dpkg", "dpkg --print-architecture");
	put(f->proc, "locks", "1: " HELD " 300 00:2b:1 0 EOF\n");
	expect_none(f);
}

static void empty_locks(struct fixture *f)
{
	put(f->proc, "locks.new", "2: FLOCK  ADVISORY  WRITE 77 00:17:1234 0 EOF\n");
	assert_int_equal(renameat(f->roots.proc, "locks.new", f->roots.proc, "locks"), 0);
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
	empty_locks(f);
	/* Between two dpkgs. */
	add_lock(f, HELD, 200, &f->frontend);
	expect(f, 0, 200, "apt-get", "apt-get install a", "");
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 200, "apt-get", "apt-get install a", "/usr/bin/dpkg --unpack a.deb");
	assert_false(expect_one(f).resident);
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
	assert_true(expect_one(f).resident);
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

static void set_status(struct fixture *f, int pid, unsigned int real, unsigned int effective)
{
	char path[112];

	snprintf(path, sizeof(path), "%d/status", pid);
	assert_int_equal(unlinkat(f->roots.proc, path, 0), 0);
	put(f->proc, path, "Name:\tUid: 0 0\nUid:\t%u\t%u\t%u\t%u\nGid:\t0\t0\t0\t0\n", real,
	    effective, effective, effective);
}

static void test_climbing_keeps_to_its_like(void **state)
{
	struct fixture *f = *state;

	/* sudo may have made way for what it started. */
	add_process(f, 200, 1, "apt-get", "/home/eve/apt-get");
	set_status(f, 200, 1000, 1000);
	add_process(f, 300, 200, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &f->lock);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
}

static void test_pids_used_again(void **state)
{
	struct fixture *f = *state;

	/* A parent that began after its child is none; nor does a loop of parents go on. */
	add_process(f, 200, 300, "dpkg", "dpkg a");
	add_process(f, 300, 200, "dpkg", "dpkg b");
	add_process(f, 250, 300, "dpkg", "dpkg c");
	add_lock(f, HELD, 250, &f->lock);
	expect(f, 250, 250, "dpkg", "dpkg c", "dpkg c");
	empty_locks(f);
	/* By the time we look, the holder's number is that of one who has no lock open. */
	add_process(f, 400, 1, "cron", "cron -f");
	add_descriptor(f, 400, 3, "/run/crond.pid", "flags:\t0100002\n");
	add_lock(f, HELD, 400, &f->lock);
	expect_none(f);
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
	/* Held in another pid namespace, by a process that is gone, on a part of the file. */
	add_lock(f, HELD, 0, &f->lock);
	add_lock(f, HELD, -1, &f->lock);
	add_lock(f, HELD, 400, &f->lock);
	put(f->proc, "locks", "1: " HELD " 300 %02x:%02x:%" PRIu64 " 0 9\n", major(f->lock.st_dev),
	    minor(f->lock.st_dev), (uint64_t)f->lock.st_ino);
	put(f->proc, "locks", "garbage\n1: POSIX\n\n1: " HELD " 300 zz:zz:1 0 EOF\n");
	expect_none(f);
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
	expect_none(f);
	/* btrfs shows another device than stat(2). */
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &btrfs);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
	empty_locks(f);
	/* A frontend that nobody has heard of, on the very file. */
	add_process(f, 240, 1, "newapt (x) y", "newapt go");
	add_lock(f, HELD, 240, &f->frontend);
	expect(f, 0, 240, "newapt (x) y", "newapt go", "");
}

static void test_device_by_descriptor(void **state)
{
	struct fixture *f = *state;
	struct stat btrfs = f->lock, elsewhere;
	char path[112], other[112];

	btrfs.st_dev = makedev(0, 0xabcd);
	snprintf(path, sizeof(path), "%s/lock", f->admin);
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	add_foreign_lock(f, 300, 4, path, &btrfs);
	expect(f, 300, 300, "dpkg", "dpkg -i a.deb", "dpkg -i a.deb");
	empty_locks(f);
	/* A clone of this machine's filesystem: the inode's number is the same. */
	elsewhere = make_file(f, "clone/var/lib/dpkg/lock", other, sizeof(other));
	add_process(f, 310, 1, "dpkg", "dpkg -i b.deb");
	add_foreign_lock(f, 310, 4, other, &btrfs);
	assert_true(elsewhere.st_ino != f->lock.st_ino);
	assert_string_not_equal(expect_one(f).where, "");
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

/* A process that has the lock file locked until its pipe is closed. */
static int hold(struct fixture *f, int *ret_end)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[112], byte;
	int ends[2], ready[2], pid;

	snprintf(path, sizeof(path), "%s/lock", f->admin);
	assert_int_equal(pipe(ends) | pipe(ready), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (fcntl(open(path, O_RDWR | O_CLOEXEC), F_SETLK, &whole) < 0 ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		_exit((int)read(ends[0], &byte, 1));
	}
	close(ends[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_end = ends[1];
	return pid;
}

/* As anybody can make it: 7 MB of locks on parts of a file. */
static void test_a_list_without_end(void **state)
{
	struct fixture *f = *state;
	struct upgrade_list list;
	char path[112];
	int end, pid = hold(f, &end), status;
	FILE *out;

	add_process(f, pid, 1, "dpkg", "dpkg -i a.deb");
	snprintf(path, sizeof(path), "%s/locks", f->proc);
	out = fopen(path, "we");
	assert_non_null(out);
	for (int i = 0; i < 120000; i++)
		fprintf(out, "%d: " HELD " 77 00:17:123456 %d %d\n", i, 2 * i, 2 * i);
	fclose(out);
	add_lock(f, HELD, pid, &f->lock);
	assert_int_equal(upgrade_list(&f->roots, f->admin, false, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.runs[0].dpkg, pid);
	assert_true(list.more);
	close(end);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(upgrade_list(&f->roots, f->admin, false, &list), 0);
	assert_int_equal(list.count, 0);
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
	expect_failure(f, -ENOENT);
	put(f->admin, "lock", "%s", "");
	assert_int_equal(unlinkat(f->roots.proc, "locks", 0), 0);
	expect_failure(f, -ENOENT);
	strcat(f->admin, "/lock");
	expect_failure(f, -ENOTDIR);
}

static void test_who_is_trusted(void **state)
{
	static const struct {
		unsigned int real, effective;
	} others[] = {{1000, 1000}, {1000, 0}, {0, 1000}};
	struct fixture *f = *state;
	char path[112];

	if (getuid() != 0) {
		print_message("# needs root: the lock files are not root's\n");
		skip();
	}
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	add_lock(f, HELD, 300, &f->lock);
	assert_true(expect_one(f).trusted);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		set_status(f, 300, others[i].real, others[i].effective);
		assert_false(expect_one(f).trusted);
	}
	set_status(f, 300, 0, 0);
	assert_true(expect_one(f).trusted);
	/* root of a namespace in which 1000 is called 0 */
	assert_int_equal(unlinkat(f->roots.proc, "300/uid_map", 0), 0);
	assert_false(expect_one(f).trusted);
	put(f->proc, "300/uid_map", "         0       1000          1\n");
	assert_false(expect_one(f).trusted);
	/* A kernel without user namespaces. */
	assert_int_equal(unlinkat(f->roots.proc, "self/uid_map", 0), 0);
	assert_true(expect_one(f).trusted);
	/* Somebody else's database. */
	snprintf(path, sizeof(path), "%s/lock", f->admin);
	assert_int_equal(chown(path, 65534, -1), 0);
	assert_false(expect_one(f).trusted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UPGRADE_TEST(test_nothing_runs),
		UPGRADE_TEST(test_apt_get_and_dpkg),
		UPGRADE_TEST(test_plain_dpkg),
		UPGRADE_TEST(test_aptitude),
		UPGRADE_TEST(test_frontends_above_frontends),
		UPGRADE_TEST(test_climbing_keeps_to_its_like),
		UPGRADE_TEST(test_pids_used_again),
		UPGRADE_TEST(test_lines_that_are_no_holder),
		UPGRADE_TEST(test_device_and_name),
		UPGRADE_TEST(test_device_by_descriptor),
		UPGRADE_TEST(test_command_lines_are_printable),
		UPGRADE_TEST(test_many_locks),
		UPGRADE_TEST(test_a_list_without_end),
		UPGRADE_TEST(test_what_can_not_be_told),
		UPGRADE_TEST(test_who_is_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
