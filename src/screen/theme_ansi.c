/* theme_ansi.c - a canvas as text with SGR sequences (ECMA-48, 8.3.117). */
#include <string.h>

#include "dpkgtop/theme.h"

static void ansi_colour(FILE *out, short colour, int colours, int base)
{
	if (colour < 0)
		return;
	if (colours >= 256)
		fprintf(out, ";%d;5;%d", base + 8, colour);
	else if (colours >= 16 && colour >= 8)
		fprintf(out, ";%d", base + 60 + colour - 8);
	else
		fprintf(out, ";%d", base + colour % 8);
}

static void ansi_style(FILE *out, const struct theme_style *s, int colours)
{
	/* Eight colours have their bright half by bold. */
	bool bright = colours == 8 && s->colour16 >= 8;

	fputs("\033[0", out);
	if (s->bold || bright)
		fputs(";1", out);
	if (s->dim)
		fputs(";2", out);
	if (s->underline)
		fputs(";4", out);
	if (s->reverse)
		fputs(";7", out);
	if (colours >= 8) {
		ansi_colour(out, colours >= 256 ? s->colour : s->colour16, colours, 30);
		ansi_colour(out, colours >= 256 ? s->ground : s->ground16, colours, 40);
	}
	fputc('m', out);
}

void theme_write_ansi(const struct theme *t, const struct canvas *c, int colours, FILE *out)
{
	for (int y = 0; y < c->rows; y++) {
		const struct canvas_cell *row = c->cells + (size_t)y * (size_t)c->columns;
		int role = -1, end = c->columns;

		/* Blanks at the end in the ground of plain text need not be sent. */
		while (end > 0 && row[end - 1].role == CANVAS_TEXT &&
		       !strcmp(row[end - 1].text, " "))
			end--;
		for (int x = 0; x < end; x++) {
			if (row[x].role != role)
				ansi_style(out, &t->styles[role = row[x].role], colours);
			fputs(row[x].text, out);
		}
		fputs(role >= 0 ? "\033[0m\n" : "\n", out);
	}
}
