/* dpkglog.c - follows dpkg.log through rotation, truncation and absence. */
#include "dpkgtop/dpkglog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/mem.h"

#define LINE_ROOM 4096
#define CHUNK     32768
/* The present file and the three before it. A dpkg that outlives three rotations is none. */
#define FILES_MAX 4

#define WATCH_DIR                                                                                  \
	(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF |     \
	 IN_ONLYDIR)
#define WATCH_DIR_GONE (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)

struct log_file {
	int fd, watch;
	dev_t device;
	ino_t inode;
	off_t offset;
	bool in_midline; /* what comes up to the next newline began before us */
	bool too_long;   /* the same, but it is a line that was given up */
	size_t used;
	char line[LINE_ROOM];
};

struct dpkglog {
	int inotify, dir_watch;
	char *path, *dir;
	bool at_end; /* the next file found is not new: only what is added to it counts */
	int why;
	struct log_file files[FILES_MAX]; /* oldest first */
	size_t n_files;
	uint64_t skipped;
};

struct taker {
	const struct stamp *at;
	void (*take)(void *context, const struct event *e);
	void *context;
	int taken;
};

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = mem_copy_text(slash ? path : ".");

	if (slash)
		dir[slash == path ? 1 : slash - path] = '\0';
	return dir;
}

static void file_close(struct dpkglog *l, struct log_file *f)
{
	if (f->watch >= 0)
		inotify_rm_watch(l->inotify, f->watch);
	close(f->fd);
}

static bool file_is_followed(const struct dpkglog *l, const struct stat *st)
{
	for (size_t i = 0; i < l->n_files; i++)
		if (l->files[i].device == st->st_dev && l->files[i].inode == st->st_ino)
			return true;
	return false;
}

static void file_start_at_end(struct log_file *f, off_t size)
{
	char last = '\n';

	f->offset = size;
	f->in_midline = size > 0 && pread(f->fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* Takes the opened `fd` as the newest file; the oldest goes when there are too many. */
static void file_add(struct dpkglog *l, int fd, const struct stat *st)
{
	char self[32];
	struct log_file *f;

	if (l->n_files == FILES_MAX) {
		l->skipped += l->files[0].used > 0;
		file_close(l, &l->files[0]);
		memmove(l->files, l->files + 1, sizeof(*l->files) * (FILES_MAX - 1));
		l->n_files--;
	}
	f = &l->files[l->n_files++];
	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->device = st->st_dev;
	f->inode = st->st_ino;
	/* By the descriptor, since the name may be another file's by now. */
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	f->watch = inotify_add_watch(l->inotify, self, IN_MODIFY);
	if (l->at_end)
		file_start_at_end(f, st->st_size);
	l->at_end = false;
}

static int file_open(struct dpkglog *l)
{
	int fd = open(l->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	else if (!file_is_followed(l, &st)) {
		file_add(l, fd, &st);
		return 0;
	}
	close(fd);
	return r;
}

/* Looks what stands at the path now. Asked at each read, not only after an inotify event: a
 * symlink's target, or a directory above, can change unseen. stat(2) comes before open(2), since
 * already the opening of a FIFO would be noticed by who writes to it. */
static void look_again(struct dpkglog *l)
{
	struct stat st;

	if (l->dir_watch < 0)
		l->dir_watch = inotify_add_watch(l->inotify, l->dir, WATCH_DIR);
	if (stat(l->path, &st) < 0)
		l->why = -errno;
	else if (!S_ISREG(st.st_mode))
		l->why = -EINVAL;
	else if (file_is_followed(l, &st))
		l->why = 0;
	else
		l->why = file_open(l);
	/* What comes after nothing, or after no log, is new from its first byte; what could not be
	 * read for lack of permission is not. */
	if (l->why == -ENOENT || l->why == -ENOTDIR || l->why == -EINVAL)
		l->at_end = false;
}

int dpkglog_open(struct dpkglog **ret, const char *path, bool from_start, struct err *e)
{
	struct dpkglog *l;
	int r;

	if (!*path)
		return err_set(e, -EINVAL, "The log has no name");
	l = mem_new(1, sizeof(*l));
	l->dir_watch = -1;
	l->at_end = !from_start;
	l->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* Instances are limited for each user (inotify(7)); without one there is still the tick. */
	if (l->inotify < 0)
		l->inotify = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (l->inotify < 0) {
		r = -errno;
		free(l);
		return err_set(e, r, "Can not follow %s: %s", path, strerror(-r));
	}
	l->path = mem_copy_text(path);
	l->dir = directory_of(path);
	look_again(l);
	*ret = l;
	return 0;
}

void dpkglog_close(struct dpkglog *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_files; i++)
		file_close(l, &l->files[i]);
	close(l->inotify);
	free(l->path);
	free(l->dir);
	free(l);
}

int dpkglog_fd(const struct dpkglog *l)
{
	return l->inotify;
}

int dpkglog_why(const struct dpkglog *l)
{
	return l->why;
}

uint64_t dpkglog_skipped(const struct dpkglog *l)
{
	return l->skipped;
}

static void line_append(struct log_file *f, const char *part, size_t len)
{
	if (f->in_midline || f->too_long)
		return;
	if (len > sizeof(f->line) - f->used) {
		f->too_long = true;
		f->used = 0;
		return;
	}
	memcpy(f->line + f->used, part, len);
	f->used += len;
}

static void line_end(struct dpkglog *l, struct log_file *f, struct taker *t)
{
	struct event e = {.at = *t->at};

	if (f->in_midline) {
		f->in_midline = false;
	} else if (f->too_long || dpkglog_parse_line(f->line, f->used, &e) < 0) {
		l->skipped++;
	} else {
		t->take(t->context, &e);
		t->taken++;
	}
	f->too_long = false;
	f->used = 0;
}

static void file_feed(struct dpkglog *l, struct log_file *f, const char *chunk, size_t len,
                      struct taker *t)
{
	while (len) {
		const char *newline = memchr(chunk, '\n', len);
		size_t part = newline ? (size_t)(newline - chunk) : len;

		line_append(f, chunk, part);
		if (!newline)
			return;
		line_end(l, f, t);
		chunk += part + 1;
		len -= part + 1;
	}
}

/* Reads as far as the file went when asked: a writer that never rests must not keep us here. */
static int file_read(struct dpkglog *l, struct log_file *f, struct taker *t)
{
	char chunk[CHUNK];
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (st.st_size < f->offset) {
		/* logrotate's copytruncate */
		l->skipped += f->used > 0 || f->too_long;
		f->offset = 0;
		f->used = 0;
		f->in_midline = f->too_long = false;
	}
	while (f->offset < st.st_size) {
		off_t left = st.st_size - f->offset;
		ssize_t n = pread(f->fd, chunk, left < CHUNK ? (size_t)left : CHUNK, f->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		f->offset += n;
		file_feed(l, f, chunk, (size_t)n, t);
	}
	return 0;
}

/* Empties the queue. Its events say only that looking is worth while; what is there is asked of
 * the files themselves. */
static void drain(struct dpkglog *l)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t n;

	/* A bound, so that a busy directory can not hold us; the rest wakes the loop again. */
	for (int i = 0; i < 64 && (n = read(l->inotify, buf, sizeof(buf))) > 0; i++) {
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *e = (const struct inotify_event *)p;

			if (e->wd == l->dir_watch && e->mask & WATCH_DIR_GONE) {
				inotify_rm_watch(l->inotify, l->dir_watch);
				l->dir_watch = -1;
			}
			p += sizeof(*e) + e->len;
		}
	}
}

int dpkglog_read(struct dpkglog *l, const struct stamp *at,
                 void (*take)(void *context, const struct event *e), void *context)
{
	struct taker t = {.at = at, .take = take, .context = context};
	int r = 0;

	drain(l);
	look_again(l);
	for (size_t i = 0; i < l->n_files; i++) {
		int failed = file_read(l, &l->files[i], &t);

		if (failed < 0 && !r)
			r = failed;
	}
	return t.taken || !r ? t.taken : r;
}
