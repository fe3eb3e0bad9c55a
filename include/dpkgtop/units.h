/* units.h - numbers as short text for a screen.
 *
 * Each function returns a small struct by value, so that it can stand in a printf argument:
 * printf("%s", units_bytes(n).s). Widths are in columns. An unknown value (UNKNOWN_NS,
 * UNKNOWN_U64, NaN, also anything negative or infinite) is drawn as "–". That sign and the "µ"
 * are UTF-8; the canvas turns them into "-" and "u" where the screen is ASCII.
 *
 * Sizes are decimal as df -H and apt say them (1 kB = 1000 B). Numbers have up to three digits,
 * with one decimal below 10, and change the unit where they would round to 1000. */
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

/* "0 B" "942 B" "1.0 kB" "38 MB" "1.2 GB"; up to 7 columns. */
struct units_text units_bytes(double bytes);
/* "0 B/s" "38 MB/s"; up to 9 columns. */
struct units_text units_byte_rate(double per_second);
/* "0" "926" "41,200", exact below ten million; from there "10M" "1.2G". Up to 9 columns. */
struct units_text units_count(uint64_t count);
/* "0/s" "3.4/s" "312/s" "1.2k/s"; "0.0/s" is a trace. Up to 7 columns. */
struct units_text units_rate(double per_second);
/* A part of one: 0.31 -> "31%", 2.5 -> "250%"; "<1%" for a trace, "100%" only for the whole (just
 * below is "99%"). Up to 6 columns. */
struct units_text units_percent(double part);
/* "0" "0.3s" "41.2s" "185.6s", from 1000 s "16m40", from an hour "2h05", from 100 hours "100h".
 * Exactly 0 is "0", a trace "0.0s". Up to 6 columns. */
struct units_text units_seconds(int64_t ns);
/* "0" "850ns" "310µs" "2.1ms" "18ms" "1.2s" "61s", from 1000 s as units_seconds(). Up to 6
 * columns. */
struct units_text units_latency(double ns);
/* "0:01:23" hours:minutes:seconds, begun seconds not counted. */
struct units_text units_clock(int64_t ns);
/* "0:41" or "1:02:03", for "left" and axes; begun seconds not counted. */
struct units_text units_left(int64_t ns);

#endif
