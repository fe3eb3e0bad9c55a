/* record.h - frames as JSON lines, written and read.
 *
 * One frame is one line, one JSON object:
 *   {"dpkgtop":1,"started":{"mono_ns":…,"boot_ns":…,"real_ns":…},…}  the header, first
 *   {"sample":"full","at":{…},"why":{"disks":-2},"memory":{…},"processes":[{…}]}
 *   {"event":"package","at":{…},"verb":"install","name":…}
 * Keys are the names of the field tables (field.h). What is unknown is left out. A histogram is an
 * array of bucket and count in turn, buckets rising (bucket.h). A group that was not
 * asked for is absent; one that failed has its -errno in "why". Only full samples have all members;
 * the table tells which.
 *
 * A reader takes what is absent, or null, for unknown ("" for text, 0 for a U32, an enum's first
 * word), but "at" with its mono_ns must be there; where boot_ns or real_ns are absent and not null,
 * they are as far from mono_ns as in the line before. Keys it does not know are ignored, and so are
 * whole lines whose kind, role or verb it does not know: they are from a newer dpkgtop of the same
 * format. A state not known is "". Times are 0 … 146 years, so that no difference of two overflows.
 */
#ifndef DPKGTOP_RECORD_H
#define DPKGTOP_RECORD_H

#include <stdio.h>

#include "dpkgtop/err.h"
#include "dpkgtop/frame.h"

/* Writes one line to `out`. Returns 0, -EIO if the stream says it failed, or -EMSGSIZE, with
 * nothing written, if the line is longer than the 1 MiB that a reader takes (some 2000 processes).
 */
int record_write(FILE *out, const struct frame *f);

struct record_reader;

/* Reads from `in`, which the caller keeps open and closes. `name` stands in messages. */
struct record_reader *record_reader_new(FILE *in, const char *name);
void record_reader_free(struct record_reader *r);

/* The next frame into `*ret`, valid until the next call: 1; 0 at the end; -EBADMSG for a damaged
 * line, -EPROTO for a newer format, -EIO: `e` says "NAME:LINE: …". The next call then goes on with
 * the next line. Damaged is also a line longer than 1 MiB, a second header, a stamp that goes back,
 * processes not by rising pid. A last line without its newline is a file cut off: it ends the
 * stream (0), and record_reader_cut() tells; so is a file without even a header. All text is made
 * printable. */
int record_read(struct record_reader *r, struct frame *ret, struct err *e);
bool record_reader_cut(const struct record_reader *r);
bool record_reader_headless(const struct record_reader *r);

#endif
