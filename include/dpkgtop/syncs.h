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

/* Of programs that are no part of the upgrade, together, and by name: those of the most time. */
#define WRITERS_NAMED 16

struct writer_total {
	char name[32];
	struct sync_total sum;
};

struct writers {
	struct sync_total sum; /* since they are watched; of calls that returned */
	struct writer_total names[WRITERS_NAMED];
	size_t n_names;

	struct sync_writer *before; /* owned: the rows of the last sample */
	size_t n_before, before_room;
};

struct syncs {
	/* The last sample had them, and they are whole: no 32-bit program, nothing missed. */
	bool exact;
	struct probe_counters probe; /* how far they are, as last told; all 0 before */
	struct sync_total classes[N_SYNC_CLASSES]; /* since they are watched */
	int64_t grown_ns[N_SYNC_CLASSES];          /* since the sample before */
	bool counted; /* some sample had them; else all counts are unknown, not 0 */
	uint64_t by_call[N_SYNC_CALLS];     /* as `classes`, but by call */
	int64_t longest_ns[N_SYNC_CLASSES]; /* of those that returned; UNKNOWN_NS: none did */
	struct hist hists[N_SYNC_CLASSES];  /* of those that returned, as of the last full sample */
	uint64_t grown_calls;               /* likewise, of all classes */
	struct sync_flight longest;         /* in flight now, by its begin; pid 0: none */
	struct writers writers;
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
/* The duration that `part` (0 … 1) of a class' calls do not exceed, never above the longest one:
 * a bucket's representative may be. UNKNOWN_NS: none returned. */
int64_t syncs_percentile(const struct syncs *s, enum sync_class class, double part);
/* Whether the sample has all sync calls of the upgrade, each with its process. */
bool syncs_whole(const struct sample *sample);
/* Who of the others has been in sync calls for longest; NULL: none has made any. */
const struct writer_total *writers_first(const struct writers *w);

#endif
