/* term.h - the terminal: the only module that knows curses (with terminfo.c for its <term.h>).
 *
 * Also the only one with state of its own outside a struct: what is needed to give the terminal
 * back when the program crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT). */
#ifndef DPKGTOP_TERM_H
#define DPKGTOP_TERM_H

#include <stdbool.h>

#include "dpkgtop/canvas.h"
#include "dpkgtop/err.h"
#include "dpkgtop/theme.h"

struct term;

/* Colours of the terminal that TERM names, 0 for none; -ENOENT if it could not show a screen. Takes
 * nothing of it, prints nothing. */
int term_colours(void);

struct term_options {
	bool colour; /* false: NO_COLOR or --no-color */
	const struct theme *theme;
};

/* Takes the terminal: alternate screen, no echo, cursor hidden. -ENOTTY if standard input or
 * output is none, -ENOENT if TERM is not known or names a terminal that can not place its
 * cursor (without a word of ncurses' own). */
int term_open(struct term **ret, const struct term_options *o, struct err *e);
/* Gives it back as it was. Safe on NULL. */
void term_close(struct term *t);

void term_size(const struct term *t, int *ret_rows, int *ret_columns);
/* After SIGWINCH: asks the terminal for its size. */
void term_resized(struct term *t);
/* Shows the canvas; only what changed is sent. */
void term_show(struct term *t, const struct canvas *c);
/* Draws all of it anew at the next term_show() (^L). */
void term_redraw(struct term *t);

/* Rings the bell, once. */
void term_bell(struct term *t);
/* Sets the terminal's title where it has one (xterm's OSC 2, tmux, screen); `text` is printable.
 * term_close(), or "" here, gives the old one back where the terminal keeps it (XTWINOPS 22/23). */
void term_title(struct term *t, const char *text);

/* The next key without waiting: a character, or a KEY_* of keymap.h; 0 none; -EIO if the
 * terminal is gone. */
int term_key(struct term *t);
/* The descriptor to wait on for keys. */
int term_fd(const struct term *t);

/* The process was stopped from outside and goes on: takes the terminal again as it needs it. */
void term_resume(struct term *t);

/* Gives the terminal back, stops the process (SIGTSTP's default), takes it again on SIGCONT. */
void term_suspend(struct term *t);

#endif
