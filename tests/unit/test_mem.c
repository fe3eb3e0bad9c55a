/* test_mem.c - memory that is there or the program ends; and the texts of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/err.h"
#include "dpkgtop/mem.h"

/* Under ASan a request that is too large shall fail as it does without, not end the program by
 * ASan's own report. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:print_summary=0";
}

static bool all_zero(const void *p, size_t len)
{
	const unsigned char *bytes = p;

	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static void new_is_zeroed(void **state)
{
	(void)state;
	/* Memory used before comes back from the allocator: a few rounds of dirt. */
	for (int i = 0; i < 8; i++) {
		unsigned char *p = mem_new(13, 7);

		assert_true(all_zero(p, 13 * 7));
		memset(p, 0xa5, 13 * 7);
		free(p);
	}
}

static void nothing_is_no_failure(void **state)
{
	void *p = mem_new(0, 16);

	(void)state;
	assert_non_null(p);
	free(p);
}

static void copies_text(void **state)
{
	char original[] = "linux-image";
	char *copy = mem_copy_text(original);
	char *empty = mem_copy_text("");

	(void)state;
	original[0] = 'X';
	assert_string_equal(copy, "linux-image");
	assert_string_equal(empty, "");
	assert_null(mem_copy_text(NULL));
	free(copy);
	free(empty);
}

static void grows_by_doubling(void **state)
{
	uint32_t *array = NULL;
	size_t room = 0, moves = 0;

	(void)state;
	for (size_t count = 0; count < 1000; count++) {
		size_t before = room;

		array = mem_grow(array, &room, count + 1, sizeof(*array));
		assert_true(room >= count + 1);
		if (room != before) {
			moves++;
			assert_true(room >= 2 * before);
			assert_true(all_zero(array + before, (room - before) * sizeof(*array)));
		}
		array[count] = (uint32_t)count ^ 0xffffffff;
	}
	assert_true(moves <= 10);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(array[i], (uint32_t)i ^ 0xffffffff);
	free(array);
}

static void grows_only_when_needed(void **state)
{
	size_t room = 0;
	char *array = mem_grow(NULL, &room, 100, 3);
	size_t first = room;

	(void)state;
	assert_true(room >= 100);
	assert_ptr_equal(mem_grow(array, &room, room, 3), array);
	assert_ptr_equal(mem_grow(array, &room, 0, 3), array);
	assert_int_equal(room, first);
	free(array);
}

static void too_large_a_piece(void)
{
	volatile size_t count = SIZE_MAX / 4;

	free(mem_new(count, 16));
}

static void too_large_an_array(void)
{
	volatile size_t need = SIZE_MAX / 4;
	size_t room = 0;

	free(mem_grow(NULL, &room, need, 16));
}

static void room_beyond_any_doubling(void)
{
	size_t room = 0;

	free(mem_grow(NULL, &room, SIZE_MAX, 1));
}

/* Whether `what` ends its process by abort(). */
static bool aborts(void (*what)(void))
{
	const struct rlimit none = {0, 0};
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		/* cmocka would take the signal for a failed test. */
		signal(SIGABRT, SIG_DFL);
		/* The sanitizer's words about it. */
		close(STDERR_FILENO);
		what();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void no_memory_ends_the_program(void **state)
{
	(void)state;
	assert_true(aborts(too_large_a_piece));
	assert_true(aborts(too_large_an_array));
	assert_true(aborts(room_beyond_any_doubling));
}

static void errors_have_words(void **state)
{
	struct err e = {"old"};
	char text[400];

	(void)state;
	assert_int_equal(err_set(&e, -ENOENT, "%s line %d", "dpkg.log", 7), -ENOENT);
	assert_string_equal(e.text, "dpkg.log line 7");
	assert_int_equal(err_set(NULL, -EIO, "nobody listens"), -EIO);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, -EIO, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_is_zeroed),
		cmocka_unit_test(nothing_is_no_failure),
		cmocka_unit_test(copies_text),
		cmocka_unit_test(grows_by_doubling),
		cmocka_unit_test(grows_only_when_needed),
		cmocka_unit_test(no_memory_ends_the_program),
		cmocka_unit_test(errors_have_words),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
