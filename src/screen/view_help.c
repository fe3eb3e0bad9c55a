/* view_help.c - keys, and what the words and signs on the screen mean. */
#include <string.h>

#include "dpkgtop/keymap.h"
#include "dpkgtop/text.h"

#include "panel.h"

struct help_row {
	const char *word, *meaning;
};

static const struct help_row nothing[] = {{NULL, NULL}};

static const struct help_row words[] = {
	{"total", "wall time; each second goes to one phase and cause"},
	{"sync", "waiting until written data is safe on the disk"},
	{"disk", "waiting for the disk otherwise, most of it reads"},
	{"cpu", "computing"},
	{"you", "a question waits for its answer"},
	{"else", "sleeping, locks, the network and what remains"},
	{"unknown", "before dpkgtop looked, or no source could tell"},
	{NULL, NULL},
};

static const struct help_row signs[] = {
	{"~", "estimated, here from the disk's flushes"},
	{"≥", "at least: not all could be counted"},
	{"–", "not known; never the same as 0"},
	{"·", "no time of that phase was charged this way"},
	{"▸", "the phase of this moment"},
	{NULL, NULL},
};

static const struct help_row phases[] = {
	{"download", "packages are fetched"},
	{"prepare", "the frontend, before its first dpkg"},
	{"read", "dpkg reads its database"},
	{"unpack", "new files are written, old ones replaced"},
	{"configure", "packages' scripts set them up"},
	{"triggers", "work put off until several packages are there"},
	{"initramfs", "the boot image is built"},
	{"remove", "packages are taken away"},
	{"between", "one dpkg has ended, the next not begun"},
	{"finish", "the frontend, after its last dpkg"},
	{NULL, NULL},
};

static const struct help_row syncs[] = {
	{"/s", "sync calls of the upgrade; with ~ flushes of the disk"},
	{"p50 p99", "half, or 99 %, of the calls took no longer"},
	{"max", "the longest of them"},
	{"package", "calls on files that packages bring"},
	{"database", "calls on dpkg's own files"},
	{"writeback", "calls that have the disk begin to write"},
	{"others", "calls of scripts and tools"},
	{"writers", "calls of programs that are not the upgrade's"},
	{"in sync", "part of the time a process was in such calls"},
	{NULL, NULL},
};

static const struct help_row storage[] = {
	{"util", "time in which the disk had something to do"},
	{"queue", "how many requests were at it, in the mean"},
	{"flush", "the disk's cache is written to what keeps it"},
	{"dirty", "written by programs, and not yet on its way"},
	{"wrback", "on its way to the disk"},
	{"pressure", "time that some, or all, tasks waited for the disk"},
	{NULL, NULL},
};

static const struct help_row modes[] = {
	{"safe-io", "dpkg's default: it syncs files before they count"},
	{"unsafe-io", "dpkg does not: quicker, a crash may lose files"},
	{"eatmydata", "no sync of any program does anything"},
	{NULL, NULL},
};

#define MEANING_X (PANEL_MARGIN + 11)

/* The text in entries, of which a screen shows those from `top` on: each a row, or several on a
 * narrow screen. */
struct help_page {
	struct canvas *c; /* NULL: they are only counted */
	struct rect r;
	int top, entry; /* the first shown, the next one */
	int y;          /* rows taken so far; more than there are: it did not fit */
};

/* How much of `text` goes into a row, up to a space where there is one. */
static size_t row_length(const char *text, int columns)
{
	size_t len = strlen(text), room = columns > 1 ? (size_t)columns : 1, cut = room;

	if (len <= room)
		return len;
	while (cut > 0 && text[cut] != ' ')
		cut--;
	return cut ? cut : room;
}

/* Meanings are plain ASCII: a byte is a column. */
static void help_meaning(struct help_page *h, const char *meaning)
{
	int columns = pen_at(h->c, h->r, 0).end - h->r.x - MEANING_X;
	size_t len;

	do {
		len = row_length(meaning, columns);
		if (h->y < h->r.h)
			canvas_printf(h->c, h->r.x + MEANING_X, h->r.y + h->y, columns, CANVAS_TEXT,
			              "%.*s", (int)len, meaning);
		h->y++;
		meaning += len + strspn(meaning + len, " ");
	} while (*meaning);
}

static void help_row(struct help_page *h, enum canvas_role role, const char *word,
                     const char *meaning)
{
	struct pen p;

	if (h->entry++ < h->top || !h->c)
		return;
	p = pen_at(h->c, h->r, h->y);
	/* "·" as the table has it. */
	if (h->y < h->r.h)
		pen_text(&p, role, h->c->ascii && !strcmp(word, "·") ? "." : word);
	help_meaning(h, meaning);
}

static void help_keys(struct help_page *h, const struct keymap_row *rows)
{
	for (; rows->label; rows++)
		if (*rows->label)
			help_row(h, CANVAS_KEY, rows->label, rows->help);
}

static void help_table(struct help_page *h, const char *head, const struct help_row *rows)
{
	if (h->entry++ >= h->top)
		h->y++;
	help_row(h, CANVAS_HEAD, head, "");
	for (; rows->word; rows++)
		help_row(h, CANVAS_VALUE, rows->word, rows->meaning);
}

static void help_recording(struct help_page *h)
{
	help_table(h, "KEYS OF A RECORDING", nothing);
	help_keys(h, keymap_replay);
}

/* Whoever replays one wants its keys first. */
static void help_text(struct help_page *h, bool replay)
{
	help_row(h, CANVAS_HEAD, "KEYS", "");
	help_keys(h, keymap);
	help_keys(h, keymap_help);
	if (replay)
		help_recording(h);
	help_table(h, "COLUMNS", words);
	help_table(h, "SIGNS", signs);
	help_table(h, "PHASES", phases);
	help_table(h, "SYNC", syncs);
	help_table(h, "STORAGE", storage);
	help_table(h, "MODE", modes);
	if (!replay)
		help_recording(h);
}

int view_help_entries(void)
{
	struct help_page h = {.c = NULL};

	help_text(&h, false);
	return h.entry;
}

/* Says at the right of the title that there is more, and how to see it; takes its room. */
static void help_more(const struct help_page *h, struct pen *p)
{
	bool above = h->top > 0, below = h->y > h->r.h;
	const char *text = above && below ? "↑↓ more: j k" : below ? "↓ more: j" : "↑ more: k";

	if (!above && !below)
		return;
	p->end -= text_width(text);
	if (p->end > p->x)
		canvas_text(p->c, p->end, p->y, -1, CANVAS_WARN, text);
	p->end -= 2;
}

static void help_draw(const struct model *m, const struct ui *ui, struct canvas *c)
{
	int first = c->rows <= 24 ? 1 : 2;
	/* The last row is the footer's, where there is more than one. */
	struct rect r = {0, first, c->columns, c->rows - first - 1};
	struct help_page h = {.c = c, .r = r};
	struct pen p = pen_at(c, (struct rect){0, 0, c->columns, 1}, 0);

	canvas_clear(c);
	help_text(&h, ui->replay);
	/* Where all fits nothing is to be scrolled. */
	if (ui->help_top > 0 && h.y > r.h) {
		h = (struct help_page){.c = c, .r = r, .top = ui->help_top};
		canvas_clear(c);
		help_text(&h, ui->replay);
	}
	help_more(&h, &p);
	pen_text(&p, CANVAS_TITLE, "dpkgtop");
	pen_printf(&p, CANVAS_DIM, " %s  ", m->header.version);
	pen_text(&p, CANVAS_TEXT, "where the time of an upgrade goes");
	if (c->rows > 1)
		panel_footer(ui, c, (struct rect){0, c->rows - 1, c->columns, 1});
}

const struct view_ops view_help = {
	.name = "help",
	.title = "Help",
	.draw = help_draw,
};
