/* log_path.c - where the log is that a dpkg writes. */
#include "log_path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/text.h"
#include "dpkgtop/upgrade.h"

static bool opened_for_append(const struct descriptor *d)
{
	char info[1024];
	unsigned int flags;
	const char *at;

	if (descriptor_info(d, info, sizeof(info)) < 0)
		return false;
	at = strstr(info, "flags:");
	return at && sscanf(at, "flags: %o", &flags) == 1 && flags & O_APPEND;
}

/* The first three are what it was started with: `apt-get … >>upgrade.log` is no log of dpkg's. */
static bool match(const struct descriptor *d, void *user)
{
	struct log_descriptor *ret = user;

	if (atoi(d->name) <= 2 || d->target[0] != '/' || !text_ends(d->target, ".log") ||
	    !opened_for_append(d) || descriptor_file(d->fds, d->name, &ret->file) < 0 ||
	    !S_ISREG(ret->file.mode))
		return false;
	memcpy(ret->path, d->target, sizeof(ret->path));
	return true;
}

int log_find_descriptor(const struct roots *roots, int32_t dpkg, struct log_descriptor *ret)
{
	return descriptors_find(roots, dpkg, NULL, match, ret);
}

/* The part of `path` that lies inside the process' root directory; all of it where that is this
 * machine's own, or that of another mount namespace, whose paths begin at its own root. */
static const char *inside(const struct roots *roots, int32_t pid, const char *path)
{
	char name[32], root[4096];
	ssize_t len;

	snprintf(name, sizeof(name), "%" PRId32 "/root", pid);
	len = readlinkat(roots->proc, name, root, sizeof(root) - 1);
	if (len <= 1)
		return path;
	root[len] = '\0';
	return text_starts(path, root) && path[len] == '/' ? path + len : path;
}

static bool leads_to(const struct place *place, const char *path,
                     const struct descriptor_file *file)
{
	struct stat st;
	int fd = place_open(place, path, &st);

	if (fd < 0)
		return false;
	close(fd);
	return st.st_dev == file->device && st.st_ino == file->inode;
}

static bool leads_to_in_host(const char *path, const struct descriptor_file *file)
{
	struct place host;
	bool found;

	if (place_open_host(&host) < 0)
		return false;
	found = leads_to(&host, path, file);
	place_close(&host);
	return found;
}

/* The link's words are a path from our root as far as the kernel can say, and may mean another
 * file in the process' own: only that very file is the log. */
int upgrade_log_path(const struct roots *roots, const struct place *place, int32_t dpkg, char *ret,
                     size_t size, bool *ret_host)
{
	struct log_descriptor log;
	const char *path;
	bool host = false;
	int r = log_find_descriptor(roots, dpkg, &log);

	if (r < 0)
		return r;
	if (!r)
		return -ENOENT;
	path = inside(roots, dpkg, log.path);
	if (!leads_to(place, path, &log.file)) {
		path = log.path;
		host = true;
		if (!leads_to_in_host(path, &log.file))
			return -ENOENT;
	}
	if (strlen(path) >= size)
		return -ENAMETOOLONG;
	memcpy(ret, path, strlen(path) + 1);
	*ret_host = host;
	return 0;
}
