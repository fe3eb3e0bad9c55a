/* terminfo.h - what the terminal's description says; a part of term.c, which can not include
 * <term.h> itself: it defines words such as "columns" as macros. */
#ifndef DPKGTOP_SCREEN_TERMINFO_H
#define DPKGTOP_SCREEN_TERMINFO_H

#include <stddef.h>

#include "dpkgtop/err.h"

/* Whether the terminal of that name can show a screen: 0, with the bytes that end what a screen
 * program set (colours, keypad, hidden cursor, alternate screen) in `ret` and how many in
 * `*ret_len`; else -ENOENT. Prints nothing. */
int terminfo_load(const char *name, char *ret, size_t size, size_t *ret_len, struct err *e);

/* How many colours the terminal of that name has, 0 for none; -ENOENT if it is not known. */
int terminfo_colours(const char *name);

#endif
