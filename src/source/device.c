/* device.c - what lies below a directory: filesystem, disk, its kind. */
#include "dpkgtop/device.h"

#include "blockdev.h"
#include "mountinfo.h"

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Whether the comma-separated `list` has the word of `len` bytes. */
static bool has_option(const char *list, const char *word, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, word, len) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* The mount's options, then those of the filesystem that these do not have. Its "rw" says nothing:
 * a mount is writable only if both are. */
static void join_options(const struct mount *m, char *ret, size_t size)
{
	const char *more = m->super_options;
	size_t used = text_printable_string(ret, size, m->options);

	while (*more) {
		size_t n = strcspn(more, ",");

		if (n && !has_option(m->options, more, n) && !has_option("rw", more, n) &&
		    used + 1 < size) {
			ret[used++] = ',';
			used += text_printable(ret + used, size - used, more, n);
		}
		more += n + (more[n] == ',');
	}
}

/* `m` lies in `*copy`, which the caller frees. */
static int find_mount(const char *mountinfo, const char *path, struct header *into, char **copy,
                      struct mount *m)
{
	int r;

	*copy = mem_copy_text(mountinfo);
	r = mountinfo_find(*copy, path, m);
	if (r)
		return r;
	text_printable_string(into->filesystem, sizeof(into->filesystem), m->filesystem);
	text_printable_string(into->mount_point, sizeof(into->mount_point), m->mount_point);
	join_options(m, into->mount_options, sizeof(into->mount_options));
	return 0;
}

int device_find_mount(const char *mountinfo, const char *path, struct header *into, char *source,
                      size_t size)
{
	struct mount m;
	char *copy;
	int r = find_mount(mountinfo, path, into, &copy, &m);

	if (!r)
		text_printable_string(source, size, m.source);
	free(copy);
	return r;
}

/* Filesystems with devices of their own (btrfs, ZFS, FUSE) have an anonymous number, 0:N: then the
 * source says the device, if it is one; of several joined by ':' (bcachefs) the first. */
static bool find_numbers(const struct mount *m, uint32_t *ret_major, uint32_t *ret_minor)
{
	char path[256];
	struct stat st;

	*ret_major = m->major;
	*ret_minor = m->minor;
	if (m->major != 0)
		return true;
	if (m->source[0] != '/')
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(m->source, ":"), m->source);
	if (stat(path, &st) != 0 || !S_ISBLK(st.st_mode))
		return false;
	*ret_major = major(st.st_rdev);
	*ret_minor = minor(st.st_rdev);
	return true;
}

/* In a plain chroot nothing lists the mount that its root is on, but the number can be had. */
static bool numbers_of_file(const char *path, uint32_t *ret_major, uint32_t *ret_minor)
{
	struct stat st;

	if (stat(path, &st) != 0 || major(st.st_dev) == 0)
		return false;
	*ret_major = major(st.st_dev);
	*ret_minor = minor(st.st_dev);
	return true;
}

static void forget(struct header *h)
{
	h->disk[0] = h->disk_model[0] = h->write_cache[0] = '\0';
	h->filesystem[0] = h->mount_point[0] = h->mount_options[0] = '\0';
	h->rotational = -1;
}

void device_describe(const struct roots *roots, const char *path, struct header *into)
{
	char *text = NULL, *copy = NULL, *resolved = realpath(path, NULL);
	uint32_t major, minor;
	size_t room = 0;
	struct mount m;
	bool known = false;

	forget(into);
	if (resolved && roots_read_whole(roots->proc, "self/mountinfo", &text, &room) > 0)
		known = find_mount(text, resolved, into, &copy, &m) == 0
		                ? find_numbers(&m, &major, &minor)
		                : numbers_of_file(resolved, &major, &minor);
	if (known)
		blockdev_describe(roots, major, minor, into);
	free(copy);
	free(text);
	free(resolved);
}
