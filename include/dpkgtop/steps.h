/* steps.h - heavy tools that ran inside the upgrade, each run an entry: initramfs builds (often two
 * for one kernel: its hook's and the trigger's), dkms, boot loaders, caches.
 *
 * What a process executes after its first such tool is the same run, and a builder's child that is
 * one too (mkinitramfs below update-initramfs) the same build. */
#ifndef DPKGTOP_STEPS_H
#define DPKGTOP_STEPS_H

#include <stddef.h>

#include "dpkgtop/event.h"

struct step {
	int32_t pid;
	uint64_t start_ticks;
	enum role role; /* ROLE_INITRAMFS or ROLE_STEP */
	char tool[24];  /* "mkinitramfs" "dracut" "dkms" "grub-mkconfig" … */
	char by[128]; /* "linux-image-6.1.0-50-amd64 postinst", "trigger of initramfs-tools"; "" */
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end UNKNOWN_NS while it runs */
};

/* No upgrade has so many; what comes later in a log that does is left out. */
#define STEPS_MAX 10000

struct steps {
	struct step *items; /* owned; by their begin */
	size_t count, room;
	size_t open; /* of these, those that run */
	uint64_t left_out;
	/* Where the next one comes from: the package in work, as the log says it. */
	enum package_verb verb;
	char package[96];
};

void steps_init(struct steps *s);
void steps_done(struct steps *s);
void steps_event(struct steps *s, const struct event *e);
/* The innermost that runs now; NULL: none. */
const struct step *steps_now(const struct steps *s);
/* Whether it ran inside an earlier one of its role: a builder that starts another is one build. */
bool steps_nested(const struct steps *s, size_t at);

#endif
