/* words.h - what the model's enums are called in sentences. */
#ifndef DPKGTOP_SCREEN_WORDS_H
#define DPKGTOP_SCREEN_WORDS_H

#include "dpkgtop/model.h"

/* "upgrading" …, followed by a package. */
const char *words_of_verb(enum package_verb v);
/* What goes on in a phase while no package is in work. */
const char *words_of_phase(enum phase p);
/* "waiting for the disk's flushes" … */
const char *words_of_cause(enum cause c);
/* "disk wait" … for a state letter of proc(5). */
const char *words_of_state(char state);

/* "foo: postinst failed with exit status 1, left half-configured" */
void words_of_failure(const struct package *k, char *ret, size_t size);
/* The names of the failed packages after the first `skip`: "foo, bar and 2 more"; "" for none. */
void words_of_failures(const struct packages *p, size_t skip, char *ret, size_t size);

#endif
