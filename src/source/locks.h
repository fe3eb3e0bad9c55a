/* locks.h - who holds which lock file (proc(5) /proc/locks). */
#ifndef DPKGTOP_LOCKS_H
#define DPKGTOP_LOCKS_H

#include <sys/types.h>

#include "descriptors.h"

struct held_lock {
	int32_t pid;
	dev_t device; /* not that of stat(2) on btrfs */
	ino_t inode;
};

/* Takes a line of /proc/locks for a lock as dpkg and apt take theirs: POSIX, for writing, on the
 * whole file (dpkg: lib/dpkg/file.c, file_lock_setup(); apt: apt-pkg/contrib/fileutl.cc,
 * GetLock()). False if it is another. */
bool lock_parse(const char *line, struct held_lock *ret);

typedef void locks_take(const struct held_lock *lock, void *user);

/* Shows all such locks to `take`. 0, 1 if the list goes on after what was read, or -errno. */
int locks_read(const struct roots *roots, locks_take *take, void *user);

/* Who has the file at `path` locked for writing, asked of the file itself (F_GETLK in fcntl(2));
 * needs leave to read it. 1, 0 if nobody has, or -errno. */
int lock_ask(const char *path, struct held_lock *ret);

/* The descriptor by which its holder, `name` by comm, has a lock file of dpkg's. */
struct lock_descriptor {
	char path[4096];             /* as the link says it; raw bytes */
	struct descriptor_file file; /* inode 0: not known */
};

/* apt's other locks, below /var/lib/apt/lists and /var/cache/apt/archives, are named "lock" too
 * and are none of dpkg's. 1, 0 if `lock` is on no lock file of dpkg's, or -errno if the
 * descriptors can not be looked at. `budget` as for descriptors_find(). */
int lock_find_descriptor(const struct roots *roots, const struct held_lock *lock, const char *name,
                         int *budget, struct lock_descriptor *ret);

#endif
