/* child.c - the upgrade is a child of ours: a command that is run, or the demo's dpkg. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"
#include "own.h"
#include "role.h"
#include "state.h"

/* apt below sudo below a script below a script is few; a tree read while it changes may loop. */
#define CLIMB_MAX 64

static void describe(const struct session *s, struct upgrade_event *ret)
{
	const struct session_child *c = &s->options.child;

	*ret = (struct upgrade_event){
		.pid = c->pid,
		.start_ticks = s->target.start_ticks,
		.since_ns = UNKNOWN_NS,
	};
	text_printable_string(ret->frontend, sizeof(ret->frontend), c->name);
	text_printable_string(ret->command, sizeof(ret->command), c->command);
}

/* A dpkg whose log and work are known. */
static void begin_dpkg(struct session *s)
{
	struct upgrade_event u;

	describe(s, &u);
	attach_begin(s, &u);
	session_sample(s, SAMPLE_FULL, &s->at);
	attach_follow_log(s, &s->host, s->options.log, DPKGLOG_START, 0);
	attach_tell_plan(s, &s->options.child.plan);
	attach_tell_mode(s, u.pid);
	attach_add(s, ROLE_DPKG, u.pid, u.start_ticks, u.command);
}

int child_open(struct session *s, struct err *e)
{
	const struct session_child *c = &s->options.child;
	struct process_counters p;
	int r = process_identify(&s->roots, c->pid, &p);

	if (r < 0)
		return err_set(e, r, "can not see process %d: %s", c->pid, strerror(-r));
	s->target.pid = c->pid;
	s->target.start_ticks = p.start_ticks;
	if (c->is_dpkg) {
		begin_dpkg(s);
		return 0;
	}
	/* Its words are the caller's, who may let go of them. */
	describe(s, &s->upgrade);
	/* All that takes time is done while it is held; the log too is followed before its first
	 * line. */
	probing_watch(s, c->pid, p.start_ticks);
	attach_describe(s);
	attach_log(s);
	s->at = stamp_now();
	attach_tell_software(s);
	return 0;
}

void session_child_runs(struct session *s, const struct stamp *at)
{
	struct event e = {.at = *at, .kind = EVENT_UPGRADE};

	e.upgrade = s->upgrade;
	s->at = *at;
	s->own_before_ns = own_cpu_ns();
	session_emit(s, &e);
	session_sample(s, SAMPLE_FULL, at);
	attach_add(s, ROLE_FRONTEND, e.upgrade.pid, e.upgrade.start_ticks, e.upgrade.command);
	if (role_is_dpkg_at_work(e.upgrade.frontend, e.upgrade.command))
		child_dpkg(s, e.upgrade.pid, e.upgrade.start_ticks, e.upgrade.command);
	session_tell_change(s);
}

void session_child_ended(struct session *s, int32_t status)
{
	if (!session_running(s))
		return;
	session_check_ends(s);
	if (session_running(s)) {
		session_read_log(s);
		s->at = stamp_now();
		session_end(s, status, false);
	}
	session_settle(s);
}

size_t session_filesystems(const struct session *s, int ret[SPACES_MAX])
{
	return space_directories(s->target.place, ret);
}

/* --- what works below it ------------------------------------------------------------------- */

/* By its living parents: what was left behind and now belongs to init is no part of it. 1 or 0; -1
 * if it ended while it was looked at, and nobody knows. */
static int is_below(const struct session *s, int32_t pid)
{
	struct process_counters p;

	for (int i = 0; i < CLIMB_MAX && pid > 1; i++) {
		if (pid == s->target.pid)
			return 1;
		if (process_identify(&s->roots, pid, &p) < 0)
			return -1;
		pid = p.parent;
	}
	return 0;
}

/* What has just been told must not be followed by what is older. */
static void catch_up(struct session *s)
{
	struct stamp before = s->at;

	if (s->at.mono_ns >= s->model.now.mono_ns)
		return;
	s->at = stamp_now();
	if (s->from_probe)
		s->late_ns += s->at.mono_ns - before.mono_ns;
}

/* Also one that is just ending: its root goes before it does. */
static bool has_ended(const struct session *s, int32_t pid, uint64_t start_ticks)
{
	struct process_counters p;
	struct place root;
	int r;

	if (process_identify(&s->roots, pid, &p) < 0 || p.state == 'Z' ||
	    p.start_ticks != start_ticks)
		return true;
	r = place_open_process(&root, &s->roots, pid);
	if (r == 0)
		place_close(&root);
	return r == -ENOENT || r == -ESRCH;
}

/* Where a process that has ended worked can not be opened: all stays as it was. */
static void move_to(struct session *s, const struct upgrade_run *run)
{
	bool same = strcmp(run->where, s->child_where) == 0 &&
	            (strcmp(run->where, "?") != 0 || s->place_pid == run->dpkg);

	if (!same && has_ended(s, run->dpkg, run->dpkg_start_ticks))
		return;
	if (!same) {
		if (s->log_place != &s->host) {
			session_read_log(s);
			attach_forget_log(s);
		}
		attach_place(s, run);
		snprintf(s->child_where, sizeof(s->child_where), "%s", run->where);
		catch_up(s);
		attach_tell_software(s);
		attach_describe(s);
	} else if (s->place == &s->foreign) {
		s->place_pid = run->dpkg;
	}
}

static void count_startup(void *context, const struct event *e)
{
	if (e->package.verb == VERB_STARTUP)
		++*(int *)context;
}

/* Another dpkg may have written to that log within the same second, which is all that its stamps
 * tell. Of those that are there, the last startup line is that of the one that holds the lock. */
static int count_startups(const struct place *place, const char *path, int64_t since)
{
	struct stamp now = stamp_now();
	struct dpkglog *log;
	int count = 0;

	if (dpkglog_open(&log, place, path, DPKGLOG_SINCE, since, NULL) < 0)
		return 0;
	dpkglog_read(log, &now, count_startup, &count);
	dpkglog_close(log);
	return count;
}

/* The kernel counts starts of processes by so much, and stamps files no finer. */
#define STAMPS_NS INT64_C(10000000)

/* Whether nothing was written to the log since then. */
static bool is_older(const struct place *place, const char *path, int64_t since)
{
	struct stat st;
	int fd = place_open(place, path, &st);

	if (fd < 0)
		return false;
	close(fd);
	return st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec < since - STAMPS_NS;
}

static void follow_its_log(struct session *s, const struct place *place, const char *path,
                           const struct upgrade_run *run)
{
	int64_t age = s->at.mono_ns - attach_started_ns(s, run->dpkg_start_ticks);
	int64_t since = s->at.real_ns - age;

	if (s->log && place == s->log_place && strcmp(path, s->log_path) == 0)
		return;
	session_read_log(s);
	s->startups_awaited = 0;
	if (is_older(place, path, since)) {
		attach_follow_log(s, place, path, DPKGLOG_END, 0);
		/* It may have written its first line before that end was looked up. */
		if (is_older(place, path, since))
			return;
	}
	s->startups_awaited = count_startups(place, path, since);
	if (s->startups_awaited == 0)
		s->startups_awaited = 1;
	attach_follow_log(s, place, path, DPKGLOG_SINCE, since);
}

/* The words of one dpkg are the plan of a command that is nothing else; apt's are that of all its
 * own dpkgs. */
static void look_for_plan(struct session *s, const struct upgrade_run *run)
{
	if (run->root != run->dpkg || run->dpkg == s->target.pid)
		attach_look_for_plan(s, run);
}

static void begin_dpkg_below(struct session *s, const struct upgrade_run *run, int role)
{
	struct exec_event exec = {
		.pid = run->dpkg, .start_ticks = run->dpkg_start_ticks, .role = ROLE_DPKG};

	snprintf(exec.command, sizeof(exec.command), "%s", run->dpkg_command);
	look_for_plan(s, run);
	attach_tell_mode(s, run->dpkg);
	if (role < 0) {
		if (s->from_probe)
			life_add_told(&s->life, &exec);
		else
			life_add(&s->life, &exec);
		if (s->model.phase.log_open)
			life_started(&s->life);
	} else {
		/* The command itself is it, perhaps by way of a wrapper that has ended in it. */
		life_becomes_dpkg(&s->life, &exec, s->model.phase.log_open);
	}
}

static void follow(struct session *s, const struct upgrade_run *run)
{
	const struct place *place;
	char path[LOG_PATH_ROOM];
	int role = life_role_of(&s->life, run->dpkg, run->dpkg_start_ticks);

	/* Its downloaders are known by it. */
	if (run->root != run->dpkg)
		attach_add(s, ROLE_FRONTEND, run->root, run->root_start_ticks, run->command);
	if (!run->dpkg)
		return;
	move_to(s, run);
	if (role != ROLE_DPKG)
		s->log_known = false;
	place = attach_log_of(s, run, path, sizeof(path));
	follow_its_log(s, place, path, run);
	s->at = stamp_now();
	if (role != ROLE_DPKG)
		begin_dpkg_below(s, run, role);
}

void child_look(struct session *s)
{
	uint64_t start_ticks;
	bool others = false;

	if (!session_running(s) || s->options.child.is_dpkg || attach_list(s) < 0)
		return;
	s->at = stamp_now();
	for (size_t i = 0; i < s->list.count; i++) {
		const struct upgrade_run *run = &s->list.runs[i];
		int below = is_below(s, run->dpkg ? run->dpkg : run->root);

		if (below > 0)
			follow(s, run);
		else if (below == 0 && strcmp(run->where, s->child_where) == 0)
			others = true;
	}
	s->strangers = others && !life_dpkg(&s->life, &start_ticks);
}

/* One that has just begun has not opened its log yet, but may say which. */
static void log_in_words(const struct session *s, const char *command, char *ret, size_t size)
{
	static const char option[] = " --log=/";
	const char *at = strstr(command, option);

	if (at && !s->options.log) {
		at += strlen(option) - 1;
		snprintf(ret, size, "%.*s", (int)strcspn(at, " "), at);
	}
}

/* What is known of a dpkg that has just been executed. */
static void identify(const struct session *s, struct upgrade_run *run)
{
	int r = upgrade_where(&s->roots, run->dpkg, run->where, sizeof(run->where));
	struct process_counters p;

	/* One that is gone already was where the one before it was, most likely. Of --root=X only
	 * the lock will tell. */
	if (r < 0 || (!*run->where && s->place == &s->host))
		snprintf(run->where, sizeof(run->where), "%s", s->child_where);
	if (process_identify(&s->roots, run->dpkg, &p) < 0)
		return;
	for (size_t i = 0; i < s->list.count; i++) {
		if (s->list.runs[i].root != p.parent)
			continue;
		run->root = p.parent;
		memcpy(run->frontend, s->list.runs[i].frontend, sizeof(run->frontend));
	}
}

void child_dpkg(struct session *s, int32_t pid, uint64_t start_ticks, const char *command)
{
	struct upgrade_run run = {.dpkg = pid, .dpkg_start_ticks = start_ticks, .root = pid};
	int role = life_role_of(&s->life, pid, start_ticks);
	const struct place *place;
	struct stamp at = s->at;
	int64_t late_ns = s->late_ns;
	char path[LOG_PATH_ROOM];

	if (s->options.child.is_dpkg || role == ROLE_DPKG)
		return;
	snprintf(run.dpkg_command, sizeof(run.dpkg_command), "%s", command);
	identify(s, &run);
	move_to(s, &run);
	place = attach_log_of(s, &run, path, sizeof(path));
	log_in_words(s, command, path, sizeof(path));
	s->log_known = run.root != run.dpkg && s->model.packages.dpkg_runs > 0 && s->log &&
	               place == s->log_place && strcmp(path, s->log_path) == 0;
	follow_its_log(s, place, path, &run);
	s->at = at;
	s->late_ns = late_ns;
	catch_up(s);
	begin_dpkg_below(s, &run, role);
	s->strangers = false;
}

/* It is no older than our look for its dpkg: it is taken as if it came now. */
bool child_takes_line(struct session *s, const struct event *line, struct event *ret)
{
	if (s->strangers)
		return false;
	if (s->startups_awaited && (line->package.verb != VERB_STARTUP || --s->startups_awaited))
		return false;
	*ret = *line;
	ret->package.ago_ns = 0;
	return true;
}
