/* summary.c - what a command that ran is told by. */
#include "summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/report.h"

static bool is_fifo(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* A FIFO that nobody reads would be waited for, and the command with it. */
static int open_without_waiting(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	int flags;

	if (fd < 0)
		return -errno;
	flags = fcntl(fd, F_GETFL);
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	return fd;
}

int summary_open(struct summary *s, struct err *e)
{
	int fd;

	if (!s->path)
		return 0;
	fd = open_without_waiting(s->path);
	if (fd == -ENXIO && is_fifo(s->path))
		return err_set(e, fd, "%s: is a FIFO that nobody reads", s->path);
	if (fd < 0)
		return err_set(e, fd, "%s: %s", s->path, strerror(-fd));
	s->out = fdopen(fd, "w");
	if (!s->out)
		abort();
	return 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool stat_folder(const char *path, struct stat *ret)
{
	char *folder = strndup(path, (size_t)(last_part(path) - path));
	int r;

	if (!folder)
		abort();
	r = stat(*folder ? folder : ".", ret);
	free(folder);
	return r == 0;
}

bool summary_is_in(const struct summary *s, const char *path)
{
	struct stat a, b;

	if (stat(s->path, &a) == 0 && stat(path, &b) == 0)
		return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	return strcmp(last_part(s->path), last_part(path)) == 0 && stat_folder(s->path, &a) &&
	       stat_folder(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void write_model(const struct model *m, const char *name, bool json, FILE *out)
{
	const struct report_run run = {.model = m, .name = name};

	if (json)
		report_json(&run, out);
	else
		report_text(m, out);
}

static void write_file(struct summary *s, const struct model *m, const char *name)
{
	int failure = 0;

	/* What is no regular file has nothing to be emptied of. */
	if (ftruncate(fileno(s->out), 0) < 0 && errno != EINVAL)
		failure = errno;
	else
		write_model(m, name, s->json, s->out);
	if (fclose(s->out) != 0 && failure == 0)
		failure = errno;
	s->out = NULL;
	if (failure)
		fprintf(stderr, "dpkgtop: %s: %s\n", s->path, strerror(failure));
}

void summary_write(struct summary *s, const struct model *m, const char *name)
{
	bool json = s->json && !s->out;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (s->out)
		write_file(s, m, name);
	/* In one piece: others may write there too. */
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	if (!json)
		fputc('\n', out);
	write_model(m, name, json, out);
	fclose(out);
	fputs(text, stderr);
	free(text);
}
