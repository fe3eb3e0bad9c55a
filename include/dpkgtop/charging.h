/* charging.h - the time between two samples, split by what it was spent on.
 *
 * In this order, each taking at most what is left of the interval: syncs, input, CPU, disk; the
 * rest is "other". (CPU before disk, because CPU is counted and a disk wait is only seen now and
 * then.) An interval in which a person answered is input's only as far as nothing else takes it:
 * there input comes last. With the probe all of these but input are counted. Without it syncs are
 * estimated by the time that the watched disk spent in flushes; CPU time comes in ticks of 10 ms
 * and a disk wait is seen only at samples, so both are kept as a debt that later intervals pay:
 * sums are right even where intervals are short. */
#ifndef DPKGTOP_CHARGING_H
#define DPKGTOP_CHARGING_H

#include "dpkgtop/input.h"
#include "dpkgtop/ledger.h"
#include "dpkgtop/sample.h"
#include "dpkgtop/syncs.h"

struct charging {
	struct stamp last;                 /* of the last sample */
	int64_t cpu_seen_ns;               /* the tree's CPU as last seen; UNKNOWN_NS */
	int64_t cpu_owed_ns;               /* seen but not yet charged */
	int64_t counted_cpu_ns;            /* by the probe, as last seen; UNKNOWN_NS */
	int64_t counted_blocked_ns;        /* likewise */
	int64_t counted_sync_ns;           /* likewise */
	int64_t sync_room_ns;              /* of it not yet charged */
	uint64_t flush_seen_ms;            /* UNKNOWN_U64 */
	uint32_t flush_major, flush_minor; /* of the disk that it was seen at */
	int64_t flush_owed_ns;
	int64_t blocked_owed_ns; /* time seen in D state less what syncs explain; may be < 0 */
};

/* Time counts from `at`. What passes until the first sample is of unknown cause. */
void charging_begin(struct charging *c, const struct stamp *at);

/* The charge of the time since the last sample. `disk` is the watched disk's name, "" unknown;
 * `input` and `syncs` what input_sample() and syncs_sample() made of this very sample. */
void charging_sample(struct charging *c, const struct sample *s, const char *disk,
                     const struct input *input, const struct syncs *syncs, struct charge *ret);

/* The charge of time up to `until_ns` of which nothing was seen. */
void charging_unseen(struct charging *c, int64_t until_ns, struct charge *ret);

/* Whether the interval is so short that what was seen at one of its ends says something of it. */
bool charging_is_short(const struct charge *c);

#endif
