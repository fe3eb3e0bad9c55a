/* canvas.h - a grid of character cells to draw on; no terminal in sight.
 *
 * A cell holds one character (with its combining marks) and a role; what colour a role has is the
 * theme's matter. Drawing is clipped to the canvas, so callers need no bounds of their own. The
 * terminal (term.h) shows a canvas, tests and --snapshot read it back as text. */
#ifndef DPKGTOP_CANVAS_H
#define DPKGTOP_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

/* What a piece of the screen means. */
enum canvas_role {
	CANVAS_TEXT,
	CANVAS_DIM,      /* labels, unknown values */
	CANVAS_HEAD,     /* headings of panels and columns */
	CANVAS_TITLE,    /* the program's and the command's name */
	CANVAS_VALUE,    /* numbers that matter */
	CANVAS_SYNC,     /* waiting for syncs */
	CANVAS_DISK,     /* waiting for the disk otherwise; reads, writes */
	CANVAS_CPU,      /* running */
	CANVAS_BAR,      /* the progress bar's done part */
	CANVAS_BAR_LEFT, /* and the rest of it */
	CANVAS_GOOD,
	CANVAS_WARN,   /* estimates, degraded sources, waiting */
	CANVAS_BAD,    /* failures */
	CANVAS_KEY,    /* a key in the footer */
	CANVAS_ASK,    /* the upgrade waits for a person */
	CANVAS_CURSOR, /* the row that keys act on */
	N_CANVAS_ROLES
};

/* Names of the roles as in theme files: "text" "dim" "head" … */
extern const char *const canvas_role_names[N_CANVAS_ROLES];

struct canvas_cell {
	char text[16];       /* UTF-8; "" in the second column of a wide character */
	unsigned char width; /* 1 or 2; 0 for that second column */
	unsigned char role;
};

struct canvas {
	int rows, columns;
	bool ascii; /* draw with ASCII only: block and braille characters have stand-ins */
	struct canvas_cell *cells; /* rows × columns, owned */
};

/* An area of a canvas: columns x .. x+w-1, rows y .. y+h-1. May be empty. */
struct rect {
	int x, y, w, h;
};

void canvas_init(struct canvas *c, int rows, int columns, bool ascii);
void canvas_done(struct canvas *c);
void canvas_resize(struct canvas *c, int rows, int columns);
void canvas_clear(struct canvas *c); /* blanks in CANVAS_TEXT */

/* Text at (x, y) in at most `width` columns (< 0: to the canvas' edge). Cut text ends in "…"
 * ("~" in ASCII). Returns the columns used. When ascii, characters above ASCII get
 * a stand-in that looks like them, or '?'. Controls become '?'. */
int canvas_text(struct canvas *c, int x, int y, int width, enum canvas_role role, const char *text);
int canvas_printf(struct canvas *c, int x, int y, int width, enum canvas_role role,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same, ending at column x + width - 1. Text too long loses its beginning. */
void canvas_right(struct canvas *c, int x, int y, int width, enum canvas_role role,
                  const char *text);

/* A bar of `width` columns filled to `part` (0..1, NaN: empty), in eighths ("#" in ASCII); the
 * rest in role `rest`, as spaces if rest is CANVAS_TEXT. */
void canvas_bar(struct canvas *c, int x, int y, int width, double part, enum canvas_role role,
                enum canvas_role rest);

/* `count` values (NaN unknown: a blank), 0..`top`, two a column in one row of braille
 * ("_.-=#" steps in ASCII, two averaged). Newest at the right edge. */
void canvas_spark(struct canvas *c, int x, int y, int width, const double *values, size_t count,
                  double top, enum canvas_role role);

/* The canvas as text: a line a row, blanks at its end dropped. */
void canvas_write_text(const struct canvas *c, FILE *out);
/* And for golden files: the text as above, then a line for each row that is not blank with its
 * runs of one role: "@ 3: 0-8 title 9-20 text". */
void canvas_write_roles(const struct canvas *c, FILE *out);

#endif
