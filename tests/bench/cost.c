/* cost.c - runs a command and says what it cost: "SECONDS KIB", its wall time and the most memory
 * that it had, to standard error. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	/* Not fork(): the most memory of a child is at first that of its parent. */
	pid = vfork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%.3f %ld\n",
	        (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
	        usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
