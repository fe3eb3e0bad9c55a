/* test_theme.c - theme files and SGR sequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/theme.h"

static void default_names_every_role(void **state)
{
	FILE *f = fopen("themes/default.theme", "r");
	bool colour[N_CANVAS_ROLES] = {false}, colour16[N_CANVAS_ROLES] = {false}, few = false;
	char line[256];
	struct theme t, again;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		few = few || !strcmp(line, "[colours16]\n");
		for (int i = 0; i < N_CANVAS_ROLES; i++) {
			size_t len = strlen(canvas_role_names[i]);

			if (!strncmp(line, canvas_role_names[i], len) &&
			    !strncmp(line + len, " = ", 3))
				(few ? colour16 : colour)[i] = true;
		}
	}
	fclose(f);
	for (int i = 0; i < N_CANVAS_ROLES; i++)
		assert_true(colour[i] && colour16[i]);
	/* The program's own copy is that file, and it has no error. */
	theme_default(&t);
	again = t;
	assert_int_equal(theme_load(&again, "./themes/default.theme", NULL), 0);
	for (int i = 0; i < N_CANVAS_ROLES; i++)
		assert_int_equal(t.styles[i].colour, again.styles[i].colour);
	assert_int_equal(t.styles[CANVAS_SYNC].colour, 166);
	assert_int_equal(t.styles[CANVAS_SYNC].colour16, 3);
	assert_true(t.styles[CANVAS_BAD].bold);
}

static void reads_over_what_was_there(void **state)
{
	struct theme t, before;

	(void)state;
	theme_default(&t);
	before = t;
	assert_int_equal(theme_parse(&t,
	                             "# a comment\n[colours]\nsync = 214 on 17 underline\n"
	                             "disk=blue\nno_such_role = nonsense\n[colours16]\n"
	                             "sync = bright-yellow on black\n[else]\ncpu = 1\n",
	                             NULL),
	                 0);
	assert_int_equal(t.styles[CANVAS_SYNC].colour, 214);
	assert_int_equal(t.styles[CANVAS_SYNC].ground, 17);
	assert_true(t.styles[CANVAS_SYNC].underline);
	assert_int_equal(t.styles[CANVAS_SYNC].colour16, 11);
	assert_int_equal(t.styles[CANVAS_SYNC].ground16, 0);
	assert_int_equal(t.styles[CANVAS_DISK].colour, 4);
	assert_int_equal(t.styles[CANVAS_DISK].colour16, before.styles[CANVAS_DISK].colour16);
	assert_int_equal(t.styles[CANVAS_CPU].colour, before.styles[CANVAS_CPU].colour);
	/* A line sets the whole of a role's look. */
	assert_int_equal(theme_parse(&t, "[colours]\nbad = default\n", NULL), 0);
	assert_false(t.styles[CANVAS_BAD].bold);
	assert_int_equal(t.styles[CANVAS_BAD].colour, -1);
}

static void tells_the_line_in_error(void **state)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{"[colours]\nsync = 256\n", "line 2"},  {"[colours]\n\ncpu = pink\n", "line 3"},
		{"[colours]\nsync = 3 on\n", "line 2"}, {"[colours]\nsync = 3 4\n", "line 2"},
		{"[colours16]\nsync = 16\n", "line 2"}, {"[colours16]\nsync = 3 bold\n", "line 2"},
		{"[colours\nsync = 3\n", "line 1"},     {"[colours]\nsync = -1\n", "line 2"},
		{"[colours]\nsync\n", "line 2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct theme t, before;
		struct err e = {""};

		theme_default(&t);
		before = t;
		assert_int_equal(theme_parse(&t, cases[i].text, &e), -EBADMSG);
		assert_non_null(strstr(e.text, cases[i].line));
		assert_memory_equal(&t, &before, sizeof(t));
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void finds_themes_by_name(void **state)
{
	char dir[] = "/tmp/dpkgtop-theme-XXXXXX", path[256];
	struct theme t;
	struct err e = {""};

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	setenv("HOME", "/nonexistent", 1);
	theme_default(&t);
	assert_int_equal(theme_load(&t, "mine", &e), -ENOENT);
	assert_non_null(strstr(e.text, "mine"));
	snprintf(path, sizeof(path), "%s/dpkgtop", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/dpkgtop/themes", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/dpkgtop/themes/mine.theme", dir);
	write_file(path, "[colours]\ncpu = 99\n");
	assert_int_equal(theme_load(&t, "mine", &e), 0);
	assert_int_equal(t.styles[CANVAS_CPU].colour, 99);
	write_file(path, "[colours]\ncpu = 999\n");
	assert_int_equal(theme_load(&t, "mine", &e), -EBADMSG);
	assert_non_null(strstr(e.text, path));
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/dpkgtop/themes", dir);
	assert_int_equal(theme_load(&t, path, &e), -EISDIR);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/dpkgtop", dir);
	rmdir(path);
	rmdir(dir);
	/* There is always the default. */
	assert_int_equal(theme_load(&t, "default", &e), 0);
	assert_int_equal(theme_load(&t, "./no/such.theme", &e), -ENOENT);
}

static const char *ansi(const struct theme *t, int colours)
{
	static char text[1024];
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct canvas c;

	canvas_init(&c, 2, 8, false);
	canvas_text(&c, 0, 0, -1, CANVAS_SYNC, "a");
	canvas_text(&c, 1, 0, -1, CANVAS_BAD, "b");
	theme_write_ansi(t, &c, colours, out);
	fclose(out);
	canvas_done(&c);
	return text;
}

static void writes_sgr(void **state)
{
	struct theme t;

	(void)state;
	theme_default(&t);
	assert_int_equal(theme_parse(&t,
	                             "[colours]\nsync = 214 on 17\nbad = 160 bold reverse\n"
	                             "[colours16]\nsync = bright-yellow on blue\nbad = red\n",
	                             NULL),
	                 0);
	assert_string_equal(ansi(&t, 256),
	                    "\033[0;38;5;214;48;5;17ma\033[0;1;7;38;5;160mb\033[0m\n\n");
	assert_string_equal(ansi(&t, 16), "\033[0;93;44ma\033[0;1;7;31mb\033[0m\n\n");
	assert_string_equal(ansi(&t, 8), "\033[0;1;33;44ma\033[0;1;7;31mb\033[0m\n\n");
	assert_string_equal(ansi(&t, 0), "\033[0ma\033[0;1;7mb\033[0m\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_names_every_role),
		cmocka_unit_test(reads_over_what_was_there),
		cmocka_unit_test(tells_the_line_in_error),
		cmocka_unit_test(finds_themes_by_name),
		cmocka_unit_test(writes_sgr),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests_name("theme", tests, NULL, NULL);
}
