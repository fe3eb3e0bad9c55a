/* doctor.c - what works here, what does not, and what would make it work.
 *
 * With --format json one array is printed, an object for each source, in the order of the text:
 *   {"source":"sync","state":"does not","why":"BPF needs root","loss":"which …","enable":"sudo …"}
 * state is "works", "partly" or "does not"; why, loss and enable are null where there is nothing to
 * say. "dpkgtop", "kernel", "privileges" and "terminal" are no sources, but what they stand on;
 * their facts are in why. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "dpkgtop/probe.h"
#include "dpkgtop/text.h"
#include "options.h"
#include "privileges.h"

enum { OPT_FORMAT = OPT_OWN };

/* Text: a name, what goes for it, and words, within 80 columns. */
#define NAME_WIDTH  13
#define LABEL_WIDTH 11
#define WORDS_WIDTH (79 - NAME_WIDTH - LABEL_WIDTH)

static const char *const states[N_DOCTOR_STATES] = {
	[DOCTOR_WORKS] = "works",
	[DOCTOR_PARTLY] = "partly",
	[DOCTOR_NOT] = "does not",
};

/* --- findings ------------------------------------------------------------------------------ */

void doctor_add(struct doctor *d, const char *source, enum doctor_state state, const char *loss,
                const char *enable, const char *why, ...)
{
	struct finding *f;
	char text[sizeof(f->why)];
	va_list args;

	if (d->count == FINDINGS_MAX)
		return;
	f = &d->findings[d->count++];
	*f = (struct finding){.source = source, .state = state, .loss = loss, .enable = enable};
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	text_printable_string(f->why, sizeof(f->why), text);
}

const char *doctor_reason(const struct doctor *d, int r)
{
	if (r == -EBADF || ((r == -ENOENT || r == -ESRCH) && !d->self))
		return "no /proc here";
	if (r == -EACCES || r == -EPERM)
		return d->root ? "not permitted here" : "needs root";
	return strerror(-r);
}

const char *doctor_as_root(const struct doctor *d)
{
	return d->root ? "sudo dpkgtop, on the host: it sees its containers" : "sudo dpkgtop";
}

/* --- printing ------------------------------------------------------------------------------ */

/* A label and words below a name, broken between words. */
static void print_words(const char *name, const char *label, const char *words)
{
	size_t fit = strlen(words);

	if (text_width(words) > WORDS_WIDTH) {
		fit = text_fit(words, WORDS_WIDTH + 1, NULL);
		while (fit > 0 && words[fit] != ' ')
			fit--;
		if (fit == 0)
			fit = text_fit(words, WORDS_WIDTH, NULL);
	}
	if (fit > 0)
		printf("%-*s%-*s%.*s\n", NAME_WIDTH, name, LABEL_WIDTH, label, (int)fit, words);
	else
		printf("%-*s%s\n", NAME_WIDTH, name, label);
	words += fit + (words[fit] == ' ');
	if (*words)
		print_words("", "", words);
}

static void print_text(const struct doctor *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->findings[i];

		print_words(f->source, states[f->state], f->why);
		if (f->loss)
			print_words("", "lost", f->loss);
		if (f->enable)
			print_words("", "enable", f->enable);
	}
}

static struct json_object *text_or_null(const char *text)
{
	return text && *text ? json_object_new_string(text) : NULL;
}

static void print_json(const struct doctor *d)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->findings[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "source", json_object_new_string(f->source));
		json_object_object_add(o, "state", json_object_new_string(states[f->state]));
		json_object_object_add(o, "why", text_or_null(f->why));
		json_object_object_add(o, "loss", text_or_null(f->loss));
		json_object_object_add(o, "enable", text_or_null(f->enable));
		json_object_array_add(array, o);
	}
	printf("%s\n", json_object_to_json_string_ext(
			       array, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(array);
}

/* --- the examination ----------------------------------------------------------------------- */

static int open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* One that is missing is something to be told, not the end. */
static void open_roots(struct doctor *d)
{
	d->roots.proc = open_directory(d->o->procfs ? d->o->procfs : "/proc");
	d->roots.sys = open_directory(d->o->sysfs ? d->o->sysfs : "/sys");
	if (place_open_host(&d->host) < 0)
		d->host.root = -1;
}

/* In the order of the session: the probe is opened, privileges are dropped, all else is read with
 * what is left. */
static void examine(struct doctor *d)
{
	struct doctor_probe probe = {.probe = NULL};
	struct err failed = {""};
	char before[128];

	privileges_words(before, sizeof(before));
	doctor_probe_open(&probe);
	privileges_drop(PRIVILEGES_WATCH, &failed);
	doctor_check_program(d, probe.missing != -ENOSYS);
	doctor_check_privileges(d, before, failed.text);
	doctor_check_terminal(d);
	doctor_check_proc(d);
	doctor_check_upgrade(d);
	doctor_check_packages(d);
	doctor_check_mode(d);
	doctor_check_process(d);
	doctor_check_status(d);
	doctor_check_probe(d, &probe);
	doctor_check_kernel(d, &probe);
	doctor_check_disk(d);
	doctor_check_device(d);
	doctor_check_space(d);
	doctor_check_memory(d);
	doctor_check_pressure(d);
	doctor_settle_privileges(d);
}

static int doctor(const struct options *o, bool json)
{
	struct doctor d = {.o = o, .root = geteuid() == 0};

	open_roots(&d);
	examine(&d);
	place_close(&d.host);
	roots_close(&d.roots);
	if (json)
		print_json(&d);
	else
		print_text(&d);
	if (fflush(stdout) == 0)
		return STATUS_OK;
	fprintf(stderr, "dpkgtop: standard output: %s\n", strerror(errno));
	return STATUS_FAILURE;
}

/* The options of all commands are about a screen; here they are taken and not told of. */
static int print_help(const struct command *self)
{
	printf("usage: %s\n\n%s\n\n%s", self->usage, self->summary, self->options);
	return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILURE;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		OPTIONS_LONG, {"format", required_argument, NULL, OPT_FORMAT}, {NULL, 0, NULL, 0}};
	struct options o;
	struct err e;
	bool json = false;
	int option, r;

	options_init(&o);
	while ((option = getopt_long(argc, argv, OPTIONS_SHORT, table, NULL)) != -1) {
		if (option == 'h')
			return print_help(self);
		if (option == OPT_FORMAT) {
			json = strcmp(optarg, "json") == 0;
			if (!json && strcmp(optarg, "text") != 0)
				return options_refuse(self, "--format is text or json");
			continue;
		}
		r = options_take(&o, option, optarg, &e);
		if (r == -ENOENT)
			return options_refused(self, option, argv);
		if (r < 0)
			return options_refuse(self, e.text);
	}
	if (optind < argc)
		return options_refuse(self, "takes no words");
	return doctor(&o, json);
}

const struct command command_doctor = {
	.name = "doctor",
	.usage = "dpkgtop doctor [options]",
	.summary = "Tries each source of data: works or not, why, and what would enable it.",
	.options = "      --format text|json  one line each where all is well; or an array of\n"
		   "                          {source, state, why, loss, enable}\n"
		   "  -h, --help              this text\n",
	.run = run,
};
