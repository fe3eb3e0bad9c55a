/* attach.c - which upgrade is watched: found, begun, and followed from dpkg to dpkg. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/field.h"
#include "dpkgtop/mode.h"
#include "dpkgtop/software.h"
#include "dpkgtop/units.h"
#include "own.h"
#include "state.h"

#define LOG "/var/log/dpkg.log"

/* How long a resident frontend may hold no lock before its upgrade is taken to be over: aptitude
 * holds none between two dpkgs. */
#define QUIET_NS INT64_C(5000000000)

/* --- the log ------------------------------------------------------------------------------- */

static void log_ready(void *context, int fd, unsigned events)
{
	struct session *s = context;

	(void)fd, (void)events;
	/* An exit that came first must be told first: it closes the dpkg that the next startup
	 * line would otherwise seem to follow without a pause. And a startup line may be the
	 * first sign of the next dpkg: know that before its lines are taken. */
	session_check_ends(s);
	attach_look(s, false);
	session_read_log(s);
	session_settle(s);
}

void attach_forget_log(struct session *s)
{
	if (!s->log)
		return;
	loop_forget(s->loop, dpkglog_fd(s->log));
	dpkglog_close(s->log);
	s->log = NULL;
}

void attach_follow_log(struct session *s, const struct place *place, const char *path,
                       enum dpkglog_from from, int64_t since)
{
	attach_forget_log(s);
	s->log_place = place;
	snprintf(s->log_path, sizeof(s->log_path), "%s", path);
	if (dpkglog_open(&s->log, place, path, from, since, NULL) == 0)
		loop_watch(s->loop, dpkglog_fd(s->log), log_ready, s);
}

void attach_log(struct session *s)
{
	attach_follow_log(s, &s->host, s->options.log ? s->options.log : LOG, DPKGLOG_END, 0);
}

/* It runs no more; the next look is a second away. */
static void strike(struct upgrade_list *list, int32_t root, uint64_t start_ticks)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->runs[i].root != root || list->runs[i].root_start_ticks != start_ticks)
			list->runs[kept++] = list->runs[i];
	list->count = kept;
}

void attach_leave(struct session *s)
{
	strike(&s->list, s->upgrade.pid, s->upgrade.start_ticks);
	attach_log(s);
	place_close(&s->foreign);
	place_close(&s->upgraded);
	s->place = s->target.place = &s->host;
	s->place_pid = 0;
	s->resident = false;
}

const struct place *attach_log_of(const struct session *s, const struct upgrade_run *run, char *ret,
                                  size_t size)
{
	bool host = false;

	if (s->options.log) {
		snprintf(ret, size, "%s", s->options.log);
		return &s->host;
	}
	if (!run->dpkg || upgrade_log_path(&s->roots, s->place, run->dpkg, ret, size, &host))
		snprintf(ret, size, "%s", LOG);
	return host ? &s->host : s->place;
}

/* --- the storage --------------------------------------------------------------------------- */

void attach_describe(struct session *s)
{
	const char *path = s->options.path ? s->options.path : s->options.admindir;
	struct event e = {.kind = EVENT_STORAGE};
	bool ours = s->target.place == &s->host;

	/* --admindir is a path of ours; in another root it is the usual one. */
	device_describe(&s->roots, s->target.place, s->place_pid, ours ? path : "/var/lib/dpkg",
	                &e.storage);
	if (memcmp(&e.storage, &s->facts, sizeof(s->facts)) == 0)
		return;
	s->facts = e.storage;
	e.at = stamp_now();
	session_emit(s, &e);
}

/* --- one dpkg after the other -------------------------------------------------------------- */

void attach_tell_plan(struct session *s, const struct plan_event *p)
{
	struct event e = {.at = s->at, .kind = EVENT_PLAN, .plan = *p};

	s->planned = true;
	session_emit(s, &e);
}

/* Those that write history.log, as everything on libapt does; unattended-upgrade writes a list for
 * each of its small steps, and so none of the whole. */
static bool uses_libapt(const char *frontend)
{
	static const char *const others[] = {"dpkg",    "debootstrap",     "cdebootstrap",
	                                     "dselect", "unattended-upgr", NULL};

	return word_find(others, frontend, strlen(frontend)) < 0;
}

/* A frontend on libapt writes its lists before it starts the first dpkg; a plain dpkg has them in
 * its words. */
void attach_look_for_plan(struct session *s, const struct upgrade_run *run)
{
	char path[64], *words = NULL;
	struct plan_event p;
	size_t room = 0;
	ssize_t len;
	int r = -ENODATA;

	if (s->planned)
		return;
	if (run->root != run->dpkg) {
		if (uses_libapt(run->frontend))
			r = upgrade_plan(s->options.history ? &s->host : s->place,
			                 s->options.history ? s->options.history
			                                    : "/var/log/apt/history.log",
			                 &p);
	} else {
		snprintf(path, sizeof(path), "%d/cmdline", run->dpkg);
		len = roots_read_whole(s->roots.proc, path, &words, &room);
		if (len > 0)
			r = upgrade_plan_of_command(words, (size_t)len, &p);
		free(words);
	}
	if (r == 0)
		attach_tell_plan(s, &p);
}

void attach_tell_mode(struct session *s, int32_t dpkg)
{
	struct event e = {.at = s->at, .kind = EVENT_MODE};

	mode_find(&s->roots, s->place, dpkg, &e.mode);
	session_emit(s, &e);
}

void attach_add(struct session *s, enum role role, int32_t pid, uint64_t start_ticks,
                const char *command)
{
	struct exec_event exec = {.pid = pid, .start_ticks = start_ticks, .role = role};

	snprintf(exec.command, sizeof(exec.command), "%s", command);
	life_add(&s->life, &exec);
}

static void follow_dpkg(struct session *s, const struct upgrade_run *run)
{
	if (!run->dpkg || life_has(&s->life, run->dpkg, run->dpkg_start_ticks))
		return;
	attach_look_for_plan(s, run);
	attach_tell_mode(s, run->dpkg);
	attach_add(s, ROLE_DPKG, run->dpkg, run->dpkg_start_ticks, run->dpkg_command);
	if (s->model.phase.log_open)
		life_started(&s->life);
}

void attach_dpkg(struct session *s, int32_t pid, uint64_t start_ticks, const char *command)
{
	struct upgrade_run run = {.dpkg = pid,
	                          .dpkg_start_ticks = start_ticks,
	                          .root = s->target.pid,
	                          .root_start_ticks = s->target.start_ticks};

	if (s->options.child.pid) {
		child_dpkg(s, pid, start_ticks, command);
		return;
	}
	snprintf(run.frontend, sizeof(run.frontend), "%s", s->upgrade.frontend);
	snprintf(run.dpkg_command, sizeof(run.dpkg_command), "%s", command);
	follow_dpkg(s, &run);
}

/* --- the upgrade --------------------------------------------------------------------------- */

/* CLOCK_MONOTONIC when a process started. The kernel counts its starts since boot, suspended time
 * included (proc(5), stat field 22). */
int64_t attach_started_ns(const struct session *s, uint64_t start_ticks)
{
	int64_t suspended = s->at.boot_ns - s->at.mono_ns;
	int64_t ns = (int64_t)start_ticks * s->model.header.tick_ns - suspended;

	return ns < s->at.mono_ns ? ns : s->at.mono_ns;
}

int64_t attach_age(const struct session *s, uint64_t start_ticks)
{
	int64_t age = s->at.mono_ns - attach_started_ns(s, start_ticks);

	return age >= INT64_C(1000000000) ? age : 0;
}

/* debootstrap works outside of the root that its dpkg works in: dpkg's is the one that counts. With
 * --root=X, what is configured is found in dpkg's own root, and what is upgraded lies in X. */
void attach_place(struct session *s, const struct upgrade_run *run)
{
	int32_t who = run->dpkg ? run->dpkg : run->root;

	place_close(&s->foreign);
	place_close(&s->upgraded);
	s->place = s->target.place = &s->host;
	s->place_pid = 0;
	if (!*run->where)
		return;
	if (place_open_process(&s->foreign, &s->roots, who) == 0 &&
	    !place_same(&s->foreign, &s->host)) {
		s->place = s->target.place = &s->foreign;
		s->place_pid = who;
	} else if (place_open_path(&s->upgraded, run->where) == 0) {
		s->target.place = &s->upgraded;
	}
}

/* The dpkg that runs is that of its own root, also with --root=X. */
void attach_tell_software(struct session *s)
{
	struct event e = {.at = s->at, .kind = EVENT_SOFTWARE};
	char path[4096];

	snprintf(path, sizeof(path), "%s/status",
	         s->place == &s->host ? s->options.admindir : "/var/lib/dpkg");
	software_find(s->place, path, &e.software);
	session_emit(s, &e);
}

void attach_begin(struct session *s, const struct upgrade_event *u)
{
	struct event e = {.kind = EVENT_UPGRADE, .upgrade = *u};

	s->planned = false;
	s->quiet_ns = 0;
	life_clear(&s->life);
	s->target.pid = u->pid;
	s->target.start_ticks = u->start_ticks;
	probing_watch(s, u->pid, u->start_ticks);
	attach_describe(s);
	e.at = s->at = stamp_now();
	attach_tell_software(s);
	s->own_before_ns = own_cpu_ns();
	s->upgrade = *u;
	s->started = false;
	e.at = s->at = stamp_now();
	session_emit(s, &e);
}

/* Its end tells itself by its pidfd; not that of a process that was gone before it had one. */
static void look_for_root(struct session *s)
{
	struct process_counters p;

	if (!session_running(s) || life_has(&s->life, s->target.pid, s->target.start_ticks) ||
	    (process_identify(&s->roots, s->target.pid, &p) == 0 &&
	     p.start_ticks == s->target.start_ticks))
		return;
	session_read_log(s);
	s->at = stamp_now();
	session_end(s, STATUS_UNKNOWN, false);
}

void attach_past_line(struct session *s, const struct event *e)
{
	struct event again = {.at = e->at, .kind = EVENT_UPGRADE, .upgrade = s->upgrade};

	/* The log's stamps are whole seconds, so the end of an earlier run may stand before the
	 * beginning of this one. Every dpkg begins with a startup line, and a dpkg that is its own
	 * frontend with just one. */
	if (e->package.verb != VERB_STARTUP || (s->started && strcmp(s->upgrade.frontend, "dpkg")))
		return;
	s->started = true;
	session_emit(s, &again);
}

/* What the log tells of the time before comes before anything that is seen now. */
static void attach(struct session *s, const struct upgrade_run *run)
{
	struct upgrade_event u = {.pid = run->root, .start_ticks = run->root_start_ticks};
	char log[LOG_PATH_ROOM];
	const struct place *log_place;
	int64_t since;

	s->at = stamp_now();
	/* A resident frontend has lived long before its upgrade. */
	u.since_ns = run->resident ? s->at.mono_ns : attach_started_ns(s, run->root_start_ticks);
	snprintf(u.frontend, sizeof(u.frontend), "%s", run->frontend);
	snprintf(u.command, sizeof(u.command), "%s", run->command);
	snprintf(u.where, sizeof(u.where), "%s", run->where);
	s->resident = run->resident;
	attach_place(s, run);
	attach_begin(s, &u);
	since = s->at.real_ns - (s->at.mono_ns - u.since_ns);
	log_place = attach_log_of(s, run, log, sizeof(log));
	attach_follow_log(s, log_place, log, DPKGLOG_SINCE, since);
	session_read_log(s);
	s->at = stamp_now();
	session_sample(s, SAMPLE_FULL, &s->at);
	if (run->root != run->dpkg)
		attach_add(s, ROLE_FRONTEND, run->root, run->root_start_ticks, run->command);
	follow_dpkg(s, run);
	look_for_root(s);
	session_tell_change(s);
}

bool attach_lists(const struct session *s, int32_t root)
{
	for (size_t i = 0; i < s->list.count; i++)
		if (s->list.runs[i].root == root && s->list.runs[i].dpkg != root)
			return true;
	return false;
}

static const struct upgrade_run *find(const struct session *s, int32_t root, uint64_t start_ticks)
{
	for (size_t i = 0; i < s->list.count; i++)
		if (s->list.runs[i].root == root && s->list.runs[i].root_start_ticks == start_ticks)
			return &s->list.runs[i];
	return NULL;
}

/* The one that is begun without being asked for: this machine's own first. */
static const struct upgrade_run *best(const struct session *s)
{
	const struct upgrade_run *found = NULL;

	for (size_t i = 0; i < s->list.count; i++) {
		const struct upgrade_run *run = &s->list.runs[i];

		if (run->trusted && !*run->where)
			return run;
		if (run->trusted && !found)
			found = run;
	}
	return found;
}

/* A resident frontend's upgrade is over when it has held no lock for a while. */
static void look_for_quiet(struct session *s, const struct upgrade_run *run)
{
	s->at = stamp_now();
	if (run || !s->resident)
		s->quiet_ns = 0;
	else if (!s->quiet_ns)
		s->quiet_ns = s->at.mono_ns;
	else if (s->at.mono_ns - s->quiet_ns >= QUIET_NS)
		session_end(s, STATUS_UNKNOWN, true);
}

int attach_list(struct session *s)
{
	const struct session_options *o = &s->options;

	if (session_running(s))
		return upgrade_list_again(&s->roots, o->admindir, o->only_own, &s->list_memory,
		                          &s->list);
	/* What is begun is begun on what is so now. */
	s->list_memory.left = 0;
	return upgrade_list(&s->roots, o->admindir, o->only_own, &s->list);
}

/* Whether a look at the locks could show nothing new of the upgrade that is watched. */
static bool knows_dpkgs(const struct session *s)
{
	uint64_t start_ticks;
	bool at_work = life_dpkg(&s->life, &start_ticks) != 0;

	/* Where a child's dpkg writes its log is known only once it has opened it; the next ones
	 * of the same frontend write there too, or in words, or are seen with the others. */
	if (s->options.child.pid)
		return at_work && (s->model.phase.log_open || s->log_known);
	/* The probe tells of the next one that the frontend starts. */
	return at_work || (s->probe && s->probe_unwatched == 0 && !s->resident);
}

void attach_look(struct session *s, bool others)
{
	const struct upgrade_run *run;

	if (session_running(s) && !others && knows_dpkgs(s))
		return;
	if (s->options.child.pid) {
		child_look(s);
		return;
	}
	if (attach_list(s) < 0)
		return;
	if (session_running(s)) {
		run = find(s, s->target.pid, s->target.start_ticks);
		if (run) {
			s->at = stamp_now();
			follow_dpkg(s, run);
		}
		look_for_quiet(s, run);
		look_for_root(s);
	} else if (s->model.state == MODEL_WAITING) {
		run = best(s);
		if (run)
			attach(s, run);
	}
}

int session_choose(struct session *s, int32_t root, uint64_t start_ticks)
{
	const struct upgrade_run *run;

	s->list_memory.left = 0; /* as what is begun */
	attach_look(s, true);
	run = find(s, root, start_ticks);
	if (!run)
		return -ESRCH;
	if (!session_running(s) || s->target.pid != root || s->target.start_ticks != start_ticks)
		attach(s, run);
	return 0;
}

const struct upgrade_list *session_upgrades(const struct session *s)
{
	return &s->list;
}
