/* ledger.h - every nanosecond of the upgrade charged once: to one phase and one cause. */
#ifndef DPKGTOP_LEDGER_H
#define DPKGTOP_LEDGER_H

#include "dpkgtop/phase.h"

enum cause {
	CAUSE_PACKAGE_SYNC,   /* dpkg in fsync or sync_file_range(WAIT_BEFORE) of package files */
	CAUSE_DATABASE_SYNC,  /* dpkg in a sync call on its own database */
	CAUSE_WRITEBACK,      /* dpkg in sync_file_range(WRITE) */
	CAUSE_OTHER_SYNC,     /* sync calls of the upgrade's other processes */
	CAUSE_SYNC_ESTIMATED, /* stands for the four above, from the device's flush time */
	CAUSE_DISK,           /* in D state outside sync calls */
	CAUSE_CPU,            /* running */
	CAUSE_INPUT,          /* waiting for a person */
	CAUSE_OTHER,          /* sleeping, network, locks, and what remains */
	CAUSE_UNKNOWN,        /* before we looked, gaps, no source */
	N_CAUSES
};

extern const char *const cause_keys[N_CAUSES];  /* "package_sync" …, in data */
extern const char *const cause_heads[N_CAUSES]; /* "package" …, on screen */

/* How well a number is known. A sum is as good as the worst known part of it; time whose cause
 * was not known is no part of it, but stands under CAUSE_UNKNOWN. */
enum quality { QUALITY_NONE, QUALITY_EXACT, QUALITY_SAMPLED, QUALITY_ESTIMATED, QUALITY_UNKNOWN };

/* ns >= 0. QUALITY_UNKNOWN: draw "–", whatever ns is; QUALITY_NONE: nothing was charged yet. */
struct cell {
	int64_t ns;
	enum quality quality;
};

/* One interval's time, split by cause. The ns sum to the interval. */
struct charge {
	struct cell causes[N_CAUSES];
};

struct ledger {
	struct cell cells[N_PHASES][N_CAUSES];
	int64_t wall_ns[N_PHASES];
	int64_t trailing_ns; /* the timed sync after the end, in no phase; UNKNOWN_NS */
};

void ledger_init(struct ledger *l);
void ledger_charge(struct ledger *l, enum phase p, const struct charge *c);
/* Takes a charge made to `from` over to `to`: it turned out to belong there. */
void ledger_move(struct ledger *l, enum phase from, enum phase to, const struct charge *c);

/* `ns` of a phase that one cause was charged with are another's: as well known as they were. */
void ledger_recharge(struct ledger *l, enum phase p, enum cause from, enum cause to, int64_t ns);

/* Takes back a charge made to `p`. */
void ledger_take(struct ledger *l, enum phase p, const struct charge *c);

void charge_init(struct charge *c);
void charge_add(struct charge *to, const struct charge *from);
/* As ledger_recharge(). */
void charge_turn(struct charge *c, enum cause from, enum cause to, int64_t ns);
int64_t charge_total(const struct charge *c);

struct cell ledger_cause(const struct ledger *l, enum cause c); /* over all phases */
int64_t ledger_total(const struct ledger *l);                   /* over all cells */

#endif
