/* value.h - JSON values as the members that field tables describe. */
#ifndef RECORD_VALUE_H
#define RECORD_VALUE_H

#include <json-c/json.h>

#include "dpkgtop/err.h"
#include "dpkgtop/field.h"

/* The object is a thing that only a newer dpkgtop knows. */
#define VALUE_NEWER 1

/* Times are 0 … 146 years: the difference or the sum of any two fits into int64_t. */
#define TIME_MAX (INT64_MAX / 2)

/* Reads the table's members out of `object` into the struct at `base`. Absent and null are
 * unknown: UNKNOWN_U64, UNKNOWN_NS, -1, "", 0 for U32 and CHAR, an enum's first value. So is a
 * number beyond uint64_t where a U64 is meant.
 * An unknown word is the enum's "" value where it has one. Else the whole object is of no use:
 * VALUE_NEWER. A wrong type or a number out of range: -EBADMSG, its key in `e`. */
int value_read_fields(struct json_object *object, const struct field *table, void *base,
                      struct err *e);

/* An integer of min … max into `*ret`, as two's complement if negative. */
bool value_read_integer(struct json_object *value, int64_t min, uint64_t max, uint64_t *ret);

#endif
