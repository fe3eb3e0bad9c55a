/* keymap.c - which key does what. */
#include <stddef.h>

#include "dpkgtop/keymap.h"

static void ui_quit(struct ui *ui)
{
	ui->quit = true;
}

static void ui_help(struct ui *ui)
{
	ui->help = !ui->help;
}

static void ui_close(struct ui *ui)
{
	ui->help = false;
}

static void ui_pause(struct ui *ui)
{
	ui->paused = !ui->paused;
}

const struct keymap_row keymap[] = {
	{{'?', 'h', KEY_OF_F + 1}, "? h F1", "this help", ACTION_CHANGED, ui_help},
	{{' ', 'z'}, "Space z", "pause, and go on", ACTION_CHANGED, ui_pause},
	{{KEY_CTRL_L}, "^L", "draw the screen anew", ACTION_REDRAW, NULL},
	{{KEY_CTRL_Z}, "^Z", "suspend dpkgtop; the upgrade goes on", ACTION_SUSPEND, NULL},
	{{KEY_ESCAPE}, "Esc", "close the help", ACTION_CHANGED, ui_close},
	{{'q', KEY_OF_F + 10, KEY_CTRL_C}, "q F10 ^C", "quit", ACTION_QUIT, ui_quit},
	{.label = NULL},
};

enum action keymap_press(struct ui *ui, int key)
{
	for (const struct keymap_row *row = keymap; row->label; row++) {
		for (size_t i = 0; i < sizeof(row->keys) / sizeof(*row->keys) && row->keys[i];
		     i++) {
			if (row->keys[i] != key)
				continue;
			if (row->change)
				row->change(ui);
			return row->action;
		}
	}
	return ACTION_NONE;
}
