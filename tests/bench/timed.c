/* timed.c - how long a command takes, and how long the probe's BPF programs run meanwhile.
 *
 * timed [-b] COMMAND…: prints "WALL BPF RUNS", both times in ns, and ends with the command's
 * status; what that prints goes to standard error. With -b the kernel is asked to time its BPF
 * programs as long as this lasts (bpf(2), BPF_ENABLE_STATS, Linux 5.8), which costs some time too;
 * else the latter two are 0. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct spent {
	uint64_t ns, runs;
};

static int call_bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* It ends with its descriptor. */
static int ask_for_times(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	return call_bpf(BPF_ENABLE_STATS, &attr);
}

static void add_program(int program, struct spent *s)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)program;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	if (call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) < 0 ||
	    (strncmp(info.name, "sync_", 5) && strncmp(info.name, "tree_", 5)))
		return;
	s->ns += info.run_time_ns;
	s->runs += info.run_cnt;
}

/* By all programs of that name that the kernel has. */
static struct spent spent(void)
{
	struct spent s = {0};
	union bpf_attr attr;
	uint32_t id = 0;

	for (;;) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (call_bpf(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			return s;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		add_program(fd, &s);
		close(fd);
	}
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int run(char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 126;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

int main(int argc, char **argv)
{
	bool with_bpf = argc > 1 && strcmp(argv[1], "-b") == 0;
	struct spent before = {0}, after = {0};
	int64_t begun, took;
	int status;

	argv += with_bpf ? 2 : 1;
	if (!*argv)
		return 2;
	if (with_bpf && ask_for_times() < 0) {
		perror("BPF_ENABLE_STATS");
		return 125;
	}
	if (with_bpf)
		before = spent();
	begun = now_ns();
	status = run(argv);
	took = now_ns() - begun;
	if (with_bpf)
		after = spent();
	printf("%lld %llu %llu\n", (long long)took, (unsigned long long)(after.ns - before.ns),
	       (unsigned long long)(after.runs - before.runs));
	return status;
}
