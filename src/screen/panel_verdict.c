/* panel_verdict.c - what it comes to, in words. */
#include <ctype.h>
#include <string.h>

#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

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

	if (!k)
		return;
	words_of_failure(k, text, sizeof(text));
	pen_text(p, CANVAS_BAD, text);
	words_of_failures(&m->packages, 1, text, sizeof(text));
	if (*text)
		pen_printf(p, CANVAS_BAD, "; also failed: %s", text);
}

/* "Waiting for the disk's flushes: about 31% of the time so far (estimated)" */
static void write_cause(const struct model *m, enum cause cause, const char *lead, const char *tail,
                        struct pen *p)
{
	struct cell sum = ledger_cause(&m->ledger, cause);
	bool estimated = sum.quality == QUALITY_ESTIMATED;
	char words[96];

	snprintf(words, sizeof(words), "%s%s", lead, words_of_cause(cause));
	if (!*lead)
		words[0] = (char)toupper((unsigned char)words[0]);
	pen_text(p, panel_cause_role(cause), words);
	pen_printf(p, CANVAS_TEXT, ": %s", estimated ? "about " : "");
	pen_text(p, CANVAS_VALUE,
	         units_percent((double)sum.ns / (double)ledger_total(&m->ledger)).s);
	pen_printf(p, CANVAS_TEXT, "%s%s", tail, estimated ? " (estimated)" : "");
}

static void verdict_causes(const struct model *m, enum cause most, struct pen *p)
{
	enum cause next = panel_main_cause(&m->ledger, N_PHASES, most);

	write_cause(m, most, "", m->state == MODEL_ENDED ? " of the time" : " of the time so far",
	            p);
	if (next != N_CAUSES)
		write_cause(m, next, "; then ", "", p);
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

void panel_verdict(const struct model *m, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);
	enum cause most;

	if (m->state == MODEL_WAITING) {
		pen_text(&p, CANVAS_DIM, "To see it at work without touching this system: ");
		pen_text(&p, CANVAS_TEXT, "dpkgtop demo");
		return;
	}
	if (first_failure(&m->packages)) {
		verdict_failures(m, &p);
		if (r.h < 2)
			return;
		p = pen_at(c, r, 1);
	}
	if (ledger_total(&m->ledger) < VERDICT_LEAST_NS)
		return;
	most = panel_main_cause(&m->ledger, N_PHASES, N_CAUSES);
	if (most == N_CAUSES)
		return;
	verdict_causes(m, most, &p);
	if (p.y + 1 >= r.y + r.h)
		return;
	p = pen_at(c, r, p.y + 1 - r.y);
	verdict_phase(m, &p);
}
