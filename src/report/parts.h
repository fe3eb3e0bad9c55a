/* parts.h - the parts of the text report. Each ends its own lines; one that has nothing to say
 * writes nothing. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "dpkgtop/report.h"

#define TEXT_COLUMNS 80

void part_ledger(const struct model *m, FILE *out);
void part_syncs(const struct model *m, FILE *out);
void part_packages(const struct model *m, FILE *out);
void part_scripts(const struct model *m, FILE *out);
void part_failures(const struct model *m, FILE *out);
void part_builds(const struct model *m, FILE *out);
void part_disk(const struct model *m, FILE *out);
void part_left(const struct model *m, FILE *out);
void part_whatif(const struct model *m, FILE *out);

/* `text` and a newline, cut to the columns that there are; "..." says so. */
void part_line(FILE *out, const char *text);
/* `text`, cut and filled up to so many columns. */
void part_left_aligned(FILE *out, const char *text, int columns);
/* Words, broken between them where a line is full. */
void part_words(FILE *out, const char *text);

#endif
