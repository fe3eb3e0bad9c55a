/* panel_head.c - the overview's first lines: which upgrade, how far, what now; and the keys. */
#include <math.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

/* "safe-io · ext4 on vda (virtio SSD)", of which the model's name goes first when narrow. */
static void facts(const struct model *m, bool whole, char *ret, size_t size)
{
	const struct header *h = &m->header;
	const char *kind = h->rotational == 0 ? "SSD" : h->rotational == 1 ? "HDD" : "";
	char device[128] = "";
	bool told = *kind && strstr(h->disk_model, kind); /* many models name their kind */

	if (whole && (*h->disk_model || *kind))
		snprintf(device, sizeof(device), " (%s%s%s)", h->disk_model,
		         *h->disk_model && *kind && !told ? " " : "", told ? "" : kind);
	snprintf(ret, size, "%s%s%s%s%s%s", m->upgrade.mode,
	         *m->upgrade.mode && (*h->filesystem || *h->disk) ? " · " : "", h->filesystem,
	         *h->disk ? (*h->filesystem ? " on " : "") : "", h->disk, *h->disk ? device : "");
}

static const char *title_command(const struct model *m)
{
	if (m->state == MODEL_WAITING)
		return "waiting";
	if (*m->upgrade.command)
		return m->upgrade.command;
	return m->upgrade.frontend;
}

void panel_title(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);
	const char *command = title_command(m);
	char text[384];
	int room;

	pen_text(&p, CANVAS_TITLE, "dpkgtop");
	pen_move(&p, 2);
	if (m->state != MODEL_WAITING) {
		struct units_text clock = units_clock(model_elapsed(m));

		p.end -= text_width(clock.s);
		canvas_text(c, p.end, p.y, -1, CANVAS_VALUE, clock.s);
		p.end -= 3;
	}
	if (ui->paused) {
		p.end -= 6;
		canvas_text(c, p.end, p.y, 6, CANVAS_WARN, "paused");
		p.end -= 3;
	}
	/* At least half of the room, or all that it needs, is the command's. */
	room = p.end - p.x - 3;
	room -= text_width(command) < room / 2 ? text_width(command) : room / 2;
	facts(m, true, text, sizeof(text));
	if (text_width(text) > room)
		facts(m, false, text, sizeof(text));
	if (*text && text_width(text) <= room) {
		p.end -= text_width(text);
		canvas_text(c, p.end, p.y, -1, CANVAS_TEXT, text);
		p.end -= 3;
	}
	pen_text(&p, m->state == MODEL_WAITING ? CANVAS_WARN : CANVAS_TITLE, command);
}

/* "61%", "311 of 512 steps", "1 failed", "~0:41 left" */
#define PART_SIZE 64

enum progress_part { PART_PERCENT, PART_STEPS, PART_FAILED, PART_LEFT, N_PARTS };

static void progress_words(const struct model *m, char parts[N_PARTS][PART_SIZE])
{
	const struct progress *p = &m->progress;
	bool whole = p->total != UNKNOWN_U64;
	double part = progress_part(p);

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
	if (m->state == MODEL_RUNNING && whole)
		snprintf(parts[PART_LEFT], sizeof(*parts), "%s%s left",
		         p->left_ns == UNKNOWN_NS ? ""
		         : p->left_is_floor       ? "over "
		                                  : "~",
		         units_left(p->left_ns).s);
}

void panel_progress(const struct model *m, struct canvas *c, struct rect r)
{
	static const enum canvas_role roles[N_PARTS] = {CANVAS_VALUE, CANVAS_TEXT, CANVAS_BAD,
	                                                CANVAS_TEXT};
	struct pen p = pen_at(c, r, 0);
	char parts[N_PARTS][PART_SIZE];
	int width = 0, air = r.w < 60 ? 2 : 3;

	if (m->state == MODEL_WAITING)
		return;
	progress_words(m, parts);
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

static void now_running(const struct model *m, struct pen *p)
{
	const struct package *k = packages_current(&m->packages);
	enum phase phase = phase_now(&m->phase);
	int64_t busy_ns;

	pen_text(p, CANVAS_DIM, "now");
	pen_move(p, 2);
	pen_text(p, CANVAS_VALUE, phase_names[phase]);
	pen_move(p, *phase_names[phase] ? 2 : 0);
	if (!k || k->busy >= N_VERBS) {
		pen_text(p, CANVAS_TEXT, words_of_phase(phase));
		return;
	}
	pen_printf(p, CANVAS_TEXT, "%s ", words_of_verb(k->busy));
	pen_printf(p, CANVAS_TITLE, "%s%s%s", k->name, *k->arch ? ":" : "", k->arch);
	busy_ns = m->now.mono_ns - k->since_ns;
	/* Under a second everything flits by anyway. */
	if (busy_ns >= 1000000000) {
		pen_move(p, 2);
		pen_printf(p, CANVAS_WARN, "for %s", units_seconds(busy_ns).s);
	}
	pen_move(p, 2);
	if (k->busy == VERB_UPGRADE && *k->old_version)
		pen_printf(p, CANVAS_DIM, "%s → %s", k->old_version, k->version);
	else
		pen_text(p, CANVAS_DIM, k->version);
}

static void now_ended(const struct model *m, struct pen *p)
{
	uint64_t failures = m->packages.failures;
	enum canvas_role role = failures || m->status > 0 ? CANVAS_BAD
	                        : m->status == 0          ? CANVAS_GOOD
	                                                  : CANVAS_WARN;
	char names[256];

	pen_printf(p, role, "finished in %s", units_seconds(model_elapsed(m)).s);
	if (m->status == STATUS_UNKNOWN)
		pen_text(p, CANVAS_DIM, ", exit status not known");
	else
		pen_printf(p, role, ", exit status %d", m->status);
	if (!failures)
		return;
	words_of_failures(&m->packages, 0, names, sizeof(names));
	pen_printf(p, CANVAS_BAD, ", %s failed", units_count(failures).s);
	if (*names)
		pen_printf(p, CANVAS_BAD, ": %s", names);
}

void panel_now(const struct model *m, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);

	switch (m->state) {
	case MODEL_WAITING:
		pen_text(&p, CANVAS_WARN, "waiting for an upgrade: start apt or dpkg");
		pen_text(&p, CANVAS_TEXT, ", and it shows here by itself");
		break;
	case MODEL_RUNNING:
		now_running(m, &p);
		break;
	case MODEL_ENDED:
		now_ended(m, &p);
		break;
	}
}

void panel_line(const struct model *m, struct canvas *c, struct rect r)
{
	const struct package *k = packages_current(&m->packages);
	struct pen p = {c, r.x, r.y, r.x + r.w};
	char parts[N_PARTS][PART_SIZE];

	if (m->state == MODEL_WAITING) {
		pen_text(&p, CANVAS_WARN, "waiting for an upgrade");
		return;
	}
	if (m->state == MODEL_ENDED) {
		now_ended(m, &p);
		return;
	}
	progress_words(m, parts);
	pen_text(&p, CANVAS_VALUE,
	         *parts[PART_PERCENT] ? parts[PART_PERCENT] + strspn(parts[PART_PERCENT], " ")
	                              : parts[PART_STEPS]);
	if (*parts[PART_FAILED]) {
		pen_move(&p, 1);
		pen_text(&p, CANVAS_BAD, parts[PART_FAILED]);
	}
	/* The time left stands at the right, if there is room for it and for a few words. */
	if (m->progress.left_ns != UNKNOWN_NS && p.end - p.x >= text_width(parts[PART_LEFT]) + 12) {
		p.end -= text_width(parts[PART_LEFT]);
		canvas_text(c, p.end, p.y, -1, CANVAS_TEXT, parts[PART_LEFT]);
		p.end--;
	}
	pen_move(&p, 1);
	pen_text(&p, CANVAS_TEXT, phase_names[phase_now(&m->phase)]);
	if (k && k->busy < N_VERBS) {
		pen_move(&p, 1);
		pen_text(&p, CANVAS_TEXT, k->name);
	}
}

void panel_footer(const struct ui *ui, struct canvas *c, struct rect r)
{
	const char *const keys[][2] = {
		{"?", ui->help ? "close help" : "help"},
		{"Space", ui->paused ? "go on" : "pause"},
		{"^L", "redraw"},
		{"q", "quit"},
	};
	struct pen p = pen_at(c, r, 0);

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		pen_text(&p, CANVAS_KEY, keys[i][0]);
		pen_printf(&p, CANVAS_DIM, " %s", keys[i][1]);
		pen_move(&p, 2);
	}
}
