/* ledger.c - every nanosecond of the upgrade charged once. */
#include "dpkgtop/ledger.h"

#include <string.h>

#include "dpkgtop/units.h"

const char *const cause_keys[N_CAUSES] = {
	"package_sync", "database_sync", "writeback", "other_sync", "sync_estimated",
	"disk",         "cpu",           "input",     "other",      "unknown",
};

const char *const cause_heads[N_CAUSES] = {
	"package", "database", "wrback", "others", "sync", "disk", "cpu", "you", "else", "unknown",
};

void charge_init(struct charge *c)
{
	memset(c, 0, sizeof(*c));
}

static bool known(enum quality q)
{
	return q != QUALITY_NONE && q != QUALITY_UNKNOWN;
}

static void cell_add(struct cell *to, const struct cell *from)
{
	to->ns += from->ns;
	if (known(to->quality) != known(from->quality))
		to->quality = known(to->quality) ? to->quality : from->quality;
	else if (from->quality > to->quality)
		to->quality = from->quality;
}

void charge_add(struct charge *to, const struct charge *from)
{
	for (int i = 0; i < N_CAUSES; i++)
		cell_add(&to->causes[i], &from->causes[i]);
}

/* Both cells in the same row. */
static void turn(struct cell *row, enum cause from, enum cause to, int64_t ns)
{
	struct cell moved = {ns, row[from].quality};

	row[from].ns -= ns;
	cell_add(&row[to], &moved);
}

void charge_turn(struct charge *c, enum cause from, enum cause to, int64_t ns)
{
	turn(c->causes, from, to, ns);
}

int64_t charge_total(const struct charge *c)
{
	int64_t sum = 0;

	for (int i = 0; i < N_CAUSES; i++)
		sum += c->causes[i].ns;
	return sum;
}

void ledger_init(struct ledger *l)
{
	memset(l, 0, sizeof(*l));
	l->trailing_ns = UNKNOWN_NS;
}

void ledger_charge(struct ledger *l, enum phase p, const struct charge *c)
{
	if (p >= N_PHASES)
		return;
	for (int i = 0; i < N_CAUSES; i++)
		cell_add(&l->cells[p][i], &c->causes[i]);
	l->wall_ns[p] += charge_total(c);
}

void ledger_take(struct ledger *l, enum phase p, const struct charge *c)
{
	if (p >= N_PHASES)
		return;
	for (int i = 0; i < N_CAUSES; i++)
		l->cells[p][i].ns -= c->causes[i].ns;
	l->wall_ns[p] -= charge_total(c);
}

void ledger_move(struct ledger *l, enum phase from, enum phase to, const struct charge *c)
{
	if (from >= N_PHASES || to >= N_PHASES)
		return;
	ledger_take(l, from, c);
	ledger_charge(l, to, c);
}

void ledger_recharge(struct ledger *l, enum phase p, enum cause from, enum cause to, int64_t ns)
{
	if (p < N_PHASES)
		turn(l->cells[p], from, to, ns);
}

struct cell ledger_cause(const struct ledger *l, enum cause c)
{
	struct cell sum = {0, QUALITY_NONE};

	for (int p = 0; p < N_PHASES; p++)
		cell_add(&sum, &l->cells[p][c]);
	return sum;
}

int64_t ledger_total(const struct ledger *l)
{
	int64_t sum = 0;

	for (int p = 0; p < N_PHASES; p++)
		sum += l->wall_ns[p];
	return sum;
}
