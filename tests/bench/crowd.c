/* crowd.c - `crowd N`: N idle processes, there until standard input ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : -1;
	pid_t parent = getpid();
	char byte;

	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			/* However we end, nothing is left. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == parent)
				execlp("sleep", "sleep", "infinity", (char *)NULL);
			_exit(127);
		}
		if (pid < 0) {
			perror("crowd");
			return 1;
		}
	}
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return count < 0 ? 2 : 0;
}
