/* test_dpkglog_rotation.c - the follower of dpkg.log when the file changes below its name. */
#include "follow_fixture.h"

/* logrotate with `create`, while the dpkg that has the log open runs on. */
static void test_rotated(void **state)
{
	struct fixture *f = *state;
	int old = append(f->path);

	put(old, LINE("a"));
	follow(f, DPKGLOG_START);
	expect(f, "a ");
	put(old, LINE("b") "2026-11-30 13:29:00 status ");
	assert_int_equal(rename(f->path, f->old), 0);
	append_text(f->path, LINE("new1"));
	expect_woken(f, "b new1 ");
	/* The half line of the old file is not mixed with the new one's. */
	append_text(f->path, "2026-11-30 13:29:00 ");
	put(old, "installed c:all 1\n");
	expect_woken(f, "c ");
	append_text(f->path, "status installed new2:all 1\n");
	put(old, LINE("d"));
	expect_woken(f, "d new2 ");
	assert_int_equal(unlink(f->old), 0);
	put(old, LINE("e"));
	expect_woken(f, "e ");
	assert_int_equal(dpkglog_skipped(f->log), 0);
	close(old);
}

/* A rotation that is seen between its two steps. */
static void test_rotated_in_two_looks(void **state)
{
	struct fixture *f = *state;
	int old = append(f->path);

	follow(f, DPKGLOG_END);
	assert_int_equal(rename(f->path, f->old), 0);
	put(old, LINE("a"));
	expect_woken(f, "a ");
	assert_int_equal(dpkglog_why(f->log), -ENOENT);
	put(old, LINE("b"));
	append_text(f->path, LINE("c"));
	expect_woken(f, "b c ");
	/* And back again: nothing is read twice. */
	assert_int_equal(rename(f->old, f->path), 0);
	put(old, LINE("d"));
	expect_woken(f, "d ");
	expect(f, "");
	close(old);
}

static int open_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_rotated_often(void **state)
{
	struct fixture *f = *state;
	int before = open_descriptors();
	int first = append(f->path);

	follow(f, DPKGLOG_END);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rename(f->path, f->old), 0);
		append_text(f->path, LINE("a"));
		expect(f, "a ");
	}
	put(first, LINE("first"));
	expect(f, "first ");
	for (int i = 0; i < 10; i++) {
		assert_int_equal(rename(f->path, f->old), 0);
		append_text(f->path, LINE("a"));
		expect(f, "a ");
	}
	put(first, LINE("first"));
	expect(f, "");
	close(first);
	assert_true(open_descriptors() <= before + 5);
	dpkglog_close(f->log);
	f->log = NULL;
	assert_int_equal(open_descriptors(), before);
}

static void test_truncated_in_place(void **state)
{
	struct fixture *f = *state;
	int fd = append(f->path);

	put(fd, LINE("a") LINE("b") "2026-11-30 13:29:00 sta");
	follow(f, DPKGLOG_START);
	expect(f, "a b ");
	assert_int_equal(ftruncate(fd, 0), 0);
	put(fd, LINE("c"));
	expect_woken(f, "c ");
	assert_int_equal(dpkglog_skipped(f->log), 1);
	assert_int_equal(ftruncate(fd, 0), 0);
	expect_woken(f, "");
	put(fd, LINE("d"));
	expect_woken(f, "d ");
	assert_int_equal(dpkglog_skipped(f->log), 1);
	close(fd);
}

static void test_directory_replaced(void **state)
{
	struct fixture *f = *state;
	char moved[96];
	int old;

	old = append(f->path);
	put(old, LINE("a"));
	follow(f, DPKGLOG_START);
	expect(f, "a ");
	snprintf(moved, sizeof(moved), "%s/moved", f->dir);
	assert_int_equal(rename(f->sub, moved), 0);
	expect_woken(f, "");
	assert_int_equal(mkdir(f->sub, 0755), 0);
	expect(f, "");
	append_text(f->path, LINE("b"));
	put(old, LINE("c"));
	expect_woken(f, "c b ");
	close(old);
}

static void test_symlink_is_followed(void **state)
{
	struct fixture *f = *state;
	char target[96];

	snprintf(target, sizeof(target), "%s/target", f->dir);
	append_text(target, LINE("a"));
	/* As it is written inside: from the root of the place. */
	assert_int_equal(symlink("/target", f->path), 0);
	follow(f, DPKGLOG_END);
	append_text(target, LINE("b"));
	expect_woken(f, "b ");
	/* Where the link stands something is told, though not of its target. */
	assert_int_equal(rename(target, f->old), 0);
	append_text(target, LINE("c"));
	expect(f, "c ");
}

/* inotify tells nothing of it: the next look does, in half a second. */
static void test_target_is_replaced_unseen(void **state)
{
	struct fixture *f = *state;
	char target[96], fresh[96];

	snprintf(target, sizeof(target), "%s/target", f->dir);
	snprintf(fresh, sizeof(fresh), "%s/fresh", f->dir);
	append_text(target, LINE("a"));
	assert_int_equal(symlink("/target", f->path), 0);
	follow(f, DPKGLOG_START);
	expect(f, "a ");
	append_text(fresh, LINE("b"));
	assert_int_equal(rename(fresh, target), 0);
	f->at.mono_ns += 500000000;
	expect(f, "b ");
	append_text(target, LINE("c"));
	expect_woken(f, "c ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLLOW_TEST(test_rotated),
		FOLLOW_TEST(test_rotated_in_two_looks),
		FOLLOW_TEST(test_rotated_often),
		FOLLOW_TEST(test_truncated_in_place),
		FOLLOW_TEST(test_directory_replaced),
		FOLLOW_TEST(test_symlink_is_followed),
		FOLLOW_TEST(test_target_is_replaced_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
