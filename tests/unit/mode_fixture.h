/* mode_fixture.h - a fake /proc and root directory, in which a dpkg runs. */
#ifndef MODE_FIXTURE_H
#define MODE_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/mode.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A directory with "proc" (300/{cmdline,environ,maps}) and "root". */
struct fixture {
	char dir[64];
	struct roots roots;
	struct place place;
};

static inline int open_below(const struct fixture *f, const char *name, int flags)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return open(path, flags | O_DIRECTORY | O_CLOEXEC);
}

static inline int setup(void **state)
{
	static const char *const directories[] = {
		"proc",      "proc/300",      "root",
		"root/etc",  "root/etc/dpkg", "root/etc/dpkg/dpkg.cfg.d",
		"root/home",
	};
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/mode-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	for (size_t i = 0; i < COUNT(directories); i++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%s", f->dir, directories[i]);
		if (mkdir(path, 0755) < 0)
			return -1;
	}
	f->roots = (struct roots){.proc = open_below(f, "proc", O_RDONLY), .sys = -1};
	f->place = (struct place){.root = open_below(f, "root", O_PATH)};
	*state = f;
	return f->roots.proc < 0 || f->place.root < 0 ? -1 : 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	close(f->roots.proc);
	close(f->place.root);
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	if (system(command) != 0)
		return -1;
	free(f);
	return 0;
}

/* '|' stands for NUL; NULL removes the file. */
static inline void set(struct fixture *f, const char *name, const char *text)
{
	char path[160];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	unlink(path);
	if (!text)
		return;
	out = fopen(path, "we");
	assert_non_null(out);
	for (; *text; text++)
		fputc(*text == '|' ? 0 : *text, out);
	fclose(out);
}

#define MODE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
