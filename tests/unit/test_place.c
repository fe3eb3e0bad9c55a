/* test_place.c - files below a root that may be hostile. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/place.h"

/* A foreign root, and beside it a file that no path inside may lead to. */
struct fixture {
	char dir[64], root[80], secret[80];
	struct place place;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	strcpy(f->dir, "/tmp/place-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->root, sizeof(f->root), "%s/root", f->dir);
	snprintf(f->secret, sizeof(f->secret), "%s/secret", f->dir);
	if (mkdir(f->root, 0755) < 0)
		return -1;
	fd = open(f->secret, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "secret", 6) != 6 || close(fd) < 0)
		return -1;
	f->place.root = open(f->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*state = f;
	return f->place.root < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	place_close(&f->place);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	if (system(command) != 0)
		return -1;
	free(f);
	return 0;
}

/* The path of `name` from outside. */
static const char *outside(const struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	return path;
}

static void put(const struct fixture *f, const char *name, const char *text)
{
	int fd = open(outside(f, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void link_to(const struct fixture *f, const char *target, const char *name)
{
	assert_int_equal(symlink(target, outside(f, name)), 0);
}

static void expect_text(const struct place *p, const char *path, const char *text)
{
	char *read = NULL;
	size_t len = 0;
	bool cut = true;

	assert_int_equal(place_read_end(p, path, 4096, &read, &len, &cut), 0);
	assert_string_equal(read, text);
	assert_int_equal(len, strlen(text));
	assert_false(cut);
	free(read);
}

static void expect_none(const struct fixture *f, const char *path, int why)
{
	struct stat st = {.st_ino = 1};

	assert_int_equal(place_open(&f->place, path, &st), why);
	assert_int_equal(st.st_ino, 1);
}

static void test_a_file(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	int fd;

	put(f, "a", "text");
	expect_text(&f->place, "/a", "text");
	fd = place_open(&f->place, "/a", &st);
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK), O_RDONLY | O_NONBLOCK);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	put(f, "empty", "");
	expect_text(&f->place, "/empty", "");
	expect_none(f, "/b", -ENOENT);
	expect_none(f, "/a/b", -ENOTDIR);
	expect_none(f, "", -ENOENT);
	assert_int_equal(place_open(&(struct place){.root = -1}, f->secret, NULL), -EBADF);
}

static void test_links_stay_inside(void **state)
{
	struct fixture *f = *state;
	char up[160];

	link_to(f, "/etc/passwd", "absolute");
	expect_none(f, "/absolute", -ENOENT);
	assert_int_equal(mkdir(outside(f, "etc"), 0755), 0);
	put(f, "etc/passwd", "inside");
	expect_text(&f->place, "/absolute", "inside");
	link_to(f, f->secret, "secret");
	expect_none(f, "/secret", -ENOENT);
	snprintf(up, sizeof(up), "../../../../../..%s", f->secret);
	link_to(f, up, "up");
	expect_none(f, "/up", -ENOENT);
	expect_none(f, "/../secret", -ENOENT);
	expect_none(f, "/../../../../etc/hostname", -ENOENT);
	link_to(f, "../../etc/passwd", "etc/up");
	expect_text(&f->place, "/etc/up", "inside");
	link_to(f, f->dir, "directory");
	expect_none(f, "/directory/secret", -ENOENT);
	assert_int_equal(place_open_directory(&f->place, "/directory"), -ENOENT);
	link_to(f, "loop", "loop");
	expect_none(f, "/loop", -ELOOP);
}

static void test_directories(void **state)
{
	struct fixture *f = *state;
	char self[32], target[256];
	ssize_t len;
	int fd;

	assert_int_equal(mkdir(outside(f, "var"), 0755), 0);
	put(f, "a", "");
	expect_none(f, "/var", -EINVAL);
	expect_none(f, "/", -EINVAL);
	assert_int_equal(place_open_directory(&f->place, "/a"), -ENOTDIR);
	link_to(f, "/var", "link");
	fd = place_open_directory(&f->place, "/link");
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFL) & O_PATH);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	len = readlink(self, target, sizeof(target) - 1);
	assert_true(len > 0);
	target[len] = '\0';
	assert_string_equal(target, outside(f, "var"));
	close(fd);
}

/* --- what must never be opened --------------------------------------------------------------- */

/* An inotify descriptor that tells of each opening (those by O_PATH are none). */
static int watch_openings(const char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	return fd;
}

static void expect_no_opening(int watch)
{
	char buf[4096];

	assert_int_equal(read(watch, buf, sizeof(buf)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
}

static void test_openings_are_seen(void **state)
{
	struct fixture *f = *state;
	char buf[4096];
	int fd, watch;

	put(f, "a", "");
	watch = watch_openings(outside(f, "a"));
	fd = place_open(&f->place, "/a", NULL);
	assert_true(fd >= 0);
	close(fd);
	assert_true(read(watch, buf, sizeof(buf)) > 0);
	close(watch);
}

static void test_fifo(void **state)
{
	struct fixture *f = *state;
	int watch;

	assert_int_equal(mkfifo(outside(f, "fifo"), 0666), 0);
	watch = watch_openings(outside(f, "fifo"));
	for (int i = 0; i < 100; i++) {
		expect_none(f, "/fifo", -EINVAL);
		/* Nobody reads: a writer would know. */
		assert_int_equal(open(outside(f, "fifo"), O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
		assert_int_equal(errno, ENXIO);
	}
	expect_no_opening(watch);
}

/* A name that is a file at one moment and a FIFO at the next. */
static void test_fifo_and_file_change_places(void **state)
{
	struct fixture *f = *state;
	char a[128], b[128];
	int watch, files = 0, fifos = 0;
	pid_t swapper;

	put(f, "a", "file");
	assert_int_equal(mkfifo(outside(f, "b"), 0666), 0);
	strcpy(a, outside(f, "a"));
	strcpy(b, outside(f, "b"));
	watch = watch_openings(b);
	swapper = fork();
	if (!swapper) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
	}
	assert_true(swapper > 0);
	/* 1000 times, and on until both were met; a test that hangs is ended by alarm(2). */
	alarm(60);
	for (int i = 0; i < 1000 || !files || !fifos; i++) {
		int fd = place_open(&f->place, "/a", NULL);
		struct stat st;

		fifos += fd == -EINVAL;
		if (fd < 0) {
			assert_true(fd == -EINVAL || fd == -EAGAIN || fd == -ENOENT);
			continue;
		}
		files++;
		assert_int_equal(fstat(fd, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		close(fd);
	}
	alarm(0);
	kill(swapper, SIGKILL);
	assert_int_equal(waitpid(swapper, NULL, 0), swapper);
	expect_no_opening(watch);
}

static void test_devices(void **state)
{
	static const struct {
		mode_t kind;
		unsigned major, minor;
	} devices[] = {{S_IFCHR, 1, 3}, {S_IFCHR, 4, 1}, {S_IFCHR, 5, 0}, {S_IFBLK, 7, 0}};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		dev_t device = makedev(devices[i].major, devices[i].minor);
		int watch;

		unlink(outside(f, "device"));
		if (mknod(outside(f, "device"), devices[i].kind | 0666, device) < 0) {
			print_message("# skipped: device nodes need root\n");
			skip();
		}
		watch = watch_openings(outside(f, "device"));
		expect_none(f, "/device", -EINVAL);
		expect_no_opening(watch);
	}
}

/* Runs `body` in a child; whether it left with 0. */
static bool in_child(int (*body)(struct fixture *f), struct fixture *f)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(body(f));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int with_proc(struct fixture *f)
{
	char path[128];
	int r = 0;

	/* A mount namespace of its own: nothing stays mounted. */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/proc", f->root);
	if (mkdir(path, 0755) < 0 || mount("proc", path, "proc", 0, NULL) < 0)
		return 1;
	close(f->place.root);
	f->place.root = open(f->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r |= place_open(&f->place, "/log", NULL) != -EINVAL;
	r |= place_open(&f->place, "/proc/version", NULL) != -EINVAL;
	r |= place_open(&f->place, "/magic/secret", NULL) != -ELOOP;
	return r;
}

static void test_files_of_the_kernel(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0) {
		print_message("# skipped: mounting needs root\n");
		skip();
	}
	link_to(f, "/proc/kmsg", "log");
	link_to(f, "/proc/self/cwd", "magic");
	assert_int_equal(chdir(f->dir), 0);
	assert_true(in_child(with_proc, f));
	assert_int_equal(chdir("/"), 0);
}

/* --- the end of a file ----------------------------------------------------------------------- */

static void test_end(void **state)
{
	struct fixture *f = *state;
	char *text = NULL;
	size_t len = 0;
	bool cut = false;

	put(f, "a", "0123456789");
	assert_int_equal(place_read_end(&f->place, "/a", 4, &text, &len, &cut), 0);
	assert_int_equal(len, 4);
	assert_string_equal(text, "6789");
	assert_true(cut);
	free(text);
	assert_int_equal(place_read_end(&f->place, "/a", 10, &text, &len, &cut), 0);
	assert_string_equal(text, "0123456789");
	assert_false(cut);
	free(text);
	assert_int_equal(place_read_end(&f->place, "/", 10, &text, &len, &cut), -EINVAL);
	assert_int_equal(place_read_end(&f->place, "/b", 10, &text, &len, &cut), -ENOENT);
}

static void test_sparse(void **state)
{
	const size_t most = 1 << 20;
	struct fixture *f = *state;
	struct timespec begin, end;
	char *text = NULL;
	size_t len = 0;
	bool cut = false;

	put(f, "a", "text");
	assert_int_equal(truncate(outside(f, "a"), 10000000000), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	assert_int_equal(place_read_end(&f->place, "/a", most, &text, &len, &cut), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	/* 10 GB would take seconds. */
	assert_true(end.tv_sec - begin.tv_sec < 2);
	assert_int_equal(len, most);
	assert_int_equal(text[most - 1], 0);
	assert_true(cut);
	free(text);
}

/* --- whose root ------------------------------------------------------------------------------ */

static void test_host(void **state)
{
	struct fixture *f = *state;
	struct place p = {.root = -1};

	assert_int_equal(place_open_host(&p), 0);
	assert_true(p.host);
	expect_text(&p, f->secret, "secret");
	link_to(f, f->secret, "link");
	expect_text(&p, outside(f, "link"), "secret");
	place_close(&p);
	assert_int_equal(p.root, -1);
	place_close(&p);
}

static void test_root_of_a_process(void **state)
{
	struct fixture *f = *state;
	struct place p = {.root = -1};
	struct roots roots;
	int ready[2];
	char byte;
	pid_t pid;

	if (geteuid() != 0) {
		print_message("# skipped: chroot needs root\n");
		skip();
	}
	put(f, "a", "inside");
	link_to(f, f->secret, "secret");
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(f->root) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(place_open_process(&p, &roots, pid), 0);
	assert_false(p.host);
	expect_text(&p, "/a", "inside");
	assert_int_equal(place_open(&p, "/secret", NULL), -ENOENT);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* The root outlives its process. */
	expect_text(&p, "/a", "inside");
	place_close(&p);
	assert_int_equal(place_open_process(&p, &roots, pid), -ENOENT);
	roots_close(&roots);
}

static int unprivileged(struct fixture *f)
{
	struct roots roots;
	struct place p;

	(void)f;
	if (roots_open(&roots, NULL, NULL, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
		return 1;
	return place_open_process(&p, &roots, 1) != -EACCES;
}

static void test_root_of_another_users_process(void **state)
{
	if (geteuid() != 0) {
		print_message("# skipped: becoming somebody else needs root\n");
		skip();
	}
	assert_true(in_child(unprivileged, *state));
}

/* --- kernels and sandboxes without openat2 -----------------------------------------------------
 */

static int forbid_openat2(int with)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)with),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

static int without(struct fixture *f, int error)
{
	struct place host;
	int fd, r = 0;

	if (forbid_openat2(error) < 0)
		return 77;
	r |= place_open(&f->place, "/a", NULL) != -error;
	r |= place_open_directory(&f->place, "/") != -error;
	r |= place_open_host(&host) != 0;
	fd = place_open(&host, f->secret, NULL);
	r |= fd < 0;
	close(fd);
	r |= place_open(&host, outside(f, "fifo"), NULL) != -EINVAL;
	r |= place_open(&host, outside(f, "none"), NULL) != -ENOENT;
	return r;
}

static int without_by_enosys(struct fixture *f)
{
	return without(f, ENOSYS);
}

static int without_by_eperm(struct fixture *f)
{
	return without(f, EPERM);
}

static void test_without_openat2(void **state)
{
	struct fixture *f = *state;

	put(f, "a", "text");
	assert_int_equal(mkfifo(outside(f, "fifo"), 0644), 0);
	assert_true(in_child(without_by_enosys, f));
	assert_true(in_child(without_by_eperm, f));
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(test_a_file),
		PLACE_TEST(test_links_stay_inside),
		PLACE_TEST(test_directories),
		PLACE_TEST(test_openings_are_seen),
		PLACE_TEST(test_fifo),
		PLACE_TEST(test_fifo_and_file_change_places),
		PLACE_TEST(test_devices),
		PLACE_TEST(test_files_of_the_kernel),
		PLACE_TEST(test_end),
		PLACE_TEST(test_sparse),
		PLACE_TEST(test_host),
		PLACE_TEST(test_root_of_a_process),
		PLACE_TEST(test_root_of_another_users_process),
		PLACE_TEST(test_without_openat2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
