/* test_report.c - the text report: what it says, and that it says no number it does not know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "dpkgtop/report.h"
#include "feed.h"

static char *report(const struct model *m)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_text(m, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Phases, causes and the failure; no column for what took no time, and 80 columns at most. */
static void tells_the_ledger(void **state)
{
	struct feed f;
	char *text;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda");
	feed_process(&f, 100, 1);
	feed_begin(&f, "dpkg -i a.deb");
	feed_sample(&f, SAMPLE_FULL);
	feed_exec(&f, ROLE_DPKG, 100, "", "");
	feed_line(&f, VERB_INSTALL, STATE_NONE, "a", "", "1");
	f.sample.processes[0].cpu_ns += SECOND;
	f.sample.disks[0].flush_ms += 500;
	feed_wait(&f, 2 * SECOND);
	feed_sample(&f, SAMPLE_FULL);
	feed_end(&f, 1);
	text = report(&f.model);
	assert_non_null(strstr(text, "unpack        2.0s    ~0.5s     1.0s     0.5s\n"));
	assert_non_null(strstr(text, "           total     sync      cpu     else\n"));
	assert_non_null(strstr(text, "exit status 1 after 2.0s\n"));
	assert_non_null(strstr(text, "failed: a"));
	assert_null(strstr(text, "package"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(text);
	feed_done(&f);
}

/* A counter that went back leaves a total unknown: no number is made of that. */
static void no_unknown_numbers(void **state)
{
	struct feed f;
	char *text;

	(void)state;
	feed_init(&f, "vda");
	feed_disk(&f, "vda")->written_sectors = 1000;
	feed_begin(&f, "dpkg");
	feed_sample(&f, SAMPLE_FULL);
	f.sample.disks[0].written_sectors = 5;
	f.sample.disks[0].flushes = 5;
	feed_wait(&f, SECOND);
	feed_sample(&f, SAMPLE_FULL);
	feed_end(&f, 0);
	text = report(&f.model);
	assert_null(strstr(text, "EB"));
	assert_non_null(strstr(text, " unknown\n"));
	assert_non_null(strstr(text, "1.0s"));
	free(text);
	feed_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_ledger),
		cmocka_unit_test(no_unknown_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
