/* blockdev.h - the disk below a block device. */
#ifndef DPKGTOP_BLOCKDEV_H
#define DPKGTOP_BLOCKDEV_H

#include "dpkgtop/event.h"
#include "dpkgtop/source.h"

struct block_number {
	uint32_t major, minor;
};

/* Goes down from the given device to the whole disk at the bottom: adds each layer to the stack of
 * `into`, and fills its disk, model, rotational and write cache. `ret_backing` gets the file that
 * this disk lies in, if it is a loop device, else "". False, and nothing filled, if there is no
 * such device. */
bool blockdev_describe(const struct roots *roots, struct block_number device,
                       struct storage_event *into, char *ret_backing, size_t size);

/* The block device that a mount's source names: "/dev/sda1", "/dev/mapper/vg-root". No other place
 * than sysfs and this machine's /dev is looked at. */
bool blockdev_named(const struct roots *roots, const char *source, struct block_number *ret);

#endif
