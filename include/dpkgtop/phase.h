/* phase.h - what the upgrade is doing, told by events alone.
 *
 * Phases are exclusive. An upgrade alternates unpack and configure over a hundred times, so a
 * phase is a sum of spans; the timeline keeps them in order. */
#ifndef DPKGTOP_PHASE_H
#define DPKGTOP_PHASE_H

#include "dpkgtop/event.h"

enum phase {
	PHASE_DOWNLOAD, /* apt's methods alive, no dpkg */
	PHASE_PREPARE,  /* the frontend before its first dpkg */
	PHASE_READ,     /* dpkg reading its database */
	PHASE_UNPACK,
	PHASE_CONFIGURE,
	PHASE_TRIGGERS,
	PHASE_INITRAMFS, /* a builder alive, or its trigger in work */
	PHASE_REMOVE,
	PHASE_BETWEEN, /* from one dpkg's end to the next one's start */
	PHASE_FINISH,  /* after the last dpkg */
	N_PHASES,
	PHASE_NONE = N_PHASES /* no upgrade */
};

extern const char *const phase_names[N_PHASES + 1]; /* "download" …, "" */

/* A process that holds a phase while it lives. */
struct phase_process {
	int32_t pid;
	uint64_t start_ticks;
};

/* No upgrade has so many at once; what comes on top is not counted. */
#define PHASE_PROCESSES 64

/* The machine's state. `dpkg` is known from exec and exit events, or, where there are none (a log
 * alone), from startup lines: then the end of a dpkg shows only in the next startup line, and the
 * time since the last line turns out to have been PHASE_BETWEEN. */
struct phase_state {
	bool running;                                /* between EVENT_UPGRADE and EVENT_END */
	bool had_dpkg;                               /* one dpkg has been seen */
	bool log_open;                               /* a startup line came, and no exit since */
	int dpkgs, builders, methods;                /* alive now */
	struct phase_process alive[PHASE_PROCESSES]; /* those */
	int n_alive;
	enum phase action; /* by the last action line of the present dpkg; READ before it */
};

void phase_init(struct phase_state *s);
void phase_event(struct phase_state *s, const struct event *e);
enum phase phase_now(const struct phase_state *s);

/* Whether a process is among those that hold a phase: its end was not told yet. */
bool phase_has(const struct phase_state *s, int32_t pid, uint64_t start_ticks);

/* Whether a boundary sample must come before `e`: it moves the phase, or shows where time that
 * belongs elsewhere may begin. */
bool phase_wants_boundary(const struct phase_state *s, const struct event *e);

/* Whether the time since the last package line belongs to PHASE_BETWEEN, as `e` (next in line)
 * shows: a startup line without an exit before it. */
bool phase_reveals_between(const struct phase_state *s, const struct event *e);

#endif
