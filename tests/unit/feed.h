/* feed.h - frames for a model under test, made by hand: time is a number here. */
#ifndef TESTS_FEED_H
#define TESTS_FEED_H

#include <stdio.h>
#include <string.h>

#include "dpkgtop/model.h"
#include "dpkgtop/units.h"

#define SECOND INT64_C(1000000000)

struct feed {
	struct model model;
	struct sample sample; /* the tree and disks as the next sample will show them */
	int64_t now_ns;
};

static inline struct stamp feed_at(const struct feed *f)
{
	return (struct stamp){f->now_ns, f->now_ns, f->now_ns};
}

static inline void feed_sample(struct feed *f, enum sample_kind kind)
{
	f->sample.kind = kind;
	f->sample.at = feed_at(f);
	model_add(&f->model, &(struct frame){.kind = FRAME_SAMPLE, .sample = &f->sample});
}

/* As the session does: a boundary sample goes before an event that moves the phase, and, with the
 * probe, before one that begins or ends what is done to a package. */
static inline void feed_event(struct feed *f, struct event e)
{
	const struct model *m = &f->model;
	bool wanted;

	e.at = feed_at(f);
	wanted = phase_wants_boundary(&m->phase, &e) || (m->syncs.exact && m->input.seen_pid == 0 &&
	                                                 packages_wants_boundary(&m->packages, &e));
	if (wanted && m->charging.last.mono_ns < f->now_ns)
		feed_sample(f, SAMPLE_BOUNDARY);
	model_add(&f->model, &(struct frame){.kind = FRAME_EVENT, .event = &e});
}

static inline void feed_init(struct feed *f, const char *disk)
{
	struct event storage = {.kind = EVENT_STORAGE, .storage = {.rotational = -1}};
	struct header h;

	memset(f, 0, sizeof(*f));
	f->now_ns = 1000 * SECOND;
	sample_init(&f->sample);
	model_init(&f->model);
	header_init(&h);
	h.started = feed_at(f);
	model_add(&f->model, &(struct frame){.kind = FRAME_HEADER, .header = &h});
	snprintf(storage.storage.disk, sizeof(storage.storage.disk), "%s", disk);
	feed_event(f, storage);
}

static inline void feed_begin(struct feed *f, const char *command)
{
	struct event e = {.kind = EVENT_UPGRADE,
	                  .upgrade = {.pid = 100, .start_ticks = 1, .since_ns = UNKNOWN_NS}};

	snprintf(e.upgrade.command, sizeof(e.upgrade.command), "%s", command);
	feed_event(f, e);
}

static inline void feed_done(struct feed *f)
{
	sample_done(&f->sample);
	model_done(&f->model);
}

static inline void feed_wait(struct feed *f, int64_t ns)
{
	f->now_ns += ns;
}

static inline void feed_line(struct feed *f, enum package_verb verb, enum package_state state,
                             const char *name, const char *version, const char *target)
{
	struct event e = {.kind = EVENT_PACKAGE, .package = {.verb = verb, .state = state}};

	snprintf(e.package.name, sizeof(e.package.name), "%s", name);
	snprintf(e.package.version, sizeof(e.package.version), "%s", version);
	snprintf(e.package.target, sizeof(e.package.target), "%s", target);
	feed_event(f, e);
}

static inline void feed_exec(struct feed *f, enum role role, int32_t pid, const char *package,
                             const char *script)
{
	struct event e = {.kind = EVENT_EXEC, .exec = {.pid = pid, .role = role}};

	snprintf(e.exec.package, sizeof(e.exec.package), "%s", package);
	snprintf(e.exec.script, sizeof(e.exec.script), "%s", script);
	feed_event(f, e);
}

static inline void feed_exit(struct feed *f, enum role role, int32_t pid, int32_t status)
{
	feed_event(f, (struct event){.kind = EVENT_EXIT,
	                             .exit = {.pid = pid, .role = role, .status = status}});
}

static inline void feed_end(struct feed *f, int32_t status)
{
	feed_event(f, (struct event){.kind = EVENT_END, .end = {.status = status}});
}

/* One process of the tree, and what it has used up. */
static inline struct process_counters *feed_process(struct feed *f, int32_t pid, int32_t parent)
{
	struct process_counters *p = sample_add_process(&f->sample);

	*p = (struct process_counters){
		.pid = pid,
		.parent = parent,
		.start_ticks = 1,
		.state = 'S',
		.read_bytes = 0,
		.written_bytes = 0,
		.waits = '-',
		.left = '-',
	};
	f->sample.why[GROUP_PROCESSES] = 0;
	return p;
}

static inline struct disk_counters *feed_disk(struct feed *f, const char *name)
{
	struct disk_counters *d = sample_add_disk(&f->sample);

	memset(d, 0, sizeof(*d));
	snprintf(d->name, sizeof(d->name), "%s", name);
	f->sample.why[GROUP_DISKS] = 0;
	return d;
}

#endif
