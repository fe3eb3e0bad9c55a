/* model.c - what the frames mean: a pure fold. */
#include "dpkgtop/model.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

static void forget_upgrade(struct model *m)
{
	memset(&m->upgrade, 0, sizeof(m->upgrade));
	m->status = STATUS_UNKNOWN;
	phase_init(&m->phase);
	ledger_init(&m->ledger);
	m->exact_ns = 0;
	m->suspended_ns = 0;
	timeline_done(&m->timeline);
	packages_done(&m->packages);
	progress_init(&m->progress);
	tree_clear(&m->tree);
	charge_init(&m->tail);
	waited_clear(&m->waited);
	steps_done(&m->steps);
	scripts_done(&m->scripts);
	syncs_clear(&m->syncs);
	slowest_clear(&m->slowest);
	disks_clear(&m->disks);
	left_clear(&m->left);
	input_init(&m->input);
	memset(&m->mode, 0, sizeof(m->mode));
	m->usage = (struct usage_event){UNKNOWN_NS, UNKNOWN_NS};
	m->own = (struct own_event){UNKNOWN_NS, UNKNOWN_U64};
}

void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	header_init(&m->header);
	for (int g = 0; g < N_GROUPS; g++)
		m->why[g] = GROUP_NOT_ASKED;
	timeline_init(&m->timeline);
	packages_init(&m->packages);
	tree_init(&m->tree);
	storage_init(&m->storage);
	disks_init(&m->disks);
	pressure_init(&m->pressure);
	syncs_init(&m->syncs);
	m->facts.rotational = -1;
	forget_upgrade(m);
}

void model_done(struct model *m)
{
	timeline_done(&m->timeline);
	packages_done(&m->packages);
	tree_done(&m->tree);
	steps_done(&m->steps);
	scripts_done(&m->scripts);
	syncs_done(&m->syncs);
	disks_done(&m->disks);
}

int64_t model_elapsed(const struct model *m)
{
	switch (m->state) {
	case MODEL_RUNNING:
		return m->now.mono_ns - m->since_ns;
	case MODEL_ENDED:
		return m->ended.mono_ns - m->since_ns;
	default:
		return 0;
	}
}

int64_t model_wall(const struct model *m)
{
	switch (m->state) {
	case MODEL_RUNNING:
		return ledger_total(&m->ledger);
	case MODEL_ENDED:
		return model_elapsed(m);
	default:
		return UNKNOWN_NS;
	}
}

static void begin_tail(struct model *m)
{
	charge_init(&m->tail);
	waited_begin_tail(&m->waited);
	m->tail_ns = m->charging.last.mono_ns;
}

/* Puts a charge into the ledger and the timeline, for the phase that it was spent in. */
static void book(struct model *m, const struct charge *charge, int64_t from_ns)
{
	enum phase phase = phase_now(&m->phase);

	ledger_charge(&m->ledger, phase, charge);
	timeline_add(&m->timeline, phase, from_ns, m->charging.last.mono_ns);
	charge_add(&m->tail, charge);
}

/* Part by part as the ledger gets it, so that the packages' sums are no more than its. */
static void charge_package(struct model *m, int64_t at_ns)
{
	const struct syncs *s = &m->syncs;
	int64_t ns = 0;

	for (int c = 0; c < N_SYNC_CLASSES; c++)
		ns = span_add(ns, s->grown_ns[c]);
	packages_add_syncs(&m->packages, s->exact ? s->grown_calls : UNKNOWN_U64, ns, at_ns);
}

/* Whether someone was waited for shows later than it begins. */
static void keep_waited(struct model *m, const struct charge *charge)
{
	if (m->input.share == INPUT_SHARE_ALL)
		waited_claim(&m->waited, &m->ledger, &m->tail);
	if (m->input.share != INPUT_SHARE_MAYBE || m->input.begins)
		waited_clear(&m->waited);
	if (m->input.share == INPUT_SHARE_MAYBE && charging_is_short(charge))
		waited_add(&m->waited, phase_now(&m->phase), charge->causes[CAUSE_OTHER].ns);
}

static void charge_sample(struct model *m, const struct sample *s)
{
	int64_t from_ns = m->charging.last.mono_ns;
	struct charge charge;

	input_sample(&m->input, s);
	syncs_sample(&m->syncs, s);
	charge_package(m, s->at.mono_ns);
	charging_sample(&m->charging, s, m->facts.disk, &m->input, &m->syncs, &charge);
	if (m->syncs.exact)
		m->exact_ns = span_add(m->exact_ns, charge_total(&charge));
	book(m, &charge, from_ns);
	keep_waited(m, &charge);
	packages_set_waited(&m->packages, ledger_cause(&m->ledger, CAUSE_INPUT).ns);
}

/* What happened before we looked: its time is known, what it went to is not. */
static void charge_past(struct model *m, int64_t until_ns)
{
	int64_t from_ns = m->charging.last.mono_ns;
	struct charge charge;

	charging_unseen(&m->charging, until_ns, &charge);
	book(m, &charge, from_ns);
}

/* What processes did before the upgrade is none of its: a resident frontend began long before, and
 * an upgrade that we saw begin has no others that did. */
static uint64_t since_ticks(const struct model *m)
{
	bool own = m->since_ns < m->begun.mono_ns;

	return own ? m->upgrade.start_ticks : m->upgrade.start_ticks + 1;
}

static void add_sample(struct model *m, const struct sample *s)
{
	if (m->state == MODEL_RUNNING)
		charge_sample(m, s);
	if (s->kind != SAMPLE_FULL)
		return;
	m->storage.over = m->state == MODEL_ENDED;
	memcpy(m->why, s->why, sizeof(m->why));
	storage_sample(&m->storage, s);
	pressure_sample(&m->pressure, s);
	memcpy(m->spaces, s->spaces, sizeof(m->spaces));
	m->n_spaces = s->n_spaces;
	if (m->state != MODEL_RUNNING)
		return;
	disks_sample(&m->disks, s);
	left_sample(&m->left, s);
	tree_sample(&m->tree, s, since_ticks(m));
	progress_update(&m->progress, &m->packages, s->at.mono_ns);
}

/* The time since the tail began was not the phase that it was taken for. */
static void turn_tail(struct model *m, enum phase phase)
{
	ledger_move(&m->ledger, phase_now(&m->phase), phase, &m->tail);
	waited_turn_tail(&m->waited, phase_now(&m->phase), phase);
	timeline_rewrite(&m->timeline, m->tail_ns, phase);
	charge_init(&m->tail);
}

/* The time since the tail began was none of the upgrade's. */
static void drop_tail(struct model *m)
{
	ledger_take(&m->ledger, phase_now(&m->phase), &m->tail);
	waited_drop_tail(&m->waited, phase_now(&m->phase));
	timeline_cut(&m->timeline, m->tail_ns);
	charge_init(&m->tail);
}

/* Told once more, because the log had more of its beginning. */
static bool is_again(const struct model *m, const struct upgrade_event *u)
{
	return m->state == MODEL_RUNNING && u->pid && u->pid == m->upgrade.pid &&
	       u->start_ticks == m->upgrade.start_ticks;
}

static void begin_upgrade(struct model *m, const struct event *e)
{
	m->upgrades += !is_again(m, &e->upgrade);
	forget_upgrade(m);
	m->state = MODEL_RUNNING;
	m->upgrade = e->upgrade;
	m->begun = e->at;
	m->since_ns = e->at.mono_ns;
	if (e->upgrade.since_ns != UNKNOWN_NS && e->upgrade.since_ns < e->at.mono_ns)
		m->since_ns = e->upgrade.since_ns;
	charging_begin(&m->charging, &e->at);
	m->charging.last.mono_ns = m->since_ns;
	storage_begin(&m->storage, m->facts.disk);
}

static void set_mode(struct model *m, const struct mode_event *mode)
{
	/* What one dpkg could not tell says nothing against the others. */
	if (!*mode->mode)
		return;
	if (*m->mode.mode && strcmp(m->mode.mode, mode->mode) != 0)
		snprintf(m->mode.mode, sizeof(m->mode.mode), "mixed");
	else
		memcpy(m->mode.mode, mode->mode, sizeof(m->mode.mode));
	memcpy(m->mode.source, mode->source, sizeof(m->mode.source));
}

static void set_facts(struct model *m, const struct storage_event *facts)
{
	m->facts = *facts;
	if (strcmp(m->storage.disk, facts->disk) != 0)
		storage_begin(&m->storage, facts->disk);
}

static void end_upgrade(struct model *m, const struct event *e)
{
	m->ended = e->at;
	if (phase_now(&m->phase) == PHASE_BETWEEN && e->end.resident == 1) {
		drop_tail(m);
		m->ended.mono_ns = m->tail_ns;
	} else if (phase_now(&m->phase) == PHASE_BETWEEN) {
		/* Between what and what, if no other dpkg came? After the last: the finish. */
		turn_tail(m, PHASE_FINISH);
	}
	m->state = MODEL_ENDED;
	m->status = e->end.status;
}

/* The status may come to light after the end was told. */
static void late_status(struct model *m, const struct exit_event *e)
{
	if (m->state == MODEL_ENDED && m->status == STATUS_UNKNOWN && e->pid == m->upgrade.pid &&
	    e->start_ticks == m->upgrade.start_ticks)
		m->status = e->status;
}

static bool ends_a_tail(const struct model *m, const struct event *e)
{
	return e->kind == EVENT_PACKAGE || (e->kind == EVENT_EXIT && e->exit.role == ROLE_DPKG &&
	                                    phase_has(&m->phase, e->exit.pid, e->exit.start_ticks));
}

static void add_event(struct model *m, const struct event *e)
{
	enum phase before;
	bool tail_ends;

	if (e->kind == EVENT_UPGRADE)
		begin_upgrade(m, e);
	if (e->kind == EVENT_TRAILING)
		m->ledger.trailing_ns = e->trailing.sync_ns;
	if (e->kind == EVENT_STORAGE)
		set_facts(m, &e->storage);
	if (e->kind == EVENT_SOFTWARE)
		m->software = e->software;
	if (e->kind == EVENT_USAGE)
		m->usage = e->usage;
	if (e->kind == EVENT_OWN)
		m->own = e->own;
	if (e->kind == EVENT_EXIT)
		late_status(m, &e->exit);
	if (m->state != MODEL_RUNNING)
		return;
	if (e->kind == EVENT_MODE)
		set_mode(m, &e->mode);
	if (e->kind == EVENT_PACKAGE && event_time(e) < e->at.mono_ns)
		charge_past(m, event_time(e));
	if (phase_reveals_between(&m->phase, e))
		turn_tail(m, PHASE_BETWEEN);
	if (e->kind == EVENT_END)
		end_upgrade(m, e);
	if (e->kind == EVENT_PLAN)
		progress_plan(&m->progress, &e->plan);
	before = phase_now(&m->phase);
	tail_ends = ends_a_tail(m, e);
	phase_event(&m->phase, e);
	scripts_event(&m->scripts, &m->packages, e);
	packages_event(&m->packages, e);
	steps_event(&m->steps, e);
	slowest_event(&m->slowest, e);
	progress_update(&m->progress, &m->packages, e->at.mono_ns);
	if (tail_ends || phase_now(&m->phase) != before)
		begin_tail(m);
}

/* Two clocks are read one after the other: less than this is no sleep. */
#define SUSPEND_LEAST_NS INT64_C(10000000)

static void note_suspend(struct model *m)
{
	const struct stamp *a = &m->begun, *b = &m->now;
	int64_t ns;

	if (m->state != MODEL_RUNNING)
		return;
	if (a->boot_ns == UNKNOWN_NS || b->boot_ns == UNKNOWN_NS) {
		m->suspended_ns = UNKNOWN_NS;
		return;
	}
	ns = (b->boot_ns - b->mono_ns) - (a->boot_ns - a->mono_ns);
	m->suspended_ns = ns < SUSPEND_LEAST_NS ? 0 : ns;
}

void model_add(struct model *m, const struct frame *f)
{
	switch (f->kind) {
	case FRAME_HEADER:
		m->header = *f->header;
		m->now = f->header->started;
		break;
	case FRAME_SAMPLE:
		m->now = f->sample->at;
		note_suspend(m);
		add_sample(m, f->sample);
		break;
	case FRAME_EVENT:
		m->now = f->event->at;
		note_suspend(m);
		add_event(m, f->event);
		break;
	}
}
