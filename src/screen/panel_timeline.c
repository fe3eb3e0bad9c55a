/* panel_timeline.c - when each phase was: the right part of the table of phases. */
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"

/* So many columns a label and the air after it need. */
#define LABEL_COLUMNS 9

/* The next longer span of time that people count in. */
static int64_t axis_step(int64_t least_ns)
{
	static const int seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
	                              600, 900, 1800, 3600, 7200, 14400, 28800, 86400};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		if (seconds[i] * INT64_C(1000000000) >= least_ns)
			return seconds[i] * INT64_C(1000000000);
	}
	return least_ns;
}

void timeline_draw_axis(const struct time_axis *a, struct canvas *c, int y)
{
	int64_t span = a->end_ns - a->begin_ns;
	int64_t step = axis_step(span / a->w * LABEL_COLUMNS + 1);
	struct units_text end = units_left(span);
	int limit = a->x + a->w - text_width(end.s); /* where the last label begins */

	canvas_text(c, limit, y, -1, CANVAS_HEAD, end.s);
	for (int64_t at = 0; at < span; at += step) {
		int x = a->x + (int)((double)at / (double)span * a->w);
		struct units_text label = units_left(at);

		/* At a fraction of a second before the end it is called the same. */
		if (x + text_width(label.s) + 2 > limit || !strcmp(label.s, end.s))
			break;
		canvas_text(c, x, y, -1, CANVAS_DIM, label.s);
	}
}

void timeline_draw_row(const struct model *m, const struct time_axis *a, enum phase phase,
                       struct canvas *c, int y)
{
	static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	bool late = panel_came_late(m);
	enum cause most = panel_main_cause(&m->ledger, phase, late ? CAUSE_UNKNOWN : N_CAUSES);
	double span = (double)(a->end_ns - a->begin_ns);

	for (int i = 0; i < a->w; i++) {
		int64_t begin = a->begin_ns + (int64_t)(span * i / a->w);
		int64_t end = a->begin_ns + (int64_t)(span * (i + 1) / a->w);
		double share = timeline_share(&m->timeline, phase, begin, end);
		int height = (int)(share * 8 + 0.5);

		/* Before it was watched, what it waited for is not known. */
		enum canvas_role role =
			late && end <= m->begun.mono_ns ? CANVAS_DIM : panel_cause_role(most);

		/* What was there at all shows. */
		if (share > 0 && height == 0)
			height = 1;
		if (height > 0)
			canvas_text(c, a->x + i, y, 1, role, heights[height > 8 ? 8 : height]);
	}
}
