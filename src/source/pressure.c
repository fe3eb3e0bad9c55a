/* pressure.c - how long tasks were held up by I/O, CPU and memory, from /proc/pressure.
 *
 * Own, because libproc2 does not read it. */
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IO, CPU, MEMORY, N_FILES };

struct pressure_source {
	int proc;           /* borrowed from the roots */
	int files[N_FILES]; /* -1: not kept open */
	char *buf;
	size_t room;
};

static int pressure_open(void *self, const struct roots *roots, struct err *e)
{
	struct pressure_source *s = self;

	(void)e;
	s->proc = roots->proc;
	for (size_t i = 0; i < N_FILES; i++)
		s->files[i] = -1;
	return 0;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=N": the N of the line that begins with `kind`, µs
 * (Documentation/accounting/psi.rst). */
static uint64_t find_total(const char *text, const char *kind)
{
	size_t len = strlen(kind);

	while (*text) {
		size_t line = strcspn(text, "\n");
		const char *total = memmem(text, line, " total=", strlen(" total="));

		if (strncmp(text, kind, len) == 0 && text[len] == ' ' && total) {
			const char *digits = total + strlen(" total=");
			char *end;
			uint64_t value;

			errno = 0;
			value = strtoull(digits, &end, 10);
			if (errno || end == digits || *digits < '0' || *digits > '9' ||
			    (*end != '\n' && *end != '\0'))
				return UNKNOWN_U64;
			return value;
		}
		text += line + (text[line] == '\n');
	}
	return UNKNOWN_U64;
}

/* Where `full` is NULL it is not asked for: of the CPU it is a line that old kernels do not have
 * and new ones keep at 0. Both stay unknown without the file. */
static int read_totals(struct pressure_source *s, int which, uint64_t *some, uint64_t *full)
{
	static const char *const paths[N_FILES] = {"pressure/io", "pressure/cpu",
	                                           "pressure/memory"};
	ssize_t len = roots_read_kept(&s->files[which], s->proc, paths[which], &s->buf, &s->room);

	if (len < 0)
		return (int)len;
	*some = find_total(s->buf, "some");
	if (full)
		*full = find_total(s->buf, "full");
	return 0;
}

static bool any_known(const struct pressure_counters *p)
{
	return p->io_some_us != UNKNOWN_U64 || p->io_full_us != UNKNOWN_U64 ||
	       p->cpu_some_us != UNKNOWN_U64 || p->memory_some_us != UNKNOWN_U64 ||
	       p->memory_full_us != UNKNOWN_U64;
}

static int pressure_read(void *self, const struct target *target, struct sample *into)
{
	struct pressure_counters *p = &into->pressure;
	struct pressure_source *s = self;
	int r[N_FILES];

	(void)target;
	*p = (struct pressure_counters){UNKNOWN_U64, UNKNOWN_U64, UNKNOWN_U64, UNKNOWN_U64,
	                                UNKNOWN_U64};
	r[IO] = read_totals(s, IO, &p->io_some_us, &p->io_full_us);
	r[CPU] = read_totals(s, CPU, &p->cpu_some_us, NULL);
	r[MEMORY] = read_totals(s, MEMORY, &p->memory_some_us, &p->memory_full_us);
	if (any_known(p))
		return 0;
	/* A kernel started with psi=0 has the files, and each read says -EOPNOTSUPP. */
	for (size_t i = 0; i < N_FILES; i++)
		if (r[i])
			return r[i];
	return -EBADMSG;
}

static void pressure_close(void *self)
{
	struct pressure_source *s = self;

	for (size_t i = 0; i < N_FILES; i++)
		if (s->files[i] >= 0)
			close(s->files[i]);
	free(s->buf);
}

const struct source_ops source_pressure = {
	.name = "pressure",
	.group = GROUP_PRESSURE,
	.size = sizeof(struct pressure_source),
	.open = pressure_open,
	.read = pressure_read,
	.close = pressure_close,
};
