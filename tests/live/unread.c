/* unread.c - a terminal that nobody reads, as that of a frozen ssh.
 *
 * unread COMMAND…   runs it on such a terminal, whose size changes until it is full: then the line
 *                   "full". At the end of standard input types `q`, and waits for the command. Its
 *                   status, or 1 if it did not come to that in time. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

/* In steps of 10 ms; only a hang gets there. */
#define STEPS_MAX 6000

static bool takes(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1;
}

/* Each size has the screen drawn anew. */
static bool fill(int terminal, int inside)
{
	for (int i = 0, full = 0; i < STEPS_MAX && full < 20; i++) {
		const struct winsize size = {.ws_row = 60, .ws_col = i % 2 ? 190 : 200};

		if (ioctl(terminal, TIOCSWINSZ, &size) < 0)
			return false;
		usleep(10000);
		full = takes(inside) ? 0 : full + 1;
	}
	return !takes(inside);
}

static int wait_for(pid_t pid)
{
	int status;

	for (int i = 0; i < STEPS_MAX; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		usleep(10000);
	}
	kill(pid, SIGKILL);
	return 1;
}

int main(int argc, char **argv)
{
	const struct winsize size = {.ws_row = 60, .ws_col = 200};
	int terminal, inside;
	char byte;
	pid_t pid;

	if (argc < 2 || openpty(&terminal, &inside, NULL, NULL, &size) < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		close(terminal);
		if (login_tty(inside) == 0)
			execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || !fill(terminal, inside)) {
		kill(pid, SIGKILL);
		return 1;
	}
	puts("full");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	if (write(terminal, "q", 1) != 1)
		return 1;
	return wait_for(pid);
}
