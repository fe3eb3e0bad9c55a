/* scripts.h - the maintainer scripts that ran: which of which package, how often, how long.
 *
 * A script inside the same package's same script is one: debconf's frontend executes it again,
 * by the same process or by a child of it. */
#ifndef DPKGTOP_SCRIPTS_H
#define DPKGTOP_SCRIPTS_H

#include <stddef.h>

#include "dpkgtop/packages.h"

struct script {
	char package[96]; /* "" unknown */
	char name[24];    /* "postinst" */
	uint64_t count;   /* runs that began */
	int64_t ns;       /* of those that ended; UNKNOWN_NS: none has */
	uint32_t next;    /* of the same bucket, counted from 1; 0: none */
};

/* A process that is a script now. */
struct script_run {
	int32_t pid;
	uint64_t start_ticks;
	int64_t begin_ns;
	uint32_t script; /* its place, counted from 1; 0: left out */
	bool nested;     /* in another run of the same script, whose time it is */
};

#define SCRIPTS_BUCKETS 1024
/* No upgrade has so many; what comes later in a log that does is left out. */
#define SCRIPTS_MAX 10000
/* So many run at once; the oldest makes way, since its end must have been missed. */
#define SCRIPT_RUNS_MAX 32

struct scripts {
	struct script *items; /* owned; in order of first appearance */
	size_t count, room;
	uint32_t buckets[SCRIPTS_BUCKETS]; /* the newest item of each, counted from 1; 0: none */
	uint64_t left_out;                 /* runs of scripts beyond SCRIPTS_MAX */
	struct script_run runs[SCRIPT_RUNS_MAX];
	size_t n_runs;
};

void scripts_init(struct scripts *s);
void scripts_done(struct scripts *s);
/* `packages` as they were before the event: a preinst runs from tmp.ci, whose path names nobody,
 * and belongs to the package in work. Times of runs that end are added to their packages. */
void scripts_event(struct scripts *s, struct packages *packages, const struct event *e);
/* NULL if it did not run. */
const struct script *scripts_find(const struct scripts *s, const char *package, const char *name);

#endif
