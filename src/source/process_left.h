/* process_left.h - processes that were in the tree and outlived their parent. */
#ifndef DPKGTOP_PROCESS_LEFT_H
#define DPKGTOP_PROCESS_LEFT_H

#include "dpkgtop/source.h"

/* The most that are kept in sight. */
#define LEFT_MAX 64

struct process_id {
	int32_t pid;
	uint64_t start_ticks;
};

/* Zeroed to begin with. */
struct left_running {
	struct process_id root; /* whose tree it is */
	struct process_id left[LEFT_MAX];
	size_t n_left;
	struct process_id *tree; /* the tree as it was last, by rising pid */
	size_t n_tree, tree_room;
};

/* Forgets all if the target is another. */
void left_begin(struct left_running *l, const struct target *target);
void left_done(struct left_running *l);

/* Adds who was in the tree and is not now, pid alone, behind the tree in `into`. Returns how many
 * there are. */
size_t left_add(const struct left_running *l, struct sample *into);

/* Of those that left_add() added, filled by now (state 0: gone), keeps behind the `n_tree` of the
 * tree in `into` those that are left running; remembers them and the tree. */
void left_settle(struct left_running *l, const struct roots *roots, size_t n_tree,
                 struct sample *into);

#endif
