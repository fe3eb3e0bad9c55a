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
	ui->help_top = 0;
}

/* A page is what the smallest screen shows, 8 rows of it being two for an entry; so much stays on
 * it at the end. */
#define HELP_PAGE 4

static void ui_help_to(struct ui *ui, int top)
{
	int last = view_help_entries() - HELP_PAGE;

	if (top > last)
		top = last;
	ui->help_top = top > 0 ? top : 0;
}

static void ui_help_up(struct ui *ui)
{
	ui_help_to(ui, ui->help_top - 1);
}

static void ui_help_down(struct ui *ui)
{
	ui_help_to(ui, ui->help_top + 1);
}

static void ui_help_page_up(struct ui *ui)
{
	ui_help_to(ui, ui->help_top - HELP_PAGE);
}

static void ui_help_page_down(struct ui *ui)
{
	ui_help_to(ui, ui->help_top + HELP_PAGE);
}

static void ui_close(struct ui *ui)
{
	ui->help = false;
	ui->picking = false;
}

static void ui_pause(struct ui *ui)
{
	ui->paused = !ui->paused;
}

/* The list may have become shorter since the cursor was set. */
static void ui_move_to(struct ui *ui, int to)
{
	if (to > ui->n_choices - 1)
		to = ui->n_choices - 1;
	ui->cursor = to > 0 ? to : 0;
}

static void ui_up(struct ui *ui)
{
	ui_move_to(ui, ui->cursor - 1);
}

static void ui_down(struct ui *ui)
{
	ui_move_to(ui, ui->cursor + 1);
}

static void ui_first(struct ui *ui)
{
	ui_move_to(ui, 0);
}

static void ui_last(struct ui *ui)
{
	ui_move_to(ui, ui->n_choices - 1);
}

/* The cursor begins on the upgrade that is on the screen. */
static void ui_open_list(struct ui *ui)
{
	ui->help = false;
	ui->picking = true;
	ui_first(ui);
	for (int i = 0; i < ui->n_choices; i++) {
		if (ui->choices[i].current)
			ui_move_to(ui, i);
	}
}

static void ui_pick(struct ui *ui)
{
	ui_move_to(ui, ui->cursor);
	ui->picking = false;
	ui->picked = ui->n_choices > 0;
}

#define REQUEST(name, what)                                                                        \
	static void name(struct ui *ui)                                                            \
	{                                                                                          \
		ui->request = what;                                                                \
	}
REQUEST(replay_back, REPLAY_BACK)
REQUEST(replay_on, REPLAY_ON)
REQUEST(replay_step_back, REPLAY_STEP_BACK)
REQUEST(replay_step, REPLAY_STEP)
REQUEST(replay_begin, REPLAY_BEGIN)
REQUEST(replay_end, REPLAY_END)
REQUEST(replay_phase_back, REPLAY_PHASE_BACK)
REQUEST(replay_phase, REPLAY_PHASE)
REQUEST(replay_slower, REPLAY_SLOWER)
REQUEST(replay_faster, REPLAY_FASTER)

/* Asked of what can not be asked here. */
static void replay_nothing(struct ui *ui)
{
	(void)ui;
}

const struct keymap_row keymap_replay[] = {
	{{' ', 'z'}, "Space z", "stop, and go on", ACTION_CHANGED, ui_pause},
	{{KEY_OF_LEFT}, "Left", "back", ACTION_CHANGED, replay_back},
	{{KEY_OF_RIGHT}, "Right", "on", ACTION_CHANGED, replay_on},
	{{','}, ",", "stop, and a sample back", ACTION_CHANGED, replay_step_back},
	{{'.'}, ".", "stop, and a sample on", ACTION_CHANGED, replay_step},
	{{'n'}, "n", "to where the next phase begins", ACTION_CHANGED, replay_phase},
	{{'N'}, "N", "to where a phase began before", ACTION_CHANGED, replay_phase_back},
	{{KEY_OF_HOME}, "Home", "to the beginning", ACTION_CHANGED, replay_begin},
	{{KEY_OF_END}, "End", "to the end", ACTION_CHANGED, replay_end},
	{{'+', '='}, "+", "twice as fast", ACTION_CHANGED, replay_faster},
	{{'-'}, "-", "half as fast", ACTION_CHANGED, replay_slower},
	{{'p'}, "", "", ACTION_NONE, replay_nothing},
	{.label = NULL},
};

const struct keymap_row keymap[] = {
	{{'?', 'h', KEY_OF_F + 1}, "? h F1", "this help", ACTION_CHANGED, ui_help},
	{{' ', 'z'}, "Space z", "pause, and go on", ACTION_CHANGED, ui_pause},
	{{'p'}, "p", "pick another upgrade that runs", ACTION_CHANGED, ui_open_list},
	{{KEY_CTRL_L}, "^L", "draw the screen anew", ACTION_REDRAW, NULL},
	{{KEY_CTRL_Z}, "^Z", "suspend dpkgtop; the upgrade goes on", ACTION_SUSPEND, NULL},
	{{KEY_ESCAPE}, "Esc", "close the help", ACTION_CHANGED, ui_close},
	{{'q', KEY_OF_F + 10, KEY_CTRL_C}, "q F10 ^C", "quit", ACTION_QUIT, ui_quit},
	{.label = NULL},
};

const struct keymap_row keymap_help[] = {
	{{'j', KEY_OF_DOWN}, "j Down", "scroll this help down", ACTION_CHANGED, ui_help_down},
	{{'k', KEY_OF_UP}, "k Up", "scroll it up", ACTION_CHANGED, ui_help_up},
	{{KEY_OF_PAGE_DOWN}, "PgDn", "a page down", ACTION_CHANGED, ui_help_page_down},
	{{KEY_OF_PAGE_UP}, "PgUp", "a page up", ACTION_CHANGED, ui_help_page_up},
	{.label = NULL},
};

const struct keymap_row keymap_pick[] = {
	{{KEY_RETURN, KEY_NEWLINE}, "Enter", "watch it", ACTION_CHANGED, ui_pick},
	{{'j', KEY_OF_DOWN}, "j Down", "down", ACTION_CHANGED, ui_down},
	{{'k', KEY_OF_UP}, "k Up", "up", ACTION_CHANGED, ui_up},
	{{KEY_OF_HOME}, "Home", "first", ACTION_CHANGED, ui_first},
	{{KEY_OF_END}, "End", "last", ACTION_CHANGED, ui_last},
	{{KEY_ESCAPE, 'p', 'q'}, "Esc p q", "close", ACTION_CHANGED, ui_close},
	{{KEY_CTRL_L}, "^L", "draw the screen anew", ACTION_REDRAW, NULL},
	{{KEY_CTRL_Z}, "^Z", "suspend", ACTION_SUSPEND, NULL},
	{{KEY_OF_F + 10, KEY_CTRL_C}, "F10 ^C", "quit", ACTION_QUIT, ui_quit},
	{.label = NULL},
};

static const struct keymap_row *row_of_key(const struct keymap_row *rows, int key)
{
	for (const struct keymap_row *row = rows; row->label; row++) {
		for (size_t i = 0; i < sizeof(row->keys) / sizeof(*row->keys) && row->keys[i];
		     i++) {
			if (row->keys[i] == key)
				return row;
		}
	}
	return NULL;
}

enum action keymap_press(struct ui *ui, int key)
{
	const struct keymap_row *row = NULL;

	if (ui->help && !ui->picking)
		row = row_of_key(keymap_help, key);
	if (!row && ui->replay)
		row = row_of_key(keymap_replay, key);
	if (!row)
		row = row_of_key(ui->picking ? keymap_pick : keymap, key);
	if (!row)
		return ACTION_NONE;
	if (row->change)
		row->change(ui);
	return row->action;
}
