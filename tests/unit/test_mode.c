/* test_mode.c - in which sync mode a dpkg works, by a fake /proc and root directory. */
#include "mode_fixture.h"

static void expect(struct fixture *f, const char *mode, const char *source)
{
	struct mode_event found;

	memset(&found, 0x55, sizeof(found));
	mode_find(&f->roots, &f->place, 300, &found);
	assert_string_equal(found.mode, mode);
	assert_string_equal(found.source, source);
}

#define COMMAND     "proc/300/cmdline"
#define ENVIRONMENT "proc/300/environ"
#define GLOBAL      "root/etc/dpkg/dpkg.cfg"
#define PARTS       "root/etc/dpkg/dpkg.cfg.d/"
#define HOME        "root/home/.dpkg.cfg"

/* Each level over all below it. */
static void test_precedence(void **state)
{
	struct fixture *f = *state;

	expect(f, "", "");
	set(f, COMMAND, "dpkg|-i|a.deb|");
	set(f, ENVIRONMENT, "PATH=/bin|");
	expect(f, "safe-io", "default");
	set(f, ENVIRONMENT, "PATH=/bin|DPKG_FORCE=depends|HOME=/home|");
	expect(f, "safe-io", "default");
	set(f, ENVIRONMENT, "DPKG_FORCE=unsafe-io|HOME=/home|DPKG_FORCE=depends|");
	expect(f, "unsafe-io", "DPKG_FORCE");
	set(f, PARTS "20-b", "no-force-unsafe-io\n");
	expect(f, "safe-io", "/etc/dpkg/dpkg.cfg.d/20-b");
	set(f, PARTS "30_C", "log /dev/null\n");
	expect(f, "safe-io", "/etc/dpkg/dpkg.cfg.d/20-b");
	set(f, PARTS "docker-apt-speedup", "force-unsafe-io\n");
	expect(f, "unsafe-io", "/etc/dpkg/dpkg.cfg.d/docker-apt-speedup");
	set(f, GLOBAL, "log /var/log/dpkg.log\n");
	expect(f, "unsafe-io", "/etc/dpkg/dpkg.cfg.d/docker-apt-speedup");
	set(f, GLOBAL, "refuse-unsafe-io\n");
	expect(f, "safe-io", "/etc/dpkg/dpkg.cfg");
	set(f, HOME, "force-unsafe-io\n");
	expect(f, "unsafe-io", "/home/.dpkg.cfg");
	set(f, COMMAND, "dpkg|--no-force-unsafe-io|-i|a.deb|");
	expect(f, "safe-io", "arguments");
	set(f, COMMAND, "dpkg|--force-all|-i|a.deb|");
	expect(f, "unsafe-io", "arguments");
	set(f, ENVIRONMENT, "LD_PRELOAD=libfakeroot.so|");
	expect(f, "unsafe-io", "arguments");
	set(f, ENVIRONMENT, "LD_PRELOAD=libfakeroot.so /usr/lib/libeatmydata.so|");
	expect(f, "eatmydata", "LD_PRELOAD");
	/* A zombie. */
	set(f, COMMAND, "");
	expect(f, "", "");
}

static void test_names_of_parts(void **state)
{
	static const char *const left_out[] = {"a.dpkg-old", ".a", "a~", "a b", "#a#"};
	struct fixture *f = *state;
	char name[96];

	set(f, COMMAND, "dpkg|-i|a.deb|");
	set(f, ENVIRONMENT, "");
	for (size_t i = 0; i < COUNT(left_out); i++) {
		snprintf(name, sizeof(name), PARTS "%s", left_out[i]);
		set(f, name, "force-unsafe-io\n");
	}
	expect(f, "safe-io", "default");
	/* "B" and "a" change places with dpkg's locale: only where that matters. */
	set(f, PARTS "a", "force-unsafe-io\n");
	set(f, PARTS "B", "force-unsafe-io\n");
	expect(f, "unsafe-io", "/etc/dpkg/dpkg.cfg.d/a");
	set(f, PARTS "B", "no-force-unsafe-io\n");
	expect(f, "", "");
	set(f, PARTS "B", NULL);
	set(f, PARTS "a-b", "no-force-unsafe-io\n");
	expect(f, "safe-io", "/etc/dpkg/dpkg.cfg.d/a-b");
	set(f, PARTS "a2", "force-unsafe-io\n");
	expect(f, "", "");
	set(f, COMMAND, "dpkg|--refuse-unsafe-io|-i|a.deb|");
	expect(f, "safe-io", "arguments");
}

static void test_eatmydata_that_is_not_there(void **state)
{
	struct fixture *f = *state;

	set(f, COMMAND, "dpkg|-i|a.deb|");
	set(f, ENVIRONMENT, "LD_PRELOAD=libeatmydata.so|");
	set(f, "proc/300/maps",
	    "55d0-55e0 r-xp 00000000 fe:01 7 /usr/bin/dpkg\n"
	    "7f00-7f10 r-xp 00000000 fe:01 9 /lib/libeatmydata.so.1.3.0\n");
	expect(f, "eatmydata", "LD_PRELOAD");
	set(f, ENVIRONMENT, "");
	expect(f, "eatmydata", "/etc/ld.so.preload");
	/* A chroot without the library: the dynamic linker warns and goes on. */
	set(f, ENVIRONMENT, "LD_PRELOAD=libeatmydata.so|");
	set(f, "proc/300/maps",
	    "55d0-55e0 r-xp 00000000 fe:01 7 /usr/bin/dpkg\n"
	    "7f00-7f10 r-xp 00000000 fe:01 9 /lib/x86_64-linux-gnu/libc.so.6\n");
	expect(f, "safe-io", "default");
	/* It has just been executed: the linker has loaded nothing yet. */
	set(f, "proc/300/maps", "55d0-55e0 r-xp 00000000 fe:01 7 /usr/bin/dpkg\n");
	expect(f, "eatmydata", "LD_PRELOAD");
}

static void test_without_the_environment(void **state)
{
	struct fixture *f = *state;

	set(f, COMMAND, "dpkg|-i|a.deb|");
	expect(f, "", "");
	set(f, COMMAND, "dpkg|--no-force-unsafe-io|-i|a.deb|");
	expect(f, "", "");
	set(f, COMMAND, "dpkg|-i|a.deb|");
	set(f, GLOBAL, "force-unsafe-io\n");
	expect(f, "unsafe-io", "/etc/dpkg/dpkg.cfg");
	set(f, COMMAND, "dpkg|--force-unsafe-io|-i|a.deb|");
	expect(f, "unsafe-io", "arguments");
	/* The root can not be read either. */
	close(f->place.root);
	f->place.root = -1;
	expect(f, "unsafe-io", "arguments");
	set(f, COMMAND, "dpkg|-i|a.deb|");
	expect(f, "", "");
	set(f, ENVIRONMENT, "DPKG_FORCE=unsafe-io|");
	expect(f, "", "");
}

static void test_hostile_configuration(void **state)
{
	struct fixture *f = *state;
	char path[128], *words;

	set(f, COMMAND, "dpkg|-i|a.deb|");
	set(f, ENVIRONMENT, "HOME=/home|");
	/* Out of the root. */
	set(f, "outside", "force-unsafe-io\n");
	snprintf(path, sizeof(path), "%s/outside", f->dir);
	assert_int_equal(symlinkat(path, f->place.root, "etc/dpkg/dpkg.cfg"), 0);
	expect(f, "safe-io", "default");
	/* A FIFO says nothing, and does not hold us. */
	assert_int_equal(mkfifoat(f->place.root, "home/.dpkg.cfg", 0644), 0);
	expect(f, "", "");
	set(f, HOME, NULL);
	expect(f, "safe-io", "default");
	snprintf(path, sizeof(path), "%s/" GLOBAL, f->dir);
	assert_int_equal(unlink(path), 0);
	set(f, GLOBAL, "force-unsafe-io\n");
	assert_int_equal(truncate(path, 10LL << 30), 0);
	expect(f, "", "too much configuration");
	/* Nonsense for a home. */
	set(f, GLOBAL, NULL);
	set(f, ENVIRONMENT, "HOME=home|");
	expect(f, "", "");
	set(f, ENVIRONMENT, "HOME=/outside/nowhere|");
	expect(f, "safe-io", "default");
	set(f, ENVIRONMENT, "HOME=/home/\033]0;x\a|");
	assert_int_equal(mkdirat(f->place.root, "home/\033]0;x\a", 0755), 0);
	set(f, "root/home/\033]0;x\a/.dpkg.cfg", "force-unsafe-io\n");
	expect(f, "unsafe-io", "/home/?]0;x?/.dpkg.cfg");
	/* Arguments without an end: the options stand before them. */
	set(f, "root/home/\033]0;x\a/.dpkg.cfg", NULL);
	words = malloc((5 << 20) + 1);
	memset(words, 'w', 5 << 20);
	words[5 << 20] = '\0';
	memcpy(words, "dpkg|--force-unsafe-io|-i|", 26);
	set(f, COMMAND, words);
	expect(f, "unsafe-io", "arguments");
	free(words);
}

static void test_too_much_configuration(void **state)
{
	struct fixture *f = *state;
	char name[96], path[192];

	set(f, COMMAND, "dpkg|-i|a.deb|");
	set(f, ENVIRONMENT, "");
	/* As much as is read, all together, and a byte more. */
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), PARTS "a%d", i);
		set(f, name, "force-unsafe-io\n");
		snprintf(path, sizeof(path), "%s/%s", f->dir, name);
		assert_int_equal(truncate(path, 1 << 18), 0);
	}
	expect(f, "unsafe-io", "/etc/dpkg/dpkg.cfg.d/a3");
	set(f, PARTS "b", "#");
	expect(f, "", "too much configuration");
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), PARTS "a%d", i);
		set(f, name, NULL);
	}
	for (int i = 0; i < 255; i++) {
		snprintf(name, sizeof(name), PARTS "c%d", i);
		set(f, name, "");
	}
	expect(f, "safe-io", "default");
	set(f, PARTS "d", "");
	expect(f, "", "too much configuration");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MODE_TEST(test_precedence),
		MODE_TEST(test_names_of_parts),
		MODE_TEST(test_eatmydata_that_is_not_there),
		MODE_TEST(test_without_the_environment),
		MODE_TEST(test_hostile_configuration),
		MODE_TEST(test_too_much_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
