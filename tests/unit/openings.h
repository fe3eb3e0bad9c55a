/* openings.h - whether a file is opened. */
#ifndef OPENINGS_H
#define OPENINGS_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cmocka.h>

/* An inotify descriptor that tells of each opening (those by O_PATH are none). */
static inline int watch_openings(const char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	return fd;
}

static inline void expect_no_opening(int watch)
{
	char buf[4096];

	assert_int_equal(read(watch, buf, sizeof(buf)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
}

#endif
