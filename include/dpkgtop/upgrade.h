/* upgrade.h - which upgrade is running on this machine.
 *
 * dpkg and its frontends hold POSIX record locks on `lock` and `lock-frontend` in the admin
 * directory. /proc/locks (proc(5)) tells who holds them, without root; btrfs shows another device
 * number there than stat(2), so the inode is matched and the holder's name is the second test.
 * Helpers of maintainer scripts named "dpkg" hold no lock and are not taken for the upgrade. */
#ifndef DPKGTOP_UPGRADE_H
#define DPKGTOP_UPGRADE_H

#include <sys/types.h>

#include "dpkgtop/event.h"
#include "dpkgtop/place.h"
#include "dpkgtop/source.h"

struct upgrade_run {
	int32_t dpkg; /* the dpkg that holds the lock; 0 none at this moment */
	int32_t root; /* the frontend, or dpkg itself */
	uint64_t dpkg_start_ticks, root_start_ticks;
	char frontend[32]; /* name of the root process */
	char command[192]; /* its command line, printable */
	char dpkg_command[192];
	/* The frontend outlives its upgrades (aptitude, synaptic, packagekitd): what is over is
	 * told by its locks, not by its end. */
	bool resident;
	/* The root directory it works in: "" this machine's own, else a path from here, printable
	 * (that of dpkg --root=X too, though the process itself is in the caller's); "?" in
	 * another mount namespace. */
	char where[128];
	/* The holders are root in the user namespace that we are in, and the lock file, and in
	 * another root directory the log, belong to root. Only such an upgrade is chosen without
	 * being asked for. */
	bool trusted;
};

#define UPGRADES_MAX 16
struct upgrade_list {
	struct upgrade_run runs[UPGRADES_MAX]; /* by rising start of the root process */
	size_t count;
	/* There may be others: too many to list (those that are not trusted go first), or more
	 * locks and descriptors than are looked at. */
	bool more;
};

/* Looks once. Every holder of a lock file of dpkg's that /proc/locks shows is one, those with one
 * root process being the same. This machine's own lock files are those in `admindir`
 * ("/var/lib/dpkg"); those of chroots and containers are known by the holder's name and
 * descriptors, which needs root. `only_own`: leave the others out. 0, or -errno if nothing can be
 * told: then `*ret` is left as it was. */
int upgrade_list(const struct roots *roots, const char *admindir, bool only_own,
                 struct upgrade_list *ret);

/* Who held a lock when its holders were asked, each as its stat (proc(5)) had it. */
struct upgrade_holder {
	int32_t pid, parent;
	uint64_t start_ticks;
	char name[32];
	dev_t device; /* as /proc/locks has it */
	ino_t inode;
	bool stranger; /* not root's */
};

#define UPGRADE_HOLDERS_MAX 32
#define UPGRADE_OWN_LOCKS   2
/* What one look leaves for the next; the caller's, all 0 at first, or where nothing shall be taken
 * as it was. Belongs to one list, one `admindir` and one struct roots. */
struct upgrade_memory {
	struct upgrade_holder holders[UPGRADE_HOLDERS_MAX];
	size_t count;
	struct {
		dev_t device;
		ino_t inode; /* 0: not there */
		uid_t owner;
	} own[UPGRADE_OWN_LOCKS]; /* this machine's own lock files */
	bool only_own, more;
	bool whole; /* it has all holders */
	int left;   /* calls for which it stands */
};

/* As upgrade_list(), many times: as long as the same processes, with the same names and parents,
 * hold the same locks, `*list` stays as the last call left it and they are not asked again; at each
 * fifth call they are, whatever the locks say, for a process further up may have ended, or one have
 * called another program. After an error the next call asks. */
int upgrade_list_again(const struct roots *roots, const char *admindir, bool only_own,
                       struct upgrade_memory *m, struct upgrade_list *list);

/* The root directory that a process works in, as `where` above says it; of a dpkg --root=X, which
 * is told by its lock, the caller's. 0, or -ESRCH if it has ended. */
int upgrade_where(const struct roots *roots, int32_t pid, char *ret, size_t size);

/* The log that process `dpkg` writes: a regular file among its descriptors beyond the first three,
 * opened O_APPEND and named *.log (root only). `ret` gets its path inside the process' root
 * (`place`), where it leads to that very file; or, with `*ret_host` set, inside this machine's own
 * (dpkg --root=X logs in the caller's). 0, -ENOENT, -ENAMETOOLONG, or -errno if the descriptors
 * can not be looked at (-EACCES without root). */
int upgrade_log_path(const struct roots *roots, const struct place *place, int32_t dpkg, char *ret,
                     size_t size, bool *ret_host);

/* What apt has announced in history.log, `path` inside `place`: the last stanza, if it has a
 * Start-Date, a list and no End-Date. apt writes the lists before it starts the first dpkg: ask
 * only then and only for its own frontends, since the last stanza may until then be that of a run
 * that was killed. At most the last 4 MiB are looked at. 0, -ENODATA if there is none or it is
 * still being written, -EINVAL if it is no regular file, or -errno. */
int upgrade_plan(const struct place *place, const char *path, struct plan_event *ret);

/* As above from a dpkg command line (/proc/PID/cmdline, `len` bytes): counts its .deb words, each
 * an unpack, with -i or --install a configure too. -ENODATA if it names a directory or nothing, or
 * neither installs nor unpacks. */
int upgrade_plan_of_command(const char *cmdline, size_t len, struct plan_event *ret);

#endif
