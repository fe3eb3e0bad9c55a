/* upgrade_memory.c - who held which locks when all of them were asked. */
#include "upgrade_memory.h"

#include <string.h>

#include "process_files.h"

void upgrade_memory_add(struct upgrade_memory *m, const struct roots *roots,
                        const struct held_lock *lock, bool stranger)
{
	struct process_counters p = {.pid = lock->pid};
	struct upgrade_holder *h = &m->holders[m->count];

	if (m->count == UPGRADE_HOLDERS_MAX || !process_read_stat(roots->proc, 0, &p)) {
		m->whole = false;
		return;
	}
	m->count++;
	*h = (struct upgrade_holder){
		.pid = lock->pid,
		.parent = p.parent,
		.start_ticks = p.start_ticks,
		.device = lock->device,
		.inode = lock->inode,
		.stranger = stranger,
	};
	memcpy(h->name, p.name, sizeof(h->name));
}

void upgrade_memory_own(struct upgrade_memory *m, int index, const struct stat *st)
{
	m->own[index].inode = st->st_ino;
	if (!st->st_ino)
		return;
	m->own[index].device = st->st_dev;
	m->own[index].owner = st->st_uid;
}

static bool same_holder(const struct upgrade_holder *a, const struct upgrade_holder *b)
{
	return a->pid == b->pid && a->parent == b->parent && a->start_ticks == b->start_ticks &&
	       a->device == b->device && a->inode == b->inode && a->stranger == b->stranger &&
	       strcmp(a->name, b->name) == 0;
}

bool upgrade_memory_same(const struct upgrade_memory *a, const struct upgrade_memory *b)
{
	if (!a->whole || !b->whole || a->only_own != b->only_own || a->more != b->more ||
	    a->count != b->count)
		return false;
	for (size_t i = 0; i < UPGRADE_OWN_LOCKS; i++)
		if (a->own[i].inode != b->own[i].inode || a->own[i].device != b->own[i].device ||
		    a->own[i].owner != b->own[i].owner)
			return false;
	for (size_t i = 0; i < a->count; i++)
		if (!same_holder(&a->holders[i], &b->holders[i]))
			return false;
	return true;
}
