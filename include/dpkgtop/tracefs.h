/* tracefs.h - the kernel's list of tracepoints (Documentation/trace/ftrace.rst), read without a
 * mount that anybody sees. */
#ifndef DPKGTOP_TRACEFS_H
#define DPKGTOP_TRACEFS_H

/* Its root directory, as a descriptor of a mount that is in no namespace: nobody sees it, and it is
 * gone with its descriptor. So tracefs need not be mounted, and nothing is changed by our looking
 * at it. Where fsopen(2) is filtered, the one that is mounted at its usual place, else one that a
 * child mounts in a namespace of its own. Needs CAP_SYS_ADMIN, or rights there. -ENOENT if this
 * kernel has none; -EPERM, or another -errno. */
int tracefs_open(void);

#endif
