/* work.h - whether two runs did the same work, on the same ground. */
#ifndef MODEL_WORK_H
#define MODEL_WORK_H

#include "dpkgtop/compare.h"

/* Adds to `c` what run `at` differs in from the first. */
void work_compare(struct comparison *c, const struct compare_run *runs, size_t at);

#endif
