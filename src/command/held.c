/* held.c - a command that is started once everything is ready for it. */
#include "held.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kernel's struct begins with the handler on all machines; it is no larger than this. The
 * library's calls refuse these signals. */
struct disposition {
	void (*handler)(int);
	unsigned long rest[4];
};
#define HIDDEN_FIRST 32
#define SET_SIZE     8

void held_init(struct held *h)
{
	for (int i = 0; i < HELD_HIDDEN; i++) {
		struct disposition d = {.handler = SIG_DFL};

		h->ignored[i] =
			syscall(SYS_rt_sigaction, HIDDEN_FIRST + i, NULL, &d, SET_SIZE) == 0 &&
			d.handler == SIG_IGN;
	}
}

/* What is handled becomes the default at an exec, and what was ignored is to stay so. */
static void ignore_again(const struct held *h)
{
	const struct disposition d = {.handler = SIG_IGN};

	for (int i = 0; i < HELD_HIDDEN; i++)
		if (h->ignored[i])
			syscall(SYS_rt_sigaction, HIDDEN_FIRST + i, &d, NULL, SET_SIZE);
}

static ssize_t read_whole(int fd, void *to, size_t size)
{
	ssize_t n;

	do
		n = read(fd, to, size);
	while (n < 0 && errno == EINTR);
	return n;
}

static _Noreturn void become(const struct held *h, char *const *argv, const struct loop *loop,
                             int gate, int report)
{
	char go;
	int failure;

	ignore_again(h);
	loop_child_signals(loop);
	/* Its other end is gone: so are we, or there is to be no command. */
	if (read_whole(gate, &go, 1) != 1)
		_exit(127);
	execvp(argv[0], argv);
	failure = errno;
	if (write(report, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

int held_start(struct held *h, char *const *argv, const struct loop *loop, struct err *e)
{
	int gate[2], report[2], r;

	if (pipe2(gate, O_CLOEXEC) < 0)
		return err_set(e, -errno, "a pipe: %s", strerror(errno));
	if (pipe2(report, O_CLOEXEC) < 0) {
		r = -errno;
		close(gate[0]);
		close(gate[1]);
		return err_set(e, r, "a pipe: %s", strerror(-r));
	}
	h->pid = fork();
	if (h->pid == 0) {
		close(gate[1]);
		become(h, argv, loop, gate[0], report[1]);
	}
	r = h->pid < 0 ? -errno : 0;
	close(gate[0]);
	close(report[1]);
	h->gate = gate[1];
	h->report = report[0];
	if (r < 0) {
		close(h->gate);
		close(h->report);
		return err_set(e, r, "fork: %s", strerror(-r));
	}
	return 0;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int held_release(struct held *h, int *ret_status)
{
	/* SIGPIPE is no matter: where somebody runs a command, it is blocked or ignored. */
	ssize_t n = write(h->gate, "", 1);
	int failure = 0;

	close(h->gate);
	if (n == 1)
		n = read_whole(h->report, &failure, sizeof(failure));
	close(h->report);
	if (n == 0)
		return 0;
	*ret_status = wait_for(h->pid);
	return failure > 0 ? -failure : -EPIPE;
}

void held_drop(struct held *h)
{
	close(h->gate);
	close(h->report);
	wait_for(h->pid);
}
