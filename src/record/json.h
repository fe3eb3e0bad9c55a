/* json.h - JSON text, written piece by piece.
 *
 * Of the library only the reading is used: what it needs to write, an object for each number, costs
 * more than all else that recording does. */
#ifndef RECORD_JSON_H
#define RECORD_JSON_H

#include "line.h"

/* Each value or opening bracket follows a key in an object, none in an array. */
void json_key(struct line *l, const char *key);
void json_open(struct line *l, char bracket);
void json_close(struct line *l, char bracket);
void json_integer(struct line *l, int64_t value);
void json_unsigned(struct line *l, uint64_t value);
/* UTF-8 without control characters, as it is in a frame; others are escaped all the same. */
void json_text(struct line *l, const char *text, size_t len);
void json_null(struct line *l);

#endif
