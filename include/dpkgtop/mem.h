/* mem.h - memory that is there or the program ends.
 *
 * A monitor that runs out of memory has nothing left to say: these abort(), and the terminal's
 * crash handler (term.h) gives the screen back first. */
#ifndef DPKGTOP_MEM_H
#define DPKGTOP_MEM_H

#include <stddef.h>

/* Zeroed memory for `count` items of `size` bytes; the caller frees it with free(). */
void *mem_new(size_t count, size_t size);

/* A copy of `text`, to be freed by the caller; NULL stays NULL. */
char *mem_copy_text(const char *text);

/* Room for at least `need` items of `size` bytes in `array`, whose room is `*room` items.
 * Returns the array, moved if it had to grow (by doubling); new items are zeroed. */
void *mem_grow(void *array, size_t *room, size_t need, size_t size);

#endif
