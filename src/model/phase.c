/* phase.c - what the upgrade is doing, told by events alone. */
#include "dpkgtop/phase.h"

#include <string.h>

const char *const phase_names[N_PHASES + 1] = {
	[PHASE_DOWNLOAD] = "download",
	[PHASE_PREPARE] = "prepare",
	[PHASE_READ] = "read",
	[PHASE_UNPACK] = "unpack",
	[PHASE_CONFIGURE] = "configure",
	[PHASE_TRIGGERS] = "triggers",
	[PHASE_INITRAMFS] = "initramfs",
	[PHASE_REMOVE] = "remove",
	[PHASE_BETWEEN] = "between",
	[PHASE_FINISH] = "finish",
	[PHASE_NONE] = "",
};

void phase_init(struct phase_state *s)
{
	memset(s, 0, sizeof(*s));
	s->action = PHASE_READ;
}

static void package_line(struct phase_state *s, const struct package_event *p)
{
	switch (p->verb) {
	case VERB_STARTUP:
		s->log_open = true;
		s->had_dpkg = true;
		s->action = PHASE_READ;
		break;
	case VERB_INSTALL:
	case VERB_UPGRADE:
		s->action = PHASE_UNPACK;
		break;
	case VERB_CONFIGURE:
		s->action = PHASE_CONFIGURE;
		break;
	case VERB_TRIGPROC:
		s->action = event_is_initramfs_package(p->name) ? PHASE_INITRAMFS : PHASE_TRIGGERS;
		break;
	case VERB_REMOVE:
	case VERB_PURGE:
		s->action = PHASE_REMOVE;
		break;
	case VERB_STATUS:
		/* The trigger's end; the next action may be long in coming. */
		if (s->action == PHASE_INITRAMFS && p->state == STATE_INSTALLED &&
		    event_is_initramfs_package(p->name))
			s->action = PHASE_TRIGGERS;
		break;
	default:
		break;
	}
}

/* -1: it is not among them. */
static int place_of(const struct phase_state *s, int32_t pid, uint64_t start_ticks)
{
	int at = s->n_alive - 1;

	while (at >= 0 && (s->alive[at].pid != pid || s->alive[at].start_ticks != start_ticks))
		at--;
	return at;
}

bool phase_has(const struct phase_state *s, int32_t pid, uint64_t start_ticks)
{
	return place_of(s, pid, start_ticks) >= 0;
}

static bool holds_phase(enum role role)
{
	return role == ROLE_DPKG || role == ROLE_INITRAMFS || role == ROLE_METHOD;
}

/* What it executes later is no other process. */
static void process_starts(struct phase_state *s, int32_t pid, uint64_t start_ticks, enum role role)
{
	if (!holds_phase(role) || s->n_alive == PHASE_PROCESSES || phase_has(s, pid, start_ticks))
		return;
	s->alive[s->n_alive].pid = pid;
	s->alive[s->n_alive++].start_ticks = start_ticks;
	switch (role) {
	case ROLE_DPKG:
		/* Seen only after its first lines, its action is known already. */
		if (!s->log_open)
			s->action = PHASE_READ;
		s->dpkgs++;
		s->had_dpkg = true;
		break;
	case ROLE_INITRAMFS:
		s->builders++;
		break;
	case ROLE_METHOD:
		s->methods++;
		break;
	default:
		break;
	}
}

static void one_less(int *count)
{
	if (*count > 0)
		--*count;
}

/* An end is told twice if its status came to light later. */
static void process_ends(struct phase_state *s, int32_t pid, uint64_t start_ticks, enum role role)
{
	int at = place_of(s, pid, start_ticks);

	if (at < 0)
		return;
	s->alive[at] = s->alive[--s->n_alive];
	/* Equal states are equal in all their bytes. */
	memset(&s->alive[s->n_alive], 0, sizeof(*s->alive));
	switch (role) {
	case ROLE_DPKG:
		one_less(&s->dpkgs);
		if (s->dpkgs == 0) {
			s->log_open = false;
			s->action = PHASE_READ;
		}
		break;
	case ROLE_INITRAMFS:
		one_less(&s->builders);
		break;
	case ROLE_METHOD:
		one_less(&s->methods);
		break;
	default:
		break;
	}
}

void phase_event(struct phase_state *s, const struct event *e)
{
	switch (e->kind) {
	case EVENT_UPGRADE:
		phase_init(s);
		s->running = true;
		break;
	case EVENT_PACKAGE:
		package_line(s, &e->package);
		break;
	case EVENT_EXEC:
		process_starts(s, e->exec.pid, e->exec.start_ticks, e->exec.role);
		break;
	case EVENT_EXIT:
		process_ends(s, e->exit.pid, e->exit.start_ticks, e->exit.role);
		break;
	case EVENT_END:
		s->running = false;
		break;
	default:
		break;
	}
}

enum phase phase_now(const struct phase_state *s)
{
	if (!s->running)
		return PHASE_NONE;
	if (s->builders > 0)
		return PHASE_INITRAMFS;
	if (s->dpkgs > 0 || s->log_open)
		return s->action;
	if (s->methods > 0)
		return PHASE_DOWNLOAD;
	return s->had_dpkg ? PHASE_BETWEEN : PHASE_PREPARE;
}

bool phase_reveals_between(const struct phase_state *s, const struct event *e)
{
	return s->running && s->log_open && e->kind == EVENT_PACKAGE &&
	       e->package.verb == VERB_STARTUP;
}

bool phase_wants_boundary(const struct phase_state *s, const struct event *e)
{
	struct phase_state after = *s;

	/* Nothing can be seen any more of what happened before we looked. */
	if (!s->running || (e->kind == EVENT_PACKAGE && event_time(e) < e->at.mono_ns))
		return false;
	/* Of a dpkg that no process tells of, any line may be the last. */
	if (s->dpkgs == 0 && e->kind == EVENT_PACKAGE)
		return true;
	phase_event(&after, e);
	return phase_now(&after) != phase_now(s);
}
