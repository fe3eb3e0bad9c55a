/* disk.c - the counters of the disks, from /proc/diskstats. */
#include "dpkgtop/diskstats.h"
#include "dpkgtop/source.h"

#include <stdlib.h>
#include <unistd.h>

struct disk_source {
	int proc; /* borrowed from the roots */
	int file; /* -1: not kept open */
	char *buf;
	size_t room;
};

static int disk_open(void *self, const struct roots *roots, struct err *e)
{
	struct disk_source *s = self;

	(void)e;
	s->proc = roots->proc;
	s->file = -1;
	return 0;
}

static int disk_read(void *self, const struct target *target, struct sample *into)
{
	struct disk_source *s = self;
	ssize_t len = roots_read_kept(&s->file, s->proc, "diskstats", &s->buf, &s->room);

	(void)target;
	if (len < 0)
		return (int)len;
	into->n_disks = 0;
	diskstats_parse(s->buf, (size_t)len, into);
	return 0;
}

static void disk_close(void *self)
{
	struct disk_source *s = self;

	if (s->file >= 0)
		close(s->file);
	free(s->buf);
}

const struct source_ops source_disk = {
	.name = "disk",
	.group = GROUP_DISKS,
	.size = sizeof(struct disk_source),
	.open = disk_open,
	.read = disk_read,
	.close = disk_close,
};
