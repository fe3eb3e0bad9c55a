/* doctor.h - what works here, what does not, and what would make it work.
 *
 * Nothing is concluded from versions or settings: each source is opened and read as the dashboard
 * does it, by an observer that has dropped the privileges that the dashboard drops. */
#ifndef DPKGTOP_DOCTOR_H
#define DPKGTOP_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "dpkgtop/place.h"
#include "dpkgtop/sample.h"
#include "dpkgtop/source.h"
#include "options.h"

enum doctor_state { DOCTOR_WORKS, DOCTOR_PARTLY, DOCTOR_NOT, N_DOCTOR_STATES };

struct finding {
	const char *source;
	enum doctor_state state;
	char why[160];      /* printable; "" nothing to say */
	const char *loss;   /* what can not be told without it; NULL: nothing is lost */
	const char *enable; /* a command or an option that would make it work; NULL: none known */
};

#define FINDINGS_MAX 24

struct doctor {
	const struct options *o;
	struct roots roots; /* -1 where there is none */
	struct place host;  /* likewise */
	bool root;          /* we are */
	int32_t self;       /* our pid as /proc says it; 0: it does not */
	uint64_t self_start_ticks;
	int32_t other; /* a process of root's that is not ours, one that can be looked into if there
	                * is any; 0: none is seen */
	bool hidden;   /* /proc shows processes of ours only */
	struct finding findings[FINDINGS_MAX];
	size_t count;
};

/* Adds what was found of a source; `loss` and `enable` are kept, not copied. */
void doctor_add(struct doctor *d, const char *source, enum doctor_state state, const char *loss,
                const char *enable, const char *why, ...) __attribute__((format(printf, 6, 7)));

/* Why something failed, in the words of one who looks for a cause: "needs root", "no /proc here".
 */
const char *doctor_reason(const struct doctor *d, int r);
/* How to become who may. */
const char *doctor_as_root(const struct doctor *d);

/* doctor_host.c: who and where we are. */
void doctor_check_program(struct doctor *d, bool with_bpf);
void doctor_check_privileges(struct doctor *d, const char *before, const char *failed);
/* Last: rights that are not there are a loss only where something would need them. */
void doctor_settle_privileges(struct doctor *d);
void doctor_check_terminal(struct doctor *d);
void doctor_check_proc(struct doctor *d);

/* doctor_sources.c: what is read of files. */
void doctor_check_disk(struct doctor *d);
void doctor_check_memory(struct doctor *d);
void doctor_check_pressure(struct doctor *d);
void doctor_check_space(struct doctor *d);
void doctor_check_process(struct doctor *d);
void doctor_check_device(struct doctor *d);
void doctor_check_packages(struct doctor *d);
void doctor_check_upgrade(struct doctor *d);
void doctor_check_mode(struct doctor *d);
void doctor_check_status(struct doctor *d);

/* doctor_probe.c: the probe and what it stands on. What takes root to open is opened first, what
 * only reads comes after the privileges were dropped. */
struct doctor_probe {
	struct probe *probe; /* NULL: not open */
	int missing;         /* why, as probe_open() says it */
	struct err err;
	int tracefs; /* 0, or -errno */
};

void doctor_probe_open(struct doctor_probe *p);
void doctor_check_probe(struct doctor *d, struct doctor_probe *p);
void doctor_check_kernel(struct doctor *d, const struct doctor_probe *p);

#endif
