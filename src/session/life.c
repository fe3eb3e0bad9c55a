/* life.c - the processes that matter, from their start to their end. */
#include "life.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/pidfd.h"
#include "role.h"

/* A parent that is so long in waiting for its child never will. */
#define STATUS_TRIES 8

void life_init(struct life *l, struct loop *loop, const struct roots *roots,
               void (*happened)(void *, struct event *), void (*ended)(void *), void *context)
{
	memset(l, 0, sizeof(*l));
	l->loop = loop;
	l->roots = roots;
	l->happened = happened;
	l->ended = ended;
	l->context = context;
}

static void drop(struct life *l, size_t at)
{
	if (l->items[at].fd >= 0) {
		loop_forget(l->loop, l->items[at].fd);
		close(l->items[at].fd);
	}
	/* Order is kept: a script stands behind the one that it is nested in. */
	l->count--;
	memmove(&l->items[at], &l->items[at + 1], (l->count - at) * sizeof(*l->items));
}

void life_clear(struct life *l)
{
	while (l->count)
		drop(l, l->count - 1);
	l->n_links = 0;
}

void life_done(struct life *l)
{
	life_clear(l);
	free(l->links);
	l->links = NULL;
}

static const struct life_process *find(const struct life *l, int32_t pid)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->items[i].pid == pid && !l->items[i].ended)
			return &l->items[i];
	return NULL;
}

bool life_has(const struct life *l, int32_t pid, uint64_t start_ticks)
{
	const struct life_process *p = find(l, pid);

	return p && p->start_ticks == start_ticks;
}

static void readable(void *context, int fd, unsigned events)
{
	struct life *l = context;

	(void)fd, (void)events;
	l->ended(l->context);
}

static bool builds(const struct exec_event *exec)
{
	return strcmp(exec->script, "mkinitramfs") == 0 || strcmp(exec->script, "dracut") == 0;
}

/* `told`: by the probe, which will tell of its end too, so that one that is gone already is told
 * all the same. Else it is not: its end would be told with the next one's lines. */
static void begin(struct life *l, const struct exec_event *exec, const struct life_process *above,
                  bool told, int64_t begun_ns)
{
	struct event e = {.kind = EVENT_EXEC, .exec = *exec};
	struct life_process *p = &l->items[l->count];
	int32_t above_pid = above ? above->pid : 0;
	int fd = pidfd_of(exec->pid);

	if (fd == -ESRCH && !told)
		return;
	l->count++;
	*p = (struct life_process){
		.pid = exec->pid,
		.parent = exec->parent,
		.above = above_pid,
		.start_ticks = exec->start_ticks,
		.role = exec->role,
		.silent = exec->role == ROLE_INITRAMFS && !builds(exec),
		.begun_ns = begun_ns,
		.fd = fd < 0 ? -1 : fd,
	};
	snprintf(p->package, sizeof(p->package), "%s", exec->package);
	snprintf(p->script, sizeof(p->script), "%s", exec->script);
	if (p->fd >= 0)
		loop_watch(l->loop, p->fd, readable, l);
	if (p->silent)
		memcpy(p->command, exec->command, sizeof(p->command));
	else
		l->happened(l->context, &e);
}

static bool can_begin(const struct life *l, const struct exec_event *exec)
{
	return l->count < LIFE_ROOM && !life_has(l, exec->pid, exec->start_ticks);
}

void life_add(struct life *l, const struct exec_event *exec)
{
	if (can_begin(l, exec))
		begin(l, exec, NULL, false, 0);
}

void life_add_told(struct life *l, const struct exec_event *exec)
{
	if (can_begin(l, exec))
		begin(l, exec, NULL, true, 0);
}

int life_role_of(const struct life *l, int32_t pid, uint64_t start_ticks)
{
	return life_has(l, pid, start_ticks) ? (int)find(l, pid)->role : -1;
}

void life_becomes_dpkg(struct life *l, const struct exec_event *exec, bool logged)
{
	struct event e = {.kind = EVENT_EXEC, .exec = *exec};

	for (size_t i = 0; i < l->count; i++) {
		struct life_process *p = &l->items[i];

		if (p->pid != exec->pid || p->start_ticks != exec->start_ticks || p->ended)
			continue;
		p->role = e.exec.role = ROLE_DPKG;
		p->logged = logged;
		l->happened(l->context, &e);
		return;
	}
}

/* Some parents take their time, and some kernels tell nothing after them: a zombie is asked first.
 * `again`: once is enough. */
static int32_t status_of(const struct life *l, const struct life_process *p, bool again)
{
	int32_t status;
	int wait_status;

	if (p->fd < 0)
		return STATUS_UNKNOWN;
	status = pidfd_wait_status(p->fd, 1);
	if (status == STATUS_UNKNOWN &&
	    process_zombie_status(l->roots, p->pid, p->start_ticks, &wait_status) == 0)
		status = pidfd_shell_status(wait_status);
	return status == STATUS_UNKNOWN && !again ? pidfd_wait_status(p->fd, 10) : status;
}

static void tell_end(struct life *l, size_t at)
{
	struct life_process *p = &l->items[at];
	struct event e = {.kind = EVENT_EXIT};
	bool again = p->ended;

	if (p->silent) {
		drop(l, at);
		return;
	}
	e.exit = (struct exit_event){
		.pid = p->pid,
		.start_ticks = p->start_ticks,
		.role = p->role,
		.status = status_of(l, p, again),
	};
	if (p->fd >= 0 && e.exit.status == STATUS_UNKNOWN && ++p->tries < STATUS_TRIES) {
		/* It stays readable, and nothing is to be learned by looking all the time. */
		if (!again)
			loop_forget(l->loop, p->fd);
		p->ended = true;
	} else {
		drop(l, at);
	}
	if (!again || e.exit.status != STATUS_UNKNOWN)
		l->happened(l->context, &e);
}

/* Of those that are due to be asked, whoever has ended indeed stays so. */
static void ask_due(struct life *l)
{
	struct pollfd fds[LIFE_ROOM];

	for (size_t i = 0; i < l->count; i++)
		fds[i].fd = l->items[i].due ? l->items[i].fd : -1;
	pidfd_ended(fds, l->count);
	for (size_t i = 0; i < l->count; i++)
		l->items[i].due = fds[i].revents != 0;
}

bool life_any_ended(struct life *l)
{
	bool any = false;

	for (size_t i = 0; i < l->count; i++)
		l->items[i].due = true;
	ask_due(l);
	for (size_t i = 0; i < l->count; i++)
		any |= l->items[i].due && !l->items[i].ended;
	return any;
}

bool life_startup(struct life *l)
{
	bool any = false, own = false;

	for (size_t i = 0; i < l->count; i++) {
		struct life_process *p = &l->items[i];

		p->due = false;
		if (p->role != ROLE_DPKG || own)
			continue;
		p->due = p->logged;
		if (!p->logged || p->fd < 0)
			own = p->logged = true;
	}
	ask_due(l);
	for (size_t i = 0; i < l->count; i++)
		any |= l->items[i].due;
	return any;
}

void life_started(struct life *l)
{
	if (l->count && l->items[l->count - 1].role == ROLE_DPKG)
		l->items[l->count - 1].logged = true;
}

void life_check(struct life *l)
{
	/* Backwards: children end before their parents. */
	for (size_t i = l->count; i > 0; i--)
		if (i <= l->count && l->items[i - 1].due)
			tell_end(l, i - 1);
}

static int by_pid(const void *a, const void *b)
{
	const struct life_link *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Nobody: 0. By rising pid, as samples are. */
static int32_t parent_of(const struct life *l, int32_t pid)
{
	const struct life_link key = {.pid = pid}, *link = NULL;

	if (l->n_links)
		link = bsearch(&key, l->links, l->n_links, sizeof(key), by_pid);
	return link ? link->parent : 0;
}

/* The nearest that matters, from `parent` on upwards as the last sample had it; NULL. */
static const struct life_process *above_in(const struct life *l, int32_t parent)
{
	for (int depth = 0; parent && depth < 64; depth++) {
		const struct life_process *found = find(l, parent);

		if (found)
			return found;
		parent = parent_of(l, parent);
	}
	return NULL;
}

static void keep_links(struct life *l, const struct sample *s)
{
	l->links = mem_grow(l->links, &l->links_room, s->n_processes, sizeof(*l->links));
	for (size_t i = 0; i < s->n_processes; i++)
		l->links[i] = (struct life_link){s->processes[i].pid, s->processes[i].parent};
	l->n_links = s->n_processes;
}

/* Whether a process from `above` on upwards is what `exec` says already: debconf's frontend runs
 * the same script below itself, update-initramfs runs mkinitramfs. */
static bool nested(const struct life *l, const struct life_process *above,
                   const struct exec_event *exec)
{
	for (int depth = 0; above && depth < 64; depth++) {
		if (above->role == exec->role &&
		    (exec->role == ROLE_INITRAMFS || (strcmp(above->package, exec->package) == 0 &&
		                                      strcmp(above->script, exec->script) == 0)))
			return true;
		above = find(l, above->above);
	}
	return false;
}

/* Whose script a tool works for: "PACKAGE postinst". */
static void tell_origin(const struct life *l, const struct life_process *above,
                        struct exec_event *exec)
{
	for (int depth = 0; above && depth < 64; depth++) {
		if (above->role == ROLE_SCRIPT && *above->package) {
			snprintf(exec->package, sizeof(exec->package), "%.71s %s", above->package,
			         above->script);
			return;
		}
		above = find(l, above->above);
	}
}

static bool is_frontend(const struct life *l, int32_t pid)
{
	const struct life_process *p = find(l, pid);

	return p && p->role == ROLE_FRONTEND;
}

/* Fills what `exec`, which has its pids and command, is to the upgrade; false: nothing new. */
static bool has_role(const struct life *l, const char *name, struct exec_event *exec)
{
	return can_begin(l, exec) &&
	       role_of(name, exec->command, is_frontend(l, exec->parent), exec);
}

/* Whoever is silent above what builds now is at work indeed. */
static void end_silence(struct life *l, const struct life_process *above, int64_t now_ns)
{
	for (int depth = 0; above && depth < 64; depth++) {
		struct life_process *p = &l->items[above - l->items];
		struct event e = {.kind = EVENT_EXEC};

		above = find(l, p->above);
		if (!p->silent)
			continue;
		p->silent = false;
		e.exec = (struct exec_event){.pid = p->pid,
		                             .parent = p->parent,
		                             .start_ticks = p->start_ticks,
		                             .role = p->role,
		                             .ago_ns = now_ns - p->begun_ns};
		memcpy(e.exec.command, p->command, sizeof(p->command));
		memcpy(e.exec.package, p->package, sizeof(p->package));
		memcpy(e.exec.script, p->script, sizeof(p->script));
		l->happened(l->context, &e);
	}
}

/* Fills what it is to those above it; false: a part of one of them. */
static bool is_own(struct life *l, const struct life_process *above, struct exec_event *exec,
                   int64_t now_ns)
{
	if (exec->role == ROLE_INITRAMFS && builds(exec))
		end_silence(l, above, now_ns);
	if (nested(l, above, exec))
		return false;
	if (exec->role == ROLE_INITRAMFS || exec->role == ROLE_STEP)
		tell_origin(l, above, exec);
	return true;
}

static void look_for_ends(struct life *l, const struct sample *s)
{
	for (size_t i = l->count; i > 0; i--) {
		const struct life_process *p = &l->items[i - 1];
		const struct process_counters *now = sample_process(s, p->pid);

		if (p->fd < 0 && !p->ended && (!now || now->start_ticks != p->start_ticks))
			tell_end(l, i - 1);
	}
}

int32_t life_dpkg(const struct life *l, uint64_t *ret_start_ticks)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->items[i].role != ROLE_DPKG || l->items[i].ended)
			continue;
		*ret_start_ticks = l->items[i].start_ticks;
		return l->items[i].pid;
	}
	return 0;
}

static bool is_gone(const struct life *l, const struct process_counters *p)
{
	for (size_t i = 0; i < GONE_ROOM; i++)
		if (l->gone[i].pid == p->pid && l->gone[i].start_ticks == p->start_ticks)
			return true;
	return p->state == 'Z';
}

void life_sample(struct life *l, const struct sample *s)
{
	if (!sample_has(s, GROUP_PROCESSES))
		return;
	look_for_ends(l, s);
	keep_links(l, s);
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_counters *p = &s->processes[i];
		const struct life_process *above;
		struct exec_event exec = {
			.pid = p->pid, .parent = p->parent, .start_ticks = p->start_ticks};

		snprintf(exec.command, sizeof(exec.command), "%s", p->command);
		if (is_gone(l, p) || !has_role(l, p->name, &exec))
			continue;
		above = above_in(l, p->parent);
		if (is_own(l, above, &exec, s->at.mono_ns))
			begin(l, &exec, above, false, s->at.mono_ns);
	}
}

static const struct life_process *above_of(const struct life *l, const struct probe_event *e)
{
	const struct life_process *above = find(l, e->parent);

	if (!above)
		above = find(l, e->above);
	return above ? above : above_in(l, e->above ? e->above : e->parent);
}

bool life_is_frontends(const struct life *l, const struct probe_event *e)
{
	const struct life_process *above = above_of(l, e);

	return above && above->role == ROLE_FRONTEND;
}

void life_exec(struct life *l, const struct probe_event *e)
{
	struct exec_event exec = {
		.pid = e->pid, .parent = e->parent, .start_ticks = e->start_ticks};
	const struct life_process *above;

	snprintf(exec.command, sizeof(exec.command), "%s", e->command);
	if (!has_role(l, e->name, &exec))
		return;
	above = above_of(l, e);
	if (is_own(l, above, &exec, e->at_ns))
		begin(l, &exec, above, true, e->at_ns);
}

void life_exit(struct life *l, const struct probe_event *e)
{
	struct event told = {.kind = EVENT_EXIT};
	bool silent;

	for (size_t i = l->count; i > 0; i--) {
		const struct life_process *p = &l->items[i - 1];

		if (p->pid != e->pid || p->start_ticks != e->start_ticks)
			continue;
		told.exit = (struct exit_event){.pid = p->pid,
		                                .start_ticks = p->start_ticks,
		                                .role = p->role,
		                                .status = e->status};
		l->gone[l->n_gone % GONE_ROOM].pid = p->pid;
		l->gone[l->n_gone++ % GONE_ROOM].start_ticks = p->start_ticks;
		silent = p->silent;
		drop(l, i - 1);
		if (!silent)
			l->happened(l->context, &told);
		return;
	}
}
