/* device.h - what lies below a directory, and disks that come and go. */
#ifndef DPKGTOP_DEVICE_H
#define DPKGTOP_DEVICE_H

#include "dpkgtop/event.h"
#include "dpkgtop/place.h"

/* Fills all of `ret` for the directory `path` inside `place`. The mount is found by its device
 * and mountinfo (proc(5)) of `pid` ("self": 0), the disk is the whole disk at the bottom of the
 * stack (libudev, /sys/dev/block, slaves/), the first one for a filesystem that spans several; the
 * stack names every layer from the filesystem down with its kind (lvm, luks, raid1, loop, …;
 * partitions left out), and "(1 of 2)" behind one that the layer above shares with others. A loop
 * device goes on with the disk of its file, an overlay is where its upper layer is, as far as that
 * lies on this machine. What can not be told stays unknown. Works without a running udevd. */
void device_describe(const struct roots *roots, const struct place *place, int32_t pid,
                     const char *path, struct storage_event *ret);

struct device_monitor;

/* Tells of whole disks that come, go or change, by udev's events where udevd runs and the kernel's
 * where it does not. 0, or -errno with detail. */
bool device_monitor_by_udev(void);
int device_monitor_open(struct device_monitor **ret, struct err *e);
void device_monitor_close(struct device_monitor *m);
int device_monitor_fd(const struct device_monitor *m);
/* Calls `take` for each event that waits (kind EVENT_DEVICE, not stamped). */
void device_monitor_read(struct device_monitor *m, void (*take)(void *context, struct event *e),
                         void *context);

#endif
