/* text.h - foreign bytes made safe, and text measured in terminal columns.
 *
 * Names of processes, packages and files come from elsewhere and may hold anything, escape
 * sequences included. They pass through text_printable() where they enter the program (a source,
 * the recording reader); what is inside is printable UTF-8.
 *
 * Width is that of wcwidth(3), because it is ncurses' own measure; it depends on LC_CTYPE. */
#ifndef DPKGTOP_TEXT_H
#define DPKGTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one UTF-8 character of the `len` bytes at `s` into `*ret_point` and returns its length
 * in bytes; 0 if the bytes are no well-formed UTF-8 (overlong forms and surrogates included). */
size_t text_decode(const char *s, size_t len, uint32_t *ret_point);

/* Copies `len` bytes of `src` to `dst` (room for `size` bytes, always terminated): well-formed
 * UTF-8 stays; control characters (C0, DEL, C1), format and direction marks (U+061C, 200B–200F,
 * 2028–202E, 2060–206F, FEFF, FFF9–FFFB) and each byte that is no UTF-8 become '?'. A NUL byte
 * becomes a space: command lines in /proc separate their words so. Cut at a whole character.
 * Returns the bytes written, the terminator not counted. */
size_t text_printable(char *dst, size_t size, const char *src, size_t len);

/* As above for a terminated string. */
size_t text_printable_string(char *dst, size_t size, const char *src);

/* Columns that `s` takes on a terminal; a character of unknown width counts as one. */
int text_width(const char *s);

/* Bytes of `s` that fit into `columns` columns, whole characters only, combining marks with their
 * base; `*ret_width` (may be NULL) gets the columns they take. */
size_t text_fit(const char *s, int columns, int *ret_width);

/* Whether `s` begins with, or ends in, `part`. */
bool text_starts(const char *s, const char *part);
bool text_ends(const char *s, const char *part);

#endif
