/* hist.c - a histogram of durations. */
#include "dpkgtop/hist.h"

#include <string.h>

#include "dpkgtop/units.h"

void hist_clear(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_add(struct hist *h, int64_t ns)
{
	h->counts[bucket_of(ns < 0 ? 0 : (unsigned long long)ns)]++;
}

uint64_t hist_count(const struct hist *h)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < BUCKETS; i++)
		count += h->counts[i];
	return count;
}

void hist_merge(struct hist *h, const struct hist *other)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		h->counts[i] += other->counts[i];
}

bool hist_subtract(struct hist *h, const struct hist *earlier)
{
	for (unsigned i = 0; i < BUCKETS; i++) {
		if (h->counts[i] < earlier->counts[i]) {
			hist_clear(h);
			return false;
		}
		h->counts[i] -= earlier->counts[i];
	}
	return true;
}

/* Stands for all values of a bucket. The harmonic mean of its ends is off by the same part of the
 * value at both. */
static int64_t representative(unsigned bucket)
{
	/* Below 2^41 each. */
	double low = (double)bucket_low(bucket), high = (double)bucket_low(bucket + 1) - 1;

	if (low >= high)
		return (int64_t)low;
	return (int64_t)(2 * low * high / (low + high));
}

int64_t hist_percentile(const struct hist *h, double part)
{
	uint64_t count = hist_count(h), seen = 0;
	double wanted = part * (double)count;

	for (unsigned i = 0; i < BUCKETS; i++) {
		seen += h->counts[i];
		if (h->counts[i] && (double)seen >= wanted)
			return representative(i);
	}
	/* More than all of them was asked for, or there is none. */
	return hist_max(h);
}

int64_t hist_max(const struct hist *h)
{
	for (unsigned i = BUCKETS; i-- > 0;)
		if (h->counts[i])
			return representative(i);
	return UNKNOWN_NS;
}
