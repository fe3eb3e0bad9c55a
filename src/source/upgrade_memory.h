/* upgrade_memory.h - who held which locks when all of them were asked. */
#ifndef DPKGTOP_UPGRADE_MEMORY_H
#define DPKGTOP_UPGRADE_MEMORY_H

#include <sys/stat.h>

#include "dpkgtop/upgrade.h"
#include "locks.h"

/* Adds the holder of a lock as it is now. Call it before it is asked: what changes meanwhile then
 * differs the next time. One that can not be seen, or is one too many, leaves the memory not whole,
 * which is the same as no other. */
void upgrade_memory_add(struct upgrade_memory *m, const struct roots *roots,
                        const struct held_lock *lock, bool stranger);

/* Adds a lock file of our own; `st_ino` 0: it is not there. */
void upgrade_memory_own(struct upgrade_memory *m, int index, const struct stat *st);

/* Whether asking would tell the same: what was added, in order, and the rest. */
bool upgrade_memory_same(const struct upgrade_memory *a, const struct upgrade_memory *b);

#endif
