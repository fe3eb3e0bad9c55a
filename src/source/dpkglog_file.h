/* dpkglog_file.h - one file of a dpkg.log that is followed: where reading stands, and its lines. */
#ifndef DPKGTOP_DPKGLOG_FILE_H
#define DPKGTOP_DPKGLOG_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "dpkglog_time.h"

#define LOG_LINE_ROOM 4096
/* As much is read of what has come, or of what had come before us; beyond, only its end. dpkg's
 * own lines of a release upgrade of 2000 packages take 3 MB. */
#define LOG_MOST (8 << 20)

struct log_file {
	int fd, watch;
	dev_t device;
	ino_t inode;
	off_t offset;
	off_t old;       /* lines that end before it stood there before us, and are wanted */
	bool in_midline; /* what comes up to the next newline began before us */
	bool too_long;   /* the same, but it is a line that was given up */
	size_t used;
	char line[LOG_LINE_ROOM];
	struct log_clock clock;
};

/* Where to begin in a file that is `st`; zeroed, it is the first byte. */
void log_file_start_at_end(struct log_file *f, const struct stat *st);
/* Behind the last line stamped before `since` (CLOCK_REALTIME, s). */
void log_file_start_since(struct log_file *f, const struct stat *st, int64_t since);

/* What the lines are given to; `old`: it stood there before us. False: it is no line of dpkg's. */
typedef bool (*log_line_fn)(void *context, struct log_file *f, bool old);

/* Gives each whole line that has come (`f->line`, `f->used` bytes) to `take`; `*skipped` counts
 * those that are none. 0 or -errno. */
int log_file_read(struct log_file *f, log_line_fn take, void *context, uint64_t *skipped);

#endif
