/* test_damage.c - nothing that is read as a recording can do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tape.h"

static void write_session(struct tape *t)
{
	const int why[N_GROUPS] = {0, -EACCES, 0};
	uint64_t seed = 4;
	struct header h;
	struct sample s;
	struct event e;

	tape_init(t);
	header_init(&h);
	h.started = (struct stamp){1, 1, 1};
	tape_header(t, &h);
	sample_init(&s);
	for (int i = 0; i < 4; i++) {
		fill_sample(&s, why, FILL_RANDOM, &seed);
		s.at = (struct stamp){10 + i, 0, 0};
		tape_sample(t, &s);
		memset(&e, 0, sizeof(e));
		e.kind = (enum event_kind)i;
		fill(field_event(e.kind), &e, FILL_RANDOM, &seed);
		e.at = s.at;
		tape_event(t, &e);
	}
	sample_done(&s);
}

static void cut_anywhere_reads_to_the_last_whole_line(void **state)
{
	struct tape t;
	int lines = 0;

	(void)state;
	write_session(&t);
	for (size_t len = 0; len <= t.len; len++) {
		bool whole = len && t.bytes[len - 1] == '\n';
		struct player p;

		lines += whole;
		player_init(&p, t.bytes, len);
		for (int i = 0; i < lines; i++)
			assert_int_equal(play(&p), 1);
		assert_ends(&p, !whole);
		assert_ends(&p, !whole);
		assert_string_equal(p.e.text, "");
		player_done(&p);
	}
	assert_int_equal(lines, 9);
	tape_done(&t);
}

static void damaged_lines(void **state)
{
	static const char *const lines[] = {
		"",
		"not json",
		"[]",
		"\"text\"",
		"null",
		"17",
		"{",
		"{\"event\":\"end\"," AT "} {}",
		"{\"event\":\"end\"," AT "",
		"{\"event\":7," AT "}",
		"{\"sample\":[]," AT "}",
		"{\"dpkgtop\":1}",
		"{\"event\":\"end\"}",
		"{\"event\":\"end\",\"at\":5}",
		"{\"event\":\"end\",\"at\":{}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":null}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":-1}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":1.5}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":1e3}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":\"5\"}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":true}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":9223372036854775807}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":18446744073709551615}}",
		"{\"event\":\"end\",\"at\":{\"mono_ns\":99999999999999999999999999}}",
		"{\"event\":\"end\"," AT ",\"status\":2147483648}",
		"{\"event\":\"end\"," AT ",\"status\":-2147483649}",
		"{\"event\":\"end\"," AT ",\"status\":NaN}",
		"{\"event\":\"plan\"," AT ",\"unpacks\":-1}",
		"{\"event\":\"plan\"," AT ",\"unpacks\":[]}",
		"{\"event\":\"package\"," AT ",\"verb\":3}",
		"{\"event\":\"package\"," AT ",\"verb\":\"status\",\"name\":{}}",
		"{\"sample\":\"full\"," AT ",\"why\":[]}",
		"{\"sample\":\"full\"," AT ",\"why\":{\"disks\":2}}",
		"{\"sample\":\"full\"," AT ",\"why\":{\"disks\":0}}",
		"{\"sample\":\"full\"," AT ",\"why\":{\"disks\":-4096}}",
		"{\"sample\":\"full\"," AT ",\"why\":{\"disks\":\"x\"}}",
		"{\"sample\":\"full\"," AT ",\"why\":{\"disks\":-2},\"disks\":[]}",
		"{\"sample\":\"full\"," AT ",\"disks\":{}}",
		"{\"sample\":\"full\"," AT ",\"disks\":[[]]}",
		"{\"sample\":\"full\"," AT ",\"disks\":[null]}",
		"{\"sample\":\"full\"," AT ",\"disks\":[{\"major\":-1}]}",
		"{\"sample\":\"full\"," AT ",\"disks\":[{\"major\":4294967296}]}",
		"{\"sample\":\"full\"," AT ",\"memory\":[]}",
		"{\"sample\":\"full\"," AT ",\"processes\":[{\"pid\":2},{\"pid\":1}]}",
		"{\"sample\":\"full\"," AT ",\"processes\":[{\"pid\":2},{\"pid\":2}]}",
		"{\"sample\":\"full\"," AT ",\"processes\":[{\"pid\":2,\"state\":82}]}",
	};
	char text[512];
	struct player p;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		int r;

		snprintf(text, sizeof(text), HEADER "%s\n{\"event\":\"end\"," AT "}\n", lines[i]);
		player_init_text(&p, text);
		assert_plays(&p, FRAME_HEADER);
		r = play(&p);
		if (r != -EBADMSG)
			fail_msg("%d for: %s", r, lines[i]);
		assert_memory_equal(p.e.text, "x:2: ", 5);
		assert_true(strlen(p.e.text) > 10);
		/* The next line is whole. */
		assert_plays(&p, FRAME_EVENT);
		assert_ends(&p, false);
		player_done(&p);
	}
}

static void nul_bytes_are_damage(void **state)
{
	static const char text[] = HEADER "{\"event\":\"end\"," AT "}\0{}\n\0\n";
	struct player p;

	(void)state;
	player_init(&p, text, sizeof(text) - 1);
	assert_plays(&p, FRAME_HEADER);
	assert_int_equal(play(&p), -EBADMSG);
	assert_int_equal(play(&p), -EBADMSG);
	assert_ends(&p, false);
	player_done(&p);
}

static void without_a_header_nothing_is_read(void **state)
{
	static const char *const texts[] = {
		"{\"event\":\"end\"," AT "}\n", "root:x:0:0\n", "{\"dpkgtop\":0}\n",
		"{\"dpkgtop\":\"1\"}\n",        "{}\n",         "{\"dpkgtop\":1,\"host\":1}\n",
	};
	struct player p;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		player_init_text(&p, texts[i]);
		assert_int_equal(play(&p), -EBADMSG);
		assert_memory_equal(p.e.text, "x:1: ", 5);
		assert_ends(&p, true);
		player_done(&p);
	}
}

/* What a newer format means is not known, so only its number is looked at. */
static void a_newer_format_is_told_apart(void **state)
{
	struct player p;

	(void)state;
	player_init_text(&p, "{\"host\":[],\"dpkgtop\":2}\n");
	assert_int_equal(play(&p), -EPROTO);
	assert_memory_equal(p.e.text, "x:1: format 2 ", 14);
	player_done(&p);
}

static void stamps_never_go_back(void **state)
{
	struct player p;

	(void)state;
	player_init_text(&p, "{\"dpkgtop\":1,\"started\":{\"mono_ns\":4}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":3}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":4}}\n"
	                     "{\"sample\":\"full\",\"at\":{\"mono_ns\":9}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":8}}\n"
	                     "{\"sample\":\"full\",\"at\":{\"mono_ns\":9}}\n");
	assert_plays(&p, FRAME_HEADER);
	assert_int_equal(play(&p), -EBADMSG);
	assert_plays(&p, FRAME_EVENT);
	assert_plays(&p, FRAME_SAMPLE);
	assert_int_equal(play(&p), -EBADMSG);
	assert_memory_equal(p.e.text, "x:5: ", 5);
	assert_plays(&p, FRAME_SAMPLE);
	assert_ends(&p, false);
	player_done(&p);
}

static void deep_nesting_is_damage(void **state)
{
	struct tape t;
	struct player p;

	(void)state;
	tape_init(&t);
	fputs(HEADER "{\"a\":", t.out);
	for (int i = 0; i < 100000; i++)
		fputc('[', t.out);
	fputs("\n{\"a\":[[[[[[[[[[[]]]]]]]]]]]}\n", t.out);
	fflush(t.out);
	player_init(&p, t.bytes, t.len);
	assert_plays(&p, FRAME_HEADER);
	assert_int_equal(play(&p), -EBADMSG);
	/* A few levels of something unknown are none of our business. */
	assert_ends(&p, false);
	player_done(&p);
	tape_done(&t);
}

/* A stream of `left` bytes of one line, then `rest`. */
struct long_line {
	size_t left;
	const char *rest;
};

static ssize_t long_line_read(void *cookie, char *to, size_t size)
{
	struct long_line *l = cookie;
	size_t n = l->left < size ? l->left : size;

	if (n) {
		memset(to, 'x', n);
		l->left -= n;
		return (ssize_t)n;
	}
	n = strlen(l->rest) < size ? strlen(l->rest) : size;
	memcpy(to, l->rest, n);
	l->rest += n;
	return (ssize_t)n;
}

static void a_huge_line_takes_no_memory(void **state)
{
	struct long_line l = {100 << 20, "\n" HEADER};
	struct rusage before, after;
	struct player p;

	(void)state;
	memset(&p, 0, sizeof(p));
	p.in = fopencookie(&l, "r", (cookie_io_functions_t){.read = long_line_read});
	assert_non_null(p.in);
	p.reader = record_reader_new(p.in, "x");
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(play(&p), -EBADMSG);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
	assert_plays(&p, FRAME_HEADER);
	assert_ends(&p, false);
	player_done(&p);
}

static void failures_of_the_stream_are_told(void **state)
{
	struct event e = {.at = {1, 2, 3}, .kind = EVENT_END};
	const struct frame f = {FRAME_EVENT, {.event = &e}};
	FILE *full = fopen("/dev/full", "w");
	struct player p;

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(record_write(full, &f), -EIO);
	fclose(full);
	memset(&p, 0, sizeof(p));
	p.in = fopen("/", "r"); /* opens, but read(2) says EISDIR */
	assert_non_null(p.in);
	p.reader = record_reader_new(p.in, "x");
	assert_int_equal(play(&p), -EIO);
	assert_false(record_reader_cut(p.reader));
	player_done(&p);
}

/* Bytes changed at random: whatever comes out keeps the promises of a frame. */
static void noise_does_no_harm(void **state)
{
	uint64_t seed = 6;
	struct tape t;
	char *bytes;

	(void)state;
	write_session(&t);
	bytes = malloc(t.len);
	assert_non_null(bytes);
	for (int round = 0; round < 1000; round++) {
		int64_t last = 0;
		struct player p;
		int r;

		memcpy(bytes, t.bytes, t.len);
		for (int i = 0; i <= round % 8; i++)
			bytes[draw(&seed) % t.len] = "\"\\{}[]:,0-9e\n\x80u"[draw(&seed) % 15];
		player_init(&p, bytes, t.len);
		while ((r = play(&p)) != 0) {
			assert_true(r == 1 || r == -EBADMSG || r == -EPROTO);
			if (r < 0 || p.frame.kind == FRAME_HEADER)
				continue;
			assert_true(p.frame.sample->at.mono_ns >= last);
			last = p.frame.sample->at.mono_ns;
		}
		player_done(&p);
	}
	free(bytes);
	tape_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First, while the peak of memory is still low. */
		cmocka_unit_test(a_huge_line_takes_no_memory),
		cmocka_unit_test(cut_anywhere_reads_to_the_last_whole_line),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(nul_bytes_are_damage),
		cmocka_unit_test(without_a_header_nothing_is_read),
		cmocka_unit_test(a_newer_format_is_told_apart),
		cmocka_unit_test(stamps_never_go_back),
		cmocka_unit_test(deep_nesting_is_damage),
		cmocka_unit_test(failures_of_the_stream_are_told),
		cmocka_unit_test(noise_does_no_harm),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
