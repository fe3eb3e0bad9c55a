/* test_device.c - from a path to its mount, and from there to the disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/device.h"

/* A laptop: /boot and a home of its own, a bind mount, btrfs subvolumes. */
static const char ordinary[] =
	"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard,errors=remount-ro\n"
	"23 22 0:21 / /proc rw,nosuid - proc proc rw\n"
	"30 22 8:2 / /boot rw,noatime shared:2 master:7 - vfat /dev/sda2 rw,fmask=0022\n"
	"31 22 0:40 /@var /var rw,noatime - btrfs /dev/mapper/vg-sys rw,ssd,subvol=/@var\n"
	"32 31 0:40 /@log /var/log ro,noatime - btrfs /dev/mapper/vg-sys rw,ssd,subvol=/@log\n"
	"33 22 254:0 /srv/deep /mnt/bind rw,relatime - ext4 /dev/vda1 rw,discard\n"
	"34 22 8:17 / /media/my\\040disk\\134x rw - ext4 /dev/disk/by-label/my\\040disk rw\n"
	"35 22 0:50 / /varnish rw - tmpfs tmpfs rw,size=1g\n";

static void assert_mount(const char *mountinfo, const char *path, const char *mount_point,
                         const char *filesystem, const char *source)
{
	struct header h = {0};
	char got[256] = "";

	assert_int_equal(device_find_mount(mountinfo, path, &h, got, sizeof(got)), 0);
	assert_string_equal(h.mount_point, mount_point);
	assert_string_equal(h.filesystem, filesystem);
	assert_string_equal(got, source);
}

static void finds_the_innermost_mount(void **state)
{
	(void)state;
	assert_mount(ordinary, "/", "/", "ext4", "/dev/vda1");
	assert_mount(ordinary, "/usr/share", "/", "ext4", "/dev/vda1");
	assert_mount(ordinary, "/boot", "/boot", "vfat", "/dev/sda2");
	assert_mount(ordinary, "/bootstrap", "/", "ext4", "/dev/vda1");
	assert_mount(ordinary, "/var/lib/dpkg", "/var", "btrfs", "/dev/mapper/vg-sys");
	assert_mount(ordinary, "/var/log/apt", "/var/log", "btrfs", "/dev/mapper/vg-sys");
	assert_mount(ordinary, "/var/logs", "/var", "btrfs", "/dev/mapper/vg-sys");
	assert_mount(ordinary, "/varnish/x", "/varnish", "tmpfs", "tmpfs");
	assert_mount(ordinary, "/mnt/bind/x", "/mnt/bind", "ext4", "/dev/vda1");
	assert_mount(ordinary, "/mnt", "/", "ext4", "/dev/vda1");
	assert_mount(ordinary, "/media/my disk\\x/y", "/media/my disk\\x", "ext4",
	             "/dev/disk/by-label/my disk");
}

static void joins_options(void **state)
{
	struct header h = {0};
	char source[64];

	(void)state;
	assert_int_equal(device_find_mount(ordinary, "/", &h, source, sizeof(source)), 0);
	assert_string_equal(h.mount_options, "rw,relatime,discard,errors=remount-ro");
	assert_int_equal(device_find_mount(ordinary, "/var/log", &h, source, sizeof(source)), 0);
	assert_string_equal(h.mount_options, "ro,noatime,ssd,subvol=/@log");
	/* A mount may not be read-only where its filesystem is. */
	assert_int_equal(device_find_mount("1 0 8:1 / / rw - ext4 /dev/sda1 ro,rw,noatime\n", "/",
	                                   &h, source, sizeof(source)),
	                 0);
	assert_string_equal(h.mount_options, "rw,ro,noatime");
}

/* A later mount on the same place, and one that covers others. */
static void a_later_mount_covers(void **state)
{
	static const char stacked[] = "22 1 254:0 / / rw - ext4 /dev/vda1 rw\n"
				      "40 22 8:1 / /srv rw - xfs /dev/sda1 rw\n"
				      "41 40 8:2 / /srv rw - ext4 /dev/sda2 rw\n"
				      "42 41 8:3 / /srv/in rw - jfs /dev/sda3 rw\n";
	static const char covered[] = "22 1 254:0 / / rw - ext4 /dev/vda1 rw\n"
				      "40 22 8:1 / /srv/a/b rw - xfs /dev/sda1 rw\n"
				      "41 22 8:2 / /srv rw - ext4 /dev/sda2 rw\n";

	(void)state;
	assert_mount(stacked, "/srv", "/srv", "ext4", "/dev/sda2");
	assert_mount(stacked, "/srv/in/x", "/srv/in", "jfs", "/dev/sda3");
	assert_mount(covered, "/srv/a/b/c", "/srv", "ext4", "/dev/sda2");
}

/* Since Linux 6.8 lines are sorted by id: what the initramfs mounted and moved comes first. */
static void order_is_no_rule(void **state)
{
	static const char moved[] = "22 27 0:21 / /proc rw - proc proc rw\n"
				    "24 27 0:6 / /dev rw - devtmpfs devtmpfs rw\n"
				    "25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw\n"
				    "27 1 254:0 / / rw - ext4 /dev/vda rw\n"
				    "1 1 0:2 / / rw - rootfs rootfs rw\n";

	(void)state;
	assert_mount(moved, "/dev/shm/x", "/dev/shm", "tmpfs", "tmpfs");
	assert_mount(moved, "/var", "/", "ext4", "/dev/vda");
}

/* In a plain chroot the root's own mount is not listed. */
static void a_chroot_may_have_no_root_mount(void **state)
{
	static const char chroot[] = "50 22 0:21 / /proc rw - proc proc rw\n"
				     "51 22 8:1 / /boot rw - ext4 /dev/sda1 rw\n";
	struct header h = {.filesystem = "kept"};
	char source[64] = "kept";

	(void)state;
	assert_mount(chroot, "/boot/x", "/boot", "ext4", "/dev/sda1");
	assert_int_equal(device_find_mount(chroot, "/var", &h, source, sizeof(source)), -ENOENT);
	assert_string_equal(h.filesystem, "kept");
	assert_string_equal(source, "kept");
}

static void takes_damaged_text(void **state)
{
	static const char *const damaged[] = {
		"",
		"\n\n",
		"22 1 254:0 / / rw",
		"22 1 254:0 / / rw -",
		"22 1 254:0 / / rw - ext4",
		"22 1 254:0 / / rw - ext4 /dev/vda",
		"22 1 x / / rw - ext4 /dev/vda rw",
		"22 1 254:0 / / rw shared:1 ext4 /dev/vda rw",
		/* each the other's parent */
		"22 23 254:0 / / rw - ext4 /dev/vda rw\n23 22 254:0 / / rw - ext4 /dev/vda rw",
	};
	struct header h = {0};
	char source[64];

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		assert_int_equal(device_find_mount(damaged[i], "/x", &h, source, sizeof(source)),
		                 -ENOENT);
	/* A backslash that escapes nothing stays. */
	assert_mount("1 0 8:1 / / rw - ext4 /a\\04 rw", "/", "/", "ext4", "/a\\04");
	/* Neither a circle below the root nor an escaped escape sequence does harm. */
	assert_mount("1 0 8:1 / / rw - ext4 a\\033[m rw\n"
	             "2 1 8:1 / /x rw - b b rw\n3 2 8:1 / /x rw - c c rw\n2 3 8:1 / /x rw - d d rw",
	             "/", "/", "ext4", "a?[m");
}

/* A made-up /proc and /sys. */

static char top[32];

static void make_file(const char *path, const char *text)
{
	char at[256];
	FILE *f;

	snprintf(at, sizeof(at), "%s/%s", top, path);
	for (char *slash = at + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(at, 0700);
		*slash = '/';
	}
	f = fopen(at, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void make_link(const char *path, const char *to)
{
	char at[256];

	snprintf(at, sizeof(at), "%s/%s", top, path);
	assert_int_equal(symlink(to, at), 0);
}

static int make_top(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/dpkgtop-test-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_top(void **state)
{
	(void)state;
	return nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void describe(const char *mountinfo, struct header *h)
{
	char proc[64], sys[64];
	struct roots roots;

	make_file("proc/self/mountinfo", mountinfo);
	make_file("sys/empty", "");
	snprintf(proc, sizeof(proc), "%s/proc", top);
	snprintf(sys, sizeof(sys), "%s/sys", top);
	assert_int_equal(roots_open(&roots, proc, sys, NULL), 0);
	memset(h, 'x', sizeof(*h));
	device_describe(&roots, "/", h);
	roots_close(&roots);
}

/* A volume on an encrypted volume on a partition of a disk. */
static void descends_to_the_disk(void **state)
{
	struct header h;

	(void)state;
	make_file("sys/devices/ata/block/sda/dev", "8:0\n");
	make_file("sys/devices/ata/block/sda/device/model", "SAMSUNG MZ7LN256\n");
	make_file("sys/devices/ata/block/sda/queue/rotational", "0\n");
	make_file("sys/devices/ata/block/sda/queue/write_cache", "write back\n");
	make_file("sys/devices/ata/block/sda/sda3/dev", "8:3\n");
	make_file("sys/devices/ata/block/sda/sda3/partition", "3\n");
	make_file("sys/devices/virtual/block/dm-0/dev", "253:0\n");
	make_file("sys/devices/virtual/block/dm-0/slaves/.keep", "");
	make_file("sys/devices/virtual/block/dm-1/dev", "253:1\n");
	make_file("sys/devices/virtual/block/dm-1/slaves/.keep", "");
	make_file("sys/devices/virtual/block/dm-1/queue/rotational", "1\n");
	make_file("sys/dev/block/.keep", "");
	make_link("sys/devices/virtual/block/dm-0/slaves/sda3", "../../../../ata/block/sda/sda3");
	make_link("sys/devices/virtual/block/dm-1/slaves/dm-0", "../../dm-0");
	make_link("sys/dev/block/8:0", "../../devices/ata/block/sda");
	make_link("sys/dev/block/8:3", "../../devices/ata/block/sda/sda3");
	make_link("sys/dev/block/253:0", "../../devices/virtual/block/dm-0");
	make_link("sys/dev/block/253:1", "../../devices/virtual/block/dm-1");
	describe("1 0 253:1 / / rw - ext4 /dev/mapper/vg-root rw,errors=remount-ro\n", &h);
	assert_string_equal(h.disk, "sda");
	assert_string_equal(h.disk_model, "SAMSUNG MZ7LN256");
	assert_int_equal(h.rotational, 0);
	assert_string_equal(h.write_cache, "write back");
	assert_string_equal(h.filesystem, "ext4");
	assert_string_equal(h.mount_point, "/");
	assert_string_equal(h.mount_options, "rw,errors=remount-ro");
	describe("1 0 8:3 / / rw - ext4 /dev/sda3 rw\n", &h);
	assert_string_equal(h.disk, "sda");
	describe("1 0 8:0 / / rw - ext4 /dev/sda rw\n", &h);
	assert_string_equal(h.disk, "sda");
}

static void names_what_has_no_model(void **state)
{
	struct header h;

	(void)state;
	make_file("sys/devices/virtio1/block/vda/dev", "254:0\n");
	make_file("sys/devices/virtio1/block/vda/queue/rotational", "1\n");
	make_file("sys/devices/virtio1/features", "");
	make_file("sys/devices/virtual/block/loop3/dev", "7:3\n");
	make_file("sys/devices/virtual/block/loop3/queue/rotational", "1\n");
	make_file("sys/devices/virtual/block/cciss!c0d0/dev", "104:0\n");
	make_file("sys/dev/block/.keep", "");
	make_link("sys/devices/virtio1/block/vda/device", "../../../virtio1");
	make_link("sys/devices/virtio1/subsystem", "../../bus/virtio");
	make_link("sys/dev/block/254:0", "../../devices/virtio1/block/vda");
	make_link("sys/dev/block/7:3", "../../devices/virtual/block/loop3");
	make_link("sys/dev/block/104:0", "../../devices/virtual/block/cciss!c0d0");
	describe("1 0 254:0 / / rw - ext4 /dev/vda rw\n", &h);
	assert_string_equal(h.disk, "vda");
	assert_string_equal(h.disk_model, "virtio");
	assert_int_equal(h.rotational, -1);
	assert_string_equal(h.write_cache, "");
	describe("1 0 7:3 / / rw - ext4 /dev/loop3 rw\n", &h);
	assert_string_equal(h.disk, "loop3");
	assert_string_equal(h.disk_model, "loop");
	assert_int_equal(h.rotational, 1);
	describe("1 0 104:0 / / rw - ext4 /dev/cciss/c0d0 rw\n", &h);
	assert_string_equal(h.disk, "cciss/c0d0");
	assert_string_equal(h.disk_model, "");
}

static void leaves_the_unknown_unknown(void **state)
{
	struct header h;

	(void)state;
	describe("1 0 0:40 / / rw - overlay overlay rw,upperdir=/a\n", &h);
	assert_string_equal(h.filesystem, "overlay");
	assert_string_equal(h.disk, "");
	assert_string_equal(h.disk_model, "");
	assert_int_equal(h.rotational, -1);
	/* A source that looks like a path need not be a device. */
	describe("1 0 0:40 / / rw - fuse.x /dev/null:/dev/zero rw\n", &h);
	assert_string_equal(h.disk, "");
	describe("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n", &h);
	assert_string_equal(h.filesystem, "ext4");
	assert_string_equal(h.disk, "");
}

/* The machine itself: whatever it is, the words fit together. */
static void describes_this_machine(void **state)
{
	struct roots roots;
	struct header h;

	(void)state;
	memset(&h, 'x', sizeof(h));
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	device_describe(&roots, "/proc/self", &h);
	assert_string_equal(h.filesystem, "proc");
	assert_string_equal(h.mount_point, "/proc");
	assert_string_equal(h.disk, "");
	device_describe(&roots, "/no/such/place", &h);
	assert_string_equal(h.filesystem, "");
	assert_string_equal(h.mount_options, "");
	device_describe(&roots, "/", &h);
	if (h.disk[0])
		assert_null(strchr(h.disk_model, '\n'));
	assert_in_range(h.rotational + 1, 0, 2);
	roots_close(&roots);
}

#define WITH_TOP(f) cmocka_unit_test_setup_teardown(f, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_innermost_mount),
		cmocka_unit_test(joins_options),
		cmocka_unit_test(a_later_mount_covers),
		cmocka_unit_test(order_is_no_rule),
		cmocka_unit_test(a_chroot_may_have_no_root_mount),
		cmocka_unit_test(takes_damaged_text),
		WITH_TOP(descends_to_the_disk),
		WITH_TOP(names_what_has_no_model),
		WITH_TOP(leaves_the_unknown_unknown),
		cmocka_unit_test(describes_this_machine),
	};

	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
