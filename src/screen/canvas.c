/* canvas.c - the grid of cells, and what is drawn on it. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "dpkgtop/canvas.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

#include "standin.h"

const char *const canvas_role_names[N_CANVAS_ROLES] = {
	[CANVAS_TEXT] = "text",         [CANVAS_DIM] = "dim",     [CANVAS_HEAD] = "head",
	[CANVAS_TITLE] = "title",       [CANVAS_VALUE] = "value", [CANVAS_SYNC] = "sync",
	[CANVAS_DISK] = "disk",         [CANVAS_CPU] = "cpu",     [CANVAS_BAR] = "bar",
	[CANVAS_BAR_LEFT] = "bar_left", [CANVAS_GOOD] = "good",   [CANVAS_WARN] = "warn",
	[CANVAS_BAD] = "bad",           [CANVAS_KEY] = "key",     [CANVAS_ASK] = "ask",
	[CANVAS_CURSOR] = "cursor",
};

/* One character with its combining marks, as it goes into a cell. */
struct glyph {
	char text[sizeof(((struct canvas_cell *)NULL)->text)];
	int width;
};

static struct canvas_cell *canvas_at(const struct canvas *c, int x, int y)
{
	return &c->cells[(size_t)y * (size_t)c->columns + (size_t)x];
}

void canvas_init(struct canvas *c, int rows, int columns, bool ascii)
{
	memset(c, 0, sizeof(*c));
	c->ascii = ascii;
	canvas_resize(c, rows, columns);
}

void canvas_done(struct canvas *c)
{
	free(c->cells);
	memset(c, 0, sizeof(*c));
}

void canvas_resize(struct canvas *c, int rows, int columns)
{
	free(c->cells);
	c->rows = rows > 0 ? rows : 0;
	c->columns = columns > 0 ? columns : 0;
	/* One cell more, so that an empty canvas has memory too. */
	c->cells = mem_new((size_t)c->rows * (size_t)c->columns + 1, sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	size_t count = (size_t)c->rows * (size_t)c->columns;

	for (size_t i = 0; i < count; i++)
		c->cells[i] = (struct canvas_cell){.text = " ", .width = 1, .role = CANVAS_TEXT};
}

/* A wide character that loses one of its two columns would shift the rest of its row on the
 * terminal: the half that remains becomes a blank. */
static void canvas_free_cell(struct canvas *c, int x, int y)
{
	struct canvas_cell *cell = canvas_at(c, x, y);
	struct canvas_cell *other = NULL;

	if (cell->width == 2 && x + 1 < c->columns)
		other = cell + 1;
	else if (cell->width == 0 && x > 0)
		other = cell - 1;
	if (other) {
		strcpy(other->text, " ");
		other->width = 1;
	}
}

static void canvas_put(struct canvas *c, int x, int y, enum canvas_role role, const struct glyph *g)
{
	struct canvas_cell *cell;

	if (y < 0 || y >= c->rows || x < 0 || x + g->width > c->columns)
		return;
	for (int i = 0; i < g->width; i++)
		canvas_free_cell(c, x + i, y);
	cell = canvas_at(c, x, y);
	strcpy(cell->text, g->text);
	cell->width = (unsigned char)g->width;
	cell->role = (unsigned char)role;
	if (g->width == 2)
		cell[1] = (struct canvas_cell){.text = "", .width = 0, .role = cell->role};
}

/* The most bytes of a character in UTF-8. */
#define POINT_MOST 4

static bool is_ascii(char byte)
{
	return (unsigned char)byte < 0x80;
}

/* It is one character in one column, unless a combining mark follows. */
static bool is_plain(char byte)
{
	return byte >= ' ' && byte <= '~';
}

/* Reads the next character of `*text` and moves past it; false at the end. */
static bool glyph_next(const char **text, bool ascii, struct glyph *g)
{
	size_t room = sizeof(g->text) - 1, used = 0;
	uint32_t point;
	size_t len;
	int width;

	if (!**text)
		return false;
	/* Nearly all is such, and asking for its width takes long. */
	if (is_plain((*text)[0]) && is_ascii((*text)[1])) {
		g->text[0] = *(*text)++;
		g->text[1] = '\0';
		g->width = 1;
		return true;
	}
	len = text_decode(*text, strnlen(*text, POINT_MOST), &point);
	if (!len || ascii || point < ' ' || (point >= 0x7f && point < 0xa0)) {
		g->text[0] = len ? standin_of(point) : '?'; /* controls have none */
		g->text[1] = '\0';
		g->width = 1;
		*text += len ? len : 1;
		return true;
	}
	width = wcwidth((wchar_t)point);
	g->width = width == 2 ? 2 : 1;
	if (!width) /* a mark without a base stands on a blank */
		g->text[used++] = ' ';
	do {
		if (used + len <= room) {
			memcpy(g->text + used, *text, len);
			used += len;
		}
		*text += len;
		len = text_decode(*text, strnlen(*text, POINT_MOST), &point);
	} while (len && point > 0x7f && wcwidth((wchar_t)point) == 0);
	g->text[used] = '\0';
	return true;
}

static int glyphs_width(const char *text, bool ascii)
{
	struct glyph g;
	int width = 0;

	while (glyph_next(&text, ascii, &g))
		width += g.width;
	return width;
}

int canvas_text(struct canvas *c, int x, int y, int width, enum canvas_role role, const char *text)
{
	static const struct glyph cut = {.text = "…", .width = 1}, cut_ascii = {"~", 1};
	int edge = c->columns - x, used = 0;
	bool whole;
	struct glyph g;

	if (width < 0 || width > edge)
		width = edge;
	if (width <= 0)
		return 0;
	whole = glyphs_width(text, c->ascii) <= width;
	while (glyph_next(&text, c->ascii, &g)) {
		if (used + g.width > (whole ? width : width - 1))
			break;
		canvas_put(c, x + used, y, role, &g);
		used += g.width;
	}
	if (whole)
		return used;
	canvas_put(c, x + used, y, role, c->ascii ? &cut_ascii : &cut);
	return used + 1;
}

int canvas_printf(struct canvas *c, int x, int y, int width, enum canvas_role role,
                  const char *format, ...)
{
	char text[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return canvas_text(c, x, y, width, role, text);
}

void canvas_right(struct canvas *c, int x, int y, int width, enum canvas_role role,
                  const char *text)
{
	int over = glyphs_width(text, c->ascii) - width, at = x;
	struct glyph g;

	if (width <= 0)
		return;
	if (over > 0) {
		over++; /* for the sign that it is cut */
		while (over > 0 && glyph_next(&text, c->ascii, &g))
			over -= g.width;
		at -= over; /* a wide character may have freed one column more */
		at += canvas_text(c, at, y, 1, role, "…");
	} else {
		at -= over;
	}
	while (glyph_next(&text, c->ascii, &g)) {
		canvas_put(c, at, y, role, &g);
		at += g.width;
	}
}

void canvas_bar(struct canvas *c, int x, int y, int width, double part, enum canvas_role role,
                enum canvas_role rest)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	int steps = c->ascii ? 1 : 8;
	int filled;

	if (width <= 0)
		return;
	if (isnan(part) || part < 0)
		part = 0;
	/* Rounded down: a bar that is full says that all is done. */
	filled = (int)((part > 1 ? 1 : part) * width * steps + 1e-9);
	for (int i = 0; i < width; i++) {
		if (filled >= steps)
			canvas_text(c, x + i, y, 1, role, "█");
		else if (filled > 0)
			canvas_text(c, x + i, y, 1, role, eighths[filled]);
		else
			canvas_text(c, x + i, y, 1, rest, rest == CANVAS_TEXT ? " " : "░");
		filled = filled > steps ? filled - steps : 0;
	}
}

/* Heights of 0 (unknown) or 1 (a known zero) to `steps`. */
static int spark_height(double value, double top, int steps)
{
	if (isnan(value))
		return 0;
	if (!(top > 0) || !(value > 0))
		return 1;
	if (value >= top)
		return steps;
	return 1 + (int)(value / top * (steps - 1) + 0.5);
}

static void spark_braille(int left, int right, char text[4])
{
	/* Dots from the bottom up (Unicode, Braille Patterns: dots 7 3 2 1 and 8 6 5 4). */
	static const unsigned char columns[2][5] = {{0, 0x40, 0x44, 0x46, 0x47},
	                                            {0, 0x80, 0xa0, 0xb0, 0xb8}};
	unsigned int point = 0x2800u | columns[0][left] | columns[1][right];

	text[0] = (char)(0xe0 | point >> 12);
	text[1] = (char)(0x80 | (point >> 6 & 0x3f));
	text[2] = (char)(0x80 | (point & 0x3f));
	text[3] = '\0';
}

static double spark_mean(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : (a + b) / 2;
}

void canvas_spark(struct canvas *c, int x, int y, int width, const double *values, size_t count,
                  double top, enum canvas_role role)
{
	static const char steps[] = " _.-=#";

	for (int i = 0; i < width; i++) {
		size_t age = 2 * (size_t)(width - 1 - i); /* of the newer of the two */
		double new = age < count ? values[count - 1 - age] : (double)NAN;
		double old = age + 1 < count ? values[count - 2 - age] : (double)NAN;
		char text[4] = "";

		if (c->ascii)
			text[0] = steps[spark_height(spark_mean(old, new), top, 5)];
		else if (!isnan(old) || !isnan(new))
			spark_braille(spark_height(old, top, 4), spark_height(new, top, 4), text);
		else
			text[0] = ' ';
		canvas_text(c, x + i, y, 1, text[0] == ' ' ? CANVAS_TEXT : role, text);
	}
}

/* The columns of a row up to its last character. */
static int canvas_row_end(const struct canvas *c, int y)
{
	int end = c->columns;

	while (end > 0 && !strcmp(canvas_at(c, end - 1, y)->text, " "))
		end--;
	return end;
}

void canvas_write_text(const struct canvas *c, FILE *out)
{
	for (int y = 0; y < c->rows; y++) {
		int end = canvas_row_end(c, y);

		for (int x = 0; x < end; x++)
			fputs(canvas_at(c, x, y)->text, out);
		fputc('\n', out);
	}
}

void canvas_write_roles(const struct canvas *c, FILE *out)
{
	canvas_write_text(c, out);
	for (int y = 0; y < c->rows; y++) {
		int end = canvas_row_end(c, y), next;

		if (!end)
			continue;
		fprintf(out, "@ %d:", y);
		for (int x = 0; x < end; x = next) {
			unsigned char role = canvas_at(c, x, y)->role;

			for (next = x + 1; next < end && canvas_at(c, next, y)->role == role;)
				next++;
			fprintf(out, " %d-%d %s", x, next - 1, canvas_role_names[role]);
		}
		fputc('\n', out);
	}
}
