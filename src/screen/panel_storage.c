/* panel_storage.c - the disk below the upgrade: its rates, the dirty pages, pressure and room. */
#include <math.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"

#define LABEL_WIDTH  7
#define NUMBER_WIDTH 8
/* A filesystem with less room than this is soon full. */
#define SPACE_LEAST_BYTES 50e6
#define SPACE_LEAST_PART  0.05

enum row {
	ROW_MISSING, /* instead of the next three */
	ROW_WRITE,
	ROW_READ,
	ROW_FLUSH,
	ROW_DIRTY,
	ROW_WRITEBACK,
	ROW_PRESSURE,
	ROW_SPACE,
	ROW_STACK,
	ROW_CACHE,
	N_ROWS
};

bool panel_disk_missing(const struct model *m, struct canvas *c, struct rect r)
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

static bool disk_there(const struct model *m)
{
	int why = m->why[GROUP_DISKS];

	return (why == 0 || why == GROUP_NOT_ASKED) && *m->storage.disk;
}

static double kib(uint64_t value)
{
	return value == UNKNOWN_U64 ? UNKNOWN_RATE : (double)value * 1024;
}

static bool space_short(const struct space_counters *s)
{
	double free = kib(s->free_kib), total = kib(s->total_kib);

	return free < SPACE_LEAST_BYTES || free < total * SPACE_LEAST_PART;
}

static bool any_space_short(const struct model *m)
{
	for (size_t i = 0; i < m->n_spaces; i++) {
		if (space_short(&m->spaces[i]))
			return true;
	}
	return false;
}

/* A mount option that keeps the filesystem from flushing (ext4(5) nobarrier, barrier=0; xfs(5)
 * nobarrier); "" none. */
static const char *unsafe_option(const struct model *m)
{
	static const char *const options[] = {"nobarrier", "barrier=0"};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		const char *at = m->facts.mount_options, *found;
		size_t len = strlen(options[i]);

		for (; (found = strstr(at, options[i])); at = found + len) {
			bool begins = found == m->facts.mount_options || found[-1] == ',';

			if (begins && (found[len] == ',' || !found[len]))
				return options[i];
		}
	}
	return "";
}

static bool writes_through(const struct model *m)
{
	return !strcmp(m->facts.write_cache, "write through");
}

/* Layers are separated by commas; one alone is in the panel's head already. */
static bool has_stack(const struct model *m)
{
	return strchr(m->facts.stack, ',') != NULL;
}

static bool row_wanted(const struct model *m, enum row row)
{
	switch (row) {
	case ROW_MISSING:
		return !disk_there(m);
	case ROW_WRITE:
	case ROW_READ:
	case ROW_FLUSH:
		return disk_there(m);
	case ROW_SPACE:
		return m->n_spaces > 0 ||
		       (m->why[GROUP_SPACE] != GROUP_NOT_ASKED && m->why[GROUP_SPACE] != 0);
	case ROW_PRESSURE:
		return m->why[GROUP_PRESSURE] != GROUP_NOT_ASKED;
	case ROW_STACK:
		return has_stack(m);
	case ROW_CACHE:
		return *m->facts.write_cache || *unsafe_option(m);
	default:
		return true;
	}
}

/* Lower is worth more. What is wrong comes before what is merely known. */
static int row_worth(const struct model *m, enum row row)
{
	static const int worth[N_ROWS] = {
		[ROW_MISSING] = 0, [ROW_WRITE] = 2,    [ROW_FLUSH] = 3, [ROW_READ] = 4,
		[ROW_DIRTY] = 6,   [ROW_PRESSURE] = 5, [ROW_SPACE] = 7, [ROW_WRITEBACK] = 9,
		[ROW_STACK] = 10,  [ROW_CACHE] = 11,
	};

	if (row == ROW_SPACE && any_space_short(m))
		return 1;
	if (row == ROW_PRESSURE && m->why[GROUP_PRESSURE] != 0)
		return 12;
	if (row == ROW_CACHE && (writes_through(m) || *unsafe_option(m)))
		return 8;
	return worth[row];
}

/* Where a row's text begins; its label is drawn. */
static struct pen row_label(struct canvas *c, struct rect r, int y, const char *label)
{
	struct pen p = pen_at(c, r, y - r.y);

	pen_text(&p, CANVAS_DIM, label);
	p.x = r.x + PANEL_MARGIN + LABEL_WIDTH;
	return p;
}

static void draw_history(struct pen *p, struct rect r, const struct ring *ring,
                         enum canvas_role role)
{
	p->x = r.x + PANEL_MARGIN + LABEL_WIDTH + 3 * NUMBER_WIDTH + 2;
	panel_spark(p->c, (struct rect){p->x, p->y, p->end - p->x, 1}, ring, role);
}

static void draw_number(struct pen *p, enum canvas_role role, const char *text)
{
	if (p->x + NUMBER_WIDTH <= p->end)
		canvas_right(p->c, p->x, p->y, NUMBER_WIDTH, role, text);
	p->x += NUMBER_WIDTH;
}

/* The kernel counts whole milliseconds: of few requests the sum may be 0, which no request takes.
 */
static struct units_text disk_latency(double ms, double operations)
{
	if (ms == 0 && operations > 0)
		return (struct units_text){"<1ms"};
	return units_latency(ms * 1e6);
}

/* One row of the disk's numbers: bytes, operations, mean latency. */
static void draw_rates(const struct model *m, enum row row, struct canvas *c, struct rect r, int y)
{
	const struct disk_rates *d = &m->storage.rates;
	bool write = row == ROW_WRITE, flush = row == ROW_FLUSH;
	double operations = flush ? d->flushes : write ? d->writes : d->reads;
	double ms = flush ? d->flush_ms : write ? d->write_ms : d->read_ms;
	struct pen p = row_label(c, r, y, flush ? "flush" : write ? "write" : "read");
	enum canvas_role role = flush ? CANVAS_SYNC : CANVAS_DISK;

	if (flush)
		p.x += NUMBER_WIDTH;
	else
		draw_number(&p, CANVAS_VALUE,
		            units_byte_rate(write ? d->written_bytes : d->read_bytes).s);
	draw_number(&p, CANVAS_TEXT, units_rate(operations).s);
	draw_number(&p, role, disk_latency(ms, operations).s);
	if (write)
		draw_history(&p, r, &m->storage.write_rate, role);
}

static void draw_dirty(const struct model *m, enum row row, struct canvas *c, struct rect r, int y)
{
	const struct storage *s = &m->storage;
	bool dirty = row == ROW_DIRTY;
	struct pen p = row_label(c, r, y, dirty ? "dirty" : "wrback");

	if (m->why[GROUP_MEMORY] != 0 && m->why[GROUP_MEMORY] != GROUP_NOT_ASKED) {
		p.x++;
		panel_missing(m, GROUP_MEMORY, &p, 1);
		return;
	}
	draw_number(&p, CANVAS_VALUE,
	            units_bytes(kib(dirty ? s->memory.dirty_kib : s->memory.writeback_kib)).s);
	if (!dirty)
		pen_text(&p, CANVAS_DIM, " on its way");
	else if (s->memory.dirty_limit_kib != UNKNOWN_U64)
		pen_printf(&p, CANVAS_DIM, " of %s", units_bytes(kib(s->memory.dirty_limit_kib)).s);
	draw_history(&p, r, dirty ? &s->dirty_kib : &s->writeback_kib, CANVAS_TEXT);
}

static void draw_pressure(const struct model *m, struct canvas *c, struct rect r, int y)
{
	const struct pressure *s = &m->pressure;
	struct pen p = row_label(c, r, y, "pressure");

	p.x += 2;
	if (panel_missing(m, GROUP_PRESSURE, &p, 1))
		return;
	pen_text(&p, CANVAS_DIM, "io some ");
	pen_text(&p, CANVAS_VALUE, units_percent(s->io_some).s);
	pen_text(&p, CANVAS_DIM, " full ");
	pen_text(&p, CANVAS_VALUE, units_percent(s->io_full).s);
	draw_history(&p, r, &s->io_full_ring, CANVAS_DISK);
}

static void draw_space(const struct model *m, struct canvas *c, struct rect r, int y)
{
	struct pen p = row_label(c, r, y, "free");

	p.x++;
	if (panel_missing(m, GROUP_SPACE, &p, 1))
		return;
	/* What is nearly full first: it must not be cut off. */
	for (size_t i = 0, drawn = 0; i < 2 * m->n_spaces; i++) {
		const struct space_counters *s = &m->spaces[i % m->n_spaces];

		if (space_short(s) != (i < m->n_spaces))
			continue;
		pen_text(&p, CANVAS_DIM, drawn++ ? ", " : "");
		pen_printf(&p, space_short(s) ? CANVAS_BAD : CANVAS_TEXT, "%s ", s->path);
		pen_printf(&p, space_short(s) ? CANVAS_BAD : CANVAS_VALUE, "%s",
		           units_bytes(kib(s->free_kib)).s);
	}
}

/* "dm-1 lvm vg-root → dm-0 luks → nvme0n1" */
static void draw_stack(const struct model *m, struct canvas *c, struct rect r, int y)
{
	struct pen p = row_label(c, r, y, "stack");

	p.x++;
	for (const char *at = m->facts.stack; *at;) {
		size_t len = strcspn(at, ",");

		pen_printf(&p, CANVAS_TEXT, "%.*s", (int)len, at);
		at += len;
		at += strspn(at, ", ");
		if (*at)
			pen_text(&p, CANVAS_DIM, " → ");
	}
}

static void draw_cache(const struct model *m, struct canvas *c, struct rect r, int y)
{
	struct pen p = row_label(c, r, y, "cache");
	const char *option = unsafe_option(m);

	p.x++;
	if (writes_through(m))
		pen_text(&p, CANVAS_WARN, "write through: flushes cost nothing here");
	else if (*option)
		pen_printf(&p, CANVAS_WARN, "mounted %s: no flushes are sent", option);
	else
		pen_text(&p, CANVAS_TEXT, m->facts.write_cache);
}

static void draw_row(const struct model *m, enum row row, struct canvas *c, struct rect r, int y)
{
	switch (row) {
	case ROW_MISSING:
		panel_disk_missing(m, c, (struct rect){r.x, y - 1, r.w, 2});
		break;
	case ROW_WRITE:
	case ROW_READ:
	case ROW_FLUSH:
		draw_rates(m, row, c, r, y);
		break;
	case ROW_DIRTY:
	case ROW_WRITEBACK:
		draw_dirty(m, row, c, r, y);
		break;
	case ROW_PRESSURE:
		draw_pressure(m, c, r, y);
		break;
	case ROW_SPACE:
		draw_space(m, c, r, y);
		break;
	case ROW_STACK:
		draw_stack(m, c, r, y);
		break;
	default:
		draw_cache(m, c, r, y);
		break;
	}
}

int panel_storage_rows(const struct model *m)
{
	int rows = 0;

	for (enum row row = 0; row < N_ROWS; row++)
		rows += row_wanted(m, row);
	/* As many as the usual ones, so that nothing moves when a source comes or goes. */
	return rows > 5 ? rows : 5;
}

/* How many rows are worth more than this one. */
static int row_rank(const struct model *m, enum row row)
{
	int rank = 0;

	for (enum row other = 0; other < N_ROWS; other++)
		rank += row_wanted(m, other) && row_worth(m, other) < row_worth(m, row);
	return rank;
}

static void draw_head(const struct model *m, struct canvas *c, struct rect r)
{
	const struct storage *s = &m->storage;
	struct pen p = pen_at(c, r, 0);
	char use[64], queue[16];

	pen_text(&p, CANVAS_HEAD, "STORAGE");
	pen_move(&p, 1);
	if (!disk_there(m))
		return;
	snprintf(queue, sizeof(queue), isnan(s->rates.queue) ? "–" : "%.1f", s->rates.queue);
	snprintf(use, sizeof(use), "util %s  queue %s", units_percent(s->rates.busy).s, queue);
	if (p.end - p.x >= text_width(use) + text_width(s->disk) + 2) {
		p.end -= text_width(use);
		canvas_text(c, p.end, p.y, text_width(use), CANVAS_VALUE, use);
		p.end -= 2;
	}
	pen_text(&p, CANVAS_TITLE, s->disk);
	pen_move(&p, 2);
	pen_printf(&p, CANVAS_TEXT, "%s %s", m->facts.filesystem, m->facts.mount_point);
}

void panel_storage(const struct model *m, struct canvas *c, struct rect r)
{
	int y = r.y + 1;

	draw_head(m, c, r);
	for (enum row row = 0; row < N_ROWS; row++) {
		if (row_wanted(m, row) && row_rank(m, row) < r.h - 1)
			draw_row(m, row, c, r, y++);
	}
}
