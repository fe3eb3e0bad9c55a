/* parts.h - what the demo's scaffolding is made of: child processes, packages, removal. */
#ifndef STAGE_PARTS_H
#define STAGE_PARTS_H

#include <stdbool.h>

#include "dpkgtop/stage.h"

/* How a child is started. It has no standard input, an environment of its own (PATH, LC_ALL, TZ,
 * TMPDIR) that nothing of ours leaks into, unblocked signals at their defaults, a process group
 * of its own, and gets SIGTERM when we die. */
struct spawn {
	char *const *argv;
	const char *dir;    /* working directory; NULL: ours */
	const char *tmp;    /* TMPDIR */
	const char *output; /* standard output is appended to it; NULL: nowhere */
	const char *errors; /* standard error, likewise */
};

/* 0 when the program has been executed, or -errno of whatever failed before. */
int spawn_start(const struct spawn *how, pid_t *ret);

/* Waits. The status as waitpid(2) tells it, or -errno. */
int spawn_wait(pid_t pid);

/* Kills its process group and waits. */
void spawn_kill(pid_t pid);

/* Whether spawn_start() would find a program of that name. */
bool spawn_can(const char *program);

/* Whether `dir` has room for what `options` ask; -ENOSPC with the numbers. */
int space_check(const struct stage_options *options, const char *dir, struct err *e);

/* Builds the packages into path/debs. Told and ended by `step` as stage_open() says. */
int packages_build(const struct stage *s, int (*step)(void *context, int done), void *context,
                   struct err *e);

/* Writes the .deb of a package (0 …) into `ret`; the length. */
int packages_path(const struct stage *s, int package, char *ret, size_t size);

/* Removes the directory at `path` if it is the one with that device and inode, with all that is
 * in it: no symbolic link is followed, no other filesystem and no other mount entered. What is
 * gone already is no error. 0 or the first -errno, after removing what can be removed;
 * -ESTALE if it is another directory. */
int remove_tree(const char *path, dev_t device, ino_t inode);

/* As above for an entry of the directory `parent`, of whatever type, on `device`. */
int remove_entry(int parent, const char *name, dev_t device);

#endif
