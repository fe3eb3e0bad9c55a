/* syncs.h - the upgrade's sync calls by class, as the probe counts them. */
#ifndef DPKGTOP_SYNCS_H
#define DPKGTOP_SYNCS_H

#include "dpkgtop/ring.h"
#include "dpkgtop/sample.h"

struct sync_total {
	uint64_t count;
	int64_t ns; /* time in them; the elapsed part of those in flight included */
};

/* Of the calls that returned since the full sample before the last. */
struct sync_rates {
	double calls;                   /* per second; NaN unknown */
	int64_t p50_ns, p99_ns, max_ns; /* UNKNOWN_NS: there were none */
};

struct syncs {
	/* The last sample had them, and they are whole: no 32-bit program, nothing missed. */
	bool exact;
	struct sync_total classes[N_SYNC_CLASSES]; /* since they are watched */
	int64_t grown_ns[N_SYNC_CLASSES];          /* since the sample before */
	struct sync_flight longest;                /* in flight now, by its begin; pid 0: none */
	struct sync_rates rates;
	struct ring rate_ring;

	struct sync_counters *before; /* owned: the rows of the last sample */
	size_t n_before, before_room;
	struct hist calls, calls_before; /* all calls and classes, of full samples */
	int64_t calls_ns;
};

void syncs_init(struct syncs *s);
void syncs_done(struct syncs *s);
/* A new upgrade. */
void syncs_clear(struct syncs *s);
void syncs_sample(struct syncs *s, const struct sample *sample);
uint64_t syncs_count(const struct syncs *s);

#endif
