/* test_mode_words.c - what options say of unsafe-io, by tables that dpkg itself is asked about. */
#include "mode_fixture.h"

/* Arguments behind the program's name, separated by '|'. */
struct words {
	const char *words;
	int says;
};

static const struct words arguments[] = {
	{"--unpack", -1},
	{"--force-unsafe-io|--unpack", 1},
	{"--no-force-unsafe-io|-i", 0},
	{"--refuse-unsafe-io", 0},
	{"--force-all", 1},
	{"--refuse-all", 0},
	{"--force-depends,unsafe-io,confold", 1},
	{"--force-depends", -1},
	{"--force|unsafe-io", 1},
	{"--no-force|depends,unsafe-io", 0},
	{"--force-unsafe-io|--no-force-unsafe-io", 0},
	{"--no-force-unsafe-io|--force-unsafe-io", 1},
	{"--force-unsafe-io|--no-force-depends", 1},
	/* What looks like an option and is a value, and what stands behind a value. */
	{"--log|--force-unsafe-io", -1},
	{"--root|--force-unsafe-io|--no-force-unsafe-io", 0},
	{"--log=--x|--force-unsafe-io", 1},
	{"--status-fd|1|--force-unsafe-io", 1},
	{"-D|1|--force-unsafe-io", 1},
	{"-BD|1|--force-unsafe-io", 1},
	{"-D1|--force-unsafe-io", 1},
	{"-GOEB|--force-unsafe-io", 1},
};

/* The options end before the words do. */
static const struct words ended[] = {
	{"", -1},
	{"-i|a.deb|--force-unsafe-io", -1},
	{"--status-fd|9|--force-unsafe-io|-i|a.deb", 1},
	{"--force-unsafe-io|--|--no-force-unsafe-io", 1},
	{"--|--force-unsafe-io", -1},
	{"-|--force-unsafe-io", -1},
};

/* dpkg itself ends at these. */
static const struct words refused[] = {
	{"--force-unsafe-iox", -1},   {"--force=unsafe-io", -1}, {"--forceunsafe-io", -1},
	{"-D|--force-unsafe-io", -1}, {"--force", -1},           {"--log", -1},
};

static const struct {
	const char *text;
	int says;
} configurations[] = {
	{"", -1},
	{"force-unsafe-io", 1},
	{"force-unsafe-io\n", 1},
	{"force-unsafe-io  \r\n", 1},
	{"force unsafe-io\n", 1},
	{"force=unsafe-io\n", 1},
	{"force= \t unsafe-io\n", 1},
	{"force \"unsafe-io\"\n", 1},
	{"force 'depends,unsafe-io'\n", 1},
	{"force depends,unsafe-io,confold\n", 1},
	{"force-all\n", 1},
	{"no-force-unsafe-io\n", 0},
	{"refuse-unsafe-io\n", 0},
	{"refuse unsafe-io\n", 0},
	{"# force-unsafe-io\n\n", -1},
	{"#\nforce-unsafe-io\nlog /dev/null\n", 1},
	{"force-unsafe-io\nno-force-unsafe-io\n", 0},
	{"refuse-unsafe-io\nforce-all\n", 1},
	{"log /dev/null\nno-debsig\n", -1},
	{"log force-unsafe-io\n", -1},
};

/* dpkg itself ends at these. */
static const struct {
	const char *text;
	int says;
} refused_configurations[] = {
	{" force-unsafe-io\n", -1},
	{"force-depends,unsafe-io\n", -1},
	{"--force-unsafe-io\n", -1},
	{"force-unsafe-io yes\n", -1},
	{"force\n", -1},
	{"=\n\"\n'\nforce \"\n", -1},
	{"FORCE-UNSAFE-IO\n", -1},
};

/* The words as /proc/PID/cmdline has them; the caller frees them. */
static char *words_of(const char *words, size_t *ret_len)
{
	char *text;

	assert_true(asprintf(&text, *words ? "dpkg|%s|" : "dpkg|%s", words) > 0);
	*ret_len = strlen(text);
	for (char *at = text; (at = strchr(at, '|'));)
		*at++ = '\0';
	return text;
}

static int says_arguments(const char *words)
{
	size_t len;
	char *text = words_of(words, &len);
	/* Of exactly that size, for the sanitizer to see. */
	char *tight = malloc(len);
	int says;

	memcpy(tight, text, len);
	says = mode_of_arguments(tight, len);
	free(text);
	free(tight);
	return says;
}

static void expect_words(const struct words *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (says_arguments(table[i].words) != table[i].says)
			fail_msg("%s: %d", table[i].words, says_arguments(table[i].words));
}

static void test_arguments(void **state)
{
	(void)state;
	expect_words(arguments, COUNT(arguments));
	expect_words(ended, COUNT(ended));
	expect_words(refused, COUNT(refused));
	assert_int_equal(mode_of_arguments("", 0), -1);
	/* Cut in the middle. */
	assert_int_equal(mode_of_arguments("dpkg\0--force-unsafe", 19), -1);
	assert_int_equal(mode_of_arguments("dpkg\0--force-unsafe-io", 22), 1);
	assert_int_equal(mode_of_arguments("--force-unsafe-io", 18), -1);
}

static int says_configuration(const char *text)
{
	size_t len = strlen(text);
	char *tight = malloc(len ? len : 1);
	int says;

	memcpy(tight, text, len);
	says = mode_of_configuration(tight, len);
	free(tight);
	return says;
}

static void test_configuration(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(configurations); i++)
		if (says_configuration(configurations[i].text) != configurations[i].says)
			fail_msg("%s: %d", configurations[i].text,
			         says_configuration(configurations[i].text));
	for (size_t i = 0; i < COUNT(refused_configurations); i++)
		if (says_configuration(refused_configurations[i].text) !=
		    refused_configurations[i].says)
			fail_msg("%s", refused_configurations[i].text);
	assert_int_equal(mode_of_configuration("a\0\nforce-unsafe-io\n\0", 20), 1);
}

static void test_list(void **state)
{
	(void)state;
	assert_int_equal(mode_of_list(""), -1);
	assert_int_equal(mode_of_list("unsafe-io"), 1);
	assert_int_equal(mode_of_list("depends,unsafe-io"), 1);
	assert_int_equal(mode_of_list("security-mac,downgrade"), -1);
	assert_int_equal(mode_of_list("all"), 1);
	assert_int_equal(mode_of_list("unsafe-iox,xunsafe-io,unsafe,al,,"), -1);
}

/* What the real dpkg makes of it: 1 unsafe, 0 not; -1 if it refuses. The words stand before our
 * question; the user's configuration is `before`, then `text`; `force` is DPKG_FORCE. */
static int ask_dpkg(struct fixture *f, const char *words, const char *force, const char *before,
                    const char *text)
{
	char command[512], line[4096], configuration[256], *spaced = strdup(words);
	bool heading = false;
	int says = 0;
	FILE *in;

	snprintf(configuration, sizeof(configuration), "%s%s", before, text);
	set(f, ".dpkg.cfg", configuration);
	for (char *at = spaced; (at = strchr(at, '|'));)
		*at++ = ' ';
	snprintf(command, sizeof(command),
	         "LC_ALL=C HOME='%s' DPKG_FORCE='%s' dpkg %s --force-help 2>/dev/null", f->dir,
	         force, spaced);
	free(spaced);
	in = popen(command, "re");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (heading && strstr(line, "unsafe-io"))
			says = 1;
		heading |= !strncmp(line, "Currently enabled options:", 26);
	}
	return pclose(in) == 0 && heading ? says : -1;
}

/* Before what is asked about, so that this machine's own configuration does not matter. */
static const char *const before[2] = {"no-force-unsafe-io\n", "force-unsafe-io\n"};

static void needs_dpkg(struct fixture *f)
{
	if (ask_dpkg(f, "", "", before[1], "") == 1)
		return;
	print_message("# needs dpkg\n");
	skip();
}

static void test_dpkg_agrees_on_arguments(void **state)
{
	struct fixture *f = *state;

	needs_dpkg(f);
	for (size_t i = 0; i < COUNT(arguments); i++) {
		for (int base = 0; base < 2; base++) {
			int says = arguments[i].says < 0 ? base : arguments[i].says;
			int asked = ask_dpkg(f, arguments[i].words, "", before[base], "");

			if (asked != says)
				fail_msg("%s: dpkg says %d", arguments[i].words, asked);
		}
	}
	for (size_t i = 0; i < COUNT(refused); i++)
		if (ask_dpkg(f, refused[i].words, "", before[1], "") != -1)
			fail_msg("%s: dpkg takes it", refused[i].words);
}

static void test_dpkg_agrees_on_configuration(void **state)
{
	struct fixture *f = *state;

	needs_dpkg(f);
	for (size_t i = 0; i < COUNT(configurations); i++) {
		for (int base = 0; base < 2; base++) {
			int says = configurations[i].says < 0 ? base : configurations[i].says;
			int asked = ask_dpkg(f, "", "", before[base], configurations[i].text);

			if (asked != says)
				fail_msg("%s: dpkg says %d", configurations[i].text, asked);
		}
	}
	for (size_t i = 0; i < COUNT(refused_configurations); i++)
		if (ask_dpkg(f, "", "", before[1], refused_configurations[i].text) != -1)
			fail_msg("%s: dpkg takes it", refused_configurations[i].text);
}

static void test_dpkg_agrees_on_the_list(void **state)
{
	static const char *const lists[] = {"", "unsafe-io", "depends,unsafe-io", "all", "depends"};
	struct fixture *f = *state;

	needs_dpkg(f);
	/* The weakest of all. */
	assert_int_equal(ask_dpkg(f, "", "unsafe-io", before[0], ""), 0);
	if (ask_dpkg(f, "", "", "", "") != 0 || ask_dpkg(f, "", "unsafe-io", "", "") != 1) {
		print_message("# this machine's configuration decides before DPKG_FORCE does\n");
		skip();
	}
	for (size_t i = 0; i < COUNT(lists); i++)
		assert_int_equal(ask_dpkg(f, "", lists[i], "", ""), mode_of_list(lists[i]) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_configuration),
		cmocka_unit_test(test_list),
		MODE_TEST(test_dpkg_agrees_on_arguments),
		MODE_TEST(test_dpkg_agrees_on_configuration),
		MODE_TEST(test_dpkg_agrees_on_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
