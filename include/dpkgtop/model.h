/* model.h - what the frames mean: a pure fold, no I/O, no clock, no globals.
 *
 * model_add() takes frames in order; every view and report reads the struct and changes nothing.
 * The same frames give the same model, live or read back. */
#ifndef DPKGTOP_MODEL_H
#define DPKGTOP_MODEL_H

#include "dpkgtop/charging.h"
#include "dpkgtop/disks.h"
#include "dpkgtop/frame.h"
#include "dpkgtop/input.h"
#include "dpkgtop/ledger.h"
#include "dpkgtop/left.h"
#include "dpkgtop/packages.h"
#include "dpkgtop/phase.h"
#include "dpkgtop/pressure.h"
#include "dpkgtop/progress.h"
#include "dpkgtop/ring.h"
#include "dpkgtop/scripts.h"
#include "dpkgtop/slowest.h"
#include "dpkgtop/steps.h"
#include "dpkgtop/storage.h"
#include "dpkgtop/syncs.h"
#include "dpkgtop/timeline.h"
#include "dpkgtop/tree.h"
#include "dpkgtop/waited.h"

enum model_state { MODEL_WAITING, MODEL_RUNNING, MODEL_ENDED };

struct model {
	enum model_state state;
	uint64_t upgrades; /* that began; what follows is of the last one */
	struct header header;
	struct upgrade_event upgrade; /* what is watched; while MODEL_WAITING empty */
	struct stamp begun;           /* of EVENT_UPGRADE */
	int64_t since_ns;   /* CLOCK_MONOTONIC when it began; before `begun` if we came late */
	struct stamp ended; /* of EVENT_END, once MODEL_ENDED */
	struct stamp now;   /* of the last frame */
	/* The machine slept so long since `begun`: in no phase, for CLOCK_MONOTONIC stands then.
	 * UNKNOWN_NS without CLOCK_BOOTTIME. */
	int64_t suspended_ns;
	int32_t status;    /* exit status of the upgrade; STATUS_UNKNOWN */
	int why[N_GROUPS]; /* of the last full sample */

	struct phase_state phase;
	struct ledger ledger;
	int64_t exact_ns; /* of the ledger's time, that in which all sync calls were counted */
	struct timeline timeline;
	struct packages packages;
	struct progress progress;
	struct tree tree;       /* the upgrade's processes and their rates */
	struct storage storage; /* the disk watched, its rates, dirty pages */
	struct left left;
	struct disks disks;         /* all disks, over the run */
	struct storage_event facts; /* what it is */
	struct mode_event mode; /* of the last dpkg; mode "mixed" if they differed; "" unknown */
	struct software_event software; /* what upgrades */
	struct usage_event usage;       /* of the command that dpkgtop ran; UNKNOWN_NS */
	struct own_event own;           /* what watching cost; UNKNOWN_NS, UNKNOWN_U64 */
	struct pressure pressure;
	struct syncs syncs;
	struct slowest slowest;
	struct steps steps;
	struct scripts scripts;
	struct input input;
	struct space_counters spaces[SPACES_MAX]; /* as last read */
	size_t n_spaces;

	struct charging charging; /* of the interval since the last sample */
	struct charge tail;       /* charged since the last package line, phase or dpkg's exit */
	int64_t tail_ns;          /* since when */
	struct waited waited;     /* charged to "other", and perhaps input's */
};

void model_init(struct model *m);
void model_done(struct model *m);
void model_add(struct model *m, const struct frame *f);

/* Wall time of the upgrade so far, or in the end; 0 while waiting. */
int64_t model_elapsed(const struct model *m);
/* That of a run that is over, or of the part of it that frames tell of: what the phases sum to.
 * UNKNOWN_NS if there is none. */
int64_t model_wall(const struct model *m);

#endif
