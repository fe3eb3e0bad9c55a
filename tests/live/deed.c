/* deed.c - what the scripts of a known upgrade do, each deed measured by itself.
 *
 * deed run NAME COMMAND…      runs it
 * deed burn MS                computes for so much CPU time
 * deed read FILE COUNT [MS]   reads so many pages, the first of FILE, with pauses of MS
 * deed fsync FILE COUNT
 * deed ask MS                 reads a line from the terminal, above a child that computes for so
 *                             long, makes the file /asks and ends, which wakes nobody; its time is
 *                             from then to the answer
 *
 * Each adds a line to /truth: NAME ("cpu", "disk", "sync", "input"), how long it took and the CPU
 * time that it used, in ns. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static int64_t cpu_ns(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * INT64_C(1000000000) +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * INT64_C(1000);
}

static int tell(const char *name, int64_t took_ns, int64_t used_ns)
{
	FILE *f = fopen("/truth", "ae");

	if (!f)
		return 1;
	fprintf(f, "%s %lld %lld\n", name, (long long)took_ns, (long long)used_ns);
	return fclose(f) != 0;
}

static int run(const char *name, char **command)
{
	int64_t begun = now_ns();
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return 1;
	return tell(name, now_ns() - begun, cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN));
}

static int burn(int64_t ns)
{
	int64_t begun = now_ns();

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns)
		;
	return tell("cpu", now_ns() - begun, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

static int read_pages(const char *path, int count, int pause_ms)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t sum = 0;
	char page[4096];

	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		return 1;
	for (int i = 0; i < count; i++) {
		int64_t begun = now_ns();

		if (read(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
			return 1;
		sum += now_ns() - begun;
		usleep((useconds_t)pause_ms * 1000);
	}
	return tell("disk", sum, 0);
}

static int sync_file(const char *path, int count)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int64_t sum = 0;

	for (int i = 0; i < count; i++) {
		int64_t begun = now_ns();

		if (fsync(fd) < 0)
			return 1;
		sum += now_ns() - begun;
	}
	return tell("sync", sum, 0);
}

static int ask(int64_t busy_ns)
{
	int64_t *asked_ns = mmap(NULL, sizeof(*asked_ns), PROT_READ | PROT_WRITE,
	                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char answer[16];
	pid_t pid;

	if (asked_ns == MAP_FAILED)
		return 1;
	pid = fork();
	if (pid == 0) {
		while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < busy_ns)
			;
		*asked_ns = now_ns();
		_exit(close(open("/asks", O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) != 0);
	}
	if (pid < 0 || read(STDIN_FILENO, answer, sizeof(answer)) <= 0)
		return 1;
	*asked_ns = now_ns() - *asked_ns;
	/* What it used is known to who waits for it. */
	return waitpid(pid, NULL, 0) != pid || tell("input", *asked_ns, 0);
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "run") == 0)
		return run(argv[2], argv + 3);
	if (argc == 3 && strcmp(argv[1], "burn") == 0)
		return burn(atoi(argv[2]) * INT64_C(1000000));
	if (argc >= 4 && strcmp(argv[1], "read") == 0)
		return read_pages(argv[2], atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0);
	if (argc == 4 && strcmp(argv[1], "fsync") == 0)
		return sync_file(argv[2], atoi(argv[3]));
	if (argc == 3 && strcmp(argv[1], "ask") == 0)
		return ask(atoi(argv[2]) * INT64_C(1000000));
	return 2;
}
