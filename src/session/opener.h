/* opener.h - the probe, opened by a thread: loading its programs takes the kernel 60 ms and more,
 * in which the loop has lines and keys to take. */
#ifndef DPKGTOP_SESSION_OPENER_H
#define DPKGTOP_SESSION_OPENER_H

#include "dpkgtop/probe.h"

struct opener;

/* 0, or -errno if there is no thread to be had. */
int opener_start(struct opener **ret);
/* Readable when it has come to an end. */
int opener_fd(const struct opener *o);
/* After that: what session_open_probe() gave, with the probe; frees `o`. */
int opener_finish(struct opener *o, struct probe **ret);
/* Before that: nobody wants it any more. Returns at once; the thread closes what it opens. */
void opener_abandon(struct opener *o);

#endif
