/* session.h - the one owner of sources, frame order and boundary samples.
 *
 * It finds the upgrade, reads the sources at their ticks and on their events, and hands every
 * frame, in order, to its sinks. Before an event that moves the phase, or with the probe one
 * that begins or ends what is done to a package, it takes a boundary sample. Used by every command
 * that watches something live; it draws nothing. */
#ifndef DPKGTOP_SESSION_H
#define DPKGTOP_SESSION_H

#include "dpkgtop/err.h"
#include "dpkgtop/frame.h"
#include "dpkgtop/loop.h"
#include "dpkgtop/model.h"
#include "dpkgtop/upgrade.h"

struct session;
struct probe;

/* Who takes the frames besides the session's own model, from the very first. */
#define SESSION_SINKS 4
struct session_sink {
	frame_sink *take;
	void *context;
};

/* A child of the command's own: it is the upgrade, from its exec to its end and whatever it runs;
 * no other is looked for. Nobody here waits for it, so that its caller gets its usage. */
struct session_child {
	pid_t pid;           /* 0: none */
	const char *name;    /* of its program */
	const char *command; /* its words, for the screen */
	/* It is a dpkg that has been executed already: the options' `log` is its own, read from the
	 * first line, and `plan` is its work. Else it is held before its exec, of which
	 * session_child_runs() tells, and whatever dpkg works below it is found by its lock and
	 * followed. */
	bool is_dpkg;
	struct plan_event plan; /* UNKNOWN_U64 where unknown */
};

struct session_options {
	int64_t tick_ns;            /* between full samples; thin ones come every 250 ms */
	const char *procfs, *sysfs; /* NULL: the machine's */
	const char *admindir;       /* whose lock is watched; NULL: /var/lib/dpkg */
	bool only_own;              /* only the upgrade of that admindir, not those of chroots */
	const char *log;            /* NULL: what dpkg itself has open, else /var/log/dpkg.log */
	const char *history;        /* apt's; NULL: /var/log/apt/history.log of the upgraded root */
	const char *path;           /* the root whose storage is shown; NULL: admindir */
	/* Opened already, so that it counts from the first moment; the session's from here on, also
	 * when session_new() fails. NULL: the session opens one, a moment after it has begun. */
	struct probe *probe;
	/* Called once, when the probe has been opened or given up: nothing that is opened later
	 * takes more than reading does, so that privileges may be dropped. NULL: none. */
	void (*opened)(void *context);
	void *opened_context;
	struct session_child child;
	const char *label;                        /* into the header; NULL: none */
	struct session_sink sinks[SESSION_SINKS]; /* the first without `take` ends them */
};

/* Opens a probe that tells of what a session has to know. As probe_open(). */
int session_open_probe(struct probe **ret, struct err *e);

/* Fills in the defaults. */
void session_options_init(struct session_options *o);

int session_new(struct session **ret, const struct session_options *o, struct loop *loop,
                struct err *e);
void session_free(struct session *s);

/* The upgrades that run now, as last looked; UPGRADES_MAX at most. */
const struct upgrade_list *session_upgrades(const struct session *s);
/* Watches that one from here on: 0, or -ESRCH if it has ended meanwhile. */
int session_choose(struct session *s, int32_t root, uint64_t start_ticks);

const struct model *session_model(const struct session *s);
/* Called after a frame has changed something that a screen shows; NULL: none. */
void session_on_change(struct session *s, void (*changed)(void *context), void *context);

/* The child that was held has been let go at `at`, which is where the upgrade begins. */
void session_child_runs(struct session *s, const struct stamp *at);
/* The child has ended with `status`, as shells say it, and was not waited for yet: so has the
 * upgrade. Nothing, if that is known already: the session finds out by itself where the kernel has
 * pidfds. */
void session_child_ended(struct session *s, int32_t status);

/* Opens a directory on each filesystem that holds /, /usr, /var or /boot of the upgraded root, for
 * syncfs(2); the caller closes them. Returns how many. While the upgrade runs, or in a sink that
 * takes EVENT_END: afterwards the root is let go of. */
size_t session_filesystems(const struct session *s, int ret[SPACES_MAX]);

/* Hands an event of the command's own (trailing sync) into the stream, stamped now. */
void session_event(struct session *s, struct event *e);
#endif
