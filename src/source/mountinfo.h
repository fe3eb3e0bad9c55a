/* mountinfo.h - which mount a path is on. */
#ifndef DPKGTOP_MOUNTINFO_H
#define DPKGTOP_MOUNTINFO_H

#include <stdint.h>

/* One line of mountinfo (proc(5)), unescaped; the texts lie in the text it was parsed from. */
struct mount {
	int id, parent;
	uint32_t major, minor;
	const char *mount_point, *options, *filesystem, *source, *super_options;
};

/* Finds the mount of the resolved absolute `path` in `text`, which it takes to pieces. 0 or
 * -ENOENT. */
int mountinfo_find(char *text, const char *path, struct mount *ret);

#endif
