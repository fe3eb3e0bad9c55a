/* report.h - a model as something to keep: text, JSON, CSV.
 *
 * doc/report.md describes the JSON. Nothing here fails: what can not be written shows in the stream
 * (ferror(3)), which the caller asks when it is done. All numbers in JSON and CSV are
 * written with a point, whatever the locale is; what is unknown is null, or an empty field. */
#ifndef DPKGTOP_REPORT_H
#define DPKGTOP_REPORT_H

#include <stdio.h>

#include "dpkgtop/compare.h"
#include "dpkgtop/model.h"

#define REPORT_FORMAT 1

struct report_run {
	const struct model *model;
	const char *name; /* that a person knows it by: its file; "" none */
	bool cut;         /* its recording ends within a line */
};

/* One run as plain text of at most 80 columns, file names and the like excepted. */
void report_text(const struct model *m, FILE *out);

/* One run as one JSON object and a newline. */
void report_json(const struct report_run *run, FILE *out);
/* Several, one at a time: {"format":1,"runs":[…]}. */
void report_json_begin(FILE *out);
void report_json_next(const struct report_run *run, bool first, FILE *out);
void report_json_end(FILE *out);

/* One row each, below one header row. Quoted as RFC 4180 has it; lines end in a newline. */
void report_csv_head(FILE *out);
void report_csv(const struct report_run *run, FILE *out);

/* What a table of runs, one row each, keeps of each. */
struct report_row {
	char name[64], host[64], label[64], mode[16], storage[64];
	int64_t wall_ns; /* UNKNOWN_NS */
	int64_t phases[N_PHASES];
	bool complete;
};
void report_row_of(const struct report_run *run, struct report_row *ret);
/* In 80 columns: phases that no run has are left out, and what has no room follows below. */
void report_table(const struct report_row *rows, size_t count, FILE *out);

void report_compare_text(const struct comparison *c, FILE *out); /* 80 columns */
void report_compare_json(const struct comparison *c, FILE *out);
void report_compare_csv(const struct comparison *c, FILE *out);
void report_compare_markdown(const struct comparison *c, FILE *out);

/* Takes out of a model what names the machine or its people: the host, directories, words of
 * command lines and mount options that are paths, addresses or that host. What is left is versions,
 * names of packages, disks and tools, and numbers. */
void report_anonymize(struct model *m);

#endif
