/* probing.c - what the probe tells of processes and slow calls, as frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/units.h"
#include "role.h"
#include "state.h"

/* --- its life ------------------------------------------------------------------------------ */

int session_open_probe(struct probe **ret, struct err *e)
{
	return probe_open(ret, role_names, e);
}

static void probe_ready(void *context, int fd, unsigned events)
{
	struct session *s = context;

	(void)fd, (void)events;
	probing_drain(s);
	session_settle(s);
}

void probing_watch(struct session *s, int32_t pid, uint64_t start_ticks)
{
	s->looked_cpu_ns = UNKNOWN_NS;
	s->asks_pid = 0;
	/* Nobody watched would look like nothing done. */
	if (s->probe)
		s->probe_unwatched = probe_watch(s->probe, pid, start_ticks);
}

void probing_begin(struct session *s)
{
	loop_watch(s->loop, probe_fd(s->probe), probe_ready, s);
	if (s->target.pid)
		probing_watch(s, s->target.pid, s->target.start_ticks);
}

static void settle_opening(struct session *s, int result)
{
	s->probe_missing = result;
	if (result == 0)
		probing_begin(s);
	session_opened(s);
}

static void probe_opened(void *context, int fd, unsigned events)
{
	struct session *s = context;
	struct opener *o = s->opener;

	(void)events;
	loop_forget(s->loop, fd);
	s->opener = NULL;
	settle_opening(s, opener_finish(o, &s->probe));
}

static void open_probe(void *context, int fd, unsigned events)
{
	struct session *s = context;

	(void)fd, (void)events;
	loop_stop_timer(s->loop, s->probe_timer);
	s->probe_timer = -1;
	if (opener_start(&s->opener) == 0)
		loop_watch(s->loop, opener_fd(s->opener), probe_opened, s);
	else
		settle_opening(s, session_open_probe(&s->probe, NULL));
}

void probing_open_soon(struct session *s)
{
	s->probe_timer = loop_timer(s->loop, INT64_C(10000000), open_probe, s);
}

void probing_end(struct session *s)
{
	if (s->probe_timer >= 0)
		loop_stop_timer(s->loop, s->probe_timer);
	if (s->opener) {
		loop_forget(s->loop, opener_fd(s->opener));
		opener_abandon(s->opener);
	}
	if (s->probe)
		loop_forget(s->loop, probe_fd(s->probe));
	probe_close(s->probe);
	free(s->told);
}

/* --- its events ---------------------------------------------------------------------------- */

static void take(void *context, const struct probe_event *e)
{
	struct session *s = context;

	s->told = mem_grow(s->told, &s->told_room, s->n_told + 1, sizeof(*s->told));
	s->told[s->n_told++] = *e;
}

/* Sets the instant that is told of: that of the event, but never before the last frame. */
static void set_instant(struct session *s, int64_t event_ns)
{
	struct stamp now = stamp_now();
	int64_t at_ns = event_ns < s->model.now.mono_ns ? s->model.now.mono_ns : event_ns;
	int64_t back_ns = now.mono_ns - at_ns;

	s->at = (struct stamp){now.mono_ns - back_ns, now.boot_ns - back_ns, now.real_ns - back_ns};
	s->late_ns = at_ns - event_ns;
}

static void take_exec(struct session *s, const struct probe_event *e)
{
	bool dpkg = role_is_dpkg_at_work(e->name, e->command);

	/* Whoever started it may not be known as a frontend yet, but holds a lock. Of all that apt
	 * starts, only the first is looked at like that: it is not cheap. */
	if (dpkg && s->options.child.pid && !attach_lists(s, e->parent)) {
		child_look(s);
		set_instant(s, e->at_ns);
	}
	/* A child of ours may become one, by way of a wrapper. */
	if (dpkg &&
	    (life_is_frontends(&s->life, e) || (s->options.child.pid && e->pid == s->target.pid)))
		attach_dpkg(s, e->pid, e->start_ticks, e->command);
	else
		life_exec(&s->life, e);
}

/* What it wrote into the log came before its end. */
static void take_exit(struct session *s, const struct probe_event *e)
{
	if (!life_has(&s->life, e->pid, e->start_ticks))
		return;
	session_read_log(s);
	set_instant(s, e->at_ns);
	life_exit(&s->life, e);
}

static void take_slow(struct session *s, const struct probe_event *e)
{
	struct event told = {.at = s->at, .kind = EVENT_SLOW};

	told.slow = (struct slow_event){.pid = e->pid,
	                                .start_ticks = e->start_ticks,
	                                .call = e->call,
	                                .class = e->class,
	                                .took_ns = e->took_ns,
	                                .ago_ns = s->late_ns};
	memcpy(told.slow.file, e->file, sizeof(told.slow.file));
	session_emit(s, &told);
}

static void pass_on(struct session *s, const struct probe_event *e)
{
	set_instant(s, e->at_ns);
	s->from_probe = true;
	switch (e->kind) {
	case PROBE_EXEC:
		take_exec(s, e);
		break;
	case PROBE_EXIT:
		take_exit(s, e);
		break;
	default:
		take_slow(s, e);
	}
	s->from_probe = false;
	s->late_ns = 0;
}

void probing_drain(struct session *s)
{
	/* Passing on reads the log, whose first sight of a line may ask for this again. */
	if (!s->probe || s->passing_on)
		return;
	s->passing_on = true;
	probe_drain(s->probe, take, s);
	for (size_t i = 0; i < s->n_told && session_running(s); i++)
		pass_on(s, &s->told[i]);
	s->n_told = 0;
	s->passing_on = false;
}
