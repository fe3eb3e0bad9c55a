/* record.c - keeps an upgrade in a file, without a screen. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/session.h"
#include "dpkgtop/units.h"
#include "keeper.h"
#include "live.h"
#include "options.h"
#include "privileges.h"

#define OPT_KEEP_GOING OPT_OWN
#define FILES_MAX      9999

struct record {
	struct options o;
	bool limited; /* -t was given: o.snapshot_ns in all */
	bool keep_going;

	struct loop *loop;
	struct live *live;
	struct session *session;
	struct keeper keeper;
	char *path; /* of the file that is written; owned */
	int number; /* of that file, from 1 */

	bool begun, ended, late;
	struct err err;
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("dpkgtop: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/* --- the frames ---------------------------------------------------------------------------- */

static void tell_begin(const struct event *e)
{
	const struct upgrade_event *u = &e->upgrade;
	int64_t late_ns = u->since_ns == UNKNOWN_NS ? 0 : e->at.mono_ns - u->since_ns;
	const char *where = *u->where ? " in " : "";

	/* Less than that is how long it may take to be seen. */
	if (late_ns < INT64_C(2000000000))
		say("recording %s%s%s", u->command, where, u->where);
	else
		say("recording %s%s%s, which began %s ago: of the time before there is what "
		    "dpkg.log tells",
		    u->command, where, u->where, units_clock(late_ns).s);
}

static void take_event(struct record *r, const struct event *e)
{
	if (e->kind == EVENT_UPGRADE && !r->begun) {
		r->begun = true;
		tell_begin(e);
	}
	if (e->kind == EVENT_END && r->begun) {
		r->ended = true;
		loop_stop(r->loop, 0);
	}
}

static void frame_passed(void *context, const struct frame *f)
{
	struct record *r = context;

	keeper_take(&r->keeper, f);
	if (f->kind == FRAME_EVENT)
		take_event(r, f->event);
	/* Nobody looks at what is watched. */
	if (keeper_error(&r->keeper) < 0)
		loop_stop(r->loop, keeper_error(&r->keeper));
}

/* --- the files ----------------------------------------------------------------------------- */

/* FILE, and from the second on FILE with its number before the extension. */
static char *name_of(const char *file, int number)
{
	const char *name = strrchr(file, '/');
	const char *dot = strrchr(name ? name + 1 : file, '.');
	char *ret;
	int r;

	if (number == 1)
		return mem_copy_text(file);
	if (!dot || dot == file || dot[-1] == '/')
		dot = file + strlen(file);
	r = asprintf(&ret, "%.*s.%d%s", (int)(dot - file), file, number, dot);
	if (r < 0)
		abort();
	return ret;
}

/* The next file; the second and later pass over numbers that are taken. */
static int open_file(struct record *r)
{
	int result;

	do {
		r->number++;
		free(r->path);
		r->path = name_of(r->o.write, r->number);
		result = keeper_open(&r->keeper, r->path, r->o.force, &r->err);
	} while (result == -EEXIST && r->number > 1 && r->number < FILES_MAX);
	return result;
}

static void tell_end(const struct record *r)
{
	const struct model *m = session_model(r->session);
	char status[32] = "";

	if (r->ended && m->status != STATUS_UNKNOWN)
		snprintf(status, sizeof(status), " with status %d", m->status);
	say("%s after %s%s; %s", r->ended ? "it ended" : "stopped", units_clock(model_elapsed(m)).s,
	    status, r->path);
}

/* --- the run ------------------------------------------------------------------------------- */

static void drop_privileges(void *context)
{
	struct err e;

	(void)context;
	if (privileges_drop(PRIVILEGES_RECORD, &e) < 0)
		say("%s", e.text);
}

/* One upgrade into one file: what loop_run() gave, or -errno. */
static int record_one(struct record *r)
{
	struct session_options so;
	int result, closed;

	r->begun = r->ended = false;
	result = open_file(r);
	if (result < 0)
		return result;
	options_session(&r->o, &so);
	so.sinks[0] = (struct session_sink){frame_passed, r};
	/* The next upgrade's session opens a probe anew. */
	if (!r->keep_going)
		so.opened = drop_privileges;
	result = session_new(&r->session, &so, r->loop, &r->err);
	if (result == 0 && !r->begun)
		say("waiting for an upgrade");
	if (result == 0)
		result = loop_run(r->loop);
	closed = keeper_close(&r->keeper, &r->err);
	if (result == 0 || closed < 0)
		result = closed < 0 ? closed : result;
	if (result >= 0 && r->begun)
		tell_end(r);
	session_free(r->session);
	r->session = NULL;
	return result;
}

static void time_is_up(void *context, int fd, unsigned events)
{
	struct record *r = context;

	(void)fd, (void)events;
	r->late = true;
	loop_stop(r->loop, 0);
}

static int work(struct record *r)
{
	int result = loop_new(&r->loop, &r->err);

	if (result == 0)
		result = live_new(&r->live, r->loop, &r->err);
	if (result == 0 && r->limited) {
		result = loop_timer(r->loop, r->o.snapshot_ns, time_is_up, r);
		if (result < 0)
			return err_set(&r->err, result, "no timer: %s", strerror(-result));
	}
	do {
		result = record_one(r);
	} while (result == 0 && r->keep_going && !r->late);
	return result;
}

static int record(struct record *r)
{
	int result, status;

	result = work(r);
	if (result < 0)
		say("%s", r->err.text);
	else if (r->late && !r->begun)
		say("no upgrade came");
	live_free(r->live);
	loop_free(r->loop);
	free(r->path);
	status = live_status(result);
	/* What was asked for is one whole upgrade, or with --keep-going whatever comes. */
	if (status == STATUS_OK && r->late && !r->ended && !r->keep_going)
		status = STATUS_FAILURE;
	return status;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		OPTIONS_LONG,
		OPTIONS_RECORDING_LONG,
		{"keep-going", no_argument, NULL, OPT_KEEP_GOING},
		{NULL, 0, NULL, 0},
	};
	struct record r = {0};
	int option, result;

	options_init(&r.o);
	while ((option = getopt_long(argc, argv, OPTIONS_SHORT OPTIONS_RECORDING_SHORT "t:", table,
	                             NULL)) != -1) {
		if (option == 'h')
			return options_print_help(self);
		if (option == OPT_KEEP_GOING) {
			r.keep_going = true;
			continue;
		}
		r.limited |= option == 't';
		result = options_take(&r.o, option, optarg, &r.err);
		if (result == -ENOENT)
			return options_refused(self, option, argv);
		if (result < 0)
			return options_refuse(self, r.err.text);
	}
	if (optind < argc)
		return options_refuse(self, "takes no words");
	if (!r.o.write)
		return options_refuse(self, "wants -w FILE");
	return record(&r);
}

const struct command command_record = {
	.name = "record",
	.usage = "dpkgtop record -w FILE [options]",
	.summary = "Waits for an upgrade, records it into a file, and ends with it.",
	.options = "  -w, --write FILE          what is there already is not overwritten\n"
		   "      --force               but a regular file of yours is\n"
		   "  -l, --label LABEL         a name for this run, kept in the file\n"
		   "  -t SEC                    give up after so long in all\n"
		   "      --keep-going          go on with the next upgrade: into FILE with .2, .3 "
		   "and so on\n"
		   "                            before its extension\n",
	.run = run,
};
