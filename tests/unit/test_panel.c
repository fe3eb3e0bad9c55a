/* test_panel.c - no panel draws outside the area that it was given. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <locale.h>

#include "../../src/screen/panel.h"
#include "../../src/screen/words.h"

#include "screens.h"

#define AROUND 3

static void draw_title(const struct model *m, struct canvas *c, struct rect r)
{
	const struct ui ui = {.paused = true};

	panel_title(m, &ui, c, r);
}

static void draw_now(const struct model *m, struct canvas *c, struct rect r)
{
	const struct ui ui = {.paused = false};

	panel_now(m, &ui, c, r);
}

static void draw_line(const struct model *m, struct canvas *c, struct rect r)
{
	const struct ui ui = {.paused = false};

	panel_line(m, &ui, c, r);
}

static void draw_verdict(const struct model *m, struct canvas *c, struct rect r)
{
	const struct ui ui = {.unprivileged = true};

	panel_verdict(m, &ui, c, r);
}

static void draw_footer(const struct model *m, struct canvas *c, struct rect r)
{
	struct ui ui;

	(void)m;
	screens_choices(&ui);
	ui.picking = false;
	panel_footer(&ui, c, r);
}

static const struct {
	const char *name;
	void (*draw)(const struct model *m, struct canvas *c, struct rect r);
	int least, most; /* rows that the layout may give */
} panels[] = {
	{"title", draw_title, 1, 1},
	{"progress", panel_progress, 1, 1},
	{"now", draw_now, 1, 1},
	{"line", draw_line, 1, 1},
	{"phases", panel_phases, 2, 9},
	{"sync", panel_sync, 2, 9},
	{"storage", panel_storage, 2, 12},
	{"processes", panel_processes, 2, 6},
	{"left running", panel_left, 2, 4},
	{"verdict", draw_verdict, 1, 9},
	{"footer", draw_footer, 1, 1},
};
#define N_DRAWN (sizeof(panels) / sizeof(*panels))

static bool inside(struct rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

static void stays_inside(const char *name, const char *panel, const struct canvas *c, struct rect r)
{
	for (int y = 0; y < c->rows; y++)
		for (int x = 0; x < c->columns; x++) {
			const struct canvas_cell *cell = &c->cells[y * c->columns + x];

			if (!inside(r, x, y) && (strcmp(cell->text, " ") || cell->role))
				fail_msg("%s of \"%s\", %d x %d, draws \"%s\" at %d,%d", panel,
				         name, r.w, r.h, cell->text, x - r.x, y - r.y);
		}
}

static void panels_stay_inside(void **state)
{
	(void)state;
	for (int s = 0; s < N_SCREENS; s++) {
		struct model m;

		model_init(&m);
		screens_states[s].fill(&m);
		for (size_t p = 0; p < N_DRAWN; p++)
			for (int w = 30; w <= 130; w += w < 60 ? 3 : 17)
				for (int h = panels[p].least; h <= panels[p].most; h++) {
					struct rect r = {AROUND, AROUND, w, h};
					struct canvas c;

					canvas_init(&c, h + 2 * AROUND, w + 2 * AROUND, false);
					panels[p].draw(&m, &c, r);
					stays_inside(screens_states[s].name, panels[p].name, &c, r);
					canvas_done(&c);
				}
		model_done(&m);
	}
}

static void reasons_are_those_of_the_group(void **state)
{
	(void)state;
	assert_string_equal(words_of_why(GROUP_PROCESSES, -E2BIG), "more than 4,096 processes");
	assert_string_equal(words_of_why(GROUP_PROCESSES, -EPERM), "needs root");
	assert_string_equal(words_of_why(GROUP_PRESSURE, -ENOENT), "not counted by this kernel");
}

/* The head's latencies give way from the right, and a sign of two bytes is one column wide. */
static void sync_head_keeps_its_order(void **state)
{
	struct model m;

	(void)state;
	model_init(&m);
	m.syncs.exact = true;
	m.syncs.rates = (struct sync_rates){
		.calls = 2100, .p50_ns = 42000, .p99_ns = 868000, .max_ns = 7500000};
	for (int w = 20; w <= 60; w++) {
		struct rect r = {0, 0, w, 2};
		struct canvas c;
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		assert_non_null(f);
		canvas_init(&c, r.h, w, false);
		panel_sync(&m, &c, r);
		canvas_write_text(&c, f);
		assert_int_equal(fclose(f), 0);
		/* " SYNC  2.1k/s p50 42µs p99 868µs max 7.5ms", and a column of air */
		assert_int_equal(strstr(text, "p50 42µs") != NULL, w >= 23);
		assert_int_equal(strstr(text, "p99 868µs") != NULL, w >= 33);
		assert_int_equal(strstr(text, "max 7.5ms") != NULL, w >= 43);
		free(text);
		canvas_done(&c);
	}
	model_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(panels_stay_inside),
		cmocka_unit_test(reasons_are_those_of_the_group),
		cmocka_unit_test(sync_head_keeps_its_order),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests_name("panel", tests, NULL, NULL);
}
