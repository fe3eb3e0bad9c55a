/* panel.c - what several panels of the overview share. */
#include <stdarg.h>
#include <string.h>

#include "dpkgtop/text.h"

#include "panel.h"

struct pen pen_at(struct canvas *c, struct rect r, int row)
{
	/* The last column stays free: text that touches the edge looks cut. */
	return (struct pen){c, r.x + PANEL_MARGIN, r.y + row,
	                    r.x + r.w - (r.x + r.w == c->columns)};
}

void pen_move(struct pen *p, int columns)
{
	p->x += columns;
}

void pen_text(struct pen *p, enum canvas_role role, const char *text)
{
	if (p->x < p->end)
		p->x += canvas_text(p->c, p->x, p->y, p->end - p->x, role, text);
}

void pen_printf(struct pen *p, enum canvas_role role, const char *format, ...)
{
	char text[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	pen_text(p, role, text);
}

bool panel_missing(const struct model *m, enum group g, struct pen *p, int rows)
{
	const char *reason;
	struct pen below = *p;

	if (m->why[g] == 0 || m->why[g] == GROUP_NOT_ASKED)
		return false;
	reason = strerror(m->why[g] < 0 ? -m->why[g] : m->why[g]);
	pen_text(p, CANVAS_DIM, "– ");
	pen_text(p, CANVAS_WARN, "not available");
	if (rows > 1 && p->x + 2 + text_width(reason) > p->end) {
		below.x += 2;
		below.y++;
		*p = below;
	} else {
		pen_text(p, CANVAS_WARN, ": ");
	}
	pen_text(p, CANVAS_WARN, reason);
	return true;
}

enum canvas_role panel_cause_role(enum cause c)
{
	switch (c) {
	case CAUSE_PACKAGE_SYNC:
	case CAUSE_DATABASE_SYNC:
	case CAUSE_WRITEBACK:
	case CAUSE_OTHER_SYNC:
	case CAUSE_SYNC_ESTIMATED:
		return CANVAS_SYNC;
	case CAUSE_DISK:
		return CANVAS_DISK;
	case CAUSE_CPU:
		return CANVAS_CPU;
	case CAUSE_INPUT:
		return CANVAS_WARN;
	case CAUSE_UNKNOWN:
		return CANVAS_DIM;
	default:
		return CANVAS_TEXT;
	}
}

enum cause panel_main_cause(const struct ledger *l, enum phase phase, enum cause but)
{
	enum cause most = N_CAUSES;
	int64_t most_ns = 0;

	for (enum cause c = 0; c < N_CAUSES; c++) {
		struct cell cell = phase < N_PHASES ? l->cells[phase][c] : ledger_cause(l, c);

		if (c == but || cell.ns <= most_ns)
			continue;
		if (cell.quality == QUALITY_UNKNOWN && c != CAUSE_UNKNOWN)
			continue;
		most = c;
		most_ns = cell.ns;
	}
	return most;
}
