/* test_place.c - files below a root that may be hostile. */
#include "openings.h"
#include "place_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

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

/* Told of, whatever it is, and nothing is opened. */
static void test_stat(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	int watch;

	put(f, "a", "text");
	watch = watch_openings(outside(f, "a"));
	assert_int_equal(place_stat(&f->place, "/a", &st), 0);
	expect_no_opening(watch);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_size, 4);
	assert_int_equal(place_stat(&f->place, "/", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(place_stat(&f->place, "/b", &st), -ENOENT);
	link_to(f, f->secret, "secret");
	assert_int_equal(place_stat(&f->place, "/secret", &st), -ENOENT);
	assert_int_equal(place_stat(&(struct place){.root = -1}, f->secret, &st), -EBADF);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(test_a_file),
		PLACE_TEST(test_stat),
		PLACE_TEST(test_links_stay_inside),
		PLACE_TEST(test_directories),
		PLACE_TEST(test_end),
		PLACE_TEST(test_sparse),
		PLACE_TEST(test_host),
		PLACE_TEST(test_root_of_a_process),
		PLACE_TEST(test_root_of_another_users_process),
		PLACE_TEST(test_without_openat2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
