/* tracefs.c - the kernel's list of tracepoints. */
#include "dpkgtop/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"

/* A descriptor, or -errno. */
static int mount_apart(void)
{
	int context = fsopen("tracefs", FSOPEN_CLOEXEC), fd = -1;

	if (context < 0)
		return errno == ENODEV ? -ENOENT : -errno;
	if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = fsmount(context, FSMOUNT_CLOEXEC, 0);
	if (fd < 0)
		fd = -errno;
	close(context);
	return fd;
}

int tracefs_open(void)
{
	int r = mount_apart(), fd;

	if (r >= 0)
		return r;
	fd = open(TRACEFS "/events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return r; /* what is not mounted there may still be in the kernel */
	close(fd);
	fd = open(TRACEFS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
