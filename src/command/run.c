/* run.c - a command, run as if it were typed alone, and measured. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/probe.h"
#include "dpkgtop/recording.h"
#include "dpkgtop/session.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"
#include "held.h"
#include "live.h"
#include "options.h"
#include "privileges.h"
#include "stops.h"
#include "summary.h"
#include "trailing.h"

enum { OPT_NO_SYNC = OPT_OWN, OPT_FORMAT };

/* As shells say it of a command that can not be executed. */
enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

/* What loop_run() gives back when signal n ends us. */
#define SIGNALLED 1000

struct run {
	struct options o;
	bool no_sync;
	struct summary summary;
	char *const *argv;

	struct loop *loop;
	struct session *session;         /* NULL: the command is not measured */
	struct recording_writer *writer; /* NULL: nothing is recorded */
	struct held held;
	struct stops stops;
	struct trailing trailing;
	int fds[SPACES_MAX]; /* on the filesystems to be synced */
	size_t n_fds;
	bool ended; /* the command has, and was waited for; or there was none to begin with */
	int status; /* its own, as shells say it */
	struct err err;
};

/* --- what arrives while it runs ------------------------------------------------------------ */

static void frame_passed(void *context, const struct frame *f)
{
	struct run *r = context;

	if (f->kind != FRAME_EVENT || f->event->kind != EVENT_END)
		return;
	if (!r->no_sync)
		r->n_fds = session_filesystems(r->session, r->fds);
	loop_stop(r->loop, 0);
}

/* Where pidfds tell of it the session knows already. It stays to be waited for. */
static void look_for_end(struct run *r)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)r->held.pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    info.si_pid == 0)
		return;
	if (r->session)
		session_child_ended(r->session, info.si_code == CLD_EXITED ? info.si_status
		                                                           : 128 + info.si_status);
	else
		loop_stop(r->loop, 0);
}

static void signalled(void *context, int signal)
{
	struct run *r = context;

	switch (signal) {
	case SIGCHLD:
		if (r->ended)
			break;
		look_for_end(r);
		stops_look(&r->stops);
		break;
	case SIGCONT:
		if (!r->ended)
			stops_continued(&r->stops);
		break;
	case SIGINT:
	case SIGQUIT:
		/* They are the command's, which has them too, and decides. Afterwards they are for
		 * who waits for the sync. */
		if (r->ended)
			loop_stop(r->loop, 0);
		break;
	case SIGTERM:
	case SIGHUP:
	case SIGUSR1:
	case SIGUSR2:
	case SIGALRM:
	case SIGIO:
		loop_stop(r->loop, SIGNALLED + signal);
		break;
	default:
		break;
	}
}

/* Those to end us. */
static const int asking[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGIO};

static bool is_ignored(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Blocked here, and no disposition is changed before the fork, so that the command has them as they
 * were. SIGPIPE and SIGXFSZ too: what can not be written is an error and not our end. */
static int take_signals(struct run *r)
{
	sigset_t set;
	int e;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		if (!is_ignored(asking[i]))
			sigaddset(&set, asking[i]);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	e = loop_signals(r->loop, &set, signalled, r);
	return e == 0 ? 0 : err_set(&r->err, e, "signals: %s", strerror(-e));
}

/* A signal to end us that came while all was prepared: SIGNALLED + n, 0 if there is none. */
static int asked_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		if (sigismember(&pending, asking[i]) == 1 && !is_ignored(asking[i]))
			return SIGNALLED + asking[i];
	return 0;
}

/* --- the start ----------------------------------------------------------------------------- */

/* A closed one must not become a file of ours, to which a message would then be written. The
 * command has it closed all the same. */
static void occupy_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return;
}

static int open_outputs(struct run *r)
{
	int e;

	held_init(&r->held);
	e = summary_open(&r->summary, &r->err);

	if (e == 0 && r->o.write)
		e = r->o.force ? recording_create_beside(&r->writer, r->o.write, &r->err)
		               : recording_create(&r->writer, r->o.write, false, &r->err);
	return e;
}

static char *join(char *const *argv)
{
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		abort();
	for (size_t i = 0; argv[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", argv[i]);
	fclose(out);
	return words;
}

/* The command was forked by now, and nothing else will be. What was not dropped changes nothing in
 * what is measured. */
static void drop_privileges(void *context)
{
	(void)context;
	privileges_drop(PRIVILEGES_RECORD, NULL);
}

/* Everything is made ready for the child that waits. */
static int open_session(struct run *r, struct probe *probe)
{
	const char *slash = strrchr(r->argv[0], '/');
	char *words = join(r->argv);
	struct session_options so;
	int e;

	options_session(&r->o, &so);
	so.probe = probe;
	so.opened = drop_privileges;
	so.child.pid = r->held.pid;
	so.child.name = slash ? slash + 1 : r->argv[0];
	so.child.command = words;
	so.sinks[0] = (struct session_sink){frame_passed, r};
	if (r->writer)
		so.sinks[1] = (struct session_sink){recording_take, r->writer};
	e = session_new(&r->session, &so, r->loop, &r->err);
	free(words);
	return e;
}

/* There is nothing to be kept of a command that was not executed. */
static void forget_recording(struct run *r)
{
	recording_discard(r->writer);
	r->writer = NULL;
}

static int not_executed(struct run *r, int e)
{
	forget_recording(r);
	r->ended = true;
	/* A signal was first. */
	if (e == -EPIPE)
		return e;
	r->status = e == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
	return err_set(&r->err, e, "%s: %s", r->argv[0],
	               e == -ENOENT && !strchr(r->argv[0], '/') ? "command not found"
	                                                        : strerror(-e));
}

/* Lets the command go. 0; -errno it was not executed, and its status is known; SIGNALLED + n. */
static int release(struct run *r)
{
	int e = asked_to_end();
	struct stamp at;

	if (e) {
		held_drop(&r->held);
		r->ended = true;
		forget_recording(r);
		return e;
	}
	at = stamp_now();
	e = held_release(&r->held, &r->status);
	if (e < 0)
		return not_executed(r, e);
	if (r->writer)
		recording_commit(r->writer, &r->err);
	if (r->session)
		session_child_runs(r->session, &at);
	return 0;
}

/* That we can not watch is no reason for the command not to run. */
static void go_unmeasured(struct run *r)
{
	fprintf(stderr, "dpkgtop: not measured: %s\n", r->err.text);
	*r->err.text = '\0';
	r->session = NULL;
	forget_recording(r);
	drop_privileges(NULL);
}

static int start(struct run *r)
{
	struct probe *probe = NULL;
	int e;

	/* Before the command, so that nothing of it is missed; what runs without it is measured all
	 * the same. */
	if (session_open_probe(&probe, NULL) < 0)
		probe = NULL;
	e = held_start(&r->held, r->argv, r->loop, &r->err);
	if (e < 0) {
		probe_close(probe);
		forget_recording(r);
		return e;
	}
	/* The command has been forked: what is changed in us from here on does not reach it. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	stops_init(&r->stops, r->loop, r->held.pid);
	if (open_session(r, probe) < 0)
		go_unmeasured(r);
	return release(r);
}

/* --- the end ------------------------------------------------------------------------------- */

static int64_t ns_of(const struct timeval *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_usec * INT64_C(1000);
}

/* Also when we have lost sight of it: its status is what counts. */
static void wait_for_command(struct run *r)
{
	struct event e = {.kind = EVENT_USAGE};
	struct rusage usage;
	int status;

	while (wait4(r->held.pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return;
	r->ended = true;
	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	e.usage.user_ns = ns_of(&usage.ru_utime);
	e.usage.sys_ns = ns_of(&usage.ru_stime);
	if (r->session)
		session_event(r->session, &e);
}

static void synced(void *context, int64_t sync_ns)
{
	struct run *r = context;
	struct event e = {.kind = EVENT_TRAILING, .trailing.sync_ns = sync_ns};

	if (sync_ns != UNKNOWN_NS)
		session_event(r->session, &e);
	loop_stop(r->loop, 0);
}

/* 0, or what ended the waiting. */
static int sync_filesystems(struct run *r)
{
	int e = 0;

	if (r->n_fds && trailing_start(&r->trailing, r->loop, r->fds, r->n_fds, synced, r) == 0)
		e = loop_run(r->loop);
	trailing_drop(&r->trailing);
	return e;
}

static int work(struct run *r)
{
	int e;

	e = loop_new(&r->loop, &r->err);
	if (e == 0)
		e = take_signals(r);
	if (e == 0)
		e = open_outputs(r);
	if (e == 0)
		e = start(r);
	if (e)
		return e;
	e = loop_run(r->loop);
	/* The command goes on without us. */
	if (e >= SIGNALLED)
		return e;
	if (e < 0)
		err_set(&r->err, e, "waiting for the command: %s", strerror(-e));
	wait_for_command(r);
	return e < 0 ? e : sync_filesystems(r);
}

static int measure(struct run *r)
{
	struct err unrecorded = {""};
	int e;

	occupy_standard();
	e = work(r);
	if (e == 0 && r->session && session_model(r->session)->state == MODEL_ENDED)
		summary_write(&r->summary, session_model(r->session), r->o.write ? r->o.write : "");
	if (recording_close(r->writer, &unrecorded) < 0)
		fprintf(stderr, "dpkgtop: not recorded to the end: %s\n", unrecorded.text);
	if (*r->err.text)
		fprintf(stderr, "dpkgtop: %s\n", r->err.text);
	if (e >= SIGNALLED && !r->ended)
		fprintf(stderr, "dpkgtop: %s; the command goes on\n", strsignal(e - SIGNALLED));
	session_free(r->session);
	if (e >= SIGNALLED)
		/* They stay blocked until now: one that came late would change our status. */
		return live_end_by(e - SIGNALLED);
	return r->ended ? r->status : STATUS_FAILURE;
}

/* --- the options --------------------------------------------------------------------------- */

static int take_own(struct run *r, int option, const char *value)
{
	switch (option) {
	case OPT_NO_SYNC:
		r->no_sync = true;
		return 0;
	case OPT_FORMAT:
		r->summary.json = strcmp(value, "json") == 0;
		return r->summary.json || strcmp(value, "text") == 0
		               ? 0
		               : err_set(&r->err, -EINVAL, "--format is text or json: %s", value);
	case 'o':
		r->summary.path = value;
		return 0;
	default:
		return -ENOENT;
	}
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {
		OPTIONS_LONG,
		OPTIONS_RECORDING_LONG,
		{"no-sync", no_argument, NULL, OPT_NO_SYNC},
		{"format", required_argument, NULL, OPT_FORMAT},
		{"output", required_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	/* Its loop is never freed, for that would let the signals come; what can be reached to the
	 * end is no leak. */
	static struct run r;
	int option, e;

	options_init(&r.o);
	while ((option = getopt_long(argc, argv, OPTIONS_SHORT OPTIONS_RECORDING_SHORT "o:", table,
	                             NULL)) != -1) {
		if (option == 'h')
			return options_print_help(self);
		e = options_take(&r.o, option, optarg, &r.err);
		if (e == -ENOENT)
			e = take_own(&r, option, optarg);
		if (e == -ENOENT)
			return options_refused(self, option, argv);
		if (e < 0)
			return options_refuse(self, r.err.text);
	}
	if (optind == argc)
		return options_refuse(self, "what is to be run?");
	if (r.summary.path && r.o.write && summary_is_in(&r.summary, r.o.write))
		return options_refuse(self, "-o and -w are the same file");
	r.argv = argv + optind;
	return measure(&r);
}

const struct command command_run = {
	.name = "run",
	.usage = "dpkgtop run [options] [--] COMMAND [ARGUMENTS…]",
	.summary = "Runs a command and measures it, as time does and better.",
	.options = "  -w, --write FILE          record what happens to FILE\n"
		   "      --force               FILE may be there already\n"
		   "  -l, --label LABEL         a name for this run, in the recording\n"
		   "      --no-sync             do not write to disk, and time, what it left in "
		   "memory\n"
		   "      --format text|json    of the report (text)\n"
		   "  -o, --output FILE         write the report to FILE; a summary is told all "
		   "the same\n",
	.run = run,
};
