/* place.c - files below a root, without leaving it and without opening what is no file. */
#include "dpkgtop/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "dpkgtop/mem.h"

/* EAGAIN says that something was renamed or mounted meanwhile, anywhere on the machine
 * (openat2(2)); who does so without a rest shall not keep us. */
#define TRIES 16

int place_open_host(struct place *p)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*p = (struct place){.root = fd, .host = true};
	return 0;
}

int place_open_process(struct place *p, const struct roots *roots, int32_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%d/root", pid);
	fd = openat(roots->proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*p = (struct place){.root = fd, .host = false};
	return 0;
}

int place_open_path(struct place *p, const char *path)
{
	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		return -errno;
	*p = (struct place){.root = root};
	return 0;
}

bool place_same(const struct place *a, const struct place *b)
{
	struct stat of_a, of_b;

	return fstat(a->root, &of_a) == 0 && fstat(b->root, &of_b) == 0 &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

void place_close(struct place *p)
{
	if (p->root >= 0)
		close(p->root);
	p->root = -1;
}

/* Finds `path` inside the root. O_PATH opens nothing (open(2)): no FIFO gets a reader, no driver
 * hears of it. */
static int find(const struct place *p, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	if (p->root < 0)
		return -EBADF;
	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, p->root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	/* Older kernels lack it; sandboxes of before its time forbid it with EPERM. In our own root
	 * a path means the same without. */
	if (fd < 0 && p->host && (errno == ENOSYS || errno == EPERM))
		fd = open(path, (int)how.flags);
	return fd < 0 ? -errno : (int)fd;
}

/* Files that are regular by their mode, but whose reading is a request to the kernel: /proc/kmsg
 * takes the messages away from the system's logger. A root in which one of these is mounted may
 * lead there by a symlink. */
static bool is_of_kernel(int fd)
{
	static const uint32_t kinds[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,    DEBUGFS_MAGIC,      TRACEFS_MAGIC,
		SECURITYFS_MAGIC, PSTOREFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		EFIVARFS_MAGIC,   BPF_FS_MAGIC,   BINFMTFS_MAGIC,     SELINUX_MAGIC,
	};
	struct statfs st;

	if (fstatfs(fd, &st) < 0)
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((uint32_t)st.f_type == kinds[i])
			return true;
	return false;
}

/* Opens what `found` stands for, and that alone: a name could be another file's by now.
 * O_NONBLOCK, since a lease of the file's owner would hold us (fcntl(2)). */
static int reopen(int found, const struct stat *st)
{
	char path[32];
	struct stat now;
	int fd, r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* The file is there, so what is missing is /proc. */
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? -ENOTSUP : -errno;
	if (fstat(fd, &now) < 0)
		r = -errno;
	else if (now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		r = -ENOTSUP; /* /proc is none of the kernel's */
	else
		return fd;
	close(fd);
	return r;
}

int place_open(const struct place *p, const char *path, struct stat *ret_stat)
{
	struct stat st;
	int found = find(p, path, 0);
	int r;

	if (found < 0)
		return found;
	if (fstat(found, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode) || is_of_kernel(found))
		r = -EINVAL;
	else
		r = reopen(found, &st);
	close(found);
	if (r >= 0 && ret_stat)
		*ret_stat = st;
	return r;
}

int place_stat(const struct place *p, const char *path, struct stat *ret)
{
	int found = find(p, path, 0);
	int r = 0;

	if (found < 0)
		return found;
	if (fstat(found, ret) < 0)
		r = -errno;
	close(found);
	return r;
}

int place_open_directory(const struct place *p, const char *path)
{
	return find(p, path, O_DIRECTORY);
}

int place_read_end(const struct place *p, const char *path, size_t most, char **ret,
                   size_t *ret_len, bool *ret_cut)
{
	struct stat st;
	char *text;
	size_t want, len = 0;
	ssize_t n = 1;
	int fd = place_open(p, path, &st);

	if (fd < 0)
		return fd;
	want = (uint64_t)st.st_size > most ? most : (size_t)st.st_size;
	text = mem_new(want + 1, 1);
	while (len < want && n != 0) {
		n = pread(fd, text + len, want - len, st.st_size - (off_t)(want - len));
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	if (n < 0) {
		int r = -errno;

		free(text);
		close(fd);
		return r;
	}
	close(fd);
	*ret = text;
	*ret_len = len;
	*ret_cut = (uint64_t)st.st_size > want;
	return 0;
}
