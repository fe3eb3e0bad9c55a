/* probe_parts.h - what the files of the probe share. */
#ifndef SOURCE_PROBE_PARTS_H
#define SOURCE_PROBE_PARTS_H

#include <stdbool.h>

#include "dpkgtop/probe.h"
#include "sync_bpf.h"

/* Names what the former defines. */
#include <sync.skel.h>

/* Five of the scheduler, the iterator, enter and exit of six calls. */
#define PROBE_LINKS 18
#define PROBE_CALLS 6

struct probe {
	struct sync_probe *object;
	struct bpf_link *links[PROBE_LINKS];
	size_t n_links;
	int events[2 * PROBE_CALLS]; /* perf events; owned by their links */
	size_t n_events;
	struct bpf_link *look;      /* that of the iterator, NULL: time is not known */
	int64_t cpu_base;           /* what the tree had used up when it was first watched, ns */
	int64_t sync_ns;            /* as told last */
	int64_t cpu_ns, blocked_ns; /* likewise; UNKNOWN_NS */
	struct ring_buffer *ring;
	struct latency_value *latencies; /* the kernel's own, mapped */
	struct sync_slot *slots;         /* likewise */
	struct member *members;          /* likewise */
	unsigned full_samples;           /* read */
	char lacks[64];
	probe_take *take; /* during probe_drain() */
	void *context;
};

/* Says why the kernel did not let us, as probe_open() tells it: -errno with detail. */
int probe_explain(int r, struct err *e);

/* Attaches all programs. 0 or -errno with detail; what was attached is in p->links. */
int probe_attach(struct probe *p, struct err *e);

/* The name of a file of which the last bytes are known. */
void probe_file_name(char *dst, size_t size, const char *end, uint32_t length);

/* Where the slots of strangers begin. */
uint32_t probe_outside(const struct probe *p);
/* Gives a slot back. */
int probe_recycle(struct probe *p, uint32_t place);
/* Forgets members that ended long ago and were not freed. */
void probe_forget_members(struct probe *p);

/* The tree's CPU time and blocked time begin anew. */
void probe_begin_time(struct probe *p);
void probe_read_time(struct probe *p, struct probe_counters *into);

/* Called by libbpf for each event in the ring. */
int probe_take_event(void *context, void *data, size_t size);

#endif
