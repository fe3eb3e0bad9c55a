/* test_history.c - how much there is to do, by apt's history.log and dpkg's command line. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/upgrade.h"

/* As apt 2.6.1 wrote it, shortened. */
#define FINISHED                                                                                   \
	"\nStart-Date: 2026-10-15  21:36:34\n"                                                     \
	"Commandline: apt-get install -y clang jq libxml2-utils\n"                                 \
	"Install: lib32stdc++6:amd64 (12.2.0-14+deb12u1, automatic), findent:amd64 (4.2.6-1)\n"    \
	"Upgrade: libxml2:amd64 (2.9.14+dfsg-1.3~deb12u5, 2.9.14+dfsg-1.3~deb12u6)\n"              \
	"End-Date: 2026-10-15  21:36:39\n"

#define UNFINISHED                                                                                 \
	"\nStart-Date: 2026-11-30  15:00:23\n"                                                     \
	"Commandline: apt-get dist-upgrade\n"                                                      \
	"Requested-By: me (1000)\n"                                                                \
	"Install: libselinux1-dev:amd64 (3.4-1+b6, automatic), libnl-3-200:amd64 (3.7.0-0.2+b1, "  \
	"automatic), libnl-genl-3-200:amd64 (3.7.0-0.2+b1)\n"                                      \
	"Reinstall: bc:amd64 (1.07.1-3+b1)\n"                                                      \
	"Upgrade: zstd:amd64 (1.5.4+dfsg2-5, 1.5.4+dfsg2-5+deb12u1), linux-perf:amd64 "            \
	"(6.1.187-1, 6.1.192-3)\n"                                                                 \
	"Downgrade: ed:amd64 (1.19-1, 1.18-1)\n"                                                   \
	"Remove: time:amd64 (1.9-0.2), groff-base:amd64 (1.22.4-10)\n"                             \
	"Purge: g++:amd64 (4:12.2.0-3)\n"

static char dir[64], path[96];
static struct place place;
/* The file, as seen inside the place. */
static const char name[] = "/history.log";

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/history-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s%s", dir, name);
	place.root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return place.root < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	place_close(&place);
	unlink(path);
	return rmdir(dir);
}

static void store(const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static void expect_plan(const char *text, uint64_t unpacks, uint64_t removes)
{
	struct plan_event p = {0};

	store(text, strlen(text));
	assert_int_equal(upgrade_plan(&place, name, &p), 0);
	assert_int_equal(p.unpacks, unpacks);
	assert_int_equal(p.configures, unpacks);
	assert_int_equal(p.removes, removes);
}

static void expect_none(const char *text, int why)
{
	struct plan_event p = {1, 2, 3};

	if (text)
		store(text, strlen(text));
	assert_int_equal(upgrade_plan(&place, name, &p), why);
	assert_int_equal(p.unpacks, 1);
	assert_int_equal(p.configures, 2);
	assert_int_equal(p.removes, 3);
}

static void test_unfinished(void **state)
{
	(void)state;
	expect_plan(UNFINISHED, 7, 3);
	expect_plan(FINISHED FINISHED UNFINISHED, 7, 3);
	expect_plan(FINISHED "\nStart-Date: 2026-11-30  15:00:23\nCommandline: x\n"
	                     "Remove: time:amd64 (1.9-0.2)\n",
	            0, 1);
	/* A run that was killed before this one counts for nothing. */
	expect_plan(UNFINISHED "\nStart-Date: 2026-11-30  16:00:23\nCommandline: x\n"
	                       "Upgrade: bc:amd64 (1, 2)\n",
	            1, 0);
	/* Names in a command line, an error or a comment are no lists. */
	expect_plan(UNFINISHED "Comment: Install: a:amd64 (1)\nError: sub-process (1)\n"
	                       "Disappeared: a:amd64 (1)\n",
	            7, 3);
}

static void test_nothing_announced(void **state)
{
	(void)state;
	expect_none("", -ENODATA);
	expect_none(FINISHED, -ENODATA);
	expect_none(UNFINISHED FINISHED, -ENODATA);
	expect_none(UNFINISHED "End-Date: 2026-11-30  15:00:38\n", -ENODATA);
	/* Rotated in mid-run: apt goes on writing to the old file, if that is still there. */
	expect_none("End-Date: 2026-11-30  15:00:38\n", -ENODATA);
	expect_none("Install: a:amd64 (1)\n", -ENODATA);
	expect_none("\nStart-Date: 2026-11-30  15:00:23\nCommandline: apt-get -f install\n",
	            -ENODATA);
	expect_none("\nStart-Date: 2026-11-30  15:00:23\nInstall: \n" FINISHED, -ENODATA);
}

static void test_half_written(void **state)
{
	char text[] = UNFINISHED;

	(void)state;
	text[strlen(text) - 1] = '\0';
	expect_none(text, -ENODATA);
	*strstr(text, "Reinstall") = '\0';
	text[strlen(text) - 10] = '\0';
	expect_none(text, -ENODATA);
}

static void test_odd_files(void **state)
{
	struct plan_event p;

	(void)state;
	unlink(path);
	expect_none(NULL, -ENOENT);
	assert_int_equal(mkfifo(path, 0644), 0);
	expect_none(NULL, -EINVAL);
	unlink(path);
	assert_int_equal(upgrade_plan(&place, "/", &p), -EINVAL);
}

/* The list of this machine must not be taken for that of a foreign root. */
static void test_hostile_root(void **state)
{
	char outside[96];
	int fd;

	(void)state;
	unlink(path);
	snprintf(outside, sizeof(outside), "%s.outside", dir);
	fd = open(outside, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, UNFINISHED, strlen(UNFINISHED)), strlen(UNFINISHED));
	close(fd);
	assert_int_equal(symlink(outside, path), 0);
	expect_none(NULL, -ENOENT);
	unlink(path);
	unlink(outside);
	/* As root only. */
	if (mknod(path, S_IFCHR | 0644, makedev(1, 5)) == 0)
		expect_none(NULL, -EINVAL);
	unlink(path);
	store(UNFINISHED, strlen(UNFINISHED));
	assert_int_equal(truncate(path, 10000000000), 0);
	expect_none(NULL, -ENODATA);
	unlink(path);
}

/* More than the last 4 MiB: what was before does not count, a first half line neither. */
static void test_big_file(void **state)
{
	const size_t size = 10 << 20;
	char *text = malloc(size + sizeof(UNFINISHED) + 1);
	struct plan_event p;
	size_t len = 0;

	(void)state;
	memset(text, 'x', size + 1);
	memcpy(text, UNFINISHED, strlen(UNFINISHED));
	store(text, size);
	assert_int_equal(upgrade_plan(&place, name, &p), -ENODATA);
	text[size] = '\n';
	memcpy(text + size + 1, UNFINISHED, strlen(UNFINISHED));
	store(text, size + 1 + strlen(UNFINISHED));
	assert_int_equal(upgrade_plan(&place, name, &p), 0);
	assert_int_equal(p.unpacks, 7);
	/* Where the cut falls, a line begins that looks like a start but is the end of another. */
	memset(text, '\0', size);
	store(text, size);
	assert_int_equal(upgrade_plan(&place, name, &p), -ENODATA);
	while (len + sizeof(FINISHED) < size)
		len += (size_t)sprintf(text + len, "%s", FINISHED);
	len += (size_t)sprintf(text + len, "%s", UNFINISHED);
	store(text, len);
	assert_int_equal(upgrade_plan(&place, name, &p), 0);
	assert_int_equal(p.unpacks, 7);
	assert_int_equal(p.removes, 3);
	free(text);
}

static void test_line_cut_at_the_cap(void **state)
{
	/* The tail begins with "Start-Date:" in the middle of a comment line. */
	static const char tail[] = "Start-Date: x\nInstall: a:amd64 (1)\n";
	const size_t cap = 4 << 20, before = 100;
	char *text = malloc(before + cap);
	struct plan_event p;

	(void)state;
	memset(text, 'x', before + cap);
	memcpy(text + before, tail, strlen(tail));
	text[before + cap - 1] = '\n';
	store(text, before + cap);
	assert_int_equal(upgrade_plan(&place, name, &p), -ENODATA);
	/* Without the part before it the same is a stanza. */
	store(text + before, cap);
	assert_int_equal(upgrade_plan(&place, name, &p), 0);
	assert_int_equal(p.unpacks, 1);
	free(text);
}

#define COMMAND(words, unpacks, configures) check_command(words, sizeof(words), unpacks, configures)

static void check_command(const char *words, size_t len, uint64_t unpacks, uint64_t configures)
{
	struct plan_event p = {0};

	assert_int_equal(upgrade_plan_of_command(words, len, &p), 0);
	assert_int_equal(p.unpacks, unpacks);
	assert_int_equal(p.configures, configures);
	assert_int_equal(p.removes, 0);
	/* The last word's end may be cut off by who read it. */
	assert_int_equal(upgrade_plan_of_command(words, len - 1, &p), 0);
	assert_int_equal(p.unpacks, unpacks);
}

#define NO_COMMAND(words)                                                                          \
	assert_int_equal(upgrade_plan_of_command(words, sizeof(words), &(struct plan_event){0}),   \
	                 -ENODATA)

static void test_commands(void **state)
{
	struct plan_event p;

	(void)state;
	COMMAND("dpkg\0-i\0a.deb", 1, 1);
	COMMAND("dpkg\0--install\0a.deb\0/x y/b_1%3a2_all.deb", 2, 2);
	COMMAND("dpkg\0-E\0-GiO\0a.deb", 1, 1);
	COMMAND("dpkg\0--status-fd\0"
	        "22\0--no-triggers\0--unpack\0--auto-deconfigure\0a.deb\0b.deb\0c.deb",
	        3, 0);
	COMMAND("dpkg\0-i\0--\0-odd.deb", 1, 1);
	NO_COMMAND("dpkg");
	NO_COMMAND("x.deb\0-i");
	NO_COMMAND("dpkg\0--configure\0a:amd64");
	NO_COMMAND("dpkg\0--unpack\0--recursive\0/tmp/apt-dpkg-install-abcdef");
	NO_COMMAND("dpkg\0-iR\0/tmp/dir.deb");
	NO_COMMAND("dpkg\0--record-avail\0a.deb");
	NO_COMMAND("dpkg\0-D10i\0a.deb");
	assert_int_equal(upgrade_plan_of_command(NULL, 0, &p), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unfinished),   cmocka_unit_test(test_nothing_announced),
		cmocka_unit_test(test_half_written), cmocka_unit_test(test_odd_files),
		cmocka_unit_test(test_big_file),     cmocka_unit_test(test_line_cut_at_the_cap),
		cmocka_unit_test(test_hostile_root), cmocka_unit_test(test_commands),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
