/* steps.c - heavy tools that ran inside the upgrade, each run an entry. */
#include "dpkgtop/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/units.h"

void steps_init(struct steps *s)
{
	memset(s, 0, sizeof(*s));
	s->verb = N_VERBS;
}

void steps_done(struct steps *s)
{
	free(s->items);
	steps_init(s);
}

const struct step *steps_now(const struct steps *s)
{
	for (size_t i = s->open ? s->count : 0; i > 0; i--)
		if (s->items[i - 1].end_ns == UNKNOWN_NS)
			return &s->items[i - 1];
	return NULL;
}

bool steps_nested(const struct steps *all, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		const struct step *s = &all->items[i];

		if (s->role == all->items[at].role &&
		    (s->end_ns == UNKNOWN_NS || s->end_ns > all->items[at].begin_ns))
			return true;
	}
	return false;
}

/* NULL: there are too many. */
static struct step *add(struct steps *s, enum role role, int64_t begin_ns)
{
	struct step *step;

	if (s->count == STEPS_MAX) {
		s->left_out++;
		return NULL;
	}
	s->open++;
	s->items = mem_grow(s->items, &s->room, s->count + 1, sizeof(*s->items));
	step = &s->items[s->count++];
	memset(step, 0, sizeof(*step));
	step->role = role;
	step->begin_ns = begin_ns;
	step->end_ns = UNKNOWN_NS;
	return step;
}

/* The trigger whose log line came first, before the tool itself was seen. */
static struct step *announced(struct steps *s, enum role role)
{
	struct step *last = s->count ? &s->items[s->count - 1] : NULL;

	if (!last || role != ROLE_INITRAMFS || last->pid || last->end_ns != UNKNOWN_NS)
		return NULL;
	return last;
}

static struct step *open_by(struct steps *s, int32_t pid)
{
	for (size_t i = s->open ? s->count : 0; i > 0; i--)
		if (s->items[i - 1].pid == pid && s->items[i - 1].end_ns == UNKNOWN_NS)
			return &s->items[i - 1];
	return NULL;
}

/* Whether a run that is told already does this: the same process, or a builder below another. */
static bool is_told(struct steps *s, const struct exec_event *e)
{
	const struct step *own = open_by(s, e->pid), *above = open_by(s, e->parent);

	if (e->pid && own && own->start_ticks == e->start_ticks)
		return true;
	return e->parent && above && above->role == ROLE_INITRAMFS && e->role == ROLE_INITRAMFS;
}

static void begin(struct steps *s, const struct exec_event *e, int64_t now_ns)
{
	struct step *step;

	if (is_told(s, e))
		return;
	step = announced(s, e->role);
	if (!step)
		step = add(s, e->role, now_ns);
	if (!step)
		return;
	step->pid = e->pid;
	step->start_ticks = e->start_ticks;
	snprintf(step->tool, sizeof(step->tool), "%s", e->script);
	if (*step->by)
		return;
	if (s->verb == VERB_TRIGPROC)
		snprintf(step->by, sizeof(step->by), "trigger of %s", s->package);
	else
		snprintf(step->by, sizeof(step->by), "%s", *e->package ? e->package : s->package);
}

static void end(struct steps *s, int32_t pid, int64_t now_ns)
{
	struct step *step = open_by(s, pid);

	if (!step)
		return;
	step->end_ns = now_ns;
	s->open--;
}

static void end_all(struct steps *s, int64_t now_ns)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].end_ns == UNKNOWN_NS)
			s->items[i].end_ns = now_ns;
	s->open = 0;
}

static void package_line(struct steps *s, const struct package_event *p, int64_t now_ns)
{
	struct step *step;

	switch (p->verb) {
	case VERB_STATUS:
		/* The announced trigger whose tool was never seen. */
		if (p->state == STATE_INSTALLED && event_is_initramfs_package(p->name))
			end(s, 0, now_ns);
		return;
	case VERB_STARTUP:
		end(s, 0, now_ns);
		s->verb = N_VERBS;
		s->package[0] = '\0';
		return;
	case VERB_CONFFILE:
	case N_VERBS:
		return;
	default:
		break;
	}
	s->verb = p->verb;
	snprintf(s->package, sizeof(s->package), "%s", p->name);
	if (p->verb != VERB_TRIGPROC || !event_is_initramfs_package(p->name))
		return;
	step = add(s, ROLE_INITRAMFS, now_ns);
	if (step)
		snprintf(step->by, sizeof(step->by), "trigger of %s", p->name);
}

void steps_event(struct steps *s, const struct event *e)
{
	bool step_role;

	switch (e->kind) {
	case EVENT_PACKAGE:
		package_line(s, &e->package, event_time(e));
		break;
	case EVENT_EXEC:
		step_role = e->exec.role == ROLE_INITRAMFS || e->exec.role == ROLE_STEP;
		if (step_role)
			begin(s, &e->exec, event_time(e));
		break;
	case EVENT_EXIT:
		step_role = e->exit.role == ROLE_INITRAMFS || e->exit.role == ROLE_STEP;
		if (step_role)
			end(s, e->exit.pid, event_time(e));
		break;
	case EVENT_END:
		end_all(s, event_time(e));
		break;
	default:
		break;
	}
}
