/* number.h - numbers for machines to read: with a point in every locale, no more digits than
 * needed. */
#ifndef REPORT_NUMBER_H
#define REPORT_NUMBER_H

#include <stdint.h>

#include "dpkgtop/units.h"

struct number_text {
	char s[40];
};

/* Seconds to the microsecond: "110.451", "-0.5", "0". "" for UNKNOWN_NS. */
struct number_text number_seconds(int64_t ns);
/* Microseconds to the nanosecond. "" for UNKNOWN_NS. */
struct number_text number_micros(int64_t ns);
/* To a millionth. "" for NaN and what is not finite. */
struct number_text number_plain(double value);
/* With so many decimals, 0 … 6, for people: "110.451", "0.236". "-" if it is NaN. */
struct number_text number_fixed(double value, int decimals);

/* Units' text in ASCII: "–" becomes "-", "µ" becomes "u". */
struct units_text number_ascii(struct units_text text);

#endif
