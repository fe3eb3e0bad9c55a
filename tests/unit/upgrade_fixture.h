/* upgrade_fixture.h - a fake /proc and dpkg database, in which upgrades run. */
#ifndef UPGRADE_FIXTURE_H
#define UPGRADE_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/upgrade.h"

/* A directory with "proc" (locks, PID/stat, PID/cmdline) and "admin" (the two lock files). */
struct fixture {
	char dir[64], proc[80], admin[80];
	struct roots roots;
	struct stat lock, frontend;
};

__attribute__((format(printf, 2, 0))) static inline void store(const char *path, const char *text,
                                                               va_list args)
{
	FILE *out = fopen(path, "ae");

	assert_non_null(out);
	vfprintf(out, text, args);
	fclose(out);
}

/* Appends to a file below `dir`. */
__attribute__((format(printf, 3, 4))) static inline void put(const char *dir, const char *name,
                                                             const char *text, ...)
{
	char path[160];
	va_list args;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	va_start(args, text);
	store(path, text, args);
	va_end(args);
}

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[96];

	strcpy(f->dir, "/tmp/upgrade-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->proc, sizeof(f->proc), "%s/proc", f->dir);
	snprintf(f->admin, sizeof(f->admin), "%s/admin", f->dir);
	if (mkdir(f->proc, 0755) < 0 || mkdir(f->admin, 0755) < 0)
		return -1;
	put(f->admin, "lock", "%s", "");
	put(f->admin, "lock-frontend", "%s", "");
	put(f->proc, "locks", "%s", "");
	snprintf(path, sizeof(path), "%s/lock", f->admin);
	if (stat(path, &f->lock) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/lock-frontend", f->admin);
	if (stat(path, &f->frontend) < 0)
		return -1;
	f->roots.sys = -1;
	f->roots.proc = open(f->proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = f;
	return f->roots.proc < 0 ? -1 : 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	close(f->roots.proc);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	if (system(command) != 0)
		return -1;
	free(f);
	return 0;
}

static inline void add_process(struct fixture *f, int pid, int parent, const char *name,
                               const char *command)
{
	char dir[112];

	snprintf(dir, sizeof(dir), "%s/%d", f->proc, pid);
	assert_int_equal(mkdir(dir, 0755), 0);
	/* As Linux 6.1 writes it; field 22 is the start. */
	put(dir, "stat",
	    "%d (%s) S %d 1 1 34816 1 4194304 2000 3000 0 0 5 6 7 8 20 0 1 0 %d 9000000 800 "
	    "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
	    pid, name, parent, pid * 10);
	for (const char *p = command; *p; p++)
		put(dir, "cmdline", "%c", *p == ' ' ? 0 : *p);
	put(dir, "cmdline", "%c", 0);
}

static inline void add_lock(struct fixture *f, const char *what, int pid, const struct stat *st)
{
	put(f->proc, "locks", "1: %s %d %02x:%02x:%" PRIu64 " 0 EOF\n", what, pid,
	    major(st->st_dev), minor(st->st_dev), (uint64_t)st->st_ino);
}

#define HELD "POSIX  ADVISORY  WRITE"

#define UPGRADE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
