/* device.h - what lies below a directory: filesystem, disk, its kind. */
#ifndef DPKGTOP_DEVICE_H
#define DPKGTOP_DEVICE_H

#include "dpkgtop/frame.h"
#include "dpkgtop/source.h"

/* Fills the header's disk, model, rotational, write cache, filesystem, mount point and options
 * for `path` (default admin directory or scratch root). The mount is the last one of
 * /proc/self/mountinfo (proc(5)) whose mount point holds the resolved path; the disk is the
 * whole disk below its device (libudev, /sys/dev/block), the first one for a filesystem that
 * spans several. What can not be told stays unknown. */
void device_describe(const struct roots *roots, const char *path, struct header *into);

/* The mountinfo part alone, on a given text: 0, or -ENOENT. `source` gets the device word. */
int device_find_mount(const char *mountinfo, const char *path, struct header *into, char *source,
                      size_t size);

#endif
