/* theme.h - which colour each role has.
 *
 * A theme file is an ini file (themes/default.theme explains itself): [colours], one line a role:
 *   sync = 214 bold        256-colour number, or a name of the eight, then attributes
 *   bad = 255 on 160       a background
 * with [colours16] (colours only) for terminals of fewer than 256 colours. A role that is missing
 * keeps the default theme's value; an unknown key is passed over. */
#ifndef DPKGTOP_THEME_H
#define DPKGTOP_THEME_H

#include <stdbool.h>
#include <stdio.h>

#include "dpkgtop/canvas.h"
#include "dpkgtop/err.h"

struct theme_style {
	short colour;   /* 0–255, -1 the terminal's own */
	short colour16; /* 0–15, -1 */
	short ground;   /* background, 0–255, -1 */
	short ground16;
	bool bold, dim, reverse, underline;
};

struct theme {
	struct theme_style styles[N_CANVAS_ROLES];
};

/* The default theme, which is part of the program. */
void theme_default(struct theme *t);
/* `name` is a file (it holds a '/'), or NAME.theme in $XDG_CONFIG_HOME/dpkgtop/themes,
 * ~/.config/dpkgtop/themes or PREFIX/share/dpkgtop/themes. 0, or -errno with detail. */
int theme_load(struct theme *t, const char *name, struct err *e);
/* Reads a theme's text over `t`. 0, or -EBADMSG with the line number, `t` untouched. */
int theme_parse(struct theme *t, const char *text, struct err *e);

/* The canvas with SGR escape sequences (ECMA-48), for --snapshot ansi; `colours` 0, 8, 16, 256.
 * With 0 only bold, dim, reverse and underline are sent. */
void theme_write_ansi(const struct theme *t, const struct canvas *c, int colours, FILE *out);

#endif
