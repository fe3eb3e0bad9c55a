/* session.c - the one owner of sources, frame order and boundary samples. */
#include "dpkgtop/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dpkgtop/device.h"
#include "dpkgtop/dpkglog.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"
#include "dpkgtop/upgrade.h"
#include "life.h"

#define THIN_NS  INT64_C(250000000)
#define ADMINDIR "/var/lib/dpkg"
#define LOG      "/var/log/dpkg.log"
#define HISTORY  "/var/log/apt/history.log"

static const struct source_ops *const sources[] = {&source_memory, &source_disk, &source_process};
#define N_SOURCES (sizeof(sources) / sizeof(sources[0]))

struct session {
	struct session_options options;
	struct loop *loop;
	int timer;
	struct roots roots;
	void *states[N_SOURCES];
	int missing[N_SOURCES]; /* 0, or why it could not be opened: -errno */

	struct target target;
	struct dpkglog *log;
	char log_path[4096];
	struct life life;
	bool planned;
	struct stamp at; /* the instant that life's starts and ends are told of */

	struct sample sample; /* reused at every tick */
	int64_t full_ns;      /* when the last full sample was taken */
	struct model model;
	void (*changed)(void *context);
	void *changed_context;
};

void session_options_init(struct session_options *o)
{
	*o = (struct session_options){
		.tick_ns = INT64_C(1000000000),
		.admindir = ADMINDIR,
		.history = HISTORY,
		.plan = {UNKNOWN_U64, UNKNOWN_U64, UNKNOWN_U64},
	};
}

/* --- frames out ---------------------------------------------------------------------------- */

static void emit(struct session *s, const struct frame *f)
{
	model_add(&s->model, f);
	for (size_t i = 0; i < SESSION_SINKS && s->options.sinks[i].take; i++)
		s->options.sinks[i].take(s->options.sinks[i].context, f);
}

static void tell_change(struct session *s)
{
	if (s->changed)
		s->changed(s->changed_context);
}

/* Which groups a sample of this kind reads: a boundary only what the ledger charges by. */
static bool wanted(enum sample_kind kind, enum group g)
{
	return kind == SAMPLE_FULL || g != GROUP_MEMORY;
}

static void take_sample(struct session *s, enum sample_kind kind, const struct stamp *at)
{
	sample_clear(&s->sample);
	s->sample.at = *at;
	s->sample.kind = kind;
	for (size_t i = 0; i < N_SOURCES; i++) {
		enum group g = sources[i]->group;

		if (!wanted(kind, g) || (g == GROUP_PROCESSES && !s->target.pid))
			continue;
		s->sample.why[g] = s->missing[i]
		                           ? s->missing[i]
		                           : sources[i]->read(s->states[i], &s->target, &s->sample);
	}
	emit(s, &(struct frame){.kind = FRAME_SAMPLE, .sample = &s->sample});
}

static void emit_event(struct session *s, const struct event *e)
{
	if (phase_wants_boundary(&s->model.phase, e) && s->model.now.mono_ns < e->at.mono_ns)
		take_sample(s, SAMPLE_BOUNDARY, &e->at);
	emit(s, &(struct frame){.kind = FRAME_EVENT, .event = e});
}

static bool running(const struct session *s)
{
	return s->model.state == MODEL_RUNNING;
}

/* --- the log ------------------------------------------------------------------------------- */

static void take_line(void *context, const struct event *e)
{
	struct session *s = context;

	if (running(s))
		emit_event(s, e);
}

static void read_log(struct session *s)
{
	struct stamp now = stamp_now();

	if (s->log)
		dpkglog_read(s->log, &now, take_line, s);
}

/* Tells the ends of processes. The tree is read once more before anyone is waited for, since a
 * zombie still shows its CPU time; and what dpkg logged comes before its end. */
static void check_ends(struct session *s)
{
	if (!life_any_ended(&s->life))
		return;
	s->at = stamp_now();
	take_sample(s, SAMPLE_BOUNDARY, &s->at);
	if (s->log)
		dpkglog_read(s->log, &s->at, take_line, s);
	life_check(&s->life);
}

static void look_for_upgrade(struct session *s);

static void log_ready(void *context, int fd, unsigned events)
{
	struct session *s = context;

	(void)fd, (void)events;
	/* An exit that came first must be told first: it closes the dpkg that the next startup
	 * line would otherwise seem to follow without a pause. And a startup line may be the
	 * first sign of the next dpkg: know that before its lines are taken. */
	check_ends(s);
	look_for_upgrade(s);
	read_log(s);
	tell_change(s);
}

static void follow_log(struct session *s, const char *path, bool from_start)
{
	if (s->log && strcmp(s->log_path, path) == 0)
		return;
	if (s->log) {
		loop_forget(s->loop, dpkglog_fd(s->log));
		dpkglog_close(s->log);
		s->log = NULL;
	}
	snprintf(s->log_path, sizeof(s->log_path), "%s", path);
	if (dpkglog_open(&s->log, path, from_start, NULL) == 0)
		loop_watch(s->loop, dpkglog_fd(s->log), log_ready, s);
}

/* --- the upgrade --------------------------------------------------------------------------- */

static void begin(struct session *s, const struct upgrade_event *u)
{
	struct event e = {.at = stamp_now(), .kind = EVENT_UPGRADE, .upgrade = *u};

	s->at = e.at;
	s->target = (struct target){u->pid, u->start_ticks};
	s->planned = false;
	life_clear(&s->life);
	emit_event(s, &e);
	take_sample(s, SAMPLE_FULL, &e.at);
}

static void plan(struct session *s, const struct plan_event *p)
{
	struct event e = {.at = s->at, .kind = EVENT_PLAN, .plan = *p};

	s->planned = true;
	emit_event(s, &e);
}

/* apt writes its lists before it starts the first dpkg; a plain dpkg has them in its words. */
static void look_for_plan(struct session *s, const struct upgrade_run *run)
{
	struct plan_event p;
	char path[64], words[65536];
	ssize_t len;

	if (s->planned)
		return;
	if (run->root != run->dpkg) {
		if (upgrade_plan(s->options.history, &p) == 0)
			plan(s, &p);
		return;
	}
	snprintf(path, sizeof(path), "%d/cmdline", run->dpkg);
	len = roots_read(s->roots.proc, path, words, sizeof(words));
	if (len > 0 && upgrade_plan_of_command(words, (size_t)len, &p) == 0)
		plan(s, &p);
}

static void add_process(struct session *s, enum role role, int32_t pid, uint64_t start_ticks,
                        const char *command)
{
	struct exec_event exec = {.pid = pid, .start_ticks = start_ticks, .role = role};

	snprintf(exec.command, sizeof(exec.command), "%s", command);
	life_add(&s->life, &exec);
}

static void follow_dpkg(struct session *s, const struct upgrade_run *run)
{
	char path[4096];

	if (!run->dpkg || life_has(&s->life, run->dpkg, run->dpkg_start_ticks))
		return;
	if (!s->options.log && upgrade_log_path(&s->roots, run->dpkg, path, sizeof(path)) == 0)
		follow_log(s, path, false);
	look_for_plan(s, run);
	add_process(s, ROLE_DPKG, run->dpkg, run->dpkg_start_ticks, run->dpkg_command);
}

static void look_for_upgrade(struct session *s)
{
	struct upgrade_run run;

	if (s->options.child || s->model.state == MODEL_ENDED)
		return;
	if (upgrade_find(&s->roots, s->options.admindir, &run) != 1)
		return;
	s->at = stamp_now();
	if (!running(s)) {
		struct upgrade_event u = {.pid = run.root, .start_ticks = run.root_start_ticks};

		snprintf(u.frontend, sizeof(u.frontend), "%s", run.frontend);
		snprintf(u.command, sizeof(u.command), "%s", run.command);
		begin(s, &u);
		if (run.root != run.dpkg)
			add_process(s, ROLE_FRONTEND, run.root, run.root_start_ticks, run.command);
	}
	follow_dpkg(s, &run);
}

/* The command of our own is the upgrade from its first moment. */
static int begin_child(struct session *s, struct err *e)
{
	struct process_counters p;
	struct upgrade_event u = {.pid = s->options.child};
	int r = process_identify(&s->roots, s->options.child, &p);

	if (r < 0)
		return err_set(e, r, "can not see process %d: %s", s->options.child, strerror(-r));
	u.start_ticks = p.start_ticks;
	snprintf(u.frontend, sizeof(u.frontend), "%s", "dpkg");
	text_printable_string(u.command, sizeof(u.command), s->options.child_command);
	snprintf(u.mode, sizeof(u.mode), "%s", s->options.mode ? s->options.mode : "");
	begin(s, &u);
	plan(s, &s->options.plan);
	add_process(s, ROLE_DPKG, u.pid, u.start_ticks, u.command);
	return 0;
}

static void end(struct session *s, int32_t status)
{
	struct event e = {.at = s->at, .kind = EVENT_END, .end = {status}};

	/* The last totals of the disk, at the end and not at the last tick. */
	s->target.pid = 0;
	take_sample(s, SAMPLE_FULL, &e.at);
	emit_event(s, &e);
	life_clear(&s->life);
	tell_change(s);
}

/* --- processes ----------------------------------------------------------------------------- */

static void process_happened(void *context, struct event *e)
{
	struct session *s = context;
	bool last = e->kind == EVENT_EXIT && e->exit.pid == s->target.pid;

	e->at = s->at;
	emit_event(s, e);
	if (last)
		end(s, e->exit.status);
}

static void process_ended(void *context)
{
	struct session *s = context;

	check_ends(s);
	tell_change(s);
}

/* --- ticks --------------------------------------------------------------------------------- */

static void tick(void *context, int fd, unsigned events)
{
	struct session *s = context;
	struct stamp now;
	bool full;

	(void)fd, (void)events;
	check_ends(s);
	look_for_upgrade(s);
	read_log(s);
	now = stamp_now();
	/* Half a thin tick of grace: timers are late, never early. */
	full = now.mono_ns - s->full_ns >= s->options.tick_ns - THIN_NS / 2;
	if (full)
		s->full_ns = now.mono_ns;
	if (full || running(s))
		take_sample(s, full ? SAMPLE_FULL : SAMPLE_THIN, &now);
	s->at = now;
	if (running(s))
		life_sample(&s->life, &s->sample);
	if (full)
		tell_change(s);
}

/* --- life of a session --------------------------------------------------------------------- */

static void describe(struct session *s, struct header *h)
{
	const char *path = s->options.path ? s->options.path : s->options.admindir;
	struct utsname u;

	header_init(h);
	h->started = stamp_now();
	h->tick_ns = INT64_C(1000000000) / sysconf(_SC_CLK_TCK);
	snprintf(h->version, sizeof(h->version), "%s", VERSION);
	if (uname(&u) == 0) {
		text_printable_string(h->host, sizeof(h->host), u.nodename);
		text_printable_string(h->kernel, sizeof(h->kernel), u.release);
	}
	device_describe(&s->roots, path, h);
}

static void open_sources(struct session *s)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		s->states[i] = mem_new(1, sources[i]->size);
		s->missing[i] = sources[i]->open(s->states[i], &s->roots, NULL);
	}
}

int session_new(struct session **ret, const struct session_options *o, struct loop *loop,
                struct err *e)
{
	struct session *s = mem_new(1, sizeof(*s));
	struct header header;
	int r;

	s->options = *o;
	s->loop = loop;
	s->timer = -1;
	s->roots = (struct roots){-1, -1};
	sample_init(&s->sample);
	model_init(&s->model);
	life_init(&s->life, loop, process_happened, process_ended, s);
	r = roots_open(&s->roots, o->procfs, o->sysfs, e);
	if (r < 0)
		goto fail;
	open_sources(s);
	describe(s, &header);
	emit(s, &(struct frame){.kind = FRAME_HEADER, .header = &header});
	follow_log(s, o->log ? o->log : LOG, o->child != 0);
	if (o->child) {
		r = begin_child(s, e);
		if (r < 0)
			goto fail;
	}
	r = s->timer = loop_timer(loop, o->tick_ns < THIN_NS ? o->tick_ns : THIN_NS, tick, s);
	if (r < 0) {
		err_set(e, r, "no timer: %s", strerror(-r));
		goto fail;
	}
	tick(s, -1, 0);
	*ret = s;
	return 0;
fail:
	session_free(s);
	return r;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (s->timer >= 0)
		loop_stop_timer(s->loop, s->timer);
	life_clear(&s->life);
	if (s->log) {
		loop_forget(s->loop, dpkglog_fd(s->log));
		dpkglog_close(s->log);
	}
	for (size_t i = 0; i < N_SOURCES; i++) {
		if (s->states[i])
			sources[i]->close(s->states[i]);
		free(s->states[i]);
	}
	roots_close(&s->roots);
	sample_done(&s->sample);
	model_done(&s->model);
	free(s);
}

const struct model *session_model(const struct session *s)
{
	return &s->model;
}

void session_on_change(struct session *s, void (*changed)(void *context), void *context)
{
	s->changed = changed;
	s->changed_context = context;
}

void session_event(struct session *s, struct event *e)
{
	e->at = stamp_now();
	emit_event(s, e);
	tell_change(s);
}
