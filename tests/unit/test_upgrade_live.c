/* test_upgrade_live.c - locks and logs that real processes hold, and such as only pretend. */
#include "upgrade_fixture.h"

#include <sched.h>

/* How the child differs from a dpkg that root started on this machine. */
enum disguise { PLAIN, CHROOTED, LOG_OUTSIDE, SOMEBODY, NAMESPACED };

struct child {
	pid_t pid;
	int leave; /* it ends when this is closed */
};

/* Of the user namespace, in which he that began it is called 0. */
static bool become_namespaced(void)
{
	char map[32];
	int len = snprintf(map, sizeof(map), "0 %u 1", getuid()), fd;

	if (unshare(CLONE_NEWUSER) < 0)
		return false;
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, map, (size_t)len) == len;
}

static bool open_log(const char *dir)
{
	char path[112];

	snprintf(path, sizeof(path), "%s/dpkg.log", dir);
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) >= 0;
}

/* Takes the lock of the database `dir`/admin as dpkg does (lib/dpkg/file.c, file_lock()). */
static bool act(const char *dir, enum disguise disguise)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[112];

	if (disguise == LOG_OUTSIDE && !open_log(dir))
		return false;
	if (disguise == SOMEBODY && setuid(65534) < 0)
		return false;
	if (disguise == NAMESPACED && !become_namespaced())
		return false;
	if (disguise == CHROOTED || disguise == LOG_OUTSIDE) {
		snprintf(path, sizeof(path), "%s/c", dir);
		if (chroot(path) < 0 || chdir("/") < 0)
			return false;
		dir = "";
	}
	snprintf(path, sizeof(path), "%s/admin/lock", dir);
	prctl(PR_SET_NAME, "dpkg");
	return fcntl(open(path, O_RDWR | O_CLOEXEC), F_SETLK, &lock) == 0 &&
	       (disguise == LOG_OUTSIDE || disguise == SOMEBODY || open_log(dir));
}

/* A child called "dpkg"; false if it may not do as it should. */
static bool child_start(struct child *c, const char *dir, enum disguise disguise)
{
	int ready[2], leave[2];
	char byte;
	bool ok;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(leave, O_CLOEXEC), 0);
	c->pid = fork();
	assert_true(c->pid >= 0);
	if (!c->pid) {
		close(leave[1]);
		if (!act(dir, disguise) || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(leave[0], &byte, 1) != 0);
	}
	close(ready[1]);
	close(leave[0]);
	ok = read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	c->leave = leave[1];
	if (!ok) {
		close(c->leave);
		waitpid(c->pid, NULL, 0);
	}
	return ok;
}

static void child_end(struct child *c)
{
	int status;

	close(c->leave);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_int_equal(status, 0);
}

static struct roots open_real(void)
{
	struct roots real = {.sys = -1};

	real.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(real.proc >= 0);
	return real;
}

/* The run of that root process; the machine may have others. */
static bool find_run(const struct roots *real, const char *admin, bool only_own, pid_t pid,
                     struct upgrade_run *ret)
{
	struct upgrade_list list;

	assert_int_equal(upgrade_list(real, admin, only_own, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		if (list.runs[i].root == pid) {
			*ret = list.runs[i];
			return true;
		}
	}
	return false;
}

static void needs_root(void)
{
	if (getuid() == 0)
		return;
	print_message("# needs root\n");
	skip();
}

static void test_a_real_lock(void **state)
{
	struct fixture *f = *state;
	struct roots real = open_real();
	struct upgrade_run run;
	struct place host;
	struct child c;
	char log[256], wanted[112];
	bool in_host;

	assert_true(child_start(&c, f->dir, PLAIN));
	assert_true(find_run(&real, f->admin, true, c.pid, &run));
	assert_int_equal(run.dpkg, c.pid);
	assert_true(run.dpkg_start_ticks > 0);
	assert_string_equal(run.frontend, "dpkg");
	assert_non_null(strstr(run.command, "test_upgrade"));
	assert_string_equal(run.where, "");
	assert_int_equal(run.trusted, getuid() == 0);
	/* The process is ours: no root needed. */
	assert_int_equal(place_open_host(&host), 0);
	snprintf(wanted, sizeof(wanted), "%s/dpkg.log", f->dir);
	assert_int_equal(upgrade_log_path(&real, &host, c.pid, log, sizeof(log), &in_host), 0);
	assert_string_equal(log, wanted);
	assert_false(in_host);
	assert_int_equal(upgrade_log_path(&real, &host, c.pid, log, strlen(wanted), &in_host),
	                 -ENAMETOOLONG);
	place_close(&host);
	child_end(&c);
	assert_false(find_run(&real, f->admin, true, c.pid, &run));
	close(real.proc);
}

/* As of another machine: the database is not the one we call our own. */
static void test_a_database_elsewhere(void **state)
{
	struct fixture *f = *state;
	struct roots real = open_real();
	struct upgrade_run run;
	struct child c;
	char own[128], wanted[112];

	snprintf(own, sizeof(own), "%s/own", f->dir);
	assert_int_equal(mkdir(own, 0755), 0);
	put(own, "lock", "%s", "");
	assert_true(child_start(&c, f->dir, PLAIN));
	assert_false(find_run(&real, own, true, c.pid, &run));
	assert_true(find_run(&real, own, false, c.pid, &run));
	assert_int_equal(run.dpkg, c.pid);
	snprintf(wanted, sizeof(wanted), "%s/admin", f->dir);
	assert_string_equal(run.where, wanted);
	child_end(&c);
	close(real.proc);
}

static void expect_chroot(struct fixture *f, enum disguise disguise, const char *log,
                          bool log_in_host)
{
	struct roots real = open_real();
	struct upgrade_run run;
	struct place place;
	struct child c;
	char path[256], root[112];
	bool in_host;

	snprintf(root, sizeof(root), "%s/c", f->dir);
	assert_true(child_start(&c, f->dir, disguise));
	assert_true(find_run(&real, "/var/lib/dpkg", false, c.pid, &run));
	assert_int_equal(run.dpkg, c.pid);
	assert_string_equal(run.where, root);
	assert_true(run.trusted);
	assert_int_equal(place_open_process(&place, &real, c.pid), 0);
	assert_int_equal(upgrade_log_path(&real, &place, c.pid, path, sizeof(path), &in_host), 0);
	assert_string_equal(path, log);
	assert_int_equal(in_host, log_in_host);
	place_close(&place);
	child_end(&c);
	close(real.proc);
}

static void test_a_chroot(void **state)
{
	struct fixture *f = *state;
	char log[112], lock[112];

	needs_root();
	make_file(f, "c/admin/lock", lock, sizeof(lock));
	expect_chroot(f, CHROOTED, "/dpkg.log", false);
	snprintf(log, sizeof(log), "%s/dpkg.log", f->dir);
	expect_chroot(f, LOG_OUTSIDE, log, true);
}

static void test_somebody_who_pretends(void **state)
{
	struct fixture *f = *state;
	struct roots real = open_real();
	struct upgrade_run run;
	struct child c;
	char path[112];

	needs_root();
	snprintf(path, sizeof(path), "%s/lock", f->admin);
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(chown(path, 65534, -1), 0);
	assert_true(child_start(&c, f->dir, SOMEBODY));
	assert_true(find_run(&real, "/var/lib/dpkg", false, c.pid, &run));
	assert_int_equal(run.dpkg, c.pid);
	assert_false(run.trusted);
	/* Nor if root's own file were left open to him. */
	assert_int_equal(chown(path, 0, -1), 0);
	assert_true(find_run(&real, "/var/lib/dpkg", false, c.pid, &run));
	assert_false(run.trusted);
	assert_true(find_run(&real, f->admin, false, c.pid, &run));
	assert_false(run.trusted);
	child_end(&c);
	close(real.proc);
}

static void test_root_of_another_namespace(void **state)
{
	struct fixture *f = *state;
	struct roots real = open_real();
	struct upgrade_run run;
	struct child c;

	if (!child_start(&c, f->dir, NAMESPACED)) {
		close(real.proc);
		print_message("# user namespaces are not allowed\n");
		skip();
	}
	assert_true(find_run(&real, f->admin, false, c.pid, &run));
	assert_false(run.trusted);
	child_end(&c);
	close(real.proc);
}

static void test_log_among_descriptors(void **state)
{
	struct fixture *f = *state;
	char log[112], other[112], ret[256] = "before";
	struct place host;
	bool in_host = true;

	assert_int_equal(place_open_host(&host), 0);
	assert_int_equal(upgrade_log_path(&f->roots, &host, 300, ret, sizeof(ret), &in_host),
	                 -ENOENT);
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	snprintf(log, sizeof(log), "%s/some.log", f->dir);
	snprintf(other, sizeof(other), "%s/some.txt", f->dir);
	put(f->dir, "some.log", "%s", "");
	put(f->dir, "some.txt", "%s", "");
	assert_int_equal(mkdirat(f->roots.proc, "dir.log", 0755), 0);
	add_descriptor(f, 300, 0, "/dev/null", "flags:\t0102002\n");
	/* What apt was redirected to. */
	add_descriptor(f, 300, 1, log, "flags:\t0102001\n");
	add_descriptor(f, 300, 3, other, "flags:\t0102001\n");
	add_descriptor(f, 300, 4, log, "flags:\t0100001\n");
	snprintf(other, sizeof(other), "%s/dir.log", f->proc);
	add_descriptor(f, 300, 5, other, "flags:\t0102001\n");
	add_descriptor(f, 300, 7, "pipe:[1234].log", "flags:\t0102001\n");
	add_descriptor(f, 300, 8, "/nonexistent/dpkg.log", "flags:\t0102001\n");
	assert_int_equal(upgrade_log_path(&f->roots, &host, 300, ret, sizeof(ret), &in_host),
	                 -ENOENT);
	assert_string_equal(ret, "before");
	assert_true(in_host);
	add_descriptor(f, 300, 6, log, "flags:\t0102001\n");
	assert_int_equal(upgrade_log_path(&f->roots, &host, 300, ret, sizeof(ret), &in_host), 0);
	assert_string_equal(ret, log);
	assert_false(in_host);
	place_close(&host);
}

/* In its root the log's name is another file's, a link out of it, a FIFO. */
static void test_log_that_is_not_what_it_says(void **state)
{
	struct fixture *f = *state;
	char log[200], root[112], inner[200], ret[256];
	struct place place;
	bool in_host;

	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	make_file(f, "dpkg.log", log, sizeof(log));
	make_file(f, "c/x.log", inner, sizeof(inner));
	snprintf(root, sizeof(root), "%s/c", f->dir);
	add_link(f, 300, "root", root);
	place = (struct place){.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	assert_true(place.root >= 0);
	add_descriptor(f, 300, 4, inner, "flags:\t0102001\n");
	assert_int_equal(upgrade_log_path(&f->roots, &place, 300, ret, sizeof(ret), &in_host), 0);
	assert_string_equal(ret, "/x.log");
	assert_false(in_host);
	assert_int_equal(unlink(inner), 0);
	assert_int_equal(symlink(log, inner), 0);
	/* The descriptor of the fixture follows the link, to this machine's file: by the name
	 * inside, it is not there; by the same name outside, it is. */
	assert_int_equal(upgrade_log_path(&f->roots, &place, 300, ret, sizeof(ret), &in_host), 0);
	assert_string_equal(ret, inner);
	assert_true(in_host);
	assert_int_equal(unlink(inner), 0);
	assert_int_equal(mkfifo(inner, 0644), 0);
	assert_int_equal(upgrade_log_path(&f->roots, &place, 300, ret, sizeof(ret), &in_host),
	                 -ENOENT);
	close(place.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UPGRADE_TEST(test_a_real_lock),
		UPGRADE_TEST(test_a_database_elsewhere),
		UPGRADE_TEST(test_a_chroot),
		UPGRADE_TEST(test_somebody_who_pretends),
		UPGRADE_TEST(test_root_of_another_namespace),
		UPGRADE_TEST(test_log_among_descriptors),
		UPGRADE_TEST(test_log_that_is_not_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
