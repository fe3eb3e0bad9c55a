/* space.c - the room on the filesystems that an upgrade writes to. */
#include "dpkgtop/place.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <unistd.h>

/* dpkg unpacks to these, where they are filesystems of their own. No others are asked: an upgrade
 * does not fill them, and a network filesystem that does not answer would hold us up. */
static const char *const paths[SPACES_MAX] = {"/", "/usr", "/var", "/boot"};

struct filesystem {
	dev_t device;
	struct statfs room;
};

struct space_source {
	struct filesystem seen[SPACES_MAX];
};

static int space_open(void *self, const struct roots *roots, struct err *e)
{
	(void)self;
	(void)roots;
	(void)e;
	return 0;
}

/* The directory's descriptor, or -errno. */
static int open_on(const struct place *place, const char *path, struct filesystem *ret)
{
	int fd = place_open_directory(place, path), r;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) != 0 || fstatfs(fd, &ret->room) != 0) {
		r = -errno;
		close(fd);
		return r;
	}
	ret->device = st.st_dev;
	return fd;
}

static int look(const struct place *place, const char *path, struct filesystem *ret)
{
	int fd = open_on(place, path, ret);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Subvolumes of one btrfs have device numbers and filesystem ids of their own, but share the
 * room. */
static bool same(const struct filesystem *a, const struct filesystem *b)
{
	return a->device == b->device ||
	       (a->room.f_type == BTRFS_SUPER_MAGIC && b->room.f_type == BTRFS_SUPER_MAGIC &&
	        a->room.f_blocks == b->room.f_blocks && a->room.f_bfree == b->room.f_bfree);
}

static uint64_t kib(const struct statfs *s, uint64_t blocks)
{
	uint64_t unit = (uint64_t)(s->f_frsize ? s->f_frsize : s->f_bsize), bytes;

	return __builtin_mul_overflow(blocks, unit, &bytes) ? UNKNOWN_U64 : bytes / 1024;
}

static void add(struct sample *into, const char *path, const struct statfs *s)
{
	struct space_counters *c = sample_add_space(into);

	snprintf(c->path, sizeof(c->path), "%s", path);
	c->total_kib = kib(s, s->f_blocks);
	/* As df(1) has it: what is reserved need not be for root, nor be free to it. */
	c->free_kib = kib(s, s->f_bavail);
}

static int space_read(void *self, const struct target *target, struct sample *into)
{
	struct space_source *s = self;
	int first = 0;

	into->n_spaces = 0;
	for (size_t i = 0; i < SPACES_MAX; i++) {
		struct filesystem *at = &s->seen[into->n_spaces];
		int r = look(target->place, paths[i], at);
		size_t before = 0;

		if (r) {
			if (!first)
				first = r;
			continue;
		}
		/* An automount that nobody has used yet, or a tmpfs without a limit. */
		if (at->room.f_blocks == 0)
			continue;
		while (before < into->n_spaces && !same(&s->seen[before], at))
			before++;
		if (before == into->n_spaces)
			add(into, paths[i], &at->room);
	}
	return into->n_spaces ? 0 : first ? first : -ENODATA;
}

size_t space_directories(const struct place *place, int ret[SPACES_MAX])
{
	struct filesystem seen[SPACES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < SPACES_MAX; i++) {
		int fd = open_on(place, paths[i], &seen[count]), readable;
		size_t before = 0;

		if (fd < 0)
			continue;
		while (before < count && !same(&seen[before], &seen[count]))
			before++;
		/* syncfs(2) takes none that is opened as a path alone. */
		readable = before < count || seen[count].room.f_blocks == 0
		                   ? -1
		                   : openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		if (readable >= 0)
			ret[count++] = readable;
	}
	return count;
}

static void space_close(void *self)
{
	(void)self;
}

const struct source_ops source_space = {
	.name = "space",
	.group = GROUP_SPACE,
	.size = sizeof(struct space_source),
	.open = space_open,
	.read = space_read,
	.close = space_close,
};
