/* blockdev.c - the disk below a block device. */
#include "blockdev.h"

#include "dpkgtop/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Volumes on volumes: deeper than anyone stacks them. */
#define STACK_MAX 16

/* What a disk is found by. */
struct disk {
	uint32_t major, minor;
	char path[64]; /* its directory below /sys */
	char name[64]; /* as sysfs writes it */
};

/* Reads one line of a file of the disk's directory. False if there is none, or an empty one. */
static bool read_word(const struct roots *roots, const struct disk *d, const char *file, char *ret,
                      size_t size)
{
	char path[512], text[256];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%s", d->path, file);
	len = roots_read(roots->sys, path, text, sizeof(text));
	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	if (len <= 0)
		return false;
	text_printable(ret, size, text, (size_t)len);
	return true;
}

/* The last part of where a link of the disk's directory leads ("" : that of the directory). */
static bool read_link_name(const struct roots *roots, const struct disk *d, const char *link,
                           char *ret, size_t size)
{
	char path[512], to[512];
	const char *slash;
	ssize_t len;

	snprintf(path, sizeof(path), "%s%s", d->path, link);
	len = readlinkat(roots->sys, path, to, sizeof(to) - 1);
	if (len <= 0)
		return false;
	to[len] = '\0';
	slash = strrchr(to, '/');
	text_printable_string(ret, size, slash ? slash + 1 : to);
	return true;
}

/* The device numbers in a `dev` file below the disk's directory. */
static bool read_numbers(const struct roots *roots, const struct disk *d, const char *file,
                         uint32_t *major, uint32_t *minor)
{
	char text[64];

	return read_word(roots, d, file, text, sizeof(text)) &&
	       sscanf(text, "%u:%u", major, minor) == 2;
}

static bool find(const struct roots *roots, uint32_t major, uint32_t minor, struct disk *ret)
{
	struct disk d = {.major = major, .minor = minor};

	snprintf(d.path, sizeof(d.path), "dev/block/%u:%u", major, minor);
	if (!read_link_name(roots, &d, "", d.name, sizeof(d.name)))
		return false;
	*ret = d;
	return true;
}

/* From a partition to its disk: the parent directory in sysfs. */
static void leave_partition(const struct roots *roots, struct disk *d)
{
	uint32_t major, minor;
	char text[16];

	if (read_word(roots, d, "partition", text, sizeof(text)) &&
	    read_numbers(roots, d, "../dev", &major, &minor))
		find(roots, major, minor, d);
}

/* From a volume (device mapper, md) to the first device it lies on, by name. */
static bool descend(const struct roots *roots, struct disk *d)
{
	char path[128], file[300], first[256] = "";
	uint32_t major, minor;
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%s/slaves", d->path);
	fd = openat(roots->sys, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return false;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (!first[0] || strcmp(entry->d_name, first) < 0))
			snprintf(first, sizeof(first), "%s", entry->d_name);
	closedir(dir);
	snprintf(file, sizeof(file), "slaves/%s/dev", first);
	return first[0] && read_numbers(roots, d, file, &major, &minor) &&
	       find(roots, major, minor, d);
}

/* libudev knows no other place than /sys. */
static bool is_real_sys(const struct roots *roots)
{
	struct stat ours, real;

	return fstat(roots->sys, &ours) == 0 && stat("/sys", &real) == 0 &&
	       ours.st_dev == real.st_dev && ours.st_ino == real.st_ino;
}

/* udevd's own reading of the disk's identity, complete where sysfs has the 16 characters that
 * SCSI leaves of an ATA disk's name. Words are joined by '_' there. */
static bool udev_model(const struct roots *roots, const struct disk *d, char *ret, size_t size)
{
	struct udev_device *device = NULL;
	const char *model = NULL;
	struct udev *udev;

	udev = is_real_sys(roots) ? udev_new() : NULL;
	if (udev)
		device = udev_device_new_from_devnum(udev, 'b', makedev(d->major, d->minor));
	if (device)
		model = udev_device_get_property_value(device, "ID_MODEL");
	if (model) {
		text_printable_string(ret, size, model);
		for (char *c = ret; *c; c++)
			if (*c == '_')
				*c = ' ';
	}
	udev_device_unref(device);
	udev_unref(udev);
	return model != NULL;
}

static void find_model(const struct roots *roots, const struct disk *d, char *ret, size_t size)
{
	if (text_starts(d->name, "loop"))
		snprintf(ret, size, "loop");
	else if (!udev_model(roots, d, ret, size) &&
	         !read_word(roots, d, "device/model", ret, size) &&
	         !read_word(roots, d, "device/name", ret, size)) /* SD cards */
		read_link_name(roots, d, "/device/subsystem", ret, size);
}

static int32_t find_rotational(const struct roots *roots, const struct disk *d)
{
	char text[16], bus[32];

	/* virtio_blk has no way to tell what lies behind it: its flag is a constant. */
	if (read_link_name(roots, d, "/device/subsystem", bus, sizeof(bus)) &&
	    strcmp(bus, "virtio") == 0)
		return -1;
	if (!read_word(roots, d, "queue/rotational", text, sizeof(text)))
		return -1;
	return text[0] == '1' ? 1 : text[0] == '0' ? 0 : -1;
}

void blockdev_describe(const struct roots *roots, uint32_t major, uint32_t minor,
                       struct header *into)
{
	struct disk d;

	if (!find(roots, major, minor, &d))
		return;
	leave_partition(roots, &d);
	for (int i = 0; i < STACK_MAX && descend(roots, &d); i++)
		leave_partition(roots, &d);
	text_printable_string(into->disk, sizeof(into->disk), d.name);
	/* A '/' in a disk's name (cciss/c0d0) is a '!' in sysfs, but not in diskstats. */
	for (char *c = into->disk; *c; c++)
		if (*c == '!')
			*c = '/';
	find_model(roots, &d, into->disk_model, sizeof(into->disk_model));
	into->rotational = find_rotational(roots, &d);
	read_word(roots, &d, "queue/write_cache", into->write_cache, sizeof(into->write_cache));
}
