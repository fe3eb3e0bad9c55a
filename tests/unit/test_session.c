/* test_session.c - a real dpkg in a scratch root, watched: what the model says of it, and that the
 * frames, recorded and read back, say the same. Needs root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/recording.h"
#include "dpkgtop/session.h"
#include "dpkgtop/stage.h"
#include "dpkgtop/units.h"
#include "model_equal.h"

#define PACKAGES 12
#define FILES    20

/* Far more than it takes; only a hang gets there. */
#define DEADLINE_NS INT64_C(120000000000)

struct watched {
	struct loop *loop;
	struct stage stage;
	struct session *session;
	struct recording_writer *recording;
	char path[64];
	int frames, opened;
	bool ended;
	int64_t last_ns;
};

static void record(void *context, const struct frame *f)
{
	struct watched *w = context;
	const struct stamp *at = f->kind == FRAME_SAMPLE  ? &f->sample->at
	                         : f->kind == FRAME_EVENT ? &f->event->at
	                                                  : &f->header->started;

	/* Stamps never go back. */
	assert_true(at->mono_ns >= w->last_ns);
	w->last_ns = at->mono_ns;
	w->frames++;
	recording_take(w->recording, f);
	if (f->kind == FRAME_EVENT && f->event->kind == EVENT_OWN) {
		w->ended = true;
		if (w->opened)
			loop_stop(w->loop, 0);
	}
}

static void too_late(void *context, int fd, unsigned events)
{
	(void)fd, (void)events;
	loop_stop(context, 1);
}

static void opened(void *context)
{
	struct watched *w = context;

	w->opened++;
	/* What came with it was there before: the sources, and a first sample. */
	assert_true(w->frames > 0);
	/* The upgrade may have been the faster one. */
	if (w->ended)
		loop_stop(w->loop, 0);
}

static void options_for(struct session_options *so, struct watched *w, pid_t child)
{
	session_options_init(so);
	so->log = w->stage.log;
	so->path = w->stage.root;
	so->opened = opened;
	so->opened_context = w;
	so->child = (struct session_child){
		.pid = child,
		.name = "dpkg",
		.command = "dpkg of the test",
		.is_dpkg = true,
		.plan = {PACKAGES, PACKAGES, 0},
	};
	so->tick_ns = INT64_C(100000000);
}

static void watch(struct watched *w, char **argv)
{
	struct session_options so;
	struct err e = {""};
	pid_t child;

	memset(w, 0, sizeof(*w));
	assert_int_equal(stage_open(&w->stage,
	                            &(struct stage_options){.packages = PACKAGES,
	                                                    .files = FILES,
	                                                    .file_size = 5000},
	                            NULL, NULL, &e),
	                 0);
	strcpy(w->path, "/tmp/session-test-XXXXXX");
	close(mkstemp(w->path));
	assert_int_equal(recording_create(&w->recording, w->path, true, &e), 0);
	assert_int_equal(loop_new(&w->loop, &e), 0);
	if (!argv)
		argv = stage_command(&w->stage);
	assert_int_equal(stage_start(&w->stage, argv, &child, &e), 0);
	free(argv);
	options_for(&so, w, child);
	so.sinks[0] = (struct session_sink){record, w};
	assert_int_equal(session_new(&w->session, &so, w->loop, &e), 0);
	assert_true(loop_timer(w->loop, DEADLINE_NS, too_late, w->loop) >= 0);
	assert_int_equal(loop_run(w->loop), 0);
	if (recording_close(w->recording, &e) < 0)
		fail_msg("%s", e.text);
}

static void done(struct watched *w)
{
	session_free(w->session);
	loop_free(w->loop);
	unlink(w->path);
	assert_int_equal(stage_close(&w->stage, NULL), 0);
}

static void check_ledger(const struct model *m)
{
	const struct ledger *l = &m->ledger;
	int64_t cells = 0;

	for (int c = 0; c < N_CAUSES; c++)
		cells += ledger_cause(l, c).ns;
	assert_int_equal(cells, model_elapsed(m));
	assert_int_equal(ledger_total(l), model_elapsed(m));
	assert_true(l->wall_ns[PHASE_UNPACK] > 0);
	assert_true(l->wall_ns[PHASE_CONFIGURE] > 0);
	assert_int_equal(l->wall_ns[PHASE_TRIGGERS], 0);
	assert_true(ledger_cause(l, CAUSE_CPU).ns > 0);
	assert_int_equal(ledger_cause(l, CAUSE_CPU).quality, QUALITY_SAMPLED);
}

static void a_real_dpkg(void **state)
{
	const struct model *m;
	struct watched w;

	(void)state;
	watch(&w, NULL);
	m = session_model(w.session);
	assert_int_equal(m->state, MODEL_ENDED);
	assert_int_equal(m->status, 0);
	assert_int_equal(m->packages.unpacked, PACKAGES);
	assert_int_equal(m->packages.configured, PACKAGES);
	assert_int_equal(m->packages.dpkg_runs, 1);
	assert_int_equal(m->packages.failures, 0);
	assert_int_equal(m->progress.done, 2 * PACKAGES);
	assert_float_equal(progress_part(&m->progress), 1, 1e-9);
	check_ledger(m);
	assert_int_equal(w.opened, 1);
	done(&w);
}

static void read_back(struct watched *w, struct model *m)
{
	struct recording *r;
	struct frame f;
	struct err e = {""};
	int frames = 0, got;

	assert_int_equal(recording_open(&r, w->path, &e), 0);
	model_init(m);
	while ((got = recording_read(r, &f, &e)) == 1) {
		model_add(m, &f);
		frames++;
	}
	assert_int_equal(got, 0);
	assert_int_equal(frames, w->frames);
	assert_false(recording_cut(r));
	recording_free(r);
}

static void read_back_is_the_same(void **state)
{
	struct model again;
	struct watched w;
	const char *part;

	(void)state;
	watch(&w, NULL);
	read_back(&w, &again);
	part = model_differs(session_model(w.session), &again);
	if (part)
		fail_msg("read back, the model differs in its %s", part);
	model_done(&again);
	done(&w);
}

/* A dpkg that fails is told with its status, and nothing is said to have been done. */
static void a_failing_dpkg(void **state)
{
	struct watched w;
	char **argv = calloc(4, sizeof(*argv));
	const struct model *m;

	(void)state;
	argv[0] = (char *)"dpkg";
	argv[1] = (char *)"--root=/dev/null";
	argv[2] = (char *)"--configure";
	argv[3] = NULL;
	watch(&w, argv);
	m = session_model(w.session);
	assert_int_equal(m->state, MODEL_ENDED);
	assert_int_equal(m->status, 2);
	assert_int_equal(m->packages.count, 0);
	assert_int_equal(ledger_total(&m->ledger), model_elapsed(m));
	done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_dpkg),
		cmocka_unit_test(read_back_is_the_same),
		cmocka_unit_test(a_failing_dpkg),
	};

	if (geteuid() != 0) {
		printf("1..0 # SKIP needs root: a real dpkg installs into a scratch root\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
