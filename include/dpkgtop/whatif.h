/* whatif.h - what this very run would have taken in another sync mode.
 *
 * unsafe-io is the run less its syncs of package files; eatmydata is the run less all of its sync
 * calls. So a run in safe-io predicts both, one in unsafe-io only eatmydata, one in eatmydata
 * nothing, and one whose mode is mixed or not known nothing either.
 *
 * The range. Runs of a real dpkg on three filesystems and four kinds of storage, each mode
 * measured and predicted, were off by at most 3.5 % of the run that predicts, and by 7.2 % on
 * btrfs, where an fsync makes later work slower too. So low and high are the prediction less and
 * plus 3.5 %, on btrfs and on a filesystem not known 7.2 %, of the run. What eatmydata gives may be
 * more than that: where a sync takes a tenth of a millisecond, whole distribution upgrades saved up
 * to 11 % of the run besides, CPU time that sync calls cost outside of them; so its low is 12 %.
 * Time in which the sync calls were not counted exactly may all have been syncs, or none: it stays
 * in the prediction and is taken from `low`. Is it more than a twentieth of the run (we came late,
 * no probe), nothing is predicted.
 *
 * On the disk. An exit is no promise: what was written may still lie in memory. The bytes of this
 * run (written to its disk, by everybody, and what dirty memory grew by) can not be on it before
 * the fastest rate at which it was seen to write has had time for them. That is a lower bound. */
#ifndef DPKGTOP_WHATIF_H
#define DPKGTOP_WHATIF_H

#include "dpkgtop/model.h"

enum whatif_mode { WHATIF_UNSAFE_IO, WHATIF_EATMYDATA, N_WHATIFS };

extern const char *const whatif_names[N_WHATIFS]; /* "unsafe-io" "eatmydata", as modes are named */

enum whatif_why {
	WHATIF_KNOWN,
	WHATIF_NO_RUN,    /* there is no upgrade */
	WHATIF_MODE,      /* the run's own mode, or one that says nothing of this one */
	WHATIF_ESTIMATED, /* its syncs were only estimated, by the disk's flushes */
	WHATIF_UNSEEN,    /* too much of it was not watched, or no sync call was counted */
	N_WHATIF_WHYS
};

struct prediction {
	enum whatif_why why;
	/* QUALITY_EXACT: all sync calls were counted; QUALITY_SAMPLED: but for a small part of the
	 * run; QUALITY_ESTIMATED, QUALITY_UNKNOWN: not, and there is no prediction. */
	enum quality quality;
	/* Until the command's exit, >= 0; UNKNOWN_NS. */
	int64_t wall_ns, low_ns, high_ns;
	int64_t on_disk_ns; /* until its data is on the disk, at least; UNKNOWN_NS */
};

/* Of the run so far, if it has not ended. */
void whatif(const struct model *m, struct prediction ret[N_WHATIFS]);

#endif
