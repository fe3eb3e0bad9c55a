/* log_path.h - the log that a dpkg writes, among its descriptors. */
#ifndef DPKGTOP_LOG_PATH_H
#define DPKGTOP_LOG_PATH_H

#include "descriptors.h"

struct log_descriptor {
	char path[4096]; /* as the link says it; raw bytes */
	struct descriptor_file file;
};

/* 1, 0 if there is none, or -errno if the descriptors can not be looked at. */
int log_find_descriptor(const struct roots *roots, int32_t dpkg, struct log_descriptor *ret);

#endif
