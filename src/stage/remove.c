/* remove.c - remove a directory that is ours, and nothing else. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "parts.h"

/* Each level takes a descriptor; a scratch root has fewer than ten. */
#define DEPTH_MAX 64

/* Some filesystems skip entries when a directory shrinks while it is read (readdir(3)). */
#define PASSES_MAX 3

static int remove_any(int parent, const char *name, dev_t device, int depth);

/* RESOLVE_NO_XDEV (Linux 5.6) also stops at a bind mount of the same filesystem, which st_dev
 * does not tell. Older kernels, and containers that filter the call, leave us st_dev. */
static int open_below(int parent, const char *name)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV | RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	int fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(parent, name, (int)how.flags);
	return fd < 0 ? -errno : fd;
}

static int empty_out(DIR *dir, dev_t device, int depth)
{
	struct dirent *entry;
	int first = 0;

	rewinddir(dir);
	while ((entry = readdir(dir))) {
		int r;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		r = remove_any(dirfd(dir), entry->d_name, device, depth);
		if (r < 0 && first == 0)
			first = r;
	}
	return first;
}

/* Takes over `fd`, the directory that `name` in `parent` was a moment ago. If the name has come
 * to mean another directory since, rmdir(2) leaves that one alone unless it is empty. */
static int remove_opened(int fd, int parent, const char *name, dev_t device, int depth)
{
	DIR *dir = fdopendir(fd);
	int r = -ENOTEMPTY;

	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	for (int pass = 0; pass < PASSES_MAX && r == -ENOTEMPTY; pass++) {
		r = empty_out(dir, device, depth);
		if (r < 0)
			break;
		r = unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
	}
	closedir(dir);
	return r;
}

static int remove_any(int parent, const char *name, dev_t device, int depth)
{
	struct stat st;
	int r, fd;

	/* Linux refuses to unlink(2) a directory: no need to ask first what it is, no race. */
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	r = -errno;
	if (r != -EISDIR && r != -EPERM)
		return r;
	if (depth >= DEPTH_MAX)
		return -ELOOP;
	fd = open_below(parent, name);
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd == -ENOTDIR ? r : fd;
	if (fstat(fd, &st) < 0 || st.st_dev != device) {
		close(fd);
		return -EXDEV;
	}
	return remove_opened(fd, parent, name, device, depth + 1);
}

int remove_entry(int parent, const char *name, dev_t device)
{
	return remove_any(parent, name, device, 0);
}

int remove_tree(const char *path, dev_t device, ino_t inode)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		if (errno == ENOENT)
			return 0;
		return errno == ELOOP || errno == ENOTDIR ? -ESTALE : -errno;
	}
	if (fstat(fd, &st) < 0 || st.st_dev != device || st.st_ino != inode) {
		close(fd);
		return -ESTALE;
	}
	return remove_opened(fd, AT_FDCWD, path, device, 0);
}
