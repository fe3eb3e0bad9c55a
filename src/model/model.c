/* model.c - what the frames mean: a pure fold. */
#include "dpkgtop/model.h"

#include <string.h>

#include "dpkgtop/units.h"

static void forget_upgrade(struct model *m)
{
	memset(&m->upgrade, 0, sizeof(m->upgrade));
	m->status = STATUS_UNKNOWN;
	phase_init(&m->phase);
	ledger_init(&m->ledger);
	timeline_done(&m->timeline);
	packages_done(&m->packages);
	progress_init(&m->progress);
	tree_clear(&m->tree);
	charge_init(&m->tail);
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
	forget_upgrade(m);
}

void model_done(struct model *m)
{
	timeline_done(&m->timeline);
	packages_done(&m->packages);
	tree_done(&m->tree);
}

int64_t model_elapsed(const struct model *m)
{
	switch (m->state) {
	case MODEL_RUNNING:
		return m->now.mono_ns - m->begun.mono_ns;
	case MODEL_ENDED:
		return m->ended.mono_ns - m->begun.mono_ns;
	default:
		return 0;
	}
}

static void begin_tail(struct model *m)
{
	charge_init(&m->tail);
	m->tail_ns = m->charging.last.mono_ns;
}

/* Charges the time since the last sample to the phase that it was spent in. */
static void charge(struct model *m, const struct sample *s)
{
	enum phase phase = phase_now(&m->phase);
	int64_t from = m->charging.last.mono_ns;
	struct charge charge;

	charging_sample(&m->charging, s, m->header.disk, &charge);
	ledger_charge(&m->ledger, phase, &charge);
	timeline_add(&m->timeline, phase, from, s->at.mono_ns);
	charge_add(&m->tail, &charge);
}

static void add_sample(struct model *m, const struct sample *s)
{
	if (m->state == MODEL_RUNNING)
		charge(m, s);
	if (s->kind != SAMPLE_FULL)
		return;
	memcpy(m->why, s->why, sizeof(m->why));
	storage_sample(&m->storage, s);
	if (m->state != MODEL_RUNNING)
		return;
	tree_sample(&m->tree, s);
	progress_update(&m->progress, &m->packages, s->at.mono_ns);
}

/* The time since the tail began was not the phase that it was taken for. */
static void turn_tail(struct model *m, enum phase phase)
{
	ledger_move(&m->ledger, phase_now(&m->phase), phase, &m->tail);
	timeline_rewrite(&m->timeline, m->tail_ns, phase);
	charge_init(&m->tail);
}

static void begin_upgrade(struct model *m, const struct event *e)
{
	forget_upgrade(m);
	m->state = MODEL_RUNNING;
	m->upgrade = e->upgrade;
	m->begun = e->at;
	charging_begin(&m->charging, &e->at);
	storage_begin(&m->storage, m->header.disk);
}

static void end_upgrade(struct model *m, const struct event *e)
{
	/* Between what and what, if no other dpkg came? After the last: the finish. */
	if (phase_now(&m->phase) == PHASE_BETWEEN)
		turn_tail(m, PHASE_FINISH);
	m->state = MODEL_ENDED;
	m->status = e->end.status;
	m->ended = e->at;
}

static bool ends_a_tail(const struct event *e)
{
	return e->kind == EVENT_PACKAGE || (e->kind == EVENT_EXIT && e->exit.role == ROLE_DPKG);
}

static void add_event(struct model *m, const struct event *e)
{
	enum phase before;

	if (e->kind == EVENT_UPGRADE)
		begin_upgrade(m, e);
	if (e->kind == EVENT_TRAILING)
		m->ledger.trailing_ns = e->trailing.sync_ns;
	if (m->state != MODEL_RUNNING)
		return;
	if (phase_reveals_between(&m->phase, e))
		turn_tail(m, PHASE_BETWEEN);
	if (e->kind == EVENT_END)
		end_upgrade(m, e);
	if (e->kind == EVENT_PLAN)
		progress_plan(&m->progress, &e->plan);
	before = phase_now(&m->phase);
	phase_event(&m->phase, e);
	packages_event(&m->packages, e);
	progress_update(&m->progress, &m->packages, e->at.mono_ns);
	if (ends_a_tail(e) || phase_now(&m->phase) != before)
		begin_tail(m);
}

void model_add(struct model *m, const struct frame *f)
{
	switch (f->kind) {
	case FRAME_HEADER:
		m->header = *f->header;
		m->now = f->header->started;
		storage_begin(&m->storage, m->header.disk);
		break;
	case FRAME_SAMPLE:
		m->now = f->sample->at;
		add_sample(m, f->sample);
		break;
	case FRAME_EVENT:
		m->now = f->event->at;
		add_event(m, f->event);
		break;
	}
}

void model_sink(void *model, const struct frame *f)
{
	model_add(model, f);
}
