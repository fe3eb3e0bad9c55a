/* test_layout.c - panels lie on the screen and apart, at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>

#include "dpkgtop/layout.h"

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
	if (shown(l, PANEL_STORAGE) != shown(l, PANEL_SYNC))
		return "one of storage and sync alone";
	return NULL;
}

static void every_size(void **state)
{
	static const int phases[] = {0, 1, 2, 5, 10}, processes[] = {0, 1, 3, 20};
	struct layout l;

	(void)state;
	for (int rows = 1; rows <= 120; rows++)
		for (int columns = 1; columns <= 300; columns++)
			for (size_t i = 0; i < 5 * 4; i++) {
				const char *text;

				layout_overview(rows, columns, phases[i % 5], processes[i / 5], &l);
				text = fault(&l, rows, columns);
				if (text)
					fail_msg("%d rows, %d columns, %d phases, %d processes: %s",
					         rows, columns, phases[i % 5], processes[i / 5],
					         text);
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
		                3, 3, &l);
		for (int p = 0; p < N_PANELS; p++)
			assert_int_equal(l.panels[p].w + l.panels[p].h, 0);
	}
}

static void all_at_the_usual_size(void **state)
{
	struct layout l;

	(void)state;
	layout_overview(24, 80, 5, 3, &l);
	for (int p = 0; p < N_PANELS; p++)
		assert_true(shown(&l, (enum panel)p));
	assert_int_equal(l.panels[PANEL_PHASES].h, 1 + 5 + 1);
	assert_int_equal(l.panels[PANEL_PROCESSES].h, 1 + 3);
	assert_int_equal(l.panels[PANEL_FOOTER].y, 23);
	/* Side by side, and with air between. */
	assert_int_equal(l.panels[PANEL_SYNC].y, l.panels[PANEL_STORAGE].y);
	assert_true(l.panels[PANEL_SYNC].x + l.panels[PANEL_SYNC].w < l.panels[PANEL_STORAGE].x);
}

static void drops_the_least_worth_first(void **state)
{
	static const enum panel order[] = {PANEL_VERDICT, PANEL_PROCESSES, PANEL_STORAGE,
	                                   PANEL_PHASES, PANEL_FOOTER};
	int last = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct layout l;
		int rows = 120;

		do
			layout_overview(--rows, 80, 5, 3, &l);
		while (rows > 1 && shown(&l, order[i]));
		assert_true(i == 0 || rows <= last);
		assert_true(shown(&l, PANEL_NOW));
		last = rows;
	}
}

static void one_line_when_tiny(void **state)
{
	struct layout l;

	(void)state;
	layout_overview(24, 39, 5, 3, &l);
	assert_false(shown(&l, PANEL_TITLE));
	assert_int_equal(l.panels[PANEL_NOW].y, 0);
	layout_overview(2, 80, 5, 3, &l);
	assert_false(shown(&l, PANEL_TITLE));
	layout_overview(10, 40, 5, 3, &l);
	assert_true(shown(&l, PANEL_TITLE) && shown(&l, PANEL_PHASES) && shown(&l, PANEL_FOOTER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(no_size_shows_nothing),
		cmocka_unit_test(all_at_the_usual_size),
		cmocka_unit_test(drops_the_least_worth_first),
		cmocka_unit_test(one_line_when_tiny),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
