/* panel_phases.c - the ledger as a table, and beside it the timeline. */
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"

#define NAME_WIDTH  9
#define TOTAL_WIDTH 8
/* With less than this a timeline says nothing. */
#define AXIS_LEAST 12
#define AXIS_AIR   3
/* Time of unknown cause that is worth a column: what units_seconds() shows as more than 0.0s. */
#define UNKNOWN_LEAST_NS 50000000

/* The four exact causes of sync calls in one column. */
#define SYNCS N_CAUSES

struct table {
	int causes[N_CAUSES]; /* enum cause, or SYNCS */
	int widths[N_CAUSES];
	int columns, rows, end;
	enum phase phases[N_PHASES];
	struct time_axis axis; /* w 0: there is none */
};

static bool cell_known(struct cell cell)
{
	return cell.quality != QUALITY_NONE && cell.quality != QUALITY_UNKNOWN;
}

/* Of a phase, or of all (N_PHASES). */
static struct cell cell_of(const struct ledger *l, enum phase p, int c)
{
	struct cell sum = {0, QUALITY_NONE};

	if (c != SYNCS)
		return p == N_PHASES ? ledger_cause(l, (enum cause)c) : l->cells[p][c];
	for (int i = CAUSE_PACKAGE_SYNC; i <= CAUSE_OTHER_SYNC; i++) {
		struct cell cell = cell_of(l, p, i);

		sum.ns += cell.ns;
		if (cell_known(cell) != cell_known(sum) ? cell_known(cell)
		                                        : cell.quality > sum.quality)
			sum.quality = cell.quality;
	}
	return sum;
}

static int64_t column_ns(const struct ledger *l, int c)
{
	return cell_of(l, N_PHASES, c).ns;
}

/* Whether a better source than an estimate tells of syncs. */
static bool syncs_told(const struct ledger *l)
{
	return cell_known(ledger_cause(l, CAUSE_PACKAGE_SYNC)) ||
	       cell_known(ledger_cause(l, CAUSE_DATABASE_SYNC)) ||
	       cell_known(ledger_cause(l, CAUSE_OTHER_SYNC));
}

/* The columns are those that have something to say; the usual ones stay from the first known
 * zero on, so that the table does not jump. An estimate that only fills gaps beside exact numbers
 * is worth a column from one percent on; the unknown is while it is to be seen, since rows would
 * lack it. */
static bool cause_shown(const struct ledger *l, enum cause c)
{
	struct cell sum = ledger_cause(l, c);

	switch (c) {
	case CAUSE_UNKNOWN:
		return sum.ns >= UNKNOWN_LEAST_NS;
	case CAUSE_SYNC_ESTIMATED:
		return cell_known(sum) && (sum.ns >= ledger_total(l) / 100 || !syncs_told(l));
	case CAUSE_DISK:
	case CAUSE_CPU:
	case CAUSE_INPUT:
	case CAUSE_OTHER:
		return cell_known(sum);
	default:
		return cell_known(sum) && sum.ns > 0;
	}
}

static bool cause_estimated(const struct ledger *l, int c)
{
	return cell_of(l, N_PHASES, c).quality == QUALITY_ESTIMATED;
}

static const char *column_head(int c)
{
	return cause_heads[c == SYNCS ? CAUSE_SYNC_ESTIMATED : c];
}

static int column_width(const struct ledger *l, int c)
{
	int width = text_width(column_head(c)) + cause_estimated(l, c);

	return 1 + (width > 6 ? width : 6); /* units_seconds() takes up to six */
}

/* The column to go first: that of unknown cause while it is under 5 %, because it explains nothing;
 * else the one with the least time in it, of equal ones the last. */
static int least_column(const struct ledger *l, const struct table *t)
{
	int least = -1;

	for (int i = 0; i < t->columns; i++) {
		int64_t ns = column_ns(l, t->causes[i]);

		if (t->causes[i] == CAUSE_UNKNOWN && ns < ledger_total(l) / 20)
			return i;
		if (t->causes[i] == CAUSE_UNKNOWN)
			continue;
		if (least < 0 || ns <= column_ns(l, t->causes[least]))
			least = i;
	}
	return least < 0 ? 0 : least;
}

static void drop_column(struct table *t, int at)
{
	size_t after = (size_t)(--t->columns - at);

	t->end -= t->widths[at];
	memmove(t->causes + at, t->causes + at + 1, after * sizeof(*t->causes));
	memmove(t->widths + at, t->widths + at + 1, after * sizeof(*t->widths));
}

static bool is_small(const struct ledger *l, const struct table *t, int at)
{
	return t->causes[at] == CAUSE_UNKNOWN ||
	       column_ns(l, t->causes[at]) < ledger_total(l) / 100;
}

/* What all of them took together says more than one of them. */
static void fold_syncs(const struct ledger *l, struct table *t)
{
	int syncs = 0;

	for (int i = 0; i < t->columns; i++)
		syncs += t->causes[i] <= CAUSE_OTHER_SYNC;
	if (syncs < 2)
		return;
	/* They stand first. */
	while (syncs-- > 1)
		drop_column(t, 0);
	t->end -= t->widths[0];
	t->causes[0] = SYNCS;
	t->widths[0] = column_width(l, SYNCS);
	t->end += t->widths[0];
}

/* A screen on which table and timeline are expected side by side, and the room that takes. */
#define WIDE          90
#define TIMELINE_ROOM 28

static void choose_columns(const struct ledger *l, struct rect r, struct table *t)
{
	t->end = r.x + PANEL_MARGIN + NAME_WIDTH + TOTAL_WIDTH;
	for (enum cause c = 0; c < N_CAUSES; c++) {
		if (!cause_shown(l, c))
			continue;
		t->causes[t->columns] = c;
		t->widths[t->columns] = column_width(l, c);
		t->end += t->widths[t->columns++];
	}
	while (t->columns > 0 && t->end >= r.x + r.w && is_small(l, t, least_column(l, t)))
		drop_column(t, least_column(l, t));
	if (t->end >= r.x + r.w)
		fold_syncs(l, t);
	while (t->columns > 0 && t->end >= r.x + r.w)
		drop_column(t, least_column(l, t));
	/* Where the timeline would not fit, it says more than a column of next to nothing. */
	while (r.w >= WIDE && t->columns > 0 && t->end + TIMELINE_ROOM > r.x + r.w &&
	       column_ns(l, t->causes[least_column(l, t)]) < ledger_total(l) / 100)
		drop_column(t, least_column(l, t));
}

/* The phases in their order; when there are more than rows, those that took the longest. */
static void choose_phases(const struct ledger *l, int room, struct table *t)
{
	int all = 0;

	for (enum phase p = 0; p < N_PHASES; p++)
		all += l->wall_ns[p] > 0;
	for (enum phase p = 0; p < N_PHASES; p++) {
		int longer = 0;

		if (l->wall_ns[p] <= 0)
			continue;
		for (enum phase q = 0; q < N_PHASES; q++)
			longer += l->wall_ns[q] > l->wall_ns[p] ||
			          (l->wall_ns[q] == l->wall_ns[p] && q < p);
		if (all <= room || longer < room)
			t->phases[t->rows++] = p;
	}
}

static void draw_cell(struct canvas *c, int x, int y, int width, struct cell cell,
                      enum canvas_role role, bool always)
{
	/* Time of unknown cause is itself a known time. */
	if (cell.quality == QUALITY_UNKNOWN && !always)
		canvas_right(c, x, y, width, CANVAS_DIM, "–");
	else if (cell.quality == QUALITY_NONE)
		canvas_right(c, x, y, width, CANVAS_DIM, c->ascii ? "." : "·");
	else
		canvas_right(c, x, y, width, cell.ns ? role : CANVAS_DIM, units_seconds(cell.ns).s);
}

static void draw_head(const struct ledger *l, const struct table *t, struct canvas *c,
                      struct rect r)
{
	int x = r.x + PANEL_MARGIN + NAME_WIDTH + TOTAL_WIDTH;
	char head[32];

	canvas_text(c, r.x + PANEL_MARGIN, r.y, r.w - PANEL_MARGIN, CANVAS_HEAD, "PHASES");
	canvas_right(c, x - TOTAL_WIDTH, r.y, TOTAL_WIDTH, CANVAS_HEAD, "total");
	for (int i = 0; i < t->columns; i++) {
		bool estimated = cause_estimated(l, t->causes[i]);

		snprintf(head, sizeof(head), "%s%s", column_head(t->causes[i]),
		         estimated ? "~" : "");
		canvas_right(c, x, r.y, t->widths[i], estimated ? CANVAS_WARN : CANVAS_HEAD, head);
		x += t->widths[i];
	}
	if (t->axis.w)
		timeline_draw_axis(&t->axis, c, r.y);
}

/* The row of a phase, or of all (N_PHASES). */
static void draw_row(const struct model *m, const struct table *t, enum phase p, struct canvas *c,
                     struct rect r, int y)
{
	const struct ledger *l = &m->ledger;
	bool all = p == N_PHASES, now = m->state == MODEL_RUNNING && phase_now(&m->phase) == p;
	int64_t total = all ? ledger_total(l) : l->wall_ns[p];
	int x = r.x + PANEL_MARGIN;

	if (now && !all)
		canvas_text(c, r.x, y, 1, CANVAS_BAR, "▸");
	canvas_text(c, x, y, r.w - PANEL_MARGIN,
	            all   ? CANVAS_DIM
	            : now ? CANVAS_TITLE
	                  : CANVAS_TEXT,
	            all ? "sum" : phase_names[p]);
	x += NAME_WIDTH;
	canvas_right(c, x, y, TOTAL_WIDTH, CANVAS_VALUE, units_seconds(total).s);
	x += TOTAL_WIDTH;
	for (int i = 0; i < t->columns; i++) {
		int cause = t->causes[i];

		draw_cell(c, x, y, t->widths[i], cell_of(l, p, cause),
		          cause == SYNCS ? CANVAS_SYNC : panel_cause_role((enum cause)cause),
		          cause == CAUSE_UNKNOWN);
		x += t->widths[i];
	}
	if (t->axis.w && !all)
		timeline_draw_row(m, &t->axis, p, c, y);
}

/* What the data still took to reach the disk: after the end, so in no phase and not in the sum. */
static void draw_trailing(const struct ledger *l, struct canvas *c, struct rect r, int y)
{
	struct pen p = pen_at(c, r, y - r.y);

	pen_text(&p, CANVAS_TEXT, "sync");
	canvas_right(c, r.x + PANEL_MARGIN + NAME_WIDTH, y, TOTAL_WIDTH, CANVAS_VALUE,
	             units_seconds(l->trailing_ns).s);
	p.x = r.x + PANEL_MARGIN + NAME_WIDTH + TOTAL_WIDTH + 2;
	pen_text(&p, CANVAS_DIM, "after the end, until all was on the disk; not in the sum");
}

static bool has_sum(const struct ledger *l)
{
	int phases = 0;

	for (enum phase p = 0; p < N_PHASES; p++)
		phases += l->wall_ns[p] > 0;
	return phases > 1;
}

int panel_phases_rows(const struct model *m)
{
	int rows = m->ledger.trailing_ns != UNKNOWN_NS;

	for (enum phase p = 0; p < N_PHASES; p++)
		rows += m->ledger.wall_ns[p] > 0;
	return rows;
}

void panel_phases(const struct model *m, struct canvas *c, struct rect r)
{
	const struct ledger *l = &m->ledger;
	bool trailing = l->trailing_ns != UNKNOWN_NS, sum = has_sum(l);
	struct table t = {.columns = 0};
	int y = r.y + 1, room = r.h - 1 - sum - trailing;

	choose_columns(l, r, &t);
	/* In a low panel the phases go before what they sum to. */
	choose_phases(l, room > 0 ? room : 0, &t);
	if (r.x + r.w - 1 - t.end - AXIS_AIR >= AXIS_LEAST && model_elapsed(m) > 0)
		t.axis = (struct time_axis){t.end + AXIS_AIR, r.x + r.w - 1 - t.end - AXIS_AIR,
		                            m->since_ns, m->since_ns + model_elapsed(m)};
	draw_head(l, &t, c, r);
	for (int i = 0; i < t.rows; i++)
		draw_row(m, &t, t.phases[i], c, r, y++);
	if (sum && y < r.y + r.h)
		draw_row(m, &t, N_PHASES, c, r, y++);
	if (trailing && y < r.y + r.h)
		draw_trailing(l, c, r, y);
}
