/* test_dpkglog_hostile.c - the follower of dpkg.log in a root that means ill, and on bad lines. */
#include "follow_fixture.h"
#include "openings.h"

#include <sys/sysmacros.h>
#include <time.h>

static const enum dpkglog_from froms[] = {DPKGLOG_END, DPKGLOG_START, DPKGLOG_SINCE};

/* A log that is none, however we come: `why` says so, and nothing is read. */
static void expect_none(struct fixture *f, int why)
{
	for (int i = 0; i < 3; i++) {
		follow_since(f, froms[i], 0);
		assert_int_equal(dpkglog_why(f->log), why);
		expect(f, "");
		assert_int_equal(dpkglog_why(f->log), why);
		assert_int_equal(dpkglog_skipped(f->log), 0);
		dpkglog_close(f->log);
		f->log = NULL;
	}
}

/* A file and a directory of this machine, to which a foreign root points. */
static void test_links_to_this_machine(void **state)
{
	struct fixture *f = *state;
	char beside[] = "/tmp/dpkglog-host-XXXXXX", file[64], up[96];
	struct pollfd p = {.events = POLLIN};

	assert_non_null(mkdtemp(beside));
	snprintf(file, sizeof(file), "%s/dpkg.log", beside);
	append_text(file, LINE("host"));
	assert_int_equal(symlink(file, f->path), 0);
	assert_int_equal(symlink(file, f->old), 0);
	expect_none(f, -ENOENT);
	assert_int_equal(unlink(f->path), 0);
	snprintf(up, sizeof(up), "../../../../../..%s", file);
	assert_int_equal(symlink(up, f->path), 0);
	expect_none(f, -ENOENT);
	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(unlink(f->old), 0);
	assert_int_equal(rmdir(f->sub), 0);
	/* The directory itself: it is not even watched. */
	assert_int_equal(symlink(beside, f->sub), 0);
	expect_none(f, -ENOENT);
	follow(f, DPKGLOG_END);
	unlink(file);
	append_text(file, LINE("host"));
	p.fd = dpkglog_fd(f->log);
	assert_int_equal(poll(&p, 1, 0), 0);
	expect(f, "");
	unlink(file);
	assert_int_equal(rmdir(beside), 0);
}

static void test_loop(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(symlink("dpkg.log", f->path), 0);
	expect_none(f, -ELOOP);
	/* What comes after it is new. */
	follow(f, DPKGLOG_END);
	assert_int_equal(unlink(f->path), 0);
	append_text(f->path, LINE("a"));
	expect_woken(f, "a ");
}

static void test_fifo(void **state)
{
	struct fixture *f = *state;
	int watch;

	assert_int_equal(mkfifo(f->path, 0666), 0);
	assert_int_equal(mkfifo(f->old, 0666), 0);
	watch = watch_openings(f->path);
	assert_true(inotify_add_watch(watch, f->old, IN_OPEN) >= 0);
	expect_none(f, -EINVAL);
	expect_no_opening(watch);
}

static void test_devices(void **state)
{
	struct fixture *f = *state;
	int watch;

	if (mknod(f->path, S_IFCHR | 0666, makedev(1, 5)) < 0) {
		print_message("# skipped: device nodes need root\n");
		skip();
	}
	/* /dev/zero would never end, a terminal would become ours. */
	assert_int_equal(mknod(f->old, S_IFCHR | 0666, makedev(4, 1)), 0);
	watch = watch_openings(f->path);
	assert_true(inotify_add_watch(watch, f->old, IN_OPEN) >= 0);
	expect_none(f, -EINVAL);
	expect_no_opening(watch);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define SPARSE 10000000000

static void test_sparse(void **state)
{
	struct fixture *f = *state;
	double begin = cpu_seconds();

	for (int i = 0; i < 3; i++) {
		unlink(f->path);
		append_text(f->path, LINE("lost"));
		assert_int_equal(truncate(f->path, SPARSE), 0);
		follow_since(f, froms[i], 0);
		assert_int_equal(dpkglog_why(f->log), 0);
		expect(f, "");
		append_text(f->path, "\n" LINE("a"));
		expect_woken(f, "a ");
		/* From its start it is one line that is given up, else one of before. */
		assert_int_equal(dpkglog_skipped(f->log), froms[i] == DPKGLOG_START);
		/* And once more, while it is followed. */
		assert_int_equal(truncate(f->path, 2 * SPARSE), 0);
		append_text(f->path, LINE("joined to the hole") LINE("b"));
		expect_woken(f, "b ");
		assert_int_equal(dpkglog_skipped(f->log), 1 + (froms[i] == DPKGLOG_START));
		dpkglog_close(f->log);
		f->log = NULL;
	}
	/* Each reading of it whole would take seconds. */
	assert_true(cpu_seconds() - begin < 5);
}

/* --- bad lines -------------------------------------------------------------------------------- */

#define AT "2026-11-30 13:29:00 "

struct bad {
	const char *text, *names;
	int skipped;
};

static const struct bad bad[] = {
	{AT "status installed a:all 1\r\n" AT "status installed b:all 1\r\n", "a b ", 0},
	{AT "status installed a 1\n" AT "upgrade b 1 2\n", "a b ", 0},
	/* dpkg before 1.19.1 writes a line for each of its notes. */
	{LINE("a") LINE("a") LINE("b"), "a a b ", 0},
	{AT "install a:all <kein> 1\n" AT "install b:all <\xc5\xbe\xc3\xa1"
            "dn\xc3\xa1> 1\n" AT "remove c:all 1 <pas cap>\n",
         "a b c ", 0},
	{AT "status installed \xff\xfe:all \x80\n" LINE("b"), "?? b ", 0},
	{AT "status installed a\033]0;x\a:all 1\n", "a?]0;x? ", 0},
	{"\n\n" LINE("a"), "a ", 2},
	{AT "status inst\n" LINE("a"), "a ", 1},
	{"installed x:all 1\n" LINE("a"), "a ", 1},
	{AT "status installed a:all 1" LINE("b") LINE("c"), "c ", 1},
	{"2026-11-30 13:2" LINE("b") LINE("c"), "c ", 1},
};

static void test_bad_lines(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		/* New, old, and old but in mid-run. */
		for (int k = 0; k < 3; k++) {
			unlink(f->path);
			if (k)
				append_text(f->path, bad[i].text);
			follow_since(f, froms[k], 0);
			if (!k)
				append_text(f->path, bad[i].text);
			expect(f, bad[i].names);
			assert_int_equal(dpkglog_skipped(f->log), bad[i].skipped);
			dpkglog_close(f->log);
			f->log = NULL;
		}
	}
}

/* A line of 1 MB between two good ones, come at once and in pieces. */
static void test_long_line(void **state)
{
	const size_t size = 1000000;
	struct fixture *f = *state;
	char *line = malloc(size + 1);
	int fd;

	memset(line, 'x', size);
	memcpy(line, AT, strlen(AT));
	line[size] = '\0';
	fd = append(f->path);
	put(fd, LINE("a"));
	put(fd, line);
	put(fd, "\n" LINE("b"));
	for (int k = 1; k < 3; k++) {
		follow_since(f, froms[k], 0);
		expect(f, "a b ");
		assert_int_equal(dpkglog_skipped(f->log), 1);
		dpkglog_close(f->log);
		f->log = NULL;
	}
	follow(f, DPKGLOG_END);
	for (int i = 0; i < 3; i++) {
		put(fd, line);
		expect_woken(f, "");
	}
	put(fd, "\n" LINE("c"));
	expect_woken(f, "c ");
	assert_int_equal(dpkglog_skipped(f->log), 1);
	free(line);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(test_links_to_this_machine),
		FOLLOW_TEST(test_loop),
		FOLLOW_TEST(test_fifo),
		FOLLOW_TEST(test_devices),
		FOLLOW_TEST(test_sparse),
		FOLLOW_TEST(test_bad_lines),
		FOLLOW_TEST(test_long_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
