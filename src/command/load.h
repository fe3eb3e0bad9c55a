/* load.h - a recording as a model. */
#ifndef DPKGTOP_LOAD_H
#define DPKGTOP_LOAD_H

#include <stdbool.h>

#include "dpkgtop/err.h"
#include "dpkgtop/model.h"
#include "dpkgtop/recording.h"

/* Folds a recording ("-": standard input) into `m`, which model_init() has seen. 0, with `*ret_cut`
 * telling that it ends early (recording.h); or -errno with detail, and `m` up to there: -EBADMSG
 * also where not even the header is whole. */
int load_model(const char *path, struct model *m, bool *ret_cut, struct err *e);

/* Of a recording read to its end: 0, or -EBADMSG with detail if there is not even a header. */
int load_headless(const struct recording *recording, const char *path, struct err *e);

/* The exit status for that: STATUS_OK, STATUS_DAMAGED for a damaged or newer file, STATUS_FAILURE.
 */
int load_status(int result);

#endif
