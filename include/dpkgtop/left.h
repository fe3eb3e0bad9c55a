/* left.h - processes that the upgrade left behind: they run on after their parents. */
#ifndef DPKGTOP_LEFT_H
#define DPKGTOP_LEFT_H

#include "dpkgtop/sample.h"

#define LEFT_MAX 16

struct left {
	bool known; /* some full sample had the processes */
	struct {
		char name[32], command[192];
	} items[LEFT_MAX]; /* as of the last such sample */
	size_t count;      /* <= LEFT_MAX */
	uint64_t left_out; /* beyond those */
};

void left_clear(struct left *l);
/* A full sample. */
void left_sample(struct left *l, const struct sample *s);

#endif
