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

/* "Waiting for the disk's flushes: about 31% of the time so far (estimated)." */
static void verdict_cause(const struct model *m, enum cause cause, const char *lead,
                          const char *tail, struct pen *p)
{
	struct cell sum = ledger_cause(&m->ledger, cause);
	bool estimated = sum.quality == QUALITY_ESTIMATED;
	char words[96];

	snprintf(words, sizeof(words), "%s%s", lead, words_of_cause(cause));
	words[0] = (char)toupper((unsigned char)words[0]);
	pen_text(p, panel_cause_role(cause), words);
	pen_printf(p, CANVAS_TEXT, ": %s", estimated ? "about " : "");
	pen_text(p, CANVAS_VALUE,
	         units_percent((double)sum.ns / (double)ledger_total(&m->ledger)).s);
	pen_printf(p, CANVAS_TEXT, "%s%s. ", tail, estimated ? " (estimated)" : "");
}

void panel_verdict(const struct model *m, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);
	enum cause most, next;

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
	verdict_cause(m, most, "", m->state == MODEL_ENDED ? " of the time" : " of the time so far",
	              &p);
	next = panel_main_cause(&m->ledger, N_PHASES, most);
	if (next == N_CAUSES || p.y + 1 >= r.y + r.h)
		return;
	p = pen_at(c, r, p.y + 1 - r.y);
	verdict_cause(m, next, "then ", "", &p);
}
