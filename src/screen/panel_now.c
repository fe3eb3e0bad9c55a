/* panel_now.c - what the upgrade does this moment, or what has become of it. */
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "asker.h"
#include "panel.h"
#include "words.h"

/* Below this the verb is left out: the phase says nearly the same. */
#define VERB_COLUMNS 60
/* Under a second everything flits by anyway. */
#define TOLD_NS INT64_C(1000000000)

/* Most sync calls are over before they are drawn: a younger one is told where there is room. */
#define SEEN_NS INT64_C(1000000)
/* From here on a call is worth more than the versions of a package; on a wide screen earlier. */
#define FELT_NS      INT64_C(100000000)
#define FELT_WIDE_NS SEEN_NS
#define WIDE_COLUMNS 100
/* Less of a file's name, or of versions, tells nothing. */
#define FILE_LEAST     8
#define VERSIONS_LEAST 8

/* The oldest sync call in flight: "mandb in fsync of index.db for 3.2s". */
struct flight_words {
	int64_t age_ns;   /* < 0: there is none */
	bool felt;        /* worth more than the versions of a package */
	char call[64];    /* "in fsync" of dpkg's, "mandb in fsync" */
	const char *bare; /* "fsync", for little room */
	const char *file; /* "" none */
	char age[24];     /* "(18ms)", "for 3.2s" */
};

static void words_of_flight(const struct model *m, bool wide, struct flight_words *ret)
{
	const struct sync_flight *f = &m->syncs.longest;
	const char *who = "";
	int64_t age = m->now.mono_ns - f->since_ns;

	memset(ret, 0, sizeof(*ret));
	ret->age_ns = -1;
	if (!f->pid)
		return;
	/* dpkg needs no name here: the rest of the row is about what it does. */
	for (size_t i = 0; f->class == SYNC_OTHER && i < m->tree.count; i++)
		if (m->tree.items[i].at.pid == f->pid &&
		    m->tree.items[i].at.start_ticks == f->start_ticks)
			who = m->tree.items[i].at.name;
	ret->age_ns = age > 0 ? age : 0;
	ret->felt = age >= (wide ? FELT_WIDE_NS : FELT_NS);
	ret->bare = words_of_call(f->call, true);
	ret->file = f->file;
	snprintf(ret->call, sizeof(ret->call), "%s%sin %s", who, *who ? " " : "",
	         words_of_call(f->call, false));
	snprintf(ret->age, sizeof(ret->age), ret->age_ns < TOLD_NS ? "(%s)" : "for %s",
	         units_latency((double)ret->age_ns).s);
}

/* With the sign that parts it from what stands before. */
static int flight_width(const struct flight_words *f)
{
	int file = *f->file ? 4 + text_width(f->file) : 0;

	return f->age_ns < 0 ? 0 : 3 + text_width(f->call) + file + 1 + text_width(f->age);
}

/* What it needs while there are things of more worth: so much that the file is known, or all. */
static int flight_enough(const struct flight_words *f)
{
	if (f->age_ns < SEEN_NS || text_width(f->file) <= FILE_LEAST)
		return flight_width(f);
	return 3 + text_width(f->bare) + 4 + FILE_LEAST + 1 + text_width(f->age);
}

/* Without its file. */
static int flight_least(const struct flight_words *f)
{
	return 3 + text_width(f->bare) + 1 + text_width(f->age);
}

/* What does not fit is cut or left out: the call's name, the file, last for how long. */
static void now_flight(const struct flight_words *f, struct pen *p)
{
	enum canvas_role role = f->age_ns < TOLD_NS ? CANVAS_DIM : CANVAS_WARN;
	int all = p->end - p->x, room = all - 3 - 1 - text_width(f->age), end = p->end, file;
	const char *call = f->call;

	if (f->age_ns < 0 || (!f->felt && all < flight_enough(f)) || room < 0)
		return;
	file = text_width(f->file) < FILE_LEAST ? text_width(f->file) : FILE_LEAST;
	if (file && text_width(call) + 4 + file > room)
		call = f->bare;
	if (text_width(call) + 4 + file > room)
		file = 0;
	if (!file)
		call = text_width(f->call) <= room ? f->call : f->bare;
	pen_text(p, CANVAS_DIM, " · ");
	p->end -= 1 + text_width(f->age);
	pen_text(p, CANVAS_SYNC, call);
	if (file) {
		pen_text(p, CANVAS_DIM, " of ");
		pen_text(p, CANVAS_SYNC, f->file);
	}
	p->end = end;
	pen_move(p, 1);
	pen_text(p, role, f->age);
}

/* ", 17.6s": how long something takes already; "" where that is no time yet. */
static void words_of_duration(int64_t ns, char *ret, size_t size)
{
	*ret = '\0';
	if (ns >= TOLD_NS)
		snprintf(ret, size, ", %s", units_seconds(ns).s);
}

static void now_step(const struct model *m, const struct step *s, struct pen *p)
{
	char text[192];

	words_of_step(s, text, sizeof(text));
	/* How long is worth more than what for. */
	if (p->x + text_width(text) + 8 > p->end)
		snprintf(text, sizeof(text), "%s", s->tool);
	pen_text(p, CANVAS_TITLE, text);
	words_of_duration(m->now.mono_ns - s->begin_ns, text, sizeof(text));
	pen_text(p, CANVAS_WARN, text);
}

static void now_package(const struct package *k, bool wide, struct pen *p)
{
	if (wide)
		pen_printf(p, CANVAS_TEXT, "%s ", words_of_verb(k->busy));
	pen_printf(p, CANVAS_TITLE, "%s%s%s", k->name, *k->arch && wide ? ":" : "",
	           wide ? k->arch : "");
}

/* Before what stands at the end of the row, if it is worth more: then whole or not at all. */
static void now_versions(const struct package *k, int keep, struct pen *p)
{
	char text[224];
	int width, room = p->end - p->x - 2;

	if (k->busy == VERB_UPGRADE && *k->old_version)
		snprintf(text, sizeof(text), "%s → %s", k->old_version, k->version);
	else
		snprintf(text, sizeof(text), "%s", k->version);
	width = text_width(text);
	if (!width || (keep > 0 && width + keep > room) || (width > room && room < VERSIONS_LEAST))
		return;
	pen_move(p, 2);
	pen_text(p, CANVAS_DIM, text);
}

/* What follows a package's name: its versions, and for how long it is in work, which is worth more
 * than they are and less than a sync that lasts. */
static void now_details(const struct model *m, const struct package *k,
                        const struct flight_words *f, struct pen *p)
{
	char took[32];
	int width;

	words_of_duration(m->now.mono_ns - k->since_ns, took, sizeof(took));
	width = text_width(took);
	if (p->x + width + (f->age_ns >= TOLD_NS ? flight_width(f) : 0) > p->end) {
		took[0] = '\0';
		width = 0;
	}
	p->end -= width;
	now_versions(k, f->felt ? flight_width(f) : 0, p);
	p->end += width;
	pen_text(p, CANVAS_WARN, took);
}

/* Somebody has stopped a dpkg (^Z, SIGSTOP), or all that the upgrade consists of. */
static bool is_stopped(const struct tree *t)
{
	size_t stopped = 0, alive = 0;

	for (size_t i = 0; i < t->count - t->n_left; i++) {
		const struct process_counters *p = &t->items[i].at;

		if (p->state == 'T' && !strcmp(p->name, "dpkg"))
			return true;
		stopped += p->state == 'T';
		alive += p->state != 'Z' && p->state != 'X';
	}
	return stopped > 0 && stopped == alive;
}

static void now_running(const struct model *m, struct pen *p)
{
	const struct package *k = packages_current(&m->packages);
	const struct step *step = steps_now(&m->steps);
	enum phase phase = phase_now(&m->phase);
	bool wide = p->c->columns >= VERB_COLUMNS;
	struct flight_words flight;
	int end = p->end, begun;

	words_of_flight(m, p->c->columns >= WIDE_COLUMNS, &flight);
	if (wide) {
		pen_text(p, CANVAS_DIM, "now");
		pen_move(p, 2);
	}
	if (is_stopped(&m->tree)) {
		pen_text(p, CANVAS_BAD, "stopped");
		pen_move(p, 2);
	}
	pen_text(p, CANVAS_VALUE, phase_names[phase]);
	pen_move(p, *phase_names[phase] ? 2 : 0);
	begun = p->x;
	/* Of a sync that lasts all can be told but the file. */
	if (flight.age_ns >= TOLD_NS)
		p->end -= flight_least(&flight);
	if (step)
		now_step(m, step, p);
	else if (k && k->busy < N_VERBS)
		now_package(k, wide, p);
	else
		pen_text(p, CANVAS_TEXT, words_of_phase(phase));
	p->end = end;
	/* Nothing is in work: what follows stands by the phase. */
	if (p->x == begun)
		pen_move(p, *phase_names[phase] ? -2 : 0);
	if (!step && k && k->busy < N_VERBS)
		now_details(m, k, &flight, p);
	now_flight(&flight, p);
}

/* "12 s", "1:23" */
static void waited(const struct model *m, char *ret, size_t size)
{
	int64_t ns = m->now.mono_ns - m->input.since_ns;

	if (ns >= 0 && ns < 60 * TOLD_NS)
		snprintf(ret, size, "%d s", (int)(ns / TOLD_NS));
	else
		snprintf(ret, size, "%s", units_left(ns).s);
}

/* "exim4-config (configure)", or the name alone; where no package is in work, that whose script
 * asks; else "". */
static void asking_for(const struct model *m, bool whole, char *ret, size_t size)
{
	const struct package *k = packages_current(&m->packages);

	*ret = '\0';
	if (k && k->busy < N_VERBS && whole)
		snprintf(ret, size, "%s (%s)", k->name,
		         k->busy == VERB_TRIGPROC ? "triggers" : word_verb[k->busy]);
	else if (k && k->busy < N_VERBS)
		snprintf(ret, size, "%s", k->name);
	else
		asker_package(&m->tree, m->input.pid, ret, size);
}

/* The whole row, so that it is seen from across the room. How long, and for which package, is
 * worth more than by which tool. */
static void now_asking(const struct model *m, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);
	char what[96], who[160], since[24], text[320];

	for (int x = 0; x < r.w; x++)
		canvas_text(c, r.x + x, r.y, 1, CANVAS_ASK, " ");
	words_of_input(&m->input, what, sizeof(what));
	waited(m, since, sizeof(since));
	asking_for(m, true, who, sizeof(who));
	snprintf(text, sizeof(text), "WAITING FOR YOU: %s%s%s  %s", what, *who ? ", for " : "", who,
	         since);
	if (text_width(text) > p.end - p.x)
		snprintf(text, sizeof(text), "WAITING FOR YOU (%s): %s", since, *who ? who : what);
	if (*who && text_width(text) > p.end - p.x) {
		asking_for(m, false, who, sizeof(who));
		snprintf(text, sizeof(text), "WAITING FOR YOU (%s): %s", since, who);
	}
	pen_text(&p, CANVAS_ASK, text);
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

/* An upgrade that is not chosen by itself may run while nothing is watched. */
static void now_waiting(const struct ui *ui, struct pen *p)
{
	bool trusted = false;

	for (int i = 0; i < ui->n_choices; i++)
		trusted |= ui->choices[i].trusted;
	if (ui->n_choices > 0) {
		pen_printf(p, CANVAS_WARN, "%d%s upgrade%s here%s: ", ui->n_choices,
		           ui->more_choices ? "+" : "", ui->n_choices == 1 ? " runs" : "s run",
		           trusted ? "" : ", not root's");
		pen_text(p, CANVAS_KEY, "p");
		pen_text(p, CANVAS_TEXT, " picks");
		return;
	}
	pen_text(p, CANVAS_WARN, "waiting for an upgrade: start apt or dpkg");
	pen_text(p, CANVAS_TEXT, ", and it shows here by itself");
}

void panel_now(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);

	switch (m->state) {
	case MODEL_WAITING:
		now_waiting(ui, &p);
		break;
	case MODEL_RUNNING:
		if (input_waits(&m->input))
			now_asking(m, c, r);
		else
			now_running(m, &p);
		break;
	case MODEL_ENDED:
		now_ended(m, &p);
		break;
	}
}

/* A sync that lasts says more than the name of the package. */
static void line_flight(const struct model *m, struct pen *p)
{
	struct flight_words f;

	words_of_flight(m, false, &f);
	if (f.age_ns < TOLD_NS)
		return;
	pen_printf(p, CANVAS_WARN, "%s %s ", f.bare, f.age);
}

static void line_running(const struct model *m, struct pen *p)
{
	const struct package *k = packages_current(&m->packages);
	const struct step *step = steps_now(&m->steps);
	char parts[N_PARTS][PART_SIZE];

	panel_progress_words(m, parts);
	pen_text(p, CANVAS_VALUE,
	         *parts[PART_PERCENT] ? parts[PART_PERCENT] + strspn(parts[PART_PERCENT], " ")
	                              : parts[PART_STEPS]);
	if (*parts[PART_FAILED]) {
		pen_move(p, 1);
		pen_text(p, CANVAS_BAD, parts[PART_FAILED]);
	}
	/* The time left stands at the right, if there is room for it and for a few words. */
	if (m->progress.left_ns != UNKNOWN_NS &&
	    p->end - p->x >= text_width(parts[PART_LEFT]) + 12) {
		p->end -= text_width(parts[PART_LEFT]);
		canvas_text(p->c, p->end, p->y, -1, CANVAS_TEXT, parts[PART_LEFT]);
		p->end--;
	}
	pen_move(p, 1);
	if (is_stopped(&m->tree)) {
		pen_text(p, CANVAS_BAD, "stopped");
		pen_move(p, 1);
	}
	line_flight(m, p);
	pen_text(p, CANVAS_TEXT, phase_names[phase_now(&m->phase)]);
	pen_move(p, 1);
	if (step)
		pen_text(p, CANVAS_TEXT, step->tool);
	else if (k && k->busy < N_VERBS)
		pen_text(p, CANVAS_TEXT, k->name);
}

void panel_line(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r)
{
	struct pen p = {c, r.x, r.y, r.x + r.w};

	if (m->state == MODEL_WAITING && ui->n_choices > 0)
		now_waiting(ui, &p);
	else if (m->state == MODEL_WAITING)
		pen_text(&p, CANVAS_WARN, "waiting for an upgrade");
	else if (m->state == MODEL_ENDED)
		now_ended(m, &p);
	else if (input_waits(&m->input))
		now_asking(m, c, r);
	else
		line_running(m, &p);
}
