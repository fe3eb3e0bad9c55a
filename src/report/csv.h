/* csv.h - fields of a row, quoted as RFC 4180 has it. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include <stdio.h>

/* Writes one field, behind a comma unless it is the first of its row. */
void csv_field(FILE *out, int *column, const char *text);
void csv_end(FILE *out, int *column);

#endif
