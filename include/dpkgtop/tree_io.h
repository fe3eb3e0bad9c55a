/* tree_io.h - what the upgrade's processes have read and written, each byte once.
 *
 * A process' counters include those of the children it waited for (proc(5), /proc/PID/io), so a
 * child that ends moves into its parent. The sum is a lower bound: what a process does after the
 * last sample that shows it is lost if nobody waits for it, and so is what hides such a loss. */
#ifndef DPKGTOP_TREE_IO_H
#define DPKGTOP_TREE_IO_H

#include "dpkgtop/sample.h"

struct tree_io_bytes {
	uint64_t read, written;
};

struct tree_io_process {
	int32_t pid, parent;
	uint64_t start_ticks;
	bool known;                   /* its counters have been read */
	struct tree_io_bytes seen;    /* as last read; children that it waited for included */
	struct tree_io_bytes arrived; /* of children that ended since: counted already */
	struct tree_io_bytes grown;   /* by so much since the sample before, without those */
	bool rated;                   /* that is known */
};

struct tree_io {
	/* From and to storage, since the upgrade began; UNKNOWN_U64 while those of any process of
	 * the tree are not known. */
	uint64_t read_bytes, written_bytes;

	struct tree_io_bytes sum;
	struct tree_io_process *items, *last; /* owned; by rising pid: of this sample, and before */
	size_t count, room, n_last, last_room;
};

void tree_io_init(struct tree_io *io);
void tree_io_done(struct tree_io *io);
void tree_io_clear(struct tree_io *io);
/* A sample with bytes: a full one. Of a process that started before `since_ticks` (ticks since
 * boot) only what comes from now on is the upgrade's. */
void tree_io_sample(struct tree_io *io, const struct sample *s, uint64_t since_ticks);
/* What a process of the last sample did since the one before; of children that ended only what no
 * sample has shown. False: not known, or it is not of the upgrade. */
bool tree_io_grown(const struct tree_io *io, const struct process_counters *p,
                   struct tree_io_bytes *ret);

#endif
