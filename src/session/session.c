/* session.c - the one owner of sources, frame order and boundary samples. */
#include "dpkgtop/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"
#include "own.h"
#include "state.h"

#define ADMINDIR "/var/lib/dpkg"
/* Thin samples are left out while one takes longer than this, as with thousands of processes. */
#define COST_MOST_NS INT64_C(12500000)
/* Every so many full ticks other upgrades are looked for. */
#define OTHERS_TICKS 4

static const struct source_ops *const sources[] = {
	&source_memory, &source_pressure, &source_disk, &source_space, &source_process,
};
#define N_SOURCES (sizeof(sources) / sizeof(sources[0]))
_Static_assert(N_SOURCES <= SOURCES_MAX, "a session has room for all sources");

void session_options_init(struct session_options *o)
{
	*o = (struct session_options){
		.tick_ns = INT64_C(1000000000),
		.admindir = ADMINDIR,
		.child.plan = {UNKNOWN_U64, UNKNOWN_U64, UNKNOWN_U64},
	};
}

/* --- frames out ---------------------------------------------------------------------------- */

static void emit(struct session *s, const struct frame *f)
{
	model_add(&s->model, f);
	for (size_t i = 0; i < SESSION_SINKS && s->options.sinks[i].take; i++)
		s->options.sinks[i].take(s->options.sinks[i].context, f);
}

void session_tell_change(struct session *s)
{
	if (s->changed)
		s->changed(s->changed_context);
}

static void read_sources(struct session *s, enum sample_kind kind)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		enum group g = sources[i]->group;

		if (!groups_wanted(s, kind, g) || (g == GROUP_PROCESSES && !s->target.pid))
			continue;
		s->sample.why[g] = s->missing[i]
		                           ? s->missing[i]
		                           : sources[i]->read(s->states[i], &s->target, &s->sample);
	}
}

/* The probe watches descendants, whoever their parent is now. */
static void let_go(struct session *s)
{
	for (size_t i = 0; i < s->sample.n_processes; i++) {
		const struct process_counters *p = &s->sample.processes[i];

		if (p->left == 'y')
			probe_leave(s->probe, p->pid, p->start_ticks);
	}
}

/* GROUP_NOT_ASKED where there is nothing to watch, or it is not open yet. */
static int why_no_probe(const struct session *s, bool watched)
{
	if (s->probe_missing)
		return s->probe_missing;
	return s->probe && watched ? s->probe_unwatched : GROUP_NOT_ASKED;
}

void session_sample(struct session *s, enum sample_kind kind, const struct stamp *at)
{
	bool watched = s->target.pid || session_running(s);
	bool probed = s->probe && watched && s->probe_unwatched == 0;

	sample_clear(&s->sample);
	s->sample.at = *at;
	s->sample.kind = kind;
	if (probed)
		probe_read(s->probe, &s->sample);
	else if (kind == SAMPLE_FULL)
		s->sample.why[GROUP_PROBE] = why_no_probe(s, watched);
	read_sources(s, kind);
	if (probed)
		let_go(s);
	/* The others are a screen's, which full samples do for. */
	if (kind != SAMPLE_FULL)
		sample_keep_disk(&s->sample, s->facts.disk);
	/* At the very end its processes are gone, but not what was counted of them. */
	if (kind == SAMPLE_FULL && watched) {
		s->sample.why[GROUP_LOG] = s->log ? dpkglog_why(s->log) : -ENOENT;
		s->sample.log.skipped = s->log ? dpkglog_skipped(s->log) : UNKNOWN_U64;
	}
	emit(s, &(struct frame){.kind = FRAME_SAMPLE, .sample = &s->sample});
}

/* Each package's boundary would cost too much where processes have to be read for it. */
static bool wants_boundary(const struct session *s, const struct event *e)
{
	return phase_wants_boundary(&s->model.phase, e) ||
	       (session_running(s) && groups_probe_suffices(s) &&
	        packages_wants_boundary(&s->model.packages, e));
}

void session_emit(struct session *s, const struct event *e)
{
	if (wants_boundary(s, e) && s->model.charging.last.mono_ns < e->at.mono_ns)
		session_sample(s, SAMPLE_BOUNDARY, &e->at);
	emit(s, &(struct frame){.kind = FRAME_EVENT, .event = e});
}

void session_opened(struct session *s)
{
	if (s->options.opened)
		s->options.opened(s->options.opened_context);
}

bool session_running(const struct session *s)
{
	return s->model.state == MODEL_RUNNING;
}

/* --- the log ------------------------------------------------------------------------------- */

static void take_line(void *context, const struct event *e)
{
	struct session *s = context;
	struct event own;

	if (s->options.child.pid) {
		if (!child_takes_line(s, e, &own))
			return;
		e = &own;
	}
	/* A dpkg that starts means that the one before has ended, which may not have been told. */
	if (e->package.verb == VERB_STARTUP && life_startup(&s->life)) {
		s->at = e->at;
		life_check(&s->life);
	}
	if (!session_running(s))
		return;
	if (event_time(e) < e->at.mono_ns)
		attach_past_line(s, e);
	session_emit(s, e);
}

void session_read_log(struct session *s)
{
	struct stamp now = stamp_now();

	if (s->log)
		dpkglog_read(s->log, &now, take_line, s);
}

/* Tells the ends of processes. The tree is read once more before anyone is waited for, since a
 * zombie still shows its CPU time; and what dpkg logged comes before its end. */
void session_check_ends(struct session *s)
{
	probing_drain(s);
	s->at = stamp_now();
	if (life_any_ended(&s->life)) {
		session_sample(s, SAMPLE_BOUNDARY, &s->at);
		if (s->log)
			dpkglog_read(s->log, &s->at, take_line, s);
	}
	life_check(&s->life);
}

/* --- the end ------------------------------------------------------------------------------- */

void session_end(struct session *s, int32_t status, bool resident)
{
	struct event e = {.at = s->at, .kind = EVENT_END, .end = {status, resident}};

	/* What its processes used until now, where one is left that shows it: a zombie does. */
	if (s->model.charging.last.mono_ns < e.at.mono_ns)
		session_sample(s, SAMPLE_BOUNDARY, &e.at);
	/* The last totals of the disk, at the end and not at the last tick. */
	s->target.pid = 0;
	session_sample(s, SAMPLE_FULL, &e.at);
	session_emit(s, &e);
	e.kind = EVENT_OWN;
	own_read(&e.own, s->own_before_ns);
	session_emit(s, &e);
	/* Not here: the log may be what is being read. */
	s->leaving = true;
}

void session_settle(struct session *s)
{
	if (!s->leaving)
		return;
	s->leaving = false;
	if (!session_running(s))
		attach_leave(s);
	session_tell_change(s);
}

/* --- processes ----------------------------------------------------------------------------- */

/* A frontend that was killed leaves its dpkg at work: the upgrade goes on with that. */
static bool hand_over(struct session *s)
{
	int32_t dpkg = life_dpkg(&s->life, &s->target.start_ticks);

	if (!dpkg || dpkg == s->target.pid)
		return false;
	s->target.pid = dpkg;
	return true;
}

static void process_happened(void *context, struct event *e)
{
	struct session *s = context;
	bool last = e->kind == EVENT_EXIT && e->exit.pid == s->target.pid;

	e->at = s->at;
	if (e->kind == EVENT_EXIT)
		e->exit.ago_ns = s->late_ns;
	if (e->kind == EVENT_EXEC)
		e->exec.ago_ns = s->from_probe ? e->exec.ago_ns + s->late_ns
		                               : attach_age(s, e->exec.start_ticks);
	session_emit(s, e);
	/* A child of ours that ends is the end, whatever it leaves behind. */
	if (last && (s->options.child.pid || !hand_over(s)))
		session_end(s, e->exit.status, false);
}

static void process_ended(void *context)
{
	struct session *s = context;

	session_check_ends(s);
	session_settle(s);
}

/* --- ticks --------------------------------------------------------------------------------- */

/* A sample, and who it shows that is new. */
static void look_at_tree(struct session *s, enum sample_kind kind, const struct stamp *now)
{
	session_sample(s, kind, now);
	s->sample_cost_ns = stamp_now().mono_ns - now->mono_ns;
	if (!session_running(s))
		return;
	life_sample(&s->life, &s->sample);
	if (sample_has(&s->sample, GROUP_PROCESSES))
		groups_looked(s);
}

static void tick(void *context, int fd, unsigned events)
{
	struct session *s = context;
	bool waited = input_waits(&s->model.input), full;
	struct stamp now;

	(void)fd, (void)events;
	session_check_ends(s);
	now = stamp_now();
	/* Half a thin tick of grace: timers are late, never early. */
	full = now.mono_ns - s->full_ns >= s->options.tick_ns - THIN_NS / 2;
	if (full)
		s->full_ns = now.mono_ns;
	/* While one is watched, others are news for a list that is seldom opened. */
	attach_look(s, full && (!session_running(s) || ++s->full_ticks % OTHERS_TICKS == 0));
	session_read_log(s);
	now = stamp_now();
	s->at = now;
	if (full || (session_running(s) && s->sample_cost_ns < COST_MOST_NS))
		look_at_tree(s, full ? SAMPLE_FULL : SAMPLE_THIN, &now);
	session_settle(s);
	/* Who is waited for should not have to wait for that to be said. */
	if (full || input_waits(&s->model.input) != waited)
		session_tell_change(s);
}

/* --- life of a session --------------------------------------------------------------------- */

static void introduce(struct session *s)
{
	struct header h;
	struct utsname u;

	header_init(&h);
	h.started = stamp_now();
	h.tick_ns = INT64_C(1000000000) / sysconf(_SC_CLK_TCK);
	if (uname(&u) == 0) {
		text_printable_string(h.host, sizeof(h.host), u.nodename);
		text_printable_string(h.kernel, sizeof(h.kernel), u.release);
	}
	if (s->options.label)
		text_printable_string(h.label, sizeof(h.label), s->options.label);
	emit(s, &(struct frame){.kind = FRAME_HEADER, .header = &h});
}

static void take_device(void *context, struct event *e)
{
	e->at = stamp_now();
	session_emit(context, e);
}

static void device_ready(void *context, int fd, unsigned events)
{
	struct session *s = context;

	(void)fd, (void)events;
	device_monitor_read(s->monitor, take_device, s);
	attach_describe(s);
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
	int r;

	s->options = *o;
	s->loop = loop;
	s->timer = s->probe_timer = -1;
	s->probe = o->probe;
	s->roots = (struct roots){-1, -1};
	s->host.root = s->foreign.root = s->upgraded.root = -1;
	s->place = s->target.place = &s->host;
	sample_init(&s->sample);
	model_init(&s->model);
	life_init(&s->life, loop, &s->roots, process_happened, process_ended, s);
	r = roots_open(&s->roots, o->procfs, o->sysfs, e);
	if (r < 0)
		goto fail;
	r = place_open_host(&s->host);
	if (r < 0) {
		err_set(e, r, "/: %s", strerror(-r));
		goto fail;
	}
	open_sources(s);
	if (device_monitor_open(&s->monitor, NULL) == 0)
		loop_watch(loop, device_monitor_fd(s->monitor), device_ready, s);
	introduce(s);
	if (s->probe)
		probing_begin(s);
	if (o->child.pid) {
		r = child_open(s, e);
		if (r < 0)
			goto fail;
	} else {
		attach_describe(s);
		attach_log(s);
	}
	r = s->timer = loop_timer(loop, o->tick_ns < THIN_NS ? o->tick_ns : THIN_NS, tick, s);
	if (r < 0) {
		err_set(e, r, "no timer: %s", strerror(-r));
		goto fail;
	}
	tick(s, -1, 0);
	if (s->probe)
		session_opened(s);
	else
		probing_open_soon(s);
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
	life_done(&s->life);
	probing_end(s);
	attach_forget_log(s);
	if (s->monitor) {
		loop_forget(s->loop, device_monitor_fd(s->monitor));
		device_monitor_close(s->monitor);
	}
	for (size_t i = 0; i < N_SOURCES; i++) {
		if (s->states[i])
			sources[i]->close(s->states[i]);
		free(s->states[i]);
	}
	place_close(&s->foreign);
	place_close(&s->upgraded);
	place_close(&s->host);
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
	session_emit(s, e);
	session_tell_change(s);
}
