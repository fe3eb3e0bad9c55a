/* software.h - which dpkg and apt a root has. */
#ifndef DPKGTOP_SOFTWARE_H
#define DPKGTOP_SOFTWARE_H

#include "dpkgtop/event.h"
#include "dpkgtop/place.h"

/* The versions in dpkg's database (deb-status(5)), `path` inside `place`. Of the file's first
 * 16 MiB (some 15,000 packages); "" where a package is not there or not installed. 0 or -errno,
 * with both "". */
int software_find(const struct place *place, const char *path, struct software_event *ret);

#endif
