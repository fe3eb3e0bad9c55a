/* test_text.c - foreign bytes made safe, and text measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/text.h"

static void decodes_each_length(void **state)
{
	static const struct {
		const char *s;
		size_t bytes;
		uint32_t point;
	} cases[] = {
		{"a", 1, 'a'},
		{"\x7f", 1, 0x7f},
		{"\xc2\x80", 2, 0x80},
		{"\xdf\xbf", 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 0x800},
		{"\xed\x9f\xbf", 3, 0xd7ff},
		{"\xee\x80\x80", 3, 0xe000},
		{"\xef\xbf\xbf", 3, 0xffff},
		{"\xf0\x90\x80\x80", 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t point = 0;
		char more[8];

		assert_int_equal(text_decode(cases[i].s, cases[i].bytes, &point), cases[i].bytes);
		assert_int_equal(point, cases[i].point);
		/* What follows does not matter; one byte less is no character. */
		snprintf(more, sizeof(more), "%sz", cases[i].s);
		assert_int_equal(text_decode(more, cases[i].bytes + 1, &point), cases[i].bytes);
		assert_int_equal(text_decode(cases[i].s, cases[i].bytes - 1, &point), 0);
	}
}

static void decodes_nul_by_length(void **state)
{
	uint32_t point = 1;

	(void)state;
	assert_int_equal(text_decode("", 1, &point), 1);
	assert_int_equal(point, 0);
}

static void refuses_what_is_no_utf8(void **state)
{
	static const char *const bad[] = {
		"\x80",             /* a continuation alone */
		"\xbf\xbf",         /* the same, twice */
		"\xc0\x80",         /* overlong NUL */
		"\xc1\xbf",         /* overlong DEL */
		"\xe0\x9f\xbf",     /* overlong in three bytes */
		"\xf0\x8f\xbf\xbf", /* overlong in four */
		"\xed\xa0\x80",     /* first surrogate */
		"\xed\xbf\xbf",     /* last surrogate */
		"\xf4\x90\x80\x80", /* beyond U+10FFFF */
		"\xf8\x90\x80\x80", /* would take five bytes */
		"\xff",             /* never a byte of UTF-8 */
		"\xc3(",            /* no continuation */
		"\xe2\x82(",        /* the second continuation missing */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint32_t point = 42;

		assert_int_equal(text_decode(bad[i], strlen(bad[i]), &point), 0);
		assert_int_equal(point, 42);
	}
}

static void assert_printable(const char *src, size_t len, const char *expected)
{
	char out[64];
	/* A copy of just the size lets the sanitizer see a byte read too far. */
	char *exact = malloc(len ? len : 1);

	assert_non_null(exact);
	memcpy(exact, src, len);
	assert_int_equal(text_printable(out, sizeof(out), exact, len), strlen(expected));
	assert_string_equal(out, expected);
	free(exact);
}

#define ASSERT_PRINTABLE(src, expected) assert_printable(src, sizeof(src) - 1, expected)

static void keeps_text(void **state)
{
	(void)state;
	ASSERT_PRINTABLE("", "");
	ASSERT_PRINTABLE("linux-image-6.12~rc1:amd64", "linux-image-6.12~rc1:amd64");
	ASSERT_PRINTABLE("Grüße, 日本, e\u0301, 🐧", "Grüße, 日本, e\u0301, 🐧");
}

static void replaces_controls(void **state)
{
	(void)state;
	ASSERT_PRINTABLE("\033[2Jx", "?[2Jx");
	ASSERT_PRINTABLE("a\tb\nc\rd\x7f", "a?b?c?d?");
	/* C1: CSI and OSC as one character, which some terminals obey. */
	ASSERT_PRINTABLE("\xc2\x9b"
	                 "2J\xc2\x9d\xc2\x80\xc2\x9f\xc2\xa0",
	                 "?2J???\xc2\xa0");
}

/* `point` (of two or three bytes) as UTF-8, and what becomes of it. */
static void assert_point(uint32_t point, bool stays)
{
	char bytes[4] = "", out[4];
	size_t n = 0;

	if (point >= 0x800) {
		bytes[n++] = (char)(0xe0 | point >> 12);
		bytes[n++] = (char)(0x80 | (point >> 6 & 0x3f));
	} else {
		bytes[n++] = (char)(0xc0 | point >> 6);
	}
	bytes[n++] = (char)(0x80 | (point & 0x3f));
	assert_int_equal(text_printable_string(out, sizeof(out), bytes), stays ? n : 1);
	assert_string_equal(out, stays ? bytes : "?");
}

static void replaces_direction_marks(void **state)
{
	static const uint32_t marks[] = {0x61c,  0x200b, 0x200f, 0x2028, 0x202e,
	                                 0x2060, 0x206f, 0xfeff, 0xfff9, 0xfffb};
	static const uint32_t plain[] = {0x61b,  0x61d,  0x200a, 0x2010, 0x2027, 0x202f,
	                                 0x205f, 0x2070, 0xfefe, 0xff00, 0xfff8, 0xfffc};

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		assert_point(marks[i], false);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_point(plain[i], true);
}

static void replaces_each_bad_byte(void **state)
{
	(void)state;
	ASSERT_PRINTABLE("a\xff\xfe"
	                 "b",
	                 "a??b");
	ASSERT_PRINTABLE("\xc0\x80", "??");
	ASSERT_PRINTABLE("\xed\xa0\x80", "???");
	ASSERT_PRINTABLE("caf\xe9", "caf?");  /* Latin-1 */
	ASSERT_PRINTABLE("x\xe2\x82", "x??"); /* cut by the kernel in mid-character */
	/* The bytes after a broken start are looked at anew. */
	ASSERT_PRINTABLE("\xe2\xc3\xa9", "?é");
}

static void words_of_a_command_line(void **state)
{
	(void)state;
	ASSERT_PRINTABLE("dpkg\0--unpack\0a.deb", "dpkg --unpack a.deb");
	ASSERT_PRINTABLE("\0", " ");
}

static void cuts_at_a_whole_character(void **state)
{
	char out[8];

	(void)state;
	memset(out, 'x', sizeof(out));
	assert_int_equal(text_printable(out, 0, "abc", 3), 0);
	assert_int_equal(out[0], 'x');
	assert_int_equal(text_printable(out, 1, "abc", 3), 0);
	assert_string_equal(out, "");
	assert_int_equal(text_printable(out, 3, "abc", 3), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(text_printable(out, 4, "abc", 3), 3);
	assert_string_equal(out, "abc");
	/* The euro sign has three bytes; what follows it must not take its place. */
	for (size_t size = 2; size < 5; size++) {
		assert_int_equal(text_printable_string(out, size, "a€b"), 1);
		assert_string_equal(out, "a");
	}
	assert_int_equal(text_printable_string(out, 5, "a€b"), 4);
	assert_string_equal(out, "a€");
}

static void never_leaves_anything_unprintable(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char src[12], out[12], again[12];
		size_t size = 1 + (size_t)round % sizeof(out), written;
		uint32_t point;

		for (size_t i = 0; i < sizeof(src); i++) {
			/* Knuth's MMIX generator: the same bytes in every run. */
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			src[i] = (char)(seed >> 56);
		}
		written = text_printable(out, size, src, sizeof(src));
		assert_true(written < size);
		assert_int_equal(strlen(out), written);
		for (size_t at = 0; at < written;) {
			size_t bytes = text_decode(out + at, written - at, &point);

			assert_true(bytes > 0);
			assert_true(point >= 0x20 && (point < 0x7f || point > 0x9f));
			at += bytes;
		}
		assert_int_equal(text_printable_string(again, sizeof(again), out), written);
		assert_string_equal(again, out);
	}
}

static void measures_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("dpkg"), 4);
	assert_int_equal(text_width("Grüße"), 5);
	assert_int_equal(text_width("日本"), 4);
	assert_int_equal(text_width("e\u0301t"), 2);
	assert_int_equal(text_width("310µs –"), 7);
	/* Of unknown width: a control character, a byte alone, a noncharacter. */
	assert_int_equal(text_width("\x01"), 1);
	assert_int_equal(text_width("\xff\xfe"), 2);
	assert_int_equal(text_width("\xe2\x82"), 2);
	assert_int_equal(text_width("\uffff"), 1);
}

static void assert_fit(const char *s, int columns, size_t bytes, int width)
{
	int got = -1;

	assert_int_equal(text_fit(s, columns, &got), bytes);
	assert_int_equal(got, width);
	assert_int_equal(text_fit(s, columns, NULL), bytes);
}

static void fits_whole_characters(void **state)
{
	(void)state;
	assert_fit("dpkg", 0, 0, 0);
	assert_fit("dpkg", -3, 0, 0);
	assert_fit("dpkg", 3, 3, 3);
	assert_fit("dpkg", 4, 4, 4);
	assert_fit("dpkg", 99, 4, 4);
	assert_fit("", 5, 0, 0);
	assert_fit("Grüße", 3, 4, 3);
	/* A wide character never hangs over the edge, and nothing jumps ahead of it. */
	assert_fit("日本a", 1, 0, 0);
	assert_fit("日本a", 3, 3, 2);
	assert_fit("日本a", 5, 7, 5);
	assert_fit("\xff\xfe", 1, 1, 1);
}

static void fits_marks_with_their_base(void **state)
{
	(void)state;
	assert_fit("e\u0301t", 1, 3, 1);
	assert_fit("e\u0301\u0302t", 1, 5, 1);
	assert_fit("日\u0301", 1, 0, 0);
	assert_fit("\u0301", 0, 0, 0);
}

static void compares_ends(void **state)
{
	(void)state;
	assert_true(text_starts("vmlinuz.dpkg-new", "vmlinuz"));
	assert_true(text_starts("x", ""));
	assert_false(text_starts("vm", "vmlinuz"));
	assert_false(text_starts("xvmlinuz", "vmlinuz"));
	assert_true(text_ends("vmlinuz.dpkg-new", ".dpkg-new"));
	assert_true(text_ends("x", "x"));
	assert_true(text_ends("", ""));
	assert_false(text_ends("new", ".dpkg-new"));
	assert_false(text_ends("a.dpkg-new~", ".dpkg-new"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_each_length),
		cmocka_unit_test(decodes_nul_by_length),
		cmocka_unit_test(refuses_what_is_no_utf8),
		cmocka_unit_test(keeps_text),
		cmocka_unit_test(replaces_controls),
		cmocka_unit_test(replaces_direction_marks),
		cmocka_unit_test(replaces_each_bad_byte),
		cmocka_unit_test(words_of_a_command_line),
		cmocka_unit_test(cuts_at_a_whole_character),
		cmocka_unit_test(never_leaves_anything_unprintable),
		cmocka_unit_test(measures_columns),
		cmocka_unit_test(fits_whole_characters),
		cmocka_unit_test(fits_marks_with_their_base),
		cmocka_unit_test(compares_ends),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "no C.UTF-8 locale\n");
		return 1;
	}
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
