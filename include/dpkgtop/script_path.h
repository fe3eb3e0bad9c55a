/* script_path.h - which package's script a command line runs, by where dpkg and debconf keep them.
 */
#ifndef DPKGTOP_SCRIPT_PATH_H
#define DPKGTOP_SCRIPT_PATH_H

#include <stdbool.h>

struct script_path {
	char package[96]; /* without its architecture; "" where the path has none */
	char script[24];  /* "preinst" "postinst" "prerm" "postrm" "config" */
	bool extracted;   /* out of a package not unpacked yet, for its questions */
};

/* ".../info/PACKAGE.postinst", also "PACKAGE:ARCH.config"; ".../tmp.ci/preinst" (lib/dpkg/dpkg.h,
 * CONTROLDIRTMP); ".../tmp.ci/PACKAGE.config.XXXXXX" (apt-extracttemplates(1), extracted). The
 * script is the first word of `command`, or follows its interpreter and that one's options, or
 * debconf's frontend: it is among the first few. Words are separated by spaces. */
bool script_path_of(const char *command, struct script_path *ret);

#endif
