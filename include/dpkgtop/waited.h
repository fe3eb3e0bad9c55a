/* waited.h - time that may turn out to have been a person's.
 *
 * That someone is waited for shows only after a while (input.h). Till then the time is charged to
 * "other"; this keeps how much of it, and in which phases, to be charged anew when it shows. */
#ifndef DPKGTOP_WAITED_H
#define DPKGTOP_WAITED_H

#include "dpkgtop/ledger.h"

struct waited {
	int64_t ns[N_PHASES]; /* charged to CAUSE_OTHER */
	int64_t tail_ns;      /* what of it the model's tail has too */
};

void waited_clear(struct waited *w);
void waited_add(struct waited *w, enum phase p, int64_t ns);

/* What the model does with its tail. */
void waited_begin_tail(struct waited *w);
void waited_turn_tail(struct waited *w, enum phase from, enum phase to);
void waited_drop_tail(struct waited *w, enum phase from);

/* It was a person's: charges it to CAUSE_INPUT, in the ledger and the tail, and forgets it. */
void waited_claim(struct waited *w, struct ledger *l, struct charge *tail);

#endif
