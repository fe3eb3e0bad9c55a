/* role.h - what a process is to the upgrade, by its name and its command line. */
#ifndef DPKGTOP_SESSION_ROLE_H
#define DPKGTOP_SESSION_ROLE_H

#include "dpkgtop/event.h"
#include "dpkgtop/probe.h"

/* The programs that have a role by their name, and dpkg: all that need be told of, besides scripts
 * and methods. */
extern const struct probe_name role_names[];

/* The role that a process has by its name (comm, printable) and its command line (words separated
 * by spaces, may be cut): true with `ret`'s role, package and script filled. `by_apt`: its parent
 * is a frontend. */
bool role_of(const char *name, const char *command, bool by_apt, struct exec_event *ret);

/* Whether this is a dpkg that a frontend runs to change packages (dpkg(1), ACTIONS), and not one of
 * those that only answer a question. */
bool role_is_dpkg_at_work(const char *name, const char *command);

#endif
