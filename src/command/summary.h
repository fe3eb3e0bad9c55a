/* summary.h - what a command that ran is told by: a text on standard error, and a file if wanted.
 */
#ifndef DPKGTOP_SUMMARY_H
#define DPKGTOP_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "dpkgtop/err.h"
#include "dpkgtop/model.h"

struct summary {
	const char *path; /* -o FILE; NULL: none */
	bool json;        /* the file is JSON; without one, standard error's text is */
	FILE *out;
};

/* Whether `path` is the file of -o, by whatever name and whether it is there yet or not. */
bool summary_is_in(const struct summary *s, const char *path);

/* Opens the file, which is emptied only when there is something to write. A FIFO without a reader
 * is -ENXIO. 0 or -errno with detail. */
int summary_open(struct summary *s, struct err *e);

/* Writes both; `name` is what a person knows the run by, "" none. What fails is said on standard
 * error and changes nothing. */
void summary_write(struct summary *s, const struct model *m, const char *name);

#endif
