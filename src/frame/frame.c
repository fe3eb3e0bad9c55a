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

int64_t frame_time(const struct frame *f)
{
	switch (f->kind) {
	case FRAME_HEADER:
		return f->header->started.mono_ns;
	case FRAME_SAMPLE:
		return f->sample->at.mono_ns;
	default:
		return f->event->at.mono_ns;
	}
}
