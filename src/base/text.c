/* text.c - foreign bytes made safe, and text measured in terminal columns. */
#include "dpkgtop/text.h"

#include <string.h>
#include <wchar.h>

size_t text_decode(const char *s, size_t len, uint32_t *ret_point)
{
	/* The smallest code point that needs so many bytes: less is an overlong form. */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *u = (const unsigned char *)s;
	uint32_t point;
	size_t need;

	if (!len)
		return 0;
	if (u[0] < 0x80) {
		*ret_point = u[0];
		return 1;
	}
	if (u[0] >= 0xf8 || u[0] < 0xc0)
		return 0;
	need = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (len < need)
		return 0;
	point = u[0] & (0x7fU >> need);
	for (size_t i = 1; i < need; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (u[i] & 0x3f);
	}
	if (point < least[need] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return 0;
	*ret_point = point;
	return need;
}

/* Characters that a terminal, or a reader's eye, could be deceived with: CVE-2021-42574 is the
 * best known case of the direction marks. */
static bool deceptive(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f},
		{0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return false;
}

/* How many bytes stand for themselves: most text is nothing else, and comes by the megabyte. */
static size_t plain_run(const char *s, size_t len)
{
	size_t run = 0;

	while (run < len && s[run] >= ' ' && s[run] <= '~')
		run++;
	return run;
}

size_t text_printable(char *dst, size_t size, const char *src, size_t len)
{
	size_t written = 0;

	if (!size)
		return 0;
	while (len) {
		size_t run = plain_run(src, len < size - written ? len : size - written - 1);
		uint32_t point;
		size_t taken;
		const char *from;
		size_t bytes;

		memcpy(dst + written, src, run);
		written += run;
		src += run;
		len -= run;
		if (!len)
			break;
		taken = text_decode(src, len, &point);
		from = src;
		bytes = taken;
		if (taken && point == 0) {
			from = " ";
		} else if (!taken || deceptive(point)) {
			from = "?";
			bytes = 1;
		}
		if (bytes >= size - written)
			break;
		memcpy(dst + written, from, bytes);
		written += bytes;
		src += taken ? taken : 1;
		len -= taken ? taken : 1;
	}
	dst[written] = '\0';
	return written;
}

size_t text_printable_string(char *dst, size_t size, const char *src)
{
	return text_printable(dst, size, src, strlen(src));
}

/* The bytes of the first character of `s` ("" excluded) and the columns it takes; a byte that is
 * no UTF-8 is a character of unknown width. */
static size_t measure(const char *s, int *ret_width)
{
	uint32_t point;
	size_t bytes = text_decode(s, strnlen(s, 4), &point);
	int width = bytes ? wcwidth((wchar_t)point) : -1;

	*ret_width = width < 0 ? 1 : width;
	return bytes ? bytes : 1;
}

int text_width(const char *s)
{
	int total = 0, width;

	while (*s) {
		s += measure(s, &width);
		total += width;
	}
	return total;
}

size_t text_fit(const char *s, int columns, int *ret_width)
{
	int total = 0;
	size_t fit = 0;

	/* No column at all: not even marks, which would join what stands before. */
	while (columns > 0 && s[fit]) {
		int width;
		size_t bytes = measure(s + fit, &width);

		if (width > columns - total)
			break;
		total += width;
		fit += bytes;
	}
	if (ret_width)
		*ret_width = total;
	return fit;
}

bool text_starts(const char *s, const char *part)
{
	return strncmp(s, part, strlen(part)) == 0;
}

bool text_ends(const char *s, const char *part)
{
	size_t len = strlen(s), part_len = strlen(part);

	return len >= part_len && strcmp(s + len - part_len, part) == 0;
}
