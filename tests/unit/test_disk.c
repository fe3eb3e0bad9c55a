/* test_disk.c - the disk source on a recorded /proc, and the reading that all sources share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

#define FIXTURE "tests/fixtures/proc-basic"

static int openings;

/* In the place of the C library's; nobody creates a file by it. */
int openat(int dir, const char *path, int flags, ...)
{
	openings++;
	return (int)syscall(SYS_openat, dir, path, flags, 0);
}

static void reads_the_recorded_disks(void **state)
{
	void *self = mem_new(1, source_disk.size);
	struct target none = {0};
	const struct disk_counters *d;
	struct roots roots;
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_int_equal(roots_open(&roots, FIXTURE, NULL, NULL), 0);
	assert_int_equal(source_disk.open(self, &roots, NULL), 0);
	/* The second reading replaces the first. */
	for (int i = 0; i < 2; i++)
		assert_int_equal(source_disk.read(self, &none, &s), 0);
	assert_int_equal(s.n_disks, 4);
	s.why[GROUP_DISKS] = 0;
	d = sample_disk(&s, "sda");
	assert_non_null(d);
	assert_int_equal(d->reads, 61203);
	assert_int_equal(d->written_sectors, 9482112);
	assert_int_equal(d->in_flight, 3);
	assert_int_equal(d->flushes, 31877);
	assert_int_equal(d->flush_ms, 176820);
	assert_non_null(sample_disk(&s, "sda1"));
	assert_int_equal(sample_disk(&s, "nvme0n1")->major, 259);
	assert_int_equal(sample_disk(&s, "vda")->queue_ms, 26256);
	assert_true(sample_disk(&s, "vda")->flushes == UNKNOWN_U64);
	assert_null(sample_disk(&s, "loop0"));
	assert_null(sample_disk(&s, "ram0"));
	source_disk.close(self);
	free(self);
	roots_close(&roots);
	sample_done(&s);
}

static void says_that_the_file_is_missing(void **state)
{
	void *self = mem_new(1, source_disk.size);
	struct target none = {0};
	struct roots roots;
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_int_equal(roots_open(&roots, "tests/fixtures", NULL, NULL), 0);
	assert_int_equal(source_disk.open(self, &roots, NULL), 0);
	assert_int_equal(source_disk.read(self, &none, &s), -ENOENT);
	assert_int_equal(s.n_disks, 0);
	source_disk.close(self);
	free(self);
	roots_close(&roots);
	sample_done(&s);
}

static void write_diskstats(const char *dir, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/diskstats", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A disk that was unplugged and plugged in again is another one: nothing of the first remains. */
static void a_disk_comes_back_under_another_number(void **state)
{
	char dir[] = "/tmp/dpkgtop-test-XXXXXX", path[64];
	void *self = mem_new(1, source_disk.size);
	struct target none = {0};
	struct roots roots;
	struct sample s;

	(void)state;
	sample_init(&s);
	s.why[GROUP_DISKS] = 0;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(roots_open(&roots, dir, NULL, NULL), 0);
	assert_int_equal(source_disk.open(self, &roots, NULL), 0);
	write_diskstats(dir, "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
	                     "8 16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n");
	assert_int_equal(source_disk.read(self, &none, &s), 0);
	assert_int_equal(sample_disk(&s, "sdb")->minor, 16);
	write_diskstats(dir, "8 0 sda 2 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(source_disk.read(self, &none, &s), 0);
	assert_int_equal(s.n_disks, 1);
	assert_null(sample_disk(&s, "sdb"));
	write_diskstats(dir, "8 0 sda 2 2 3 4 5 6 7 8 9 10 11\n"
	                     "8 32 sdb 3 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(source_disk.read(self, &none, &s), 0);
	assert_int_equal(sample_disk(&s, "sdb")->minor, 32);
	assert_int_equal(sample_disk(&s, "sdb")->reads, 3);
	assert_true(sample_disk(&s, "sdb")->flushes == UNKNOWN_U64);
	source_disk.close(self);
	free(self);
	roots_close(&roots);
	sample_done(&s);
	snprintf(path, sizeof(path), "%s/diskstats", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* /proc's own file is opened once, and tells anew each time. */
static void opened_once(void **state)
{
	struct roots roots;
	char *buf = NULL;
	size_t room = 0;
	int kept = -1;

	(void)state;
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	assert_true(roots_read_kept(&kept, roots.proc, "uptime", &buf, &room) > 0);
	assert_true(kept >= 0);
	openings = 0;
	memset(buf, 0, room);
	assert_true(roots_read_kept(&kept, roots.proc, "uptime", &buf, &room) > 0);
	assert_int_equal(openings, 0);
	assert_true(atof(buf) > 0);
	/* One that can not be read any more is opened again the next time. */
	assert_int_equal(dup3(roots.proc, kept, O_CLOEXEC), kept);
	assert_int_equal(roots_read_kept(&kept, roots.proc, "uptime", &buf, &room), -EISDIR);
	assert_int_equal(kept, -1);
	assert_true(roots_read_kept(&kept, roots.proc, "uptime", &buf, &room) > 0);
	close(kept);
	roots_close(&roots);
	free(buf);
}

/* What only stands in for /proc is opened each time. */
static void not_kept_elsewhere(void **state)
{
	char dir[] = "/tmp/dpkgtop-test-XXXXXX", path[64], *buf = NULL;
	struct roots roots;
	size_t room = 0;
	int kept = -1;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(roots_open(&roots, dir, NULL, NULL), 0);
	write_diskstats(dir, "a");
	assert_int_equal(roots_read_kept(&kept, roots.proc, "diskstats", &buf, &room), 1);
	assert_int_equal(kept, -1);
	snprintf(path, sizeof(path), "%s/diskstats", dir);
	assert_int_equal(unlink(path), 0);
	write_diskstats(dir, "bc");
	assert_int_equal(roots_read_kept(&kept, roots.proc, "diskstats", &buf, &room), 2);
	assert_string_equal(buf, "bc");
	roots_close(&roots);
	free(buf);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* Of this machine, without a leak. */
static void sources_keep_their_files(void **state)
{
	static const struct source_ops *const ops[] = {&source_disk, &source_pressure};
	struct target none = {0};
	struct roots roots;
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < 2; i++) {
		int before = dup(roots.proc), after;
		void *self = mem_new(1, ops[i]->size);

		close(before);
		assert_int_equal(ops[i]->open(self, &roots, NULL), 0);
		if (ops[i]->read(self, &none, &s) == 0) {
			openings = 0;
			assert_int_equal(ops[i]->read(self, &none, &s), 0);
			assert_int_equal(openings, 0);
		}
		ops[i]->close(self);
		free(self);
		after = dup(roots.proc);
		close(after);
		assert_int_equal(after, before);
	}
	roots_close(&roots);
	sample_done(&s);
}

static void roots_say_what_is_wrong(void **state)
{
	struct roots roots = {.proc = 77, .sys = 78};
	struct err e = {0};

	(void)state;
	assert_int_equal(roots_open(&roots, "tests/no-such", NULL, &e), -ENOENT);
	assert_non_null(strstr(e.text, "tests/no-such"));
	assert_int_equal(roots_open(&roots, NULL, "Makefile", &e), -ENOTDIR);
	assert_non_null(strstr(e.text, "Makefile"));
	assert_int_equal(roots.proc, 77);
}

static void reads_whole_files(void **state)
{
	char path[] = "/tmp/dpkgtop-test-XXXXXX", buf[8], *whole = NULL;
	int fd = mkstemp(path), dir = open("/tmp", O_RDONLY | O_DIRECTORY);
	const char *name = path + strlen("/tmp/");
	size_t room = 0;

	(void)state;
	assert_true(fd >= 0 && dir >= 0);
	assert_int_equal(roots_read(dir, name, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	assert_int_equal(write(fd, "1234567", 7), 7);
	assert_int_equal(roots_read(dir, name, buf, sizeof(buf)), 7);
	assert_string_equal(buf, "1234567");
	assert_int_equal(write(fd, "8", 1), 1);
	assert_int_equal(roots_read(dir, name, buf, sizeof(buf)), -EFBIG);
	assert_string_equal(buf, "1234567");
	for (int i = 0; i < 20000; i++)
		assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(roots_read_whole(dir, name, &whole, &room), 20008);
	assert_int_equal(strlen(whole), 20008);
	assert_int_equal(ftruncate(fd, 5 << 20), 0);
	assert_int_equal(roots_read_whole(dir, name, &whole, &room), -EFBIG);
	unlink(path);
	assert_int_equal(roots_read(dir, name, buf, sizeof(buf)), -ENOENT);
	free(whole);
	close(fd);
	close(dir);
}

static void clocks_go_on(void **state)
{
	struct stamp a = stamp_now(), b = stamp_now();

	(void)state;
	assert_true(b.mono_ns >= a.mono_ns && b.boot_ns >= a.boot_ns);
	assert_true(a.boot_ns >= a.mono_ns);
	/* After 2020 in ns: seconds and ns are not mixed up. */
	assert_true(a.real_ns > INT64_C(1577836800) * 1000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_recorded_disks),
		cmocka_unit_test(says_that_the_file_is_missing),
		cmocka_unit_test(a_disk_comes_back_under_another_number),
		cmocka_unit_test(opened_once),
		cmocka_unit_test(not_kept_elsewhere),
		cmocka_unit_test(sources_keep_their_files),
		cmocka_unit_test(roots_say_what_is_wrong),
		cmocka_unit_test(reads_whole_files),
		cmocka_unit_test(clocks_go_on),
	};

	return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
