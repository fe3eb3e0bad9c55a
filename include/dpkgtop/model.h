/* model.h - what the frames mean: a pure fold, no I/O, no clock, no globals.
 *
 * model_add() takes frames in order; every view and report reads the struct and changes nothing.
 * The same frames give the same model, live or read back. */
#ifndef DPKGTOP_MODEL_H
#define DPKGTOP_MODEL_H

#include "dpkgtop/frame.h"
#include "dpkgtop/ledger.h"
#include "dpkgtop/packages.h"
#include "dpkgtop/phase.h"
#include "dpkgtop/progress.h"
#include "dpkgtop/ring.h"
#include "dpkgtop/storage.h"
#include "dpkgtop/timeline.h"
#include "dpkgtop/tree.h"

enum model_state { MODEL_WAITING, MODEL_RUNNING, MODEL_ENDED };

struct model {
	enum model_state state;
	struct header header;
	struct upgrade_event upgrade; /* what is watched; while MODEL_WAITING empty */
	struct stamp begun;           /* of EVENT_UPGRADE */
	struct stamp now;             /* of the last frame; stands still once ended */
	int32_t status;               /* exit status of the upgrade; STATUS_UNKNOWN */
	int why[N_GROUPS];            /* of the last full sample */

	struct phase_state phase;
	struct ledger ledger;
	struct timeline timeline;
	struct packages packages;
	struct progress progress;
	struct tree tree;       /* the upgrade's processes and their rates */
	struct storage storage; /* the disk watched, its rates, dirty pages */

	/* The fold's own memory of the last sample, for differences. */
	struct charge_state {
		bool any; /* a sample has been seen */
		struct stamp last;
		int64_t cpu_seen_ns; /* the tree's CPU, as far as it was charged or owed */
		int64_t cpu_owed_ns; /* seen but not yet charged: CPU time comes in ticks */
		int64_t flush_seen_ms;
		int64_t flush_owed_ns;
		int64_t blocked_owed_ns;  /* sampled D state less what syncs explain */
		struct charge since_line; /* charged since the last package line */
		enum phase since_phase;
		int64_t line_ns; /* when that line came */
	} charging;
};

void model_init(struct model *m);
void model_done(struct model *m);
void model_add(struct model *m, const struct frame *f);

/* The sink form, with the model as context. */
void model_sink(void *model, const struct frame *f);

/* Elapsed time of the upgrade: now - begun; 0 while waiting. */
int64_t model_elapsed(const struct model *m);

#endif
