/* writer.c - frames as JSON lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/record.h"
#include "dpkgtop/text.h"

#include "json.h"
#include "line.h"

static void add_hist(struct line *l, const struct hist *h)
{
	json_open(l, '[');
	for (unsigned i = 0; i < BUCKETS; i++) {
		if (!h->counts[i])
			continue;
		json_unsigned(l, i);
		json_unsigned(l, h->counts[i]);
	}
	json_close(l, ']');
}

static void add_value(struct line *l, const struct field *f, const char *at)
{
	char one[2] = "";

	switch (f->type) {
	case FIELD_U64:
		json_unsigned(l, *(const uint64_t *)at);
		break;
	case FIELD_U32:
		json_unsigned(l, *(const uint32_t *)at);
		break;
	case FIELD_I64:
		json_integer(l, *(const int64_t *)at);
		break;
	case FIELD_I32:
		json_integer(l, *(const int32_t *)at);
		break;
	case FIELD_CHAR:
		text_printable(one, sizeof(one), at, 1);
		json_text(l, one, strlen(one));
		break;
	case FIELD_TEXT:
		json_text(l, at, strnlen(at, f->size));
		break;
	case FIELD_ENUM:
		json_text(l, f->words[*(const int *)at], strlen(f->words[*(const int *)at]));
		break;
	case FIELD_HIST:
		add_hist(l, (const struct hist *)at);
		break;
	}
}

/* What a reader takes for it where it is absent. */
static bool is_default(const struct field *f, const char *at)
{
	switch (f->type) {
	case FIELD_U64:
		return *(const uint64_t *)at == UNKNOWN_U64;
	case FIELD_U32:
		return *(const uint32_t *)at == 0;
	case FIELD_I64:
		return *(const int64_t *)at == UNKNOWN_NS;
	case FIELD_I32:
		return *(const int32_t *)at == -1;
	case FIELD_CHAR:
	case FIELD_TEXT:
		return !*at;
	case FIELD_ENUM:
		return !*f->words[*(const int *)at];
	case FIELD_HIST:
		return false;
	}
	return false;
}

/* `full`: also what only a full sample means. */
static void add_fields(struct line *l, const struct field *table, const void *base, bool full)
{
	for (const struct field *f = table; f->name; f++) {
		const char *at = (const char *)base + f->offset;

		if ((f->full && !full) || is_default(f, at))
			continue;
		json_key(l, f->name);
		add_value(l, f, at);
	}
}

static void add_object(struct line *l, const struct field *table, const void *base, bool full)
{
	json_open(l, '{');
	add_fields(l, table, base, full);
	json_close(l, '}');
}

/* --- stamps -------------------------------------------------------------------------------- */

static int64_t distance(int64_t clock_ns, int64_t mono_ns)
{
	return clock_ns == UNKNOWN_NS || mono_ns == UNKNOWN_NS ? UNKNOWN_NS : clock_ns - mono_ns;
}

void line_clocks_of(const struct stamp *at, struct line_clocks *ret)
{
	ret->boot_ns = distance(at->boot_ns, at->mono_ns);
	ret->real_ns = distance(at->real_ns, at->mono_ns);
}

static void add_ns(struct line *l, const char *key, int64_t ns)
{
	json_key(l, key);
	if (ns == UNKNOWN_NS)
		json_null(l);
	else
		json_integer(l, ns);
}

static void add_stamp(struct line *l, const char *key, const struct stamp *at)
{
	struct line_clocks now;

	line_clocks_of(at, &now);
	json_key(l, key);
	json_open(l, '{');
	add_ns(l, "mono_ns", at->mono_ns);
	if (l->alone || now.boot_ns != l->clocks.boot_ns)
		add_ns(l, "boot_ns", at->boot_ns);
	if (l->alone || now.real_ns != l->clocks.real_ns)
		add_ns(l, "real_ns", at->real_ns);
	json_close(l, '}');
	l->clocks = now;
}

/* --- frames -------------------------------------------------------------------------------- */

static void add_kind(struct line *l, const char *key, const char *word)
{
	json_key(l, key);
	json_text(l, word, strlen(word));
}

static void add_group(struct line *l, const struct sample *s, enum group g)
{
	struct field_items items = field_group(s, g);
	bool full = s->kind == SAMPLE_FULL;

	json_key(l, word_group[g]);
	if (!items.many) {
		add_object(l, items.fields, items.first, full);
		return;
	}
	json_open(l, '[');
	for (size_t i = 0; i < items.count; i++)
		add_object(l, items.fields, (const char *)items.first + i * items.size, full);
	json_close(l, ']');
}

static void add_why(struct line *l, const struct sample *s)
{
	bool any = false;

	for (int g = 0; g < N_GROUPS; g++) {
		if (s->why[g] >= 0)
			continue;
		if (!any) {
			json_key(l, "why");
			json_open(l, '{');
			any = true;
		}
		json_key(l, word_group[g]);
		json_integer(l, s->why[g]);
	}
	if (any)
		json_close(l, '}');
}

static void add_sample(struct line *l, const struct sample *s)
{
	add_kind(l, "sample", word_sample_kind[s->kind]);
	add_stamp(l, "at", &s->at);
	add_why(l, s);
	for (int g = 0; g < N_GROUPS; g++)
		if (sample_has(s, g))
			add_group(l, s, g);
}

static void add_frame(struct line *l, const struct frame *f)
{
	switch (f->kind) {
	case FRAME_HEADER:
		add_fields(l, field_header, f->header, true);
		add_stamp(l, "started", &f->header->started);
		break;
	case FRAME_SAMPLE:
		add_sample(l, f->sample);
		break;
	default:
		add_kind(l, "event", word_event_kind[f->event->kind]);
		add_stamp(l, "at", &f->event->at);
		add_fields(l, field_event(f->event->kind), f->event, true);
	}
}

void line_init(struct line *l)
{
	*l = (struct line){.clocks = LINE_CLOCKS_INIT};
}

void line_done(struct line *l)
{
	free(l->text);
	l->text = NULL;
}

int line_make(struct line *l, const struct frame *f)
{
	struct line_clocks before = l->clocks;

	l->len = 0;
	l->first = true;
	json_open(l, '{');
	add_frame(l, f);
	json_close(l, '}');
	if (l->len > LINE_ROOM) {
		l->clocks = before;
		return -EMSGSIZE;
	}
	l->text = mem_grow(l->text, &l->room, l->len + 1, 1);
	l->text[l->len++] = '\n';
	return 0;
}

int record_write(FILE *out, const struct frame *f)
{
	struct line l;
	int r;

	line_init(&l);
	l.alone = true;
	r = line_make(&l, f);
	/* One call a line, so that an unbuffered stream has whole lines too. */
	if (r == 0 && fwrite(l.text, l.len, 1, out) != 1)
		r = -EIO;
	line_done(&l);
	return r;
}
