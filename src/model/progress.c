/* progress.c - how far, and how long to go. */
#include "dpkgtop/progress.h"

#include <math.h>
#include <string.h>

#include "dpkgtop/units.h"

/* A mean of one or two steps says little. */
#define STEPS_TO_TELL 3

void progress_init(struct progress *p)
{
	memset(p, 0, sizeof(*p));
	p->plan = (struct plan_event){UNKNOWN_U64, UNKNOWN_U64, UNKNOWN_U64};
	p->total = UNKNOWN_U64;
	p->left_ns = UNKNOWN_NS;
}

static bool known(const struct plan_event *plan)
{
	return plan->unpacks != UNKNOWN_U64 && plan->configures != UNKNOWN_U64 &&
	       plan->removes != UNKNOWN_U64;
}

void progress_plan(struct progress *p, const struct plan_event *plan)
{
	p->plan = *plan;
}

/* Adds the time that the rest of one kind of step will take, by its mean so far. */
static void add_left(struct progress *p, uint64_t planned, uint64_t done, int64_t spent_ns)
{
	if (planned <= done)
		return;
	if (done < STEPS_TO_TELL) {
		p->left_is_floor = true;
		return;
	}
	p->left_ns += spent_ns / (int64_t)done * (int64_t)(planned - done);
}

void progress_update(struct progress *p, const struct packages *k)
{
	p->done = k->unpacked + k->configured + k->removed;
	p->total = UNKNOWN_U64;
	p->left_ns = UNKNOWN_NS;
	p->left_is_floor = false;
	if (!known(&p->plan))
		return;
	p->total = p->plan.unpacks + p->plan.configures + p->plan.removes;
	/* More than was planned: the plan was not this run's, or not all of it. */
	if (p->done > p->total) {
		p->total = UNKNOWN_U64;
		return;
	}
	if (k->unpacked + k->configured + k->removed < STEPS_TO_TELL)
		return;
	p->left_ns = 0;
	add_left(p, p->plan.unpacks, k->unpacked, k->unpack_ns);
	add_left(p, p->plan.configures, k->configured, k->configure_ns);
	add_left(p, p->plan.removes, k->removed, k->remove_ns);
}

double progress_part(const struct progress *p)
{
	if (p->total == UNKNOWN_U64 || p->total == 0)
		return NAN;
	return (double)p->done / (double)p->total;
}
