/* dpkglog_file.c - the lines of one file of a dpkg.log. */
#include "dpkglog_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/mem.h"

#define CHUNK 32768
/* The first look back; a run that began long ago takes a second and a third. */
#define LOOK_FIRST (128 << 10)
#define LOOK_MORE  8

void log_file_start_at_end(struct log_file *f, const struct stat *st)
{
	char last = '\n';

	f->offset = st->st_size;
	f->in_midline =
		st->st_size > 0 && pread(f->fd, &last, 1, st->st_size - 1) == 1 && last != '\n';
}

/* --- where a run began ---------------------------------------------------------------------- */

/* Looks from the end for the last line stamped before `since`. Not for the first one after: a
 * clock that was wrong for a while has left lines of the future, and what a run writes after its
 * clock was set back is still after its beginning in that clock. Returns where the line behind it
 * begins; -1 none. */
static ssize_t find_start(struct log_file *f, const char *text, size_t len, int64_t since,
                          int64_t changed)
{
	const char *end = memrchr(text, '\n', len);
	int64_t next = changed;
	bool learned = false;

	while (end) {
		const char *before = memrchr(text, '\n', (size_t)(end - text));
		const char *line = before ? before + 1 : text;
		size_t line_len = (size_t)(end - line);
		struct log_instant i;

		learned = learned || log_clock_learn(&f->clock, line, line_len, changed);
		if (log_clock_read(&f->clock, line, line_len, &i)) {
			next = i.second <= next ? i.second : i.first;
			if (next < since)
				return end + 1 - text;
		}
		end = before;
	}
	return -1;
}

/* The `size` bytes before `end`, as many as there are now. */
static size_t read_back(int fd, char *text, size_t size, off_t end)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = pread(fd, text + len, size - len, end - (off_t)(size - len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return len;
}

/* One look at the last `size` bytes; whether it is the last. */
static bool look_back(struct log_file *f, const struct stat *st, int64_t since, size_t size)
{
	bool cut = st->st_size > (off_t)size;
	size_t room = cut ? size : (size_t)st->st_size;
	off_t base = st->st_size - (off_t)room;
	char *text = mem_new(room + 1, 1);
	size_t len = read_back(f->fd, text, room, st->st_size);
	/* A first line that is cut off is none. */
	const char *newline = cut ? memchr(text, '\n', len) : NULL;
	size_t skip = newline ? (size_t)(newline + 1 - text) : cut ? len : 0;
	ssize_t start = find_start(f, text + skip, len - skip, since, st->st_mtim.tv_sec);

	free(text);
	f->offset = base + (off_t)skip + (start > 0 ? start : 0);
	f->in_midline = cut && !newline;
	return start >= 0 || !cut;
}

void log_file_start_since(struct log_file *f, const struct stat *st, int64_t since)
{
	size_t size = LOOK_FIRST;

	f->old = st->st_size;
	while (!look_back(f, st, since, size) && size < LOG_MOST)
		size = size * LOOK_MORE < LOG_MOST ? size * LOOK_MORE : LOG_MOST;
}

/* --- reading on ------------------------------------------------------------------------------ */

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

static void line_end(struct log_file *f, off_t newline, log_line_fn take, void *context,
                     uint64_t *skipped)
{
	if (f->in_midline)
		f->in_midline = false;
	else if (f->too_long || !take(context, f, newline < f->old))
		(*skipped)++;
	f->too_long = false;
	f->used = 0;
}

/* Gives up what is before `offset`. */
static void file_jump(struct log_file *f, off_t offset, uint64_t *skipped)
{
	*skipped += f->used > 0 || f->too_long;
	f->offset = offset;
	f->used = 0;
	f->in_midline = f->too_long = false;
}

static void file_feed(struct log_file *f, const char *chunk, size_t len, log_line_fn take,
                      void *context, uint64_t *skipped)
{
	const char *at = chunk, *end = chunk + len, *newline;

	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		line_append(f, at, (size_t)(newline - at));
		line_end(f, f->offset + (newline - chunk), take, context, skipped);
		at = newline + 1;
	}
	line_append(f, at, (size_t)(end - at));
	f->offset += (off_t)len;
}

/* Reads as far as the file went when asked: a writer that never rests must not keep us here. Nor
 * must one that has made the file very long at one stroke, with a hole in it. */
int log_file_read(struct log_file *f, log_line_fn take, void *context, uint64_t *skipped)
{
	char chunk[CHUNK];
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (st.st_size < f->offset) {
		/* logrotate's copytruncate */
		file_jump(f, 0, skipped);
		f->old = 0;
	}
	if (st.st_size - f->offset > LOG_MOST) {
		f->too_long = true; /* whatever is there, it counts as one */
		file_jump(f, st.st_size - LOG_MOST, skipped);
		f->in_midline = true;
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
		file_feed(f, chunk, (size_t)n, take, context, skipped);
	}
	return 0;
}
