/* place_fixture.h - a foreign root, and what may not be reached from it. */
#ifndef PLACE_FIXTURE_H
#define PLACE_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/place.h"

/* A foreign root, and beside it a file that no path inside may lead to. */
struct fixture {
	char dir[64], root[80], secret[80];
	struct place place;
};

static inline int setup(void **state)
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

static inline int teardown(void **state)
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
static inline const char *outside(const struct fixture *f, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->root, name);
	return path;
}

static inline void put(const struct fixture *f, const char *name, const char *text)
{
	int fd = open(outside(f, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline void link_to(const struct fixture *f, const char *target, const char *name)
{
	assert_int_equal(symlink(target, outside(f, name)), 0);
}

static inline void expect_text(const struct place *p, const char *path, const char *text)
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

static inline void expect_none(const struct fixture *f, const char *path, int why)
{
	struct stat st = {.st_ino = 1};

	assert_int_equal(place_open(&f->place, path, &st), why);
	assert_int_equal(st.st_ino, 1);
}

/* Runs `body` in a child; whether it left with 0. */
static inline bool in_child(int (*body)(struct fixture *f), struct fixture *f)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(body(f));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
