/* test_pressure.c - the pressure source on recorded files, whole, in part and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

/* One reading below `procfs`; the counters begin as something else. */
static int read_below(const char *procfs, struct pressure_counters *ret)
{
	void *self = mem_new(1, source_pressure.size);
	struct target none = {0};
	struct roots roots;
	struct sample s;
	int r;

	sample_init(&s);
	memset(&s.pressure, 'x', sizeof(s.pressure));
	assert_int_equal(roots_open(&roots, procfs, NULL, NULL), 0);
	assert_int_equal(source_pressure.open(self, &roots, NULL), 0);
	r = source_pressure.read(self, &none, &s);
	*ret = s.pressure;
	source_pressure.close(self);
	free(self);
	roots_close(&roots);
	sample_done(&s);
	return r;
}

static void reads_every_total(void **state)
{
	struct pressure_counters p;

	(void)state;
	assert_int_equal(read_below("tests/fixtures/proc-pressure", &p), 0);
	assert_true(p.io_some_us == 67365455);
	assert_true(p.io_full_us == 37887141);
	assert_true(p.cpu_some_us == 5310009);
	assert_true(p.memory_some_us == 0);
	assert_true(p.memory_full_us == UINT64_MAX - 1);
}

/* A line or a file that is not there makes only its own part unknown. */
static void the_rest_goes_on(void **state)
{
	struct pressure_counters p;

	(void)state;
	assert_int_equal(read_below("tests/fixtures/proc-pressure-part", &p), 0);
	assert_true(p.io_some_us == 42);
	assert_true(p.io_full_us == UNKNOWN_U64);
	assert_true(p.cpu_some_us == UNKNOWN_U64);
	assert_true(p.memory_some_us == UNKNOWN_U64);
	assert_true(p.memory_full_us == UNKNOWN_U64);
}

static void nothing_is_said_of_damaged_files(void **state)
{
	struct pressure_counters p;

	(void)state;
	assert_int_equal(read_below("tests/fixtures/proc-pressure-damaged", &p), -EBADMSG);
	assert_true(p.io_some_us == UNKNOWN_U64);
	assert_true(p.io_full_us == UNKNOWN_U64);
	assert_true(p.cpu_some_us == UNKNOWN_U64);
	assert_true(p.memory_some_us == UNKNOWN_U64);
	assert_true(p.memory_full_us == UNKNOWN_U64);
}

static void says_why_there_is_nothing(void **state)
{
	char top[] = "/tmp/dpkgtop-test-XXXXXX", path[64];
	struct pressure_counters p;

	(void)state;
	assert_int_equal(read_below("tests/fixtures", &p), -ENOENT);
	assert_true(p.io_some_us == UNKNOWN_U64);
	/* A read that fails, as all do under psi=0 (there with -EOPNOTSUPP). */
	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/pressure", top);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/pressure/io", top);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(read_below(top, &p), -EISDIR);
	assert_true(p.io_some_us == UNKNOWN_U64);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/pressure", top);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(top), 0);
}

/* On this machine: what is known does not go back. */
static void grows_on_this_machine(void **state)
{
	struct pressure_counters a, b;

	(void)state;
	if (read_below(NULL, &a) != 0) {
		print_message("# skipped: this kernel has no pressure stall information\n");
		skip();
	}
	assert_int_equal(read_below(NULL, &b), 0);
	assert_true(a.io_some_us != UNKNOWN_U64 && b.io_some_us >= a.io_some_us);
	assert_true(b.io_full_us >= a.io_full_us && b.cpu_some_us >= a.cpu_some_us);
	assert_true(a.io_full_us <= b.io_some_us);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_total),
		cmocka_unit_test(the_rest_goes_on),
		cmocka_unit_test(nothing_is_said_of_damaged_files),
		cmocka_unit_test(says_why_there_is_nothing),
		cmocka_unit_test(grows_on_this_machine),
	};

	return cmocka_run_group_tests_name("pressure", tests, NULL, NULL);
}
