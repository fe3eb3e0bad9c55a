/* mountinfo.c - which mount a path is on. */
#include "mountinfo.h"

#include "dpkgtop/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mounts {
	struct mount *items;
	size_t count, room;
};

static bool octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' &&
	       s[2] <= '7';
}

/* Space, tab, newline and backslash are written as \ooo (proc(5), fstab(5)). */
static char *unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (*from == '\\' && octal(from + 1)) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return text;
}

/* id parent major:minor root mount_point options [optional …] - filesystem source super_options */
static bool parse_line(char *line, struct mount *ret)
{
	char *words[6], *rest = line, *word;
	size_t n = 0;

	while (n < 6 && (word = strsep(&rest, " ")))
		words[n++] = word;
	if (n < 6 || sscanf(words[2], "%u:%u", &ret->major, &ret->minor) != 2)
		return false;
	ret->id = atoi(words[0]);
	ret->parent = atoi(words[1]);
	ret->mount_point = unescape(words[4]);
	ret->options = words[5];
	while ((word = strsep(&rest, " ")) && strcmp(word, "-") != 0)
		;
	if (!word)
		return false;
	ret->filesystem = strsep(&rest, " ");
	word = rest ? strsep(&rest, " ") : NULL;
	if (!word || !rest)
		return false;
	ret->source = unescape(word);
	ret->super_options = rest;
	return true;
}

static void parse(char *text, struct mounts *m)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		m->items = mem_grow(m->items, &m->room, m->count + 1, sizeof(*m->items));
		if (parse_line(line, &m->items[m->count]))
			m->count++;
	}
}

/* Whether `path` is `directory` or below it. */
static bool holds(const char *directory, const char *path)
{
	size_t len = strlen(directory);

	if (len == 1) /* "/" */
		return true;
	return strncmp(directory, path, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Whether nothing lists the mount that `mount` is mounted on: the root of the tree, or, in a
 * chroot, whatever is mounted below it. */
static bool is_top(const struct mounts *m, const struct mount *mount)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i].id == mount->parent && &m->items[i] != mount)
			return false;
	return true;
}

/* The mount that a walk down `path` enters first from `parent` (NULL: from outside). */
static const struct mount *step(const struct mounts *m, const struct mount *parent,
                                const char *path)
{
	const struct mount *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct mount *at = &m->items[i];

		if (at == parent || !holds(at->mount_point, path))
			continue;
		if (best && strlen(at->mount_point) >= strlen(best->mount_point))
			continue;
		if (parent ? at->parent == parent->id : is_top(m, at))
			best = at;
	}
	return best;
}

int mountinfo_find(char *text, const char *path, struct mount *ret)
{
	const struct mount *at = NULL, *next;
	struct mounts m = {0};
	size_t steps = 0;

	parse(text, &m);
	/* Ids of a damaged text could lead around in a circle. */
	while (steps++ <= m.count && (next = step(&m, at, path)))
		at = next;
	if (at)
		*ret = *at;
	free(m.items);
	return at ? 0 : -ENOENT;
}
