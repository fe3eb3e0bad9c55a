/* span.h - sums of times that a damaged recording can not overflow.
 *
 * The reader lets pass what is below INT64_MAX / 2; sums of such stay at SPAN_MAX. */
#ifndef DPKGTOP_SPAN_H
#define DPKGTOP_SPAN_H

#include <stdint.h>

#define SPAN_MAX (INT64_MAX / 4) /* 73 years; sums of two are no overflow */

static inline int64_t span_clamp(int64_t ns)
{
	return ns > SPAN_MAX ? SPAN_MAX : ns < -SPAN_MAX ? -SPAN_MAX : ns;
}

static inline int64_t span_add(int64_t a, int64_t b)
{
	return span_clamp(span_clamp(a) + span_clamp(b));
}

static inline int64_t span_of_ms(uint64_t ms)
{
	return ms > (uint64_t)SPAN_MAX / 1000000 ? SPAN_MAX : (int64_t)ms * 1000000;
}

#endif
