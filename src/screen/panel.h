/* panel.h - the overview's panels, each drawn into the area that the layout gave it. */
#ifndef DPKGTOP_SCREEN_PANEL_H
#define DPKGTOP_SCREEN_PANEL_H

#include "dpkgtop/canvas.h"
#include "dpkgtop/model.h"
#include "dpkgtop/view.h"

/* The column that text begins in; the one before it is for marks. */
#define PANEL_MARGIN 1

void panel_title(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r);
void panel_progress(const struct model *m, struct canvas *c, struct rect r);
void panel_now(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r);
/* The three above in one line, for a screen with room for no more. */
void panel_line(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r);
void panel_phases(const struct model *m, struct canvas *c, struct rect r);
void panel_sync(const struct model *m, struct canvas *c, struct rect r);
void panel_storage(const struct model *m, struct canvas *c, struct rect r);
void panel_processes(const struct model *m, struct canvas *c, struct rect r);
void panel_left(const struct model *m, struct canvas *c, struct rect r);
void panel_verdict(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r);
void panel_footer(const struct ui *ui, struct canvas *c, struct rect r);

/* The rows that each has to show below its head. */
int panel_phases_rows(const struct model *m);
int panel_storage_rows(const struct model *m);
int panel_processes_rows(const struct model *m);
int panel_left_rows(const struct model *m);
int panel_verdict_rows(const struct model *m);

/* "61%", "311 of 512 steps", "1 failed", "~0:41 left"; "" where there is nothing to say. */
#define PART_SIZE 64
enum progress_part { PART_PERCENT, PART_STEPS, PART_FAILED, PART_LEFT, N_PARTS };
void panel_progress_words(const struct model *m, char parts[N_PARTS][PART_SIZE]);

/* Which upgrade of those that run is on the screen, from 1; 0: none of them. */
int panel_choice(const struct ui *ui);

/* The disk's numbers are not there; says why, below the panel's head. */
bool panel_disk_missing(const struct model *m, struct canvas *c, struct rect r);
/* A history, as tall as the area; the newest at its right edge. */
void panel_spark(struct canvas *c, struct rect r, const struct ring *ring, enum canvas_role role);

/* Whether this was watched from its middle on. */
bool panel_came_late(const struct model *m);

/* Where an area of the timeline shows which time: `w` columns from `begin_ns` to `end_ns`. */
struct time_axis {
	int x, w;
	int64_t begin_ns, end_ns;
};

void timeline_draw_axis(const struct time_axis *a, struct canvas *c, int y);
void timeline_draw_row(const struct model *m, const struct time_axis *a, enum phase phase,
                       struct canvas *c, int y);

/* Words set one after another in a row, never beyond `end`. */
struct pen {
	struct canvas *c;
	int x, y, end; /* the first column that is not the pen's */
};

struct pen pen_at(struct canvas *c, struct rect r, int row);
void pen_move(struct pen *p, int columns);
void pen_text(struct pen *p, enum canvas_role role, const char *text);
void pen_printf(struct pen *p, enum canvas_role role, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether a source is missing; says why, the reason in a second row (if `rows` > 1) when both do
 * not fit into one. */
bool panel_missing(const struct model *m, enum group g, struct pen *p, int rows);

/* The role that a cause's time is drawn in. */
enum canvas_role panel_cause_role(enum cause c);
/* The cause that most time of the phase, or of all with N_PHASES, went to; N_CAUSES: none yet.
 * `but` is passed over (N_CAUSES: none is). */
enum cause panel_main_cause(const struct ledger *l, enum phase phase, enum cause but);

#endif
