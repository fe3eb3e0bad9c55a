/* mode.h - which sync mode a dpkg works in, and where that was set.
 *
 * dpkg takes, later ones over earlier: DPKG_FORCE, /etc/dpkg/dpkg.cfg.d/ in order of name (letters,
 * digits, '-' and '_' only), /etc/dpkg/dpkg.cfg, ~/.dpkg.cfg, its arguments (dpkg(1);
 * lib/dpkg/options.c, options-dirs, src/common/force.c). eatmydata is a library in LD_PRELOAD, and
 * makes the rest moot. */
#ifndef DPKGTOP_MODE_H
#define DPKGTOP_MODE_H

#include "dpkgtop/event.h"
#include "dpkgtop/place.h"

/* Fills mode and source of the running dpkg `pid` whose root is `place`: mode "safe-io",
 * "unsafe-io", "eatmydata" or "" unknown; source e.g. "arguments", "DPKG_FORCE",
 * "/etc/dpkg/dpkg.cfg.d/docker-apt-speedup", "LD_PRELOAD", "/etc/ld.so.preload", "default".
 * Without root the environment can not be read: then "safe-io" is not certain, and the mode is ""
 * unless arguments or configuration say unsafe-io. It is "" too where a file of the configuration
 * that counts can not be read, where there is more of it than 1 MiB or 256 files in dpkg.cfg.d
 * (then the source is "too much configuration"), or where two in dpkg.cfg.d contradict each other
 * and their order depends on dpkg's locale. */
void mode_find(const struct roots *roots, const struct place *place, int32_t pid,
               struct mode_event *ret);

/* What words say: `text` holds `len` bytes of NUL-separated arguments, the program's name first.
 * 1 unsafe, 0 safe, -1 not said. Knows --force-unsafe-io, --no-force-unsafe-io,
 * --refuse-unsafe-io, --force-all, and lists (--force-THING[,THING…], or as the next word); stops
 * at "--" and at the first word that is no option, as dpkg does. */
int mode_of_arguments(const char *text, size_t len);
/* What a configuration file's text says: options without their dashes, one a line, '#' comments;
 * a list after a space or '=' ("force unsafe-io,depends"), behind a dash only one thing. */
int mode_of_configuration(const char *text, size_t len);
/* What DPKG_FORCE's value says: a list of things. */
int mode_of_list(const char *text);

#endif
