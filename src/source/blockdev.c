/* blockdev.c - the disk below a block device. */
#include "blockdev.h"

#include "dpkgtop/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <libudev.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* A '/' in a disk's name (cciss/c0d0) is a '!' in sysfs, but not in diskstats. */
static void swap(char *name, char from, char to)
{
	for (; *name; name++)
		if (*name == from)
			*name = to;
}

/* Opens a directory of sysfs for a walk; NULL if there is none. */
static DIR *open_list(const struct roots *roots, const char *path)
{
	int fd = openat(roots->sys, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* From a volume (device mapper, md, bcache) to the first device that it lies on, by name.
 * `*ret_count`: of how many. */
static bool descend(const struct roots *roots, struct disk *d, size_t *ret_count)
{
	char path[128], file[300], first[256] = "";
	uint32_t major, minor;
	struct dirent *entry;
	DIR *dir;

	*ret_count = 0;
	snprintf(path, sizeof(path), "%s/slaves", d->path);
	dir = open_list(roots, path);
	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		++*ret_count;
		if (!first[0] || strcmp(entry->d_name, first) < 0)
			snprintf(first, sizeof(first), "%s", entry->d_name);
	}
	closedir(dir);
	snprintf(file, sizeof(file), "slaves/%s/dev", first);
	return first[0] && read_numbers(roots, d, file, &major, &minor) &&
	       find(roots, major, minor, d);
}

/* What made a device mapper device stands before the '-' in its uuid: LVM2, cryptsetup
 * ("CRYPT-LUKS2-…", "CRYPT-PLAIN-…"), multipath-tools, kpartx ("part1-mpath-…"). */
static void name_mapper_kind(const struct roots *roots, const struct disk *d, char *ret,
                             size_t size)
{
	char uuid[160], name[128];

	if (!read_word(roots, d, "dm/uuid", uuid, sizeof(uuid)))
		snprintf(ret, size, "dm");
	else if (text_starts(uuid, "LVM-") && read_word(roots, d, "dm/name", name, sizeof(name)))
		snprintf(ret, size, "lvm %s", name);
	else
		snprintf(ret, size, "%s",
		         text_starts(uuid, "LVM-")           ? "lvm"
		         : text_starts(uuid, "CRYPT-LUKS")   ? "luks"
		         : text_starts(uuid, "CRYPT-VERITY") ? "verity"
		         : text_starts(uuid, "CRYPT-")       ? "crypt"
		         : text_starts(uuid, "mpath-")       ? "multipath"
		         : text_starts(uuid, "part")         ? "partition"
		                                             : "dm");
}

/* "" for a plain disk. */
static void name_kind(const struct roots *roots, const struct disk *d, char *ret, size_t size)
{
	char level[32];

	*ret = '\0';
	if (text_starts(d->name, "dm-"))
		name_mapper_kind(roots, d, ret, size);
	else if (read_word(roots, d, "md/level", level, sizeof(level)))
		snprintf(ret, size, "%s", level);
	else if (text_starts(d->name, "bcache"))
		snprintf(ret, size, "bcache");
	else if (text_starts(d->name, "loop"))
		snprintf(ret, size, "loop");
}

/* Adds "dm-1 lvm vg-root" to the stack. `count`: the layer above lies on so many like it. */
static void add_layer(const struct roots *roots, const struct disk *d, size_t count,
                      struct storage_event *into)
{
	char kind[160], layer[256], name[sizeof(d->name)];
	size_t used = strlen(into->stack);

	snprintf(name, sizeof(name), "%s", d->name);
	swap(name, '!', '/');
	name_kind(roots, d, kind, sizeof(kind));
	snprintf(layer, sizeof(layer), "%s%s%s%s", used ? ", " : "", name, *kind ? " " : "", kind);
	if (count > 1)
		snprintf(layer + strlen(layer), sizeof(layer) - strlen(layer), " (1 of %zu)",
		         count);
	/* Cut at a whole character. */
	text_printable_string(into->stack + used, sizeof(into->stack) - used, layer);
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

/* Not through text_printable(): it is opened, not shown. */
static void read_backing(const struct roots *roots, const struct disk *d, char *ret, size_t size)
{
	char path[128];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/loop/backing_file", d->path);
	len = roots_read(roots->sys, path, ret, size);
	if (len > 0 && ret[len - 1] == '\n')
		ret[--len] = '\0';
	if (len < 0)
		*ret = '\0';
}

bool blockdev_describe(const struct roots *roots, struct block_number device,
                       struct storage_event *into, char *ret_backing, size_t size)
{
	size_t count;
	struct disk d;

	*ret_backing = '\0';
	if (!find(roots, device.major, device.minor, &d))
		return false;
	leave_partition(roots, &d);
	add_layer(roots, &d, 1, into);
	for (int i = 0; i < STACK_MAX && descend(roots, &d, &count); i++) {
		leave_partition(roots, &d);
		add_layer(roots, &d, count, into);
	}
	text_printable_string(into->disk, sizeof(into->disk), d.name);
	swap(into->disk, '!', '/');
	into->disk_model[0] = into->write_cache[0] = '\0';
	find_model(roots, &d, into->disk_model, sizeof(into->disk_model));
	into->rotational = find_rotational(roots, &d);
	read_word(roots, &d, "queue/write_cache", into->write_cache, sizeof(into->write_cache));
	read_backing(roots, &d, ret_backing, size);
	return true;
}

static bool numbers_of_name(const struct roots *roots, const char *name, struct block_number *ret)
{
	struct disk d;

	snprintf(d.path, sizeof(d.path), "class/block/%.40s", name);
	swap(d.path + strlen("class/block/"), '/', '!');
	return strlen(name) <= 40 && read_numbers(roots, &d, "dev", &ret->major, &ret->minor);
}

/* Of a device mapper device, by the name it has there. */
static bool numbers_of_mapper(const struct roots *roots, const char *name, struct block_number *ret)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir = open_list(roots, "class/block");

	while (dir && !found && (entry = readdir(dir))) {
		char word[256];
		struct disk d;

		if (!text_starts(entry->d_name, "dm-"))
			continue;
		snprintf(d.path, sizeof(d.path), "class/block/%.40s", entry->d_name);
		found = read_word(roots, &d, "dm/name", word, sizeof(word)) &&
		        strcmp(word, name) == 0 &&
		        read_numbers(roots, &d, "dev", &ret->major, &ret->minor);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Other names (/dev/disk/by-uuid/…) are links that udev made. Whoever mounted it chose this text:
 * it must not lead us out of /dev, where an automount or a dead server may wait. */
static bool numbers_of_node(const char *name, struct block_number *ret)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS,
	};
	int dev = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	bool found = false;
	struct stat st;

	if (dev >= 0)
		fd = (int)syscall(SYS_openat2, dev, name, &how, sizeof(how));
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISBLK(st.st_mode)) {
		*ret = (struct block_number){major(st.st_rdev), minor(st.st_rdev)};
		found = true;
	}
	if (fd >= 0)
		close(fd);
	if (dev >= 0)
		close(dev);
	return found;
}

bool blockdev_named(const struct roots *roots, const char *source, struct block_number *ret)
{
	const char *name = source + strlen("/dev/");

	if (!text_starts(source, "/dev/"))
		return false;
	if (text_starts(name, "mapper/") && numbers_of_mapper(roots, name + strlen("mapper/"), ret))
		return true;
	return numbers_of_name(roots, name, ret) ||
	       (is_real_sys(roots) && numbers_of_node(name, ret));
}
