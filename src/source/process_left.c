/* process_left.c - processes that were in the tree and outlived their parent.
 *
 * A daemon that a maintainer script started, say: its parent ends, the kernel gives it another one
 * outside of the tree. Who came and lost its parent between two readings was never seen in the
 * tree, and is not found. */
#include "process_left.h"

#include "dpkgtop/mem.h"

#include <stdlib.h>
#include <string.h>

/* Parents of parents; more than there are would be a circle of pids used anew meanwhile. */
#define ANCESTORS_MAX 256

void left_begin(struct left_running *l, const struct target *target)
{
	if (l->root.pid == target->pid && l->root.start_ticks == target->start_ticks)
		return;
	l->root = (struct process_id){target->pid, target->start_ticks};
	l->n_left = l->n_tree = 0;
}

void left_done(struct left_running *l)
{
	free(l->tree);
}

static int compare(const void *a, const void *b)
{
	const struct process_id *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The process of the tree with that pid; the first `n_tree` in `into` are by rising pid. */
static const struct process_counters *in_tree(const struct sample *into, size_t n_tree, int32_t pid)
{
	size_t from = 0, to = n_tree;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (into->processes[middle].pid == pid)
			return &into->processes[middle];
		if (into->processes[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static const struct process_id *find(const struct process_id *ids, size_t n, int32_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i].pid == pid)
			return &ids[i];
	return NULL;
}

size_t left_add(const struct left_running *l, struct sample *into)
{
	size_t n_tree = into->n_processes;

	for (size_t i = 0; i < l->n_left; i++)
		if (!in_tree(into, n_tree, l->left[i].pid))
			sample_add_process(into)->pid = l->left[i].pid;
	for (size_t i = 0; i < l->n_tree; i++)
		if (!in_tree(into, n_tree, l->tree[i].pid) &&
		    !find(l->left, l->n_left, l->tree[i].pid))
			sample_add_process(into)->pid = l->tree[i].pid;
	return into->n_processes - n_tree;
}

/* Whether no living parent leads to the tree. False too where a parent goes away as it is asked
 * for: the next reading tells. */
static bool is_apart(const struct roots *roots, const struct sample *into, size_t n_tree,
                     int32_t parent)
{
	for (int i = 0; i < ANCESTORS_MAX; i++) {
		struct process_counters p;

		/* 0: the parent is not in our pid namespace. */
		if (parent <= 0)
			return true;
		if (in_tree(into, n_tree, parent) || process_identify(roots, parent, &p))
			return false;
		parent = p.parent;
	}
	return false;
}

enum verdict { ENDED, LEFT, NOT_SURE };

static enum verdict judge(const struct left_running *l, const struct roots *roots,
                          const struct sample *into, size_t n_tree,
                          const struct process_counters *p)
{
	const struct process_id *was = find(l->left, l->n_left, p->pid);
	bool known = was != NULL;

	if (!was)
		was = bsearch(&(struct process_id){.pid = p->pid}, l->tree, l->n_tree, sizeof(*was),
		              compare);
	/* A zombie runs no more, and a pid may be another process by now. */
	if (!was || !p->state || p->state == 'Z' || p->start_ticks != was->start_ticks)
		return ENDED;
	return known || is_apart(roots, into, n_tree, p->parent) ? LEFT : NOT_SURE;
}

static void remember_tree(struct left_running *l, const struct sample *into, size_t n_tree)
{
	l->tree = mem_grow(l->tree, &l->tree_room, n_tree, sizeof(*l->tree));
	l->n_tree = n_tree;
	for (size_t i = 0; i < n_tree; i++)
		l->tree[i] =
			(struct process_id){into->processes[i].pid, into->processes[i].start_ticks};
}

/* Those that could not be judged stay as they were: in the tree. */
static void remember_again(struct left_running *l, const struct process_id *id)
{
	l->tree = mem_grow(l->tree, &l->tree_room, l->n_tree + 1, sizeof(*l->tree));
	l->tree[l->n_tree++] = *id;
}

void left_settle(struct left_running *l, const struct roots *roots, size_t n_tree,
                 struct sample *into)
{
	struct process_id left[LEFT_MAX], unsure[LEFT_MAX];
	size_t n_left = 0, n_unsure = 0;

	for (size_t i = n_tree; i < into->n_processes; i++) {
		struct process_counters *p = &into->processes[i];
		struct process_id id = {p->pid, p->start_ticks};
		enum verdict verdict = judge(l, roots, into, n_tree, p);

		if (verdict == LEFT && n_left < LEFT_MAX) {
			left[n_left] = id;
			p->left = 'y';
			into->processes[n_tree + n_left++] = *p;
		} else if (verdict == NOT_SURE && n_unsure < LEFT_MAX) {
			unsure[n_unsure++] = id;
		}
	}
	into->n_processes = n_tree + n_left;
	memcpy(l->left, left, n_left * sizeof(*left));
	l->n_left = n_left;
	remember_tree(l, into, n_tree);
	for (size_t i = 0; i < n_unsure; i++)
		remember_again(l, &unsure[i]);
	qsort(l->tree, l->n_tree, sizeof(*l->tree), compare);
}
