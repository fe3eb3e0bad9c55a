/* storage.h - the watched disk and the dirty pages, as rates and histories. */
#ifndef DPKGTOP_STORAGE_H
#define DPKGTOP_STORAGE_H

#include "dpkgtop/ring.h"
#include "dpkgtop/sample.h"

/* NaN: unknown (no such counter, first sample, a counter that went back). */
struct disk_rates {
	double reads, writes, flushes, discards; /* per second */
	double read_bytes, written_bytes;        /* per second */
	double read_ms, write_ms, flush_ms;      /* mean per operation */
	double busy;                             /* share of time, 0..1 */
	double queue;                            /* mean operations in flight */
};

struct storage {
	char disk[32]; /* "" unknown: nothing below is known */
	struct disk_rates rates;
	struct memory_counters memory; /* as last read; UNKNOWN_U64 */
	/* Over the whole run; UNKNOWN_U64, and that for good once a counter went back or the disk
	 * vanished. */
	uint64_t flushes, flush_ms, written_bytes, read_bytes;
	/* Bytes per second: the fastest it was ever seen to write, between full samples or, by the
	 * time that its writes took, within; NaN unknown. */
	double fastest_write;
	/* Dirty and being written, KiB: at the first full sample, and at the last of the run. */
	uint64_t dirty_first_kib, dirty_last_kib;
	/* One value a full sample. */
	struct ring flush_rate, write_rate, dirty_kib, writeback_kib;

	bool over; /* the run has ended: its sums stand */
	bool any;  /* `before` holds counters */
	bool torn; /* a part of the run is not in the sums */
	struct disk_counters before;
	int64_t before_ns;
};

void storage_init(struct storage *s);
void storage_begin(struct storage *s, const char *disk); /* a new upgrade */
void storage_sample(struct storage *s, const struct sample *sample);

#endif
