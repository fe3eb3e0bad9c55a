/* units.h - numbers as short text for a screen.
 *
 * Each function returns a small struct by value, so that it can stand in a printf argument:
 * printf("%s", units_bytes(n).s). An unknown value (NaN, or UNKNOWN_NS) is drawn as "–", and
 * as "-" by units_ascii(). Sizes are decimal as df -H and apt say them (1 kB = 1000 B). */
#ifndef DPKGTOP_UNITS_H
#define DPKGTOP_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* A duration or time that is not known. */
#define UNKNOWN_NS INT64_MIN
/* A counter that is not known. */
#define UNKNOWN_U64 UINT64_MAX

struct units_text {
	char s[24];
};

struct units_text units_bytes(double bytes);          /* "0 B" "942 B" "38 MB" "1.2 GB" */
struct units_text units_byte_rate(double per_second); /* "38 MB/s" */
struct units_text units_count(uint64_t count);        /* "41,200" */
struct units_text units_rate(double per_second);      /* "0/s" "3.4/s" "312/s" "1.2k/s" */
struct units_text units_percent(double part);         /* 0.31 -> "31%"; "<1%" for a trace */
/* Up to six columns: "–" "0.3s" "41.2s" "83.0s" "185.6s" "16m40" "2h05". Below 50 ms but not 0:
 * "0.0s"; exactly 0: "–" is for the unknown only, so 0 is "0". */
struct units_text units_seconds(int64_t ns);
struct units_text units_latency(double ns); /* "0.38ms" "2.1ms" "18ms" "1.2s" "310µs" */
struct units_text units_clock(int64_t ns);  /* "0:01:23" hours:minutes:seconds */
struct units_text units_left(int64_t ns);   /* "0:41" or "1:02:03", for "left" and axes */

#endif
