/* stage.h - the demo's scaffolding: synthetic packages and a scratch root for a real dpkg.
 *
 * Everything lies below one directory that stage_open() makes (mkdtemp, mode 0700) and
 * stage_close() removes; the host's dpkg database and log are never touched.
 *
 * The packages have no maintainer scripts, and md5sums as most real packages do. Installing them,
 * dpkg (1.21) calls fsync once for each file, 18 times for each package and 10 times besides, plus
 * 3 times for each 250 of its state notes, of which a package makes 6. A package without md5sums
 * takes 19: dpkg then makes them itself, and flushes info/ once more. */
#ifndef DPKGTOP_STAGE_H
#define DPKGTOP_STAGE_H

#include <stdint.h>
#include <sys/types.h>

#include "dpkgtop/err.h"

struct stage_options {
	const char *dir;   /* where the scratch directory is made; NULL: /var/tmp */
	int packages;      /* >= 1 */
	int files;         /* files in each, >= 1 */
	int64_t file_size; /* bytes of each file, >= 0 */
};

struct stage {
	char path[512];               /* "" when there is none */
	char root[544];               /* path/root: dpkg's --root */
	char log[576];                /* path/root/var/log/dpkg.log */
	char output[544];             /* path/output: what dpkg printed */
	struct stage_options options; /* `dir` stays the caller's string */
	/* Of `path`: nothing else is ever removed. */
	dev_t device;
	ino_t inode;
};

/* Makes the directories and the packages (dpkg-deb --build, payload below /opt; without md5sums,
 * which dpkg then makes itself, so that its 19 fsyncs a package are all there), and flushes that
 * filesystem (syncfs(2)), so that dpkg does not pay for it. `step` (may be NULL) is told after
 * each package and may end the work by returning non-zero (-ECANCELED).
 *
 * On failure what was made is removed again, and `s` may be given to stage_close() all the same.
 * With detail: -EPERM not root; -ENOENT no such directory, or no dpkg or dpkg-deb;
 * -ENOSPC, foreseen before anything is written; -EINVAL; -E2BIG more packages than a command line
 * holds; -EIO dpkg-deb failed. */
int stage_open(struct stage *s, const struct stage_options *options,
               int (*step)(void *context, int done), void *context, struct err *e);

/* The command that installs them all: dpkg --root … -i …, mode flags named explicitly, each package
 * a word. Returns a NULL-ended argv and its strings in one allocation for the caller to free(). */
char **stage_command(const struct stage *s);

/* Starts `argv` (stage_command) in a process group of its own: an environment of PATH, LC_ALL,
 * TMPDIR and our TZ only (no DPKG_*, LD_PRELOAD, HOME), no standard input, output appended to
 * s->output, signals unblocked and at their defaults; it gets SIGTERM if we die. Returns when it
 * has been executed; the caller waits for it.
 *
 * The host's /etc/dpkg/dpkg.cfg{,.d} applies. The command sets back what it can; hooks and loggers
 * (pre-invoke, post-invoke, status-logger) only add up and run as in any dpkg run of the host. */
int stage_start(const struct stage *s, char *const *argv, pid_t *ret, struct err *e);

/* Removes the scratch directory and all that is in it, never following a symbolic link, never
 * leaving its filesystem. Whatever runs in it must have ended. Safe to call twice. 0 or -errno
 * with detail: -ESTALE if `path` is no longer the directory that was made (it is left alone);
 * -EXDEV if something was mounted in it (all else is removed). */
int stage_close(struct stage *s, struct err *e);

#endif
