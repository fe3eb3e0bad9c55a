/* place.h - files below a root that may be somebody else's.
 *
 * A chroot or a container is hostile ground: an absolute symlink in it would lead to this
 * machine's file, a FIFO would hang the reader, a device node would be opened. Every file of an
 * upgraded root is therefore opened here, this machine's own root included: paths are resolved
 * inside that root (openat2(2) RESOLVE_IN_ROOT, RESOLVE_NO_MAGICLINKS, Linux 5.6), without
 * waiting, without gaining a terminal, and only regular files are given back. */
#ifndef DPKGTOP_PLACE_H
#define DPKGTOP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "dpkgtop/source.h"

struct place {
	int root;  /* O_PATH descriptor of the root directory; -1: none */
	bool host; /* it is this machine's own */
};

/* This machine's own root, "/". */
int place_open_host(struct place *p);
/* The root directory of process `pid` (proc(5) /proc/PID/root): -EACCES without root. */
int place_open_process(struct place *p, const struct roots *roots, int32_t pid);
/* A directory by a path of this machine's: what is opened in it stays in it. */
int place_open_path(struct place *p, const char *path);
/* Whether both are the same directory. */
bool place_same(const struct place *a, const struct place *b);
void place_close(struct place *p);

/* Opens the regular file `path` (absolute, as seen inside) for reading; `*ret_stat` (may be NULL)
 * tells of it. A descriptor; -EINVAL if it is no regular file (which is then never opened), -ELOOP,
 * -ENOENT, or another -errno. Where openat2 does not exist or is forbidden, only this machine's
 * own root can be read. Files of the kernel's own filesystems (proc, sysfs, debugfs, tracefs and
 * their like) are no regular files here: reading one may do something. -ENOTSUP without /proc. */
int place_open(const struct place *p, const char *path, struct stat *ret_stat);
/* What stands at `path`, of whatever type, without opening it. 0, or -errno as place_open(). */
int place_stat(const struct place *p, const char *path, struct stat *ret);
/* A directory, as an O_PATH descriptor; or -errno. */
int place_open_directory(const struct place *p, const char *path);

/* The last `most` bytes of a regular file, terminated, in memory that the caller frees; `*ret_cut`
 * tells whether there was more before them. -errno as place_open(). */
int place_read_end(const struct place *p, const char *path, size_t most, char **ret,
                   size_t *ret_len, bool *ret_cut);

#endif
