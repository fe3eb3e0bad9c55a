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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_recorded_is_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(plain_lines_are_a_recording_too, setup, teardown),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
