/* compare_words.h - values of a comparison as words, alike in all formats for people. */
#ifndef REPORT_COMPARE_WORDS_H
#define REPORT_COMPARE_WORDS_H

#include <stdbool.h>

#include "dpkgtop/compare.h"

#include "number.h"

/* Seconds with three decimals, counts, bytes; "-" unknown. */
struct number_text words_of_value(enum compare_unit unit, double value);
/* With its sign. */
struct number_text words_of_difference(enum compare_unit unit, double value);
/* "-12%", "noise", "" where there is none. */
struct number_text words_of_relative(const struct compare_value *v);
/* "real" "unpack" "package sync" …; `indent`: it belongs to a group of rows. */
const char *words_of_key(const char *key, bool *ret_indent);
/* Whether the row says anything: some group has a value that is not 0; of the time without waiting
 * for a person, that some run has waited. */
bool words_worth_a_row(const struct comparison *c, const struct compare_row *row);

#endif
