/* stage.h - the demo's scaffolding: synthetic packages and a scratch root for a real dpkg.
 *
 * Everything lies below one directory that stage_open() makes (mkdtemp, mode 0700) and
 * stage_close() removes; the host's dpkg database and log are never touched. */
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
	char path[512];   /* "" when there is none */
	char root[544];   /* path/root: dpkg's --root */
	char log[576];    /* path/root/var/log/dpkg.log */
	char output[544]; /* path/output: what dpkg printed */
	struct stage_options options;
};

/* Makes the directories and the packages (dpkg-deb --build, payload below /opt). `step` (may be
 * NULL) is told after each package and may end the work by returning non-zero (-ECANCELED). On
 * failure what was made is removed again. */
int stage_open(struct stage *s, const struct stage_options *options,
               int (*step)(void *context, int done), void *context, struct err *e);

/* The command that installs them all: dpkg --root … -i …, mode flags named explicitly.
 * Returns a NULL-ended argv and its strings in one allocation for the caller to free(). */
char **stage_command(const struct stage *s);

/* Starts `argv` (stage_command) in a process group of its own: DPKG_FORCE unset, LC_ALL=C.UTF-8,
 * no standard input, output into s->output, signals unblocked; it gets SIGTERM if we die. */
int stage_start(const struct stage *s, char *const *argv, pid_t *ret, struct err *e);

/* Removes the scratch directory and all that is in it, never following a symbolic link, never
 * leaving its filesystem. Safe to call twice. 0 or -errno with detail. */
int stage_close(struct stage *s, struct err *e);

#endif
