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

#define INITIAL_USERS "         0          0 4294967295\n"

/* A directory with "proc" (locks, self/uid_map, PID/{comm,stat,cmdline,status,uid_map,fd,fdinfo,
 * root}) and "admin" (the two lock files). */
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
	if (mkdir(strcat(strcpy(path, f->proc), "/self"), 0755) < 0)
		return -1;
	put(path, "uid_map", INITIAL_USERS);
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
	put(dir, "comm", "%s\n", name);
	put(dir, "status", "Name:\t%s\nUmask:\t0022\nUid:\t0\t0\t0\t0\n", name);
	put(dir, "uid_map", INITIAL_USERS);
}

/* A symlink below /proc/PID. */
static inline void add_link(struct fixture *f, int pid, const char *name, const char *target)
{
	char path[112];

	snprintf(path, sizeof(path), "%s/%d/%s", f->proc, pid, name);
	assert_int_equal(symlink(target, path), 0);
}

/* An open file, and what /proc/PID/fdinfo says of it beside where it is. */
static inline void add_descriptor(struct fixture *f, int pid, int fd, const char *target,
                                  const char *info)
{
	char path[128], name[16];

	snprintf(path, sizeof(path), "%s/%d/fd", f->proc, pid);
	assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
	snprintf(name, sizeof(name), "fd/%d", fd);
	add_link(f, pid, name, target);
	snprintf(path, sizeof(path), "%s/%d/fdinfo", f->proc, pid);
	assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
	snprintf(name, sizeof(name), "%d", fd);
	put(path, name, "pos:\t0\n%smnt_id:\t29\nino:\t1\n", info);
}

static inline void add_lock(struct fixture *f, const char *what, int pid, const struct stat *st)
{
	put(f->proc, "locks", "1: %s %d %02x:%02x:%" PRIu64 " 0 EOF\n", what, pid,
	    major(st->st_dev), minor(st->st_dev), (uint64_t)st->st_ino);
}

#define HELD "POSIX  ADVISORY  WRITE"

/* A lock on a file of its own, and the descriptor by which it has it. */
static inline void add_foreign_lock(struct fixture *f, int pid, int fd, const char *path,
                                    const struct stat *st)
{
	char info[96];

	add_lock(f, HELD, pid, st);
	snprintf(info, sizeof(info),
	         "flags:\t02100002\nlock:\t1: " HELD " %d %02x:%02x:%" PRIu64 " 0 EOF\n", pid,
	         major(st->st_dev), minor(st->st_dev), (uint64_t)st->st_ino);
	add_descriptor(f, pid, fd, path, info);
}

/* Makes `path` below the fixture, its directories too, and tells of it. */
static inline struct stat make_file(struct fixture *f, const char *name, char *ret_path,
                                    size_t size)
{
	struct stat st;

	snprintf(ret_path, size, "%s/%s", f->dir, name);
	for (char *at = ret_path + strlen(f->dir) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		assert_true(mkdir(ret_path, 0755) == 0 || errno == EEXIST);
	}
	put(f->dir, name, "%s", "");
	assert_int_equal(stat(ret_path, &st), 0);
	return st;
}

#define UPGRADE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
