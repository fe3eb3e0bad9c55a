/* own.h - what watching costs. */
#ifndef SESSION_OWN_H
#define SESSION_OWN_H

#include "dpkgtop/event.h"

/* CPU time of this process, all threads (clock_gettime(2)); UNKNOWN_NS. */
int64_t own_cpu_ns(void);
/* What it took since own_cpu_ns() was `before_ns`. */
void own_read(struct own_event *ret, int64_t before_ns);

#endif
