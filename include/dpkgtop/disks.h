/* disks.h - what each disk of the machine did while the upgrade ran. */
#ifndef DPKGTOP_DISKS_H
#define DPKGTOP_DISKS_H

#include "dpkgtop/sample.h"

/* Growth since the first full sample of the upgrade, or since the disk came; UNKNOWN_U64 once its
 * counter went back or the disk vanished. Everything on that disk, not the upgrade's share. */
struct disk_total {
	char name[32];
	uint32_t major, minor;
	uint64_t reads, writes, read_bytes, written_bytes, discards, flushes, flush_ms;
	struct disk_counters last;
};

struct disks {
	struct disk_total *items; /* owned; in order of first appearance */
	size_t count, room;
};

/* Of a recording that names more, the rest is left out. */
#define DISKS_MAX 256

void disks_init(struct disks *d);
void disks_done(struct disks *d);
void disks_clear(struct disks *d); /* a new upgrade */
/* A full sample. */
void disks_sample(struct disks *d, const struct sample *s);
/* NULL if it was never seen. */
const struct disk_total *disks_find(const struct disks *d, const char *name);

/* Adds to a sum what a counter grew by, times `unit`; UNKNOWN_U64 for good if that is not known. */
void disks_grow(uint64_t *sum, uint64_t before, uint64_t now, uint64_t unit);

#endif
