/* recording_fixture.h - a recording in a directory of its own, and the model that its frames give.
 */
#ifndef RECORDING_FIXTURE_H
#define RECORDING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/model.h"
#include "dpkgtop/recording.h"
#include "dpkgtop/units.h"
#include "model_equal.h"

#define SECOND INT64_C(1000000000)

/* The one recording of a test, and its directory. */
struct fixture {
	char dir[64], path[96];
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/recording-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/run.dtop", f->dir);
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];
	int r;

	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	r = system(command);
	free(f);
	return r;
}

/* Hands frames of a run to a sink: the header, then each `step_ns` a full sample with a busy dpkg
 * and a disk, a package line after each third, at the end the end. */
struct run {
	struct header header;
	struct sample sample;
	struct event event;
	int64_t step_ns;
	int steps;
};

static inline void run_init(struct run *r, int steps, int64_t step_ns)
{
	memset(r, 0, sizeof(*r));
	r->steps = steps;
	r->step_ns = step_ns;
	header_init(&r->header);
	r->header.started = (struct stamp){SECOND, SECOND, SECOND};
	r->header.tick_ns = SECOND / 100;
	strcpy(r->header.host, "box");
	sample_init(&r->sample);
}

static inline void run_done(struct run *r)
{
	sample_done(&r->sample);
}

static inline void run_event(struct run *r, enum event_kind kind, int64_t at_ns, frame_sink *take,
                             void *context)
{
	r->event.kind = kind;
	r->event.at = (struct stamp){at_ns, at_ns, at_ns};
	take(context, &(struct frame){FRAME_EVENT, {.event = &r->event}});
	memset(&r->event, 0, sizeof(r->event));
}

static inline void run_sample(struct run *r, int step, int64_t at_ns, frame_sink *take,
                              void *context)
{
	struct sample *s = &r->sample;
	struct process_counters *p;
	struct disk_counters *d;

	sample_clear(s);
	s->at = (struct stamp){at_ns, at_ns, at_ns};
	s->kind = SAMPLE_FULL;
	s->why[GROUP_PROCESSES] = s->why[GROUP_DISKS] = 0;
	p = sample_add_process(s);
	p->pid = 100;
	p->state = 'R';
	strcpy(p->name, "dpkg");
	snprintf(p->command, sizeof(p->command), "dpkg --unpack archive-%d.deb", step);
	p->cpu_ns = step * r->step_ns / 2;
	p->read_bytes = (uint64_t)step * 4711;
	p->written_bytes = (uint64_t)step * step * 815;
	d = sample_add_disk(s);
	strcpy(d->name, "vda");
	d->writes = (uint64_t)step * 31;
	d->written_sectors = (uint64_t)step * 77;
	d->flushes = (uint64_t)step * 3;
	take(context, &(struct frame){FRAME_SAMPLE, {.sample = s}});
}

static inline void run_package(struct run *r, int step, int64_t at_ns, frame_sink *take,
                               void *context)
{
	struct package_event *p = &r->event.package;

	p->verb = VERB_INSTALL;
	snprintf(p->name, sizeof(p->name), "package-%d", step);
	strcpy(p->arch, "all");
	strcpy(p->target, "1.0-1");
	run_event(r, EVENT_PACKAGE, at_ns, take, context);
}

static inline void run_begin(struct run *r, frame_sink *take, void *context)
{
	take(context, &(struct frame){FRAME_HEADER, {.header = &r->header}});
	strcpy(r->event.software.dpkg, "1.21.22");
	strcpy(r->event.software.apt, "2.6.1");
	run_event(r, EVENT_SOFTWARE, SECOND, take, context);
	strcpy(r->event.storage.disk, "vda");
	run_event(r, EVENT_STORAGE, SECOND, take, context);
	r->event.upgrade.pid = 100;
	r->event.upgrade.since_ns = UNKNOWN_NS;
	strcpy(r->event.upgrade.command, "dpkg --install");
	run_event(r, EVENT_UPGRADE, SECOND, take, context);
	r->event.exec.pid = 100;
	r->event.exec.role = ROLE_DPKG;
	run_event(r, EVENT_EXEC, SECOND, take, context);
}

static inline void run_end(struct run *r, int64_t at_ns, frame_sink *take, void *context)
{
	run_event(r, EVENT_END, at_ns, take, context);
	r->event.own = (struct own_event){12345678, 7000};
	run_event(r, EVENT_OWN, at_ns, take, context);
	r->event.usage = (struct usage_event){2 * SECOND, SECOND};
	run_event(r, EVENT_USAGE, at_ns, take, context);
	r->event.trailing.sync_ns = 77;
	run_event(r, EVENT_TRAILING, at_ns, take, context);
}

static inline void run_play(struct run *r, frame_sink *take, void *context)
{
	int64_t at_ns = SECOND;

	run_begin(r, take, context);
	for (int step = 1; step <= r->steps; step++) {
		at_ns += r->step_ns;
		run_sample(r, step, at_ns, take, context);
		if (step % 3 == 0)
			run_package(r, step, at_ns, take, context);
	}
	run_end(r, at_ns, take, context);
}

static inline void model_sink(void *model, const struct frame *f)
{
	model_add(model, f);
}

static inline void run_model(struct run *r, struct model *m)
{
	model_init(m);
	run_play(r, model_sink, m);
}

static inline void run_record(struct run *r, const char *path)
{
	struct recording_writer *w;
	struct err e = {""};

	if (recording_create(&w, path, false, &e) < 0)
		fail_msg("%s", e.text);
	run_play(r, recording_take, w);
	if (recording_close(w, &e) < 0)
		fail_msg("%s", e.text);
}

/* The whole file, to be freed. */
static inline char *slurp(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc((size_t)st.st_size + 1);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	bytes[st.st_size] = '\0';
	close(fd);
	*ret_len = (size_t)st.st_size;
	return bytes;
}

static inline void spill(const char *path, const char *bytes, size_t len)
{
	int fd;

	/* A file that is emptied and written anew is synced by some filesystems. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* Reads a recording into a model: 0 or -errno; how many frames there were and whether it was cut.
 */
static inline int read_model(const char *path, struct model *m, int *ret_frames, bool *ret_cut,
                             struct err *e)
{
	struct recording *recording;
	struct frame f;
	int r;

	model_init(m);
	*ret_frames = 0;
	*ret_cut = false;
	r = recording_open(&recording, path, e);
	if (r < 0)
		return r;
	while ((r = recording_read(recording, &f, e)) > 0) {
		model_add(m, &f);
		++*ret_frames;
	}
	*ret_cut = recording_cut(recording);
	recording_free(recording);
	return r;
}

#endif
