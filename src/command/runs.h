/* runs.h - recordings given as words, for the commands that tell of runs that are over. */
#ifndef DPKGTOP_RUNS_H
#define DPKGTOP_RUNS_H

#include "dpkgtop/command.h"
#include "dpkgtop/report.h"

enum run_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };

struct run_options {
	enum run_format format; /* --format */
	bool anonymous;         /* --anonymous */
	char **files;
	int count;
};

/* -1 to go on, else the exit status. `markdown`: that is a format too. */
int runs_options(struct run_options *o, const struct command *self, bool markdown, int argc,
                 char **argv);

/* A recording, loaded. */
struct run {
	struct model model;
	char name[64]; /* without directories, or, with --anonymous, without any word of it */
	bool cut;
};

/* Loads the file at place `at`: STATUS_OK, or the exit status; what is to be said of it is said.
 * The model must be freed in either case. */
int runs_load(const struct run_options *o, int at, struct run *ret);

/* The exit status, once all is written. */
int runs_written(int status);

#endif
