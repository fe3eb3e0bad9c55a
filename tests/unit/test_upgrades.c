/* test_upgrades.c - several upgrades at once, in this machine's root and in others. */
#include "upgrade_fixture.h"

static struct upgrade_list list_all(struct fixture *f, size_t count)
{
	struct upgrade_list list;

	memset(&list, 0x55, sizeof(list));
	assert_int_equal(upgrade_list(&f->roots, f->admin, false, &list), 0);
	assert_int_equal(list.count, count);
	return list;
}

/* A dpkg in the chroot `name` below the fixture. */
static void add_chroot(struct fixture *f, const char *name, int pid, int parent)
{
	char path[200], file[64], root[200];
	struct stat st;

	snprintf(file, sizeof(file), "%s/var/lib/dpkg/lock", name);
	st = make_file(f, file, path, sizeof(path));
	add_process(f, pid, parent, "dpkg", "dpkg --force-depends --install b.deb");
	add_foreign_lock(f, pid, 4, path, &st);
	snprintf(root, sizeof(root), "%s/%s", f->dir, name);
	add_link(f, pid, "root", root);
}

static void test_host_and_chroot(void **state)
{
	struct fixture *f = *state;
	struct upgrade_list list;
	char root[200];

	/* The chroot's began first. */
	add_process(f, 200, 1, "debootstrap", "/bin/sh /usr/sbin/debootstrap sid x");
	add_link(f, 200, "root", "/");
	add_chroot(f, "sid", 310, 200);
	add_process(f, 220, 1, "apt-get", "apt-get upgrade");
	add_link(f, 220, "root", "/");
	add_process(f, 300, 220, "dpkg", "dpkg --unpack a.deb");
	add_link(f, 300, "root", "/");
	add_lock(f, HELD, 220, &f->frontend);
	add_lock(f, HELD, 300, &f->lock);
	list = list_all(f, 2);
	assert_false(list.more);
	assert_int_equal(list.runs[0].root, 200);
	assert_int_equal(list.runs[0].dpkg, 310);
	assert_string_equal(list.runs[0].frontend, "debootstrap");
	snprintf(root, sizeof(root), "%s/sid", f->dir);
	assert_string_equal(list.runs[0].where, root);
	assert_int_equal(list.runs[0].trusted, getuid() == 0);
	assert_int_equal(list.runs[1].root, 220);
	assert_int_equal(list.runs[1].dpkg, 300);
	assert_string_equal(list.runs[1].where, "");
	/* Our own alone. */
	assert_int_equal(upgrade_list(&f->roots, f->admin, true, &list), 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.runs[0].root, 220);
	/* A machine without dpkg. */
	strcat(f->admin, "/none");
	if (getuid() == 0)
		assert_int_equal(list_all(f, 1).runs[0].root, 200);
	else
		assert_int_equal(upgrade_list(&f->roots, f->admin, false, &list), -ENOENT);
}

static void test_apt_in_a_chroot(void **state)
{
	struct fixture *f = *state;
	struct upgrade_list list;
	char path[200], root[200];
	struct stat st = make_file(f, "c/var/lib/dpkg/lock-frontend", path, sizeof(path));

	add_process(f, 200, 1, "apt", "apt full-upgrade");
	add_foreign_lock(f, 200, 4, path, &st);
	snprintf(root, sizeof(root), "%s/c", f->dir);
	add_link(f, 200, "root", root);
	list = list_all(f, 1);
	assert_int_equal(list.runs[0].dpkg, 0);
	assert_string_equal(list.runs[0].where, root);
	add_chroot(f, "c", 300, 200);
	list = list_all(f, 1);
	assert_int_equal(list.runs[0].dpkg, 300);
	assert_int_equal(list.runs[0].root, 200);
}

static void test_locks_that_are_not_dpkgs(void **state)
{
	static const char *const names[] = {
		"c/var/lib/apt/lists/lock",
		"c/var/cache/apt/archives/lock",
		"c/var/lib/dpkg/triggers/xl",
		"c/srv/blocklock",
	};
	struct fixture *f = *state;
	char path[200];
	struct stat st;

	/* apt-get update */
	add_process(f, 200, 1, "apt-get", "apt-get update");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		st = make_file(f, names[i], path, sizeof(path));
		add_foreign_lock(f, 200, 4 + (int)i, path, &st);
	}
	/* dpkg's lock open, and a lock of its own on another file. */
	add_process(f, 300, 1, "dpkg", "dpkg -V");
	st = make_file(f, "c/var/lib/dpkg/lock", path, sizeof(path));
	add_descriptor(f, 300, 3, path, "flags:\t0100002\n");
	st.st_ino = 1;
	add_lock(f, HELD, 300, &st);
	/* Not by a program that upgrades. */
	add_process(f, 400, 1, "backup", "backup");
	st = make_file(f, "c/var/lib/dpkg/lock", path, sizeof(path));
	add_foreign_lock(f, 400, 4, path, &st);
	list_all(f, 0);
	add_process(f, 500, 1, "apt-get", "apt-get upgrade");
	add_foreign_lock(f, 500, 9, path, &st);
	assert_int_equal(list_all(f, 1).runs[0].root, 500);
}

static void test_where(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char path[200], root[200];

	/* dpkg --root=X works from outside. */
	st = make_file(f, "x/var/lib/dpkg/lock", path, sizeof(path));
	add_process(f, 300, 1, "dpkg", "dpkg --root=x -i a.deb");
	add_link(f, 300, "root", "/");
	add_foreign_lock(f, 300, 4, path, &st);
	snprintf(root, sizeof(root), "%s/x", f->dir);
	assert_string_equal(list_all(f, 1).runs[0].where, root);
	/* Without leave to see it, and with another process' name for it. */
	assert_int_equal(unlinkat(f->roots.proc, "300/root", 0), 0);
	assert_string_equal(list_all(f, 1).runs[0].where, "?");
	snprintf(root, sizeof(root), "%s/\033]0;x\a", f->dir);
	assert_int_equal(mkdir(root, 0755), 0);
	add_link(f, 300, "root", root);
	snprintf(root, sizeof(root), "%s/?]0;x?", f->dir);
	assert_string_equal(list_all(f, 1).runs[0].where, root);
}

static void test_foreign_log_of_somebody(void **state)
{
	struct fixture *f = *state;
	char path[200];

	if (getuid() != 0) {
		print_message("# needs root: the lock file is not root's\n");
		skip();
	}
	add_chroot(f, "c", 300, 1);
	make_file(f, "c/var/log/dpkg.log", path, sizeof(path));
	add_descriptor(f, 300, 5, path, "flags:\t0102001\n");
	assert_true(list_all(f, 1).runs[0].trusted);
	assert_int_equal(chown(path, 65534, -1), 0);
	assert_false(list_all(f, 1).runs[0].trusted);
}

static void test_too_many(void **state)
{
	struct fixture *f = *state;
	struct upgrade_list list;
	char name[16], path[112];

	for (int i = 0; i < UPGRADES_MAX + 4; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		add_chroot(f, name, 300 - i, 1);
	}
	/* Of all, this one began last, and its lock is the last in the list. */
	add_process(f, 400, 1, "apt-get", "apt-get upgrade");
	add_lock(f, HELD, 400, &f->frontend);
	list = list_all(f, UPGRADES_MAX);
	assert_true(list.more);
	for (size_t i = 1; i < list.count; i++)
		assert_true(list.runs[i - 1].root_start_ticks < list.runs[i].root_start_ticks);
	assert_int_equal(list.runs[UPGRADES_MAX - 1].root, 400);
	if (getuid() != 0)
		return;
	/* One that is root's takes the place of one that is not, not the other way round. */
	for (int i = 0; i < UPGRADES_MAX + 3; i++) {
		snprintf(path, sizeof(path), "%s/c%d/var/lib/dpkg/lock", f->dir, i);
		assert_int_equal(chown(path, 65534, -1), 0);
	}
	list = list_all(f, UPGRADES_MAX);
	assert_true(list.more);
	assert_int_equal(list.runs[0].trusted + list.runs[UPGRADES_MAX - 1].trusted, 2);
	assert_int_equal(list.runs[0].root, 300 - (UPGRADES_MAX + 3));
}

static void test_a_crowd_of_strangers(void **state)
{
	struct fixture *f = *state;
	struct upgrade_list list;
	char path[200];

	if (getuid() != 0) {
		print_message("# needs root, to be told from strangers\n");
		skip();
	}
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "c%d", i);
		add_chroot(f, name, 1000 + i, 1);
		snprintf(path, sizeof(path), "%s/%d", f->proc, 1000 + i);
		assert_int_equal(chown(path, 65534, -1), 0);
		put(path, "uid_map", "x");
	}
	add_chroot(f, "real", 2000, 1);
	list = list_all(f, UPGRADES_MAX);
	assert_true(list.more);
	assert_int_equal(list.runs[UPGRADES_MAX - 1].root, 2000);
	assert_true(list.runs[UPGRADES_MAX - 1].trusted);
	assert_false(list.runs[0].trusted);
}

static void test_strangers_with_much_open(void **state)
{
	struct fixture *f = *state;
	struct upgrade_list list;
	char path[200];

	if (getuid() != 0) {
		print_message("# needs root, to be told from strangers\n");
		skip();
	}
	add_chroot(f, "c0", 1000, 1);
	for (int i = 0; i < 300; i++)
		add_descriptor(f, 1000, 10 + i, "/dev/null", "flags:\t0100002\n");
	/* Whatever the order is in which they are shown. */
	snprintf(path, sizeof(path), "%s/1000/fd/4", f->proc);
	assert_int_equal(unlink(path), 0);
	add_chroot(f, "c1", 1001, 1);
	for (int pid = 1000; pid <= 1001; pid++) {
		snprintf(path, sizeof(path), "%s/%d", f->proc, pid);
		assert_int_equal(chown(path, 65534, -1), 0);
	}
	add_chroot(f, "real", 2000, 1);
	list = list_all(f, 1);
	assert_true(list.more);
	assert_int_equal(list.runs[0].root, 2000);
	/* root's are looked at to their end. */
	snprintf(path, sizeof(path), "%s/1000", f->proc);
	assert_int_equal(chown(path, 0, -1), 0);
	list = list_all(f, 2);
	assert_false(list.more);
	assert_int_equal(list.runs[0].root, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UPGRADE_TEST(test_host_and_chroot),
		UPGRADE_TEST(test_apt_in_a_chroot),
		UPGRADE_TEST(test_locks_that_are_not_dpkgs),
		UPGRADE_TEST(test_where),
		UPGRADE_TEST(test_foreign_log_of_somebody),
		UPGRADE_TEST(test_too_many),
		UPGRADE_TEST(test_a_crowd_of_strangers),
		UPGRADE_TEST(test_strangers_with_much_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
