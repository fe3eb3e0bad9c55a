/* test_place_never.c - what is never opened below a root: FIFOs, devices, the kernel's own files.
 */
#include "openings.h"
#include "place_fixture.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>

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

/* A mount namespace of its own: nothing stays mounted. */
static int alone(struct fixture *f)
{
	(void)f;
	return unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0;
}

static int with_proc(struct fixture *f)
{
	char path[128];
	int r = 0;

	if (alone(f))
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
	if (!in_child(alone, f)) {
		print_message("# skipped: not allowed here, or / is no mount point (a chroot)\n");
		skip();
	}
	link_to(f, "/proc/kmsg", "log");
	link_to(f, "/proc/self/cwd", "magic");
	assert_int_equal(chdir(f->dir), 0);
	assert_true(in_child(with_proc, f));
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(test_openings_are_seen),           PLACE_TEST(test_fifo),
		PLACE_TEST(test_fifo_and_file_change_places), PLACE_TEST(test_devices),
		PLACE_TEST(test_files_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
