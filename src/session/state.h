/* state.h - what a session is made of; shared by its files and by nobody else. */
#ifndef DPKGTOP_SESSION_STATE_H
#define DPKGTOP_SESSION_STATE_H

#include "dpkgtop/device.h"
#include "dpkgtop/dpkglog.h"
#include "dpkgtop/place.h"
#include "dpkgtop/probe.h"
#include "dpkgtop/session.h"
#include "dpkgtop/source.h"
#include "dpkgtop/upgrade.h"
#include "life.h"
#include "opener.h"

#define SOURCES_MAX   8
#define LOG_PATH_ROOM 4096

struct session {
	struct session_options options;
	struct loop *loop;
	int timer;
	struct roots roots;
	void *states[SOURCES_MAX];
	int missing[SOURCES_MAX]; /* 0, or why it could not be opened: -errno */
	struct device_monitor *monitor;
	struct probe *probe;      /* NULL: not open, for the reason below */
	int probe_missing;        /* -errno; 0: it was not tried yet */
	int probe_unwatched;      /* why it does not watch the upgrade: -errno; 0: it does */
	int probe_timer;          /* until it is tried; -1 */
	struct opener *opener;    /* NULL: it is not being opened */
	struct probe_event *told; /* owned: what it told, not yet passed on */
	size_t n_told, told_room;
	bool passing_on;

	struct upgrade_list list;
	struct upgrade_memory list_memory;
	struct target target;
	struct place host;
	struct place foreign;      /* dpkg's root directory, if it is not ours */
	struct place upgraded;     /* that of --root, if it has one */
	const struct place *place; /* where dpkg's configuration and log are: host or foreign */
	int32_t place_pid;         /* a process in `foreign`; 0 */
	/* Of a child of ours. */
	char child_where[128]; /* the root that its dpkg works in, as struct upgrade_run says it */
	bool log_known; /* its dpkg writes where the one before it did, of the same frontend */
	int startups_awaited; /* so many startup lines until the one that is its own dpkg's */
	bool strangers;       /* it has no dpkg at work, and another works in that root */
	bool resident;        /* the frontend outlives its upgrades */
	int64_t quiet_ns;     /* since when it holds no lock; 0: it does */
	bool planned;
	/* What EVENT_UPGRADE said; and whether a startup line of its own has been seen since. */
	struct upgrade_event upgrade;
	bool started;
	bool leaving; /* the upgrade is over; session_settle() lets go of it */
	struct storage_event facts;
	int64_t own_before_ns; /* our own CPU time when the upgrade began to be watched */

	struct dpkglog *log;
	const struct place *log_place; /* where it was last looked for */
	char log_path[LOG_PATH_ROOM];
	struct life life;
	struct stamp at; /* the instant that is being told of */
	/* The probe tells of a process: how long before `at` it happened. */
	bool from_probe;
	int64_t late_ns;

	struct sample sample;   /* reused at every tick */
	int64_t sample_cost_ns; /* how long the last full or thin sample took */
	int64_t full_ns;        /* when the last full sample was taken */
	unsigned full_ticks;    /* while an upgrade runs */
	/* What the tree had used when it was last looked at who is there; UNKNOWN_NS: not since the
	 * probe watches it, which tells only of those that come. */
	int64_t looked_cpu_ns, looked_ns;
	int32_t asks_pid; /* who may be asking a person, as was seen last; 0 nobody */
	struct model model;
	void (*changed)(void *context);
	void *changed_context;
};

/* From one thin sample to the next. */
#define THIN_NS INT64_C(250000000)

/* --- groups.c: what a sample reads --- */
/* The probe alone tells what the time since the last sample went to, and nobody is waiting for a
 * person, which only processes show. */
bool groups_probe_suffices(const struct session *s);
/* Between full ones only what the ledger charges by, or what shows who waits. Asked in the order of
 * the sample's reading, the probe's groups being there. */
bool groups_wanted(struct session *s, enum sample_kind kind, enum group g);
/* Whoever waits for a person is in the sample. */
void groups_looked(struct session *s);

/* --- session.c: frames out --- */
void session_sample(struct session *s, enum sample_kind kind, const struct stamp *at);
/* Hands an event on, a boundary sample before it where one is wanted. */
void session_emit(struct session *s, const struct event *e);
bool session_running(const struct session *s);
/* The probe was opened or given up. */
void session_opened(struct session *s);
void session_end(struct session *s, int32_t status, bool resident);
/* Reads what the log has, and tells the ends of processes. */
void session_read_log(struct session *s);
void session_check_ends(struct session *s);
void session_tell_change(struct session *s);
/* Last in each callback: lets go of an upgrade that has ended in it. */
void session_settle(struct session *s);

/* --- probing.c: the probe --- */
/* Opens it a moment from now: loading takes longer than a first screen may. */
void probing_open_soon(struct session *s);
/* Begins to use s->probe, which is open. */
void probing_begin(struct session *s);
/* Has it watch the process, if it is open. */
void probing_watch(struct session *s, int32_t pid, uint64_t start_ticks);
void probing_end(struct session *s);
/* Takes what it has told and passes it on as frames, each stamped with its own instant, or with the
 * last frame's if that is later. */
void probing_drain(struct session *s);

/* --- attach.c: which upgrade --- */
/* Whether the last look found an upgrade of which that process is the frontend. */
bool attach_lists(const struct session *s, int32_t root);
/* The probe saw the frontend start a dpkg, which holds no lock yet. */
void attach_dpkg(struct session *s, int32_t pid, uint64_t start_ticks, const char *command);
/* Who holds the locks, into s->list: 0, or -errno as upgrade_list(). */
int attach_list(struct session *s);
/* Looks for upgrades: begins to watch one, follows the one that is watched to its next dpkg.
 * `others`: also where its dpkg is alive, so that only other upgrades could be new. */
void attach_look(struct session *s, bool others);
/* Begins the upgrade `u`, at s->at. */
void attach_begin(struct session *s, const struct upgrade_event *u);
/* Works in the root that `run`'s dpkg works in from here on. */
void attach_place(struct session *s, const struct upgrade_run *run);
void attach_follow_log(struct session *s, const struct place *place, const char *path,
                       enum dpkglog_from from, int64_t since);
/* The log that the running dpkg has open, else the usual one of its root: its path, and inside of
 * what. */
const struct place *attach_log_of(const struct session *s, const struct upgrade_run *run, char *ret,
                                  size_t size);
void attach_tell_plan(struct session *s, const struct plan_event *p);
/* Which dpkg and apt there are in s->place. */
void attach_tell_software(struct session *s);
void attach_tell_mode(struct session *s, int32_t dpkg);
void attach_look_for_plan(struct session *s, const struct upgrade_run *run);
void attach_add(struct session *s, enum role role, int32_t pid, uint64_t start_ticks,
                const char *command);
/* CLOCK_MONOTONIC when a process started, never after s->at. */
int64_t attach_started_ns(const struct session *s, uint64_t start_ticks);
/* Follows this machine's own log while nothing runs: its lines are the first sign. */
void attach_log(struct session *s);
void attach_forget_log(struct session *s);
/* How long before s->at a process started; 0 if that is less than a second, which is how long it
 * may take to be seen. */
int64_t attach_age(const struct session *s, uint64_t start_ticks);
/* Takes a line that was written before we came. */
void attach_past_line(struct session *s, const struct event *e);
/* Lets go of an upgrade that is over: its root may be unmounted now. */
void attach_leave(struct session *s);
/* Says anew what lies below the upgraded root, if it has changed. */
void attach_describe(struct session *s);

/* --- child.c: the upgrade is a child of ours --- */
/* Gets to know the child of the options; one that is at work already begins. */
int child_open(struct session *s, struct err *e);
/* Follows the dpkg that works below it now, if there is one. */
void child_look(struct session *s);
/* The probe saw this dpkg begin below it, just now; it may hold no lock yet. */
void child_dpkg(struct session *s, int32_t pid, uint64_t start_ticks, const char *command);
/* What a line of the log that was just read is to the child's upgrade: false, it is another's; else
 * `*ret` is the line as it is to be taken. */
bool child_takes_line(struct session *s, const struct event *line, struct event *ret);

#endif
