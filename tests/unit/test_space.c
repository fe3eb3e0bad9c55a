/* test_space.c - the room on the filesystems of a root: this machine's, and one made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/place.h"

static int read_space(const struct place *place, struct sample *s)
{
	void *self = mem_new(1, source_space.size);
	struct target target = {.place = place};
	struct roots roots;
	int r = 0;

	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	assert_int_equal(source_space.open(self, &roots, NULL), 0);
	/* The second reading replaces the first. */
	for (int i = 0; i < 2; i++)
		r = source_space.read(self, &target, s);
	source_space.close(self);
	free(self);
	roots_close(&roots);
	return r;
}

static void reads_this_machine(void **state)
{
	struct place host;
	struct statvfs v;
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_int_equal(place_open_host(&host), 0);
	assert_int_equal(read_space(&host, &s), 0);
	assert_int_equal(statvfs("/", &v), 0);
	assert_true(s.n_spaces >= 1 && s.n_spaces <= SPACES_MAX);
	assert_string_equal(s.spaces[0].path, "/");
	assert_true(s.spaces[0].total_kib == v.f_blocks * v.f_frsize / 1024);
	assert_true(s.spaces[0].free_kib <= s.spaces[0].total_kib);
	for (size_t i = 1; i < s.n_spaces; i++)
		assert_string_not_equal(s.spaces[i].path, s.spaces[i - 1].path);
	place_close(&host);
	sample_done(&s);
}

/* --- a root of our own ---------------------------------------------------------------------- */

static char top[32];

static const char *below_top(const char *path)
{
	static char at[64];

	snprintf(at, sizeof(at), "%s/%s", top, path);
	return at;
}

static int make_top(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/dpkgtop-test-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	(void)state;
	unlink(below_top("boot"));
	rmdir(below_top("boot"));
	rmdir(below_top("usr"));
	rmdir(below_top("var"));
	return rmdir(top);
}

static struct place open_top(void)
{
	struct place p = {.root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC)};

	assert_true(p.root >= 0);
	return p;
}

/* What is not there, is no directory, or leads back to the same filesystem adds nothing. */
static void lists_each_filesystem_once(void **state)
{
	struct place place = open_top(), none = {.root = -1};
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_int_equal(mkdir(below_top("var"), 0700), 0);
	/* Inside this root "/proc" leads nowhere, on the machine to another filesystem. */
	assert_int_equal(symlink("/proc", below_top("boot")), 0);
	assert_int_equal(read_space(&place, &s), 0);
	assert_int_equal(s.n_spaces, 1);
	assert_string_equal(s.spaces[0].path, "/");
	assert_true(read_space(&none, &s) < 0);
	assert_int_equal(s.n_spaces, 0);
	place_close(&place);
	sample_done(&s);
}

/* In the child a failed assertion has nowhere to jump to: this ends it. */
#define MUST(condition) ((condition) ? (void)0 : give_up(#condition, __LINE__))

static void give_up(const char *condition, int line)
{
	fprintf(stderr, "# line %d: %s\n", line, condition);
	_exit(1);
}

static void mount_and_read(void)
{
	char boot[64];
	struct place place = open_top();
	struct sample s;

	sample_init(&s);
	snprintf(boot, sizeof(boot), "%s", below_top("boot"));
	MUST(mount("none", boot, "tmpfs", 0, "size=1024k") == 0);
	/* The same once more, and one without a limit: it has no size to tell of. */
	MUST(mount(boot, below_top("var"), NULL, MS_BIND, NULL) == 0);
	MUST(mount("none", below_top("usr"), "tmpfs", 0, "size=0") == 0);
	MUST(read_space(&place, &s) == 0);
	MUST(s.n_spaces == 2);
	MUST(strcmp(s.spaces[0].path, "/") == 0);
	MUST(strcmp(s.spaces[1].path, "/var") == 0);
	MUST(s.spaces[1].total_kib == 1024);
	MUST(s.spaces[1].free_kib == 1024);
	place_close(&place);
	sample_done(&s);
}

/* The mounts are made in a child's own namespace and go with it, however it ends: nothing is ever
 * unmounted, here least of all by a name that may be a link. */
static void tells_filesystems_apart(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mkdir(below_top("usr"), 0700), 0);
	assert_int_equal(mkdir(below_top("var"), 0700), 0);
	assert_int_equal(mkdir(below_top("boot"), 0700), 0);
	pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(77);
		mount_and_read();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# skipped: a mount namespace is not allowed here, or / is no mount "
		              "point (a chroot)\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define WITH_TOP(f) cmocka_unit_test_setup_teardown(f, make_top, remove_top)

/* What is to be synced is what is told of, once each, and syncfs(2) takes what is given. */
static void opens_each_filesystem_once(void **state)
{
	dev_t devices[SPACES_MAX];
	int fds[SPACES_MAX];
	struct place host;
	struct sample s;
	struct stat st;
	size_t count;

	(void)state;
	sample_init(&s);
	assert_int_equal(place_open_host(&host), 0);
	assert_int_equal(read_space(&host, &s), 0);
	count = space_directories(&host, fds);
	assert_int_equal(count, s.n_spaces);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(fstat(fds[i], &st), 0);
		assert_true(S_ISDIR(st.st_mode));
		assert_int_equal(fcntl(fds[i], F_GETFL) & O_PATH, 0);
		devices[i] = st.st_dev;
		for (size_t before = 0; before < i; before++)
			assert_true(devices[before] != st.st_dev);
		close(fds[i]);
	}
	place_close(&host);
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_this_machine),
		cmocka_unit_test(opens_each_filesystem_once),
		WITH_TOP(lists_each_filesystem_once),
		WITH_TOP(tells_filesystems_apart),
	};

	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
