/* demo.c - a real dpkg at work in a scratch root, watched. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dpkgtop/probe.h"
#include "dpkgtop/report.h"
#include "dpkgtop/session.h"
#include "dpkgtop/source.h"
#include "dpkgtop/stage.h"
#include "dpkgtop/units.h"
#include "live.h"
#include "options.h"
#include "privileges.h"
#include "trailing.h"

enum { OPT_MODES = OPT_OWN, OPT_DIR, OPT_PACKAGES, OPT_FILES, OPT_FILE_SIZE, OPT_HEADLESS };

struct demo {
	struct options o;
	struct stage_options stage_options;
	bool headless;

	struct loop *loop;
	struct live *live;
	struct session *session;
	struct stage stage;
	int interrupted; /* what ended the building of packages, as loop_run() would say it */
	pid_t dpkg;      /* 0: not running */
	struct trailing trailing;
	struct err err;
};

/* Told after each package that was built; ^C ends the work. */
static int built(void *context, int done)
{
	struct demo *d = context;

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\rbuilding packages: %d of %d%s", done, d->stage_options.packages,
		        done == d->stage_options.packages ? "\n" : "");
	d->interrupted = live_interrupted();
	return d->interrupted;
}

/* --- the trailing sync --------------------------------------------------------------------- */

static void synced(void *context, int64_t sync_ns)
{
	struct demo *d = context;
	struct event e = {.kind = EVENT_TRAILING, .trailing.sync_ns = sync_ns};

	if (sync_ns != UNKNOWN_NS)
		session_event(d->session, &e);
	if (d->headless)
		loop_stop(d->loop, 0);
}

/* If it can not be measured, nobody waits for it. */
static void start_sync(struct demo *d)
{
	int fd = open(d->stage.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if ((fd < 0 || trailing_start(&d->trailing, d->loop, &fd, 1, synced, d) < 0) && d->headless)
		loop_stop(d->loop, 0);
}

/* --- the run ------------------------------------------------------------------------------- */

static void frame_passed(void *context, const struct frame *f)
{
	if (f->kind == FRAME_EVENT && f->event->kind == EVENT_END)
		start_sync(context);
}

/* dpkg was started by now, and nothing else will be. */
static void drop_privileges(void *context)
{
	const struct demo *d = context;
	struct err e;

	if (privileges_drop(PRIVILEGES_DEMO, &e) < 0 && d->headless)
		fprintf(stderr, "dpkgtop: %s\n", e.text);
}

static int start(struct demo *d)
{
	char **argv = stage_command(&d->stage);
	uint64_t packages = (uint64_t)d->stage_options.packages;
	struct session_options so;
	char words[256];
	int r;

	snprintf(words, sizeof(words), "dpkg --install of %d packages, %d files each",
	         d->stage_options.packages, d->stage_options.files);
	session_options_init(&so);
	so.tick_ns = d->o.tick_ns;
	so.procfs = d->o.procfs;
	so.sysfs = d->o.sysfs;
	so.log = d->stage.log;
	so.path = d->stage.root;
	so.child = (struct session_child){
		.name = "dpkg",
		.command = words,
		.is_dpkg = true,
		.plan = {packages, packages, 0},
	};
	/* Before dpkg, so that nothing of it is missed; without it the demo is none the less one.
	 */
	if (session_open_probe(&so.probe, NULL) < 0)
		so.probe = NULL;
	r = stage_start(&d->stage, argv, &d->dpkg, &d->err);
	free(argv);
	if (r < 0) {
		probe_close(so.probe);
		return r;
	}
	so.child.pid = d->dpkg;
	so.opened = drop_privileges;
	so.opened_context = d;
	so.sinks[0] = (struct session_sink){frame_passed, d};
	return session_new(&d->session, &so, d->loop, &d->err);
}

static int show(struct demo *d)
{
	int r = 0;

	if (!d->headless)
		r = live_open(d->live, d->session, &d->o, &d->err);
	return r < 0 ? r : loop_run(d->loop);
}

/* Ends a dpkg that is still at work, kindly first: it is ours, and so is its root. */
static void stop_dpkg(struct demo *d)
{
	if (!d->dpkg)
		return;
	if (d->session && session_model(d->session)->state == MODEL_ENDED) {
		/* Whoever told its end may not have waited for it. */
		waitpid(d->dpkg, NULL, 0);
		return;
	}
	kill(-d->dpkg, SIGTERM);
	for (int tenths = 0; tenths < 50; tenths++) {
		if (waitpid(d->dpkg, NULL, WNOHANG) != 0)
			return;
		nanosleep(&(struct timespec){0, 100000000}, NULL);
	}
	kill(-d->dpkg, SIGKILL);
	waitpid(d->dpkg, NULL, 0);
}

/* What dpkg said, when it failed. */
static void print_output(const struct demo *d)
{
	char line[512];
	FILE *in = fopen(d->stage.output, "re");

	while (in && fgets(line, sizeof(line), in))
		fputs(line, stderr);
	if (in)
		fclose(in);
}

/* A dpkg that succeeds and installs nothing has been told to by the host's configuration. */
static int check_done(struct demo *d, const struct model *m)
{
	if (m->packages.configured == (uint64_t)d->stage_options.packages)
		return STATUS_OK;
	fprintf(stderr, "dpkgtop: dpkg installed %s of %d packages; see /etc/dpkg/dpkg.cfg{,.d}\n",
	        units_count(m->packages.configured).s, d->stage_options.packages);
	return STATUS_FAILURE;
}

/* The run came to its end: what it was, and whether it was what the demo wanted. */
static int report(struct demo *d, const struct model *m)
{
	report_text(m, stdout);
	if (fflush(stdout) != 0) {
		fprintf(stderr, "dpkgtop: standard output: %s\n", strerror(errno));
		return STATUS_FAILURE;
	}
	if (m->status == 0)
		return check_done(d, m);
	print_output(d);
	return STATUS_FAILURE;
}

static int work(struct demo *d)
{
	int r;

	r = loop_new(&d->loop, &d->err);
	if (r == 0)
		r = live_new(&d->live, d->loop, &d->err);
	if (r == 0)
		r = stage_open(&d->stage, &d->stage_options, built, d, &d->err);
	if (r == -ECANCELED)
		return d->interrupted;
	if (r == 0)
		r = start(d);
	if (r == 0)
		r = show(d);
	return r;
}

static int demo(struct demo *d)
{
	int r = work(d), status = STATUS_OK;
	const struct model *m = d->session ? session_model(d->session) : NULL;

	/* The terminal first, then what dpkg still does in the root, then the root. */
	live_free(d->live);
	stop_dpkg(d);
	trailing_wait(&d->trailing);
	if (m && m->state == MODEL_ENDED)
		status = report(d, m);
	if (r < 0)
		fprintf(stderr, "dpkgtop: %s\n", d->err.text);
	if (stage_close(&d->stage, &d->err) < 0) {
		fprintf(stderr, "dpkgtop: %s\n", d->err.text);
		status = STATUS_FAILURE;
	}
	session_free(d->session);
	loop_free(d->loop);
	return r ? live_status(r) : status;
}

static int take_own(struct demo *d, int option, const char *value)
{
	int64_t number = 0;
	int r;

	switch (option) {
	case OPT_MODES:
		if (strcmp(value, "default") == 0)
			return 0;
		return err_set(&d->err, -EINVAL, "--modes knows \"default\" only: %s", value);
	case OPT_DIR:
		d->stage_options.dir = value;
		return 0;
	case OPT_PACKAGES:
		r = options_number(value, 1, 2000, &number);
		d->stage_options.packages = (int)number;
		break;
	case OPT_FILES:
		r = options_number(value, 1, 100000, &number);
		d->stage_options.files = (int)number;
		break;
	case OPT_FILE_SIZE:
		r = options_number(value, 0, INT64_C(1) << 40, &number);
		d->stage_options.file_size = number;
		break;
	case OPT_HEADLESS:
		d->headless = true;
		return 0;
	default:
		return -ENOENT;
	}
	return r == 0 ? 0 : err_set(&d->err, -EINVAL, "not a number in range: %s", value);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		OPTIONS_LONG,
		{"modes", required_argument, NULL, OPT_MODES},
		{"dir", required_argument, NULL, OPT_DIR},
		{"packages", required_argument, NULL, OPT_PACKAGES},
		{"files", required_argument, NULL, OPT_FILES},
		{"size", required_argument, NULL, OPT_FILE_SIZE},
		{"headless", no_argument, NULL, OPT_HEADLESS},
		{NULL, 0, NULL, 0},
	};
	struct demo d = {
		.stage_options = {.packages = 60, .files = 200, .file_size = 8192},
		.headless = !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO),
	};
	int option, r;

	options_init(&d.o);
	while ((option = getopt_long(argc, argv, OPTIONS_SHORT, table, NULL)) != -1) {
		if (option == 'h')
			return options_print_help(self);
		r = options_take(&d.o, option, optarg, &d.err);
		if (r == -ENOENT)
			r = take_own(&d, option, optarg);
		if (r == -ENOENT)
			return options_refused(self, option, argv);
		if (r < 0)
			return options_refuse(self, d.err.text);
	}
	if (optind < argc)
		return options_refuse(self, "takes no words");
	return demo(&d);
}

const struct command command_demo = {
	.name = "demo",
	.usage = "dpkgtop demo [options]",
	.summary = "Watches a real dpkg install synthetic packages into a scratch root.",
	.options = "      --modes default       dpkg's own default; others are yet to come\n"
		   "      --dir DIR             where the scratch root is made (/var/tmp)\n"
		   "      --packages N          packages (60)\n"
		   "      --files N             files in each (200)\n"
		   "      --size BYTES          of each file (8192)\n"
		   "      --headless            no screen; print the ledger at the end\n",
	.run = run,
};
