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

/* "^L", "F10", "Esc", "Space" or the character itself. */
static bool is_label(const char *word, size_t len, int key)
{
	if (len == 3 && !strncmp(word, "Esc", 3))
		return key == KEY_ESCAPE;
	if (len == 5 && !strncmp(word, "Space", 5))
		return key == ' ';
	if (len == 2 && word[0] == '^')
		return key == word[1] - '@';
	if (len > 1 && word[0] == 'F')
		return key == KEY_OF_F + (word[1] - '0') * (len > 2 ? 10 : 1) +
		                      (len > 2 ? word[2] - '0' : 0);
	return len == 1 && key == *word;
}

static void labels_name_the_keys(void **state)
{
	(void)state;
	for (const struct keymap_row *row = keymap; row->label; row++) {
		const char *word = row->label;
		int i = 0;

		for (; *word; i++) {
			size_t len = strcspn(word, " ");

			assert_true(i < 4 && is_label(word, len, row->keys[i]));
			word += len + strspn(word + len, " ");
		}
		assert_true(i == 4 || row->keys[i] == 0);
		assert_true(*row->help);
		/* No key is in two rows. */
		for (const struct keymap_row *other = keymap; other < row; other++)
			for (int k = 0; k < 16; k++)
				assert_true(!row->keys[k / 4] ||
				            row->keys[k / 4] != other->keys[k % 4]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_do_what_they_say),
		cmocka_unit_test(three_ways_out),
		cmocka_unit_test(other_keys_do_nothing),
		cmocka_unit_test(labels_name_the_keys),
	};

	return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
