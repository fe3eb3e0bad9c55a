/* dpkglog.h - dpkg.log: the parser of its lines, and the follower of the file.
 *
 * The log has local time in whole seconds, no pid, no exit (facts: dpkg(1) --log, lib/dpkg/log.c;
 * the same from dpkg 1.17 to 1.23). Lines are therefore stamped when they arrive. */
#ifndef DPKGTOP_DPKGLOG_H
#define DPKGTOP_DPKGLOG_H

#include "dpkgtop/err.h"
#include "dpkgtop/event.h"

/* Parses one line without its newline into `ret` (kind EVENT_PACKAGE; the stamp is left alone).
 * A trailing CR is ignored, `:arch` may be missing, a localised "<none>" (any word in angle
 * brackets) is "". 0, or -EBADMSG if it is no line of dpkg's. */
int dpkglog_parse_line(const char *line, size_t len, struct event *ret);

struct dpkglog;

/* Follows the log `path` from its present end, or, `from_start`, from its first byte. The file
 * need not exist yet. `path` is the caller's machine's own. */
int dpkglog_open(struct dpkglog **ret, const char *path, bool from_start, struct err *e);
void dpkglog_close(struct dpkglog *l);

/* The inotify descriptor: readable when something may have changed. */
int dpkglog_fd(const struct dpkglog *l);

/* Reads what has come since, whole lines only: calls `take` for each event, all with the stamp
 * `at`. After a rotation the old file is read to its end first and goes on being followed (a
 * running dpkg keeps writing there), the new one is followed too. A line longer than 4 KiB, or
 * one that does not parse, is passed over and counted. Returns events taken, or -errno. */
int dpkglog_read(struct dpkglog *l, const struct stamp *at,
                 void (*take)(void *context, const struct event *e), void *context);

/* Lines passed over so far. */
uint64_t dpkglog_skipped(const struct dpkglog *l);

#endif
