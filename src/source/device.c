/* device.c - what lies below a directory: filesystem, volumes, disk. */
#include "dpkgtop/device.h"

#include "blockdev.h"
#include "mountinfo.h"

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Overlays on overlays, loop devices in files on loop devices. */
#define DEPTH_MAX 4

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

/* An option of the filesystem that has a value, unescaped; a copy that the caller frees, or NULL. A
 * comma in the value is escaped (seq_show_option()). */
static char *copy_option(const struct mount *m, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = m->super_options; *at;) {
		size_t n = strcspn(at, ",");

		if (n > len && at[len] == '=' && strncmp(at, name, len) == 0) {
			char *copy = mem_copy_text(at + len + 1);

			copy[n - len - 1] = '\0';
			return mountinfo_unescape(copy);
		}
		at += n + (at[n] == ',');
	}
	return NULL;
}

static bool device_of_file(const struct roots *roots, const char *path, bool directory, int depth,
                           struct block_number *ret);

/* Filesystems that may span devices have an anonymous number, 0:N: then the source says the first
 * device. Others with such a number (tmpfs, FUSE, ZFS, …) have none, or name it in a text that
 * anybody may have chosen. */
static bool device_of_mount(const struct roots *roots, const struct mount *m, int depth,
                            struct block_number *ret)
{
	char *text;
	bool found = false;

	*ret = (struct block_number){m->major, m->minor};
	if (m->major != 0)
		return true;
	if (strcmp(m->filesystem, "overlay") == 0) {
		text = copy_option(m, "upperdir");
		found = text && device_of_file(roots, text, true, depth + 1, ret);
		free(text);
	} else if (strcmp(m->filesystem, "btrfs") == 0) {
		found = blockdev_named(roots, m->source, ret);
	} else if (strcmp(m->filesystem, "bcachefs") == 0) {
		text = mem_copy_text(m->source);
		text[strcspn(text, ":")] = '\0';
		found = blockdev_named(roots, text, ret);
		free(text);
	}
	return found;
}

/* The mount that `key` is on. The process's own list shows its options as that process sees them,
 * but in a plain chroot not the mount that its root is a part of: ours has that. */
static const struct mount *find_mount(const struct mountinfo *its, const struct mountinfo *ours,
                                      const struct mount_key *key, const char *path)
{
	const struct mount *m = mountinfo_by_id(its, key->id);

	if (!m)
		m = mountinfo_by_id(ours, key->id);
	if (!m)
		m = mountinfo_by_device(its, key, path);
	return m ? m : mountinfo_by_device(ours, key, path);
}

/* Opens what holds `path` on this machine: itself, or, of a regular file, its directory; the names
 * come from the kernel, but may be those of another mount namespace. */
static int open_holder(const char *path, bool directory)
{
	char *copy = mem_copy_text(path), *slash = strrchr(copy, '/');
	struct place host;
	struct stat st;
	int fd = -ENOENT, r;

	r = copy[0] == '/' ? place_open_host(&host) : -ENOENT;
	if (r) {
		free(copy);
		return r;
	}
	if (directory) {
		fd = place_open_directory(&host, copy);
	} else if (slash[1]) {
		*slash = '\0';
		fd = place_open_directory(&host, *copy ? copy : "/");
		if (fd >= 0 && (fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		                !S_ISREG(st.st_mode))) {
			close(fd);
			fd = -ENOENT;
		}
	}
	place_close(&host);
	free(copy);
	return fd;
}

/* The block device that a file or directory of this machine lies on. */
static bool device_of_file(const struct roots *roots, const char *path, bool directory, int depth,
                           struct block_number *ret)
{
	struct mountinfo none = {0}, ours = {0};
	const struct mount *m;
	struct mount_key key;
	bool found = false;
	int fd;

	if (depth > DEPTH_MAX)
		return false;
	fd = open_holder(path, directory);
	if (fd < 0)
		return false;
	if (mount_key_of(fd, &key) == 0 && mountinfo_read(&ours, roots, 0) == 0) {
		m = find_mount(&none, &ours, &key, path);
		found = m && device_of_mount(roots, m, depth, ret);
	}
	mountinfo_done(&ours);
	close(fd);
	return found;
}

/* Down to a real disk: what a loop device lies in is on one again. Where that can not be told the
 * loop device itself remains. */
static void describe_stack(const struct roots *roots, struct block_number device,
                           struct storage_event *ret)
{
	char backing[PATH_MAX];

	for (int depth = 0; depth <= DEPTH_MAX; depth++)
		if (!blockdev_describe(roots, device, ret, backing, sizeof(backing)) || !*backing ||
		    !device_of_file(roots, backing, false, depth, &device))
			break;
}

static void describe_directory(const struct roots *roots, int fd, int32_t pid, const char *path,
                               struct storage_event *ret)
{
	struct mountinfo its = {0}, ours = {0};
	struct block_number device;
	const struct mount *m = NULL;
	struct mount_key key = {0};

	if (mount_key_of(fd, &key) == 0) {
		mountinfo_read(&ours, roots, 0);
		if (pid > 0)
			mountinfo_read(&its, roots, pid);
		m = find_mount(&its, &ours, &key, path);
	}
	if (m) {
		text_printable_string(ret->filesystem, sizeof(ret->filesystem), m->filesystem);
		text_printable_string(ret->mount_point, sizeof(ret->mount_point), m->mount_point);
		join_options(m, ret->mount_options, sizeof(ret->mount_options));
		if (device_of_mount(roots, m, 0, &device))
			describe_stack(roots, device, ret);
	} else if (key.major != 0) {
		describe_stack(roots, (struct block_number){key.major, key.minor}, ret);
	}
	mountinfo_done(&its);
	mountinfo_done(&ours);
}

void device_describe(const struct roots *roots, const struct place *place, int32_t pid,
                     const char *path, struct storage_event *ret)
{
	int fd = place_open_directory(place, path);

	memset(ret, 0, sizeof(*ret));
	ret->rotational = -1;
	if (fd < 0)
		return;
	describe_directory(roots, fd, pid, path, ret);
	close(fd);
}
