/* locks.c - who holds which lock file. */
#include "locks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dpkgtop/text.h"

/* To go on in the list, the kernel counts from its beginning each time: a long one costs by the
 * square of its length, 7 MB some ten seconds, and anybody can make it so long. */
#define LOCKS_BYTES_MAX (1 << 20)

/* A waiting one has "->" before its type (fs/locks.c). Pid 0 or -1: held in another pid namespace,
 * or not by a process. */
bool lock_parse(const char *line, struct held_lock *ret)
{
	unsigned int maj, min;
	uint64_t inode;
	int32_t pid;
	int end = 0;

	sscanf(line, "%*d: POSIX %*s WRITE %" SCNd32 " %x:%x:%" SCNu64 " 0 EOF%n", &pid, &maj, &min,
	       &inode, &end);
	if (!end || pid <= 0)
		return false;
	*ret = (struct held_lock){.pid = pid, .device = makedev(maj, min), .inode = inode};
	return true;
}

/* Takes the whole lines of `buf`; what is left of the last one moves to its beginning. */
static size_t take_lines(char *buf, size_t len, locks_take *take, void *user)
{
	char *line = buf, *newline;
	struct held_lock lock;

	while ((newline = memchr(line, '\n', len - (size_t)(line - buf)))) {
		*newline = '\0';
		if (lock_parse(line, &lock))
			take(&lock, user);
		line = newline + 1;
	}
	len -= (size_t)(line - buf);
	memmove(buf, line, len);
	return len;
}

int locks_read(const struct roots *roots, locks_take *take, void *user)
{
	char buf[8192];
	size_t len = 0, total = 0;
	ssize_t n = 1;
	int fd = openat(roots->proc, "locks", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int r;

	if (fd < 0)
		return -errno;
	while (n && total < LOCKS_BYTES_MAX) {
		n = read(fd, buf + len, sizeof(buf) - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		total += (size_t)n;
		len = take_lines(buf, len + (size_t)n, take, user);
		/* No lock's line is so long. */
		if (len == sizeof(buf))
			len = 0;
	}
	r = n < 0 ? -errno : n > 0;
	close(fd);
	return r;
}

/* The file is opened for reading: that takes nothing and keeps nobody from it. */
int lock_ask(const char *path, struct held_lock *ret)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || fcntl(fd, F_GETLK, &lock) < 0)
		r = -errno;
	else if (lock.l_type == F_WRLCK && lock.l_pid > 0)
		r = 1;
	close(fd);
	if (r > 0)
		*ret = (struct held_lock){
			.pid = lock.l_pid,
			.device = st.st_dev,
			.inode = st.st_ino,
		};
	return r;
}

struct wanted {
	const struct held_lock *lock;
	bool dpkg;
	struct lock_descriptor *ret;
};

/* The locks that fdinfo lists are those of the descriptor, in the words of /proc/locks, device
 * and all. */
static bool is_locked(const struct descriptor *d, const struct held_lock *lock)
{
	char info[2048], *line, *rest = info;
	struct held_lock held;

	if (descriptor_info(d, info, sizeof(info)) < 0)
		return false;
	while ((line = strsep(&rest, "\n")))
		if (text_starts(line, "lock:") && lock_parse(line + strlen("lock:"), &held) &&
		    held.device == lock->device && held.inode == lock->inode)
			return true;
	return false;
}

static bool match(const struct descriptor *d, void *user)
{
	const struct wanted *w = user;

	if (!text_ends(d->target, "/lock-frontend") &&
	    !text_ends(d->target, w->dpkg ? "/lock" : "/dpkg/lock"))
		return false;
	if (!is_locked(d, w->lock))
		return false;
	memcpy(w->ret->path, d->target, sizeof(w->ret->path));
	if (descriptor_file(d->fds, d->name, &w->ret->file) < 0)
		w->ret->file = (struct descriptor_file){0};
	return true;
}

int lock_find_descriptor(const struct roots *roots, const struct held_lock *lock, const char *name,
                         int *budget, struct lock_descriptor *ret)
{
	struct wanted w = {.lock = lock, .dpkg = !strcmp(name, "dpkg"), .ret = ret};

	return descriptors_find(roots, lock->pid, budget, match, &w);
}
