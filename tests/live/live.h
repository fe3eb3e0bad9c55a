/* live.h - a probe, a tree of processes that it watches, and all that it said of them. */
#ifndef LIVE_H
#define LIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/probe.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

#define EVENTS_ROOM 40000
#define ROWS_ROOM   20000
#define MS          INT64_C(1000000)

/* Of what the tests execute; the kernel keeps 15 characters. Others are not told of. */
static const struct probe_name told_names[] = {
	{"sh", false},       {"sleep", false}, {"true", false},           {"unshare", false},
	{"workload", false}, {"dpkg", true},   {"update-initramf", true}, {NULL, false},
};

static struct probe *probe;
static pid_t last_runner; /* its process group is what a failed test leaves behind */
static struct err probe_error;
static char scratch[64];
static char workload[256]; /* the program beside this one */

static struct {
	struct sync_counters rows[ROWS_ROOM]; /* the latest of each */
	size_t n_rows;
	struct sample sample; /* the latest */
	struct probe_event *events;
	size_t n_events;
} seen;

static inline int64_t now_ns(void)
{
	return stamp_now().mono_ns;
}

static inline void nap(int ms)
{
	usleep((useconds_t)ms * 1000);
}

static inline int set_up(void **state)
{
	char self[200] = "";

	(void)state;
	setbuf(stdout, NULL);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	snprintf(workload, sizeof(workload), "%s/workload", dirname(self));
	strcpy(scratch, "/var/tmp/dpkgtop-live-XXXXXX");
	seen.events = calloc(EVENTS_ROOM, sizeof(*seen.events));
	sample_init(&seen.sample);
	probe_open(&probe, told_names, &probe_error);
	return mkdtemp(scratch) ? 0 : -1;
}

static inline int tear_down(void **state)
{
	char command[128];

	(void)state;
	if (last_runner > 0)
		kill(-last_runner, SIGKILL);
	probe_close(probe);
	probe = NULL;
	free(seen.events);
	sample_done(&seen.sample);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return system(command);
}

#define SKIP(...)                                                                                  \
	do {                                                                                       \
		printf("# skip: " __VA_ARGS__);                                                    \
		printf("\n");                                                                      \
		skip();                                                                            \
	} while (0)

#define NEED_PROBE()                                                                               \
	do {                                                                                       \
		if (!probe)                                                                        \
			SKIP("%s", probe_error.text);                                              \
	} while (0)

/* A process that begins when it is told to. */
struct runner {
	pid_t pid;
	uint64_t start_ticks;
	int go;
};

static inline uint64_t start_of(pid_t pid)
{
	char path[64], text[1024] = "";
	unsigned long start = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f) {
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
	}
	if (strrchr(text, ')'))
		sscanf(strrchr(text, ')') + 1,
		       " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		       "%*d %lu",
		       &start);
	return start;
}

static inline struct runner runner_start(int (*run)(void *context), void *context)
{
	struct runner r = {0};
	int gate[2];
	char c;

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	r.pid = fork();
	assert_true(r.pid >= 0);
	setpgid(r.pid, r.pid);
	last_runner = r.pid;
	if (r.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(gate[1]);
		_exit(read(gate[0], &c, 1) == 1 ? run(context) : 99);
	}
	close(gate[0]);
	r.go = gate[1];
	r.start_ticks = start_of(r.pid);
	return r;
}

static inline void runner_go(struct runner *r)
{
	assert_int_equal(write(r->go, "x", 1), 1);
	close(r->go);
}

static inline void take(void *context, const struct probe_event *e)
{
	(void)context;
	if (seen.n_events < EVENTS_ROOM)
		seen.events[seen.n_events++] = *e;
}

static inline struct sync_counters *row_of(const struct sync_counters *c)
{
	for (size_t i = 0; i < seen.n_rows; i++) {
		struct sync_counters *r = &seen.rows[i];

		if (r->pid == c->pid && r->start_ticks == c->start_ticks && r->call == c->call &&
		    r->class == c->class)
			return r;
	}
	assert_true(seen.n_rows < ROWS_ROOM);
	seen.rows[seen.n_rows] = *c;
	return &seen.rows[seen.n_rows++];
}

/* One tick: events, then a sample, whose counters must not go back. */
static inline void tick(enum sample_kind kind)
{
	assert_true(probe_drain(probe, take, NULL) >= 0);
	sample_clear(&seen.sample);
	seen.sample.kind = kind;
	assert_int_equal(probe_read(probe, &seen.sample), 0);
	for (size_t i = 0; i < seen.sample.n_syncs; i++) {
		const struct sync_counters *c = &seen.sample.syncs[i];
		struct sync_counters *r = row_of(c);

		assert_true(c->count >= r->count);
		assert_true(c->total_ns >= r->total_ns);
		assert_true(c->longest_ns >= r->longest_ns);
		*r = *c;
	}
}

static inline void watch(const struct runner *r)
{
	seen.n_rows = 0;
	seen.n_events = 0;
	assert_int_equal(probe_watch(probe, r->pid, r->start_ticks), 0);
}

/* Runs it to its end, with a tick every `ms`, and two after. Returns its exit status. */
static inline int runner_finish(struct runner *r, int ms)
{
	int status = 0;

	while (waitpid(r->pid, &status, WNOHANG) == 0) {
		tick(SAMPLE_THIN);
		nap(ms);
	}
	tick(SAMPLE_THIN);
	tick(SAMPLE_FULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int run_watched(int (*run)(void *context), void *context, int ms)
{
	struct runner r = runner_start(run, context);

	watch(&r);
	runner_go(&r);
	return runner_finish(&r, ms);
}

static inline int run_shell(void *context)
{
	execl("/bin/sh", "sh", "-c", context, NULL);
	return 98;
}

static inline uint64_t count_of(enum sync_call call, enum sync_class class)
{
	for (size_t i = 0; i < seen.sample.n_latencies; i++) {
		const struct sync_latency *l = &seen.sample.latencies[i];

		if (l->call == call && l->class == class) {
			assert_int_equal(hist_count(&l->hist), l->count);
			return l->count;
		}
	}
	return 0;
}

static inline uint64_t rows_of(enum sync_call call, enum sync_class class)
{
	uint64_t count = 0;

	for (size_t i = 0; i < seen.n_rows; i++)
		if (seen.rows[i].call == call && seen.rows[i].class == class)
			count += seen.rows[i].count;
	return count;
}

/* As a class's histogram, and as the sum over processes. */
static inline void assert_count(enum sync_call call, enum sync_class class, uint64_t count)
{
	uint64_t whole = count_of(call, class), parts = rows_of(call, class);

	if (whole != count || parts != count)
		fail_msg("call %d class %d: %lu counted, %lu by process, %lu expected", call, class,
		         whole, parts, count);
}

static inline void assert_nothing_lost(void)
{
	assert_int_equal(seen.sample.probe.lost, 0);
	assert_int_equal(seen.sample.probe.missed, 0);
	assert_int_equal(seen.sample.probe.full, 0);
	assert_int_equal(seen.sample.probe.compat, 0);
	assert_string_equal(seen.sample.probe.lacks, "");
}

static inline size_t events_of(enum probe_event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < seen.n_events; i++)
		count += seen.events[i].kind == kind;
	return count;
}

#endif
