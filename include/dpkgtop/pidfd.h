/* pidfd.h - the end of a process that is not our child: exact, and without asking its parent.
 *
 * A pidfd becomes readable when its process ends (pidfd_open(2), Linux 5.3), whoever owns it. The
 * exit status is told by PIDFD_GET_INFO with PIDFD_INFO_EXIT (Linux 6.15), once the parent has
 * waited for it; on older kernels it stays unknown. */
#ifndef DPKGTOP_PIDFD_H
#define DPKGTOP_PIDFD_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/* A descriptor, or -errno (-ESRCH: it is gone already). */
int pidfd_of(int32_t pid);

/* Which processes have ended, all asked by one call: `fd` of each is a pidfd, negative where nobody
 * is asked. The `revents` of those that have is not 0. How many they are; 0 also if the call fails,
 * and then nobody has. */
size_t pidfd_ended(struct pollfd *fds, size_t count);

/* How an ended process ended, as shells say it: 0–255, 128 + signal; STATUS_UNKNOWN on a kernel
 * that does not tell. Our own child can still be waited for, by whoever started it; another's
 * status is there once its parent has waited: it is looked for so many times, 0.2 ms apart. */
int32_t pidfd_wait_status(int fd, int attempts);

/* A wait status (waitpid(2)) as shells say it. */
int32_t pidfd_shell_status(int wait_status);

#endif
