/* mem.c - memory that is there or the program ends. */
#include "dpkgtop/mem.h"

#include <stdlib.h>
#include <string.h>

void *mem_new(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		abort();
	return p;
}

char *mem_copy_text(const char *text)
{
	size_t len;

	if (!text)
		return NULL;
	len = strlen(text) + 1;
	return memcpy(mem_new(len, 1), text, len);
}

void *mem_grow(void *array, size_t *room, size_t need, size_t size)
{
	size_t wanted = *room ? *room : 8;
	char *grown;

	if (need <= *room)
		return array;
	while (wanted < need)
		if (__builtin_mul_overflow(wanted, 2, &wanted))
			abort();
	grown = reallocarray(array, wanted, size);
	if (!grown)
		abort();
	memset(grown + *room * size, 0, (wanted - *room) * size);
	*room = wanted;
	return grown;
}
