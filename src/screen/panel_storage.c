/* panel_storage.c - the disk below the upgrade: its flushes, its rates, the dirty pages. */
#include <math.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"

#define LABEL_WIDTH  7
#define NUMBER_WIDTH 8
/* A sparkline shorter than this is no picture. */
#define SPARK_LEAST 5

static void draw_spark(struct canvas *c, int x, int y, int width, const struct ring *ring,
                       double top, enum canvas_role role)
{
	double values[RING_ROOM];

	if (width < SPARK_LEAST)
		return;
	if (width > RING_ROOM / 2)
		width = RING_ROOM / 2;
	for (size_t i = 0; i < ring->count; i++)
		values[i] = ring_at(ring, ring->count - 1 - i);
	if (isnan(top))
		top = ring_max(ring, 2 * (size_t)width);
	canvas_spark(c, x, y, width, values, ring->count, top, role);
}

/* Whether the disk's numbers are not there; says why, below the panel's heading. */
static bool disk_missing(const struct model *m, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, r.h > 1);

	if (r.h == 1)
		p.x += LABEL_WIDTH + 1;
	if (panel_missing(m, GROUP_DISKS, &p, r.h - 1))
		return true;
	if (*m->storage.disk)
		return false;
	pen_text(&p, CANVAS_DIM, "– ");
	pen_text(&p, CANVAS_WARN, "the disk is not known");
	return true;
}

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

	pen_text(&p, CANVAS_HEAD, "SYNC");
	pen_move(&p, 2);
	if (disk_missing(m, c, r))
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
	if (r.h > 1)
		draw_spark(c, p.x, p.y, p.end - p.x, &s->flush_rate, UNKNOWN_RATE, CANVAS_SYNC);
	p = pen_at(c, r, 2);
	if (r.h > 3)
		draw_sync_sum(s, &p);
	p = pen_at(c, r, r.h > 3 ? 3 : 2);
	if (r.h > 2)
		pen_text(&p, CANVAS_WARN, "~ estimated from device flushes");
}

/* One row of the disk's numbers: bytes, operations, mean latency. */
static void draw_rates(struct canvas *c, struct rect r, int row, const char *label, double bytes,
                       double operations, double ms, const struct ring *history)
{
	struct pen p = pen_at(c, r, row);
	enum canvas_role role = *label == 'f' ? CANVAS_SYNC : CANVAS_DISK;

	if (row >= r.h)
		return;
	pen_text(&p, CANVAS_DIM, label);
	p.x = r.x + PANEL_MARGIN + LABEL_WIDTH;
	if (*label != 'f')
		canvas_right(c, p.x, p.y, NUMBER_WIDTH, CANVAS_VALUE, units_byte_rate(bytes).s);
	p.x += NUMBER_WIDTH;
	canvas_right(c, p.x, p.y, NUMBER_WIDTH, CANVAS_TEXT, units_rate(operations).s);
	p.x += NUMBER_WIDTH;
	canvas_right(c, p.x, p.y, NUMBER_WIDTH, role, units_latency(ms * 1e6).s);
	p.x += NUMBER_WIDTH + 2;
	if (history)
		draw_spark(c, p.x, p.y, p.end - p.x, history, UNKNOWN_RATE, role);
}

static double kib(uint64_t value)
{
	return value == UNKNOWN_U64 ? UNKNOWN_RATE : (double)value * 1024;
}

static void draw_dirty(const struct model *m, struct canvas *c, struct rect r, int row)
{
	const struct storage *s = &m->storage;
	struct pen p = pen_at(c, r, row);
	int spark = r.x + PANEL_MARGIN + LABEL_WIDTH + 3 * NUMBER_WIDTH + 2;

	if (row >= r.h)
		return;
	pen_text(&p, CANVAS_DIM, "dirty");
	p.x = r.x + PANEL_MARGIN + LABEL_WIDTH;
	if (panel_missing(m, GROUP_MEMORY, &p, 1))
		return;
	canvas_right(c, p.x, p.y, NUMBER_WIDTH, CANVAS_VALUE,
	             units_bytes(kib(s->memory.dirty_kib)).s);
	p.x += NUMBER_WIDTH;
	if (s->memory.dirty_limit_kib != UNKNOWN_U64)
		pen_printf(&p, CANVAS_DIM, " of %s", units_bytes(kib(s->memory.dirty_limit_kib)).s);
	draw_spark(c, spark, p.y, p.end - spark, &s->dirty_kib, UNKNOWN_RATE, CANVAS_TEXT);
	if (row + 1 >= r.h)
		return;
	p = pen_at(c, r, row + 1);
	pen_text(&p, CANVAS_DIM, "wrback");
	p.x = r.x + PANEL_MARGIN + LABEL_WIDTH;
	canvas_right(c, p.x, p.y, NUMBER_WIDTH, CANVAS_VALUE,
	             units_bytes(kib(s->memory.writeback_kib)).s);
	p.x += NUMBER_WIDTH;
	pen_text(&p, CANVAS_DIM, " on its way");
	draw_spark(c, spark, p.y, p.end - spark, &s->writeback_kib, UNKNOWN_RATE, CANVAS_TEXT);
}

void panel_storage(const struct model *m, struct canvas *c, struct rect r)
{
	const struct storage *s = &m->storage;
	const struct disk_rates *d = &s->rates;
	struct pen p = pen_at(c, r, 0);
	char use[64];

	pen_text(&p, CANVAS_HEAD, "STORAGE");
	pen_move(&p, 1);
	if (disk_missing(m, c, r)) {
		draw_dirty(m, c, r, 4);
		return;
	}
	snprintf(use, sizeof(use), "util %s  queue %.1f", units_percent(d->busy).s, d->queue);
	if (isnan(d->queue))
		snprintf(use, sizeof(use), "util %s  queue –", units_percent(d->busy).s);
	if (p.end - p.x >= text_width(use) + text_width(s->disk) + 2) {
		p.end -= text_width(use);
		canvas_text(c, p.end, p.y, -1, CANVAS_VALUE, use);
		p.end -= 2;
	}
	pen_text(&p, CANVAS_TITLE, s->disk);
	pen_move(&p, 2);
	pen_printf(&p, CANVAS_TEXT, "%s %s", m->header.filesystem, m->header.mount_point);
	draw_rates(c, r, 1, "write", d->written_bytes, d->writes, d->write_ms, &s->write_rate);
	draw_rates(c, r, 2, "read", d->read_bytes, d->reads, d->read_ms, NULL);
	draw_rates(c, r, 3, "flush", UNKNOWN_RATE, d->flushes, d->flush_ms, NULL);
	draw_dirty(m, c, r, 4);
}
