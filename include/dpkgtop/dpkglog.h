/* dpkglog.h - dpkg.log: the parser of its lines, and the follower of the file.
 *
 * The log has local time in whole seconds, no pid, no exit (facts: dpkg(1) --log, lib/dpkg/log.c;
 * the same from dpkg 1.17 to 1.23). Lines are therefore stamped when they arrive. */
#ifndef DPKGTOP_DPKGLOG_H
#define DPKGTOP_DPKGLOG_H

#include "dpkgtop/err.h"
#include "dpkgtop/event.h"
#include "dpkgtop/place.h"

/* Parses one line without its newline into `ret` (kind EVENT_PACKAGE; the stamp is left alone).
 * A trailing CR is ignored, `:arch` may be missing, a localised "<none>" (any words in angle
 * brackets) is "". Text is made printable and cut to its member; of a conffile line the file name
 * is cut, not the decision. 0, or -EBADMSG if it is no line of dpkg's. */
int dpkglog_parse_line(const char *line, size_t len, struct event *ret);

struct dpkglog;

/* Where in a log to begin. */
enum dpkglog_from {
	DPKGLOG_END,   /* what comes from now on */
	DPKGLOG_START, /* its first byte: a log that was made for this run */
	DPKGLOG_SINCE, /* lines stamped at `since` or later: attached in mid-run */
};

/* Follows the log `path` (absolute) inside `place` (which the caller keeps open). With DPKGLOG_END
 * and an end in the middle of a line, the rest of that line is passed over uncounted. With
 * DPKGLOG_SINCE at most the last 8 MiB are looked at, and before it the file `path`.1 if it was
 * changed since: the log may have been rotated in mid-run. `since` is CLOCK_REALTIME, ns; a run
 * begins behind the last line that is stamped before it. Neither the file nor its directory need
 * exist yet: a file that comes later is read from its first byte. 0, or -errno with detail. */
int dpkglog_open(struct dpkglog **ret, const struct place *place, const char *path,
                 enum dpkglog_from from, int64_t since, struct err *e);
void dpkglog_close(struct dpkglog *l);

/* The inotify descriptor: readable when something may have changed. Not everything makes it so (a
 * directory that was missing, a symlink's target, no inotify instance to be had), therefore
 * dpkglog_read() belongs to each tick as well. */
int dpkglog_fd(const struct dpkglog *l);

/* Reads what has come since, whole lines only: calls `take` for each event, all with the stamp
 * `at`. Lines that stood there before we came (DPKGLOG_SINCE) have ago_ns, made from their own
 * stamps of whole seconds (local time; a root whose zone is not ours is told by the file's time of
 * change): never before `since`, never after `at`, never going back. New lines have 0. After a
 * rotation the old file is read to its end first and goes on being followed (a running dpkg keeps
 * writing there; the last three are kept), the new one is followed too, from its first byte. A file
 * that was truncated in place is read again from its first byte. A line longer than 4 KiB, or one
 * that does not parse, is passed over and counted; so is, as one, all but the last 8 MiB of what
 * came at once. `take` must not close `l`. Returns events taken; -errno if none was and a file
 * could not be read. */
int dpkglog_read(struct dpkglog *l, const struct stamp *at,
                 void (*take)(void *context, const struct event *e), void *context);

/* Why there is no log at the path, as of the last read (or the opening): 0 there is one; -ENOENT;
 * -EINVAL it is no regular file; another -errno. */
int dpkglog_why(const struct dpkglog *l);

/* Lines passed over so far. */
uint64_t dpkglog_skipped(const struct dpkglog *l);

#endif
