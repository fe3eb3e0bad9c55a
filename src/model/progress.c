/* progress.c - how far, and how long to go. */
#include "dpkgtop/progress.h"

#include <math.h>
#include <string.h>

#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

/* A mean of one or two steps says little. */
#define STEPS_TO_TELL 3

/* A step of more than so many means, and more than so long, is out of line. */
#define SLOW    4
#define SLOW_NS INT64_C(2000000000)

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
	double left;

	if (planned <= done)
		return;
	if (done < STEPS_TO_TELL) {
		p->left_is_floor = true;
		return;
	}
	left = (double)spent_ns / (double)done * (double)(planned - done);
	p->left_ns = span_add(p->left_ns, left < (double)SPAN_MAX ? (int64_t)left : SPAN_MAX);
}

/* The present step takes much longer than its like: a script builds an initramfs, a person is
 * asked. Then the means tell the least that is to come, not the most likely. */
static bool step_is_slow(const struct packages *k, int64_t now_ns)
{
	const struct package *current = packages_current(k);
	uint64_t done = k->unpacked + k->configured + k->removed;
	int64_t spent = span_add(k->unpack_ns, span_add(k->configure_ns, k->remove_ns));
	double mean = (double)spent / (double)done;

	return current && current->busy != N_VERBS &&
	       (double)(now_ns - current->since_ns) > SLOW * mean &&
	       now_ns - current->since_ns > SLOW_NS;
}

void progress_update(struct progress *p, const struct packages *k, int64_t now_ns)
{
	p->done = k->unpacked + k->configured + k->removed;
	p->total = UNKNOWN_U64;
	p->left_ns = UNKNOWN_NS;
	p->left_is_floor = false;
	if (!known(&p->plan))
		return;
	if (__builtin_add_overflow(p->plan.unpacks, p->plan.configures, &p->total) ||
	    __builtin_add_overflow(p->total, p->plan.removes, &p->total)) {
		p->total = UNKNOWN_U64;
		return;
	}
	/* More than was planned: the plan was not this run's, or not all of it. */
	if (p->done > p->total) {
		p->total = UNKNOWN_U64;
		return;
	}
	/* All steps done: what may still come, triggers and hooks, is in no plan. */
	if (p->done < STEPS_TO_TELL || p->done == p->total)
		return;
	p->left_ns = 0;
	/* Many are configured in no time: their mean says little while the slow ones are to come.
	 */
	p->left_is_floor = step_is_slow(k, now_ns) || p->plan.configures > 3 * k->configured;
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
