/* roots.c - where sources read from, and the clocks. */
#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define WHOLE_MAX (4 << 20)

static int open_directory(const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		int r = -errno;

		return err_set(e, r, "%s: %s", path, strerror(-r));
	}
	return fd;
}

int roots_open(struct roots *r, const char *procfs, const char *sysfs, struct err *e)
{
	int proc, sys;

	proc = open_directory(procfs ? procfs : "/proc", e);
	if (proc < 0)
		return proc;
	sys = open_directory(sysfs ? sysfs : "/sys", e);
	if (sys < 0) {
		close(proc);
		return sys;
	}
	*r = (struct roots){.proc = proc, .sys = sys};
	return 0;
}

void roots_close(struct roots *r)
{
	close(r->proc);
	close(r->sys);
	*r = (struct roots){.proc = -1, .sys = -1};
}

/* One read(2) that signals do not end. */
static ssize_t read_some(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Files of /proc have no size beforehand and come in pieces of about a page: only a read of
 * nothing is their end. */
static ssize_t read_to_end(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;
	char beyond;

	while (len + 1 < size) {
		n = read_some(fd, buf + len, size - 1 - len);
		if (n < 0)
			return n;
		buf[len + (size_t)n] = '\0';
		if (n == 0)
			return (ssize_t)len;
		len += (size_t)n;
	}
	buf[len] = '\0';
	n = read_some(fd, &beyond, 1);
	if (n < 0)
		return n;
	return n ? -EFBIG : (ssize_t)len;
}

static int open_file(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

ssize_t roots_read(int dir, const char *path, char *buf, size_t size)
{
	int fd = open_file(dir, path);
	ssize_t r;

	if (fd < 0)
		return fd;
	r = read_to_end(fd, buf, size);
	close(fd);
	return r;
}

/* What is read of another's filesystem, as lxcfs' is by FUSE, may be a page of before. */
static bool is_of_proc(int fd)
{
	struct statfs st;

	return fstatfs(fd, &st) == 0 && st.f_type == PROC_SUPER_MAGIC;
}

static ssize_t read_kept(int *kept, int dir, const char *path, char *buf, size_t size)
{
	bool again = *kept >= 0;
	int fd = again ? *kept : open_file(dir, path);
	ssize_t r;

	if (fd < 0)
		return fd;
	r = again && lseek(fd, 0, SEEK_SET) < 0 ? -errno : read_to_end(fd, buf, size);
	if ((r >= 0 || r == -EFBIG) && (again || is_of_proc(fd))) {
		*kept = fd;
	} else {
		close(fd);
		*kept = -1;
	}
	return r;
}

ssize_t roots_read_kept(int *kept, int dir, const char *path, char **buf, size_t *room)
{
	ssize_t r;

	*buf = mem_grow(*buf, room, 8192, 1);
	/* From the start again when it grows: the pieces of two reads need not fit together. */
	while ((r = kept ? read_kept(kept, dir, path, *buf, *room)
	                 : roots_read(dir, path, *buf, *room)) == -EFBIG &&
	       *room < WHOLE_MAX)
		*buf = mem_grow(*buf, room, *room + 1, 1);
	return r;
}

ssize_t roots_read_whole(int dir, const char *path, char **buf, size_t *room)
{
	return roots_read_kept(NULL, dir, path, buf, room);
}

#define NS_PER_MS 1000000

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t to_ms(int64_t ns)
{
	return (ns + NS_PER_MS / 2) / NS_PER_MS * NS_PER_MS;
}

/* Three clocks can not be read at one instant, so the last digits of their distances mean nothing.
 * Without them the distances stay the same from stamp to stamp, and take no room in a recording. */
struct stamp stamp_now(void)
{
	int64_t mono_ns = clock_ns(CLOCK_MONOTONIC);

	return (struct stamp){
		.mono_ns = mono_ns,
		.boot_ns = mono_ns + to_ms(clock_ns(CLOCK_BOOTTIME) - mono_ns),
		.real_ns = mono_ns + to_ms(clock_ns(CLOCK_REALTIME) - mono_ns),
	};
}
