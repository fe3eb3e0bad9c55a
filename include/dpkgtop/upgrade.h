/* upgrade.h - which upgrade is running on this machine.
 *
 * dpkg and its frontends hold POSIX record locks on `lock` and `lock-frontend` in the admin
 * directory. /proc/locks (proc(5)) tells who holds them, without root; btrfs shows another device
 * number there than stat(2), so the inode is matched and the holder's name is the second test.
 * Helpers of maintainer scripts named "dpkg" hold no lock and are not taken for the upgrade. */
#ifndef DPKGTOP_UPGRADE_H
#define DPKGTOP_UPGRADE_H

#include "dpkgtop/event.h"
#include "dpkgtop/source.h"

struct upgrade_run {
	int32_t dpkg; /* the dpkg that holds the lock; 0 none at this moment */
	int32_t root; /* the frontend, or dpkg itself */
	uint64_t dpkg_start_ticks, root_start_ticks;
	char frontend[32]; /* name of the root process */
	char command[192]; /* its command line, printable */
	char dpkg_command[192];
};

/* Looks once. `admindir` is e.g. "/var/lib/dpkg". The root is the outermost frontend above the
 * holder. A holder whose device in /proc/locks is not that of stat(2) is believed only if its name
 * is a frontend's. 1 with `*ret` filled; 0 if none is running; -errno if it can not be told
 * (-ENOENT: neither lock file is there). */
int upgrade_find(const struct roots *roots, const char *admindir, struct upgrade_run *ret);

/* The log that process `dpkg` writes: a regular file among its descriptors, opened O_APPEND and
 * named *.log (root only), by a path that leads to that very file from here. 0, or -errno:
 * -ENOENT if there is none, or it is not to be reached (another mount namespace). */
int upgrade_log_path(const struct roots *roots, int32_t dpkg, char *ret, size_t size);

/* What apt has announced in history.log at `path`: the last stanza, if it has a Start-Date, a list
 * and no End-Date. apt writes the lists before it starts the first dpkg: ask only then and only
 * for its own frontends, since the last stanza may until then be that of a run that was killed.
 * At most the last 4 MiB are looked at. 0, -ENODATA if there is none or it is still being
 * written, -EINVAL if it is no regular file, or -errno. */
int upgrade_plan(const char *path, struct plan_event *ret);

/* As above from a dpkg command line (/proc/PID/cmdline, `len` bytes): counts its .deb words, each
 * an unpack, with -i or --install a configure too. -ENODATA if it names a directory or nothing, or
 * neither installs nor unpacks. */
int upgrade_plan_of_command(const char *cmdline, size_t len, struct plan_event *ret);

#endif
