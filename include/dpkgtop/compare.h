/* compare.h - runs beside each other.
 *
 * Runs of one label are one group, told by its median and spread; a run without a label is a group
 * of its own. The first group is the base that the others differ from. */
#ifndef DPKGTOP_COMPARE_H
#define DPKGTOP_COMPARE_H

#include "dpkgtop/model.h"

enum compare_unit { COMPARE_SECONDS, COMPARE_COUNT, COMPARE_BYTES, N_COMPARE_UNITS };
extern const char *const compare_units[N_COMPARE_UNITS]; /* "s" "count" "bytes" */

/* Whether a difference says anything. */
enum compare_noise {
	COMPARE_NOISE_UNKNOWN, /* no group has a second run to tell by, or a value is unknown */
	COMPARE_NO_NOISE,
	COMPARE_NOISE /* it is smaller than the spread of one of the two groups */
};

/* Of one group; NaN where unknown. Of a run in which it is unknown nothing is taken. */
struct compare_value {
	double median;
	double spread;     /* largest less smallest; NaN of less than two runs */
	double difference; /* to the base's median; NaN of the base itself */
	double relative;   /* that, as a part of the base's; NaN if that is 0 */
	enum compare_noise noise;
};

struct compare_row {
	const char *key; /* "real" "phase.unpack" "cause.cpu" "syncs.package" "flushes" … */
	enum compare_unit unit;
	struct compare_value *values; /* one a group */
};

struct compare_group {
	char name[64]; /* the label, else the run's name */
	char mode[16]; /* of its runs; "mixed" if they differ; "" unknown */
	size_t runs;
};

/* Runs did not do the same thing, or not on the same ground. What is unknown in one of them is no
 * difference. */
struct compare_difference {
	char what[24]; /* "packages" "kernel" "storage" … */
	size_t run;    /* which one differs from the first, by its place in what was given */
	char name[64]; /* that run's */
	char base[160], is[320]; /* what it is in the first, and in that one */
};

struct comparison {
	struct compare_group *groups; /* owned, as all that follows */
	size_t n_groups;
	struct compare_row *rows; /* always the same ones, in the same order */
	size_t n_rows;
	struct compare_difference *differences; /* none: it was the same work */
	size_t n_differences, differences_room;
};

struct compare_run {
	const struct model *model;
	const char *name; /* that a person knows it by */
};

/* `count` >= 1. Ends with compare_done(). */
void compare(const struct compare_run *runs, size_t count, struct comparison *ret);
void compare_done(struct comparison *c);

#endif
