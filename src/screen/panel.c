/* panel.c - what several panels of the overview share. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "dpkgtop/text.h"

#include "panel.h"
#include "words.h"

/* A sparkline shorter than this is no picture. */
#define SPARK_LEAST 5

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
	reason = words_of_why(g, m->why[g]);
	pen_text(p, CANVAS_DIM, "– ");
	/* In one short row the reason is enough. */
	if (rows <= 1 && p->x + (int)strlen("not available: ") + text_width(reason) > p->end) {
		pen_text(p, CANVAS_WARN, reason);
		return true;
	}
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

/* The values of one row of a tall sparkline: those that do not reach it are blank there. */
static void spark_slice(const double *values, size_t count, double from, double *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = from > 0 && values[i] <= from ? UNKNOWN_RATE : values[i] - from;
}

void panel_spark(struct canvas *c, struct rect r, const struct ring *ring, enum canvas_role role)
{
	double values[RING_ROOM], slice[RING_ROOM], top, row_top;

	if (r.w < SPARK_LEAST || r.h <= 0)
		return;
	/* No wider than its data can ever be. */
	if (r.w > RING_ROOM / 2)
		r.w = RING_ROOM / 2;
	for (size_t i = 0; i < ring->count; i++)
		values[i] = ring_at(ring, ring->count - 1 - i);
	top = ring_max(ring, 2 * (size_t)r.w);
	row_top = isnan(top) ? 0 : top / r.h;
	for (int row = 0; row < r.h; row++) {
		int above = r.h - 1 - row;

		if (above > 0 && !(row_top > 0))
			continue;
		spark_slice(values, ring->count, row_top * above, slice);
		canvas_spark(c, r.x, r.y + row, r.w, slice, ring->count, row_top, role);
	}
}

/* An upgrade is found a moment after it began; that is not late. */
#define LATE_NS INT64_C(1000000000)

bool panel_came_late(const struct model *m)
{
	return m->state != MODEL_WAITING && m->begun.mono_ns - m->since_ns >= LATE_NS;
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
