/* dpkglog.c - follows dpkg.log through rotation, truncation and absence. */
#include "dpkgtop/dpkglog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "dpkglog_file.h"
#include "dpkgtop/mem.h"

#define SECOND 1000000000
/* Where nothing was told, what stands at the path is looked at so often. */
#define LOOK_NS (SECOND / 2)

/* The present file and the three before it. A dpkg that outlives three rotations is none. */
#define FILES_MAX 4

#define WATCH_DIR                                                                                  \
	(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF |     \
	 IN_ONLYDIR)
#define WATCH_DIR_GONE (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)

/* An event with the longest name (inotify(7)). */
#define EVENT_MOST ((ssize_t)sizeof(struct inotify_event) + NAME_MAX + 1)

struct dpkglog {
	int inotify, dir_watch;
	const struct place *place;
	char *path, *dir;
	enum dpkglog_from from; /* in the next file that is found */
	int64_t since;
	int64_t last; /* when the latest of the lines from before us was written, ns */
	int why;
	int64_t looked_ns;                /* CLOCK_MONOTONIC */
	struct log_file files[FILES_MAX]; /* oldest first */
	size_t n_files;
	uint64_t skipped;
};

struct taker {
	struct dpkglog *log;
	const struct stamp *at;
	void (*take)(void *context, const struct event *e);
	void *context;
	int taken;
};

/* Rounded down, as stamps are. */
static int64_t seconds_of(int64_t ns)
{
	return ns / SECOND - (ns % SECOND < 0);
}

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
	if (l->from == DPKGLOG_END)
		log_file_start_at_end(f, st);
	if (l->from == DPKGLOG_SINCE)
		log_file_start_since(f, st, seconds_of(l->since));
}

/* Follows what stands at `path`, if it is not followed yet. Nearly always it is: then nothing need
 * be opened. A file that is followed keeps its inode number, so no other can be taken for it. */
static int path_follow(struct dpkglog *l, const char *path, int64_t changed_since)
{
	struct stat st;
	int r = place_stat(l->place, path, &st), fd;

	if (r < 0 || file_is_followed(l, &st))
		return r;
	fd = place_open(l->place, path, &st);
	if (fd < 0)
		return fd;
	if (file_is_followed(l, &st) || st.st_mtim.tv_sec < changed_since)
		close(fd);
	else
		file_add(l, fd, &st);
	return 0;
}

/* By a descriptor: inotify would follow the symlinks of a foreign root to our own files. */
static int directory_watch(struct dpkglog *l)
{
	char self[32];
	int fd = place_open_directory(l->place, l->dir);
	int watch;

	if (fd < 0)
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	watch = inotify_add_watch(l->inotify, self, WATCH_DIR);
	close(fd);
	return watch;
}

/* Looks what stands at the path now. */
static void look_again(struct dpkglog *l, int64_t now_ns)
{
	l->looked_ns = now_ns;
	if (l->dir_watch < 0)
		l->dir_watch = directory_watch(l);
	l->why = path_follow(l, l->path, INT64_MIN);
	/* What comes after a log, after nothing, or after no log, is new from its first byte; what
	 * could not be read for lack of permission is not. */
	if (l->why == 0 || l->why == -ENOENT || l->why == -ENOTDIR || l->why == -EINVAL ||
	    l->why == -ELOOP)
		l->from = DPKGLOG_START;
}

/* The run may have begun before a rotation; logrotate leaves the last file uncompressed
 * (delaycompress in dpkg's logrotate.d), and a dpkg from before it goes on writing there. */
static void look_at_rotated(struct dpkglog *l)
{
	size_t size = strlen(l->path) + sizeof(".1");
	char *rotated = mem_new(size, 1);

	snprintf(rotated, size, "%s.1", l->path);
	path_follow(l, rotated, seconds_of(l->since));
	free(rotated);
}

int dpkglog_open(struct dpkglog **ret, const struct place *place, const char *path,
                 enum dpkglog_from from, int64_t since, struct err *e)
{
	struct dpkglog *l;
	int r;

	if (!*path)
		return err_set(e, -EINVAL, "The log has no name");
	l = mem_new(1, sizeof(*l));
	l->place = place;
	l->dir_watch = -1;
	l->from = from;
	l->since = l->last = since;
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
	if (from == DPKGLOG_SINCE)
		look_at_rotated(l);
	look_again(l, 0);
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

/* How long before `at` the line was written, as its stamp says. Time does not go back between two
 * lines of a log, whatever their stamps do; of an hour that summer time's end repeats, the reading
 * that fits is taken. */
static int64_t line_ago(struct dpkglog *l, struct log_file *f, const struct stamp *at)
{
	int64_t now = seconds_of(at->real_ns), last = seconds_of(l->last);
	struct log_instant i;

	if (log_clock_read(&f->clock, f->line, f->used, &i)) {
		int64_t when = i.first >= last ? i.first : i.second;

		/* Seconds first: a stamp may be beyond what fits in ns. */
		when = when > now ? now : when;
		if (when > last)
			l->last = when * SECOND;
	}
	return l->last < at->real_ns ? at->real_ns - l->last : 0;
}

static bool line_take(void *context, struct log_file *f, bool old)
{
	struct taker *t = context;
	struct event e = {.at = *t->at};

	if (dpkglog_parse_line(f->line, f->used, &e) < 0)
		return false;
	if (old)
		e.package.ago_ns = line_ago(t->log, f, t->at);
	t->take(t->context, &e);
	t->taken++;
	return true;
}

/* True if the event tells that a file has grown. */
static bool event_take(struct dpkglog *l, const struct inotify_event *e)
{
	if (e->wd == l->dir_watch && e->mask & WATCH_DIR_GONE) {
		inotify_rm_watch(l->inotify, l->dir_watch);
		l->dir_watch = -1;
	}
	return e->mask == IN_MODIFY && e->wd != l->dir_watch;
}

enum told { TOLD_NOTHING, TOLD_GROWN, TOLD_OTHER };

/* Empties the queue. Its events say only that looking is worth while; what is there is asked of
 * the files themselves. TOLD_GROWN: all of them tell that a file has grown. */
static enum told drain(struct dpkglog *l)
{
	_Alignas(struct inotify_event) char buf[4096];
	enum told told = TOLD_NOTHING;
	ssize_t n = sizeof(buf);

	/* Where one more would have had room, none was left; were it not so, the rest wakes the
	 * loop again. A bound, so that a busy directory can not hold us. */
	for (int i = 0; i < 64 && n > (ssize_t)sizeof(buf) - EVENT_MOST; i++) {
		n = read(l->inotify, buf, sizeof(buf));
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *e = (const struct inotify_event *)p;

			if (!event_take(l, e))
				told = TOLD_OTHER;
			else if (told == TOLD_NOTHING)
				told = TOLD_GROWN;
			p += sizeof(*e) + e->len;
		}
	}
	return told;
}

/* Whether to look what stands at the path: not only after an inotify event, for a symlink's target,
 * or a directory above, can change unseen; but not where all that is told is that a line was
 * written, many times a second, nor at once where nothing was told of a log that is well. */
static bool should_look(const struct dpkglog *l, enum told told, int64_t now_ns)
{
	bool well = l->why == 0 && l->dir_watch >= 0;

	return told == TOLD_OTHER ||
	       (told == TOLD_NOTHING && (!well || now_ns - l->looked_ns >= LOOK_NS));
}

int dpkglog_read(struct dpkglog *l, const struct stamp *at,
                 void (*take)(void *context, const struct event *e), void *context)
{
	struct taker t = {.log = l, .at = at, .take = take, .context = context};
	int r = 0;

	if (should_look(l, drain(l), at->mono_ns))
		look_again(l, at->mono_ns);
	for (size_t i = 0; i < l->n_files; i++) {
		int failed = log_file_read(&l->files[i], line_take, &t, &l->skipped);

		if (failed < 0 && !r)
			r = failed;
	}
	return t.taken || !r ? t.taken : r;
}
