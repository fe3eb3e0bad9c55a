/* view_help.c - keys, and what the words and signs on the screen mean. */
#include "dpkgtop/keymap.h"

#include "panel.h"

struct help_row {
	const char *word, *meaning;
};

static const struct help_row words[] = {
	{"total", "wall time; each second is charged once, to one phase and one cause"},
	{"sync", "waiting until written data is safe on the disk"},
	{"disk", "waiting for the disk otherwise, most of it reads"},
	{"cpu", "computing"},
	{"you", "a question waits for its answer"},
	{"else", "sleeping, locks, the network and what remains"},
	{"unknown", "before dpkgtop looked, or no source could tell"},
	{NULL, NULL},
};

static const struct help_row signs[] = {
	{"~", "estimated: syncs are told from the disk's flushes"},
	{"–", "not known; never the same as 0"},
	{"▸", "the phase of this moment"},
	{NULL, NULL},
};

static int help_row(struct canvas *c, struct rect r, int row, enum canvas_role role,
                    const char *word, const char *meaning)
{
	struct pen p = pen_at(c, r, row);

	if (row >= r.h)
		return row;
	pen_text(&p, role, word);
	p.x = r.x + PANEL_MARGIN + 11;
	pen_text(&p, CANVAS_TEXT, meaning);
	return row + 1;
}

static int help_head(struct canvas *c, struct rect r, int row, const char *head)
{
	struct pen p = pen_at(c, r, row);

	if (row < r.h)
		pen_text(&p, CANVAS_HEAD, head);
	return row + 1;
}

static int help_table(struct canvas *c, struct rect r, int row, const char *head,
                      const struct help_row *rows)
{
	row = help_head(c, r, row, head);
	for (; rows->word; rows++)
		row = help_row(c, r, row, CANVAS_VALUE, rows->word, rows->meaning);
	return row + 1;
}

static void help_draw(const struct model *m, const struct ui *ui, struct canvas *c)
{
	struct rect all = {0, 0, c->columns, c->rows};
	/* The last row is the footer's, where there is more than one. */
	struct rect r = {0, 0, c->columns, c->rows > 1 ? c->rows - 1 : c->rows};
	struct pen p = pen_at(c, r, 0);
	int row = c->rows <= 24 ? 1 : 2;

	canvas_clear(c);
	pen_text(&p, CANVAS_TITLE, "dpkgtop");
	pen_printf(&p, CANVAS_DIM, " %s  ", m->header.version);
	pen_text(&p, CANVAS_TEXT, "where the time of an upgrade goes");
	row = help_head(c, r, row, "KEYS");
	for (const struct keymap_row *k = keymap; k->label; k++)
		row = help_row(c, r, row, CANVAS_KEY, k->label, k->help);
	row = help_table(c, r, row + 1, "COLUMNS", words);
	help_table(c, r, row, "SIGNS", signs);
	if (c->rows > 1)
		panel_footer(ui, c, (struct rect){0, c->rows - 1, all.w, 1});
}

const struct view_ops view_help = {
	.name = "help",
	.title = "Help",
	.draw = help_draw,
};
