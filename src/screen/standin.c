/* standin.c - ASCII stand-ins for the characters that screens are drawn with. */
#include <stddef.h>

#include "standin.h"

static const struct {
	uint32_t first, last;
	char c;
} ranges[] = {
	{0x20, 0x7e, 0},       /* itself */
	{0xa0, 0xa0, ' '},     /* no-break space */
	{0xb0, 0xb0, 'o'},     /* degree */
	{0xb1, 0xb1, '+'},     /* plus-minus */
	{0xb5, 0xb5, 'u'},     /* µ */
	{0xb7, 0xb7, '|'},     /* · between facts */
	{0xd7, 0xd7, 'x'},     /* × */
	{0x3bc, 0x3bc, 'u'},   /* μ */
	{0x2010, 0x2015, '-'}, /* hyphens, – and — */
	{0x2018, 0x2019, '\''},
	{0x201c, 0x201d, '"'},
	{0x2022, 0x2022, '*'},
	{0x2026, 0x2026, '~'}, /* … */
	{0x2190, 0x2190, '<'},
	{0x2191, 0x2191, '^'},
	{0x2192, 0x2192, '>'},
	{0x2193, 0x2193, 'v'},
	{0x2212, 0x2212, '-'}, /* minus */
	{0x2248, 0x2248, '~'}, /* ≈ */
	{0x2264, 0x2264, '<'},
	{0x2265, 0x2265, '>'},
	{0x2500, 0x2501, '-'}, /* box drawing: straight lines, then corners and crossings */
	{0x2502, 0x2503, '|'},
	{0x2504, 0x2505, '-'},
	{0x2506, 0x2507, '|'},
	{0x2508, 0x2509, '-'},
	{0x250a, 0x250b, '|'},
	{0x250c, 0x254b, '+'},
	{0x254c, 0x254d, '-'},
	{0x254e, 0x254f, '|'},
	{0x2550, 0x2550, '-'},
	{0x2551, 0x2551, '|'},
	{0x2552, 0x2570, '+'},
	{0x2571, 0x2571, '/'},
	{0x2572, 0x2572, '\\'},
	{0x2573, 0x2573, 'X'},
	{0x2580, 0x2580, '"'},
	{0x2581, 0x2582, '_'}, /* blocks by height: the steps of a sparkline */
	{0x2583, 0x2584, '.'},
	{0x2585, 0x2586, '-'},
	{0x2587, 0x2587, '='},
	{0x2588, 0x258b, '#'}, /* by width */
	{0x258c, 0x258f, '|'},
	{0x2590, 0x2590, '|'},
	{0x2591, 0x2591, '.'}, /* shades */
	{0x2592, 0x2592, ':'},
	{0x2593, 0x2593, '#'},
	{0x25b8, 0x25b8, '>'}, /* ▸ */
	{0x25cf, 0x25cf, '*'},
};

/* By the number of its dots. */
static char standin_of_braille(uint32_t point)
{
	static const char by_dots[] = " ..::||##";

	return by_dots[__builtin_popcount(point & 0xff)];
}

char standin_of(uint32_t point)
{
	if (point >= 0x2800 && point <= 0x28ff)
		return standin_of_braille(point);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (point >= ranges[i].first && point <= ranges[i].last)
			return ranges[i].c ? ranges[i].c : (char)point;
	}
	return '?';
}
