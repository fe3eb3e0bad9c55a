/* reader.c - a recording's lines as frames. */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/record.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "line.h"
#include "value.h"

/* A sample's members are at depth 4; the parser recurses into nothing deeper than this. */
#define DEPTH_MAX 16
#define ERRNO_MAX 4095 /* the kernel's MAX_ERRNO, include/linux/err.h */

struct record_reader {
	FILE *in;
	char name[160];
	char *line; /* not terminated */
	size_t len, room;
	unsigned long number; /* of the line, from 1 */
	bool has_header, cut;
	struct line_clocks clocks; /* of the last stamp */
	int64_t last_ns;           /* CLOCK_MONOTONIC of the latest frame, or UNKNOWN_NS */
	struct json_tokener *tokener;
	struct header header;
	struct sample sample;
	struct event event;
};

struct record_reader *record_reader_new(FILE *in, const char *name)
{
	struct record_reader *r = mem_new(1, sizeof(*r));

	r->in = in;
	text_printable_string(r->name, sizeof(r->name), name);
	r->last_ns = UNKNOWN_NS;
	r->clocks = LINE_CLOCKS_INIT;
	r->tokener = json_tokener_new_ex(DEPTH_MAX);
	if (!r->tokener)
		abort();
	/* Not strict: json-c 0.18's strict mode refuses every byte beyond ASCII. So a little more
	 * than JSON is taken ('text', [1,]); what follows the object is refused here. */
	header_init(&r->header);
	sample_init(&r->sample);
	return r;
}

void record_reader_free(struct record_reader *r)
{
	if (!r)
		return;
	json_tokener_free(r->tokener);
	sample_done(&r->sample);
	free(r->line);
	free(r);
}

bool record_reader_cut(const struct record_reader *r)
{
	return r->cut;
}

bool record_reader_headless(const struct record_reader *r)
{
	return !r->has_header;
}

/* 1 with a whole line, 0 at the end, -errno. Of a line that is too long it keeps nothing, but
 * goes to its end. */
static int next_line(struct record_reader *r, struct err *e)
{
	int c;

	r->len = 0;
	while ((c = getc_unlocked(r->in)) != EOF && c != '\n') {
		if (r->len <= LINE_ROOM)
			r->len++;
		if (r->len > LINE_ROOM)
			continue;
		if (r->len > r->room)
			r->line = mem_grow(r->line, &r->room, r->len, 1);
		r->line[r->len - 1] = (char)c;
	}
	if (c == EOF) {
		if (ferror(r->in))
			return err_set(e, -EIO, "can not be read");
		r->cut |= r->len > 0 || !r->has_header;
		return 0;
	}
	r->number++;
	if (r->len > LINE_ROOM)
		return err_set(e, -EBADMSG, "the line is longer than %d bytes", LINE_ROOM);
	return 1;
}

static int parse(struct record_reader *r, struct json_object **ret, struct err *e)
{
	enum json_tokener_error error;
	struct json_object *object;

	json_tokener_reset(r->tokener);
	object = json_tokener_parse_ex(r->tokener, r->line ? r->line : "", (int)r->len);
	error = json_tokener_get_error(r->tokener);
	if (error == json_tokener_success && json_tokener_get_parse_end(r->tokener) == r->len &&
	    json_object_is_type(object, json_type_object)) {
		*ret = object;
		return 0;
	}
	json_object_put(object);
	if (error == json_tokener_success || error == json_tokener_continue)
		return err_set(e, -EBADMSG, "not one whole JSON object");
	return err_set(e, -EBADMSG, "not JSON: %s", json_tokener_error_desc(error));
}

/* The clock `key` of a stamp: left out, it is as far from mono_ns as in the line before. */
static void find_clock(struct json_object *object, const char *key, int64_t mono_ns,
                       int64_t distance, int64_t *clock_ns)
{
	if (json_object_object_get_ex(object, key, NULL) || mono_ns == UNKNOWN_NS ||
	    distance == UNKNOWN_NS)
		return;
	if (mono_ns + distance >= 0 && mono_ns + distance <= TIME_MAX)
		*clock_ns = mono_ns + distance;
}

static int read_clocks(struct record_reader *r, struct json_object *object, struct stamp *ret,
                       struct err *e)
{
	int result = value_read_fields(object, field_stamp, ret, e);

	if (result)
		return result;
	find_clock(object, "boot_ns", ret->mono_ns, r->clocks.boot_ns, &ret->boot_ns);
	find_clock(object, "real_ns", ret->mono_ns, r->clocks.real_ns, &ret->real_ns);
	line_clocks_of(ret, &r->clocks);
	return 0;
}

/* A line that is passed over may be the one that the next refers to. */
static int pass_over(struct record_reader *r, struct json_object *object)
{
	struct stamp at;

	read_clocks(r, json_object_object_get(object, "at"), &at, NULL);
	return VALUE_NEWER;
}

static int read_header(struct record_reader *r, struct json_object *object, struct err *e)
{
	struct json_object *started;
	uint64_t format;
	int result;

	if (!value_read_integer(json_object_object_get(object, "dpkgtop"), 1, UINT64_MAX, &format))
		return err_set(e, -EBADMSG, "not the header of a dpkgtop recording");
	/* Before anything else: what a newer format means is not known. */
	if (format > FRAME_FORMAT)
		return err_set(e, -EPROTO, "format %llu is newer than this dpkgtop, which knows %d",
		               (unsigned long long)format, FRAME_FORMAT);
	result = value_read_fields(object, field_header, &r->header, e);
	started = json_object_object_get(object, "started");
	if (result == 0 && started)
		result = read_clocks(r, started, &r->header.started, e);
	if (result)
		return result;
	r->last_ns = r->header.started.mono_ns;
	r->has_header = true;
	return 0;
}

static int read_stamp(struct record_reader *r, struct json_object *object, struct stamp *ret,
                      struct err *e)
{
	int result = read_clocks(r, json_object_object_get(object, "at"), ret, e);

	if (result)
		return result;
	if (ret->mono_ns == UNKNOWN_NS)
		return err_set(e, -EBADMSG, "\"mono_ns\" is missing");
	if (ret->mono_ns < r->last_ns)
		return err_set(e, -EBADMSG, "the time goes back by %lld ns",
		               (long long)(r->last_ns - ret->mono_ns));
	return 0;
}

static int read_why(struct sample *s, struct json_object *why, enum group g, struct err *e)
{
	struct json_object *value = json_object_object_get(why, word_group[g]);
	uint64_t reason;

	if (!value)
		return 0;
	if (!value_read_integer(value, -ERRNO_MAX, 0, &reason) || reason == 0)
		return err_set(e, -EBADMSG, "no error number for \"%s\"", word_group[g]);
	s->why[g] = (int)(int64_t)reason;
	return 0;
}

static int read_group(struct sample *s, struct json_object *value, enum group g, struct err *e)
{
	struct field_items group = field_group(s, g);
	size_t count = 1;

	if (!value)
		return 0;
	if (s->why[g] != GROUP_NOT_ASKED)
		return err_set(e, -EBADMSG, "\"%s\" is there and failed", word_group[g]);
	s->why[g] = 0;
	if (group.many && !json_object_is_type(value, json_type_array))
		return err_set(e, -EBADMSG, "\"%s\" is no array", word_group[g]);
	if (group.many)
		count = json_object_array_length(value);
	for (size_t i = 0; i < count; i++) {
		struct json_object *item = group.many ? json_object_array_get_idx(value, i) : value;
		int result = value_read_fields(item, group.fields, field_group_add(s, g), e);

		if (result)
			return result;
	}
	return 0;
}

/* The order that sample.h promises. */
static int check_order(const struct sample *s, struct err *e)
{
	for (size_t i = 1; i < s->n_processes; i++)
		if (s->processes[i].pid <= s->processes[i - 1].pid)
			return err_set(e, -EBADMSG, "the processes are not by rising pid");
	return 0;
}

static int read_sample(struct record_reader *r, struct json_object *object, struct err *e)
{
	struct json_object *why = json_object_object_get(object, "why");
	struct sample *s = &r->sample;
	int result;

	sample_clear(s);
	if (why && !json_object_is_type(why, json_type_object))
		return err_set(e, -EBADMSG, "\"why\" is no object");
	result = read_stamp(r, object, &s->at, e);
	for (int g = 0; g < N_GROUPS && result == 0; g++) {
		if (why)
			result = read_why(s, why, g, e);
		if (result == 0)
			result = read_group(s, json_object_object_get(object, word_group[g]), g, e);
	}
	return result ? result : check_order(s, e);
}

static int read_event(struct record_reader *r, struct json_object *object, struct err *e)
{
	int result = read_stamp(r, object, &r->event.at, e);

	return result ? result
	              : value_read_fields(object, field_event(r->event.kind), &r->event, e);
}

/* The place of the word at `key` in `words`; -1 a word not known, -EBADMSG no word. */
static int find_kind(struct json_object *value, const char *const *words)
{
	if (!json_object_is_type(value, json_type_string))
		return -EBADMSG;
	return word_find(words, json_object_get_string(value),
	                 (size_t)json_object_get_string_len(value));
}

/* 0 with a frame, VALUE_NEWER where there is none that we know, -errno. */
static int read_frame(struct record_reader *r, struct json_object *object, struct frame *ret,
                      struct err *e)
{
	struct json_object *sample = json_object_object_get(object, "sample");
	struct json_object *event = json_object_object_get(object, "event");
	int kind, result;

	if (!r->has_header) {
		result = read_header(r, object, e);
		*ret = (struct frame){.kind = FRAME_HEADER, .header = &r->header};
		return result;
	}
	if (json_object_object_get(object, "dpkgtop"))
		return err_set(e, -EBADMSG, "a second header");
	if (!sample && !event)
		return pass_over(r, object);
	kind = sample ? find_kind(sample, word_sample_kind) : find_kind(event, word_event_kind);
	if (kind == -EBADMSG)
		return err_set(e, kind, "the kind of the frame is no word");
	if (kind < 0)
		return pass_over(r, object);
	if (sample) {
		result = read_sample(r, object, e);
		r->sample.kind = (enum sample_kind)kind;
		*ret = (struct frame){.kind = FRAME_SAMPLE, .sample = &r->sample};
	} else {
		memset(&r->event, 0, sizeof(r->event));
		r->event.kind = (enum event_kind)kind;
		result = read_event(r, object, e);
		*ret = (struct frame){.kind = FRAME_EVENT, .event = &r->event};
	}
	if (result == 0)
		r->last_ns = sample ? r->sample.at.mono_ns : r->event.at.mono_ns;
	return result;
}

int record_read(struct record_reader *r, struct frame *ret, struct err *e)
{
	struct json_object *object = NULL;
	struct err detail = {""};
	struct frame frame;
	int result;

	do {
		result = next_line(r, &detail);
		if (result == 0)
			return 0;
		if (result > 0)
			result = parse(r, &object, &detail);
		if (result == 0) {
			result = read_frame(r, object, &frame, &detail);
			json_object_put(object);
		}
	} while (result == VALUE_NEWER);
	if (result < 0)
		return err_set(e, result, "%s:%lu: %s", r->name, r->number, detail.text);
	*ret = frame;
	return 1;
}
