/* mode.c - which sync mode a dpkg works in, and where that was set. */
#include "dpkgtop/mode.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

#define CONFIGURATION      "/etc/dpkg/dpkg.cfg"
#define CONFIGURATION_PART CONFIGURATION ".d"
/* Nobody's configuration is so long, all files together; what is longer is not known. */
#define CONFIGURATION_MAX (1 << 20)
#define PARTS_MAX         256

/* What /proc/PID/NAME says. */
struct content {
	char *text;  /* terminated; may hold more NULs */
	ssize_t len; /* or -errno */
	size_t room;
};

static void content_read(struct content *c, const struct roots *roots, int32_t pid,
                         const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "%" PRId32 "/%s", pid, name);
	c->len = roots_read_whole(roots->proc, path, &c->text, &c->room);
}

/* The value of the first variable of that name, as getenv(3) finds it; NULL. */
static const char *variable(const struct content *environment, const char *name)
{
	const char *at = environment->text, *end = at + environment->len;
	size_t len = strlen(name);

	for (; environment->len > 0 && at < end; at += strlen(at) + 1)
		if (text_starts(at, name) && at[len] == '=')
			return at + len + 1;
	return NULL;
}

struct search {
	const struct place *place;
	struct content environment;
	size_t rest;  /* of CONFIGURATION_MAX */
	char *source; /* of what was said last; room for `size` */
	size_t size;
};

static void set_source(struct search *s, const char *source)
{
	text_printable_string(s->source, s->size, source);
}

/* What the configuration file says, 1, 0 or -1, in `*said`. One that is missing says nothing; one
 * that can not be read might say anything: -errno. */
static int said_by_file(struct search *s, const char *path, int *said)
{
	char *text;
	size_t len;
	bool cut;
	int r = place_read_end(s->place, path, s->rest, &text, &len, &cut);

	*said = -1;
	if (r < 0)
		return r == -ENOENT || r == -ENOTDIR ? 0 : r;
	if (!cut)
		*said = mode_of_configuration(text, len);
	s->rest -= len;
	free(text);
	return cut ? -EFBIG : 0;
}

/* lib/dpkg/options.c, config_file_filter() */
static bool is_part(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
	                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

struct parts {
	char **names;
	size_t count, room;
};

static void parts_done(struct parts *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->names[i]);
	free(p->names);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* By name. */
static int parts_list(const struct place *place, struct parts *ret)
{
	int path = place_open_directory(place, CONFIGURATION_PART);
	struct dirent *entry;
	DIR *dir = NULL;
	int fd, r = 0;

	if (path < 0)
		return path == -ENOENT ? 0 : path;
	fd = openat(path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		dir = fdopendir(fd);
	if (!dir)
		r = -errno;
	while (!r && (entry = readdir(dir))) {
		if (!is_part(entry->d_name))
			continue;
		if (ret->count >= PARTS_MAX) {
			r = -E2BIG;
			break;
		}
		ret->names = mem_grow(ret->names, &ret->room, ret->count + 1, sizeof(char *));
		ret->names[ret->count++] = mem_copy_text(entry->d_name);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	close(path);
	if (!r && ret->count)
		qsort(ret->names, ret->count, sizeof(char *), by_name);
	return r;
}

static char class_of(char c)
{
	return c >= '0' && c <= '9' ? '0' : c >= 'a' && c <= 'z' ? 'a' : c >= 'A' ? 'A' : '-';
}

/* dpkg orders the names by alphasort(3), that is by its locale. Whether that order is the one of
 * the bytes: where the names part, locales agree on digits, on digits before letters, and on
 * letters of one case. */
static bool is_order_of_all_locales(const char *a, const char *b)
{
	char x, y;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (!*a || !*b)
		return true;
	x = class_of(*a);
	y = class_of(*b);
	return *a != '_' && *b != '_' && x != '-' && y != '-' && (x == y || x == '0' || y == '0');
}

static int said_by_parts(struct search *s, int *said)
{
	struct parts parts = {0};
	const char *last[2] = {NULL, NULL};
	char path[300];
	int r = parts_list(s->place, &parts);

	*said = -1;
	for (size_t i = 0; r >= 0 && i < parts.count; i++) {
		int says;

		snprintf(path, sizeof(path), CONFIGURATION_PART "/%s", parts.names[i]);
		r = said_by_file(s, path, &says);
		if (r < 0 || says < 0)
			continue;
		*said = says;
		last[says] = parts.names[i];
		set_source(s, path);
	}
	if (r >= 0 && last[0] && last[1] && !is_order_of_all_locales(last[0], last[1]))
		r = -ENOTUNIQ;
	parts_done(&parts);
	return r;
}

static int said_by_home(struct search *s, const char *home, int *said)
{
	char *path;
	int r;

	/* From a working directory that we do not know. */
	if (*home && *home != '/')
		return -ENOTSUP;
	if (asprintf(&path, "%s/.dpkg.cfg", home) < 0)
		abort();
	r = said_by_file(s, path, said);
	set_source(s, path);
	free(path);
	return r;
}

/* The strongest first: src/main/main.c reads DPKG_FORCE (set_force_default()), then the
 * configuration, its parts before the file and that before the user's (dpkg_options_load()), then
 * the arguments, and each may take back what was said before. */
static int find_said(struct search *s, const struct content *arguments, int *said)
{
	const bool known = s->environment.len >= 0;
	const char *home = known ? variable(&s->environment, "HOME") : NULL;
	const char *list = known ? variable(&s->environment, "DPKG_FORCE") : NULL;
	int r = 0;

	/* Options stand before a list of files that was too long. None at all: it is gone. */
	s->rest = CONFIGURATION_MAX;
	if (arguments->len == 0 || (arguments->len < 0 && arguments->len != -EFBIG))
		return arguments->len ? (int)arguments->len : -ESRCH;
	*said = mode_of_arguments(arguments->text, arguments->len < 0 ? arguments->room - 1
	                                                              : (size_t)arguments->len);
	set_source(s, "arguments");
	if (*said < 0 && home)
		r = said_by_home(s, home, said);
	if (r >= 0 && *said < 0) {
		r = said_by_file(s, CONFIGURATION, said);
		set_source(s, CONFIGURATION);
	}
	if (r >= 0 && *said < 0)
		r = said_by_parts(s, said);
	if (r >= 0 && *said < 0 && list) {
		*said = mode_of_list(list);
		set_source(s, "DPKG_FORCE");
	}
	if (r >= 0 && *said < 0)
		set_source(s, "default");
	return r;
}

/* Whether the library is there: a chroot may lack it, and the dynamic linker then only warns
 * (ld.so(8)); and /etc/ld.so.preload loads it without a word in the environment. As long as the C
 * library is not there either, which comes after it, the linker is still at work. */
static bool has_eatmydata(const struct roots *roots, int32_t pid, bool wanted)
{
	struct content maps = {0};
	bool loaded = wanted;

	content_read(&maps, roots, pid, "maps");
	if (maps.len > 0 &&
	    (!wanted || strstr(maps.text, "/libc.so") || strstr(maps.text, "/libc-")))
		loaded = strstr(maps.text, "libeatmydata") != NULL;
	free(maps.text);
	return loaded;
}

void mode_find(const struct roots *roots, const struct place *place, int32_t pid,
               struct mode_event *ret)
{
	struct search s = {.place = place, .source = ret->source, .size = sizeof(ret->source)};
	struct content arguments = {0};
	const char *mode = "", *preload = NULL;
	bool known;
	int said = -1, r = 0;

	*ret = (struct mode_event){0};
	content_read(&s.environment, roots, pid, "environ");
	content_read(&arguments, roots, pid, "cmdline");
	known = s.environment.len >= 0;
	if (known)
		preload = variable(&s.environment, "LD_PRELOAD");
	if (preload && !strstr(preload, "libeatmydata"))
		preload = NULL;
	if (arguments.len != 0 && known && has_eatmydata(roots, pid, preload)) {
		mode = "eatmydata";
		set_source(&s, preload ? "LD_PRELOAD" : "/etc/ld.so.preload");
	} else if ((r = find_said(&s, &arguments, &said)) >= 0) {
		mode = said == 1 ? "unsafe-io" : known ? "safe-io" : "";
	}
	if (*mode)
		memcpy(ret->mode, mode, strlen(mode) + 1);
	else if (r == -EFBIG || r == -E2BIG)
		set_source(&s, "too much configuration");
	else
		*ret->source = '\0';
	free(s.environment.text);
	free(arguments.text);
}
