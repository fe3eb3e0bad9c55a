/* descriptors.h - what a process has open.
 *
 * Nothing here asks the filesystem that a file is on: an unprivileged process may have files open
 * that a server of its own (FUSE) answers for, or never answers for. */
#ifndef DPKGTOP_DESCRIPTORS_H
#define DPKGTOP_DESCRIPTORS_H

#include <sys/types.h>

#include "dpkgtop/source.h"

struct descriptor {
	int process, fds;  /* the directories /proc/PID and /proc/PID/fd */
	const char *name;  /* "3" */
	char target[4096]; /* where its link leads (proc(5) /proc/PID/fd); raw bytes */
};

/* Shows the descriptors of `pid`, by rising number, until `match` says true. 1 if it did, 0 if it
 * did not, -errno if they can not be looked at (-EACCES without root). Of all that are shown
 * `*budget` is less afterwards; none are once it is 0, and a `budget` of NULL has no end. */
int descriptors_find(const struct roots *roots, int32_t pid, int *budget,
                     bool (*match)(const struct descriptor *d, void *user), void *user);

/* Its beginning of /proc/PID/fdinfo (proc(5)), terminated. The length, or -errno. */
ssize_t descriptor_info(const struct descriptor *d, char *buf, size_t size);

/* Which file it is, as stat(2) says it. */
struct descriptor_file {
	dev_t device;
	ino_t inode;
	mode_t mode;
	uid_t owner;
};

/* By what the kernel remembers, without asking the filesystem. `path` below the directory `dir`
 * leads to the file. 0 or -errno. */
int descriptor_file(int dir, const char *path, struct descriptor_file *ret);

#endif
