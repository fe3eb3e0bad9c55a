/* follow_fixture.h - a dpkg.log in a directory of its own, and its follower. */
#ifndef FOLLOW_FIXTURE_H
#define FOLLOW_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/dpkglog.h"

/* The log, as seen inside the place. */
#define INSIDE "/log/dpkg.log"

#define LINE(name) "2026-11-30 13:29:00 status installed " name ":all 1\n"

/* A directory of its own that is a foreign root, the log in it, its follower, and the names of what
 * was read. */
struct fixture {
	char dir[64], sub[80], path[96], old[112];
	struct place place;
	struct dpkglog *log;
	struct stamp at;
	char seen[4096];
	int64_t ago[64]; /* of what was read last, s */
	int n;
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/dpkglog-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->sub, sizeof(f->sub), "%s/log", f->dir);
	snprintf(f->path, sizeof(f->path), "%s/dpkg.log", f->sub);
	snprintf(f->old, sizeof(f->old), "%s.1", f->path);
	if (mkdir(f->sub, 0755) < 0)
		return -1;
	f->at = (struct stamp){7, 8, 9};
	f->place.root = open(f->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (f->place.root < 0)
		return -1;
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	dpkglog_close(f->log);
	place_close(&f->place);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	if (system(command) != 0)
		return -1;
	free(f);
	return 0;
}

static inline void put(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static inline int append(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	return fd;
}

static inline void append_text(const char *path, const char *text)
{
	int fd = append(path);

	put(fd, text);
	close(fd);
}

static inline void follow_since(struct fixture *f, enum dpkglog_from from, int64_t since)
{
	struct err e = {""};

	assert_int_equal(dpkglog_open(&f->log, &f->place, INSIDE, from, since, &e), 0);
}

static inline void follow(struct fixture *f, enum dpkglog_from from)
{
	follow_since(f, from, 0);
}

static inline void take(void *context, const struct event *e)
{
	struct fixture *f = context;

	assert_int_equal(e->kind, EVENT_PACKAGE);
	assert_int_equal(e->at.mono_ns, f->at.mono_ns);
	assert_int_equal(e->at.boot_ns, f->at.boot_ns);
	assert_true(e->package.ago_ns >= 0);
	if (f->n < 64)
		f->ago[f->n++] = e->package.ago_ns / 1000000000;
	strncat(f->seen, e->package.name, sizeof(f->seen) - strlen(f->seen) - 2);
	strcat(f->seen, " ");
}

/* What comes at one read: the names, each with a space. */
static inline void expect(struct fixture *f, const char *names)
{
	int n;

	f->seen[0] = '\0';
	f->n = 0;
	f->at.mono_ns++;
	n = dpkglog_read(f->log, &f->at, take, f);
	assert_string_equal(f->seen, names);
	for (const char *p = names; *p; p++)
		n -= *p == ' ';
	assert_int_equal(n, 0);
}

/* The descriptor must tell: a loop that only polls it may not miss the change. */
static inline void expect_woken(struct fixture *f, const char *names)
{
	struct pollfd p = {.fd = dpkglog_fd(f->log), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	expect(f, names);
}

#define FOLLOW_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
