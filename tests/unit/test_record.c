/* test_record.c - what is written is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tape.h"

/* The line is one line of well-formed UTF-8 without control characters. */
static void assert_clean(const char *line, size_t len)
{
	uint32_t point;

	assert_int_equal(line[len - 1], '\n');
	for (size_t at = 0, n; at < len - 1; at += n) {
		n = text_decode(line + at, len - at, &point);
		assert_true(n > 0 && point >= ' ');
	}
}

static void headers_round_trip(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int how = 0; how < N_FILLS; how++) {
		struct header h;
		struct tape t;
		struct player p;

		memset(&h, 0x55, sizeof(h));
		fill(field_header, &h, (enum fill)how, &seed);
		fill(field_stamp, &h.started, (enum fill)how, &seed);
		h.dpkgtop = FRAME_FORMAT;
		tape_init(&t);
		tape_header(&t, &h);
		assert_clean(t.bytes, t.len);
		player_init(&p, t.bytes, t.len);
		assert_plays(&p, FRAME_HEADER);
		assert_true(field_equal(field_header, p.frame.header, &h));
		assert_true(field_equal(field_stamp, &p.frame.header->started, &h.started));
		assert_ends(&p, false);
		player_done(&p);
		tape_done(&t);
	}
}

static void event_round_trip(const struct event *e)
{
	struct tape t;
	struct player p;
	size_t start;

	tape_init(&t);
	fputs(HEADER, t.out);
	fflush(t.out);
	start = t.len;
	tape_event(&t, e);
	assert_clean(t.bytes + start, t.len - start);
	player_init(&p, t.bytes, t.len);
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_EVENT);
	assert_true(event_equal(p.frame.event, e));
	assert_ends(&p, false);
	player_done(&p);
	tape_done(&t);
}

static void events_round_trip(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int kind = 0; kind < N_EVENT_KINDS; kind++)
		for (int round = 0; round < 40; round++) {
			enum fill how = round < FILL_RANDOM ? (enum fill)round : FILL_RANDOM;
			struct event e;

			memset(&e, 0x55, sizeof(e));
			e.kind = (enum event_kind)kind;
			fill(field_stamp, &e.at, how == FILL_UNKNOWN ? FILL_ZERO : how, &seed);
			fill(field_event(e.kind), &e, how, &seed);
			event_round_trip(&e);
		}
}

static void sample_round_trip(const struct sample *s)
{
	struct tape t;
	struct player p;
	size_t start;

	tape_init(&t);
	fputs(HEADER, t.out);
	fflush(t.out);
	start = t.len;
	tape_sample(&t, s);
	assert_clean(t.bytes + start, t.len - start);
	player_init(&p, t.bytes, t.len);
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_SAMPLE);
	assert_true(sample_equal(p.frame.sample, s));
	assert_ends(&p, false);
	player_done(&p);
	tape_done(&t);
}

/* Each group present, not asked for, or failed, in all combinations. */
static void samples_round_trip(void **state)
{
	static const int reasons[] = {0, GROUP_NOT_ASKED, -EACCES, -4095};
	uint64_t seed = 3;
	struct sample s;

	(void)state;
	sample_init(&s);
	sample_round_trip(&s);
	for (int mix = 0; mix < 4 * 4 * 4; mix++)
		for (int how = 0; how < N_FILLS; how++) {
			const int why[N_GROUPS] = {reasons[mix % 4], reasons[mix / 4 % 4],
			                           reasons[mix / 16]};

			fill_sample(&s, why, (enum fill)how, &seed);
			sample_round_trip(&s);
		}
	sample_done(&s);
}

static void lines_look_as_promised(void **state)
{
	struct event e = {.at = {1, 2, 3}, .kind = EVENT_TRAILING, .trailing = {UNKNOWN_NS}};
	struct sample s;
	struct tape t;

	(void)state;
	tape_init(&t);
	tape_event(&t, &e);
	sample_init(&s);
	s.at = e.at;
	s.kind = SAMPLE_BOUNDARY;
	s.why[GROUP_DISKS] = -ENOENT;
	s.why[GROUP_MEMORY] = 0;
	s.memory.total_kib = UNKNOWN_U64;
	s.memory.dirty_kib = UNKNOWN_U64 - 1;
	tape_sample(&t, &s);
	assert_string_equal(
		t.bytes,
		"{\"event\":\"trailing\",\"at\":{\"mono_ns\":1,\"boot_ns\":2,\"real_ns\":3}}\n"
		"{\"sample\":\"boundary\",\"at\":{\"mono_ns\":1,\"boot_ns\":2,\"real_ns\":3},"
		"\"why\":{\"disks\":-2},\"memory\":{"
		"\"dirty_kib\":18446744073709551614,\"writeback_kib\":0,\"dirty_limit_kib\":0,"
		"\"background_limit_kib\":0}}\n");
	sample_done(&s);
	tape_done(&t);
}

static void hand_written_lines_read(void **state)
{
	const struct event *e;
	const struct sample *s;
	struct player p;

	(void)state;
	player_init_text(&p, "{ \"dpkgtop\": 1, \"host\": \"box\" }\n"
	                     "{ \"sample\": \"thin\", \"at\": {\"mono_ns\": 1000},"
	                     " \"disks\": [ {\"name\": \"vda\", \"flushes\": 3} ] }  \r\n"
	                     "{\"verb\":\"status\",\"name\":\"libc6\",\"event\":\"package\","
	                     "\"at\":{\"mono_ns\":1000,\"boot_ns\":null}}\n");
	assert_plays(&p, FRAME_HEADER);
	assert_string_equal(p.frame.header->host, "box");
	assert_string_equal(p.frame.header->version, "");
	assert_true(p.frame.header->tick_ns == UNKNOWN_NS);
	assert_plays(&p, FRAME_SAMPLE);
	s = p.frame.sample;
	assert_int_equal(s->kind, SAMPLE_THIN);
	assert_true(s->at.mono_ns == 1000 && s->at.boot_ns == UNKNOWN_NS);
	assert_int_equal(s->n_disks, 1);
	assert_int_equal(s->disks[0].flushes, 3);
	assert_true(s->disks[0].reads == UNKNOWN_U64);
	assert_int_equal(s->disks[0].major, 0);
	assert_false(sample_has(s, GROUP_MEMORY));
	assert_plays(&p, FRAME_EVENT);
	e = p.frame.event;
	assert_int_equal(e->package.verb, VERB_STATUS);
	assert_int_equal(e->package.state, STATE_NONE);
	assert_string_equal(e->package.name, "libc6");
	assert_string_equal(e->package.version, "");
	assert_ends(&p, false);
	player_done(&p);
}

static void newer_keys_and_kinds_are_passed_over(void **state)
{
	struct player p;

	(void)state;
	player_init_text(&p,
	                 "{\"dpkgtop\":1,\"probe\":{\"a\":[1,2.5]}}\n"
	                 "{\"note\":\"a frame of another kind\"}\n"
	                 "{\"event\":\"suspend\",\"at\":null}\n"
	                 "{\"sample\":\"deep\"}\n"
	                 "{\"event\":\"exec\"," AT ",\"role\":\"bootloader\",\"pid\":1}\n"
	                 "{\"event\":\"package\"," AT ",\"verb\":\"hold\"}\n"
	                 "{\"event\":\"package\"," AT ",\"verb\":\"status\",\"state\":\"frozen\"}\n"
	                 "{\"event\":\"end\"," AT ",\"status\":0,\"signal\":9}\n"
	                 "{\"sample\":\"full\"," AT ",\"sync\":[],\"why\":{\"sync\":\"x\"},"
	                 "\"memory\":{\"free_kib\":{}}}\n");
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_EVENT);
	assert_int_equal(p.frame.event->kind, EVENT_PACKAGE);
	assert_int_equal(p.frame.event->package.state, STATE_NONE);
	assert_plays(&p, FRAME_EVENT);
	assert_int_equal(p.frame.event->end.status, 0);
	assert_plays(&p, FRAME_SAMPLE);
	assert_true(sample_has(p.frame.sample, GROUP_MEMORY));
	assert_true(p.frame.sample->memory.dirty_kib == UNKNOWN_U64);
	assert_ends(&p, false);
	player_done(&p);
}

/* Left out, they are as far from mono_ns as before; null, they are not known. */
static void clocks_follow_the_line_before(void **state)
{
	struct player p;

	(void)state;
	player_init_text(&p, "{\"dpkgtop\":1,\"started\":{\"mono_ns\":10,\"boot_ns\":15}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":20}}\n"
	                     "{\"event\":\"suspend\",\"at\":{\"mono_ns\":21,\"boot_ns\":121,"
	                     "\"real_ns\":1000}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":30}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":31,\"boot_ns\":null,"
	                     "\"real_ns\":1}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":32}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":33,"
	                     "\"real_ns\":4611686018427387903}}\n"
	                     "{\"event\":\"end\",\"at\":{\"mono_ns\":40}}\n");
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_EVENT);
	assert_true(p.frame.event->at.boot_ns == 25 && p.frame.event->at.real_ns == UNKNOWN_NS);
	assert_plays(&p, FRAME_EVENT);
	assert_true(p.frame.event->at.boot_ns == 130 && p.frame.event->at.real_ns == 1009);
	assert_plays(&p, FRAME_EVENT);
	assert_true(p.frame.event->at.boot_ns == UNKNOWN_NS && p.frame.event->at.real_ns == 1);
	assert_plays(&p, FRAME_EVENT);
	assert_true(p.frame.event->at.boot_ns == UNKNOWN_NS && p.frame.event->at.real_ns == 2);
	assert_plays(&p, FRAME_EVENT);
	assert_plays(&p, FRAME_EVENT);
	/* Beyond what a time may be. */
	assert_true(p.frame.event->at.real_ns == UNKNOWN_NS);
	player_done(&p);
}

static void the_largest_counters(void **state)
{
	struct player p;

	(void)state;
	player_init_text(&p, HEADER "{\"event\":\"plan\"," AT ",\"unpacks\":9223372036854775808,"
	                            "\"configures\":18446744073709551614,"
	                            "\"removes\":99999999999999999999}\n");
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_EVENT);
	assert_true(p.frame.event->plan.unpacks == (uint64_t)INT64_MAX + 1);
	assert_true(p.frame.event->plan.configures == UNKNOWN_U64 - 1);
	/* What no counter can hold is not known. */
	assert_true(p.frame.event->plan.removes == UNKNOWN_U64);
	player_done(&p);
}

static void foreign_text_is_made_printable(void **state)
{
	struct player p;

	(void)state;
	player_init_text(&p, HEADER "{\"event\":\"upgrade\"," AT ",\"frontend\":\"a\\u001b[31m\","
	                            "\"command\":\"x\\u0000y \xff\xc3 \\u202e\\ud800\"}\n"
	                            "{\"sample\":\"full\"," AT ",\"processes\":[{\"pid\":1,"
	                            "\"state\":\"\\u0007\"},{\"pid\":2,\"state\":\"\"},"
	                            "{\"pid\":3,\"state\":\"Sx\"}]}\n");
	assert_plays(&p, FRAME_HEADER);
	assert_plays(&p, FRAME_EVENT);
	assert_string_equal(p.frame.event->upgrade.frontend, "a?[31m");
	assert_memory_equal(p.frame.event->upgrade.command, "x y ?? ?", 8);
	assert_plays(&p, FRAME_SAMPLE);
	assert_int_equal(p.frame.sample->processes[0].state, '?');
	assert_int_equal(p.frame.sample->processes[1].state, '\0');
	assert_int_equal(p.frame.sample->processes[2].state, 'S');
	player_done(&p);
}

/* A name whose last byte is used: what the sources make printable is cut at a whole character. */
static void a_full_name_is_whole_characters(void **state)
{
	struct event e = {.at = {1, 2, 3}, .kind = EVENT_PACKAGE};
	char longer[256] = "";

	(void)state;
	for (size_t lead = 0; lead < 4; lead++) {
		memset(longer, 'a', lead);
		longer[lead] = '\0';
		while (strlen(longer) < 200)
			strcat(longer, "😀");
		text_printable_string(e.package.name, sizeof(e.package.name), longer);
		assert_true(strlen(e.package.name) >= sizeof(e.package.name) - 4);
		event_round_trip(&e);
	}
}

static void a_line_too_long_is_not_written(void **state)
{
	struct sample s;
	struct tape t;
	uint64_t seed = 5;

	(void)state;
	sample_init(&s);
	s.why[GROUP_PROCESSES] = 0;
	for (int32_t pid = 0; pid < 8000; pid++) {
		struct process_counters *process = sample_add_process(&s);

		fill(field_process, process, FILL_MOST, &seed);
		process->pid = pid;
	}
	tape_init(&t);
	assert_int_equal(record_write(t.out, &(struct frame){FRAME_SAMPLE, {.sample = &s}}),
	                 -EMSGSIZE);
	fflush(t.out);
	assert_int_equal(t.len, 0);
	s.n_processes = 1500;
	sample_round_trip(&s);
	sample_done(&s);
	tape_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_round_trip),
		cmocka_unit_test(events_round_trip),
		cmocka_unit_test(samples_round_trip),
		cmocka_unit_test(lines_look_as_promised),
		cmocka_unit_test(hand_written_lines_read),
		cmocka_unit_test(newer_keys_and_kinds_are_passed_over),
		cmocka_unit_test(clocks_follow_the_line_before),
		cmocka_unit_test(the_largest_counters),
		cmocka_unit_test(foreign_text_is_made_printable),
		cmocka_unit_test(a_full_name_is_whole_characters),
		cmocka_unit_test(a_line_too_long_is_not_written),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
