/* record.h - frames as JSON lines, written and read.
 *
 * One frame is one line, one JSON object:
 *   {"dpkgtop":1,"version":…,"started":{"mono_ns":…},…}                     the header, first
 *   {"sample":"full","at":{…},"why":{"disks":-2},"memory":{…},"disks":[{…}],"processes":[{…}]}
 *   {"event":"package","at":{…},"verb":"install","name":…}
 * Keys are the names of the field tables (field.h). Unknown values are null; a key that is absent
 * reads as unknown ("" for text), a key that is not known is ignored. */
#ifndef DPKGTOP_RECORD_H
#define DPKGTOP_RECORD_H

#include <stdio.h>

#include "dpkgtop/err.h"
#include "dpkgtop/frame.h"

/* Writes one line to `out`. Returns 0, or -EIO if the stream says it failed. */
int record_write(FILE *out, const struct frame *f);

struct record_reader;

/* Reads from `in`, which the caller keeps open and closes. `name` stands in messages. */
struct record_reader *record_reader_new(FILE *in, const char *name);
void record_reader_free(struct record_reader *r);

/* The next frame into `*ret`, valid until the next call: 1; 0 at the end; -EBADMSG with its line
 * number in `e` for a damaged line, -EPROTO for a newer format. A last line without its newline
 * is a file cut off: it ends the stream (0), and record_reader_cut() tells. All text is made
 * printable. */
int record_read(struct record_reader *r, struct frame *ret, struct err *e);
bool record_reader_cut(const struct record_reader *r);

#endif
