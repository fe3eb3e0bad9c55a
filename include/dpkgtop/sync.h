/* sync.h - the sync calls that are counted, and the classes of files they wait for.
 *
 * Free of libc: shared with the BPF program. Not seen by it are O_SYNC and O_DSYNC writes, fsync
 * through io_uring, and calls of 32-bit programs on a 64-bit kernel. */
#ifndef DPKGTOP_SYNC_H
#define DPKGTOP_SYNC_H

enum sync_call {
	SYNC_FSYNC,       /* fsync(2) */
	SYNC_FDATASYNC,   /* fdatasync(2) */
	SYNC_RANGE_WAIT,  /* sync_file_range(2) with WAIT_BEFORE alone: dpkg's barrier */
	SYNC_RANGE_WRITE, /* with WRITE alone: starts writing, seldom waits */
	SYNC_RANGE_OTHER, /* with other flags */
	SYNC_SYNCFS,      /* syncfs(2) */
	SYNC_SYNC,        /* sync(2) */
	SYNC_MSYNC,       /* msync(2), MS_ASYNC too */
	N_SYNC_CALLS
};

/* Each call is of one class. dpkg is a process of that name (its comm), as the database's class is
 * also that of its short-lived helpers, which write the same files. */
enum sync_class {
	SYNC_PACKAGE,   /* dpkg: fsync, fdatasync, sync_file_range of *.dpkg-new, but WRITE */
	SYNC_DATABASE,  /* dpkg: all else */
	SYNC_WRITEBACK, /* dpkg: sync_file_range with WRITE alone */
	SYNC_OTHER,     /* all other processes of the upgrade */
	N_SYNC_CLASSES
};

#endif
