/* monitor.c - disks that come and go, by libudev. */
#include "dpkgtop/device.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

#include <errno.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Events taken at once; what is left wakes the loop again. */
#define READ_MAX 64

struct device_monitor {
	struct udev *udev;
	struct udev_monitor *monitor;
};

/* libudev makes the same test, and without udevd a monitor of "udev" that never hears a thing
 * (sd-device's device-monitor.c). */
bool device_monitor_by_udev(void)
{
	return access("/run/udev/control", F_OK) == 0;
}

static int open_monitor(struct device_monitor *m)
{
	int r;

	errno = 0;
	m->udev = udev_new();
	if (m->udev)
		m->monitor = udev_monitor_new_from_netlink(
			m->udev, device_monitor_by_udev() ? "udev" : "kernel");
	if (!m->monitor)
		return errno ? -errno : -EIO;
	r = udev_monitor_filter_add_match_subsystem_devtype(m->monitor, "block", "disk");
	return r < 0 ? r : udev_monitor_enable_receiving(m->monitor);
}

int device_monitor_open(struct device_monitor **ret, struct err *e)
{
	struct device_monitor *m = mem_new(1, sizeof(*m));
	int r = open_monitor(m);

	if (r < 0) {
		device_monitor_close(m);
		return err_set(e, r, "device events: %s", strerror(-r));
	}
	*ret = m;
	return 0;
}

void device_monitor_close(struct device_monitor *m)
{
	if (!m)
		return;
	udev_monitor_unref(m->monitor);
	udev_unref(m->udev);
	free(m);
}

int device_monitor_fd(const struct device_monitor *m)
{
	return udev_monitor_get_fd(m->monitor);
}

static bool fill(struct udev_device *device, struct device_event *ret)
{
	const char *action = udev_device_get_action(device);
	const char *name = udev_device_get_sysname(device);
	const char *property = udev_device_get_property_value(device, "ID_MODEL");
	const char *model = property;

	if (!action || !name ||
	    (strcmp(action, "add") != 0 && strcmp(action, "remove") != 0 &&
	     strcmp(action, "change") != 0))
		return false;
	if (!model)
		model = udev_device_get_sysattr_value(device, "device/model");
	/* libudev has turned the '!' in a name into the '/' of diskstats. */
	text_printable_string(ret->disk, sizeof(ret->disk), name);
	text_printable_string(ret->action, sizeof(ret->action), action);
	text_printable_string(ret->model, sizeof(ret->model), model ? model : "");
	for (char *c = ret->model; property && *c; c++)
		if (*c == '_') /* udev's way to write a space */
			*c = ' ';
	return true;
}

void device_monitor_read(struct device_monitor *m, void (*take)(void *context, struct event *e),
                         void *context)
{
	struct udev_device *device;

	for (int i = 0; i < READ_MAX && (device = udev_monitor_receive_device(m->monitor)); i++) {
		struct event e = {.kind = EVENT_DEVICE};

		if (fill(device, &e.device))
			take(context, &e);
		udev_device_unref(device);
	}
}
