/* value.c - JSON values as the members that field tables describe. */
#include "value.h"

#include <errno.h>
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

bool value_read_integer(struct json_object *value, int64_t min, uint64_t max, uint64_t *ret)
{
	int64_t i;
	uint64_t u;

	if (!json_object_is_type(value, json_type_int))
		return false;
	/* json-c clamps what does not fit, while parsing and here: a large unsigned value is still
	 * positive, and one beyond uint64_t is UNKNOWN_U64. */
	i = json_object_get_int64(value);
	u = i < 0 ? (uint64_t)i : json_object_get_uint64(value);
	if (i < min || (i >= 0 && u > max))
		return false;
	*ret = u;
	return true;
}

static void set_unknown(const struct field *f, char *at)
{
	switch (f->type) {
	case FIELD_U64:
		*(uint64_t *)at = UNKNOWN_U64;
		break;
	case FIELD_I64:
		*(int64_t *)at = UNKNOWN_NS;
		break;
	case FIELD_I32:
		*(int32_t *)at = -1;
		break;
	default:
		memset(at, 0, f->size);
	}
}

static bool read_number(const struct field *f, struct json_object *value, char *at)
{
	uint64_t number;

	switch (f->type) {
	case FIELD_U32:
		if (!value_read_integer(value, 0, UINT32_MAX, &number))
			return false;
		*(uint32_t *)at = (uint32_t)number;
		return true;
	case FIELD_I32:
		if (!value_read_integer(value, INT32_MIN, INT32_MAX, &number))
			return false;
		*(int32_t *)at = (int32_t)number;
		return true;
	case FIELD_I64:
		if (!value_read_integer(value, 0, TIME_MAX, &number))
			return false;
		*(int64_t *)at = (int64_t)number;
		return true;
	default:
		return value_read_integer(value, 0, UINT64_MAX, (uint64_t *)at);
	}
}

/* Returns 0, VALUE_NEWER or -EBADMSG. */
static int read_string(const struct field *f, struct json_object *value, char *at)
{
	char one[2];
	const char *s;
	size_t len;
	int place;

	if (!json_object_is_type(value, json_type_string))
		return -EBADMSG;
	s = json_object_get_string(value);
	len = (size_t)json_object_get_string_len(value);
	if (f->type == FIELD_TEXT) {
		text_printable(at, f->size, s, len);
		return 0;
	}
	if (f->type == FIELD_CHAR) {
		text_printable(one, sizeof(one), s, len);
		*at = one[0];
		return 0;
	}
	place = word_find(f->words, s, len);
	if (place < 0 && f->words[0][0])
		return VALUE_NEWER;
	*(int *)at = place < 0 ? 0 : place;
	return 0;
}

static bool read_hist(struct json_object *value, struct hist *h)
{
	uint64_t bucket, next = 0;
	size_t len;

	hist_clear(h);
	if (!json_object_is_type(value, json_type_array))
		return false;
	len = json_object_array_length(value);
	for (size_t i = 0; i + 1 < len; i += 2) {
		if (!value_read_integer(json_object_array_get_idx(value, i), 0, BUCKETS - 1,
		                        &bucket) ||
		    bucket < next ||
		    !value_read_integer(json_object_array_get_idx(value, i + 1), 0, UINT64_MAX,
		                        &h->counts[bucket]))
			return false;
		next = bucket + 1;
	}
	return len % 2 == 0;
}

static int read_value(const struct field *f, struct json_object *value, char *at)
{
	switch (f->type) {
	case FIELD_CHAR:
	case FIELD_TEXT:
	case FIELD_ENUM:
		return read_string(f, value, at);
	case FIELD_HIST:
		return read_hist(value, (struct hist *)at) ? 0 : -EBADMSG;
	default:
		return read_number(f, value, at) ? 0 : -EBADMSG;
	}
}

int value_read_fields(struct json_object *object, const struct field *table, void *base,
                      struct err *e)
{
	bool newer = false;

	if (!json_object_is_type(object, json_type_object))
		return err_set(e, -EBADMSG, "an object is missing");
	for (const struct field *f = table; f->name; f++) {
		struct json_object *value = json_object_object_get(object, f->name);
		char *at = (char *)base + f->offset;
		int r;

		if (!value) {
			set_unknown(f, at);
			continue;
		}
		r = read_value(f, value, at);
		if (r < 0)
			return err_set(e, r, "\"%s\" is of a wrong type or out of range", f->name);
		newer |= r == VALUE_NEWER;
	}
	return newer ? VALUE_NEWER : 0;
}
