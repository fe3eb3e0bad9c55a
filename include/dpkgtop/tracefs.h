/* tracefs.h - the kernel's list of tracepoints (Documentation/trace/ftrace.rst), read without a
 * mount that anybody sees. */
#ifndef DPKGTOP_TRACEFS_H
#define DPKGTOP_TRACEFS_H

/* Its root directory, as a descriptor of a mount that is in no namespace: nobody sees it, and it is
 * gone with its descriptor. So tracefs need not be mounted, and nothing is changed by our looking
 * at it. Where that is not permitted, the one that is mounted at its usual place. Needs
 * CAP_SYS_ADMIN, or rights there. -ENOENT if this kernel has none; -EPERM, or another -errno. */
int tracefs_open(void);

#endif
