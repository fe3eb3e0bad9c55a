/* recording_writer.c - frames into a file, as lines in zstd frames. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/recording.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "line.h"
#include "spool.h"

/* With what a busy disk may hold the writing up, that is less than the 5 s promised. */
#define FLUSH_NS INT64_C(3000000000)
#define END_NS   INT64_C(60000000000)

/* Samples repeat each other over and over, so a small window and small tables find what there is to
 * be found, in little memory (1.2 MiB) and at 110 MB/s. They do so only by matches that are not
 * short: two that begin anew cost more than the digits between them. */
static const struct {
	ZSTD_cParameter parameter;
	int value;
} parameters[] = {
	{ZSTD_c_windowLog, 17},   {ZSTD_c_hashLog, 15}, {ZSTD_c_chainLog, 15},
	{ZSTD_c_searchLog, 4},    {ZSTD_c_minMatch, 6}, {ZSTD_c_strategy, ZSTD_lazy2},
	{ZSTD_c_checksumFlag, 1},
};

struct recording_writer {
	char name[160]; /* for messages, printable */
	char *path;
	char *beside; /* its name until recording_commit(); NULL: it has its own */
	ZSTD_CCtx *context;
	struct spool *spool;
	struct line line;
	int error;
	int64_t flushed_ns, begun_ns; /* stamps of the last flush and of the zstd frame's begin */
	char out[16 * 1024];
};

int recording_error(const struct recording_writer *w)
{
	return w->error ? w->error : spool_error(w->spool);
}

/* --- the file ------------------------------------------------------------------------------ */

static int open_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int check_ours(const char *path, const char *name, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return err_set(e, -errno, "%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "%s: is no regular file, and so it is not replaced",
		               name);
	if (st.st_uid != geteuid())
		return err_set(e, -EPERM, "%s: belongs to somebody else, and so it is not replaced",
		               name);
	return 0;
}

/* Removed and not emptied: its other names, and who reads it, keep what they have. */
static int remove_ours(const char *path, const char *name, struct err *e)
{
	int r = check_ours(path, name, e);

	if (r < 0)
		return r;
	if (unlink(path) < 0)
		return err_set(e, -errno, "%s: %s", name, strerror(errno));
	return 0;
}

static int create(const char *path, const char *name, bool force, struct err *e)
{
	int fd = open_new(path), r;

	if (fd == -EEXIST && force) {
		r = remove_ours(path, name, e);
		if (r < 0)
			return r;
		fd = open_new(path);
	}
	if (fd == -EEXIST)
		return err_set(e, fd, "%s: is there already%s", name,
		               force ? "" : "; --force replaces it");
	return fd < 0 ? err_set(e, fd, "%s: %s", name, strerror(-fd)) : fd;
}

/* In the same folder, so that it can be renamed. */
static int create_beside(struct recording_writer *w, struct err *e)
{
	const char *slash = strrchr(w->path, '/');
	int r = check_ours(w->path, w->name, e), fd;

	if (r < 0)
		return r;
	if (asprintf(&w->beside, "%.*s.dpkgtop-XXXXXX", slash ? (int)(slash + 1 - w->path) : 0,
	             w->path) < 0)
		abort();
	fd = mkostemp(w->beside, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return err_set(e, -errno, "%s: %s", w->name, strerror(errno));
}

static void free_writer(struct recording_writer *w)
{
	free(w->path);
	free(w->beside);
	ZSTD_freeCCtx(w->context);
	line_done(&w->line);
	free(w);
}

static int open_writer(struct recording_writer **ret, const char *path, bool force, bool beside,
                       struct err *e)
{
	struct recording_writer *w = mem_new(1, sizeof(*w));
	int fd, r;

	text_printable_string(w->name, sizeof(w->name), path);
	w->flushed_ns = w->begun_ns = UNKNOWN_NS;
	line_init(&w->line);
	w->context = ZSTD_createCCtx();
	if (!w->context)
		abort();
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		ZSTD_CCtx_setParameter(w->context, parameters[i].parameter, parameters[i].value);
	w->path = strdup(path);
	if (!w->path)
		abort();
	r = fd = beside ? create_beside(w, e) : create(path, w->name, force, e);
	if (fd >= 0) {
		r = spool_new(&w->spool, fd);
		if (r < 0)
			err_set(e, r, "%s: no thread to write it: %s", w->name, strerror(-r));
	}
	if (r < 0) {
		free_writer(w);
		return r;
	}
	*ret = w;
	return 0;
}

int recording_create(struct recording_writer **ret, const char *path, bool force, struct err *e)
{
	return open_writer(ret, path, force, false, e);
}

int recording_create_beside(struct recording_writer **ret, const char *path, struct err *e)
{
	struct stat st;

	return open_writer(ret, path, false, lstat(path, &st) == 0, e);
}

int recording_commit(struct recording_writer *w, struct err *e)
{
	if (!w->beside)
		return 0;
	if (rename(w->beside, w->path) < 0)
		return err_set(e, -errno, "%s: %s; recorded to %s", w->name, strerror(errno),
		               w->beside);
	free(w->beside);
	w->beside = NULL;
	return 0;
}

void recording_discard(struct recording_writer *w)
{
	if (!w)
		return;
	unlink(w->beside ? w->beside : w->path);
	recording_close(w, NULL);
}

/* --- the frames ---------------------------------------------------------------------------- */

static void compress(struct recording_writer *w, const char *bytes, size_t len,
                     ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {bytes, len, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {w->out, sizeof(w->out), 0};

		left = ZSTD_compressStream2(w->context, &out, &in, how);
		if (ZSTD_isError(left)) {
			w->error = -ENOMEM;
			return;
		}
		spool_put(w->spool, out.dst, out.pos);
	} while (how == ZSTD_e_continue ? in.pos < in.size : left > 0);
}

/* After this frame: an end, a flush or nothing yet. A file that has its header can be told from
 * damage, and an upgrade that is over may be all that is wanted. */
static ZSTD_EndDirective due(struct recording_writer *w, const struct frame *f, int64_t now_ns)
{
	if (w->begun_ns == UNKNOWN_NS)
		w->flushed_ns = w->begun_ns = now_ns;
	if (now_ns - w->begun_ns >= END_NS)
		return ZSTD_e_end;
	if (now_ns - w->flushed_ns >= FLUSH_NS || f->kind == FRAME_HEADER ||
	    (f->kind == FRAME_EVENT && f->event->kind == EVENT_END))
		return ZSTD_e_flush;
	return ZSTD_e_continue;
}

void recording_take(void *writer, const struct frame *f)
{
	struct recording_writer *w = writer;
	int64_t now_ns = frame_time(f);
	ZSTD_EndDirective how;

	if (recording_error(w))
		return;
	if (line_make(&w->line, f) == 0)
		compress(w, w->line.text, w->line.len, ZSTD_e_continue);
	how = due(w, f, now_ns);
	if (how == ZSTD_e_continue)
		return;
	compress(w, NULL, 0, how);
	w->flushed_ns = now_ns;
	if (how == ZSTD_e_end)
		w->begun_ns = now_ns;
}

int recording_close(struct recording_writer *w, struct err *e)
{
	int r, closed;

	if (!w)
		return 0;
	r = recording_error(w);
	if (r == 0)
		compress(w, NULL, 0, ZSTD_e_end);
	if (r == 0)
		r = w->error;
	closed = spool_close(w->spool);
	if (r == 0)
		r = closed;
	if (r < 0)
		err_set(e, r, "%s: %s", w->name, r == -ENOBUFS ? "takes nothing" : strerror(-r));
	free_writer(w);
	return r;
}
