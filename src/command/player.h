/* player.h - a recording as a model that can be taken to any of its instants.
 *
 * Instants are CLOCK_MONOTONIC of the machine that recorded, ns. What a recording has before its
 * upgrade began is passed over. */
#ifndef DPKGTOP_PLAYER_H
#define DPKGTOP_PLAYER_H

#include <stdbool.h>
#include <stddef.h>

#include "dpkgtop/err.h"
#include "dpkgtop/model.h"
#include "dpkgtop/recording.h"

struct player {
	const char *path; /* the caller's */
	struct model model;
	int64_t at_ns;
	/* Of the last upgrade in it: its frames, and where its clock is 0. Without an upgrade, of
	 * all that is there. */
	int64_t begin_ns, end_ns, zero_ns;
	bool cut; /* the file ends within a line */

	struct recording *in;
	struct frame next; /* read, not yet folded */
	bool has_next;
	int64_t *steps; /* owned: the instants of full samples, rising */
	size_t n_steps, steps_room;
	int64_t *phases; /* owned: where phases begin, rising */
	size_t n_phases, phases_room;
};

/* Reads the whole recording once, and is at its beginning then. 0 or -errno as recording_open(),
 * recording_read() and load_headless(), with detail; `p` may be given to player_done() all the
 * same. */
int player_open(struct player *p, const char *path, struct err *e);
void player_done(struct player *p);

/* Takes the model to the last frame at or before `to_ns`, which is kept within the recording.
 * Backwards it is read anew from the start. 0, or -errno if it is not there any more: all stays as
 * it was. */
int player_go(struct player *p, int64_t to_ns);

/* The instant of the next (`by` 1) or former (-1) full sample, or beginning of a phase; the end or
 * the beginning where there is none. */
int64_t player_step(const struct player *p, int by);
int64_t player_phase(const struct player *p, int by);

#endif
