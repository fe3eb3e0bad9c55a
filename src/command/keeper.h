/* keeper.h - a recording of upgrades alone: what passes while none runs is not kept.
 *
 * Of the samples between upgrades only the last one goes into the file, before the next upgrade, so
 * that waiting takes no room. A file without an upgrade in it is of no use to anyone: it goes. */
#ifndef DPKGTOP_KEEPER_H
#define DPKGTOP_KEEPER_H

#include <stdbool.h>

#include "dpkgtop/recording.h"
#include "dpkgtop/sample.h"

struct keeper {
	struct recording_writer *writer; /* NULL: nothing is recorded */
	struct sample held;              /* the last one, while no upgrade runs */
	bool holds, runs;
	bool begun; /* an upgrade is in the file */
};

/* As recording_create(). 0, and keeper_close() is to be called; or -errno with detail. */
int keeper_open(struct keeper *k, const char *path, bool force, struct err *e);

/* Takes a frame, a frame_sink; as recording_take(). */
void keeper_take(void *keeper, const struct frame *f);

/* As recording_error(). */
int keeper_error(const struct keeper *k);

/* It is open, and no upgrade is in it. */
bool keeper_is_empty(const struct keeper *k);

/* As recording_close(); a file without an upgrade is removed, and that is no failure. Does nothing
 * if it was not opened: `k` zeroed. */
int keeper_close(struct keeper *k, struct err *e);

#endif
