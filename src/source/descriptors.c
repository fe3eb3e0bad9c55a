/* descriptors.c - what a process has open. */
#include "descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* dpkg has a dozen, package managers with a desktop some hundred. A process that has more to hide
 * behind is not looked for. */
#define DESCRIPTORS_MAX 4096

static int find(struct descriptor *d, DIR *dir, int *budget,
                bool (*match)(const struct descriptor *d, void *user), void *user)
{
	struct dirent *entry;

	for (int i = 0; i < DESCRIPTORS_MAX && (entry = readdir(dir)); i++) {
		ssize_t len;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		if (budget && (*budget)-- <= 0)
			break;
		d->name = entry->d_name;
		len = readlinkat(d->fds, d->name, d->target, sizeof(d->target) - 1);
		if (len <= 0)
			continue;
		d->target[len] = '\0';
		if (match(d, user))
			return 1;
	}
	return 0;
}

int descriptors_find(const struct roots *roots, int32_t pid, int *budget,
                     bool (*match)(const struct descriptor *d, void *user), void *user)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	struct descriptor d;
	DIR *dir = NULL;
	char path[32];
	int r;

	if (budget && *budget <= 0)
		return 0;
	snprintf(path, sizeof(path), "%" PRId32, pid);
	d.process = openat(roots->proc, path, flags);
	if (d.process < 0)
		return -errno;
	d.fds = openat(d.process, "fd", flags);
	if (d.fds >= 0)
		dir = fdopendir(d.fds);
	r = dir ? find(&d, dir, budget, match, user) : -errno;
	if (dir)
		closedir(dir);
	else if (d.fds >= 0)
		close(d.fds);
	close(d.process);
	return r;
}

ssize_t descriptor_info(const struct descriptor *d, char *buf, size_t size)
{
	char path[300];
	ssize_t len;

	snprintf(path, sizeof(path), "fdinfo/%s", d->name);
	len = roots_read(d->process, path, buf, size);
	return len == -EFBIG ? (ssize_t)strlen(buf) : len;
}

int descriptor_file(int dir, const char *path, struct descriptor_file *ret)
{
	struct statx st;

	if (statx(dir, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &st) < 0)
		return -errno;
	*ret = (struct descriptor_file){
		.device = makedev(st.stx_dev_major, st.stx_dev_minor),
		.inode = st.stx_ino,
		.mode = st.stx_mode,
		.owner = st.stx_uid,
	};
	return 0;
}
