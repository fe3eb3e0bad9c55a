/* test_monitor.c - events of disks, as the kernel sends them when asked to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/device.h"

#define DEADLINE_NS INT64_C(10000000000)

struct seen {
	const char *disk;
	char actions[16][16]; /* of that disk, in their order */
	size_t n;
	struct event last;
};

static void take(void *context, struct event *e)
{
	struct seen *s = context;

	assert_int_equal(e->kind, EVENT_DEVICE);
	assert_string_not_equal(e->device.disk, "");
	/* The machine's own events may come in between. */
	if (strcmp(e->device.disk, s->disk) != 0 || s->n == 16)
		return;
	memcpy(s->actions[s->n++], e->device.action, sizeof(e->device.action));
	s->last = *e;
}

static void wait_for(struct device_monitor *m, struct seen *s, size_t n)
{
	int64_t deadline = stamp_now().mono_ns + DEADLINE_NS;
	struct pollfd fd = {.fd = device_monitor_fd(m), .events = POLLIN};

	while (s->n < n) {
		assert_true(stamp_now().mono_ns < deadline);
		if (poll(&fd, 1, 100) > 0)
			device_monitor_read(m, take, s);
	}
}

/* Asks for an event (Documentation/ABI/testing/sysfs-uevent). */
static bool ask(const char *file, const char *action)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, action, strlen(action)) == (ssize_t)strlen(action);

	if (fd >= 0)
		close(fd);
	return done;
}

static void hears_of_a_disk(void **state)
{
	struct device_monitor *m;
	struct err e = {0};
	char name[32] = "";
	struct seen s = {.disk = name};
	glob_t found;

	(void)state;
	/* Unused as a rule, and nothing is lost if udevd looks at one again. */
	if (glob("/sys/block/loop[0-9]*/uevent", 0, NULL, &found) != 0) {
		print_message("# skipped: this machine has no loop device\n");
		skip();
	}
	sscanf(found.gl_pathv[0], "/sys/block/%31[^/]", name);
	if (device_monitor_open(&m, &e) != 0) {
		print_message("# skipped: %s\n", e.text);
		globfree(&found);
		skip();
	}
	if (!ask(found.gl_pathv[0], "change")) {
		print_message("# skipped: no event may be asked for: %s\n", strerror(errno));
		device_monitor_close(m);
		globfree(&found);
		skip();
	}
	/* "bind" says nothing of a disk that comes or goes. */
	assert_true(ask(found.gl_pathv[0], "bind"));
	assert_true(ask(found.gl_pathv[0], "add"));
	wait_for(m, &s, 2);
	assert_string_equal(s.actions[0], "change");
	assert_string_equal(s.actions[1], "add");
	assert_int_equal(s.n, 2);
	assert_string_equal(s.last.device.model, "");
	/* Nothing waits: it returns at once. */
	device_monitor_read(m, take, &s);
	device_monitor_close(m);
	globfree(&found);
}

static void closes_what_is_not_there(void **state)
{
	(void)state;
	device_monitor_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hears_of_a_disk),
		cmocka_unit_test(closes_what_is_not_there),
	};

	return cmocka_run_group_tests_name("monitor", tests, NULL, NULL);
}
