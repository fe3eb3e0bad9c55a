/* keymap.h - which key does what, and the help that says so. One table for both. */
#ifndef DPKGTOP_KEYMAP_H
#define DPKGTOP_KEYMAP_H

#include <stdbool.h>

#include "dpkgtop/view.h"

enum key {
	KEY_CTRL_C = 3,
	KEY_CTRL_L = 12,
	KEY_CTRL_Z = 26,
	KEY_ESCAPE = 27,
	/* beyond Unicode, as curses' own numbers are not known outside term.c */
	KEY_OF_F = 0x110000, /* KEY_OF_F + n is Fn */
};

/* What a key asks of the program beyond changing `ui`. */
enum action { ACTION_NONE, ACTION_CHANGED, ACTION_QUIT, ACTION_REDRAW, ACTION_SUSPEND };

struct keymap_row {
	int keys[4];       /* 0 ends */
	const char *label; /* as shown in help: "q F10 ^C" */
	const char *help;
	enum action action;
	void (*change)(struct ui *ui); /* NULL: none */
};

/* Ends with a row whose label is NULL. */
extern const struct keymap_row keymap[];

enum action keymap_press(struct ui *ui, int key);

#endif
