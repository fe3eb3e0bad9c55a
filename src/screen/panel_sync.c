/* panel_sync.c - sync calls as the probe counts them; without it, the disk's flushes. */
#include <math.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

static void draw_sync_sum(const struct storage *s, struct pen *p)
{
	if (s->flushes == UNKNOWN_U64 || s->flush_ms == UNKNOWN_U64)
		return;
	pen_text(p, CANVAS_VALUE, units_count(s->flushes).s);
	pen_text(p, CANVAS_DIM, s->flushes == 1 ? " flush took " : " flushes took ");
	pen_text(p, CANVAS_SYNC, units_seconds((int64_t)s->flush_ms * 1000000).s);
	pen_text(p, CANVAS_DIM, " so far");
}

/* Nothing is estimated: there is no upgrade yet whose syncs the probe could count. */
static bool counts_later(const struct model *m)
{
	return m->state == MODEL_WAITING && m->why[GROUP_PROBE] >= 0;
}

static void draw_idle(struct pen *p)
{
	static const char whole[] = "device flushes; syncs are counted in an upgrade";

	pen_text(p, CANVAS_DIM, text_width(whole) <= p->end - p->x ? whole : "device flushes");
}

/* What is shown instead of counts, and why; in as many words as there is room for. */
static void draw_step(const struct model *m, struct pen *p)
{
	static const char *const steps[] = {"~ estimated from device flushes",
	                                    "~ estimated from flushes", "~ flushes only",
	                                    "~ flushes"};
	int why = m->why[GROUP_PROBE];
	const char *reason = why < 0 ? words_of_why(GROUP_PROBE, why) : NULL;
	size_t i = 0;

	while (reason && i < 3 && text_width(steps[i]) + 2 + text_width(reason) > p->end - p->x)
		i++;
	pen_text(p, CANVAS_WARN, steps[i]);
	if (reason)
		pen_printf(p, CANVAS_WARN, ": %s", reason);
}

/* Neither flushes nor counts. */
static void draw_no_step(const struct model *m, struct canvas *c, struct rect r, int row)
{
	struct pen p = pen_at(c, r, row);

	if (m->why[GROUP_PROBE] >= 0 || row >= r.h)
		return;
	pen_text(&p, CANVAS_DIM, "– ");
	pen_printf(&p, CANVAS_WARN, "no syncs: %s", words_of_why(GROUP_PROBE, m->why[GROUP_PROBE]));
}

static void draw_flushes(const struct model *m, struct canvas *c, struct rect r)
{
	const struct storage *s = &m->storage;
	struct pen p = pen_at(c, r, 0);
	/* Of the rows below the head the picture takes what the words leave. */
	int words = r.h > 3 ? 2 : r.h > 2, chart = r.h - 1 - words;

	pen_text(&p, CANVAS_HEAD, "SYNC");
	pen_move(&p, 2);
	if (panel_disk_missing(m, c, r)) {
		/* Its reason may take two rows. */
		draw_no_step(m, c, r, 3);
		return;
	}
	if (s->any && s->before.flushes == UNKNOWN_U64) {
		p = pen_at(c, r, r.h > 1);
		pen_text(&p, CANVAS_DIM, "– ");
		pen_text(&p, CANVAS_WARN, "this kernel counts no flushes");
		draw_no_step(m, c, r, 2);
		return;
	}
	pen_printf(&p, CANVAS_VALUE, "%s%s", isnan(s->rates.flushes) || counts_later(m) ? "" : "~",
	           units_rate(s->rates.flushes).s);
	pen_move(&p, 2);
	pen_text(&p, CANVAS_DIM, "mean ");
	pen_text(&p, CANVAS_SYNC, units_latency(s->rates.flush_ms * 1e6).s);
	p = pen_at(c, r, 1);
	panel_spark(c, (struct rect){p.x, p.y, p.end - p.x, chart}, &s->flush_rate, CANVAS_SYNC);
	p = pen_at(c, r, 1 + chart);
	if (words > 1) {
		draw_sync_sum(s, &p);
		p = pen_at(c, r, 2 + chart);
	}
	if (words > 0 && counts_later(m))
		draw_idle(&p);
	else if (words > 0)
		draw_step(m, &p);
}

/* Less of a program's name tells nothing. */
#define NAME_LEAST 6

static const char *const class_names[N_SYNC_CLASSES] = {
	[SYNC_PACKAGE] = "package files",
	[SYNC_DATABASE] = "dpkg's database",
	[SYNC_WRITEBACK] = "writeback",
	[SYNC_OTHER] = "others",
};

/* Eight columns; one that is not whole is a lower bound. */
static void draw_count(enum canvas_role role, uint64_t count, bool whole, struct pen *p)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%s", whole ? "" : "≥", units_count(count).s);
	pen_move(p, 8 - text_width(text));
	pen_text(p, role, text);
}

/* "package files   41,200  26.1s"; a count that is not whole is a lower bound. */
static void draw_class(const struct syncs *s, enum sync_class class, bool whole, struct canvas *c,
                       struct rect r, int row)
{
	struct pen p = pen_at(c, r, row);
	char text[48];

	pen_printf(&p, CANVAS_DIM, "%-15s", class_names[class]);
	draw_count(CANVAS_VALUE, s->classes[class].count, whole, &p);
	snprintf(text, sizeof(text), "%7s", units_seconds(s->classes[class].ns).s);
	pen_text(&p, CANVAS_SYNC, text);
}

/* "other writers      123   0.4s  systemd-journal": no part of the upgrade, and of no colour. */
static void draw_writers(const struct syncs *s, struct canvas *c, struct rect r, int row)
{
	const struct writers *w = &s->writers;
	const struct writer_total *first = writers_first(w);
	bool whole = s->probe.outside == 0 || s->probe.outside == UNKNOWN_U64, cut;
	struct pen p = pen_at(c, r, row);

	pen_printf(&p, CANVAS_DIM, "%-15s", "other writers");
	draw_count(CANVAS_TEXT, w->sum.count, whole, &p);
	pen_printf(&p, CANVAS_TEXT, "%7s", units_seconds(w->sum.ns).s);
	pen_move(&p, 2);
	if (!first || p.end - p.x < NAME_LEAST)
		return;
	/* "journal" is who is meant. */
	cut = text_starts(first->name, "systemd-") && text_width(first->name) > p.end - p.x;
	pen_text(&p, CANVAS_DIM, first->name + (cut ? strlen("systemd-") : 0));
}

/* Why the counts are not whole: the worst of it, the rest is told below. */
static bool find_fault(const struct model *m, char *ret, size_t size)
{
	if (m->why[GROUP_PROBE] < 0) {
		snprintf(ret, size, "no more counts: %s",
		         words_of_why(GROUP_PROBE, m->why[GROUP_PROBE]));
		return true;
	}
	for (enum flaw f = 0; f < FLAW_LOST; f++)
		if (words_of_flaw(&m->syncs.probe, f, ret, size))
			return true;
	return false;
}

/* " p99 18ms", whole or not at all: then false. */
static bool draw_latency(const char *name, int64_t ns, struct pen *p)
{
	struct units_text text = units_latency(ns == UNKNOWN_NS ? UNKNOWN_RATE : (double)ns);

	if (p->end - p->x < text_width(name) + text_width(text.s) + 2)
		return false;
	pen_printf(p, CANVAS_DIM, " %s ", name);
	pen_text(p, CANVAS_SYNC, text.s);
	return true;
}

/* With less the latencies need the room of that word. */
#define ROOM_FOR_MEAN 42

/* Of the last seconds; when it is over, of all of it. */
static struct sync_rates rates_of(const struct model *m)
{
	const struct hist *calls = &m->syncs.calls;
	int64_t elapsed_ns = model_elapsed(m);

	if (m->state != MODEL_ENDED || elapsed_ns <= 0)
		return m->syncs.rates;
	return (struct sync_rates){(double)hist_count(calls) * 1e9 / (double)elapsed_ns,
	                           hist_percentile(calls, 0.5), hist_percentile(calls, 0.99),
	                           hist_max(calls)};
}

static void draw_head(const struct model *m, struct pen *p)
{
	const struct sync_rates rates = rates_of(m);

	pen_text(p, CANVAS_HEAD, "SYNC  ");
	if (m->state == MODEL_ENDED && p->end - p->x >= ROOM_FOR_MEAN)
		pen_text(p, CANVAS_DIM, "mean ");
	pen_text(p, CANVAS_VALUE, units_rate(rates.calls).s);
	/* None takes the place of one that was too wide: the eye has learnt what stands there. */
	if (draw_latency("p50", rates.p50_ns, p) && draw_latency("p99", rates.p99_ns, p))
		draw_latency("max", rates.max_ns, p);
}

static void draw_calls(const struct model *m, struct canvas *c, struct rect r)
{
	const struct syncs *s = &m->syncs;
	struct pen p = pen_at(c, r, 0);
	char fault[96];
	bool whole = !find_fault(m, fault, sizeof(fault)), told = !whole && r.h > 2;
	int chart = r.h - 1 - told - N_SYNC_CLASSES, row = 1;

	draw_head(m, &p);
	/* Their row is the last, where a row is left for the picture. */
	if (chart > 1) {
		draw_writers(s, c, r, --r.h);
		chart--;
	}
	if (told) {
		p = pen_at(c, r, row++);
		pen_printf(&p, CANVAS_WARN, "≥ %s", fault);
	}
	if (chart > 0) {
		p = pen_at(c, r, row);
		panel_spark(c, (struct rect){p.x, p.y, p.end - p.x, chart}, &s->rate_ring,
		            CANVAS_SYNC);
		row += chart;
	}
	for (int i = 0; i < N_SYNC_CLASSES && row < r.h; i++) {
		/* In few rows the one that seldom waits goes first. */
		if (chart < 0 && i == SYNC_WRITEBACK)
			continue;
		draw_class(s, (enum sync_class)i, whole, c, r, row++);
	}
}

void panel_sync(const struct model *m, struct canvas *c, struct rect r)
{
	if (m->syncs.exact || syncs_count(&m->syncs) > 0)
		draw_calls(m, c, r);
	else
		draw_flushes(m, c, r);
}
