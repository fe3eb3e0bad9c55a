/* runs.c - recordings given as words. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "load.h"
#include "options.h"
#include "runs.h"

enum { OPT_FORMAT = OPT_OWN, OPT_ANONYMOUS };

static int take_format(struct run_options *o, const char *value, bool markdown)
{
	static const char *const words[] = {"text", "json", "csv", "markdown"};

	for (int i = 0; i < 3 + markdown; i++) {
		if (strcmp(words[i], value) != 0)
			continue;
		o->format = (enum run_format)i;
		return 0;
	}
	return -EINVAL;
}

int runs_options(struct run_options *o, const struct command *self, bool markdown, int argc,
                 char **argv)
{
	static const struct option table[] = {
		{"help", no_argument, NULL, 'h'},
		{"format", required_argument, NULL, OPT_FORMAT},
		{"anonymous", no_argument, NULL, OPT_ANONYMOUS},
		{NULL, 0, NULL, 0},
	};
	int option;

	memset(o, 0, sizeof(*o));
	/* Files and options in any order: nothing here runs a command of its own. */
	while ((option = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
		if (option == 'h')
			return options_print_own_help(self);
		if (option == OPT_ANONYMOUS)
			o->anonymous = true;
		else if (option != OPT_FORMAT)
			return options_refused(self, option, argv);
		else if (take_format(o, optarg, markdown) < 0)
			return options_refuse(self,
			                      markdown ? "--format is text, json, csv or markdown"
			                               : "--format is text, json or csv");
	}
	o->files = argv + optind;
	o->count = argc - optind;
	/* A reader that goes away is an error of the output, not the end of us. */
	signal(SIGPIPE, SIG_IGN);
	return -1;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The file's own name, or more of its path where another one has the same. */
static void name_run(const struct run_options *o, int at, struct run *r)
{
	const char *name = base_of(o->files[at]);

	if (o->anonymous) {
		snprintf(r->name, sizeof(r->name), "run %d", at + 1);
		return;
	}
	for (int i = 0; i < o->count; i++)
		if (i != at && strcmp(base_of(o->files[i]), name) == 0)
			name = o->files[at];
	if (strlen(name) >= sizeof(r->name))
		name += strlen(name) - sizeof(r->name) + 1;
	text_printable_string(r->name, sizeof(r->name), name);
}

static void warn(const struct run_options *o, int at, const struct run *r)
{
	char name[256];

	text_printable_string(name, sizeof(name), o->files[at]);
	if (r->cut)
		fprintf(stderr, "dpkgtop: warning: %s is cut off; what is there is told\n", name);
	if (r->model.state == MODEL_WAITING)
		fprintf(stderr, "dpkgtop: warning: %s: there is no upgrade in it\n", name);
	else if (r->model.state == MODEL_RUNNING && !r->cut)
		fprintf(stderr, "dpkgtop: warning: %s ends before the upgrade does\n", name);
	if (r->model.upgrades > 1)
		fprintf(stderr, "dpkgtop: warning: %s has %llu upgrades; the last one is told\n",
		        name, (unsigned long long)r->model.upgrades);
}

int runs_load(const struct run_options *o, int at, struct run *ret)
{
	struct err e = {""};
	int r;

	model_init(&ret->model);
	ret->cut = false;
	name_run(o, at, ret);
	r = load_model(o->files[at], &ret->model, &ret->cut, &e);
	if (r < 0) {
		fprintf(stderr, "dpkgtop: %s\n", e.text);
		return load_status(r);
	}
	warn(o, at, ret);
	if (o->anonymous)
		report_anonymize(&ret->model);
	return STATUS_OK;
}

int runs_written(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* Who closed a pipe knows. */
	if (errno != EPIPE)
		fprintf(stderr, "dpkgtop: standard output: %s\n", strerror(errno));
	return STATUS_FAILURE;
}
