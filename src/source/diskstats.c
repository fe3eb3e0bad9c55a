/* diskstats.c - the parser of /proc/diskstats, apart from the reading of it. */
#include "dpkgtop/diskstats.h"

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include <errno.h>
#include <string.h>

/* Major, minor and name stand before the counters; the first 11 of these are always there. */
#define COUNTERS_ALWAYS 11

/* The counters in the order of the file. */
static const size_t counters[] = {
	offsetof(struct disk_counters, reads),
	offsetof(struct disk_counters, reads_merged),
	offsetof(struct disk_counters, read_sectors),
	offsetof(struct disk_counters, read_ms),
	offsetof(struct disk_counters, writes),
	offsetof(struct disk_counters, writes_merged),
	offsetof(struct disk_counters, written_sectors),
	offsetof(struct disk_counters, write_ms),
	offsetof(struct disk_counters, in_flight),
	offsetof(struct disk_counters, busy_ms),
	offsetof(struct disk_counters, queue_ms),
	offsetof(struct disk_counters, discards),
	offsetof(struct disk_counters, discards_merged),
	offsetof(struct disk_counters, discarded_sectors),
	offsetof(struct disk_counters, discard_ms),
	offsetof(struct disk_counters, flushes),
	offsetof(struct disk_counters, flush_ms),
};

#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

static uint64_t *counter(struct disk_counters *d, size_t i)
{
	return (uint64_t *)((char *)d + counters[i]);
}

/* The next word of the line, which it moves on; its length, 0 at the end. */
static size_t next_word(const char **line, const char *end, const char **ret)
{
	while (*line < end && (**line == ' ' || **line == '\t'))
		(*line)++;
	*ret = *line;
	while (*line < end && **line != ' ' && **line != '\t')
		(*line)++;
	return (size_t)(*line - *ret);
}

/* 0; -ENODATA at the end of the line; -EBADMSG. */
static int next_number(const char **line, const char *end, uint64_t *ret)
{
	const char *word;
	size_t len = next_word(line, end, &word);
	uint64_t value = 0;

	if (len == 0)
		return -ENODATA;
	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(word[i] - '0'), &value))
			return -EBADMSG;
	}
	*ret = value;
	return 0;
}

static int parse_identity(const char **line, const char *end, struct disk_counters *d)
{
	uint64_t major, minor;
	const char *name;
	size_t len;

	if (next_number(line, end, &major) || next_number(line, end, &minor))
		return -EBADMSG;
	len = next_word(line, end, &name);
	if (major > UINT32_MAX || minor > UINT32_MAX || len == 0 || len >= sizeof(d->name))
		return -EBADMSG;
	d->major = (uint32_t)major;
	d->minor = (uint32_t)minor;
	text_printable(d->name, sizeof(d->name), name, len);
	return 0;
}

int diskstats_parse_line(const char *line, size_t len, struct disk_counters *ret)
{
	const char *end = line + len;
	struct disk_counters d = {0};
	size_t known = 0;

	if (parse_identity(&line, end, &d))
		return -EBADMSG;
	for (; known < N_COUNTERS; known++) {
		int r = next_number(&line, end, counter(&d, known));

		if (r == -ENODATA)
			break;
		if (r)
			return r;
	}
	if (known < COUNTERS_ALWAYS)
		return -EBADMSG;
	for (; known < N_COUNTERS; known++)
		*counter(&d, known) = UNKNOWN_U64;
	*ret = d;
	return 0;
}

static bool ever_used(struct disk_counters *d)
{
	for (size_t i = 0; i < N_COUNTERS; i++)
		if (*counter(d, i) != 0 && *counter(d, i) != UNKNOWN_U64)
			return true;
	return false;
}

int diskstats_parse(const char *text, size_t len, struct sample *into)
{
	const char *end = text + len;
	int damaged = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;
		struct disk_counters d;

		if (stop == text)
			; /* an empty line is not damaged */
		else if (diskstats_parse_line(text, (size_t)(stop - text), &d))
			damaged++;
		else if (ever_used(&d))
			*sample_add_disk(into) = d;
		text = newline ? newline + 1 : end;
	}
	return damaged;
}
