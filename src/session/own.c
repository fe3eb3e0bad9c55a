/* own.c - what watching costs. */
#include "own.h"

#include <sys/resource.h>
#include <time.h>

#include "dpkgtop/units.h"

int64_t own_cpu_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) < 0)
		return UNKNOWN_NS;
	return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void own_read(struct own_event *ret, int64_t before_ns)
{
	int64_t now_ns = own_cpu_ns();
	struct rusage usage;

	*ret = (struct own_event){UNKNOWN_NS, UNKNOWN_U64};
	if (now_ns != UNKNOWN_NS && before_ns != UNKNOWN_NS)
		ret->cpu_ns = now_ns - before_ns;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		ret->rss_kib = (uint64_t)usage.ru_maxrss;
}
