/* recording_reader.c - frames out of a file, compressed or plain. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/record.h"
#include "dpkgtop/recording.h"
#include "dpkgtop/text.h"

#define WINDOW_LOG_MAX 23 /* 8 MiB */

struct recording {
	int fd;
	char name[160]; /* for messages, printable */
	FILE *lines;    /* decompressed */
	struct record_reader *reader;
	ZSTD_DCtx *context; /* NULL: plain lines */
	ZSTD_inBuffer in;
	bool ended;  /* the file */
	bool within; /* a zstd frame */
	bool cut;
	struct err detail; /* of `error` */
	int error;         /* what reading `lines` failed with */
	char bytes[32 * 1024];
};

static int fail(struct recording *r, int error, const char *why)
{
	r->error = err_set(&r->detail, error, "%s: %s", r->name, why);
	return r->error;
}

/* More of the file into `in`, which is used up. */
static int fill(struct recording *r, size_t most)
{
	ssize_t n;

	do {
		n = read(r->fd, r->bytes + r->in.size, most - r->in.size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(r, -errno, strerror(errno));
	r->in.size += (size_t)n;
	r->ended = n == 0;
	return 0;
}

static ssize_t take_plain(struct recording *r, char *to, size_t size)
{
	size_t n = r->in.size - r->in.pos;

	if (n > size)
		n = size;
	memcpy(to, r->bytes + r->in.pos, n);
	r->in.pos += n;
	return (ssize_t)n;
}

/* What the bytes at hand give, which may be nothing; -1 where they are damaged. */
static ssize_t decompress(struct recording *r, char *to, size_t size)
{
	ZSTD_outBuffer out = {to, size, 0};
	size_t left = ZSTD_decompressStream(r->context, &out, &r->in);

	if (ZSTD_isError(left)) {
		fail(r, -EBADMSG, ZSTD_getErrorName(left));
		return -1;
	}
	r->within = left > 0;
	return (ssize_t)out.pos;
}

/* fopencookie(3)'s read. */
static ssize_t read_lines(void *self, char *to, size_t size)
{
	struct recording *r = self;
	ssize_t n = 0;

	while (n == 0 && !r->error) {
		bool used_up = r->in.pos == r->in.size;

		if (used_up && !r->ended) {
			r->in.pos = r->in.size = 0;
			fill(r, sizeof(r->bytes));
			continue;
		}
		if (used_up && !r->within)
			return 0;
		n = r->context ? decompress(r, to, size) : take_plain(r, to, size);
		/* The file has ended and the frame has not. */
		if (n == 0 && used_up) {
			r->cut = true;
			return 0;
		}
	}
	if (!r->error)
		return n;
	errno = EIO;
	return -1;
}

/* By its first bytes; so few that they only begin the magic number are a file cut off. */
static int tell_kind(struct recording *r)
{
	static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	int result = 0;

	while (result == 0 && !r->ended && r->in.size < sizeof(magic))
		result = fill(r, sizeof(magic));
	if (result < 0)
		return result;
	r->ended = false;
	if (r->in.size == 0 || (r->bytes[0] && strchr("{ \t\r\n", r->bytes[0])))
		return 0;
	if (memcmp(r->bytes, magic, r->in.size) != 0)
		return fail(r, -EBADMSG, "not a dpkgtop recording");
	r->context = ZSTD_createDCtx();
	if (!r->context)
		abort();
	ZSTD_DCtx_setParameter(r->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	return 0;
}

int recording_open(struct recording **ret, const char *path, struct err *e)
{
	bool standard = strcmp(path, "-") == 0;
	struct recording *r = mem_new(1, sizeof(*r));
	int result;

	text_printable_string(r->name, sizeof(r->name), standard ? "standard input" : path);
	r->in.src = r->bytes;
	r->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
	                 : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	result = r->fd < 0 ? fail(r, -errno, strerror(errno)) : tell_kind(r);
	if (result < 0) {
		err_set(e, result, "%s", r->detail.text);
		recording_free(r);
		return result;
	}
	r->lines = fopencookie(r, "r", (cookie_io_functions_t){.read = read_lines});
	if (!r->lines)
		abort();
	r->reader = record_reader_new(r->lines, r->name);
	*ret = r;
	return 0;
}

int recording_read(struct recording *r, struct frame *ret, struct err *e)
{
	int result = record_read(r->reader, ret, e);

	return result == -EIO && r->error ? err_set(e, r->error, "%s", r->detail.text) : result;
}

bool recording_cut(const struct recording *r)
{
	return r->cut || record_reader_cut(r->reader);
}

bool recording_headless(const struct recording *r)
{
	return record_reader_headless(r->reader);
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	record_reader_free(r->reader);
	if (r->lines)
		fclose(r->lines);
	ZSTD_freeDCtx(r->context);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}
