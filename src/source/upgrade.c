/* upgrade.c - which upgrade is running, by the locks on dpkg's database. */
#include "dpkgtop/upgrade.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dpkgtop/text.h"

/* apt-get below debootstrap below a script is three; a tree read while it changes may loop. */
#define CLIMB_MAX 32
/* More than enough for the 192 bytes that are kept. */
#define COMMAND_BYTES 1024

struct lock_file {
	bool there;
	dev_t device;
	ino_t inode;
	struct process_counters holder; /* pid 0: nobody */
};

/* By comm, which the kernel cuts to 15 characters. */
static const char *const frontends[] = {
	"apt",
	"apt-get",
	"aptitude",
	"aptitude-curses",
	"aptitude-curse",
	"aptd",
	"cdebootstrap",
	"cupt",
	"debootstrap",
	"do-release-upgr",
	"dpkg",
	"dselect",
	"mmdebstrap",
	"nala",
	"packagekitd",
	"synaptic",
	"unattended-upgr",
	"update-manager",
};

static bool is_frontend(const char *name)
{
	for (size_t i = 0; i < sizeof(frontends) / sizeof(*frontends); i++)
		if (!strcmp(name, frontends[i]))
			return true;
	return false;
}

/* Takes the process as the holder of `f` if the line says so. A waiting one has "->" before its
 * type (fs/locks.c), and so is not POSIX. The device need not be that of stat(2) (btrfs); then
 * the same inode number on another filesystem is told apart by the holder's name. */
static void lock_match(const struct roots *roots, const char *line, struct lock_file *f)
{
	char type[16], kind[16], mode[16];
	unsigned int maj, min;
	uint64_t inode;
	struct process_counters p;
	int32_t pid;

	if (!f->there || f->holder.pid ||
	    sscanf(line, "%*d: %15s %15s %15s %" SCNd32 " %x:%x:%" SCNu64, type, kind, mode, &pid,
	           &maj, &min, &inode) != 7)
		return;
	/* Pid 0 or -1: held in another pid namespace, or not by a process. */
	if (strcmp(type, "POSIX") || strcmp(mode, "WRITE") || pid <= 0 || inode != f->inode)
		return;
	if (process_identify(roots, pid, &p) < 0)
		return;
	if (is_frontend(p.name) || makedev(maj, min) == f->device)
		f->holder = p;
}

/* A database may lack one of the two: lock-frontend came with dpkg 1.19.1. */
static int lock_stat(const char *admindir, const char *name, struct lock_file *ret)
{
	struct stat st;
	char *path;
	int r = 0;

	if (asprintf(&path, "%s/%s", admindir, name) < 0)
		abort();
	if (stat(path, &st) < 0)
		r = -errno;
	else
		*ret = (struct lock_file){.there = true, .device = st.st_dev, .inode = st.st_ino};
	free(path);
	return r;
}

static int locks_find(const struct roots *roots, const char *admindir, struct lock_file *database,
                      struct lock_file *frontend)
{
	char *locks = NULL, *line, *rest;
	size_t room = 0;
	ssize_t len;
	int r, s;

	r = lock_stat(admindir, "lock", database);
	if (r < 0 && r != -ENOENT)
		return r;
	s = lock_stat(admindir, "lock-frontend", frontend);
	if (s < 0 && (r < 0 || s != -ENOENT))
		return s;
	len = roots_read_whole(roots->proc, "locks", &locks, &room);
	rest = len < 0 ? NULL : locks;
	while ((line = strsep(&rest, "\n"))) {
		lock_match(roots, line, database);
		lock_match(roots, line, frontend);
	}
	free(locks);
	return len < 0 ? (int)len : 0;
}

/* From the holder up, as long as the parent is a frontend itself: a shell, sudo or sshd above it
 * is the person's, not the upgrade's. */
static struct process_counters climb(const struct roots *roots, struct process_counters p)
{
	struct process_counters parent;

	for (int i = 0; i < CLIMB_MAX && p.parent > 1; i++) {
		if (process_identify(roots, p.parent, &parent) < 0 || !is_frontend(parent.name))
			break;
		p = parent;
	}
	return p;
}

int upgrade_find(const struct roots *roots, const char *admindir, struct upgrade_run *ret)
{
	struct lock_file database = {0}, frontend = {0};
	struct upgrade_run run = {0};
	struct process_counters root;
	int r;

	r = locks_find(roots, admindir, &database, &frontend);
	if (r < 0)
		return r;
	if (!database.holder.pid && !frontend.holder.pid)
		return 0;
	/* While it reads and downloads, apt holds both. */
	if (!strcmp(database.holder.name, "dpkg")) {
		run.dpkg = database.holder.pid;
		run.dpkg_start_ticks = database.holder.start_ticks;
		memcpy(run.dpkg_command, database.holder.command, sizeof(run.dpkg_command));
	}
	root = climb(roots, frontend.holder.pid ? frontend.holder : database.holder);
	run.root = root.pid;
	run.root_start_ticks = root.start_ticks;
	memcpy(run.frontend, root.name, sizeof(run.frontend));
	memcpy(run.command, root.command, sizeof(run.command));
	*ret = run;
	return 1;
}

static bool opened_for_append(int process, const char *fd)
{
	char path[300], buf[1024];
	unsigned int flags;
	const char *at;

	snprintf(path, sizeof(path), "fdinfo/%s", fd);
	if (roots_read(process, path, buf, sizeof(buf)) < 0)
		return false;
	at = strstr(buf, "flags:");
	return at && sscanf(at, "flags: %o", &flags) == 1 && flags & O_APPEND;
}

/* The first three are what it was started with: `apt-get … >>upgrade.log` is no log of dpkg's. */
static bool is_own_descriptor(const char *fd)
{
	return fd[0] >= '0' && fd[0] <= '9' && atoi(fd) > 2;
}

/* The length of the name of the log that `fd` is, 0 if it is none. In another mount namespace
 * the name means another file, or nothing: it must lead to the very file that is open. */
static size_t log_of_descriptor(int process, int fds, const char *fd, char *ret, size_t size)
{
	ssize_t len = readlinkat(fds, fd, ret, size - 1);
	struct stat opened, named;

	if (len <= 0 || (size_t)len >= size - 1)
		return 0;
	ret[len] = '\0';
	if (ret[0] != '/' || !text_ends(ret, ".log") || !opened_for_append(process, fd))
		return 0;
	if (fstatat(fds, fd, &opened, 0) < 0 || stat(ret, &named) < 0)
		return 0;
	return S_ISREG(opened.st_mode) && opened.st_dev == named.st_dev &&
	                       opened.st_ino == named.st_ino
	               ? (size_t)len
	               : 0;
}

int upgrade_log_path(const struct roots *roots, int32_t dpkg, char *ret, size_t size)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	char path[32], name[4096];
	struct dirent *entry;
	DIR *dir = NULL;
	int process, fds, r = 0;
	size_t len = 0;

	snprintf(path, sizeof(path), "%" PRId32, dpkg);
	process = openat(roots->proc, path, flags);
	if (process < 0)
		return -errno;
	fds = openat(process, "fd", flags);
	if (fds >= 0)
		dir = fdopendir(fds);
	if (!dir) {
		r = -errno;
		goto done;
	}
	while (!len && (entry = readdir(dir)))
		if (is_own_descriptor(entry->d_name))
			len = log_of_descriptor(process, fds, entry->d_name, name, sizeof(name));
	if (!len)
		r = -ENOENT;
	else if (len >= size)
		r = -ENAMETOOLONG;
	else
		memcpy(ret, name, len + 1);
done:
	if (dir)
		closedir(dir);
	else if (fds >= 0)
		close(fds);
	close(process);
	return r;
}
