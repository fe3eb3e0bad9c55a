/* packages.h - each package of the upgrade: what was done to it, and how long it took.
 *
 * Times are by the arrival of log lines: unpack from install/upgrade to "status unpacked" with
 * the new version, configure from configure to installed or a triggers state. */
#ifndef DPKGTOP_PACKAGES_H
#define DPKGTOP_PACKAGES_H

#include <stddef.h>

#include "dpkgtop/event.h"

struct failure {
	char script[24]; /* "" unknown */
	int32_t status;  /* STATUS_UNKNOWN */
};

struct package {
	char name[96], arch[16];
	char old_version[96], version[96];
	enum package_verb action; /* install, upgrade, remove, purge; configure alone */
	enum package_state state; /* by the last status line */
	int64_t unpack_ns, configure_ns, remove_ns; /* UNKNOWN_NS until they happened */
	int64_t trigger_ns;                         /* sum of its trigger runs; UNKNOWN_NS */
	int64_t script_ns; /* in its scripts, part of the times above; UNKNOWN_NS until one ran */
	/* Sync calls of the upgrade, and time in them, while it was in work: what they grew by
	 * between two samples is that package's which was in work at the second. UNKNOWN_U64 and
	 * UNKNOWN_NS where a part is not known or may be another's, and until there was a sample.
	 */
	uint64_t sync_calls;
	int64_t sync_ns;
	bool syncs_lost;        /* they can not be known any more */
	int64_t since_ns;       /* when the present action began, while `busy` */
	int64_t waited_ns;      /* what the upgrade had waited for a person by then */
	int64_t begun_ns;       /* stamp of the line that told so: later, if it was read late */
	enum package_verb busy; /* N_VERBS: nothing */
	bool opened;            /* half-installed was seen since: the next unpacked ends it */
	bool listed;            /* in `begun` */
	bool failed;            /* left half-done when its dpkg ended, or a script failed */
	struct failure failure;
	uint32_t next; /* of the same bucket, counted from 1; 0: none */
};

#define PACKAGES_BUCKETS 4096
/* Debian has less than half as many. Of a log that names more, the last place is that of each in
 * turn. */
#define PACKAGES_MAX 200000

struct packages {
	struct package *items; /* owned; in order of first appearance */
	size_t count, room;
	uint32_t buckets[PACKAGES_BUCKETS]; /* the newest item of each, counted from 1; 0: none */
	size_t current;                     /* the package in work; == count: none */
	/* Stamp of the last sample, and whom it was charged to, counted from 1; 0: nobody. */
	int64_t sampled_ns;
	uint32_t charged;
	/* Done so far, whole actions. */
	uint64_t unpacked, configured, triggered, removed;
	int64_t unpack_ns, configure_ns, remove_ns; /* time in those, but for waits for a person */
	int64_t waited_ns;                          /* packages_set_waited() */
	uint64_t dpkg_runs;                         /* startup lines */
	uint64_t failures;
	uint64_t unnamed_failures; /* of these, those whose package had to make way */
	/* Who began since the last startup, by place in `items`: those that are busy and more. */
	uint32_t *begun; /* owned */
	size_t n_begun, begun_room;
	/* The last dpkg seen alive; pid 0: none yet. */
	int32_t dpkg_pid;
	uint64_t dpkg_start_ticks;
	/* The last script seen alive, whose exit may explain a failure. */
	int32_t script_pid;
	char script_package[96], script_name[24];
};

void packages_init(struct packages *p);
void packages_done(struct packages *p);
void packages_event(struct packages *p, const struct event *e);
/* NULL if there is none. */
const struct package *packages_current(const struct packages *p);
/* So long in all has the upgrade waited for a person. */
void packages_set_waited(struct packages *p, int64_t ns);
/* A script of the package ran; nothing if there is none by that name. */
void packages_add_script(struct packages *p, const char *name, int64_t ns);
/* What the upgrade's syncs have grown by from the last sample to the one `at_ns`; `calls`
 * UNKNOWN_U64: not known. */
void packages_add_syncs(struct packages *p, uint64_t calls, int64_t ns, int64_t at_ns);
/* Whether a boundary sample should come before `e`, where one is cheap: it begins or ends what is
 * done to a package. Without one the package's syncs are not known. */
bool packages_wants_boundary(const struct packages *p, const struct event *e);
const struct package *packages_find(const struct packages *p, const char *name, const char *arch);

#endif
