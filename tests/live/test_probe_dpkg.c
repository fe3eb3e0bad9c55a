/* test_probe_dpkg.c - the sync calls of a real dpkg, counted to the last one, and by strace. Needs
 * root and BPF. */
#include "live.h"

#include "dpkgtop/stage.h"

#define WORDS_ROOM 256

#define SAFE   "--no-force-unsafe-io"
#define UNSAFE "--force-unsafe-io"

static struct stage stage;
static char *words[WORDS_ROOM];

/* The root of the tree; dpkg is its child. */
static int run_dpkg(void *context)
{
	pid_t pid;
	int status;

	(void)context;
	if (stage_start(&stage, words, &pid, NULL) < 0 || waitpid(pid, &status, 0) != pid)
		return 97;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
}

/* Installs packages in a fresh root; `before`, NULL or words that end in NULL, goes before dpkg's
 * command. */
static void install(int packages, int files, const char *mode, const char *const *before)
{
	struct stage_options o = {
		.dir = scratch, .packages = packages, .files = files, .file_size = 1000};
	struct err e = {""};
	char **command;
	size_t n = 0;

	if (stage_open(&stage, &o, NULL, NULL, &e) < 0)
		fail_msg("%s", e.text);
	command = stage_command(&stage);
	for (; before && *before; before++)
		words[n++] = (char *)(uintptr_t)*before;
	for (size_t i = 0; command[i]; i++) {
		assert_true(n < WORDS_ROOM - 1);
		words[n++] = strcmp(command[i], SAFE) ? command[i] : (char *)(uintptr_t)mode;
	}
	words[n] = NULL;
	assert_int_equal(run_watched(run_dpkg, NULL, 50), 0);
	free(command);
	/* Its root goes with `scratch`: ext4 looks long for an inode that was not just set free. */
	assert_nothing_lost();
}

static void assert_dpkg(uint64_t package_fsyncs, uint64_t database, uint64_t waits, uint64_t writes)
{
	assert_count(SYNC_FSYNC, SYNC_PACKAGE, package_fsyncs);
	assert_count(SYNC_FSYNC, SYNC_DATABASE, database);
	assert_count(SYNC_RANGE_WAIT, SYNC_PACKAGE, waits);
	assert_count(SYNC_RANGE_WRITE, SYNC_WRITEBACK, writes);
	for (int call = 0; call < N_SYNC_CALLS; call++) {
		assert_count((enum sync_call)call, SYNC_OTHER, 0);
		if (call != SYNC_FSYNC)
			assert_count((enum sync_call)call, SYNC_DATABASE, 0);
	}
}

static void a_real_dpkg(void **state)
{
	(void)state;
	NEED_PROBE();
	install(20, 200, SAFE, NULL);
	assert_dpkg(4000, 390, 4000, 4000);
	install(20, 200, UNSAFE, NULL);
	assert_dpkg(0, 390, 0, 4000);
}

/* The state notes of so many packages need checkpoints. */
static void many_small_packages(void **state)
{
	(void)state;
	NEED_PROBE();
	install(120, 2, SAFE, NULL);
	assert_dpkg(240, 2536 - 240, 240, 240);
}

/* By env(1), since the stage hands down nothing of our own environment. */
static void under_eatmydata(void **state)
{
	static const char *const preloaded[] = {"env", "LD_PRELOAD=libeatmydata.so", NULL};

	(void)state;
	NEED_PROBE();
	/* The dynamic linker goes on without a library that it does not find, and says so. */
	if (system("[ -z \"$(env LD_PRELOAD=libeatmydata.so true 2>&1)\" ]"))
		SKIP("no libeatmydata.so here");
	install(20, 200, SAFE, preloaded);
	for (int call = 0; call < N_SYNC_CALLS; call++)
		for (int class = 0; class < N_SYNC_CLASSES; class ++)
			assert_count((enum sync_call)call, (enum sync_class) class, 0);
}

/* As strace names them; sync_file_range is one call to it, whatever its flags. */
static const char *const names[N_SYNC_CALLS] = {
	[SYNC_FSYNC] = "fsync",
	[SYNC_FDATASYNC] = "fdatasync",
	[SYNC_RANGE_WAIT] = "sync_file_range",
	[SYNC_RANGE_WRITE] = "sync_file_range",
	[SYNC_RANGE_OTHER] = "sync_file_range",
	[SYNC_SYNCFS] = "syncfs",
	[SYNC_SYNC] = "sync",
	[SYNC_MSYNC] = "msync",
};

/* What the probe counted in the last run, of any class. */
static uint64_t counted(const char *name)
{
	uint64_t sum = 0;

	for (int call = 0; call < N_SYNC_CALLS; call++)
		for (int class = 0; class < N_SYNC_CLASSES && strcmp(names[call], name) == 0;
		     class ++)
			sum += count_of((enum sync_call)call, (enum sync_class) class);
	return sum;
}

/* Of a table with the columns calls and name; a call never made has no line. */
static uint64_t traced(const char *table, const char *name)
{
	char line[256], word[64];
	unsigned long calls, found = 0;
	FILE *f = fopen(table, "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %lu %63s", &calls, word) == 2 && strcmp(word, name) == 0)
			found = calls;
	fclose(f);
	return found;
}

/* The same once without and once with strace, which counts by other means: all three agree. */
static void compare_with_strace(int packages, int files)
{
	static const char *const calls[] = {"fsync",  "fdatasync", "sync_file_range",
	                                    "syncfs", "sync",      "msync"};
	enum { CALLS = sizeof(calls) / sizeof(*calls) };
	char table[128];
	const char *const strace[] = {"strace",
	                              "-f",
	                              "--seccomp-bpf",
	                              "-c",
	                              "-U",
	                              "calls,name",
	                              "-o",
	                              table,
	                              "-e",
	                              "trace=fsync,fdatasync,sync_file_range,syncfs,sync,msync",
	                              NULL};
	uint64_t plain[CALLS];

	snprintf(table, sizeof(table), "%s/table", scratch);
	install(packages, files, SAFE, NULL);
	for (int i = 0; i < CALLS; i++)
		plain[i] = counted(calls[i]);
	install(packages, files, SAFE, strace);
	for (int i = 0; i < CALLS; i++) {
		uint64_t theirs = traced(table, calls[i]);

		printf("# %d packages of %d files, %s: %lu, strace on a repeat %lu\n", packages,
		       files, calls[i], plain[i], theirs);
		assert_int_equal(plain[i], theirs);
		assert_int_equal(counted(calls[i]), theirs);
	}
	assert_true(traced(table, "fsync") > 0);
}

static void as_strace_has_it(void **state)
{
	(void)state;
	NEED_PROBE();
	if (system("strace -f --seccomp-bpf -c -U calls,name -o /dev/null true 2>/dev/null"))
		SKIP("no strace that may trace here");
	compare_with_strace(20, 200);
	compare_with_strace(120, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_dpkg),
		cmocka_unit_test(many_small_packages),
		cmocka_unit_test(under_eatmydata),
		cmocka_unit_test(as_strace_has_it),
	};

	return cmocka_run_group_tests_name("probe_dpkg", tests, set_up, tear_down);
}
