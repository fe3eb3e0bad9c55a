/* panel_verdict.c - what it comes to, in words. */
#include <ctype.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

/* For so long it is news that only a part was watched. */
#define LATE_NEWS_NS INT64_C(20000000000)
/* Before this the numbers say little. */
#define VERDICT_LEAST_NS INT64_C(2000000000)

static const struct package *first_failure(const struct packages *p)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->items[i].failed)
			return &p->items[i];
	}
	return NULL;
}

static void verdict_failures(const struct model *m, struct pen *p)
{
	const struct package *k = first_failure(&m->packages);
	char text[256];

	words_of_failure(k, text, sizeof(text));
	pen_text(p, CANVAS_BAD, text);
	words_of_failures(&m->packages, 1, text, sizeof(text));
	if (*text)
		pen_printf(p, CANVAS_BAD, "; also failed: %s", text);
}

/* "waiting for the disk's flushes: about 31%" and what follows. */
static void write_cause(const struct model *m, enum cause cause, const char *words,
                        const char *tail, struct pen *p)
{
	struct cell sum = ledger_cause(&m->ledger, cause);
	bool estimated = sum.quality == QUALITY_ESTIMATED;

	pen_text(p, panel_cause_role(cause), words);
	pen_printf(p, CANVAS_TEXT, ": %s", estimated ? "about " : "");
	pen_text(p, CANVAS_VALUE,
	         units_percent((double)sum.ns / (double)ledger_total(&m->ledger)).s);
	pen_printf(p, CANVAS_TEXT, "%s%s", tail, estimated ? " (estimated)" : "");
}

/* "Computing: 53% of the time so far; then waiting for the disk's flushes: about 41% (estimated)",
 * the second only if it has room as a whole. */
static void verdict_causes(const struct model *m, struct pen *p)
{
	enum cause most = panel_main_cause(&m->ledger, N_PHASES, N_CAUSES);
	enum cause next = panel_main_cause(&m->ledger, N_PHASES, most);
	char words[96];
	bool estimated;
	int need;

	snprintf(words, sizeof(words), "%s", words_of_cause(most));
	words[0] = (char)toupper((unsigned char)words[0]);
	write_cause(m, most, words,
	            m->state == MODEL_ENDED ? " of the time" : " of the time so far", p);
	if (next == N_CAUSES) {
		pen_text(p, CANVAS_TEXT, ".");
		return;
	}
	snprintf(words, sizeof(words), "; then %s", words_of_cause(next));
	estimated = ledger_cause(&m->ledger, next).quality == QUALITY_ESTIMATED;
	need = (int)strlen(estimated ? ": about 99% (estimated)." : ": 99%.");
	/* In few columns by the word that stands above its column. */
	if (p->end - p->x < text_width(words) + need)
		snprintf(words, sizeof(words), "; then %s", cause_heads[next]);
	if (p->end - p->x >= text_width(words) + need)
		write_cause(m, next, words, "", p);
	pen_text(p, CANVAS_TEXT, ".");
}

static enum phase longest_phase(const struct ledger *l)
{
	enum phase longest = 0;

	for (int p = 1; p < N_PHASES; p++)
		if (l->wall_ns[p] > l->wall_ns[longest])
			longest = p;
	return longest;
}

/* "Longest phase: initramfs with 74%, most of it computing." */
static void verdict_phase(const struct model *m, struct pen *p)
{
	const struct ledger *l = &m->ledger;
	enum phase phase = longest_phase(l);
	enum cause cause = panel_main_cause(l, phase, N_CAUSES);

	pen_text(p, CANVAS_TEXT, "Longest phase: ");
	pen_text(p, CANVAS_VALUE, phase_names[phase]);
	pen_printf(p, CANVAS_TEXT, " with %s",
	           units_percent((double)l->wall_ns[phase] / (double)ledger_total(l)).s);
	if (cause != N_CAUSES && l->cells[phase][cause].ns > l->wall_ns[phase] / 2)
		pen_printf(p, CANVAS_TEXT, ", most of it %s", words_of_cause(cause));
	pen_text(p, CANVAS_TEXT, ".");
}

/* So many tools besides the builds are named, those that took this long. */
#define NAMED_MAX     3
#define STEP_LEAST_NS INT64_C(1000000000)

static bool step_done(const struct step *s)
{
	return s->end_ns != UNKNOWN_NS && s->end_ns - s->begin_ns >= STEP_LEAST_NS;
}

static int count_steps(const struct steps *s, enum role role)
{
	int count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += s->items[i].role == role && step_done(&s->items[i]) && !steps_nested(s, i);
	return count;
}

/* "mkinitramfs 18.2s (linux-image-… postinst)"; the tool's name only where it changes. */
static void draw_steps(const struct steps *all, enum role role, int most, struct pen *p)
{
	const char *tool = "";
	int drawn = 0;

	for (size_t i = 0; i < all->count && drawn < most; i++) {
		const struct step *s = &all->items[i];

		if (s->role != role || !step_done(s) || steps_nested(all, i))
			continue;
		pen_printf(p, CANVAS_TEXT, "%s%s%s", drawn++ ? ", " : "",
		           strcmp(s->tool, tool) ? s->tool : "", strcmp(s->tool, tool) ? " " : "");
		pen_text(p, CANVAS_VALUE, units_seconds(s->end_ns - s->begin_ns).s);
		if (*s->by)
			pen_printf(p, CANVAS_DIM, " (%s)", s->by);
		tool = s->tool;
	}
}

/* "Initramfs built twice: mkinitramfs 18.2s (… postinst), 17.1s (trigger of initramfs-tools)" */
static void verdict_steps(const struct model *m, struct pen *p)
{
	int builds = count_steps(&m->steps, ROLE_INITRAMFS);
	int others = count_steps(&m->steps, ROLE_STEP);

	if (builds && m->steps.left_out)
		pen_printf(p, CANVAS_TEXT, "Initramfs built at least %d times: ", builds);
	else if (builds == 1)
		pen_text(p, CANVAS_TEXT, "Initramfs built once: ");
	else if (builds == 2)
		pen_text(p, CANVAS_TEXT, "Initramfs built twice: ");
	else if (builds > 2)
		pen_printf(p, CANVAS_TEXT, "Initramfs built %d times: ", builds);
	draw_steps(&m->steps, ROLE_INITRAMFS, builds, p);
	if (others)
		pen_text(p, CANVAS_TEXT, builds ? "; also " : "Tools: ");
	draw_steps(&m->steps, ROLE_STEP, NAMED_MAX, p);
}

static bool has_steps(const struct model *m)
{
	return count_steps(&m->steps, ROLE_INITRAMFS) + count_steps(&m->steps, ROLE_STEP) > 0;
}

static bool has_failures(const struct model *m)
{
	return first_failure(&m->packages) != NULL;
}

static bool has_causes(const struct model *m)
{
	return ledger_total(&m->ledger) >= VERDICT_LEAST_NS &&
	       panel_main_cause(&m->ledger, N_PHASES, N_CAUSES) != N_CAUSES;
}

/* Told first in the beginning, so that a small screen tells it as well. */
static bool is_late_news(const struct model *m)
{
	return m->state == MODEL_RUNNING && panel_came_late(m) &&
	       m->now.mono_ns - m->begun.mono_ns < LATE_NEWS_NS;
}

static bool is_late_known(const struct model *m)
{
	return panel_came_late(m) && !is_late_news(m);
}

/* "Watched since 0:00:41; before that only what dpkg.log tells." */
static void verdict_late(const struct model *m, struct pen *p)
{
	pen_text(p, CANVAS_TEXT, "Watched since ");
	pen_text(p, CANVAS_VALUE, units_clock(m->begun.mono_ns - m->since_ns).s);
	pen_text(p, CANVAS_TEXT, "; before that only what dpkg.log tells.");
}

static bool has_no_root(const struct model *m)
{
	return m->state == MODEL_RUNNING && m->input.kind == INPUT_UNKNOWN &&
	       m->why[GROUP_PROCESSES] == 0;
}

static void verdict_no_root(const struct model *m, struct pen *p)
{
	(void)m;
	pen_text(p, CANVAS_WARN, "Without root");
	pen_text(p, CANVAS_TEXT, " it can not be told whether it waits for you.");
}

static bool has_no_log(const struct model *m)
{
	return m->state == MODEL_RUNNING && m->phase.had_dpkg && m->why[GROUP_LOG] < 0;
}

static void verdict_no_log(const struct model *m, struct pen *p)
{
	pen_printf(p, CANVAS_WARN, "dpkg.log: %s", words_of_why(GROUP_LOG, m->why[GROUP_LOG]));
	pen_text(p, CANVAS_TEXT, "; so neither packages nor most phases are known.");
}

/* --- how far the numbers of syncs can be trusted --- */

static bool has_no_probe(const struct model *m)
{
	return m->state != MODEL_WAITING && m->why[GROUP_PROBE] < 0;
}

static void verdict_no_probe(const struct model *m, struct pen *p)
{
	bool estimated = m->storage.any && m->storage.before.flushes != UNKNOWN_U64;

	pen_printf(p, CANVAS_TEXT,
	           "Syncs are %s: ", estimated ? "estimated, not counted" : "not known");
	pen_text(p, CANVAS_WARN, words_of_why(GROUP_PROBE, m->why[GROUP_PROBE]));
	pen_text(p, CANVAS_TEXT, "; see ");
	pen_text(p, CANVAS_VALUE, "dpkgtop doctor");
	pen_text(p, CANVAS_TEXT, ".");
}

static bool has_flaws(const struct model *m, enum flaw from, enum flaw to)
{
	char text[96];

	for (enum flaw f = from; f <= to; f++)
		if (words_of_flaw(&m->syncs.probe, f, text, sizeof(text)))
			return true;
	return false;
}

static void write_flaws(const struct model *m, enum flaw from, enum flaw to, struct pen *p)
{
	char text[96];
	bool any = false;

	for (enum flaw f = from; f <= to; f++) {
		if (!words_of_flaw(&m->syncs.probe, f, text, sizeof(text)))
			continue;
		pen_text(p, CANVAS_TEXT, any ? "; " : "");
		pen_text(p, CANVAS_WARN, text);
		any = true;
	}
	pen_text(p, CANVAS_TEXT, ".");
}

static bool has_unseen(const struct model *m)
{
	return has_flaws(m, FLAW_COMPAT, FLAW_LACKS);
}

/* "Not all syncs can be counted (≥): 2 32-bit programs unseen; no msync, syncfs." */
static void verdict_unseen(const struct model *m, struct pen *p)
{
	pen_text(p, CANVAS_TEXT, "Not all syncs can be counted (≥): ");
	write_flaws(m, FLAW_COMPAT, FLAW_LACKS, p);
}

static bool has_too_much(const struct model *m)
{
	return has_flaws(m, FLAW_MISSED, FLAW_LOST);
}

static void verdict_too_much(const struct model *m, struct pen *p)
{
	pen_text(p, CANVAS_TEXT, "Too much at once: ");
	write_flaws(m, FLAW_MISSED, FLAW_LOST, p);
}

static bool has_mode(const struct model *m)
{
	return m->state != MODEL_WAITING && *m->mode.mode && *m->mode.source &&
	       strcmp(m->mode.source, "default");
}

static void verdict_mode(const struct model *m, struct pen *p)
{
	char text[256];

	words_of_mode(&m->mode, text, sizeof(text));
	pen_text(p, CANVAS_TEXT, "Mode: ");
	pen_text(p, CANVAS_VALUE, text);
	pen_text(p, CANVAS_TEXT, ".");
}

static bool has_waiting(const struct model *m)
{
	return m->state == MODEL_WAITING;
}

static void verdict_waiting(const struct model *m, struct pen *p)
{
	(void)m;
	pen_text(p, CANVAS_DIM, "To see it at work without touching this system: ");
	pen_text(p, CANVAS_TEXT, "dpkgtop demo");
}

/* What there may be to say, by worth. */
static const struct {
	bool (*has)(const struct model *m);
	void (*draw)(const struct model *m, struct pen *p);
} lines[] = {
	{has_waiting, verdict_waiting},   {has_failures, verdict_failures},
	{has_no_log, verdict_no_log},     {is_late_news, verdict_late},
	{has_causes, verdict_causes},     {is_late_known, verdict_late},
	{has_unseen, verdict_unseen},     {has_too_much, verdict_too_much},
	{has_steps, verdict_steps},       {has_causes, verdict_phase},
	{has_no_probe, verdict_no_probe}, {has_mode, verdict_mode},
	{has_no_root, verdict_no_root},
};
#define N_LINES ((int)(sizeof(lines) / sizeof(*lines)))

int panel_verdict_rows(const struct model *m)
{
	int rows = 0;

	for (int i = 0; i < N_LINES; i++)
		rows += lines[i].has(m);
	/* Two at least: they come soon, and then nothing else moves. */
	return rows > 2 ? rows : 2;
}

/* Whose eyes do not reach there waits in vain: before anything else. */
static bool verdict_unprivileged(const struct model *m, const struct ui *ui, struct pen *p)
{
	if (m->state != MODEL_WAITING || !ui->unprivileged)
		return false;
	pen_text(p, CANVAS_WARN,
	         "upgrades in other roots (chroots, containers) need root to be seen");
	return true;
}

void panel_verdict(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r)
{
	struct pen first = pen_at(c, r, 0);
	int row = verdict_unprivileged(m, ui, &first);

	for (int i = 0; i < N_LINES && row < r.h; i++) {
		struct pen p = pen_at(c, r, row);

		if (!lines[i].has(m))
			continue;
		lines[i].draw(m, &p);
		row++;
	}
}
