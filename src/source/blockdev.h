/* blockdev.h - the disk below a block device. */
#ifndef DPKGTOP_BLOCKDEV_H
#define DPKGTOP_BLOCKDEV_H

#include "dpkgtop/frame.h"
#include "dpkgtop/source.h"

/* Fills the header's disk, model, rotational and write cache for the block device given by its
 * numbers. What can not be told is left alone. */
void blockdev_describe(const struct roots *roots, uint32_t major, uint32_t minor,
                       struct header *into);

#endif
