/* mountinfo.h - the mounts of a process. */
#ifndef DPKGTOP_MOUNTINFO_H
#define DPKGTOP_MOUNTINFO_H

#include "dpkgtop/source.h"

/* One line of mountinfo (proc(5)), unescaped but for super_options; the texts lie in the text it
 * was parsed from. */
struct mount {
	uint64_t id;
	uint32_t major, minor;
	const char *mount_point, *options, *filesystem, *source, *super_options;
};

/* Zeroed to begin with. */
struct mountinfo {
	char *text;
	struct mount *items;
	size_t count, text_room, items_room;
};

/* Where a directory is: its mount's id (0: the kernel does not say; Linux 5.8) and its device. */
struct mount_key {
	uint64_t id;
	uint32_t major, minor;
};

/* Of an open directory (O_PATH is enough). 0 or -errno. */
int mount_key_of(int fd, struct mount_key *ret);

/* Reads the mounts of `pid` (0: "self"). 0 or -errno, then there are none. */
int mountinfo_read(struct mountinfo *m, const struct roots *roots, int32_t pid);
void mountinfo_done(struct mountinfo *m);

/* By the id, which is one and the same in all mount namespaces; NULL if it is not listed. */
const struct mount *mountinfo_by_id(const struct mountinfo *m, uint64_t id);
/* By the device: of several mounts of it that which `path` is below, else the first. The device
 * of a btrfs subvolume is never listed. */
const struct mount *mountinfo_by_device(const struct mountinfo *m, const struct mount_key *key,
                                        const char *path);

/* Escaped bytes (\ooo) in place. */
char *mountinfo_unescape(char *text);

#endif
