/* panel_tree.c - the upgrade's processes. */
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

/* Deeper ones are drawn no further to the right. */
#define DEPTH_MAX 8

/* The columns after the command, from the right edge. */
enum { WRITE_WIDTH = 9, READ_WIDTH = 9, CPU_WIDTH = 7, STATE_WIDTH = 11 };

struct tree_columns {
	int command, write, read, cpu, state; /* where each begins; those left out: -1 */
	int end;                              /* of the command */
};

/* The columns that the width has room for; the command comes first. */
static struct tree_columns tree_columns(struct rect r)
{
	struct tree_columns t = {.write = -1, .read = -1, .cpu = -1};
	int x = r.x + r.w - STATE_WIDTH;

	t.command = r.x + PANEL_MARGIN;
	t.state = x;
	x = t.cpu = x - CPU_WIDTH;
	if (r.w >= 60) {
		x = t.read = x - READ_WIDTH;
		x = t.write = x - WRITE_WIDTH;
	}
	t.end = x;
	return t;
}

static void draw_number(struct canvas *c, int x, int y, int width, enum canvas_role role,
                        const char *text)
{
	/* Zeros and unknown values stand back. */
	if (!strcmp(text, "0 B") || !strcmp(text, "0%") || !strcmp(text, "–"))
		role = CANVAS_DIM;
	if (x >= 0)
		canvas_right(c, x, y, width, role, text);
}

static void draw_process(const struct tree_process *p, const struct tree_columns *t,
                         struct canvas *c, int y)
{
	int depth = p->depth < DEPTH_MAX ? p->depth : DEPTH_MAX;
	int x = t->command + (depth > 0 ? 2 * (depth - 1) : 0);
	enum canvas_role role = p->at.state == 'D'   ? CANVAS_DISK
	                        : p->at.state == 'R' ? CANVAS_CPU
	                                             : CANVAS_TEXT;

	if (depth > 0) {
		canvas_text(c, x, y, t->end - x, CANVAS_DIM, "└");
		x += 2;
	}
	canvas_text(c, x, y, t->end - x, CANVAS_TEXT, *p->at.command ? p->at.command : p->at.name);
	draw_number(c, t->write, y, WRITE_WIDTH, CANVAS_VALUE, units_bytes(p->written_rate).s);
	draw_number(c, t->read, y, READ_WIDTH, CANVAS_VALUE, units_bytes(p->read_rate).s);
	draw_number(c, t->cpu, y, CPU_WIDTH, CANVAS_VALUE, units_percent(p->cpu).s);
	canvas_text(c, t->state + 2, y, STATE_WIDTH - 2, role, words_of_state(p->at.state));
}

static bool tree_missing(const struct model *m)
{
	return m->why[GROUP_PROCESSES] != 0 && m->why[GROUP_PROCESSES] != GROUP_NOT_ASKED;
}

int panel_processes_rows(const struct model *m)
{
	if (m->state != MODEL_RUNNING)
		return 0;
	if (tree_missing(m) || m->tree.count == 0)
		return tree_missing(m);
	return m->tree.count < 10000 ? (int)m->tree.count : 10000;
}

void panel_processes(const struct model *m, struct canvas *c, struct rect r)
{
	struct tree_columns t = tree_columns(r);
	struct pen p = pen_at(c, r, 0);
	size_t room = r.h > 1 ? (size_t)r.h - 1 : 0, count = m->tree.count;

	pen_text(&p, CANVAS_HEAD, "PROCESSES");
	if (tree_missing(m)) {
		p = pen_at(c, r, 1);
		panel_missing(m, GROUP_PROCESSES, &p, r.h - 1);
		return;
	}
	if (t.write >= 0) {
		canvas_right(c, t.write, r.y, WRITE_WIDTH, CANVAS_HEAD, "write/s");
		canvas_right(c, t.read, r.y, READ_WIDTH, CANVAS_HEAD, "read/s");
	}
	canvas_right(c, t.cpu, r.y, CPU_WIDTH, CANVAS_HEAD, "cpu");
	canvas_text(c, t.state + 2, r.y, STATE_WIDTH - 2, CANVAS_HEAD, "state");
	if (count > room) {
		/* With one row only, a process says more than a number of them. */
		count = room > 1 ? room - 1 : room;
		p = pen_at(c, r, r.h - 1);
		if (room > 1)
			pen_printf(&p, CANVAS_DIM, "and %zu more", m->tree.count - count);
	}
	for (size_t i = 0; i < count; i++)
		draw_process(&m->tree.items[i], &t, c, r.y + 1 + (int)i);
}
