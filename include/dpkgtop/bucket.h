/* bucket.h - log-linear buckets for durations, shared by hist and the BPF program.
 *
 * Free of libc, and of what a BPF program can not do. Below 16 ns each value has a bucket of its
 * own; above, each power of two is cut into 16 equal steps, so that a bucket is at most 6.25 % wide
 * and its representative at most 3.1 % off. From 2^40 ns (18 minutes) on all is one bucket. */
#ifndef DPKGTOP_BUCKET_H
#define DPKGTOP_BUCKET_H

#define BUCKET_STEP_BITS 4
#define BUCKET_STEPS     (1u << BUCKET_STEP_BITS)
#define BUCKET_MAX_BITS  40
#define BUCKETS          ((BUCKET_MAX_BITS - BUCKET_STEP_BITS + 1) * BUCKET_STEPS)

/* The bucket of a duration; < BUCKETS. */
static inline unsigned bucket_of(unsigned long long ns)
{
	unsigned long long rest = ns;
	unsigned bits = 0; /* the place of the highest 1 */

	if (ns < BUCKET_STEPS)
		return (unsigned)ns;
	if (ns >> BUCKET_MAX_BITS)
		return BUCKETS - 1;
	/* By halves: BPF has no instruction that counts leading zeros. And without a branch, of
	 * which its verifier would follow both ways, six times over. */
	for (unsigned half = 32; half; half >>= 1) {
		unsigned step = (unsigned)(-(rest >> half) >> 63) * half;

		rest >>= step;
		bits += step;
	}
	return (bits - BUCKET_STEP_BITS + 1) * BUCKET_STEPS +
	       (unsigned)((ns >> (bits - BUCKET_STEP_BITS)) & (BUCKET_STEPS - 1));
}

/* Its lowest duration; bucket_low(BUCKETS) is the first one beyond all. */
static inline unsigned long long bucket_low(unsigned bucket)
{
	unsigned long long step = bucket % BUCKET_STEPS;

	if (bucket < BUCKET_STEPS)
		return bucket;
	return (BUCKET_STEPS + step) << (bucket / BUCKET_STEPS - 1);
}

#endif
