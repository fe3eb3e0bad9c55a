/* line.h - what writers and reader of a recording share. */
#ifndef RECORD_LINE_H
#define RECORD_LINE_H

#include <stddef.h>

#include "dpkgtop/frame.h"

/* Longer lines are neither written nor read, so that a foreign file can not take the memory. A
 * full sample of 2000 processes fits. */
#define LINE_ROOM (1024 * 1024)

/* Gets a frame's line, without its newline. 0 or -errno. */
typedef int line_take(void *context, const char *text, size_t len);

/* Makes the line and hands it to `take`: what that returned, or -EMSGSIZE if it is longer than
 * LINE_ROOM. */
int line_write(const struct frame *f, line_take *take, void *context);

#endif
