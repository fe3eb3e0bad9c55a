/* space.c - whether the demo's payload has room where it is to go. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/statvfs.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"
#include "parts.h"

/* Beside the payload: dpkg's database, directories, what the filesystem itself needs. */
#define SLACK (32 << 20)

/* What a payload takes is 3.5 times itself at most: while it is built, trees, dpkg-deb's temporary
 * file and packages; later packages and installed files, and what a copy-on-write filesystem has
 * not yet given back. False if that is no number. */
static bool need(const struct stage_options *o, uint64_t block, uint64_t *ret)
{
	uint64_t size = (uint64_t)o->file_size, files, bytes, half;

	/* A file takes whole blocks, and an empty one its inode. */
	if (__builtin_add_overflow(size, block, &size))
		return false;
	size -= size % block;
	return !__builtin_mul_overflow((uint64_t)o->packages, (uint64_t)o->files, &files) &&
	       !__builtin_mul_overflow(files, size, &bytes) &&
	       !__builtin_mul_overflow(bytes, (uint64_t)7, &half) &&
	       !__builtin_add_overflow(half / 2, (uint64_t)SLACK, ret);
}

int space_check(const struct stage_options *o, const char *dir, struct err *e)
{
	char name[160];
	struct statvfs st;
	uint64_t bytes, inodes, available;

	text_printable_string(name, sizeof(name), dir);
	if (statvfs(dir, &st) < 0)
		return err_set(e, -errno, "%s: %s", name, strerror(errno));
	if (!need(o, st.f_frsize ? st.f_frsize : 4096, &bytes))
		return err_set(e, -ENOSPC, "the demo's packages would be larger than any disk");
	/* f_bavail: what is kept back for root stays so, though we are root. */
	available = (uint64_t)st.f_bavail * st.f_frsize;
	if (available < bytes)
		return err_set(e, -ENOSPC, "the demo needs %s in %s, but %s are free",
		               units_bytes((double)bytes).s, name,
		               units_bytes((double)available).s);
	/* Installed once, and twice more in the trees being packed. 0 in all: no fixed number. */
	inodes = 3 * (uint64_t)o->packages * (uint64_t)o->files + 1000;
	if (st.f_files > 0 && st.f_favail < inodes)
		return err_set(e, -ENOSPC, "the demo needs %s free inodes in %s, which has %s",
		               units_count(inodes).s, name, units_count(st.f_favail).s);
	return 0;
}
