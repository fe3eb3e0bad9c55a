/* view_pick.c - the upgrades that run, one of them to be chosen: a box over what is below. */
#include <string.h>

#include "dpkgtop/text.h"

#include "panel.h"
#include "words.h"

/* Smaller than this there is no room for a frame around the list. */
#define FRAME_ROWS    6
#define FRAME_COLUMNS 40
#define BOX_COLUMNS   110
#define WIDE_COLUMNS  60
#define NOTE_WIDTH    13

/* "on screen", "not root's" */
static const char *choice_note(const struct choice *c)
{
	return c->current ? "on screen" : c->trusted ? "" : "not root's";
}

static void draw_choice(const struct choice *k, bool cursor, struct canvas *c, struct rect r)
{
	struct pen p = {c, r.x, r.y, r.x + r.w};
	const char *where = strcmp(k->where, "?") ? k->where : "another mount namespace";
	int width = text_width(where);

	for (int x = 0; x < r.w; x++)
		canvas_text(c, r.x + x, r.y, 1, cursor ? CANVAS_CURSOR : CANVAS_TEXT, " ");
	pen_text(&p, cursor ? CANVAS_CURSOR : CANVAS_BAR, cursor ? "▸ " : "  ");
	/* Where there is room, all of them keep it free, and the columns stand in line. */
	if (r.w >= WIDE_COLUMNS || (*choice_note(k) && r.w >= FRAME_COLUMNS - 4)) {
		p.end -= NOTE_WIDTH - 1;
		canvas_text(c, p.end + 1, p.y, NOTE_WIDTH - 2,
		            cursor       ? CANVAS_CURSOR
		            : k->current ? CANVAS_GOOD
		                         : CANVAS_WARN,
		            choice_note(k));
	}
	/* The command has most of the room; of a long path the end is shown. */
	if (width > (p.end - p.x) * 2 / 5)
		width = (p.end - p.x) * 2 / 5;
	if (width > 0) {
		p.end -= width;
		canvas_right(c, p.end, p.y, width, cursor ? CANVAS_CURSOR : CANVAS_VALUE, where);
		p.end -= 2;
	}
	pen_text(&p, cursor ? CANVAS_CURSOR : CANVAS_TITLE, words_of_command(k->text));
}

/* The rows of the list around the cursor, as many as there is room for. */
static void draw_choices(const struct ui *ui, struct canvas *c, struct rect r)
{
	int cursor = ui->cursor < ui->n_choices ? ui->cursor : ui->n_choices - 1, first = 0;

	if (cursor >= r.h)
		first = cursor - r.h + 1;
	for (int i = 0; i < r.h; i++) {
		struct rect row = {r.x, r.y + i, r.w, 1};

		if (first + i < ui->n_choices)
			draw_choice(&ui->choices[first + i], first + i == cursor, c, row);
	}
	if (ui->n_choices == 0 && r.h > 0)
		canvas_text(c, r.x + 2, r.y, r.w - 2, CANVAS_DIM, "no upgrade runs now");
}

static void draw_frame(struct canvas *c, struct rect r)
{
	int bottom = r.y + r.h - 1, right = r.x + r.w - 1;

	for (int y = r.y; y <= bottom; y++)
		for (int x = r.x; x <= right; x++) {
			bool edge_x = x == r.x || x == right, edge_y = y == r.y || y == bottom;

			canvas_text(c, x, y, 1, edge_x || edge_y ? CANVAS_HEAD : CANVAS_TEXT,
			            !edge_x && !edge_y ? " "
			            : !edge_y          ? "│"
			            : !edge_x          ? "─"
			            : y == r.y         ? (x == r.x ? "┌" : "┐")
			                               : (x == r.x ? "└" : "┘"));
		}
}

static void draw_keys(struct canvas *c, struct rect r, int y)
{
	static const char *const keys[][2] = {
		{"Enter", "watch it"}, {"j k", "move"}, {"Esc", "close"}};
	struct pen p = {c, r.x + 2, y, r.x + r.w - 2};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		pen_text(&p, CANVAS_TEXT, " ");
		pen_text(&p, CANVAS_KEY, keys[i][0]);
		pen_printf(&p, CANVAS_DIM, " %s ", keys[i][1]);
	}
}

static void pick_draw(const struct model *m, const struct ui *ui, struct canvas *c)
{
	int rows = ui->n_choices > 0 ? ui->n_choices : 1;
	struct rect box = {0, 0, c->columns, rows + 4};

	(void)m;
	if (c->rows < FRAME_ROWS || c->columns < FRAME_COLUMNS) {
		canvas_clear(c);
		draw_choices(ui, c, (struct rect){0, 0, c->columns, c->rows});
		return;
	}
	if (box.w > BOX_COLUMNS)
		box.w = BOX_COLUMNS;
	/* Below the lines that say what goes on, above the last row; without blank rows when low.
	 */
	if (box.h > c->rows - 4)
		box.h = rows + 2 < c->rows - 1 ? rows + 2 : c->rows - 1;
	box.x = (c->columns - box.w) / 2;
	box.y = c->rows - 1 - box.h < 4 ? c->rows - 1 - box.h : 4;
	draw_frame(c, box);
	canvas_text(c, box.x + 2, box.y, box.w - 4, CANVAS_HEAD, " UPGRADES THAT RUN ");
	draw_keys(c, box, box.y + box.h - 1);
	rows = box.h == rows + 4; /* a blank row at each end */
	draw_choices(ui, c,
	             (struct rect){box.x + 1, box.y + 1 + rows, box.w - 2, box.h - 2 - 2 * rows});
}

const struct view_ops view_pick = {
	.name = "pick",
	.title = "Upgrades that run",
	.draw = pick_draw,
};
