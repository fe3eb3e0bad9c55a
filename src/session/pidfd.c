/* pidfd.c - the end of a process that is not our child. */
#include "dpkgtop/pidfd.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dpkgtop/event.h"

/* include/uapi/linux/pidfd.h of Linux 6.15; the headers of Debian 12 and 13 are older. */
struct pidfd_info_v1 {
	uint64_t mask;
	uint64_t cgroupid;
	uint32_t pid, tgid, ppid;
	uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
	int32_t exit_code;
};
#define INFO_EXIT (UINT64_C(1) << 3)
#define GET_INFO  _IOWR(0xFF, 11, struct pidfd_info_v1)

int pidfd_of(int32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

size_t pidfd_ended(struct pollfd *fds, size_t count)
{
	size_t asked = 0;
	int ended;

	for (size_t i = 0; i < count; i++) {
		fds[i].events = POLLIN;
		fds[i].revents = 0;
		asked += fds[i].fd >= 0;
	}
	if (!asked)
		return 0;
	ended = poll(fds, count, 0);
	for (size_t i = 0; ended < 0 && i < count; i++)
		fds[i].revents = 0;
	return ended < 0 ? 0 : (size_t)ended;
}

int32_t pidfd_shell_status(int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : STATUS_UNKNOWN;
}

static bool own_child(int fd, int32_t *ret)
{
	siginfo_t info = {0};

	if (waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
		return false;
	*ret = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	return true;
}

int32_t pidfd_wait_status(int fd, int attempts)
{
	static const struct timespec pause = {0, 200000};
	int32_t status = STATUS_UNKNOWN;

	if (own_child(fd, &status))
		return status;
	for (int attempt = 0; attempt < attempts; attempt++) {
		struct pidfd_info_v1 info = {.mask = INFO_EXIT};

		if (ioctl(fd, GET_INFO, &info) < 0 && errno != ESRCH)
			return STATUS_UNKNOWN; /* an older kernel */
		if (info.mask & INFO_EXIT)
			return pidfd_shell_status(info.exit_code);
		if (attempt + 1 < attempts)
			nanosleep(&pause, NULL);
	}
	return STATUS_UNKNOWN;
}
