/* report.h - a model as a text to keep. */
#ifndef DPKGTOP_REPORT_H
#define DPKGTOP_REPORT_H

#include <stdio.h>

#include "dpkgtop/model.h"

/* The ledger and what goes with it, as plain text of at most 80 columns. */
void report_text(const struct model *m, FILE *out);

#endif
