/* locks.c - who holds which lock file. */
#include "locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

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

int locks_read(const struct roots *roots, struct held_lock **ret, size_t *ret_count)
{
	struct held_lock *locks = NULL, lock;
	char *text = NULL, *line, *rest;
	size_t text_room = 0, room = 0, count = 0;
	ssize_t len = roots_read_whole(roots->proc, "locks", &text, &text_room);

	rest = len < 0 ? NULL : text;
	while ((line = strsep(&rest, "\n"))) {
		if (!lock_parse(line, &lock))
			continue;
		locks = mem_grow(locks, &room, count + 1, sizeof(*locks));
		locks[count++] = lock;
	}
	free(text);
	if (len < 0)
		return (int)len;
	*ret = locks;
	*ret_count = count;
	return 0;
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
                         struct lock_descriptor *ret)
{
	struct wanted w = {.lock = lock, .dpkg = !strcmp(name, "dpkg"), .ret = ret};

	return descriptors_find(roots, lock->pid, match, &w);
}
