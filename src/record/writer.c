/* writer.c - frames as JSON lines. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/record.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "line.h"

/* Takes `value` over. All keys are constants. */
static void add(struct json_object *object, const char *key, struct json_object *value)
{
	if (json_object_object_add_ex(object, key, value,
	                              JSON_C_OBJECT_ADD_KEY_IS_NEW |
	                                      JSON_C_OBJECT_ADD_CONSTANT_KEY))
		abort();
}

static struct json_object *new_text(const char *s, size_t len)
{
	return json_object_new_string_len(s, (int)len);
}

static struct json_object *new_hist(const struct hist *h)
{
	struct json_object *array = json_object_new_array();

	for (unsigned i = 0; i < BUCKETS; i++) {
		if (!h->counts[i])
			continue;
		json_object_array_add(array, json_object_new_int((int)i));
		json_object_array_add(array, json_object_new_uint64(h->counts[i]));
	}
	return array;
}

/* NULL is JSON's null. */
static struct json_object *new_value(const struct field *f, const char *at)
{
	char one[2] = "";

	switch (f->type) {
	case FIELD_U64:
		if (*(const uint64_t *)at == UNKNOWN_U64)
			return NULL;
		return json_object_new_uint64(*(const uint64_t *)at);
	case FIELD_U32:
		return json_object_new_int64(*(const uint32_t *)at);
	case FIELD_I64:
		if (*(const int64_t *)at == UNKNOWN_NS)
			return NULL;
		return json_object_new_int64(*(const int64_t *)at);
	case FIELD_I32:
		if (*(const int32_t *)at == -1)
			return NULL;
		return json_object_new_int(*(const int32_t *)at);
	case FIELD_CHAR:
		if (*at)
			text_printable(one, sizeof(one), at, 1);
		return new_text(one, strlen(one));
	case FIELD_TEXT:
		return new_text(at, strnlen(at, f->size));
	case FIELD_ENUM:
		return json_object_new_string(f->words[*(const int *)at]);
	case FIELD_HIST:
		return new_hist((const struct hist *)at);
	}
	return NULL;
}

static void add_fields(struct json_object *object, const struct field *table, const void *base)
{
	for (const struct field *f = table; f->name; f++)
		add(object, f->name, new_value(f, (const char *)base + f->offset));
}

static struct json_object *new_object(const struct field *table, const void *base)
{
	struct json_object *object = json_object_new_object();

	add_fields(object, table, base);
	return object;
}

static struct json_object *header_object(const struct header *h)
{
	struct json_object *object = new_object(field_header, h);

	add(object, "started", new_object(field_stamp, &h->started));
	return object;
}

static struct json_object *group_value(const struct sample *s, enum group g)
{
	struct field_items items = field_group(s, g);
	struct json_object *array;

	if (!items.many)
		return new_object(items.fields, items.first);
	array = json_object_new_array_ext((int)items.count);
	for (size_t i = 0; i < items.count; i++)
		json_object_array_add(array, new_object(items.fields, (const char *)items.first +
		                                                              i * items.size));
	return array;
}

static struct json_object *sample_object(const struct sample *s)
{
	struct json_object *object = json_object_new_object();
	struct json_object *why = NULL;

	add(object, "sample", json_object_new_string(word_sample_kind[s->kind]));
	add(object, "at", new_object(field_stamp, &s->at));
	for (int g = 0; g < N_GROUPS; g++) {
		if (s->why[g] >= 0)
			continue;
		if (!why) {
			why = json_object_new_object();
			add(object, "why", why);
		}
		add(why, word_group[g], json_object_new_int(s->why[g]));
	}
	for (int g = 0; g < N_GROUPS; g++)
		if (sample_has(s, g))
			add(object, word_group[g], group_value(s, g));
	return object;
}

static struct json_object *event_object(const struct event *e)
{
	struct json_object *object = json_object_new_object();

	add(object, "event", json_object_new_string(word_event_kind[e->kind]));
	add(object, "at", new_object(field_stamp, &e->at));
	add_fields(object, field_event(e->kind), e);
	return object;
}

static struct json_object *frame_object(const struct frame *f)
{
	switch (f->kind) {
	case FRAME_HEADER:
		return header_object(f->header);
	case FRAME_SAMPLE:
		return sample_object(f->sample);
	default:
		return event_object(f->event);
	}
}

int line_write(const struct frame *f, line_take *take, void *context)
{
	struct json_object *object = frame_object(f);
	const char *text;
	size_t len;
	int r;

	text = json_object_to_json_string_length(
		object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	if (!text)
		abort();
	r = len > LINE_ROOM ? -EMSGSIZE : take(context, text, len);
	json_object_put(object);
	return r;
}

/* One call a line, so that an unbuffered stream has whole lines too. */
static int print_line(void *out, const char *text, size_t len)
{
	return fprintf(out, "%.*s\n", (int)len, text) < 0 ? -EIO : 0;
}

int record_write(FILE *out, const struct frame *f)
{
	return line_write(f, print_line, out);
}
