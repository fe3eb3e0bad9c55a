/* summary.c - what a command that ran is told by. */
#include "summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/report.h"

int summary_open(struct summary *s, struct err *e)
{
	int fd;

	if (!s->path)
		return 0;
	fd = open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	return s->out ? 0 : err_set(e, -errno, "%s: %s", s->path, strerror(errno));
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
