/* line.h - what writers and reader of a recording share: one frame as one line. */
#ifndef RECORD_LINE_H
#define RECORD_LINE_H

#include <stddef.h>

#include "dpkgtop/frame.h"
#include "dpkgtop/units.h"

/* Longer lines are neither written nor read, so that a foreign file can not take the memory. A
 * full sample of 2000 processes fits. */
#define LINE_ROOM (1024 * 1024)

/* How far the other clocks of the last stamp were from its mono_ns; UNKNOWN_NS. In a recording a
 * clock that is as far as before is left out. */
struct line_clocks {
	int64_t boot_ns, real_ns;
};
#define LINE_CLOCKS_INIT ((struct line_clocks){UNKNOWN_NS, UNKNOWN_NS})

/* How far the clocks of `at` are from its mono_ns. */
void line_clocks_of(const struct stamp *at, struct line_clocks *ret);

/* A line that is made; its memory is used again for the next. */
struct line {
	char *text; /* owned; `len` bytes, the newline included, not terminated */
	size_t len, room;
	bool first; /* of an object's or an array's items: no comma yet */
	/* Those of the line before. */
	struct line_clocks clocks;
	bool alone; /* but no line before is referred to */
};

void line_init(struct line *l);
void line_done(struct line *l);
/* Makes the frame's line. 0, or -EMSGSIZE if it is longer than LINE_ROOM: then it is none, and the
 * next follows the one before. */
int line_make(struct line *l, const struct frame *f);

#endif
