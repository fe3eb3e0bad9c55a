/* asker.h - for which package somebody is asked, by the command lines of the tree. */
#ifndef SCREEN_ASKER_H
#define SCREEN_ASKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dpkgtop/tree.h"

/* The package whose script process `pid` asks for: it, or one above it, runs the script or is
 * debconf's and has it as its child, beside the dialog. So are the questions before dpkg begins
 * (dpkg-preconfigure), of which dpkg.log tells nothing. False: nothing tells; `ret` is "". */
bool asker_package(const struct tree *t, int32_t pid, char *ret, size_t size);

#endif
