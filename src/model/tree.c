/* tree.c - the upgrade's processes, with rates since the last full sample. */
#include "dpkgtop/tree.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/ring.h"
#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

void tree_init(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	sample_init(&t->before);
}

void tree_done(struct tree *t)
{
	free(t->items);
	sample_done(&t->before);
	tree_init(t);
}

void tree_clear(struct tree *t)
{
	t->count = 0;
	t->n_left = 0;
	t->at_ns = 0;
	sample_clear(&t->before);
}

static double rate(uint64_t before, uint64_t now, double seconds)
{
	if (before == UNKNOWN_U64 || now == UNKNOWN_U64 || now < before || seconds <= 0)
		return UNKNOWN_RATE;
	return (double)(now - before) / seconds;
}

static void add_process(struct tree *t, const struct process_counters *p, int depth, double seconds)
{
	const struct process_counters *before = sample_process(&t->before, p->pid);
	struct tree_process *item;

	t->items = mem_grow(t->items, &t->room, t->count + 1, sizeof(*t->items));
	item = &t->items[t->count++];
	*item = (struct tree_process){*p, depth, UNKNOWN_RATE, UNKNOWN_RATE, UNKNOWN_RATE};
	if (!before || before->start_ticks != p->start_ticks || seconds <= 0)
		return;
	if (p->cpu_ns != UNKNOWN_NS && before->cpu_ns != UNKNOWN_NS && p->cpu_ns >= before->cpu_ns)
		item->cpu = (double)(p->cpu_ns - before->cpu_ns) / 1e9 / seconds;
	item->read_rate = rate(before->read_bytes, p->read_bytes, seconds);
	item->written_rate = rate(before->written_bytes, p->written_bytes, seconds);
}

static bool has_parent(const struct sample *s, const struct process_counters *p)
{
	return p->parent != p->pid && sample_process(s, p->parent);
}

/* Adds the children of the item at `from`, and theirs, in order; the items' own array is the
 * stack. Parents with their children stay together because each is finished before the next. */
static void add_children(struct tree *t, const struct sample *s, size_t from, double seconds)
{
	int32_t parent = t->items[from].at.pid;
	int depth = t->items[from].depth + 1;

	/* Every process has one parent, so none is added twice; the depth guards against a
	 * circle that a damaged recording may hold. */
	for (size_t i = 0; i < s->n_processes && depth < 64 && t->count < s->n_processes; i++) {
		const struct process_counters *p = &s->processes[i];

		if (p->parent != parent || p->pid == parent || p->left == 'y')
			continue;
		add_process(t, p, depth, seconds);
		add_children(t, s, t->count - 1, seconds);
	}
}

void tree_sample(struct tree *t, const struct sample *s)
{
	double seconds = t->at_ns ? (double)(s->at.mono_ns - t->at_ns) / 1e9 : 0;

	t->count = 0;
	t->n_left = 0;
	if (!sample_has(s, GROUP_PROCESSES)) {
		tree_clear(t);
		return;
	}
	for (size_t i = 0; i < s->n_processes; i++) {
		if (s->processes[i].left == 'y' || has_parent(s, &s->processes[i]))
			continue;
		add_process(t, &s->processes[i], 0, seconds);
		add_children(t, s, t->count - 1, seconds);
	}
	for (size_t i = 0; i < s->n_processes; i++) {
		if (s->processes[i].left != 'y')
			continue;
		add_process(t, &s->processes[i], 0, seconds);
		t->n_left++;
	}
	t->at_ns = s->at.mono_ns;
	sample_copy(&t->before, s);
}

int64_t tree_cpu(const struct sample *s)
{
	int64_t sum = 0;

	if (!sample_has(s, GROUP_PROCESSES))
		return UNKNOWN_NS;
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_counters *p = &s->processes[i];

		if (p->left == 'y')
			continue;
		if (p->cpu_ns != UNKNOWN_NS)
			sum = span_add(sum, p->cpu_ns);
		if (p->reaped_cpu_ns != UNKNOWN_NS)
			sum = span_add(sum, p->reaped_cpu_ns);
	}
	return sum;
}

bool tree_blocked(const struct sample *s)
{
	bool blocked = false;

	for (size_t i = 0; i < s->n_processes; i++) {
		if (s->processes[i].left == 'y')
			continue;
		if (s->processes[i].state == 'R')
			return false;
		if (s->processes[i].state == 'D')
			blocked = true;
	}
	return blocked;
}
