/* pressure.h - pressure stall information as shares of time. */
#ifndef DPKGTOP_PRESSURE_H
#define DPKGTOP_PRESSURE_H

#include "dpkgtop/ring.h"
#include "dpkgtop/sample.h"

/* Shares of the time since the last full sample, 0..1; NaN unknown. */
struct pressure {
	double io_some, io_full, cpu_some, memory_some, memory_full;
	struct ring io_full_ring;
	bool any;
	struct pressure_counters before;
	int64_t before_ns;
};

void pressure_init(struct pressure *p);
void pressure_sample(struct pressure *p, const struct sample *s);

#endif
