/* disks.c - what each disk of the machine did while the upgrade ran. */
#include "dpkgtop/disks.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/units.h"

#define SECTOR 512

void disks_init(struct disks *d)
{
	memset(d, 0, sizeof(*d));
}

void disks_done(struct disks *d)
{
	free(d->items);
	disks_init(d);
}

void disks_clear(struct disks *d)
{
	d->count = 0;
}

void disks_grow(uint64_t *sum, uint64_t before, uint64_t now, uint64_t unit)
{
	uint64_t grown;

	if (*sum == UNKNOWN_U64)
		return;
	if (before == UNKNOWN_U64 || now == UNKNOWN_U64 || now < before ||
	    __builtin_mul_overflow(now - before, unit, &grown) ||
	    __builtin_add_overflow(*sum, grown, sum))
		*sum = UNKNOWN_U64;
}

static struct disk_total *find(const struct disks *d, const char *name)
{
	for (size_t i = 0; i < d->count; i++)
		if (strcmp(d->items[i].name, name) == 0)
			return &d->items[i];
	return NULL;
}

const struct disk_total *disks_find(const struct disks *d, const char *name)
{
	return find(d, name);
}

static void forget(struct disk_total *t)
{
	t->reads = t->writes = t->read_bytes = t->written_bytes = UNKNOWN_U64;
	t->discards = t->flushes = t->flush_ms = UNKNOWN_U64;
}

static void grow(struct disk_total *t, const struct disk_counters *now)
{
	const struct disk_counters *b = &t->last;

	/* Another device by the same name: its counters are no continuation. */
	if (t->major != now->major || t->minor != now->minor)
		forget(t);
	disks_grow(&t->reads, b->reads, now->reads, 1);
	disks_grow(&t->writes, b->writes, now->writes, 1);
	disks_grow(&t->read_bytes, b->read_sectors, now->read_sectors, SECTOR);
	disks_grow(&t->written_bytes, b->written_sectors, now->written_sectors, SECTOR);
	disks_grow(&t->discards, b->discards, now->discards, 1);
	disks_grow(&t->flushes, b->flushes, now->flushes, 1);
	disks_grow(&t->flush_ms, b->flush_ms, now->flush_ms, 1);
}

static void add(struct disks *d, const struct disk_counters *now)
{
	struct disk_total *t;

	if (d->count == DISKS_MAX)
		return;
	d->items = mem_grow(d->items, &d->room, d->count + 1, sizeof(*d->items));
	t = &d->items[d->count++];
	memset(t, 0, sizeof(*t));
	memcpy(t->name, now->name, sizeof(t->name));
	t->major = now->major;
	t->minor = now->minor;
	t->last = *now;
	/* A counter that is not known now has no growth, not one of 0. */
	grow(t, now);
}

void disks_sample(struct disks *d, const struct sample *s)
{
	for (size_t i = 0; i < d->count; i++)
		if (!sample_disk(s, d->items[i].name))
			forget(&d->items[i]);
	for (size_t i = 0; i < s->n_disks; i++) {
		struct disk_total *t = find(d, s->disks[i].name);

		if (!t) {
			add(d, &s->disks[i]);
			continue;
		}
		grow(t, &s->disks[i]);
		t->last = s->disks[i];
	}
}
