/* pressure.c - pressure stall information as shares of time. */
#include "dpkgtop/pressure.h"

#include <string.h>

#include "dpkgtop/units.h"

static void forget(struct pressure *p)
{
	p->io_some = p->io_full = p->cpu_some = p->memory_some = p->memory_full = UNKNOWN_RATE;
}

void pressure_init(struct pressure *p)
{
	memset(p, 0, sizeof(*p));
	forget(p);
}

static double share(uint64_t before, uint64_t now, double seconds)
{
	double part;

	if (before == UNKNOWN_U64 || now == UNKNOWN_U64 || now < before || seconds <= 0)
		return UNKNOWN_RATE;
	part = (double)(now - before) / 1e6 / seconds;
	/* The kernel's clock and ours are read one after the other. */
	return part < 1 ? part : 1;
}

void pressure_sample(struct pressure *p, const struct sample *s)
{
	const struct pressure_counters *a = &p->before, *b = &s->pressure;
	double seconds = (double)(s->at.mono_ns - p->before_ns) / 1e9;
	bool there = sample_has(s, GROUP_PRESSURE);

	forget(p);
	if (there && p->any) {
		p->io_some = share(a->io_some_us, b->io_some_us, seconds);
		p->io_full = share(a->io_full_us, b->io_full_us, seconds);
		p->cpu_some = share(a->cpu_some_us, b->cpu_some_us, seconds);
		p->memory_some = share(a->memory_some_us, b->memory_some_us, seconds);
		p->memory_full = share(a->memory_full_us, b->memory_full_us, seconds);
	}
	ring_push(&p->io_full_ring, p->io_full);
	p->any = there;
	p->before = *b;
	p->before_ns = s->at.mono_ns;
}
