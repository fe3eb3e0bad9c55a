/* privileges.h - what dpkgtop keeps of root, once everything is open that takes root to open. */
#ifndef DPKGTOP_PRIVILEGES_H
#define DPKGTOP_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>

#include "dpkgtop/err.h"

/* Drops all capabilities but those that reading goes on to need, from the bounding and ambient
 * sets too, and the way to new ones (PR_SET_NO_NEW_PRIVS); for good. What was not there before is
 * not there after. `removes`: keeps also what it takes to remove the demo's root, whoever its
 * files belong to by then. Never before the last program was started that is not dpkgtop's own: a
 * child inherits all of it. 0 or -errno with detail: then the rest has been dropped. */
int privileges_drop(bool removes, struct err *e);

/* Who we are, in words: "root", "root without sys_admin, bpf", "uid 1000", "uid 1000 with
 * sys_ptrace". */
void privileges_words(char *ret, size_t size);

#endif
