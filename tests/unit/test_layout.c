/* test_layout.c - panels lie on the screen and apart, at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>

#include "dpkgtop/layout.h"

/* Of a run with five phases and their sum. */
static const struct layout_wants usual = {6, 9, 3, 2, 3};

static bool overlap(const struct rect *a, const struct rect *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static bool shown(const struct layout *l, enum panel p)
{
	return l->panels[p].h > 0;
}

/* What is wrong with the layout; NULL: nothing. */
static const char *fault(const struct layout *l, int rows, int columns)
{
	for (int i = 0; i < N_PANELS; i++) {
		const struct rect *a = &l->panels[i];

		if (a->w < 0 || a->h < 0 || (a->w == 0) != (a->h == 0))
			return "a panel has only one of width and height";
		if (a->w && (a->x < 0 || a->y < 0 || a->x + a->w > columns || a->y + a->h > rows))
			return "a panel leaves the screen";
		for (int k = 0; k < i; k++)
			if (a->w && l->panels[k].w && overlap(a, &l->panels[k]))
				return "panels overlap";
	}
	if (!shown(l, PANEL_NOW))
		return "nothing tells what goes on";
	/* The order in which panels drop out. */
	if (shown(l, PANEL_VERDICT) && !shown(l, PANEL_FOOTER))
		return "the footer went before the verdict";
	if (shown(l, PANEL_LEFT) && !shown(l, PANEL_VERDICT))
		return "the verdict went before what is left running";
	if (shown(l, PANEL_STORAGE) != shown(l, PANEL_SYNC))
		return "one of storage and sync alone";
	return NULL;
}

static void every_size(void **state)
{
	static const struct layout_wants wants[] = {
		{0, 0, 0, 0, 0},   {6, 5, 3, 0, 2},   {1, 5, 1, 0, 2},  {2, 9, 0, 3, 8},
		{11, 9, 40, 9, 8}, {0, 9, 200, 0, 2}, {11, 0, 3, 1, 1},
	};
	struct layout l;

	(void)state;
	for (int rows = 1; rows <= 100; rows++)
		for (int columns = 1; columns <= 300; columns++)
			for (size_t i = 0; i < sizeof(wants) / sizeof(*wants); i++) {
				const char *text;

				layout_overview(rows, columns, &wants[i], &l);
				text = fault(&l, rows, columns);
				if (text)
					fail_msg("%d rows, %d columns, wants %zu: %s", rows,
					         columns, i, text);
			}
}

static void no_size_shows_nothing(void **state)
{
	struct layout l;

	(void)state;
	for (int i = 0; i < 4; i++) {
		layout_overview(i == 0   ? 0
		                : i == 1 ? -1
		                         : 24,
		                i < 2    ? 80
		                : i == 2 ? 0
		                         : -5,
		                &usual, &l);
		for (int p = 0; p < N_PANELS; p++)
			assert_int_equal(l.panels[p].w + l.panels[p].h, 0);
	}
}

static void all_at_the_usual_size(void **state)
{
	struct layout l;

	(void)state;
	layout_overview(24, 80, &usual, &l);
	for (int p = 0; p < N_PANELS; p++)
		assert_int_equal(shown(&l, (enum panel)p), p != PANEL_LEFT);
	assert_int_equal(l.panels[PANEL_PHASES].h, 1 + 6);
	assert_true(l.panels[PANEL_PROCESSES].h >= 1 + 2);
	assert_int_equal(l.panels[PANEL_FOOTER].y, 23);
	/* Side by side, and with air between. */
	assert_int_equal(l.panels[PANEL_SYNC].y, l.panels[PANEL_STORAGE].y);
	assert_true(l.panels[PANEL_SYNC].x + l.panels[PANEL_SYNC].w < l.panels[PANEL_STORAGE].x);
}

static void drops_the_least_worth_first(void **state)
{
	static const enum panel order[] = {PANEL_LEFT,    PANEL_VERDICT, PANEL_PROCESSES,
	                                   PANEL_STORAGE, PANEL_PHASES,  PANEL_FOOTER};
	int last = 0;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct layout l;
		int rows = 120;

		do
			layout_overview(--rows, 80, &usual, &l);
		while (rows > 1 && shown(&l, order[i]));
		assert_true(i == 0 || rows <= last);
		assert_true(shown(&l, PANEL_NOW));
		last = rows;
	}
}

/* What there is to say is said in full where there is room, and the rest is not stretched. */
static void large_screens_show_all(void **state)
{
	struct layout l;

	(void)state;
	layout_overview(60, 200, &usual, &l);
	assert_int_equal(l.panels[PANEL_PHASES].h, 1 + usual.phases);
	assert_true(l.panels[PANEL_STORAGE].h >= 1 + usual.storage);
	assert_int_equal(l.panels[PANEL_PROCESSES].h, 1 + usual.processes);
	assert_int_equal(l.panels[PANEL_LEFT].h, 1 + usual.left);
	assert_int_equal(l.panels[PANEL_VERDICT].h, usual.verdict);
	assert_int_equal(l.panels[PANEL_FOOTER].y, 59);
}

static void one_line_when_tiny(void **state)
{
	struct layout l;

	(void)state;
	layout_overview(24, 39, &usual, &l);
	assert_false(shown(&l, PANEL_TITLE));
	assert_int_equal(l.panels[PANEL_NOW].y, 0);
	layout_overview(2, 80, &usual, &l);
	assert_false(shown(&l, PANEL_TITLE));
	layout_overview(10, 40, &usual, &l);
	assert_true(shown(&l, PANEL_TITLE) && shown(&l, PANEL_PHASES) && shown(&l, PANEL_FOOTER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(no_size_shows_nothing),
		cmocka_unit_test(all_at_the_usual_size),
		cmocka_unit_test(drops_the_least_worth_first),
		cmocka_unit_test(large_screens_show_all),
		cmocka_unit_test(one_line_when_tiny),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
