/* terminal.c - how soon a program shows its first screen, and how soon it is gone.
 *
 *   terminal WORD COMMAND…   prints two numbers, milliseconds
 *
 * Runs COMMAND on a terminal of 120 × 40 of its own. The first: from before the fork until WORD
 * has arrived, a word of the last row: curses sends rows from the top down, so the whole screen is
 * there. The second: from the key `q` until the program has ended. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_MS  10000
#define SETTLE_MS 300

static char seen[1 << 16];
static size_t used;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Reads until `word` (NULL: none) has come, the program's side is closed or the time is up; true
 * if the word has come. */
static bool read_until(int terminal, const char *word, double until)
{
	struct pollfd p = {.fd = terminal, .events = POLLIN};
	double left;

	while ((left = until - now_ms()) > 0) {
		ssize_t n;

		if (poll(&p, 1, (int)left + 1) <= 0)
			continue;
		/* What no longer fits is read all the same, or the program would wait for us. */
		if (used >= sizeof(seen) - 1)
			used = 0;
		n = read(terminal, seen + used, sizeof(seen) - 1 - used);
		if (n <= 0) /* EIO: nobody has the other side open any more (tty_ioctl(4)) */
			return false;
		used += (size_t)n;
		if (word && memmem(seen, used, word, strlen(word)))
			return true;
	}
	return false;
}

static int give_up(pid_t pid, const char *why)
{
	fprintf(stderr, "terminal: %s within %d s\n", why, LIMIT_MS / 1000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 1;
}

int main(int argc, char **argv)
{
	struct winsize size = {.ws_row = 40, .ws_col = 120};
	double begun, first, pressed;
	int terminal, status;
	pid_t pid;

	if (argc < 3)
		return 2;
	begun = now_ms();
	pid = forkpty(&terminal, NULL, NULL, &size);
	if (pid < 0) {
		fprintf(stderr, "terminal: %s\n", strerror(errno));
		return 1;
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (!read_until(terminal, argv[1], begun + LIMIT_MS))
		return give_up(pid, "no screen");
	first = now_ms() - begun;
	read_until(terminal, NULL, now_ms() + SETTLE_MS);
	pressed = now_ms();
	if (write(terminal, "q", 1) != 1)
		return give_up(pid, "no key taken");
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now_ms() > pressed + LIMIT_MS)
			return give_up(pid, "no end");
		read_until(terminal, NULL, now_ms() + 1);
	}
	printf("%.2f %.2f\n", first, now_ms() - pressed);
	return 0;
}
