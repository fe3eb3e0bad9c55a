/* mountinfo.c - the mounts of a process. */
#include "mountinfo.h"

#include "dpkgtop/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int mount_key_of(int fd, struct mount_key *ret)
{
	struct statx sx;
	struct stat st;

	/* Not asked of a server: the numbers do not change, and it might not answer. */
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MNT_ID, &sx) ==
	    0) {
		*ret = (struct mount_key){
			.id = sx.stx_mask & STATX_MNT_ID ? sx.stx_mnt_id : 0,
			.major = sx.stx_dev_major,
			.minor = sx.stx_dev_minor,
		};
		return 0;
	}
	/* Old containers forbid statx(2). */
	if (fstat(fd, &st) != 0)
		return -errno;
	*ret = (struct mount_key){.major = major(st.st_dev), .minor = minor(st.st_dev)};
	return 0;
}

static bool octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' &&
	       s[2] <= '7';
}

/* Space, tab, newline and backslash are written as \ooo (proc(5), fstab(5)). */
char *mountinfo_unescape(char *text)
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
	if (n < 6 || sscanf(words[0], "%" SCNu64, &ret->id) != 1 ||
	    sscanf(words[2], "%u:%u", &ret->major, &ret->minor) != 2)
		return false;
	ret->mount_point = mountinfo_unescape(words[4]);
	ret->options = words[5];
	while ((word = strsep(&rest, " ")) && strcmp(word, "-") != 0)
		;
	if (!word)
		return false;
	ret->filesystem = strsep(&rest, " ");
	word = rest ? strsep(&rest, " ") : NULL;
	if (!word || !rest)
		return false;
	ret->source = mountinfo_unescape(word);
	ret->super_options = rest;
	return true;
}

int mountinfo_read(struct mountinfo *m, const struct roots *roots, int32_t pid)
{
	char path[32] = "self/mountinfo", *rest, *line;
	ssize_t len;

	m->count = 0;
	if (pid > 0)
		snprintf(path, sizeof(path), "%" PRId32 "/mountinfo", pid);
	len = roots_read_whole(roots->proc, path, &m->text, &m->text_room);
	if (len < 0)
		return (int)len;
	rest = m->text;
	while ((line = strsep(&rest, "\n"))) {
		m->items = mem_grow(m->items, &m->items_room, m->count + 1, sizeof(*m->items));
		if (parse_line(line, &m->items[m->count]))
			m->count++;
	}
	return 0;
}

void mountinfo_done(struct mountinfo *m)
{
	free(m->items);
	free(m->text);
	*m = (struct mountinfo){0};
}

const struct mount *mountinfo_by_id(const struct mountinfo *m, uint64_t id)
{
	for (size_t i = 0; id && i < m->count; i++)
		if (m->items[i].id == id)
			return &m->items[i];
	return NULL;
}

/* How much of `path` the directory is: its length if `path` is in it, else 0. */
static size_t holds(const char *directory, const char *path)
{
	size_t len = strlen(directory);

	if (len == 1) /* "/" */
		return 1;
	return strncmp(directory, path, len) == 0 && (path[len] == '/' || path[len] == '\0') ? len
	                                                                                     : 0;
}

const struct mount *mountinfo_by_device(const struct mountinfo *m, const struct mount_key *key,
                                        const char *path)
{
	const struct mount *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct mount *at = &m->items[i];
		size_t part = holds(at->mount_point, path);

		if (at->major != key->major || at->minor != key->minor || (best && part <= most))
			continue;
		best = at;
		most = part;
	}
	return best;
}
