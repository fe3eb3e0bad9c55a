/* tape.h - frames of any content, written to and read from memory. */
#ifndef TAPE_H
#define TAPE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/record.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#define TIME_MAX (INT64_MAX / 2)
#define HEADER   "{\"dpkgtop\":1,\"version\":\"0.1\"}\n"
#define AT       "\"at\":{\"mono_ns\":5,\"boot_ns\":6,\"real_ns\":7}"

enum fill { FILL_ZERO, FILL_MOST, FILL_UNKNOWN, FILL_RANDOM, N_FILLS };

static inline uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static inline void fill_text(char *at, size_t size, enum fill how, uint64_t *seed)
{
	static const char *const parts[] = {"a", "Z", " ", "\"", "\\", "/",
	                                    "ä", "€", "😀", "%s", "{"};
	char text[1024] = "";

	while (strlen(text) < size + 8) {
		size_t which = draw(seed) % (sizeof(parts) / sizeof(*parts));

		strcat(text, how == FILL_MOST ? "😀" : parts[which]);
	}
	text_printable(at, size, text, how == FILL_MOST ? strlen(text) : draw(seed) % size);
}

static inline void fill_number(const struct field *f, char *at, enum fill how, uint64_t *seed)
{
	/* Short and long numbers alike. */
	uint64_t number = draw(seed) >> (draw(seed) % 64);

	switch (f->type) {
	case FIELD_U64:
		*(uint64_t *)at = how == FILL_MOST ? UNKNOWN_U64 - 1 : number;
		break;
	case FIELD_U32:
		*(uint32_t *)at = how == FILL_MOST ? UINT32_MAX : (uint32_t)number;
		break;
	case FIELD_I64:
		*(int64_t *)at = how == FILL_MOST ? TIME_MAX : (int64_t)(number >> 2);
		break;
	default:
		*(int32_t *)at = how == FILL_MOST ? INT32_MIN : (int32_t)number;
	}
}

static inline void fill_hist(struct hist *h, enum fill how, uint64_t *seed)
{
	if (how == FILL_MOST)
		h->counts[BUCKETS - 1] = UINT64_MAX;
	for (int i = 0; i < 5; i++)
		h->counts[draw(seed) % BUCKETS] = draw(seed) >> (draw(seed) % 64);
}

static inline void fill_unknown(const struct field *f, char *at)
{
	memset(at, 0, f->size);
	if (f->type == FIELD_HIST)
		return;
	if (f->type == FIELD_U64)
		*(uint64_t *)at = UNKNOWN_U64;
	if (f->type == FIELD_I64)
		*(int64_t *)at = UNKNOWN_NS;
	if (f->type == FIELD_I32)
		*(int32_t *)at = -1;
}

static inline void fill(const struct field *table, void *base, enum fill how, uint64_t *seed)
{
	for (const struct field *f = table; f->name; f++) {
		char *at = (char *)base + f->offset;
		int words = 0;

		memset(at, 0, f->size);
		if (how == FILL_ZERO)
			continue;
		if (how == FILL_UNKNOWN) {
			fill_unknown(f, at);
		} else if (f->type == FIELD_TEXT) {
			fill_text(at, f->size, how, seed);
		} else if (f->type == FIELD_CHAR) {
			*at = how == FILL_MOST ? '~' : (char)('A' + draw(seed) % 26);
		} else if (f->type == FIELD_ENUM) {
			while (f->words[words])
				words++;
			*(int *)at = how == FILL_MOST ? words - 1 : (int)(draw(seed) % words);
		} else if (f->type == FIELD_HIST) {
			fill_hist((struct hist *)at, how, seed);
		} else {
			fill_number(f, at, how, seed);
		}
	}
}

/* A recording in memory. */
struct tape {
	char *bytes;
	size_t len;
	FILE *out;
};

static inline void tape_init(struct tape *t)
{
	memset(t, 0, sizeof(*t));
	t->out = open_memstream(&t->bytes, &t->len);
	assert_non_null(t->out);
}

static inline void tape_done(struct tape *t)
{
	fclose(t->out);
	free(t->bytes);
}

static inline void tape_header(struct tape *t, const struct header *h)
{
	assert_int_equal(record_write(t->out, &(struct frame){FRAME_HEADER, {.header = h}}), 0);
	fflush(t->out);
}

static inline void tape_sample(struct tape *t, const struct sample *s)
{
	assert_int_equal(record_write(t->out, &(struct frame){FRAME_SAMPLE, {.sample = s}}), 0);
	fflush(t->out);
}

static inline void tape_event(struct tape *t, const struct event *e)
{
	assert_int_equal(record_write(t->out, &(struct frame){FRAME_EVENT, {.event = e}}), 0);
	fflush(t->out);
}

struct player {
	FILE *in;
	struct record_reader *reader;
	struct frame frame;
	struct err e;
};

static inline void player_init(struct player *p, const char *bytes, size_t len)
{
	memset(p, 0, sizeof(*p));
	p->in = len ? fmemopen((void *)(uintptr_t)bytes, len, "r") : fopen("/dev/null", "r");
	assert_non_null(p->in);
	p->reader = record_reader_new(p->in, "x");
}

static inline void player_init_text(struct player *p, const char *text)
{
	player_init(p, text, strlen(text));
}

static inline void player_done(struct player *p)
{
	record_reader_free(p->reader);
	fclose(p->in);
}

static inline int play(struct player *p)
{
	return record_read(p->reader, &p->frame, &p->e);
}

static inline void assert_plays(struct player *p, enum frame_kind kind)
{
	int r = play(p);

	if (r != 1)
		fail_msg("%d: %s", r, p->e.text);
	assert_int_equal(p->frame.kind, kind);
}

static inline void assert_ends(struct player *p, bool cut)
{
	assert_int_equal(play(p), 0);
	assert_int_equal(record_reader_cut(p->reader), cut);
}

/* What only a full sample means is written in no other. */
static inline void forget_full(const struct field *table, void *base)
{
	for (const struct field *f = table; f->name; f++)
		if (f->full)
			fill_unknown(f, (char *)base + f->offset);
}

static inline void fill_sample(struct sample *s, const int why[N_GROUPS], enum fill how,
                               uint64_t *seed)
{
	sample_clear(s);
	fill(field_stamp, &s->at, how == FILL_UNKNOWN ? FILL_ZERO : how, seed);
	s->kind = (enum sample_kind)(draw(seed) % N_SAMPLE_KINDS);
	for (int g = 0; g < N_GROUPS; g++) {
		size_t count = field_group(s, g).many ? draw(seed) % 5 : 1;

		s->why[g] = why[g];
		for (size_t i = 0; i < count; i++) {
			void *item = field_group_add(s, g);

			fill(field_group(s, g).fields, item, how, seed);
			if (s->kind != SAMPLE_FULL)
				forget_full(field_group(s, g).fields, item);
		}
	}
	for (size_t i = 0; i < s->n_processes; i++)
		s->processes[i].pid = (int32_t)(i * 1000) - (how == FILL_UNKNOWN);
}

#endif
