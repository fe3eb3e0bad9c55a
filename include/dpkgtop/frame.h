/* frame.h - the one stream that everything above the sources reads.
 *
 * A frame is the header (first, once), a sample or an event. Live sources and a recording yield
 * the same frames in the same order, so a model can not tell them apart. Stamps never go back. */
#ifndef DPKGTOP_FRAME_H
#define DPKGTOP_FRAME_H

#include "dpkgtop/event.h"
#include "dpkgtop/sample.h"

#define FRAME_FORMAT 1

/* Facts that do not change while dpkgtop runs. "" where unknown. */
struct header {
	int32_t dpkgtop;  /* FRAME_FORMAT */
	char version[32]; /* dpkgtop's */
	char host[64], kernel[64];
	char label[64]; /* the name that a person gave this run */
	struct stamp started;
	int64_t tick_ns; /* resolution of process CPU times: 1 s / sysconf(_SC_CLK_TCK) */
};

enum frame_kind { FRAME_HEADER, FRAME_SAMPLE, FRAME_EVENT };

/* Points at what it carries; valid only during the call that hands it over. */
struct frame {
	enum frame_kind kind;
	union {
		const struct header *header;
		const struct sample *sample;
		const struct event *event;
	};
};

/* Who takes frames: a model, a recorder, both. */
typedef void frame_sink(void *context, const struct frame *f);

void header_init(struct header *h);

/* Its stamp's mono_ns; of the header, when dpkgtop started. */
int64_t frame_time(const struct frame *f);

#endif
