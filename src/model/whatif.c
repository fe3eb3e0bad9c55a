/* whatif.c - what this very run would have taken in another sync mode. */
#include "dpkgtop/whatif.h"

#include <string.h>

#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

const char *const whatif_names[N_WHATIFS] = {
	[WHATIF_UNSAFE_IO] = "unsafe-io",
	[WHATIF_EATMYDATA] = "eatmydata",
};

/* Of the run, as measured. */
#define ERROR_PART       0.035
#define ERROR_PART_BTRFS 0.072
/* A sync call also costs CPU time that is not spent in it. */
#define EATMYDATA_BELOW 0.12
/* More than this part of it not counted exactly, and nothing can be said. */
#define UNSEEN_PART_MOST 0.05

static double error_part(const struct model *m)
{
	const char *fs = m->facts.filesystem;

	return *fs && strcmp(fs, "btrfs") != 0 ? ERROR_PART : ERROR_PART_BTRFS;
}

static double error_below(const struct model *m, enum whatif_mode mode)
{
	return mode == WHATIF_EATMYDATA ? EATMYDATA_BELOW : error_part(m);
}

static bool mode_tells(const struct model *m, enum whatif_mode mode)
{
	if (strcmp(m->mode.mode, "safe-io") == 0)
		return true;
	return mode == WHATIF_EATMYDATA && strcmp(m->mode.mode, "unsafe-io") == 0;
}

static int64_t removed_ns(const struct ledger *l, enum whatif_mode mode)
{
	int64_t ns = ledger_cause(l, CAUSE_PACKAGE_SYNC).ns;

	if (mode == WHATIF_UNSAFE_IO)
		return ns;
	ns = span_add(ns, ledger_cause(l, CAUSE_DATABASE_SYNC).ns);
	ns = span_add(ns, ledger_cause(l, CAUSE_WRITEBACK).ns);
	return span_add(ns, ledger_cause(l, CAUSE_OTHER_SYNC).ns);
}

/* Of the ledger's time, that in which sync calls may have passed unseen. */
static int64_t unseen_ns(const struct model *m)
{
	int64_t ns = ledger_total(&m->ledger) - m->exact_ns;

	return ns > 0 ? ns : 0;
}

static enum whatif_why why_not(const struct model *m, enum whatif_mode mode)
{
	int64_t total = ledger_total(&m->ledger);

	if (m->state == MODEL_WAITING || total <= 0)
		return WHATIF_NO_RUN;
	if (!mode_tells(m, mode))
		return WHATIF_MODE;
	if ((double)unseen_ns(m) <= UNSEEN_PART_MOST * (double)total)
		return WHATIF_KNOWN;
	if (m->exact_ns <= 0 &&
	    ledger_cause(&m->ledger, CAUSE_SYNC_ESTIMATED).quality == QUALITY_ESTIMATED)
		return WHATIF_ESTIMATED;
	return WHATIF_UNSEEN;
}

/* What the run wrote and left to be written, bytes; negative: not known. */
static double bytes_of(const struct storage *s)
{
	double bytes = (double)s->written_bytes;

	if (s->written_bytes == UNKNOWN_U64 || s->dirty_first_kib == UNKNOWN_U64 ||
	    s->dirty_last_kib == UNKNOWN_U64)
		return -1;
	/* What was dirty before is not the run's. */
	if (s->dirty_last_kib > s->dirty_first_kib)
		bytes += (double)(s->dirty_last_kib - s->dirty_first_kib) * 1024;
	return bytes;
}

static int64_t on_disk_ns(const struct storage *s, int64_t wall_ns)
{
	double bytes = bytes_of(s), ns;

	if (bytes < 0 || !(s->fastest_write > 0))
		return UNKNOWN_NS;
	ns = bytes / s->fastest_write * 1e9;
	if (ns > (double)SPAN_MAX)
		return UNKNOWN_NS;
	return ns > (double)wall_ns ? (int64_t)ns : wall_ns;
}

static int64_t not_negative(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

static void predict(const struct model *m, enum whatif_mode mode, struct prediction *ret)
{
	int64_t total = ledger_total(&m->ledger), unseen = unseen_ns(m);
	int64_t above = (int64_t)(error_part(m) * (double)total);
	int64_t below = (int64_t)(error_below(m, mode) * (double)total);

	ret->quality = unseen ? QUALITY_SAMPLED : QUALITY_EXACT;
	ret->wall_ns = not_negative(total - removed_ns(&m->ledger, mode));
	ret->low_ns = not_negative(ret->wall_ns - below - unseen);
	ret->high_ns = ret->wall_ns + above;
	ret->on_disk_ns = on_disk_ns(&m->storage, ret->wall_ns);
}

void whatif(const struct model *m, struct prediction ret[N_WHATIFS])
{
	for (int mode = 0; mode < N_WHATIFS; mode++) {
		struct prediction *p = &ret[mode];

		*p = (struct prediction){
			.why = why_not(m, (enum whatif_mode)mode),
			.quality = QUALITY_UNKNOWN,
			.wall_ns = UNKNOWN_NS,
			.low_ns = UNKNOWN_NS,
			.high_ns = UNKNOWN_NS,
			.on_disk_ns = UNKNOWN_NS,
		};
		if (p->why == WHATIF_KNOWN)
			predict(m, (enum whatif_mode)mode, p);
		else if (p->why == WHATIF_ESTIMATED)
			p->quality = QUALITY_ESTIMATED;
	}
}
