/* tree.c - the upgrade's processes, with rates since the last full sample. */
#include "dpkgtop/tree.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/ring.h"
#include "dpkgtop/span.h"
#include "dpkgtop/syncs.h"
#include "dpkgtop/units.h"

void tree_init(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	sample_init(&t->before);
	tree_io_init(&t->io);
}

void tree_done(struct tree *t)
{
	free(t->items);
	free(t->syncs);
	free(t->syncs_before);
	sample_done(&t->before);
	tree_io_done(&t->io);
	tree_init(t);
}

static void forget_processes(struct tree *t)
{
	t->count = 0;
	t->n_left = 0;
	t->at_ns = 0;
	sample_clear(&t->before);
}

void tree_clear(struct tree *t)
{
	forget_processes(t);
	tree_io_clear(&t->io);
}

static double rate(uint64_t before, uint64_t now, double seconds)
{
	if (before == UNKNOWN_U64 || now == UNKNOWN_U64 || now < before)
		return UNKNOWN_RATE;
	return (double)(now - before) / seconds;
}

/* A parent's counters grow by all that a child had done, when that ends: it has been shown in the
 * child's row. One that has left the upgrade is by itself. */
static void set_byte_rates(const struct tree *t, const struct process_counters *before,
                           const struct process_counters *now, double seconds,
                           struct tree_process *item)
{
	struct tree_io_bytes grown;

	if (tree_io_grown(&t->io, now, &grown)) {
		item->read_rate = (double)grown.read / seconds;
		item->written_rate = (double)grown.written / seconds;
	} else if (now->left == 'y') {
		item->read_rate = rate(before->read_bytes, now->read_bytes, seconds);
		item->written_rate = rate(before->written_bytes, now->written_bytes, seconds);
	}
}

/* NULL: the rows tell of a process that the sample has not, or of another by its pid. */
static struct tree_syncs *syncs_of(const struct sample *s, struct tree_syncs *syncs, int32_t pid,
                                   uint64_t start_ticks)
{
	const struct process_counters *p = sample_process(s, pid);

	return p && p->start_ticks == start_ticks ? &syncs[p - s->processes] : NULL;
}

static struct tree_syncs *sum_syncs(const struct sample *s, struct tree_syncs *syncs, size_t *room)
{
	struct tree_syncs *sum;

	syncs = mem_grow(syncs, room, s->n_processes, sizeof(*syncs));
	for (size_t i = 0; i < s->n_processes; i++)
		syncs[i] = (struct tree_syncs){.in_call = N_SYNC_CALLS};
	for (size_t i = 0; sample_has(s, GROUP_SYNCS) && i < s->n_syncs; i++) {
		const struct sync_counters *row = &s->syncs[i];

		sum = syncs_of(s, syncs, row->pid, row->start_ticks);
		if (!sum || row->total_ns == UNKNOWN_NS)
			continue;
		sum->count += row->count;
		sum->ns = span_add(sum->ns, row->total_ns);
	}
	for (size_t i = 0; sample_has(s, GROUP_FLIGHTS) && i < s->n_flights; i++) {
		const struct sync_flight *f = &s->flights[i];

		sum = syncs_of(s, syncs, f->pid, f->start_ticks);
		if (!sum || (sum->in_call < N_SYNC_CALLS && sum->since_ns <= f->since_ns))
			continue;
		sum->in_call = f->call;
		sum->since_ns = f->since_ns;
	}
	return syncs;
}

/* No row is no call, where all calls have a row. */
static void set_sync_rates(struct tree_process *p, const struct tree_syncs *before,
                           const struct tree_syncs *now, double seconds)
{
	if (now->count < before->count || now->ns < before->ns)
		return;
	p->sync_rate = (double)(now->count - before->count) / seconds;
	p->in_sync = (double)(now->ns - before->ns) / 1e9 / seconds;
}

/* A process that the sample before has not has begun since: its counters did at 0. So the dpkgs of
 * an apt that runs one after the other have rates too. */
static void set_rates(struct tree *t, const struct sample *s, const struct process_counters *p,
                      double seconds, struct tree_process *item)
{
	static const struct process_counters begun;
	static const struct tree_syncs no_syncs;
	const struct process_counters *before = sample_process(&t->before, p->pid);
	const struct tree_syncs *syncs = &no_syncs;

	if (before && before->start_ticks == p->start_ticks)
		syncs = &t->syncs_before[before - t->before.processes];
	else
		before = &begun;
	if (p->cpu_ns != UNKNOWN_NS && before->cpu_ns != UNKNOWN_NS && p->cpu_ns >= before->cpu_ns)
		item->cpu = (double)(p->cpu_ns - before->cpu_ns) / 1e9 / seconds;
	set_byte_rates(t, before, p, seconds, item);
	if (syncs_whole(s) && syncs_whole(&t->before))
		set_sync_rates(item, syncs, &t->syncs[p - s->processes], seconds);
}

static void add_process(struct tree *t, const struct sample *s, const struct process_counters *p,
                        int depth, double seconds)
{
	struct tree_process *item;

	t->items = mem_grow(t->items, &t->room, t->count + 1, sizeof(*t->items));
	item = &t->items[t->count++];
	memset(item, 0, sizeof(*item));
	item->at = *p;
	item->depth = depth;
	item->cpu = item->read_rate = item->written_rate = UNKNOWN_RATE;
	item->sync_rate = item->in_sync = UNKNOWN_RATE;
	item->in_call = t->syncs[p - s->processes].in_call;
	if (seconds > 0)
		set_rates(t, s, p, seconds, item);
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
		add_process(t, s, p, depth, seconds);
		add_children(t, s, t->count - 1, seconds);
	}
}

void tree_sample(struct tree *t, const struct sample *s, uint64_t since_ticks)
{
	double seconds = t->at_ns ? (double)(s->at.mono_ns - t->at_ns) / 1e9 : 0;

	t->count = 0;
	t->n_left = 0;
	tree_io_sample(&t->io, s, since_ticks);
	if (!sample_has(s, GROUP_PROCESSES)) {
		forget_processes(t);
		return;
	}
	t->syncs_before = sum_syncs(&t->before, t->syncs_before, &t->syncs_before_room);
	t->syncs = sum_syncs(s, t->syncs, &t->syncs_room);
	for (size_t i = 0; i < s->n_processes; i++) {
		if (s->processes[i].left == 'y' || has_parent(s, &s->processes[i]))
			continue;
		add_process(t, s, &s->processes[i], 0, seconds);
		add_children(t, s, t->count - 1, seconds);
	}
	for (size_t i = 0; i < s->n_processes; i++) {
		if (s->processes[i].left != 'y')
			continue;
		add_process(t, s, &s->processes[i], 0, seconds);
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
