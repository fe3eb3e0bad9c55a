/* test_recording.c - a recording as a file: written, read back, cut anywhere, damaged. */
#include "recording_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <zstd.h>

#include "dpkgtop/record.h"

static void what_is_recorded_is_read_back(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct model live, again;
	struct stat st;
	struct run r;
	const char *part;
	bool cut;
	int frames;

	run_init(&r, 200, SECOND);
	run_record(&r, f->path);
	run_model(&r, &live);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	if (read_model(f->path, &again, &frames, &cut, &e) < 0)
		fail_msg("%s", e.text);
	assert_false(cut);
	part = model_differs(&live, &again);
	if (part)
		fail_msg("read back, the model differs in its %s", part);
	assert_string_equal(again.software.apt, "2.6.1");
	assert_int_equal(again.usage.user_ns, 2 * SECOND);
	assert_int_equal(again.own.rss_kib, 7000);
	model_done(&live);
	model_done(&again);
	run_done(&r);
}

/* The file as plain lines, to be freed. */
static char *decompress(const char *path, size_t *ret_len)
{
	size_t len, room = 16 << 20;
	char *bytes = slurp(path, &len), *lines = malloc(room + 1);
	size_t got = ZSTD_decompress(lines, room, bytes, len);

	assert_false(ZSTD_isError(got));
	lines[got] = '\0';
	free(bytes);
	*ret_len = got;
	return lines;
}

static void plain_lines_are_a_recording_too(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct model live, again;
	struct run r;
	size_t len;
	char *lines;
	bool cut;
	int frames;

	run_init(&r, 20, SECOND);
	run_record(&r, f->path);
	run_model(&r, &live);
	lines = decompress(f->path, &len);
	spill(f->path, lines, len);
	assert_int_equal(read_model(f->path, &again, &frames, &cut, &e), 0);
	assert_false(cut);
	assert_null(model_differs(&live, &again));
	model_done(&live);
	model_done(&again);
	free(lines);
	run_done(&r);
}

/* How many whole lines the first `len` bytes hold. */
static int count_lines(const char *lines, size_t len)
{
	int count = 0;

	for (size_t i = 0; i < len; i++)
		count += lines[i] == '\n';
	return count;
}

static void a_plain_file_cut_anywhere_gives_its_whole_lines(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct model m;
	struct run r;
	size_t len;
	char *lines;
	bool cut;
	int frames;

	run_init(&r, 4, SECOND);
	run_record(&r, f->path);
	lines = decompress(f->path, &len);
	for (size_t at = 0; at <= len; at++) {
		spill(f->path, lines, at);
		if (read_model(f->path, &m, &frames, &cut, &e) < 0)
			fail_msg("cut at %zu of %zu: %s", at, len, e.text);
		assert_int_equal(frames, count_lines(lines, at));
		assert_int_equal(cut, at == 0 || lines[at - 1] != '\n');
		model_done(&m);
	}
	free(lines);
	run_done(&r);
}

/* The models of a run after none, one, two … of its frames. */
#define COURSE_ROOM 80
struct course {
	struct model after[COURSE_ROOM];
	int count;
};

static void course_sink(void *context, const struct frame *f)
{
	struct course *c = context;

	c->count++;
	assert_true(c->count < COURSE_ROOM);
	for (int i = c->count; i < COURSE_ROOM; i++)
		model_add(&c->after[i], f);
}

static struct course *course_new(struct run *r)
{
	struct course *c = calloc(1, sizeof(*c));

	for (int i = 0; i < COURSE_ROOM; i++)
		model_init(&c->after[i]);
	run_play(r, course_sink, c);
	return c;
}

static void course_free(struct course *c)
{
	for (int i = 0; i < COURSE_ROOM; i++)
		model_done(&c->after[i]);
	free(c);
}

/* Several zstd frames, and a flush after each sample. */
static void cut_anywhere_it_gives_the_model_of_what_is_left(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct course *c;
	struct run r;
	size_t len;
	char *bytes;
	int last = 0, different = 0;

	run_init(&r, 30, 5 * SECOND);
	run_record(&r, f->path);
	c = course_new(&r);
	bytes = slurp(f->path, &len);
	for (size_t at = 0; at <= len; at++) {
		struct model m;
		const char *part;
		bool cut;
		int frames;

		spill(f->path, bytes, at);
		if (read_model(f->path, &m, &frames, &cut, &e) < 0)
			fail_msg("cut at %zu of %zu: %s", at, len, e.text);
		assert_true(frames >= last && frames <= c->count);
		part = model_differs(&m, &c->after[frames]);
		if (part)
			fail_msg("cut at %zu of %zu: its %s differs", at, len, part);
		different += frames != last;
		last = frames;
		assert_true(cut || at > 0);
		model_done(&m);
	}
	assert_int_equal(last, c->count);
	/* It is not all or nothing. */
	assert_true(different >= 30);
	free(bytes);
	course_free(c);
	run_done(&r);
}

static int read_bytes(const struct fixture *f, const char *bytes, size_t len, bool *ret_cut,
                      struct err *e)
{
	struct model m;
	int frames, r;

	spill(f->path, bytes, len);
	r = read_model(f->path, &m, &frames, ret_cut, e);
	model_done(&m);
	return r;
}

static bool is_whole(const struct fixture *f, const struct model *whole)
{
	struct err e = {""};
	struct model m;
	int frames;
	bool cut, same;

	same = read_model(f->path, &m, &frames, &cut, &e) == 0 && !cut && !model_differs(&m, whole);
	model_done(&m);
	return same;
}

/* A bit that was turned is told, by the checksum if by nothing else. */
static void a_damaged_byte_is_told(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct run r;
	size_t len;
	char *bytes;
	struct model whole;
	bool cut;

	run_init(&r, 12, SECOND);
	run_record(&r, f->path);
	run_model(&r, &whole);
	bytes = slurp(f->path, &len);
	for (size_t at = 0; at < len; at++) {
		int result;

		bytes[at] ^= 0x10;
		e.text[0] = '\0';
		result = read_bytes(f, bytes, len, &cut, &e);
		/* A length that became longer looks as if the rest were missing; some bits have no
		 * meaning. */
		if (result != -EBADMSG && result != -EPROTO &&
		    !(result == 0 && (cut || is_whole(f, &whole))))
			fail_msg("byte %zu of %zu: %d %s", at, len, result, e.text);
		assert_true(result == 0 || strstr(e.text, "run.dtop"));
		bytes[at] ^= 0x10;
	}
	assert_int_equal(read_bytes(f, bytes, len, &cut, &e), 0);
	assert_false(cut);
	model_done(&whole);
	free(bytes);
	run_done(&r);
}

static void what_follows_is_damage(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	struct run r;
	size_t len;
	char *bytes;
	bool cut;

	run_init(&r, 12, SECOND);
	run_record(&r, f->path);
	bytes = slurp(f->path, &len);
	bytes = realloc(bytes, len + 8);
	memcpy(bytes + len, "garbage", 8);
	assert_int_equal(read_bytes(f, bytes, len + 7, &cut, &e), -EBADMSG);
	assert_int_equal(read_bytes(f, "\x28\xb5\x2f\xfe----", 8, &cut, &e), -EBADMSG);
	assert_int_equal(read_bytes(f, "garbage\n", 8, &cut, &e), -EBADMSG);
	assert_int_equal(read_bytes(f, "{\"dpkgtop\":2}\n", 14, &cut, &e), -EPROTO);
	free(bytes);
	run_done(&r);
}

/* 64 MiB of window would be ours to hold. */
static void a_large_window_is_refused(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	size_t room = 32 << 20, len;
	char *lines = malloc(room), *bytes = malloc(ZSTD_compressBound(room));
	ZSTD_CCtx *context = ZSTD_createCCtx();
	uint64_t seed = 1;
	bool cut;

	for (size_t i = 0; i < room; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		lines[i] = (char)(seed >> 56);
	}
	strcpy(lines, "{\"dpkgtop\":1}\n");
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 26);
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	len = ZSTD_compress2(context, bytes, ZSTD_compressBound(room), lines, room);
	assert_false(ZSTD_isError(len));
	assert_int_equal(read_bytes(f, bytes, len, &cut, &e), -EBADMSG);
	ZSTD_freeCCtx(context);
	free(bytes);
	free(lines);
}

/* Ends in a line of 1 GiB, packed into little. */
static void a_bomb_takes_no_memory(void **state)
{
	struct fixture *f = *state;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t piece = 1 << 20, room = ZSTD_compressBound(piece) + 1000;
	char *zeros = calloc(1, piece), *out = malloc(room * 4);
	FILE *to = fopen(f->path, "we");
	struct rusage before, after;
	struct err e = {""};
	struct model m;
	bool cut;
	int frames;

	for (int i = 0; i < 1024; i++) {
		ZSTD_inBuffer in = {zeros, piece, 0};
		ZSTD_outBuffer bytes = {out, room * 4, 0};

		ZSTD_compressStream2(context, &bytes, &in, i < 1023 ? ZSTD_e_flush : ZSTD_e_end);
		assert_int_equal(fwrite(out, 1, bytes.pos, to), bytes.pos);
	}
	fclose(to);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(read_model(f->path, &m, &frames, &cut, &e), 0);
	assert_true(cut);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 32 * 1024);
	model_done(&m);
	ZSTD_freeCCtx(context);
	free(out);
	free(zeros);
}

/* --- making the file ----------------------------------------------------------------------- */

static int create_only(const char *path, bool force, struct err *e)
{
	struct recording_writer *w;
	int r = recording_create(&w, path, force, e);

	return r < 0 ? r : recording_close(w, e);
}

static void what_is_there_stays(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	char *bytes;
	size_t len;

	spill(f->path, "mine", 4);
	assert_int_equal(create_only(f->path, false, &e), -EEXIST);
	assert_non_null(strstr(e.text, "--force"));
	bytes = slurp(f->path, &len);
	assert_string_equal(bytes, "mine");
	free(bytes);
	assert_int_equal(chmod(f->path, 0666), 0);
	assert_int_equal(create_only(f->path, true, &e), 0);
	bytes = slurp(f->path, &len);
	assert_string_not_equal(bytes, "mine");
	free(bytes);
}

/* Another name of the file, or somebody who has it open, keeps what was in it. */
static void force_removes_a_name_and_empties_no_file(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	char other[128], *bytes;
	struct stat st;
	size_t len;

	snprintf(other, sizeof(other), "%s/other", f->dir);
	spill(other, "precious", 8);
	assert_int_equal(link(other, f->path), 0);
	assert_int_equal(create_only(f->path, true, &e), 0);
	bytes = slurp(other, &len);
	assert_string_equal(bytes, "precious");
	free(bytes);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void a_symlink_is_not_followed(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};
	char other[128], *bytes;
	size_t len;

	snprintf(other, sizeof(other), "%s/other", f->dir);
	assert_int_equal(symlink(other, f->path), 0);
	assert_int_equal(create_only(f->path, false, &e), -EEXIST);
	assert_int_equal(create_only(f->path, true, &e), -EINVAL);
	assert_int_equal(access(other, F_OK), -1);
	spill(other, "precious", 8);
	assert_int_equal(create_only(f->path, false, &e), -EEXIST);
	assert_int_equal(create_only(f->path, true, &e), -EINVAL);
	bytes = slurp(other, &len);
	assert_string_equal(bytes, "precious");
	free(bytes);
}

static void what_is_no_file_is_not_written(void **state)
{
	struct fixture *f = *state;
	struct err e = {""};

	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(create_only(f->path, false, &e), -EEXIST);
	assert_int_equal(create_only(f->path, true, &e), -EINVAL);
	assert_int_equal(create_only("/dev/null", true, &e), -EINVAL);
	assert_int_equal(create_only(f->dir, true, &e), -EINVAL);
	assert_int_equal(create_only("/dev/null/x", true, &e), -ENOTDIR);
	if (geteuid() != 0)
		return;
	assert_int_equal(unlink(f->path), 0);
	spill(f->path, "theirs", 6);
	assert_int_equal(chown(f->path, 1, 1), 0);
	assert_int_equal(create_only(f->path, true, &e), -EPERM);
}

/* --- a file that takes no more ------------------------------------------------------------- */

/* What was written before is a recording; the run goes on. */
static void a_full_file_ends_the_recording_alone(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, small = {2000, RLIM_INFINITY};
	struct recording_writer *w;
	struct err e = {""};
	struct model m;
	struct run r;
	sigset_t xfsz, mask;
	bool cut;
	int frames;

	/* It has to reach no thread of the program's own. */
	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &xfsz, &mask);
	run_init(&r, 3000, SECOND);
	assert_int_equal(recording_create(&w, f->path, false, &e), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	run_play(&r, recording_take, w);
	assert_int_equal(recording_close(w, &e), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(e.text, "run.dtop"));
	assert_int_equal(sigpending(&xfsz), 0);
	assert_false(sigismember(&xfsz, SIGXFSZ));
	sigprocmask(SIG_SETMASK, &mask, NULL);
	assert_int_equal(read_model(f->path, &m, &frames, &cut, &e), 0);
	assert_true(cut && frames > 1);
	model_done(&m);
	run_done(&r);
}

/* By the stamps alone: the header at once, then whatever is older than 5 s. */
static void it_is_flushed_each_5_seconds(void **state)
{
	struct fixture *f = *state;
	struct recording_writer *w;
	struct err e = {""};
	struct run r;
	int64_t at_ns = SECOND;

	run_init(&r, 0, SECOND);
	assert_int_equal(recording_create(&w, f->path, false, &e), 0);
	run_begin(&r, recording_take, w);
	for (int step = 1; step <= 100; step++) {
		int frames = 0, least = step > 5 ? 5 + step - 5 : 1;

		at_ns += SECOND;
		run_sample(&r, step, at_ns, recording_take, w);
		/* The thread has its own time. */
		for (int tries = 0; tries < 3000 && frames < least; tries++) {
			struct model m;
			bool cut;

			if (tries)
				usleep(10000);
			assert_int_equal(read_model(f->path, &m, &frames, &cut, &e), 0);
			model_done(&m);
		}
		assert_true(frames >= least);
	}
	assert_int_equal(recording_close(w, &e), 0);
	run_done(&r);
}

static void the_seed_of_the_fuzzer_is_a_recording(void **state)
{
	struct err e = {""};
	struct model m;
	bool cut;
	int frames;

	(void)state;
	if (read_model("tests/fuzz/seed.jsonl", &m, &frames, &cut, &e) < 0)
		fail_msg("%s", e.text);
	assert_false(cut);
	assert_int_equal(m.state, MODEL_ENDED);
	assert_int_equal(m.packages.failures, 1);
	assert_int_equal(m.usage.user_ns, 70000000);
	model_done(&m);
}

static void no_file_is_told(void **state)
{
	struct fixture *f = *state;
	struct recording *r;
	struct err e = {""};
	struct frame frame;

	assert_int_equal(recording_open(&r, f->path, &e), -ENOENT);
	assert_non_null(strstr(e.text, "run.dtop"));
	assert_int_equal(recording_open(&r, f->dir, &e), -EISDIR);
	spill(f->path, "", 0);
	assert_int_equal(recording_open(&r, f->path, &e), 0);
	assert_int_equal(recording_read(r, &frame, &e), 0);
	assert_true(recording_cut(r));
	recording_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_recorded_is_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(plain_lines_are_a_recording_too, setup, teardown),
		cmocka_unit_test_setup_teardown(a_plain_file_cut_anywhere_gives_its_whole_lines,
	                                        setup, teardown),
		cmocka_unit_test_setup_teardown(cut_anywhere_it_gives_the_model_of_what_is_left,
	                                        setup, teardown),
		cmocka_unit_test_setup_teardown(a_damaged_byte_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(what_follows_is_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(a_large_window_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bomb_takes_no_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_there_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(force_removes_a_name_and_empties_no_file, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(a_symlink_is_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_not_written, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_file_ends_the_recording_alone, setup,
	                                        teardown),
		cmocka_unit_test_setup_teardown(it_is_flushed_each_5_seconds, setup, teardown),
		cmocka_unit_test_setup_teardown(no_file_is_told, setup, teardown),
		cmocka_unit_test(the_seed_of_the_fuzzer_is_a_recording),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
