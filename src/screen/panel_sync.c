/* panel_sync.c - how often and how long the disk's flushes were waited for. */
#include <math.h>

#include "dpkgtop/units.h"

#include "panel.h"

static void draw_sync_sum(const struct storage *s, struct pen *p)
{
	if (s->flushes == UNKNOWN_U64 || s->flush_ms == UNKNOWN_U64)
		return;
	pen_text(p, CANVAS_VALUE, units_count(s->flushes).s);
	pen_text(p, CANVAS_DIM, s->flushes == 1 ? " flush took " : " flushes took ");
	pen_text(p, CANVAS_SYNC, units_seconds((int64_t)s->flush_ms * 1000000).s);
	pen_text(p, CANVAS_DIM, " so far");
}

void panel_sync(const struct model *m, struct canvas *c, struct rect r)
{
	const struct storage *s = &m->storage;
	struct pen p = pen_at(c, r, 0);
	/* Of the rows below the head the picture takes what the words leave. */
	int words = r.h > 3 ? 2 : r.h > 2, chart = r.h - 1 - words;

	pen_text(&p, CANVAS_HEAD, "SYNC");
	pen_move(&p, 2);
	if (panel_disk_missing(m, c, r))
		return;
	if (s->any && s->before.flushes == UNKNOWN_U64) {
		p = pen_at(c, r, r.h > 1);
		pen_text(&p, CANVAS_DIM, "– ");
		pen_text(&p, CANVAS_WARN, "this kernel counts no flushes");
		return;
	}
	pen_printf(&p, CANVAS_VALUE, "%s%s", isnan(s->rates.flushes) ? "" : "~",
	           units_rate(s->rates.flushes).s);
	pen_move(&p, 2);
	pen_text(&p, CANVAS_DIM, "mean ");
	pen_text(&p, CANVAS_SYNC, units_latency(s->rates.flush_ms * 1e6).s);
	p = pen_at(c, r, 1);
	panel_spark(c, (struct rect){p.x, p.y, p.end - p.x, chart}, &s->flush_rate, CANVAS_SYNC);
	p = pen_at(c, r, 1 + chart);
	if (words > 1) {
		draw_sync_sum(s, &p);
		p = pen_at(c, r, 2 + chart);
	}
	if (words > 0)
		pen_text(&p, CANVAS_WARN, "~ estimated from device flushes");
}
