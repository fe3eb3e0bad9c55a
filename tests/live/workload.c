/* workload.c - a program whose sync calls are known.
 *
 * workload NAME FILE [fsync COUNT]: takes NAME as its own, makes FILE, and calls on it 23 fsync,
 * 7 fdatasync, 5 sync_file_range with each flag and 5 with all, 3 syncfs, 2 sync and 11 msync; or
 * COUNT times fsync, after a byte each. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static int fd;
static char *map;

static int call_fsync(void)
{
	return fsync(fd);
}

static int call_fdatasync(void)
{
	return fdatasync(fd);
}

static int range_wait_before(void)
{
	return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE);
}

static int range_write(void)
{
	return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static int range_wait_after(void)
{
	return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_AFTER);
}

static int range_all(void)
{
	return sync_file_range(fd, 0, 0,
	                       SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
	                               SYNC_FILE_RANGE_WAIT_AFTER);
}

static int call_syncfs(void)
{
	return syncfs(fd);
}

static int call_sync(void)
{
	sync();
	return 0;
}

static int call_msync(void)
{
	return msync(map, 4096, MS_SYNC);
}

static int repeat(int count, int (*call)(void))
{
	for (int i = 0; i < count; i++)
		if (pwrite(fd, "x", 1, i) != 1 || call() < 0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return 1;
	if (argc == 5 && strcmp(argv[3], "fsync") == 0)
		return repeat(atoi(argv[4]), call_fsync);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	return repeat(23, call_fsync) || repeat(7, call_fdatasync) ||
	       repeat(5, range_wait_before) || repeat(5, range_write) ||
	       repeat(5, range_wait_after) || repeat(5, range_all) || repeat(3, call_syncfs) ||
	       repeat(2, call_sync) || repeat(11, call_msync);
}
