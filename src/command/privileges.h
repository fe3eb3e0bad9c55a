/* privileges.h - what dpkgtop keeps of root, once everything is open that takes root to open. */
#ifndef DPKGTOP_PRIVILEGES_H
#define DPKGTOP_PRIVILEGES_H

#include <stddef.h>

#include "dpkgtop/err.h"

enum privileges_for {
	PRIVILEGES_WATCH,
	PRIVILEGES_RECORD, /* and to take away an empty recording in whoever's directory */
	PRIVILEGES_DEMO,   /* and to remove its root, whoever the files belong to by then */
};

/* Drops all capabilities but those that reading goes on to need, from the bounding and ambient
 * sets too, and the way to new ones (PR_SET_NO_NEW_PRIVS); for good. What was not there before is
 * not there after. It is the calling thread's alone: one made before has its own. Never before the
 * last program was started that is not dpkgtop's own: a child inherits all of it. 0 or -errno with
 * detail: then the rest has been dropped. */
int privileges_drop(enum privileges_for what, struct err *e);

/* Who we are, in words: "root", "root without sys_admin, bpf", "uid 1000", "uid 1000 with
 * sys_ptrace". */
void privileges_words(char *ret, size_t size);

#endif
