/* test_sync_frame.c - what the probe says, as part of a sample and in a recording. */
#include <errno.h>

#include "tape.h"

static void words_have_no_hole(void **state)
{
	(void)state;
	assert_int_equal(word_find(word_sync_call, "fsync", 5), SYNC_FSYNC);
	assert_int_equal(word_find(word_sync_call, "msync", 5), N_SYNC_CALLS - 1);
	assert_int_equal(word_find(word_sync_class, "package", 7), SYNC_PACKAGE);
	assert_int_equal(word_find(word_sync_class, "other", 5), N_SYNC_CLASSES - 1);
	assert_int_equal(word_find(word_group, "latencies", 9), GROUP_LATENCIES);
}

static void fill_all(struct sample *s)
{
	sample_clear(s);
	for (int g = GROUP_PROBE; g < N_GROUPS; g++)
		s->why[g] = 0;
	s->at.mono_ns = 5;
	s->probe.lost = 3;
	s->probe.compat = UNKNOWN_U64;
	s->probe.cpu_ns = 6;
	s->probe.blocked_ns = UNKNOWN_NS;
	strcpy(s->probe.lacks, "msync");
	*sample_add_sync(s) = (struct sync_counters){7, 70, SYNC_FSYNC, SYNC_PACKAGE, 1, 2, 3, 4};
	*sample_add_sync(s) = (struct sync_counters){7, 70, SYNC_MSYNC, SYNC_OTHER, 5, 6, 7, 8};
	*sample_add_flight(s) =
		(struct sync_flight){7, 70, SYNC_FSYNC, SYNC_PACKAGE, 4, "vmlinuz.dpkg-new"};
	*sample_add_writer(s) = (struct sync_writer){9, 90, "postgres", 10, 11, 12};
	sample_add_latency(s)->call = SYNC_SYNCFS;
	s->latencies[0].count = 2;
	hist_add(&s->latencies[0].hist, 3);
	hist_add(&s->latencies[0].hist, 3);
	hist_add(&s->latencies[0].hist, INT64_MAX);
}

static void copies_are_deep_and_equal(void **state)
{
	struct sample a, b;

	(void)state;
	sample_init(&a);
	sample_init(&b);
	fill_all(&a);
	sample_copy(&b, &a);
	assert_true(sample_equal(&a, &b));
	assert_ptr_not_equal(a.latencies, b.latencies);
	b.latencies[0].hist.counts[BUCKETS - 1]++;
	assert_false(sample_equal(&a, &b));
	b.latencies[0].hist.counts[BUCKETS - 1]--;
	b.syncs[1].open++;
	assert_false(sample_equal(&a, &b));
	b.syncs[1].open--;
	b.flights[0].since_ns++;
	assert_false(sample_equal(&a, &b));
	b.flights[0].since_ns--;
	b.writers[0].longest_ns++;
	assert_false(sample_equal(&a, &b));
	b.writers[0].longest_ns--;
	b.probe.missed++;
	assert_false(sample_equal(&a, &b));
	b.probe.missed--;
	b.probe.cpu_ns++;
	assert_false(sample_equal(&a, &b));
	sample_clear(&b);
	assert_int_equal(b.n_syncs + b.n_flights + b.n_writers + b.n_latencies, 0);
	assert_int_equal(hist_count(&sample_add_latency(&b)->hist), 0);
	sample_done(&a);
	sample_done(&b);
}

static void latencies_have_an_end(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	for (int i = 0; i < 1000; i++)
		sample_add_latency(&s)->count = 7;
	assert_int_equal(s.n_latencies, LATENCIES_MAX);
	assert_int_equal(sample_add_latency(&s)->count, 0);
	sample_done(&s);
}

static void a_line_looks_as_promised(void **state)
{
	struct sample s;
	struct player p;
	struct tape t;

	(void)state;
	sample_init(&s);
	fill_all(&s);
	tape_init(&t);
	fputs(HEADER, t.out);
	tape_sample(&t, &s);
	assert_string_equal(
		t.bytes + strlen(HEADER),
		"{\"sample\":\"full\",\"at\":{\"mono_ns\":5,\"boot_ns\":0,\"real_ns\":0},"
		"\"probe\":{\"lost\":3,\"missed\":0,\"full\":0,\"outside\":0,\"sync_ns\":0,"
		"\"cpu_ns\":6,\"lacks\":\"msync\"},"
		"\"syncs\":[{\"pid\":7,\"start_ticks\":70,\"call\":\"fsync\","
		"\"class\":\"package\",\"count\":1,\"open\":2,\"total_ns\":3,\"longest_ns\":4},"
		"{\"pid\":7,\"start_ticks\":70,\"call\":\"msync\",\"class\":\"other\",\"count\":5,"
		"\"open\":6,\"total_ns\":7,\"longest_ns\":8}],"
		"\"flights\":[{\"pid\":7,\"start_ticks\":70,\"call\":\"fsync\","
		"\"class\":\"package\",\"since_ns\":4,\"file\":\"vmlinuz.dpkg-new\"}],"
		"\"writers\":[{\"pid\":9,\"start_ticks\":90,\"name\":\"postgres\",\"count\":10,"
		"\"total_ns\":11,\"longest_ns\":12}],"
		"\"latencies\":[{\"call\":\"syncfs\",\"class\":\"package\",\"count\":2,"
		"\"total_ns\":0,\"longest_ns\":0,\"hist\":[3,2,591,1]}]}\n");
	player_init(&p, t.bytes, t.len);
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_SAMPLE);
	assert_true(sample_equal(p.frame.sample, &s));
	assert_ends(&p, false);
	player_done(&p);
	tape_done(&t);
	sample_done(&s);
}

static int play_hist(const char *hist, uint64_t *ret_count)
{
	char text[512];
	struct player p;
	int r;

	snprintf(text, sizeof(text),
	         HEADER "{\"sample\":\"full\"," AT ",\"latencies\":[{\"call\":\"fsync\","
	                "\"class\":\"other\"%s}]}\n",
	         hist);
	player_init_text(&p, text);
	assert_plays(&p, FRAME_HEADER);
	r = play(&p);
	if (r == 1)
		*ret_count = hist_count(&p.frame.sample->latencies[0].hist);
	player_done(&p);
	return r;
}

static void damaged_histograms_are_refused(void **state)
{
	static const char *const bad[] = {
		",\"hist\":[1]",        ",\"hist\":[1,2,3]",    ",\"hist\":[592,1]",
		",\"hist\":[-1,1]",     ",\"hist\":[1,-1]",     ",\"hist\":[2,1,1,1]",
		",\"hist\":[1,1,1,1]",  ",\"hist\":{}",         ",\"hist\":7",
		",\"hist\":[\"1\",1]",  ",\"hist\":[[1,1]]",    ",\"hist\":[1,null]",
		",\"hist\":[1,1,null]", ",\"hist\":[1,1,2,{}]",
	};
	uint64_t count = 9;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (play_hist(bad[i], &count) != -EBADMSG)
			fail_msg("%s was taken", bad[i]);
	assert_int_equal(play_hist(",\"hist\":[0,1,591,2]", &count), 1);
	assert_int_equal(count, 3);
	assert_int_equal(play_hist(",\"hist\":[]", &count), 1);
	assert_int_equal(count, 0);
	/* Absent is empty, of which nothing is known. */
	count = 9;
	assert_int_equal(play_hist("", &count), 1);
	assert_int_equal(count, 0);
}

/* A line of many empty items must not cost memory by their thousands. */
static void a_line_of_latencies_is_bounded(void **state)
{
	struct tape t;
	struct player p;

	(void)state;
	tape_init(&t);
	fputs(HEADER "{\"sample\":\"full\"," AT ",\"latencies\":[{}", t.out);
	for (int i = 0; i < 100000; i++)
		fputs(",{}", t.out);
	fputs("]}\n", t.out);
	fflush(t.out);
	player_init(&p, t.bytes, t.len);
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_SAMPLE);
	assert_int_equal(p.frame.sample->n_latencies, LATENCIES_MAX);
	player_done(&p);
	tape_done(&t);
}

/* Any content, groups present, not asked for or failed. */
static void samples_round_trip(void **state)
{
	uint64_t seed = 11;
	struct sample s;

	(void)state;
	sample_init(&s);
	for (int round = 0; round < 200; round++) {
		enum fill how = round < FILL_RANDOM ? (enum fill)round : FILL_RANDOM;
		int why[N_GROUPS];
		struct tape t;
		struct player p;

		for (int g = 0; g < N_GROUPS; g++) {
			static const int reasons[] = {0, 0, GROUP_NOT_ASKED, -EPERM};

			why[g] = reasons[draw(&seed) % 4];
		}
		fill_sample(&s, why, how, &seed);
		tape_init(&t);
		fputs(HEADER, t.out);
		tape_sample(&t, &s);
		player_init(&p, t.bytes, t.len);
		assert_plays(&p, FRAME_HEADER);
		assert_plays(&p, FRAME_SAMPLE);
		assert_true(sample_equal(p.frame.sample, &s));
		player_done(&p);
		tape_done(&t);
	}
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_have_no_hole),
		cmocka_unit_test(copies_are_deep_and_equal),
		cmocka_unit_test(latencies_have_an_end),
		cmocka_unit_test(a_line_looks_as_promised),
		cmocka_unit_test(damaged_histograms_are_refused),
		cmocka_unit_test(a_line_of_latencies_is_bounded),
		cmocka_unit_test(samples_round_trip),
	};

	return cmocka_run_group_tests_name("sync_frame", tests, NULL, NULL);
}
