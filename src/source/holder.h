/* holder.h - who the holder of a lock is, and whom it works for. */
#ifndef DPKGTOP_HOLDER_H
#define DPKGTOP_HOLDER_H

#include "dpkgtop/source.h"

/* Whether a process of that name (comm) is known to upgrade packages. */
bool holder_is_frontend(const char *name);
/* Whether it outlives its upgrades. */
bool holder_is_resident(const char *name);

/* The name of a process alone, printable; cheaper than process_identify(). 0 or -errno. */
int holder_name(const struct roots *roots, int32_t pid, char *ret, size_t size);

/* Whether it runs as root, in the user namespace that we are in: root of another one is anybody
 * (user_namespaces(7)). */
bool holder_is_root(const struct roots *roots, int32_t pid);

/* From the holder up, as long as the parent is a frontend itself. Never from one that is root to
 * one that is not, or back: who started it through sudo may call himself anything, and so may a
 * downloader that runs as _apt below apt. */
struct process_counters holder_climb(const struct roots *roots, struct process_counters p);

/* The root directory of the process (upgrade.h, where). `lock` is the path of its lock file where
 * that is none of this machine's own, else NULL. 0, or -ESRCH if it can not be seen (any more):
 * `ret` is "?" with a lock and "" without. */
int holder_where(const struct roots *roots, int32_t pid, const char *lock, char *ret, size_t size);

#endif
