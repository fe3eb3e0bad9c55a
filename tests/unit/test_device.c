/* test_device.c - from a directory to its mount, and from there down to the disk.
 *
 * The directories are real, since the kernel says which mount they are on. What is listed of that
 * mount is made up: in a text of mountinfo, "@id" stands for its id and "@dev" for its device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dpkgtop/device.h"

#define SYSFS "tests/fixtures/sys-stack"

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

/* The mount and device of a real directory. */
static void ask_kernel(const char *directory, char *id, char *device, size_t size)
{
	struct statx sx;

	if (statx(AT_FDCWD, directory, 0, STATX_MNT_ID, &sx) != 0 ||
	    !(sx.stx_mask & STATX_MNT_ID)) {
		print_message("# skipped: statx(2) does not tell the mount\n");
		skip();
	}
	snprintf(id, size, "%" PRIu64, (uint64_t)sx.stx_mnt_id);
	snprintf(device, size, "%u:%u", sx.stx_dev_major, sx.stx_dev_minor);
}

static void replace(char *text, size_t size, const char *word, const char *by)
{
	char *at, rest[4096];

	while ((at = strstr(text, word))) {
		snprintf(rest, sizeof(rest), "%s", at + strlen(word));
		snprintf(at, size - (size_t)(at - text), "%s%s", by, rest);
	}
}

/* Writes the mounts of `pid` (0: ours) as seen from the directory `of`. */
static void list_mounts(int pid, const char *of, const char *mountinfo)
{
	char text[4096], path[64], id[32], device[32];

	ask_kernel(of, id, device, sizeof(id));
	snprintf(text, sizeof(text), "%s", mountinfo);
	replace(text, sizeof(text), "@id", id);
	replace(text, sizeof(text), "@dev", device);
	snprintf(path, sizeof(path), "proc/self/mountinfo");
	if (pid)
		snprintf(path, sizeof(path), "proc/%d/mountinfo", pid);
	make_file(path, text);
}

/* `path` below the directory `root`, by the mounts listed before and the given sysfs. */
static void look(const char *root, const char *path, int pid, const char *sysfs,
                 struct storage_event *ret)
{
	struct place place = {.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	struct roots roots;
	char proc[64];

	assert_true(place.root >= 0);
	snprintf(proc, sizeof(proc), "%s/proc", top);
	assert_int_equal(roots_open(&roots, proc, sysfs, NULL), 0);
	memset(ret, 'x', sizeof(*ret));
	device_describe(&roots, &place, pid, path, ret);
	roots_close(&roots);
	place_close(&place);
}

static void describe(const char *mountinfo, struct storage_event *ret)
{
	list_mounts(0, top, mountinfo);
	look(top, "/", 0, SYSFS, ret);
}

static void assert_mount(const struct storage_event *e, const char *mount_point,
                         const char *filesystem)
{
	assert_string_equal(e->mount_point, mount_point);
	assert_string_equal(e->filesystem, filesystem);
}

/* --- the mount ------------------------------------------------------------------------------ */

static void finds_the_mount_by_its_id(void **state)
{
	struct storage_event e;

	(void)state;
	/* Several of one device, as with bind mounts and subvolumes; one that covers another. */
	describe("900001 1 @dev / / rw,relatime - ext4 /dev/a rw\n"
	         "900002 900001 0:21 / /proc rw - proc proc rw\n"
	         "@id 900001 0:40 /@log /var/log rw - btrfs /dev/b rw\n"
	         "900003 900001 @dev / /var/log rw - xfs /dev/c rw\n",
	         &e);
	assert_mount(&e, "/var/log", "btrfs");
	describe("@id 1 8:17 / /media/my\\040disk\\134x rw shared:1 master:2 - vfat /dev/b rw\n",
	         &e);
	assert_mount(&e, "/media/my disk\\x", "vfat");
}

/* Where the kernel says no id, or it is not listed. */
static void finds_the_mount_by_its_device(void **state)
{
	static const char mounts[] = "900001 1 0:1 / / rw - rootfs rootfs rw\n"
				     "900002 900001 @dev /h /etc/hosts rw - ext4 /dev/a rw\n"
				     "900003 900001 @dev / /var rw - ext4 /dev/a rw\n"
				     "900004 900001 @dev / /var/library rw - ext4 /dev/a rw\n";
	struct storage_event e;

	(void)state;
	make_file("var/lib/.keep", "");
	list_mounts(0, top, mounts);
	look(top, "/var/lib", 0, SYSFS, &e);
	assert_mount(&e, "/var", "ext4");
	look(top, "/", 0, SYSFS, &e);
	assert_mount(&e, "/etc/hosts", "ext4");
}

/* A process' own list comes first; in a plain chroot it lacks the mount that its root is on. */
static void asks_the_process_first(void **state)
{
	struct storage_event e;

	(void)state;
	list_mounts(0, top, "@id 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
	list_mounts(77, top, "@id 1 8:1 / / rw,noatime - ext4 /dev/sda1 rw\n");
	list_mounts(78, top, "900001 1 0:21 / /proc rw - proc proc rw\n");
	look(top, "/", 77, SYSFS, &e);
	assert_mount(&e, "/", "ext4");
	assert_string_equal(e.mount_options, "rw,noatime");
	look(top, "/", 78, SYSFS, &e);
	assert_mount(&e, "/srv", "ext4");
	/* It is gone. */
	look(top, "/", 79, SYSFS, &e);
	assert_mount(&e, "/srv", "ext4");
	assert_string_equal(e.disk, "sda");
}

static void joins_options(void **state)
{
	struct storage_event e;

	(void)state;
	describe("@id 1 8:1 / / rw,relatime - ext4 /dev/vda1 rw,discard,errors=remount-ro\n", &e);
	assert_string_equal(e.mount_options, "rw,relatime,discard,errors=remount-ro");
	describe("@id 1 8:1 / / ro,noatime - btrfs /dev/vda1 rw,ssd,subvol=/@log\n", &e);
	assert_string_equal(e.mount_options, "ro,noatime,ssd,subvol=/@log");
	/* A mount may not be read-only where its filesystem is. */
	describe("@id 1 8:1 / / rw - ext4 /dev/sda1 ro,rw,noatime\n", &e);
	assert_string_equal(e.mount_options, "rw,ro,noatime");
}

static void takes_damaged_text(void **state)
{
	static const char *const damaged[] = {
		"",
		"\n\n",
		"@id 1 254:0 / / rw",
		"@id 1 254:0 / / rw -",
		"@id 1 254:0 / / rw - ext4",
		"@id 1 254:0 / / rw - ext4 /dev/vda",
		"@id 1 x / / rw - ext4 /dev/vda rw",
		"x@id 1 254:0 / / rw - ext4 /dev/vda rw",
		"@id 1 254:0 / / rw shared:1 ext4 /dev/vda rw",
	};
	struct storage_event e;

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		describe(damaged[i], &e);
		assert_mount(&e, "", "");
		assert_string_equal(e.mount_options, "");
	}
	/* A backslash that escapes nothing stays; what would move the cursor does not. */
	describe("@id 1 8:1 / /\\04 rw - a\033[m b rw\n", &e);
	assert_mount(&e, "/\\04", "a?[m");
	describe("@id 1 8:1 / /\\033[2J rw - ext4 b rw\n", &e);
	assert_mount(&e, "/?[2J", "ext4");
}

/* --- the disk ------------------------------------------------------------------------------- */

static void goes_down_to_the_disk(void **state)
{
	struct storage_event e;

	(void)state;
	describe("@id 1 253:1 / / rw - ext4 /dev/mapper/vg-root rw\n", &e);
	assert_string_equal(e.stack, "dm-1 lvm vg-root, dm-0 luks, nvme0n1");
	assert_string_equal(e.disk, "nvme0n1");
	assert_string_equal(e.disk_model, "Samsung SSD 980 PRO 1TB");
	assert_int_equal(e.rotational, 0);
	assert_string_equal(e.write_cache, "write back");
	assert_mount(&e, "/", "ext4");
	describe("@id 1 259:3 / / rw - ext4 /dev/nvme0n1p3 rw\n", &e);
	assert_string_equal(e.stack, "nvme0n1");
	assert_string_equal(e.disk, "nvme0n1");
	describe("@id 1 8:0 / / rw - ext4 /dev/sda rw\n", &e);
	assert_string_equal(e.stack, "sda");
	assert_int_equal(e.rotational, 1);
	assert_string_equal(e.write_cache, "write through");
}

static void names_each_kind(void **state)
{
	static const struct {
		const char *device, *stack;
	} kinds[] = {
		{"9:0", "md0 raid1, sda (1 of 2)"},
		{"253:2", "dm-2 multipath, sda (1 of 2)"},
		{"253:3", "dm-3 crypt, sda"},
		{"253:4", "dm-4 dm, vda"},
		{"252:0", "bcache0 bcache, md0 raid1 (1 of 2), sda (1 of 2)"},
		{"7:3", "loop3 loop"},
		{"254:1", "vda"},
		{"104:0", "cciss/c0d0"},
		{"8:99", ""},
	};
	struct storage_event e;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char line[128];

		snprintf(line, sizeof(line), "@id 1 %s / / rw - ext4 /dev/x rw\n", kinds[i].device);
		describe(line, &e);
		assert_string_equal(e.stack, kinds[i].stack);
	}
}

static void names_what_has_no_model(void **state)
{
	struct storage_event e;

	(void)state;
	describe("@id 1 254:0 / / rw - ext4 /dev/vda rw\n", &e);
	assert_string_equal(e.disk, "vda");
	assert_string_equal(e.disk_model, "virtio");
	assert_int_equal(e.rotational, -1);
	assert_string_equal(e.write_cache, "");
	describe("@id 1 7:3 / / rw - ext4 /dev/loop3 rw\n", &e);
	assert_string_equal(e.disk, "loop3");
	assert_string_equal(e.disk_model, "loop");
	assert_int_equal(e.rotational, 1);
	describe("@id 1 104:0 / / rw - ext4 /dev/cciss/c0d0 rw\n", &e);
	assert_string_equal(e.disk, "cciss/c0d0");
	assert_string_equal(e.disk_model, "");
	assert_int_equal(e.rotational, -1);
}

/* A filesystem that may span devices has a number of its own. */
static void finds_the_device_by_its_name(void **state)
{
	struct storage_event e;

	(void)state;
	describe("@id 1 0:40 /@ / rw - btrfs /dev/mapper/vg-root rw,subvol=/@\n", &e);
	assert_string_equal(e.stack, "dm-1 lvm vg-root, dm-0 luks, nvme0n1");
	describe("@id 1 0:40 /@ / rw - btrfs /dev/sdb1 rw,subvol=/@\n", &e);
	assert_string_equal(e.disk, "sdb");
	describe("@id 1 0:40 / / rw - bcachefs /dev/sdb1:/dev/sda1 rw\n", &e);
	assert_string_equal(e.disk, "sdb");
	describe("@id 1 0:40 / / rw - btrfs /dev/cciss/c0d0 rw\n", &e);
	assert_string_equal(e.disk, "cciss/c0d0");
}

static void leaves_the_unknown_unknown(void **state)
{
	static const char *const unknown[] = {
		"@id 1 0:40 / / rw - zfs rpool/ROOT/debian rw,xattr\n",
		/* Anybody may call a FUSE or tmpfs mount so. */
		"@id 1 0:40 / / rw - fuse.x /dev/sda1 rw\n",
		"@id 1 0:40 / / rw - tmpfs /dev/sda1 rw\n",
		"@id 1 0:40 / / rw - btrfs /dev/mapper/../sda1/x rw\n",
		"@id 1 0:40 / / rw - btrfs /etc/passwd rw\n",
		"@id 1 0:40 / / rw - btrfs /dev/ rw\n",
		"@id 1 0:40 / / rw - overlay overlay rw,lowerdir=/a\n",
		"@id 1 0:40 / / rw - overlay overlay rw,upperdir=/no/such,workdir=/b\n",
		"@id 1 0:40 / / rw - overlay overlay rw,upperdir=tmp\n",
		"@id 1 0:40 / / rw - overlay overlay rw,upperdir=\n",
		"@id 1 8:99 / / rw - ext4 /dev/sda1 rw\n",
	};
	struct storage_event e;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		describe(unknown[i], &e);
		assert_string_equal(e.mount_point, "/");
		assert_string_equal(e.disk, "");
		assert_string_equal(e.disk_model, "");
		assert_string_equal(e.stack, "");
		assert_int_equal(e.rotational, -1);
	}
	look(top, "/no/such", 0, SYSFS, &e);
	assert_mount(&e, "", "");
	assert_int_equal(e.rotational, -1);
}

/* --- what lies in a directory or file of this machine --------------------------------------- */

/* Another mount than that of `top`, to be described; `top` is where its content lies. */
#define UPPER "/proc"

static void describe_upper(const char *line, const char *sysfs, struct storage_event *ret)
{
	char id[32], device[32], text[1024], all[1200];

	ask_kernel(UPPER, id, device, sizeof(id));
	snprintf(text, sizeof(text), "%s", line);
	replace(text, sizeof(text), "@upper", id);
	replace(text, sizeof(text), "@top", top);
	snprintf(all, sizeof(all), "@id 1 8:1 / /tmp rw - ext4 /dev/sda1 rw\n%s", text);
	list_mounts(0, top, all);
	look(UPPER, "/", 0, sysfs, ret);
}

static void an_overlay_is_where_its_upper_layer_is(void **state)
{
	struct storage_event e;

	(void)state;
	make_file("a, b/.keep", "");
	describe_upper("@upper 1 0:40 / / rw - overlay overlay "
	               "rw,lowerdir=/x,upperdir=@top/a\\054\\040b,workdir=/w\n",
	               SYSFS, &e);
	assert_mount(&e, "/", "overlay");
	assert_string_equal(e.disk, "sda");
	assert_string_equal(e.stack, "sda");
	/* On itself. */
	describe_upper("@upper 1 0:40 / / rw - overlay overlay rw,upperdir=" UPPER "\n", SYSFS, &e);
	assert_mount(&e, "/", "overlay");
	assert_string_equal(e.disk, "");
}

static void a_loop_device_is_where_its_file_is(void **state)
{
	char sys[64], text[64];
	struct storage_event e;

	(void)state;
	snprintf(sys, sizeof(sys), "%s/sys", top);
	make_file("sys/dev/block/7:5/loop/backing_file", "/no/such (deleted)\n");
	/* In sysfs these are links; their last part is the name. */
	snprintf(text, sizeof(text), "%s/sys/dev/block/7:5", top);
	make_file("sys/devices/loop5/.keep", "");
	make_file("sys/devices/sda/queue/rotational", "1\n");
	assert_int_equal(nftw(text, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	assert_int_equal(symlink("../../devices/loop5", text), 0);
	snprintf(text, sizeof(text), "%s/sys/dev/block/8:1", top);
	assert_int_equal(symlink("../../devices/sda", text), 0);
	make_file("sys/devices/loop5/loop/backing_file", "/no/such (deleted)\n");
	describe_upper("@upper 1 7:5 / / rw - ext4 /dev/loop5 rw\n", sys, &e);
	assert_string_equal(e.stack, "loop5 loop");
	assert_string_equal(e.disk, "loop5");
	make_file("image", "");
	snprintf(text, sizeof(text), "%s/image\n", top);
	make_file("sys/devices/loop5/loop/backing_file", text);
	describe_upper("@upper 1 7:5 / / rw - ext4 /dev/loop5 rw\n", sys, &e);
	assert_string_equal(e.stack, "loop5 loop, sda");
	assert_string_equal(e.disk, "sda");
	assert_string_equal(e.disk_model, "");
	assert_int_equal(e.rotational, 1);
	/* A directory is no image, and a link may lead anywhere. */
	make_file("sys/devices/loop5/loop/backing_file", "/usr\n");
	describe_upper("@upper 1 7:5 / / rw - ext4 /dev/loop5 rw\n", sys, &e);
	assert_string_equal(e.disk, "loop5");
}

/* The machine itself: whatever it is, the words fit together. */
static bool root_is_mounted(void)
{
	struct statx st;

	return statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &st) == 0 &&
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static void describes_this_machine(void **state)
{
	struct storage_event e;
	struct roots roots;
	struct place host;

	(void)state;
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	assert_int_equal(place_open_host(&host), 0);
	memset(&e, 'x', sizeof(e));
	device_describe(&roots, &host, 0, "/proc/self", &e);
	assert_mount(&e, "/proc", "proc");
	assert_string_equal(e.disk, "");
	device_describe(&roots, &host, getpid(), "/no/such/place", &e);
	assert_string_equal(e.filesystem, "");
	assert_string_equal(e.mount_options, "");
	device_describe(&roots, &host, getpid(), "/", &e);
	/* In a chroot / may be no mount point, and then nothing tells of its filesystem. */
	if (root_is_mounted())
		assert_string_not_equal(e.filesystem, "");
	if (e.disk[0]) {
		assert_null(strchr(e.disk_model, '\n'));
		assert_non_null(strstr(e.stack, e.disk));
	}
	assert_in_range(e.rotational + 1, 0, 2);
	place_close(&host);
	roots_close(&roots);
}

#define WITH_TOP(f) cmocka_unit_test_setup_teardown(f, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TOP(finds_the_mount_by_its_id),
		WITH_TOP(finds_the_mount_by_its_device),
		WITH_TOP(asks_the_process_first),
		WITH_TOP(joins_options),
		WITH_TOP(takes_damaged_text),
		WITH_TOP(goes_down_to_the_disk),
		WITH_TOP(names_each_kind),
		WITH_TOP(names_what_has_no_model),
		WITH_TOP(finds_the_device_by_its_name),
		WITH_TOP(leaves_the_unknown_unknown),
		WITH_TOP(an_overlay_is_where_its_upper_layer_is),
		WITH_TOP(a_loop_device_is_where_its_file_is),
		cmocka_unit_test(describes_this_machine),
	};

	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
