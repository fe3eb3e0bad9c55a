/* test_dpkglog_follow.c - the follower of dpkg.log: pieces, odd lines, a log that is not there. */
#include "follow_fixture.h"
#include "openings.h"

#include <sys/syscall.h>

static int reads;

/* In the place of the C library's. */
ssize_t read(int fd, void *buf, size_t size)
{
	reads++;
	return syscall(SYS_read, fd, buf, size);
}

static void test_appended_in_pieces(void **state)
{
	struct fixture *f = *state;
	int fd = append(f->path);

	put(fd, LINE("before"));
	follow(f, DPKGLOG_END);
	assert_int_equal(dpkglog_why(f->log), 0);
	expect(f, "");
	put(fd, "2026-11-30 13:29:00 sta");
	expect_woken(f, "");
	put(fd, "tus installed a:all 1");
	expect_woken(f, "");
	put(fd, "\n" LINE("b") "2026");
	expect_woken(f, "a b ");
	put(fd, "-11-30 13:29:00 status installed c:all 1\r\n");
	expect_woken(f, "c ");
	expect(f, "");
	assert_int_equal(dpkglog_skipped(f->log), 0);
	close(fd);
}

static void test_from_the_start(void **state)
{
	struct fixture *f = *state;

	append_text(f->path, LINE("a") LINE("b"));
	follow(f, DPKGLOG_START);
	append_text(f->path, LINE("c"));
	expect(f, "a b c ");
	expect(f, "");
}

static void test_begins_in_midline(void **state)
{
	struct fixture *f = *state;
	int fd = append(f->path);

	/* The rest would parse as a line of its own. */
	put(fd, LINE("a") "torn ");
	follow(f, DPKGLOG_END);
	expect(f, "");
	put(fd, "2026-11-30 13:29:00 status ");
	expect(f, "");
	put(fd, "installed b:all 1\n" LINE("c"));
	expect(f, "c ");
	assert_int_equal(dpkglog_skipped(f->log), 0);
	close(fd);
}

static void test_the_rest_of_a_line_is_no_line(void **state)
{
	struct fixture *f = *state;
	int fd = append(f->path);

	put(fd, "torn");
	follow(f, DPKGLOG_END);
	put(fd, LINE("a") LINE("b"));
	expect(f, "b ");
	close(fd);
}

static void test_created_later(void **state)
{
	struct fixture *f = *state;

	follow(f, DPKGLOG_END);
	assert_int_equal(dpkglog_why(f->log), -ENOENT);
	expect(f, "");
	append_text(f->path, LINE("a"));
	expect_woken(f, "a ");
	assert_int_equal(dpkglog_why(f->log), 0);
	append_text(f->path, LINE("b"));
	expect_woken(f, "b ");
}

static void test_directory_missing_at_first(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rmdir(f->sub), 0);
	follow(f, DPKGLOG_END);
	assert_int_equal(dpkglog_why(f->log), -ENOENT);
	expect(f, "");
	assert_int_equal(mkdir(f->sub, 0755), 0);
	expect(f, "");
	append_text(f->path, LINE("a"));
	expect_woken(f, "a ");
	append_text(f->path, LINE("b"));
	expect_woken(f, "b ");
}

static void test_bad_lines_are_counted(void **state)
{
	static const char bytes[] = "\0\0\0\n\xff\xfe\n\n" LINE("b");
	struct fixture *f = *state;
	size_t size = 1 << 20;
	char *big = malloc(size + 1);
	int fd = append(f->path);

	memset(big, 'x', size);
	big[size] = '\0';
	follow(f, DPKGLOG_END);
	put(fd, big);
	expect(f, "");
	put(fd, LINE("hidden") LINE("a"));
	expect(f, "a ");
	assert_int_equal(dpkglog_skipped(f->log), 1);
	assert_int_equal(write(fd, bytes, sizeof(bytes) - 1), sizeof(bytes) - 1);
	expect(f, "b ");
	assert_int_equal(dpkglog_skipped(f->log), 4);
	free(big);
	close(fd);
}

static void test_longest_line(void **state)
{
	struct fixture *f = *state;
	char line[4200];

	follow(f, DPKGLOG_END);
	for (int over = 0; over < 2; over++) {
		const char *head = "2026-11-30 13:29:00 startup archives ";
		size_t len = 4096 + (size_t)over;

		memset(line, 'w', sizeof(line));
		memcpy(line, head, strlen(head));
		line[len] = '\n';
		line[len + 1] = '\0';
		append_text(f->path, line);
		expect(f, over ? "" : " ");
		assert_int_equal(dpkglog_skipped(f->log), over);
	}
}

static void test_fifo_does_not_hang(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkfifo(f->path, 0644), 0);
	follow(f, DPKGLOG_END);
	assert_int_equal(dpkglog_why(f->log), -EINVAL);
	expect(f, "");
	/* Nobody has it open for reading. */
	assert_int_equal(open(f->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
	assert_int_equal(errno, ENXIO);
	assert_int_equal(unlink(f->path), 0);
	append_text(f->path, LINE("a"));
	expect(f, "a ");
	assert_int_equal(dpkglog_why(f->log), 0);
}

static void test_directory_in_place_of_the_log(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(f->path, 0755), 0);
	follow(f, DPKGLOG_START);
	expect(f, "");
	assert_int_equal(dpkglog_why(f->log), -EINVAL);
}

/* Each tick looks; where nothing has changed, nothing is opened for it. */
static void test_looks_without_opening(void **state)
{
	struct fixture *f = *state;
	int watch;

	append_text(f->path, LINE("a"));
	follow(f, DPKGLOG_START);
	expect(f, "a ");
	watch = watch_openings(f->path);
	expect(f, "");
	expect_no_opening(watch);
	assert_int_equal(dpkglog_why(f->log), 0);
	/* It is gone, and followed no less. */
	assert_int_equal(unlink(f->path), 0);
	expect(f, "");
	assert_int_equal(dpkglog_why(f->log), -ENOENT);
	assert_int_equal(mkdir(f->path, 0755), 0);
	expect(f, "");
	assert_int_equal(dpkglog_why(f->log), -EINVAL);
	assert_int_equal(rmdir(f->path), 0);
	append_text(f->path, LINE("b"));
	expect(f, "b ");
	assert_int_equal(dpkglog_why(f->log), 0);
}

/* What woke us is read at a stroke where that is enough, and to its end where it is not. */
static void test_events_are_read_once(void **state)
{
	struct fixture *f = *state;
	struct pollfd p = {.events = POLLIN};
	char path[400];

	append_text(f->path, "");
	follow(f, DPKGLOG_START);
	append_text(f->path, LINE("a"));
	reads = 0;
	expect(f, "a ");
	assert_true(reads <= 1);
	for (int i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), "%s/%0*d", f->sub, i < 30 ? 255 : 8, i);
		append_text(path, "");
	}
	append_text(f->path, LINE("b"));
	expect(f, "b ");
	p.fd = dpkglog_fd(f->log);
	assert_int_equal(poll(&p, 1, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(test_appended_in_pieces),
		FOLLOW_TEST(test_from_the_start),
		FOLLOW_TEST(test_begins_in_midline),
		FOLLOW_TEST(test_the_rest_of_a_line_is_no_line),
		FOLLOW_TEST(test_created_later),
		FOLLOW_TEST(test_directory_missing_at_first),
		FOLLOW_TEST(test_bad_lines_are_counted),
		FOLLOW_TEST(test_longest_line),
		FOLLOW_TEST(test_fifo_does_not_hang),
		FOLLOW_TEST(test_directory_in_place_of_the_log),
		FOLLOW_TEST(test_looks_without_opening),
		FOLLOW_TEST(test_events_are_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
