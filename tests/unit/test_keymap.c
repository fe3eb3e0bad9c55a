/* test_keymap.c - keys and what they do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "dpkgtop/keymap.h"

static void keys_do_what_they_say(void **state)
{
	struct ui ui = {.paused = false};

	(void)state;
	assert_int_equal(keymap_press(&ui, ' '), ACTION_CHANGED);
	assert_true(ui.paused);
	assert_int_equal(keymap_press(&ui, 'z'), ACTION_CHANGED);
	assert_false(ui.paused);
	assert_int_equal(keymap_press(&ui, KEY_OF_F + 1), ACTION_CHANGED);
	assert_true(ui.help);
	assert_int_equal(keymap_press(&ui, KEY_ESCAPE), ACTION_CHANGED);
	assert_false(ui.help);
	/* Escape closes, and never opens or quits. */
	assert_int_equal(keymap_press(&ui, KEY_ESCAPE), ACTION_CHANGED);
	assert_false(ui.help || ui.quit);
	assert_int_equal(keymap_press(&ui, KEY_CTRL_L), ACTION_REDRAW);
	assert_int_equal(keymap_press(&ui, KEY_CTRL_Z), ACTION_SUSPEND);
	assert_false(ui.quit || ui.help || ui.paused);
}

static void three_ways_out(void **state)
{
	static const int keys[] = {'q', KEY_OF_F + 10, KEY_CTRL_C};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ui ui = {.help = true};

		assert_int_equal(keymap_press(&ui, keys[i]), ACTION_QUIT);
		assert_true(ui.quit);
	}
}

static void other_keys_do_nothing(void **state)
{
	static const int keys[] = {0, 'x', 0x20ac, KEY_OF_F, KEY_OF_F + 2, -5};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct ui ui = {.help = false};

		assert_int_equal(keymap_press(&ui, keys[i]), ACTION_NONE);
		assert_false(ui.quit || ui.help || ui.paused);
	}
}

static struct ui three_choices(void)
{
	return (struct ui){.n_choices = 3, .choices = {[1] = {.current = true}}};
}

static void the_list_opens_on_the_present_one(void **state)
{
	struct ui ui = three_choices();

	(void)state;
	ui.help = true;
	assert_int_equal(keymap_press(&ui, 'p'), ACTION_CHANGED);
	assert_true(ui.picking && !ui.help && !ui.picked);
	assert_int_equal(ui.cursor, 1);
	/* Keys of the screen below are none here. */
	assert_int_equal(keymap_press(&ui, ' '), ACTION_NONE);
	assert_false(ui.paused);
}

static void the_cursor_stays_in_the_list(void **state)
{
	static const struct {
		int key, cursor;
	} steps[] = {
		{'j', 2}, {'j', 2},         {'k', 1},        {KEY_OF_UP, 0},
		{'k', 0}, {KEY_OF_DOWN, 1}, {KEY_OF_END, 2}, {KEY_OF_HOME, 0},
	};
	struct ui ui = three_choices();

	(void)state;
	keymap_press(&ui, 'p');
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(keymap_press(&ui, steps[i].key), ACTION_CHANGED);
		assert_int_equal(ui.cursor, steps[i].cursor);
	}
	/* One is over while the list is open. */
	keymap_press(&ui, KEY_OF_END);
	ui.n_choices = 1;
	assert_int_equal(keymap_press(&ui, KEY_RETURN), ACTION_CHANGED);
	assert_int_equal(ui.cursor, 0);
	assert_true(ui.picked && !ui.picking);
}

static void closing_picks_nothing(void **state)
{
	static const int keys[] = {KEY_ESCAPE, 'p', 'q'};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ui ui = three_choices();

		keymap_press(&ui, 'p');
		assert_int_equal(keymap_press(&ui, keys[i]), ACTION_CHANGED);
		assert_false(ui.picking || ui.picked || ui.quit);
	}
	for (int i = 0; i < 2; i++) {
		struct ui ui = {.picking = true};

		/* Nothing there to be picked; ^C quits from here as well. */
		if (i)
			assert_int_equal(keymap_press(&ui, KEY_CTRL_C), ACTION_QUIT);
		else
			keymap_press(&ui, KEY_RETURN);
		assert_false(ui.picked);
		assert_int_equal(ui.quit, i);
	}
}

static void the_help_scrolls(void **state)
{
	struct ui ui = {.help = false};

	(void)state;
	/* Not while it is closed. */
	assert_int_equal(keymap_press(&ui, 'j'), ACTION_NONE);
	keymap_press(&ui, '?');
	assert_int_equal(keymap_press(&ui, 'k'), ACTION_CHANGED);
	assert_int_equal(ui.help_top, 0);
	keymap_press(&ui, 'j');
	keymap_press(&ui, KEY_OF_DOWN);
	keymap_press(&ui, KEY_OF_UP);
	assert_int_equal(ui.help_top, 1);
	keymap_press(&ui, KEY_OF_PAGE_DOWN);
	assert_int_equal(ui.help_top, 5);
	for (int i = 0; i < 100; i++)
		keymap_press(&ui, KEY_OF_PAGE_DOWN);
	assert_true(ui.help_top > 5 && ui.help_top < view_help_entries());
	keymap_press(&ui, KEY_OF_PAGE_UP);
	assert_true(ui.help_top < view_help_entries() - 4);
	/* Other keys do what they did; opened anew it begins at its top. */
	assert_int_equal(keymap_press(&ui, ' '), ACTION_CHANGED);
	keymap_press(&ui, '?');
	keymap_press(&ui, '?');
	assert_true(ui.help && ui.help_top == 0);
}

/* "^L", "F10", "Esc", "Space" or the character itself. */
static bool is_label(const char *word, size_t len, int key)
{
	static const struct {
		const char *word;
		int key;
	} words[] = {
		{"Esc", KEY_ESCAPE},   {"Space", ' '},           {"Enter", KEY_RETURN},
		{"Down", KEY_OF_DOWN}, {"Up", KEY_OF_UP},        {"Home", KEY_OF_HOME},
		{"End", KEY_OF_END},   {"PgUp", KEY_OF_PAGE_UP}, {"PgDn", KEY_OF_PAGE_DOWN},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (len == strlen(words[i].word) && !strncmp(word, words[i].word, len))
			return key == words[i].key;
	}
	if (len == 2 && word[0] == '^')
		return key == word[1] - '@';
	if (len > 1 && word[0] == 'F')
		return key == KEY_OF_F + (word[1] - '0') * (len > 2 ? 10 : 1) +
		                      (len > 2 ? word[2] - '0' : 0);
	return len == 1 && key == *word;
}

static void labels_are_right(const struct keymap_row *rows)
{
	for (const struct keymap_row *row = rows; row->label; row++) {
		const char *word = row->label;
		int i = 0;

		for (; *word; i++) {
			size_t len = strcspn(word, " ");

			assert_true(i < 4 && is_label(word, len, row->keys[i]));
			word += len + strspn(word + len, " ");
		}
		/* What else Enter may send has no name of its own. */
		i += i < 4 && row->keys[i] == KEY_NEWLINE;
		assert_true(i == 4 || row->keys[i] == 0);
		assert_true(*row->help);
		/* No key is in two rows. */
		for (const struct keymap_row *other = rows; other < row; other++)
			for (int k = 0; k < 16; k++)
				assert_true(!row->keys[k / 4] ||
				            row->keys[k / 4] != other->keys[k % 4]);
	}
}

static void labels_name_the_keys(void **state)
{
	(void)state;
	labels_are_right(keymap);
	labels_are_right(keymap_help);
	labels_are_right(keymap_pick);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_do_what_they_say),
		cmocka_unit_test(three_ways_out),
		cmocka_unit_test(other_keys_do_nothing),
		cmocka_unit_test(the_list_opens_on_the_present_one),
		cmocka_unit_test(the_cursor_stays_in_the_list),
		cmocka_unit_test(closing_picks_nothing),
		cmocka_unit_test(the_help_scrolls),
		cmocka_unit_test(labels_name_the_keys),
	};

	return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
