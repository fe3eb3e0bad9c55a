/* diskstats.h - the parser of /proc/diskstats, apart from the reading of it.
 *
 * Own, because libproc2's stops before the flush columns. Lines of 14 (Linux 2.6), 18 (4.18) and
 * 20 (5.5) columns exist, and lxcfs gives 15 and 17: what is not there is UNKNOWN_U64
 * (Documentation/admin-guide/iostats.rst). */
#ifndef DPKGTOP_DISKSTATS_H
#define DPKGTOP_DISKSTATS_H

#include "dpkgtop/sample.h"

/* Parses one line (`len` bytes, newline not included). 0, or -EBADMSG if it has fewer than 14
 * columns, one that is no number, or a name longer than the kernel's (31). Columns beyond those
 * known are ignored. */
int diskstats_parse_line(const char *line, size_t len, struct disk_counters *ret);

/* Adds the disks of a whole file to `into`; lines that do not parse are left out. Returns how many
 * were. Disks that never did any I/O (unused loop and ram disks) are left out too. */
int diskstats_parse(const char *text, size_t len, struct sample *into);

#endif
