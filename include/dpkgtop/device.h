/* device.h - what lies below a directory: filesystem, disk, its kind. */
#ifndef DPKGTOP_DEVICE_H
#define DPKGTOP_DEVICE_H

#include "dpkgtop/frame.h"
#include "dpkgtop/source.h"

/* Fills the header's disk, model, rotational, write cache, filesystem, mount point and options
 * for `path` (default admin directory or scratch root). The mount is the one that a walk down the
 * resolved path ends in (/proc/self/mountinfo, proc(5)): neither the last nor the longest match
 * will do, for mounts can be moved or covered by a later one. The disk is the whole disk below
 * its device (/sys/dev/block), the first one for a filesystem or volume that spans several; a
 * loop device is its own disk. The model is libudev's ID_MODEL, the device's own word, or else
 * its bus ("virtio") or "loop". Options are the mount's, then the filesystem's. What can not be
 * told becomes unknown. */
void device_describe(const struct roots *roots, const char *path, struct header *into);

/* The mountinfo part alone, on a given text and a resolved path: fills filesystem, mount point and
 * options; `source` gets the device word. 0, or -ENOENT. */
int device_find_mount(const char *mountinfo, const char *path, struct header *into, char *source,
                      size_t size);

#endif
