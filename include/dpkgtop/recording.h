/* recording.h - a recording as a file: the lines of record.h in zstd frames.
 *
 * A file that was cut off anywhere gives back all lines up to the cut, or to the last flush before
 * it. doc/recording.md describes the format for those who read it with other programs. */
#ifndef DPKGTOP_RECORDING_H
#define DPKGTOP_RECORDING_H

#include <stdbool.h>

#include "dpkgtop/err.h"
#include "dpkgtop/frame.h"

struct recording_writer;

/* Makes the file `path`, mode 0600; what is there already is -EEXIST. `force`: an existing regular
 * file of ours is removed first. A symlink is neither followed nor replaced, nor anything else that
 * is no regular file: -EINVAL; a file of somebody else's: -EPERM. 0 or -errno with detail. */
int recording_create(struct recording_writer **ret, const char *path, bool force, struct err *e);

/* As with `force`, but what is there stays until recording_commit(): until then the recording has a
 * name of its own in the same folder. */
int recording_create_beside(struct recording_writer **ret, const char *path, struct err *e);

/* Gives it its name. 0, also if it has it; or -errno with detail. */
int recording_commit(struct recording_writer *w, struct err *e);

/* Removes the file and frees `w` (may be NULL). */
void recording_discard(struct recording_writer *w);

/* Takes a frame (a frame_sink; `writer` is the struct recording_writer). Never fails and never
 * waits: a thread writes to the file. The first error is kept, and what follows is dropped; a
 * sample too long for a line (record.h) is left out. By the stamps of the frames what was taken is
 * handed to the kernel at least each 5 s and at the end of an upgrade, and a zstd frame is ended
 * each minute; nothing is synced. */
void recording_take(void *writer, const struct frame *f);

/* 0, or -errno of the first failure: -ENOBUFS if the file takes nothing for so long that 4 MiB
 * wait. */
int recording_error(const struct recording_writer *w);

/* Ends the zstd frame, syncs the file, once, and frees `w` (may be NULL). 0, or -errno of the first
 * failure with detail. */
int recording_close(struct recording_writer *w, struct err *e);

struct recording;

/* Opens a recording for reading: zstd or plain JSON lines, told by its first bytes; "-" is standard
 * input. 0 or -errno with detail, -EBADMSG where it can be neither. A zstd frame whose window is
 * larger than 8 MiB is damage. */
int recording_open(struct recording **ret, const char *path, struct err *e);

/* As record_read(): 1 with a frame, 0 at the end, -EBADMSG, -EPROTO, -EIO with detail. What
 * follows a whole zstd frame and is none is damage. */
int recording_read(struct recording *r, struct frame *ret, struct err *e);

/* After the end: it ends within a line or within a zstd frame, as one that is still written or
 * whose writer was killed; or it has not even a header. */
bool recording_cut(const struct recording *r);
/* It has not even a header: nothing can be told of it. */
bool recording_headless(const struct recording *r);
void recording_free(struct recording *r);

#endif
