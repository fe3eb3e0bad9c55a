/* test_canvas.c - the grid: text clipped and cut, bars, sparklines, ASCII stand-ins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/canvas.h"

/* The canvas as text; one canvas at a time. */
static const char *text_of(const struct canvas *c)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	canvas_write_text(c, out);
	fclose(out);
	return text;
}

static const char *roles_of(const struct canvas *c)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	canvas_write_roles(c, out);
	fclose(out);
	return text;
}

static void cuts_what_is_too_long(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 4, 8, false);
	assert_int_equal(canvas_text(&c, 0, 0, -1, CANVAS_TEXT, "twelve chars"), 8);
	assert_int_equal(canvas_text(&c, 0, 1, 3, CANVAS_TEXT, "twelve"), 3);
	assert_int_equal(canvas_text(&c, 0, 2, 6, CANVAS_TEXT, "twelve"), 6);
	assert_int_equal(canvas_text(&c, 6, 3, -1, CANVAS_TEXT, "ab"), 2);
	assert_int_equal(canvas_text(&c, 0, 3, 0, CANVAS_TEXT, "ab"), 0);
	assert_string_equal(text_of(&c), "twelve …\ntw…\ntwelve\n      ab\n");
	canvas_done(&c);
}

static void draws_outside_without_harm(void **state)
{
	struct canvas c;
	double values[3] = {1, 2, 3};

	(void)state;
	canvas_init(&c, 2, 4, false);
	for (int y = -2; y < 5; y++) {
		for (int x = -9; x < 9; x++) {
			if (y == 0 || y == 1)
				continue;
			canvas_text(&c, x, y, -1, CANVAS_TEXT, "words 漢字");
			canvas_right(&c, x, y, 6, CANVAS_TEXT, "words 漢字");
			canvas_bar(&c, x, y, 6, 0.7, CANVAS_BAR, CANVAS_BAR_LEFT);
			canvas_spark(&c, x, y, 6, values, 3, 3, CANVAS_TEXT);
		}
	}
	assert_string_equal(text_of(&c), "\n\n");
	canvas_text(&c, -2, 0, -1, CANVAS_TEXT, "abcd");
	canvas_right(&c, 2, 1, 4, CANVAS_TEXT, "abcd");
	assert_string_equal(text_of(&c), "cd\n  ab\n");
	canvas_done(&c);
	canvas_init(&c, 0, 0, false);
	canvas_text(&c, 0, 0, -1, CANVAS_TEXT, "x");
	canvas_resize(&c, -3, 7);
	canvas_text(&c, 0, 0, -1, CANVAS_TEXT, "x");
	assert_string_equal(text_of(&c), "");
	canvas_done(&c);
}

static void keeps_wide_characters_whole(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 6, false);
	/* Five columns: two characters of two, and the sign that it is cut. */
	assert_int_equal(canvas_text(&c, 0, 0, 5, CANVAS_TEXT, "漢字漢字"), 5);
	/* Four: the second would be cut in half. */
	assert_int_equal(canvas_text(&c, 0, 1, 4, CANVAS_TEXT, "漢字漢字"), 3);
	canvas_text(&c, 0, 2, -1, CANVAS_TEXT, "漢字");
	canvas_text(&c, 1, 2, 2, CANVAS_TEXT, "ab");
	assert_string_equal(text_of(&c), "漢字…\n漢…\n ab\n");
	canvas_done(&c);
}

static void joins_marks_and_stops_controls(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 2, 10, false);
	assert_int_equal(canvas_text(&c, 0, 0, -1, CANVAS_TEXT, "e\xcc\x81x"), 2);
	assert_string_equal(c.cells[0].text, "e\xcc\x81");
	/* Escape, a C1 control (CSI) and a byte that is no UTF-8. */
	canvas_text(&c, 0, 1, -1, CANVAS_TEXT,
	            "a\033b\xc2\x9b"
	            "c\xff");
	assert_string_equal(text_of(&c), "e\xcc\x81x\na?b?c?\n");
	/* More marks than a cell has room for. */
	for (int i = 0; i < 20; i++)
		canvas_text(&c, 0, 0, 1, CANVAS_TEXT,
		            "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
		            "\xcc\x81\xcc\x81");
	assert_int_equal(strlen(c.cells[0].text), 15);
	canvas_done(&c);
}

static void right_loses_the_beginning(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 8, false);
	canvas_right(&c, 1, 0, 6, CANVAS_TEXT, "abc");
	canvas_right(&c, 1, 1, 6, CANVAS_TEXT, "abcdefgh");
	canvas_right(&c, 0, 2, 4, CANVAS_TEXT, "漢字漢字");
	assert_string_equal(text_of(&c), "    abc\n …defgh\n …字\n");
	canvas_done(&c);
}

static void bar_in_eighths(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 5, 4, false);
	canvas_bar(&c, 0, 0, 4, 0.5, CANVAS_BAR, CANVAS_BAR_LEFT);
	canvas_bar(&c, 0, 1, 4, 0.66, CANVAS_BAR, CANVAS_TEXT);
	canvas_bar(&c, 0, 2, 4, (double)NAN, CANVAS_BAR, CANVAS_BAR_LEFT);
	canvas_bar(&c, 0, 3, 4, 7, CANVAS_BAR, CANVAS_BAR_LEFT);
	/* Not yet all is not full. */
	canvas_bar(&c, 0, 4, 4, 0.999, CANVAS_BAR, CANVAS_BAR_LEFT);
	assert_string_equal(text_of(&c), "██░░\n██▋\n░░░░\n████\n███▉\n");
	canvas_done(&c);
}

static void spark_newest_at_the_right(void **state)
{
	const double values[] = {0, 1, 2, 3, (double)NAN, 3};
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 5, false);
	canvas_spark(&c, 0, 0, 5, values, 6, 3, CANVAS_SYNC);
	/* Too narrow: the oldest are left out. */
	canvas_spark(&c, 0, 1, 1, values, 6, 3, CANVAS_SYNC);
	/* A known zero is not the unknown; nor is a top of zero a fault. */
	canvas_spark(&c, 0, 2, 1, (const double[]){0, 0}, 2, 0, CANVAS_SYNC);
	assert_string_equal(text_of(&c), "  ⣠⣾⢸\n⢸\n⣀\n");
	canvas_done(&c);
}

static void ascii_has_stand_ins(void **state)
{
	const double values[] = {0, 0, 1, 2, 3, 3, (double)NAN, (double)NAN};
	struct canvas c;

	(void)state;
	canvas_init(&c, 5, 16, true);
	canvas_text(&c, 0, 0, -1, CANVAS_TEXT, "– µ · └ ▸ █ ⣿ ⣀");
	canvas_text(&c, 0, 1, -1, CANVAS_TEXT, "漢ü\xff ≈→−│─┼");
	canvas_text(&c, 0, 2, 4, CANVAS_TEXT, "twelve");
	canvas_bar(&c, 0, 3, 4, 0.66, CANVAS_BAR, CANVAS_BAR_LEFT);
	canvas_spark(&c, 0, 4, 4, values, 8, 3, CANVAS_SYNC);
	assert_string_equal(text_of(&c), "- u | + > # # .\n??? ~>-|-+\ntwe~\n##..\n_-#\n");
	for (int i = 0; i < 5 * 16; i++)
		assert_true(c.cells[i].width == 1 && (unsigned char)c.cells[i].text[0] < 0x80);
	canvas_done(&c);
}

static void roles_come_in_runs(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 20, false);
	canvas_text(&c, 1, 0, -1, CANVAS_TITLE, "dpkgtop");
	canvas_printf(&c, 10, 0, -1, CANVAS_BAD, "%d failed", 3);
	canvas_text(&c, 0, 2, -1, CANVAS_SYNC, "x");
	assert_string_equal(roles_of(&c),
	                    " dpkgtop  3 failed\n\nx\n"
	                    "@ 0: 0-0 text 1-7 title 8-9 text 10-17 bad\n@ 2: 0-0 sync\n");
	canvas_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_what_is_too_long),
		cmocka_unit_test(draws_outside_without_harm),
		cmocka_unit_test(keeps_wide_characters_whole),
		cmocka_unit_test(joins_marks_and_stops_controls),
		cmocka_unit_test(right_loses_the_beginning),
		cmocka_unit_test(bar_in_eighths),
		cmocka_unit_test(spark_newest_at_the_right),
		cmocka_unit_test(ascii_has_stand_ins),
		cmocka_unit_test(roles_come_in_runs),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
