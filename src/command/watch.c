/* watch.c - the dashboard on whatever upgrade runs, or will run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/session.h"
#include "live.h"
#include "options.h"

static void session_options(struct session_options *s, const struct options *o)
{
	session_options_init(s);
	s->tick_ns = o->tick_ns;
	s->procfs = o->procfs;
	s->sysfs = o->sysfs;
	s->log = o->log;
	s->history = o->history;
	if (o->admindir) {
		s->admindir = o->admindir;
		s->only_own = true;
	}
}

static void time_is_up(void *context, int fd, unsigned events)
{
	(void)fd, (void)events;
	loop_stop(context, 0);
}

/* Runs until the snapshot's time, or at once on the screen; what loop_run() gave, or -errno. */
static int show(struct loop *loop, struct live *live, struct session *session,
                const struct options *o, struct err *e)
{
	int r;

	if (!o->snapshot) {
		r = live_open(live, session, o, e);
		return r < 0 ? r : loop_run(loop);
	}
	r = loop_timer(loop, o->snapshot_ns, time_is_up, loop);
	if (r < 0)
		return err_set(e, r, "no timer: %s", strerror(-r));
	r = loop_run(loop);
	return r ? r : live_snapshot(session_model(session), o, e);
}

static int watch(const struct options *o)
{
	struct session_options so;
	struct session *session = NULL;
	struct loop *loop = NULL;
	struct live *live = NULL;
	struct err e = {""};
	int r;

	session_options(&so, o);
	r = loop_new(&loop, &e);
	if (r == 0)
		r = live_new(&live, loop, &e);
	if (r == 0)
		r = session_new(&session, &so, loop, &e);
	if (r == 0)
		r = show(loop, live, session, o, &e);
	live_free(live);
	session_free(session);
	loop_free(loop);
	if (*e.text)
		fprintf(stderr, "dpkgtop: %s\n", e.text);
	/* A terminal that is not known is asked for wrongly; one that is missing is a failure. */
	return r == -ENOENT ? STATUS_USAGE : live_status(r);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		OPTIONS_LONG, OPTIONS_SNAPSHOT_LONG, {NULL, 0, NULL, 0}};
	struct options o;
	struct err e;
	int option, r;

	options_init(&o);
	while ((option = getopt_long(argc, argv, OPTIONS_SHORT OPTIONS_SNAPSHOT_SHORT, table,
	                             NULL)) != -1) {
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
	.options = "      --snapshot text|ansi  watch for -t seconds, print one screen, and end\n"
		   "      --size COLUMNSxROWS   of that screen (80x24)\n"
		   "  -t SEC                    how long to watch for it (1)\n",
	.run = run,
};
