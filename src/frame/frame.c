/* frame.c - the one stream that everything above the sources reads. */
#include "dpkgtop/frame.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/units.h"

void header_init(struct header *h)
{
	memset(h, 0, sizeof(*h));
	h->dpkgtop = FRAME_FORMAT;
	snprintf(h->version, sizeof(h->version), "%s", VERSION);
	h->started = (struct stamp){UNKNOWN_NS, UNKNOWN_NS, UNKNOWN_NS};
	h->tick_ns = UNKNOWN_NS;
}
