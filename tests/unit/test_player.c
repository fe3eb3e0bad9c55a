/* test_player.c - a recording taken to any of its instants, on and back. */
#include "recording_fixture.h"

#include "../../src/command/player.h"

#define STEPS 40
#define STEP  (SECOND / 4)

static void play(const struct fixture *f, struct player *p)
{
	struct err e = {""};
	struct run r;

	run_init(&r, STEPS, STEP);
	run_record(&r, f->path);
	run_done(&r);
	if (player_open(p, f->path, &e) < 0)
		fail_msg("%s", e.text);
}

/* The model of the first frames, up to an instant. */
struct first {
	struct model model;
	int64_t to_ns;
};

static void take_first(void *context, const struct frame *f)
{
	struct first *first = context;

	if (frame_time(f) <= first->to_ns)
		model_add(&first->model, f);
}

static void assert_is_first(const struct player *p, int64_t to_ns)
{
	struct first first = {.to_ns = to_ns};
	const char *part;
	struct run r;

	model_init(&first.model);
	run_init(&r, STEPS, STEP);
	run_play(&r, take_first, &first);
	run_done(&r);
	part = model_differs(&p->model, &first.model);
	if (part)
		fail_msg("at %lld the model differs in its %s", (long long)to_ns, part);
	model_done(&first.model);
}

static void begins_with_the_upgrade(void **state)
{
	struct player p;

	play(*state, &p);
	assert_int_equal(p.begin_ns, SECOND);
	assert_int_equal(p.zero_ns, SECOND);
	assert_int_equal(p.end_ns, SECOND + STEPS * STEP);
	assert_int_equal(p.at_ns, SECOND);
	assert_false(p.cut);
	assert_is_first(&p, SECOND);
	player_done(&p);
}

/* Wherever it is taken, and from wherever, the model is that of the frames up to there. */
static void any_instant(void **state)
{
	static const int at[] = {3, 1, 17, 16, 40, 0, 39, 2};
	struct player p;

	play(*state, &p);
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		int64_t to_ns = SECOND + at[i] * STEP + (i % 2 ? 0 : STEP / 3);

		assert_int_equal(player_go(&p, to_ns), 0);
		assert_is_first(&p, to_ns);
	}
	/* Beyond its ends there is nothing. */
	assert_int_equal(player_go(&p, 1000 * SECOND), 0);
	assert_int_equal(p.at_ns, p.end_ns);
	assert_int_equal(p.model.state, MODEL_ENDED);
	assert_int_equal(player_go(&p, -5), 0);
	assert_int_equal(p.at_ns, p.begin_ns);
	assert_int_equal(p.model.state, MODEL_RUNNING);
	player_done(&p);
}

static void sample_by_sample(void **state)
{
	struct player p;

	play(*state, &p);
	for (int i = 1; i <= STEPS; i++) {
		assert_int_equal(player_step(&p, 1), SECOND + i * STEP);
		player_go(&p, player_step(&p, 1));
	}
	assert_int_equal(player_step(&p, 1), p.end_ns);
	assert_int_equal(player_step(&p, -1), p.end_ns - STEP);
	player_go(&p, p.begin_ns + STEP / 2);
	assert_int_equal(player_step(&p, -1), p.begin_ns);
	player_done(&p);
}

static void phase_by_phase(void **state)
{
	struct player p;
	int64_t at_ns;

	play(*state, &p);
	/* It reads, and begins to unpack with the third sample. */
	at_ns = player_phase(&p, 1);
	assert_int_equal(at_ns, SECOND + 3 * STEP);
	player_go(&p, at_ns);
	assert_int_equal(phase_now(&p.model.phase), PHASE_UNPACK);
	assert_int_equal(player_phase(&p, 1), p.end_ns);
	player_go(&p, p.end_ns);
	assert_int_equal(player_phase(&p, -1), at_ns);
	player_go(&p, at_ns);
	assert_int_equal(player_phase(&p, -1), p.begin_ns);
	player_done(&p);
}

/* Cut at any byte it plays up to its last whole line; without a whole header it is refused. */
static void cut_anywhere(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct player p;
	bool has_header = false;
	size_t len;
	char *bytes;

	play(f, &p);
	player_done(&p);
	bytes = slurp(f->path, &len);
	for (size_t cut = 0; cut < len; cut += 7) {
		spill(f->path, bytes, cut);
		if (player_open(&p, f->path, &e) < 0) {
			if (has_header || !strstr(e.text, "cut off in its first line"))
				fail_msg("%zu bytes: %s", cut, e.text);
			player_done(&p);
			continue;
		}
		has_header = true;
		assert_true(p.cut);
		assert_int_equal(player_go(&p, INT64_MAX), 0);
		assert_int_equal(player_go(&p, p.begin_ns), 0);
		player_done(&p);
	}
	assert_true(has_header);
	free(bytes);
}

static void damage_is_refused(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct player p;

	spill(f->path, "no recording\n", 13);
	assert_int_equal(player_open(&p, f->path, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "not a dpkgtop recording"));
	player_done(&p);
	assert_int_equal(player_open(&p, "/nowhere/run.dtop", &e), -ENOENT);
	player_done(&p);
}

/* Removed while it plays: it goes on to the end, and no more back. */
static void removed(void **state)
{
	struct fixture *f = *state;
	struct player p;

	play(f, &p);
	player_go(&p, SECOND + 5 * STEP);
	assert_int_equal(remove(f->path), 0);
	assert_int_equal(player_go(&p, p.begin_ns), -ENOENT);
	assert_int_equal(p.at_ns, SECOND + 5 * STEP);
	assert_is_first(&p, p.at_ns);
	assert_int_equal(player_go(&p, p.end_ns), 0);
	assert_int_equal(p.model.state, MODEL_ENDED);
	player_done(&p);
}

/* What can be read once only is refused, and not waited for. */
static void no_pipe(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct player p;

	remove(f->path);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(player_open(&p, f->path, &e), -ESPIPE);
	assert_non_null(strstr(e.text, "no regular file"));
	player_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(begins_with_the_upgrade, setup, teardown),
		cmocka_unit_test_setup_teardown(any_instant, setup, teardown),
		cmocka_unit_test_setup_teardown(sample_by_sample, setup, teardown),
		cmocka_unit_test_setup_teardown(phase_by_phase, setup, teardown),
		cmocka_unit_test_setup_teardown(cut_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(removed, setup, teardown),
		cmocka_unit_test_setup_teardown(no_pipe, setup, teardown),
	};

	return cmocka_run_group_tests_name("player", tests, NULL, NULL);
}
