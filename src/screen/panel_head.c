/* panel_head.c - how far the upgrade is, and the keys in the last row. */
#include <math.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"

/* "Soon" is promised by nobody: what remains may be the slowest. */
#define SOON_NS INT64_C(5000000000)

/* Whether what is done now is not like the mean step: triggers, builds and tools are in no plan. */
static bool is_open_ended(const struct model *m)
{
	enum phase phase = phase_now(&m->phase);

	return m->progress.left_is_floor || phase == PHASE_INITRAMFS || phase == PHASE_TRIGGERS ||
	       steps_now(&m->steps);
}

/* Whether the time left is only the least that it takes: the last steps too are not like the mean
 * one. */
static bool left_is_floor(const struct model *m)
{
	return m->progress.left_ns < SOON_NS || is_open_ended(m);
}

void panel_progress_words(const struct model *m, char parts[N_PARTS][PART_SIZE])
{
	const struct progress *p = &m->progress;
	bool whole = p->total != UNKNOWN_U64;
	double part = progress_part(p);

	/* Triggers and hooks are no steps, and what still runs is not done. */
	if (m->state == MODEL_RUNNING && part > 0.99)
		part = 0.99;
	memset(parts, 0, N_PARTS * sizeof(*parts));
	if (!isnan(part))
		snprintf(parts[PART_PERCENT], sizeof(*parts), "%4s", units_percent(part).s);
	if (whole)
		snprintf(parts[PART_STEPS], sizeof(*parts), "%s of %s steps",
		         units_count(p->done).s, units_count(p->total).s);
	else
		snprintf(parts[PART_STEPS], sizeof(*parts), "%s step%s done",
		         units_count(p->done).s, p->done == 1 ? "" : "s");
	if (m->packages.failures)
		snprintf(parts[PART_FAILED], sizeof(*parts), "%s failed",
		         units_count(m->packages.failures).s);
	/* "More than nothing" says nothing. */
	if (m->state == MODEL_RUNNING && whole && p->done == p->total)
		snprintf(parts[PART_LEFT], sizeof(*parts), "finishing");
	else if (m->state == MODEL_RUNNING && whole && p->left_ns != UNKNOWN_NS &&
	         p->left_ns < INT64_C(1000000000))
		snprintf(parts[PART_LEFT], sizeof(*parts), "%s",
		         is_open_ended(m) ? "no forecast" : "");
	else if (m->state == MODEL_RUNNING && whole && p->left_ns != UNKNOWN_NS)
		snprintf(parts[PART_LEFT], sizeof(*parts), "%s%s left",
		         left_is_floor(m) ? "over " : "~", units_left(p->left_ns).s);
}

/* "over 12:34 left" */
#define LEFT_WIDTH 15

void panel_progress(const struct model *m, struct canvas *c, struct rect r)
{
	static const enum canvas_role roles[N_PARTS] = {CANVAS_VALUE, CANVAS_TEXT, CANVAS_BAD,
	                                                CANVAS_TEXT};
	struct pen p = pen_at(c, r, 0);
	char parts[N_PARTS][PART_SIZE], left[PART_SIZE];
	int width = 0, air = r.w < 60 ? 2 : 3;

	if (m->state == MODEL_WAITING)
		return;
	panel_progress_words(m, parts);
	/* Room of one width, so that the bar does not go back when the words grow. */
	if (m->state == MODEL_RUNNING && m->progress.total != UNKNOWN_U64 && r.w >= 60) {
		snprintf(left, sizeof(left), "%*s", LEFT_WIDTH, parts[PART_LEFT]);
		memcpy(parts[PART_LEFT], left, sizeof(left));
	}
	for (int i = 0; i < N_PARTS; i++)
		width += *parts[i] ? text_width(parts[i]) + air : 0;
	if (*parts[PART_PERCENT] && p.end - p.x - width >= 4) {
		canvas_bar(c, p.x, p.y, p.end - p.x - width, progress_part(&m->progress),
		           CANVAS_BAR, CANVAS_BAR_LEFT);
		p.x = p.end - width + air;
	}
	for (int i = 0; i < N_PARTS; i++) {
		if (!*parts[i])
			continue;
		pen_text(&p, roles[i], parts[i]);
		pen_move(&p, air);
	}
	if (m->state == MODEL_RUNNING && m->progress.total == UNKNOWN_U64)
		pen_text(&p, CANVAS_DIM, "how many there are is not known");
}

int panel_choice(const struct ui *ui)
{
	for (int i = 0; i < ui->n_choices; i++) {
		if (ui->choices[i].current)
			return i + 1;
	}
	return 0;
}

/* What stands in the last row: keys, and before them what runs besides. */
enum { KEY_PICK, KEY_HELP, KEY_PAUSE, KEY_REDRAW, KEY_QUIT, N_KEYS };

struct footer_key {
	char lead[80];
	const char *key, *what;
};

static void footer_pick(const struct ui *ui, struct footer_key *k)
{
	int at = panel_choice(ui), count = ui->n_choices;
	const char *more = ui->more_choices ? "+" : "";

	*k = (struct footer_key){.key = "", .what = ""};
	if (count == 0 || (count == 1 && at))
		return;
	k->key = "p";
	k->what = "picks";
	if (at)
		snprintf(k->lead, sizeof(k->lead), "%d of %d%s, ", at, count, more);
	else
		snprintf(k->lead, sizeof(k->lead), "%d%s upgrade%s, ", count, more,
		         count == 1 ? " runs" : "s run");
}

/* "0:12 of 1:23 ×4" */
static void footer_replay(const struct ui *ui, struct footer_key *k)
{
	char speed[24] = "";

	if (ui->speed != 1)
		snprintf(speed, sizeof(speed), " ×%.3g", ui->speed);
	snprintf(k->lead, sizeof(k->lead), "%s of %s%s  ", units_left(ui->at_ns).s,
	         units_left(ui->length_ns).s, speed);
	k->key = "←→";
	k->what = "seek";
}

static int footer_width(const struct footer_key *k)
{
	if (!*k->key)
		return 0;
	return text_width(k->lead) + text_width(k->key) + 1 + text_width(k->what) + 2;
}

void panel_footer(const struct ui *ui, struct canvas *c, struct rect r)
{
	static const int drop[] = {KEY_REDRAW, KEY_PAUSE, KEY_HELP};
	struct footer_key keys[N_KEYS] = {
		[KEY_HELP] = {"", "?", ui->help ? "close help" : "help"},
		[KEY_PAUSE] = {"", "Space", ui->paused ? "go on" : "pause"},
		[KEY_REDRAW] = {"", "^L", "redraw"},
		[KEY_QUIT] = {"", "q", "quit"},
	};
	struct pen p = pen_at(c, r, 0);
	int width = -2;

	/* In the place of keys, which people know: there is no other row on a small screen. */
	if (*ui->note && !ui->picking) {
		pen_text(&p, CANVAS_WARN, ui->note);
		return;
	}
	if (ui->replay) {
		footer_replay(ui, &keys[KEY_PICK]);
		keys[KEY_REDRAW] = (struct footer_key){"", "n", "next phase"};
	} else {
		footer_pick(ui, &keys[KEY_PICK]);
	}
	/* The list has its own keys, and shows them. */
	if (ui->picking) {
		keys[KEY_PICK].key = keys[KEY_HELP].key = keys[KEY_PAUSE].key = "";
		keys[KEY_QUIT].key = "^C";
	}
	for (int i = 0; i < N_KEYS; i++)
		width += footer_width(&keys[i]);
	/* Whole keys go before any is cut. */
	for (size_t i = 0; i < sizeof(drop) / sizeof(*drop) && width > p.end - p.x; i++) {
		width -= footer_width(&keys[drop[i]]);
		keys[drop[i]].key = "";
	}
	for (int i = 0; i < N_KEYS; i++) {
		if (!*keys[i].key)
			continue;
		pen_text(&p, CANVAS_WARN, keys[i].lead);
		pen_text(&p, CANVAS_KEY, keys[i].key);
		pen_printf(&p, CANVAS_DIM, " %s", keys[i].what);
		pen_move(&p, 2);
	}
}
