/* waited.c - time that may turn out to have been a person's. */
#include "dpkgtop/waited.h"

#include <string.h>

#include "dpkgtop/span.h"

void waited_clear(struct waited *w)
{
	memset(w, 0, sizeof(*w));
}

void waited_add(struct waited *w, enum phase p, int64_t ns)
{
	if (p >= N_PHASES)
		return;
	w->ns[p] = span_add(w->ns[p], ns);
	w->tail_ns = span_add(w->tail_ns, ns);
}

void waited_begin_tail(struct waited *w)
{
	w->tail_ns = 0;
}

void waited_turn_tail(struct waited *w, enum phase from, enum phase to)
{
	if (from >= N_PHASES || to >= N_PHASES)
		return;
	w->ns[from] -= w->tail_ns;
	w->ns[to] += w->tail_ns;
	w->tail_ns = 0;
}

void waited_drop_tail(struct waited *w, enum phase from)
{
	if (from < N_PHASES)
		w->ns[from] -= w->tail_ns;
	w->tail_ns = 0;
}

void waited_claim(struct waited *w, struct ledger *l, struct charge *tail)
{
	for (int p = 0; p < N_PHASES; p++)
		if (w->ns[p] > 0)
			ledger_recharge(l, (enum phase)p, CAUSE_OTHER, CAUSE_INPUT, w->ns[p]);
	if (w->tail_ns > 0)
		charge_turn(tail, CAUSE_OTHER, CAUSE_INPUT, w->tail_ns);
	waited_clear(w);
}
