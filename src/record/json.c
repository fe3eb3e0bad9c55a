/* json.c - JSON text, written piece by piece. */
#include "json.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/mem.h"

static void put(struct line *l, const char *bytes, size_t len)
{
	if (len > l->room - l->len)
		l->text = mem_grow(l->text, &l->room, l->len + len, 1);
	memcpy(l->text + l->len, bytes, len);
	l->len += len;
}

/* Before an item. */
static void comma(struct line *l)
{
	if (!l->first)
		put(l, ",", 1);
	l->first = false;
}

void json_key(struct line *l, const char *key)
{
	comma(l);
	put(l, "\"", 1);
	put(l, key, strlen(key));
	put(l, "\":", 2);
	l->first = true;
}

void json_open(struct line *l, char bracket)
{
	comma(l);
	put(l, &bracket, 1);
	l->first = true;
}

void json_close(struct line *l, char bracket)
{
	put(l, &bracket, 1);
	l->first = false;
}

void json_unsigned(struct line *l, uint64_t value)
{
	char digits[20], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	comma(l);
	put(l, at, (size_t)(digits + sizeof(digits) - at));
}

void json_integer(struct line *l, int64_t value)
{
	if (value >= 0) {
		json_unsigned(l, (uint64_t)value);
		return;
	}
	comma(l);
	put(l, "-", 1);
	l->first = true;
	json_unsigned(l, -(uint64_t)value);
}

static void put_escaped(struct line *l, unsigned char c)
{
	char text[8];

	if (c < 0x20)
		snprintf(text, sizeof(text), "\\u%04x", c);
	else
		snprintf(text, sizeof(text), "\\%c", c);
	put(l, text, strlen(text));
}

void json_text(struct line *l, const char *text, size_t len)
{
	size_t from = 0;

	comma(l);
	put(l, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		put(l, text + from, i - from);
		put_escaped(l, c);
		from = i + 1;
	}
	put(l, text + from, len - from);
	put(l, "\"", 1);
}

void json_null(struct line *l)
{
	comma(l);
	put(l, "null", 4);
}
