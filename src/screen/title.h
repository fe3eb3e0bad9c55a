/* title.h - the terminal's title: a part of term.c. */
#ifndef DPKGTOP_SCREEN_TITLE_H
#define DPKGTOP_SCREEN_TITLE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a terminal of that name (TERM) has a title, and takes the sequences below for what they
 * are: the Linux console, for one, would print them. */
bool title_known(const char *term);

/* The title put on the terminal's stack, and taken from it again (XTWINOPS; xterm's ctlseqs). */
#define TITLE_PUSH "\033[22;2t"
#define TITLE_POP  "\033[23;2t"

/* The sequence that sets the title, terminated, in `ret`: printable, and ASCII only if `ascii`.
 * Returns its length; 0 if there is no room. */
size_t title_sequence(const char *text, bool ascii, char *ret, size_t size);

#endif
