/* test_title.c - which terminals get a title, and what is sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../../src/screen/title.h"

static void only_where_there_is_one(void **state)
{
	static const char *const with[] = {"xterm",
	                                   "xterm-256color",
	                                   "tmux-256color",
	                                   "screen",
	                                   "screen.xterm-256color",
	                                   "rxvt-unicode",
	                                   "foot",
	                                   "foot-extra",
	                                   "alacritty",
	                                   "xterm-kitty"};
	static const char *const without[] = {"linux", "vt100",  "dumb",   "",
	                                      "stv52", "screwy", "cons25", "footloose"};

	(void)state;
	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
		assert_true(title_known(with[i]));
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		assert_false(title_known(without[i]));
}

/* A package's name must not end the sequence and begin one of its own. */
static void sends_only_what_is_printable(void **state)
{
	char bytes[256];
	size_t len = title_sequence("apt \a\033]0;x\302\234 é", false, bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(len, strlen(bytes));
	assert_string_equal(bytes, "\033]2;apt ??]0;x? é\a");
	title_sequence("61% · unpack é", true, bytes, sizeof(bytes));
	assert_string_equal(bytes, "\033]2;61% | unpack ?\a");
}

static void cuts_what_is_long(void **state)
{
	char text[1024], bytes[256];
	size_t len;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	len = title_sequence(text, false, bytes, sizeof(bytes));
	assert_true(len > 100 && len < sizeof(bytes));
	assert_int_equal(bytes[len - 1], '\a');
	assert_int_equal(title_sequence(text, false, bytes, 20), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_where_there_is_one),
		cmocka_unit_test(sends_only_what_is_printable),
		cmocka_unit_test(cuts_what_is_long),
	};

	return cmocka_run_group_tests_name("title", tests, NULL, NULL);
}
