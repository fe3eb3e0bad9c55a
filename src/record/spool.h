/* spool.h - bytes on their way to a file, written by a thread of their own.
 *
 * A write to a file waits where its filesystem commits a journal or its disk is busy, and that is
 * just when an upgrade is worth watching: the loop must not wait with it. */
#ifndef RECORD_SPOOL_H
#define RECORD_SPOOL_H

#include <stddef.h>

/* What may wait for the file. */
#define SPOOL_ROOM (4 * 1024 * 1024)

struct spool;

/* `fd` is the spool's from here on, also when this fails. 0 or -errno. */
int spool_new(struct spool **ret, int fd);
/* Takes a copy. After an error it drops all. */
void spool_put(struct spool *s, const void *bytes, size_t len);
/* 0, or -errno of the first failure; -ENOBUFS: more than SPOOL_ROOM wait. */
int spool_error(struct spool *s);
/* Waits until all is written, syncs the file, closes it and frees `s`. 0 or the first -errno. */
int spool_close(struct spool *s);

#endif
