/* tracefs.c - the kernel's list of tracepoints, looked at without a mount that anybody would see.
 */
#include "dpkgtop/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"

/* A mount that is in no namespace, and is gone with its descriptor. */
static int open_detached(void)
{
	int context = fsopen("tracefs", FSOPEN_CLOEXEC), fd = -1;

	if (context >= 0 && fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = fsmount(context, FSMOUNT_CLOEXEC, 0);
	if (context >= 0)
		close(context);
	return fd;
}

/* Where it is not mounted, there is an empty directory of sysfs. */
static int open_mounted(void)
{
	int fd = open(TRACEFS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type == TRACEFS_MAGIC))
		return fd;
	close(fd);
	errno = ENODEV;
	return -1;
}

/* In a child that shares our descriptors, but not our mounts: a slave of our namespace, for in a
 * private one what the host unmounts meanwhile would stay in use. */
static int mount_apart(void *ret)
{
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0 ||
	    mount("tracefs", TRACEFS, "tracefs", 0, NULL) < 0)
		return 1;
	fd = open_mounted();
	return fd < 0 || dup3(fd, *(int *)ret, O_CLOEXEC) < 0 || close(fd) < 0;
}

/* The namespace ends with the child; the directory outlives it by its descriptor. */
static int open_apart(void)
{
	char stack[64 * 1024] __attribute__((aligned(16)));
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), status = 1;
	pid_t pid = clone(mount_apart, stack + sizeof(stack), CLONE_FILES | SIGCHLD, &fd);

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return fd;
	close(fd);
	return -1;
}

/* The second and third ways are for containers in which root may mount, but whose filter of system
 * calls does not know fsopen() (Linux 5.2), or refuses it: Docker's until 20.10.3. */
int tracefs_open(void)
{
	int fd = open_detached(), reason = errno;

	if (fd < 0)
		fd = open_mounted();
	if (fd < 0)
		fd = open_apart();
	if (fd >= 0)
		return fd;
	/* As fsopen() says it of a filesystem that is not in the kernel. */
	return reason == ENODEV ? -ENOENT : -reason;
}
