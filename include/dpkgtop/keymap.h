/* keymap.h - which key does what, and the help that says so. One table for both. */
#ifndef DPKGTOP_KEYMAP_H
#define DPKGTOP_KEYMAP_H

#include <stdbool.h>

#include "dpkgtop/view.h"

enum key {
	KEY_CTRL_C = 3,
	KEY_NEWLINE = 10,
	KEY_CTRL_L = 12,
	KEY_RETURN = 13, /* Enter, as a terminal in raw mode sends it */
	KEY_CTRL_Z = 26,
	KEY_ESCAPE = 27,
	/* beyond Unicode, as curses' own numbers are not known outside term.c */
	KEY_OF_F = 0x110000, /* KEY_OF_F + n is Fn */
	KEY_OF_UP = 0x110100,
	KEY_OF_DOWN,
	KEY_OF_LEFT,
	KEY_OF_RIGHT,
	KEY_OF_HOME,
	KEY_OF_END,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
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

/* Each ends with a row whose label is NULL. */
extern const struct keymap_row keymap[];
extern const struct keymap_row keymap_help[];   /* while the help is open, before those above */
extern const struct keymap_row keymap_replay[]; /* while a recording is shown, likewise */
extern const struct keymap_row keymap_pick[];   /* while the list of upgrades is open */

/* By the table of the mode that `ui` is in. */
enum action keymap_press(struct ui *ui, int key);

#endif
