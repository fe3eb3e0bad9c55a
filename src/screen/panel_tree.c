/* panel_tree.c - the upgrade's processes. */
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

/* Deeper ones are drawn no further to the right. */
#define DEPTH_MAX 8
/* Room that is kept for them, however few there are. */
#define ROWS_USUAL 4

/* The columns after the command, from left to right, as they are asked for. */
enum column {
	COLUMN_WRITE,
	COLUMN_READ,
	COLUMN_SYNCS,
	COLUMN_IN_SYNC,
	COLUMN_CPU,
	COLUMN_STATE,
	N_COLUMNS
};

static const struct {
	int width; /* the air before it included */
	const char *head;
} columns[N_COLUMNS] = {
	[COLUMN_WRITE] = {9, "write/s"}, [COLUMN_READ] = {9, "read/s"},
	[COLUMN_SYNCS] = {8, "sync/s"},  [COLUMN_IN_SYNC] = {9, "in sync"},
	[COLUMN_CPU] = {7, "cpu"},       [COLUMN_STATE] = {11, "state"},
};

/* So much of a command is worth more than the columns that may drop out. */
#define COMMAND_LEAST 30

struct tree_columns {
	int at[N_COLUMNS]; /* where each begins; those left out: -1 */
	int command, end;  /* the command, before them */
};

/* Whether the probe tells of syncs; as in SYNC, what it can not tell any more is unknown. */
static bool tells_syncs(const struct model *m)
{
	return m->syncs.exact || syncs_count(&m->syncs) > 0;
}

/* The columns that the width has room for; the command comes first. */
static struct tree_columns tree_columns(const struct model *m, struct rect r)
{
	static const enum column least_worth[] = {COLUMN_READ, COLUMN_SYNCS, COLUMN_WRITE,
	                                          COLUMN_IN_SYNC};
	struct tree_columns t = {.command = r.x + PANEL_MARGIN};
	bool shown[N_COLUMNS];
	int sum = 0, x = r.x + r.w;

	for (int i = 0; i < N_COLUMNS; i++) {
		shown[i] = tells_syncs(m) || (i != COLUMN_SYNCS && i != COLUMN_IN_SYNC);
		sum += shown[i] ? columns[i].width : 0;
	}
	for (int i = 0; i < 4 && r.w - PANEL_MARGIN - sum < COMMAND_LEAST; i++) {
		sum -= shown[least_worth[i]] ? columns[least_worth[i]].width : 0;
		shown[least_worth[i]] = false;
	}
	for (int i = N_COLUMNS - 1; i >= 0; i--) {
		x -= shown[i] ? columns[i].width : 0;
		t.at[i] = shown[i] ? x : -1;
	}
	t.end = x;
	return t;
}

static void draw_number(const struct tree_columns *t, enum column i, struct canvas *c, int y,
                        enum canvas_role role, const char *text)
{
	/* Zeros and unknown values stand back. */
	if (!strcmp(text, "0 B") || !strcmp(text, "0%") || !strcmp(text, "0") || !strcmp(text, "–"))
		role = CANVAS_DIM;
	if (t->at[i] >= 0)
		canvas_right(c, t->at[i], y, columns[i].width, role, text);
}

/* "309" "1.2k": the column's head says "/s". */
static struct units_text per_second(double rate)
{
	struct units_text text = units_rate(rate);

	text.s[strcspn(text.s, "/")] = '\0';
	return text;
}

/* More than a process needs that mostly sleeps. */
#define BUSY_CPU 0.2

/* The state is that of a process' first thread; others of it may be at work. */
static char state_of(const struct tree_process *p)
{
	bool asleep = p->at.state == 'S' || p->at.state == 'I';

	return asleep && p->cpu > BUSY_CPU ? 'R' : p->at.state;
}

static void draw_state(const struct model *m, const struct tree_process *p, int x, struct canvas *c,
                       int y)
{
	char state = state_of(p);
	enum canvas_role role = state == 'D'   ? CANVAS_DISK
	                        : state == 'R' ? CANVAS_CPU
	                                       : CANVAS_TEXT;
	int width = columns[COLUMN_STATE].width - 2;

	if (input_waits(&m->input) && m->input.pid == p->at.pid)
		canvas_text(c, x, y, width, CANVAS_BAD, "asks you");
	else if (p->in_call < N_SYNC_CALLS)
		canvas_text(c, x, y, width, CANVAS_SYNC, words_of_call(p->in_call, true));
	else
		canvas_text(c, x, y, width, role, words_of_state(state));
}

/* A process that is shown, and how. */
struct tree_row {
	const struct tree_process *process;
	int depth; /* below those that are shown */
	/* By depth, a bit each: its own, its parent's, and so on have a brother further down. */
	unsigned brothers;
};

/* "│ ├ ": what it hangs from. Returns where its command begins. */
static int draw_branch(const struct tree_row *row, const struct tree_columns *t, struct canvas *c,
                       int y)
{
	int x = t->command;

	for (int depth = 1; depth <= row->depth; depth++, x += 2) {
		bool more = row->brothers >> depth & 1, own = depth == row->depth;

		if (more || own)
			canvas_text(c, x, y, t->end - x, CANVAS_DIM, !own ? "│" : more ? "├" : "└");
	}
	return x;
}

static void draw_process(const struct model *m, const struct tree_row *row,
                         const struct tree_columns *t, struct canvas *c, int y)
{
	const struct tree_process *p = row->process;
	int x = draw_branch(row, t, c, y);

	canvas_text(c, x, y, t->end - x, CANVAS_TEXT,
	            *p->at.command ? words_of_command(p->at.command) : p->at.name);
	draw_number(t, COLUMN_WRITE, c, y, CANVAS_VALUE, units_bytes(p->written_rate).s);
	draw_number(t, COLUMN_READ, c, y, CANVAS_VALUE, units_bytes(p->read_rate).s);
	draw_number(t, COLUMN_SYNCS, c, y, CANVAS_VALUE, per_second(p->sync_rate).s);
	draw_number(t, COLUMN_IN_SYNC, c, y, CANVAS_SYNC, units_percent(p->in_sync).s);
	draw_number(t, COLUMN_CPU, c, y, CANVAS_VALUE, units_percent(p->cpu).s);
	draw_state(m, p, t->at[COLUMN_STATE] + 2, c, y);
}

static bool tree_missing(const struct model *m)
{
	return m->why[GROUP_PROCESSES] != 0 && m->why[GROUP_PROCESSES] != GROUP_NOT_ASKED;
}

static int rows_of(size_t count)
{
	return count < 10000 ? (int)count : 10000;
}

int panel_processes_rows(const struct model *m)
{
	if (m->state != MODEL_RUNNING)
		return 0;
	if (tree_missing(m))
		return 1;
	/* As processes come and go the panels around must not. */
	return m->tree.count - m->tree.n_left > ROWS_USUAL ? rows_of(m->tree.count - m->tree.n_left)
	                                                   : ROWS_USUAL;
}

int panel_left_rows(const struct model *m)
{
	return m->state == MODEL_RUNNING && !tree_missing(m) ? rows_of(m->tree.n_left) : 0;
}

/* Whether no process' bytes can be read: those of root's processes are root's to see. */
static bool bytes_unknown(const struct tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->items[i].at.written_bytes != UNKNOWN_U64)
			return false;
	}
	return t->count > 0;
}

/* What is not known of them, and why; without root the mode goes with it. */
static void draw_unknown(const struct model *m, struct pen *p)
{
	bool bytes = bytes_unknown(&m->tree);

	if (m->input.kind == INPUT_UNKNOWN && m->phase.had_dpkg && !*m->mode.mode)
		pen_text(p, CANVAS_WARN, bytes ? "bytes, mode: need root" : "mode: needs root");
	else if (bytes)
		pen_printf(p, CANVAS_WARN, "bytes: %s",
		           m->input.kind == INPUT_UNKNOWN ? "need root" : "not known");
}

/* "so far 1.2 GB written, 133 MB read", whole or not at all. */
static void draw_sums(const struct tree_io *io, struct pen *p)
{
	char text[96];

	if (io->written_bytes == UNKNOWN_U64)
		return;
	snprintf(text, sizeof(text), "so far %s written, %s read",
	         units_bytes((double)io->written_bytes).s, units_bytes((double)io->read_bytes).s);
	if (p->x + text_width(text) < p->end)
		pen_text(p, CANVAS_DIM, text);
}

/* "PROCESSES  4 of 6", where not all have a row. */
static struct pen draw_head(const char *head, size_t count, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);

	pen_text(&p, CANVAS_HEAD, head);
	pen_move(&p, 2);
	if (count > (size_t)(r.h - 1)) {
		pen_printf(&p, CANVAS_DIM, "%d of %zu", r.h - 1, count);
		pen_move(&p, 2);
	}
	return p;
}

/* With fewer rows than this the upgrade's own process, which mostly sleeps, has none by right. */
#define ROWS_FOR_ROOT 3

/* Who is at work, or waits, says more than those above who wait for it; what is over least. */
static double worth(const struct tree_process *p, size_t rows)
{
	double sum = p->depth;
	char state = state_of(p);

	if (p->depth == 0 && rows >= ROWS_FOR_ROOT)
		return 1e6; /* the upgrade itself */
	if (state == 'Z' || state == 'X')
		return -1;
	if (state == 'R' || state == 'D' || p->in_call < N_SYNC_CALLS)
		sum += 1000;
	if (p->in_sync > 0)
		sum += 1000 * p->in_sync;
	if (p->cpu > 0)
		sum += 1000 * p->cpu;
	if (p->written_rate > 0 || p->read_rate > 0)
		sum += 500;
	return p->at.waits == 'r' || p->at.waits == 'p' ? sum + 2000 : sum;
}

/* Which of the processes get a row, where there are more of them than rows. */
struct selection {
	double *worths; /* of each; NULL: each gets one */
	double least;   /* those worth more have a row */
	size_t equals;  /* and so many of those that are worth just this, the first of them */
};

static int by_worth(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/* Without memory the first ones get the rows. */
static struct selection select_worth(const struct tree_process *items, size_t count, size_t rows)
{
	struct selection s = {.worths = NULL};
	double *sorted;

	if (count <= rows || rows == 0)
		return s;
	s.worths = calloc(2 * count, sizeof(*s.worths));
	if (!s.worths)
		return s;
	sorted = s.worths + count;
	for (size_t i = 0; i < count; i++)
		sorted[i] = s.worths[i] = worth(&items[i], rows);
	qsort(sorted, count, sizeof(*sorted), by_worth);
	s.least = sorted[rows - 1];
	for (size_t i = rows; i > 0 && sorted[i - 1] <= s.least; i--)
		s.equals++;
	return s;
}

/* Asked of each in turn, once. */
static bool selected(struct selection *s, size_t at)
{
	if (!s->worths || s->worths[at] > s->least)
		return true;
	if (s->worths[at] < s->least || s->equals == 0)
		return false;
	s->equals--;
	return true;
}

/* The processes with a row that the next one is below. */
struct ancestors {
	int depths[DEPTH_MAX], count;
};

/* Those that the tree's order has left behind, shown or not, are no ancestors any more. */
static void ancestors_leave(struct ancestors *a, int depth)
{
	while (a->count > 0 && a->depths[a->count - 1] >= depth)
		a->count--;
}

static void ancestors_enter(struct ancestors *a, int depth)
{
	if (a->count < DEPTH_MAX)
		a->depths[a->count++] = depth;
}

/* In the tree's order; where there are more than rows, those that are worth most, each below the
 * nearest ancestor that is shown. Returns how many. */
static size_t choose_rows(const struct tree_process *items, size_t count, struct tree_row *rows,
                          size_t room)
{
	struct selection selection = select_worth(items, count, room);
	struct ancestors above = {.count = 0};
	size_t n = 0;

	for (size_t i = 0; i < count && n < room; i++) {
		ancestors_leave(&above, items[i].depth);
		if (!selected(&selection, i))
			continue;
		rows[n++] = (struct tree_row){.process = &items[i], .depth = above.count};
		ancestors_enter(&above, items[i].depth);
	}
	free(selection.worths);
	return n;
}

/* From the last one up: those below a row that is less deep have no brothers above it. */
static void find_brothers(struct tree_row *rows, size_t count)
{
	unsigned seen = 0;

	for (size_t i = count; i > 0; i--) {
		struct tree_row *row = &rows[i - 1];
		unsigned own = 1u << row->depth;

		seen &= own | (own - 1);
		row->brothers = seen;
		seen |= own;
	}
}

static void draw_list(const struct model *m, size_t first, size_t count, struct canvas *c,
                      struct rect r)
{
	struct tree_columns t = tree_columns(m, r);
	size_t room = r.h > 1 ? (size_t)(r.h - 1) : 0;
	struct tree_row *rows = mem_new(room, sizeof(*rows));

	room = choose_rows(m->tree.items + first, count, rows, room);
	find_brothers(rows, room);
	for (size_t i = 0; i < room; i++)
		draw_process(m, &rows[i], &t, c, r.y + 1 + (int)i);
	free(rows);
}

void panel_processes(const struct model *m, struct canvas *c, struct rect r)
{
	struct tree_columns t = tree_columns(m, r);
	size_t count = m->tree.count - m->tree.n_left;
	struct pen p = draw_head("PROCESSES", tree_missing(m) ? 0 : count, c, r);

	if (tree_missing(m)) {
		p = pen_at(c, r, 1);
		panel_missing(m, GROUP_PROCESSES, &p, r.h - 1);
		return;
	}
	/* What is missing is told with the bytes, if they are shown. */
	if (t.at[COLUMN_WRITE] >= 0) {
		p.end = t.end;
		draw_unknown(m, &p);
		draw_sums(&m->tree.io, &p);
	}
	for (int i = 0; i < N_COLUMNS; i++) {
		if (i == COLUMN_STATE)
			canvas_text(c, t.at[i] + 2, r.y, -1, CANVAS_HEAD, columns[i].head);
		else if (t.at[i] >= 0)
			canvas_right(c, t.at[i], r.y, columns[i].width, CANVAS_HEAD,
			             columns[i].head);
	}
	draw_list(m, 0, count, c, r);
}

void panel_left(const struct model *m, struct canvas *c, struct rect r)
{
	struct pen p = draw_head("LEFT RUNNING", m->tree.n_left, c, r);

	pen_text(&p, CANVAS_DIM, "started by the upgrade, no part of it any more");
	draw_list(m, m->tree.count - m->tree.n_left, m->tree.n_left, c, r);
}
