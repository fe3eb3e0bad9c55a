/* terminfo.h - what the terminal's description says; a part of term.c, which can not include
 * <term.h> itself: it defines words such as "columns" as macros. */
#ifndef DPKGTOP_SCREEN_TERMINFO_H
#define DPKGTOP_SCREEN_TERMINFO_H

#include <stddef.h>

#include "dpkgtop/err.h"

/* 0 if the terminal of that name can show a screen, else -ENOENT; prints nothing. */
int terminfo_load(const char *name, struct err *e);
/* The bytes that end what a screen program set: colours, keypad, hidden cursor, alternate screen.
 * After terminfo_load(). Returns how many. */
size_t terminfo_restoring(char *ret, size_t size);

#endif
