/* watch.c - the dashboard on whatever upgrade runs, or will run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/session.h"
#include "keeper.h"
#include "live.h"
#include "options.h"
#include "privileges.h"

struct watch {
	const struct options *o;
	struct loop *loop;
	struct live *live;
	struct session *session;
	struct keeper keeper;
	bool failed; /* to record, and it has been said on the screen */
	struct err err;
};

static void frame_passed(void *context, const struct frame *f)
{
	struct watch *w = context;
	char note[160];

	keeper_take(&w->keeper, f);
	if (w->failed || keeper_error(&w->keeper) == 0)
		return;
	w->failed = true;
	snprintf(note, sizeof(note), "No longer recorded: %s.",
	         strerror(-keeper_error(&w->keeper)));
	live_note(w->live, note);
}

/* With a screen there is nowhere to say it; dpkgtop doctor does. */
static void drop_privileges(void *context)
{
	const struct watch *w = context;
	struct err e;

	if (privileges_drop(PRIVILEGES_WATCH, &e) < 0 && w->o->snapshot)
		fprintf(stderr, "dpkgtop: %s\n", e.text);
}

static void time_is_up(void *context, int fd, unsigned events)
{
	(void)fd, (void)events;
	loop_stop(context, 0);
}

/* Runs until the snapshot's time, or at once on the screen; what loop_run() gave, or -errno. */
static int show(struct watch *w)
{
	int r;

	if (!w->o->snapshot) {
		r = live_open(w->live, w->session, w->o, &w->err);
		return r < 0 ? r : loop_run(w->loop);
	}
	r = loop_timer(w->loop, w->o->snapshot_ns, time_is_up, w->loop);
	if (r < 0)
		return err_set(&w->err, r, "no timer: %s", strerror(-r));
	r = loop_run(w->loop);
	return r ? r
	         : live_snapshot(session_model(w->session),
	                         &(struct ui){.unprivileged = geteuid() != 0}, w->o, &w->err);
}

static int work(struct watch *w)
{
	struct session_options so;
	int r;

	options_session(w->o, &so);
	so.opened = drop_privileges;
	so.opened_context = w;
	r = loop_new(&w->loop, &w->err);
	if (r == 0)
		r = live_new(&w->live, w->loop, &w->err);
	if (r == 0 && w->o->write) {
		r = keeper_open(&w->keeper, w->o->write, w->o->force, &w->err);
		/* Not a terminal that is not known, which is what live_open() means by it. */
		r = r < 0 ? -EIO : 0;
		so.sinks[0] = (struct session_sink){frame_passed, w};
	}
	if (r == 0)
		r = session_new(&w->session, &so, w->loop, &w->err);
	return r == 0 ? show(w) : r;
}

static int watch(const struct options *o)
{
	struct watch w = {.o = o};
	struct err e = {""};
	int r = work(&w), closed;
	bool nothing = keeper_is_empty(&w.keeper);

	live_free(w.live);
	session_free(w.session);
	closed = keeper_close(&w.keeper, &e);
	loop_free(w.loop);
	if (*w.err.text)
		fprintf(stderr, "dpkgtop: %s\n", w.err.text);
	if (nothing)
		fprintf(stderr, "dpkgtop: no upgrade came: %s was not written\n", o->write);
	if (closed < 0)
		fprintf(stderr, "dpkgtop: not recorded to the end: %s\n", e.text);
	/* A terminal that is not known is asked for wrongly; one that is missing is a failure. */
	r = r == -ENOENT ? STATUS_USAGE : live_status(r);
	return r == STATUS_OK && closed < 0 ? STATUS_FAILURE : r;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		OPTIONS_LONG, OPTIONS_SNAPSHOT_LONG, OPTIONS_RECORDING_LONG, {NULL, 0, NULL, 0}};
	struct options o;
	struct err e;
	int option, r;

	options_init(&o);
	while ((option = getopt_long(argc, argv,
	                             OPTIONS_SHORT OPTIONS_SNAPSHOT_SHORT OPTIONS_RECORDING_SHORT,
	                             table, NULL)) != -1) {
		if (option == 'h')
			return options_print_help(self);
		r = options_take(&o, option, optarg, &e);
		if (r == -ENOENT)
			return options_refused(self, option, argv);
		if (r < 0)
			return options_refuse(self, e.text);
	}
	if (optind < argc)
		return options_refuse(self, "takes no words");
	return watch(&o);
}

const struct command command_watch = {
	.name = "watch",
	.usage = "dpkgtop [watch] [options]",
	.summary = "Shows the apt or dpkg run of this machine, or waits for one.",
	.options = "  -w, --write FILE          record what is watched; an existing file is not "
		   "overwritten\n"
		   "      --force               but a regular file of yours is\n"
		   "  -l, --label LABEL         a name for this run, kept in the file\n"
		   "      --snapshot text|ansi  watch for -t seconds, print one screen, and end\n"
		   "      --size COLUMNSxROWS   of that screen (80x24)\n"
		   "  -t SEC                    how long to watch for it (1)\n",
	.run = run,
};
