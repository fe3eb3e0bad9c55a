/* test_dpkglog.c - the parser of dpkg.log's lines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dpkgtop/dpkglog.h"

#define AT "2026-11-30 13:29:00 "

struct row {
	const char *line;
	enum package_verb verb;
	enum package_state state;
	const char *name, *arch, *version, *target, *detail;
};

static const struct row good[] = {
	{"startup archives unpack", VERB_STARTUP, 0, "", "", "", "", "archives unpack"},
	{"startup packages triggers-only", VERB_STARTUP, 0, "", "", "", "",
         "packages triggers-only"},
	{"install hello:amd64 <none> 2.10-3", VERB_INSTALL, 0, "hello", "amd64", "", "2.10-3", ""},
	{"upgrade libc6:i386 2.31-13 2.36-9+deb12u1", VERB_UPGRADE, 0, "libc6", "i386", "2.31-13",
         "2.36-9+deb12u1", ""},
	{"configure hello:amd64 2.10-3 <none>", VERB_CONFIGURE, 0, "hello", "amd64", "2.10-3", "",
         ""},
	{"configure hello:amd64 2.10-3 2.10-3", VERB_CONFIGURE, 0, "hello", "amd64", "2.10-3",
         "2.10-3", ""},
	{"trigproc libc-bin:amd64 2.36-9 <none>", VERB_TRIGPROC, 0, "libc-bin", "amd64", "2.36-9",
         "", ""},
	{"remove tzdata:all 1 <none>", VERB_REMOVE, 0, "tzdata", "all", "1", "", ""},
	{"purge tzdata:all 1 <none>", VERB_PURGE, 0, "tzdata", "all", "1", "", ""},
	{"disappear g++:all 4:1~rc1 <none>", VERB_DISAPPEAR, 0, "g++", "all", "4:1~rc1", "", ""},
	{"conffile /etc/x keep", VERB_CONFFILE, 0, "", "", "", "", "/etc/x keep"},
	{"conffile /etc/a file with  spaces install", VERB_CONFFILE, 0, "", "", "", "",
         "/etc/a file with  spaces install"},
	{"status not-installed a:all <none>", VERB_STATUS, STATE_NOT_INSTALLED, "a", "all", "", "",
         ""},
	{"status config-files a:all 1", VERB_STATUS, STATE_CONFIG_FILES, "a", "all", "1", "", ""},
	{"status half-installed a:all 1", VERB_STATUS, STATE_HALF_INSTALLED, "a", "all", "1", "",
         ""},
	{"status unpacked a:all 1", VERB_STATUS, STATE_UNPACKED, "a", "all", "1", "", ""},
	{"status half-configured a:all 1", VERB_STATUS, STATE_HALF_CONFIGURED, "a", "all", "1", "",
         ""},
	{"status triggers-awaited a:all 1", VERB_STATUS, STATE_TRIGGERS_AWAITED, "a", "all", "1",
         "", ""},
	{"status triggers-pending a:all 1", VERB_STATUS, STATE_TRIGGERS_PENDING, "a", "all", "1",
         "", ""},
	{"status installed a:all 1", VERB_STATUS, STATE_INSTALLED, "a", "all", "1", "", ""},
	{"status installed a 1", VERB_STATUS, STATE_INSTALLED, "a", "", "1", "", ""},
	{"status installed a:all 1\r", VERB_STATUS, STATE_INSTALLED, "a", "all", "1", "", ""},
	{"install a:all <kein> 1", VERB_INSTALL, 0, "a", "all", "", "1", ""},
	{"install a:all <žádná> 1", VERB_INSTALL, 0, "a", "all", "", "1", ""},
	/* Basque and Occitan take more than one word. */
	{"install a:all <bat ere ez> 1", VERB_INSTALL, 0, "a", "all", "", "1", ""},
	{"remove a:all 1 <pas cap>", VERB_REMOVE, 0, "a", "all", "1", "", ""},
	{"install a\033[2J\xff:all\x01 <none> 1\xc3\xa4", VERB_INSTALL, 0, "a?[2J?", "all?", "",
         "1\xc3\xa4", ""},
};

static void check_row(const struct row *row)
{
	struct event e;
	char line[512];
	int len = snprintf(line, sizeof(line), AT "%s", row->line);

	memset(&e, 0x55, sizeof(e));
	e.at = (struct stamp){1, 2, 3};
	if (dpkglog_parse_line(line, (size_t)len, &e) != 0)
		fail_msg("not taken: %s", row->line);
	assert_int_equal(e.kind, EVENT_PACKAGE);
	assert_int_equal(e.at.mono_ns, 1);
	assert_int_equal(e.at.real_ns, 3);
	assert_int_equal(e.package.verb, row->verb);
	assert_int_equal(e.package.state, row->state);
	assert_string_equal(e.package.name, row->name);
	assert_string_equal(e.package.arch, row->arch);
	assert_string_equal(e.package.version, row->version);
	assert_string_equal(e.package.target, row->target);
	assert_string_equal(e.package.detail, row->detail);
}

static void test_every_verb_and_state(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		check_row(&good[i]);
}

static void check_bad(const char *line, size_t len)
{
	struct event e, before;
	char *exact = malloc(len ? len : 1); /* so that ASan sees a byte too far */

	memset(&e, 0x55, sizeof(e));
	before = e;
	memcpy(exact, line, len);
	if (dpkglog_parse_line(exact, len, &e) != -EBADMSG)
		fail_msg("taken: %.*s", (int)len, line);
	assert_memory_equal(&e, &before, sizeof(e));
	free(exact);
}

static void test_odd_input(void **state)
{
	static const char *const bad[] = {
		"",
		"\r",
		"2026-11-30",
		"2026-11-30 13:29:00",
		"2026-11-30 13:29:00 ",
		"2026-11-30T13:29:00 status installed a:all 1",
		"2026-1a-30 13:29:00 status installed a:all 1",
		"226-11-30 13:29:00 status installed a:all 1",
		"2026-11-30 13:29 status installed a:all 1",
		AT "status",
		AT "status ",
		AT "status installed",
		AT "status installed a:all",
		AT "status installed a:all ",
		AT "status installed a:all 1 2",
		AT "status installed  a:all 1",
		AT "status installed a:all 1 ",
		AT "status mended a:all 1",
		AT "status  a:all 1",
		AT "Status installed a:all 1",
		AT "statusinstalled a:all 1",
		AT "mend a:all 1 2",
		AT "install a:all 1",
		AT "install :all 1 2",
		AT "install a: 1 2",
		AT "install : 1 2",
		AT "install a:all <none 1",
		AT "install <none> 1",
		AT "startup",
		AT "startup archives",
		AT "startup archives unpack more",
		AT "conffile",
		AT "conffile keep",
		AT "conffile  keep",
		AT "conffile /etc/x",
		AT "conffile /etc/x eat",
		" " AT "status installed a:all 1",
	};
	static const char nul[] = AT "status installed a\0b:all 1";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_bad(bad[i], strlen(bad[i]));
	check_bad(nul, sizeof(nul) - 1);
}

/* Every part of a line, and of one whose bytes are all there are. */
static void test_cut_lines(void **state)
{
	static const char line[] = AT "upgrade libc6:amd64 2.31-13 2.36-9";
	struct event e;
	char all[256];

	(void)state;
	for (size_t i = 0; i < strlen(AT "upgrade libc6:amd64 2.31-13 "); i++)
		check_bad(line, i);
	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	check_bad(all, sizeof(all));
	assert_int_equal(dpkglog_parse_line(line, sizeof(line) - 1, &e), 0);
}

static void test_long_words_are_cut(void **state)
{
	char line[2048], word[301];
	struct event e;
	int len;

	(void)state;
	memset(word, 'w', 300);
	word[300] = '\0';
	len = snprintf(line, sizeof(line), AT "upgrade %s:%s %s %s", word, word, word, word);
	assert_int_equal(dpkglog_parse_line(line, (size_t)len, &e), 0);
	assert_int_equal(strlen(e.package.name), sizeof(e.package.name) - 1);
	assert_int_equal(strlen(e.package.arch), sizeof(e.package.arch) - 1);
	assert_int_equal(strlen(e.package.version), sizeof(e.package.version) - 1);
	assert_int_equal(strlen(e.package.target), sizeof(e.package.target) - 1);
	len = snprintf(line, sizeof(line), AT "startup %s %s", word, word);
	assert_int_equal(dpkglog_parse_line(line, (size_t)len, &e), 0);
	assert_int_equal(strlen(e.package.detail), sizeof(e.package.detail) - 1);
	/* The decision outlives the cut. */
	len = snprintf(line, sizeof(line), AT "conffile /%s install", word);
	assert_int_equal(dpkglog_parse_line(line, (size_t)len, &e), 0);
	assert_int_equal(strlen(e.package.detail), sizeof(e.package.detail) - 1);
	assert_string_equal(e.package.detail + strlen(e.package.detail) - 10, "ww install");
}

static void count_file(const char *name, unsigned int counts[N_VERBS])
{
	char command[256], line[1024];
	struct event e;
	FILE *in;

	memset(counts, 0, sizeof(*counts) * N_VERBS);
	snprintf(command, sizeof(command), "zcat tests/fixtures/log/%s", name);
	in = popen(command, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		char *text = strchr(line, ' ');

		assert_non_null(text);
		text++;
		text[strcspn(text, "\n")] = '\0';
		if (dpkglog_parse_line(text, strlen(text), &e) < 0)
			fail_msg("not taken: %s", text);
		counts[e.package.verb]++;
	}
	assert_int_equal(pclose(in), 0);
}

static void test_real_logs(void **state)
{
	unsigned int n[N_VERBS];

	(void)state;
	count_file("bullseye-bookworm.ns.txt.gz", n);
	assert_int_equal(n[VERB_INSTALL] + n[VERB_UPGRADE], 246);
	assert_int_equal(n[VERB_CONFIGURE], 246);
	assert_int_equal(n[VERB_TRIGPROC], 5);
	assert_int_equal(n[VERB_STARTUP], 177);
	count_file("sid-kernel.ns.txt.gz", n);
	assert_int_equal(n[VERB_INSTALL] + n[VERB_UPGRADE], 79);
	assert_int_equal(n[VERB_CONFIGURE], 79);
	assert_int_equal(n[VERB_TRIGPROC], 3);
	assert_int_equal(n[VERB_STARTUP], 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_verb_and_state),
		cmocka_unit_test(test_odd_input),
		cmocka_unit_test(test_cut_lines),
		cmocka_unit_test(test_long_words_are_cut),
		cmocka_unit_test(test_real_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
