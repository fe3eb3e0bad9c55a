/* test_memory.c - the memory source against the test's own reading of /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

/* The number after `key` at a line's beginning; UNKNOWN_U64 if there is none. */
static uint64_t read_key(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	uint64_t value = UNKNOWN_U64;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoull(line + strlen(key), NULL, 10);
	fclose(f);
	return value;
}

static void assert_near(uint64_t a, uint64_t b, uint64_t most)
{
	assert_true((a > b ? a - b : b - a) <= most);
}

static void agrees_with_proc(void **state)
{
	uint64_t page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	void *self = mem_new(1, source_memory.size);
	struct target none = {0};
	struct roots roots;
	struct sample s;
	uint64_t pages;

	(void)state;
	sample_init(&s);
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	assert_int_equal(source_memory.open(self, &roots, NULL), 0);
	assert_int_equal(source_memory.read(self, &none, &s), 0);
	assert_true(s.memory.total_kib == read_key("/proc/meminfo", "MemTotal:"));
	/* Others write meanwhile: only the unit is tested. */
	assert_true(s.memory.dirty_kib < s.memory.total_kib);
	assert_near(s.memory.dirty_kib, read_key("/proc/meminfo", "Dirty:"),
	            s.memory.total_kib / 8);
	assert_true(s.memory.writeback_kib < s.memory.total_kib);
	pages = read_key("/proc/vmstat", "nr_dirty_threshold ");
	if (pages == UNKNOWN_U64) {
		assert_true(s.memory.dirty_limit_kib == UNKNOWN_U64);
	} else {
		assert_true(s.memory.dirty_limit_kib > 0);
		assert_near(s.memory.dirty_limit_kib, pages * page_kib, pages * page_kib / 4);
		assert_true(s.memory.background_limit_kib > 0);
		assert_true(s.memory.background_limit_kib <= s.memory.dirty_limit_kib);
	}
	source_memory.close(self);
	free(self);
	roots_close(&roots);
	sample_done(&s);
}

/* Two readings within a second are two readings. */
static void reads_anew_each_time(void **state)
{
	char path[] = "dpkgtop-test-XXXXXX";
	void *self = mem_new(1, source_memory.size);
	int fd = mkstemp(path);
	char *block = mem_new(1 << 20, 1);
	struct target none = {0};
	struct roots roots;
	struct sample s;
	uint64_t before;
	bool changed = false;

	(void)state;
	unlink(path);
	sample_init(&s);
	assert_true(fd >= 0);
	assert_int_equal(roots_open(&roots, NULL, NULL, NULL), 0);
	assert_int_equal(source_memory.open(self, &roots, NULL), 0);
	assert_int_equal(source_memory.read(self, &none, &s), 0);
	before = s.memory.dirty_kib;
	for (int i = 0; i < 16 && !changed; i++) {
		assert_int_equal(write(fd, block, 1 << 20), 1 << 20);
		assert_int_equal(source_memory.read(self, &none, &s), 0);
		changed = s.memory.dirty_kib != before;
	}
	/* Some filesystems have no dirty pages: then the kernel's number stands still too. */
	assert_true(changed || read_key("/proc/meminfo", "Dirty:") == before);
	source_memory.close(self);
	free(self);
	free(block);
	close(fd);
	roots_close(&roots);
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_proc),
		cmocka_unit_test(reads_anew_each_time),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
