/* model_equal.h - whether two models say the same, part by part. */
#ifndef TESTS_MODEL_EQUAL_H
#define TESTS_MODEL_EQUAL_H

#include <stdio.h>
#include <string.h>

#include "dpkgtop/model.h"

static inline int same_items(const void *a, size_t na, const void *b, size_t nb, size_t size)
{
	return na == nb && (na == 0 || memcmp(a, b, na * size) == 0);
}

/* Parts are zeroed before they are filled, so their bytes can be compared; NaN is NaN then too. */
#define SAME(member) (memcmp(&a->member, &b->member, sizeof(a->member)) == 0)
#define SAME_ITEMS(list, items)                                                                    \
	same_items(a->list.items, a->list.count, b->list.items, b->list.count,                     \
	           sizeof(*a->list.items))

/* NULL if they are equal, else the name of the first part that differs. */
static inline const char *model_differs(const struct model *a, const struct model *b)
{
	if (a->state != b->state || a->status != b->status)
		return "state";
	if (!SAME(header))
		return "header";
	if (!SAME(upgrade) || !SAME(begun) || !SAME(ended) || !SAME(now))
		return "upgrade";
	if (!SAME(software) || !SAME(usage) || !SAME(own))
		return "software";
	if (!SAME(upgrades) || !SAME(suspended_ns) || !SAME(exact_ns) || !SAME(left))
		return "run";
	if (!SAME_ITEMS(disks, items))
		return "disks";
	if (!SAME(why))
		return "why";
	if (!SAME(phase))
		return "phase";
	if (!SAME(ledger))
		return "ledger";
	if (!SAME(progress))
		return "progress";
	if (!SAME(charging) || !SAME(tail) || !SAME(waited) || a->tail_ns != b->tail_ns)
		return "charging";
	if (!SAME_ITEMS(timeline, spans))
		return "timeline";
	if (!SAME_ITEMS(packages, items) || a->packages.failures != b->packages.failures)
		return "packages";
	if (!SAME_ITEMS(scripts, items) || a->scripts.left_out != b->scripts.left_out)
		return "scripts";
	if (!SAME_ITEMS(steps, items))
		return "steps";
	if (!SAME(syncs.classes) || !SAME(syncs.rates) || !SAME(syncs.writers.sum) ||
	    !SAME(syncs.writers.names))
		return "syncs";
	if (!SAME(tree.io.read_bytes) || !SAME(tree.io.written_bytes))
		return "bytes";
	if (!SAME(slowest))
		return "slowest";
	if (!SAME_ITEMS(tree, items))
		return "tree";
	if (!SAME(storage.rates) || !SAME(storage.memory) || !SAME(storage.flush_rate) ||
	    !SAME(storage.write_rate) || !SAME(storage.dirty_kib) || !SAME(storage.flushes))
		return "storage";
	return NULL;
}

#endif
