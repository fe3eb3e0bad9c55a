/* test_probe_tracefs.c - the probe where tracefs can not be had in the usual way. Needs root and
 * BPF.
 */
#include "live.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* As filters of system calls do that are older than the call. */
static bool forbid_fsopen(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsopen, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
	       fsopen("tracefs", 0) < 0 && errno == ENOSYS;
}

static bool has_tracefs(void)
{
	char line[1024];
	bool has = false;
	FILE *f = fopen("/proc/self/mountinfo", "re");

	while (f && fgets(line, sizeof(line), f))
		has = has || strstr(line, " - tracefs ");
	if (f)
		fclose(f);
	return has;
}

static ino_t own_mounts(void)
{
	struct stat st;

	return stat("/proc/self/ns/mnt", &st) == 0 ? st.st_ino : 0;
}

/* In mounts of its own, with tracefs among them or not; 0 as expected. */
static int watch_without_fsopen(bool mounted)
{
	char command[1024];
	struct err e = {""};
	struct probe *own;
	ino_t mounts;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return 77;
	/* Where debugfs is mounted, it comes with it. */
	umount2("/sys/kernel/debug", MNT_DETACH);
	while (umount2("/sys/kernel/tracing", MNT_DETACH) == 0)
		;
	if (mounted && mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) < 0)
		return 77;
	if (!forbid_fsopen() || has_tracefs() != mounted)
		return 77;
	mounts = own_mounts();
	if (probe_open(&own, told_names, &e))
		return printf("# %s\n", e.text), 1;
	if (own_mounts() != mounts || has_tracefs() != mounted)
		return 2;
	/* Whoever was needed for it has ended and was waited for. */
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		return 3;
	probe = own;
	snprintf(command, sizeof(command), "%s dpkg %s/i.dpkg-new fsync 17", workload, scratch);
	if (run_watched(run_shell, command, 2) || rows_of(SYNC_FSYNC, SYNC_PACKAGE) != 17)
		return 4;
	assert_nothing_lost();
	probe_close(own);
	return 0;
}

static int in_a_child(int (*run)(bool), bool how)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(run(how));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 51;
}

/* Neither this process's mounts nor its namespace change, whichever way it takes. */
static void tracefs_without_fsopen(void **state)
{
	int r;

	(void)state;
	NEED_PROBE();
	r = in_a_child(watch_without_fsopen, true);
	if (r == 77)
		SKIP("no namespaces or no filters of system calls here");
	assert_int_equal(r, 0);
	assert_int_equal(in_a_child(watch_without_fsopen, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracefs_without_fsopen),
	};

	return cmocka_run_group_tests_name("probe_tracefs", tests, set_up, tear_down);
}
