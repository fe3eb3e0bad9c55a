/* test_upgrade_live.c - a lock and a log that a real process holds; the log among descriptors. */
#include "upgrade_fixture.h"

/* A child called "dpkg" that takes the lock as dpkg does (lib/dpkg/file.c, file_lock()). */
static pid_t lock_in_child(struct fixture *f, int *ret_leave)
{
	int ready[2], leave[2];
	char path[112], byte;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/lock", f->admin);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(leave, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		char log[112];
		int fd = open(path, O_RDWR | O_CLOEXEC);

		snprintf(log, sizeof(log), "%s/dpkg.log", f->dir);
		close(leave[1]);
		prctl(PR_SET_NAME, "dpkg");
		if (open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) < 0 ||
		    fcntl(fd, F_SETLK, &lock) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(leave[0], &byte, 1) != 0);
	}
	close(ready[1]);
	close(leave[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_leave = leave[1];
	return pid;
}

static void test_a_real_lock(void **state)
{
	struct fixture *f = *state;
	struct roots real = {.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	char log[256], wanted[112];
	struct upgrade_run run;
	int leave, status;
	pid_t pid;

	assert_true(real.proc >= 0);
	assert_int_equal(upgrade_find(&real, f->admin, &run), 0);
	pid = lock_in_child(f, &leave);
	assert_int_equal(upgrade_find(&real, f->admin, &run), 1);
	assert_int_equal(run.dpkg, pid);
	assert_int_equal(run.root, pid);
	assert_true(run.dpkg_start_ticks > 0);
	assert_string_equal(run.frontend, "dpkg");
	assert_non_null(strstr(run.command, "test_upgrade"));
	/* The process is ours: no root needed. */
	snprintf(wanted, sizeof(wanted), "%s/dpkg.log", f->dir);
	assert_int_equal(upgrade_log_path(&real, pid, log, sizeof(log)), 0);
	assert_string_equal(log, wanted);
	assert_int_equal(upgrade_log_path(&real, pid, log, strlen(wanted)), -ENAMETOOLONG);
	close(leave);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(upgrade_find(&real, f->admin, &run), 0);
	close(real.proc);
}

static void add_descriptor(struct fixture *f, int fd, const char *target, const char *flags)
{
	char path[112], name[16];

	snprintf(path, sizeof(path), "%s/300/fd/%d", f->proc, fd);
	assert_int_equal(symlink(target, path), 0);
	snprintf(path, sizeof(path), "%s/300/fdinfo", f->proc);
	snprintf(name, sizeof(name), "%d", fd);
	put(path, name, "pos:\t0\nflags:\t%s\nmnt_id:\t29\nino:\t1\n", flags);
}

static void test_log_path(void **state)
{
	struct fixture *f = *state;
	char log[112], other[112], ret[256] = "before";

	assert_int_equal(upgrade_log_path(&f->roots, 300, ret, sizeof(ret)), -ENOENT);
	add_process(f, 300, 1, "dpkg", "dpkg -i a.deb");
	assert_int_equal(upgrade_log_path(&f->roots, 300, ret, sizeof(ret)), -ENOENT);
	assert_int_equal(mkdirat(f->roots.proc, "300/fd", 0755), 0);
	assert_int_equal(mkdirat(f->roots.proc, "300/fdinfo", 0755), 0);
	snprintf(log, sizeof(log), "%s/some.log", f->dir);
	snprintf(other, sizeof(other), "%s/some.txt", f->dir);
	put(f->dir, "some.log", "%s", "");
	put(f->dir, "some.txt", "%s", "");
	assert_int_equal(mkdirat(f->roots.proc, "dir.log", 0755), 0);
	add_descriptor(f, 0, "/dev/null", "0102002");
	add_descriptor(f, 1, "pipe:[1234].log", "0102001");
	add_descriptor(f, 2, "/nonexistent/dpkg.log", "0102001");
	add_descriptor(f, 3, other, "0102001");
	add_descriptor(f, 4, log, "0100001");
	snprintf(other, sizeof(other), "%s/dir.log", f->proc);
	add_descriptor(f, 5, other, "0102001");
	assert_int_equal(upgrade_log_path(&f->roots, 300, ret, sizeof(ret)), -ENOENT);
	assert_string_equal(ret, "before");
	/* What apt was redirected to. */
	unlinkat(f->roots.proc, "300/fd/1", 0);
	add_descriptor(f, 1, log, "0102001");
	assert_int_equal(upgrade_log_path(&f->roots, 300, ret, sizeof(ret)), -ENOENT);
	add_descriptor(f, 6, log, "0102001");
	assert_int_equal(upgrade_log_path(&f->roots, 300, ret, sizeof(ret)), 0);
	assert_string_equal(ret, log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UPGRADE_TEST(test_a_real_lock),
		UPGRADE_TEST(test_log_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
