/* stops.c - a command that stops itself stops us too. */
#include "stops.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* ^Z stops both of us, and fg continues both, but not in the same instant. */
#define MOMENT_NS INT64_C(50000000)

void stops_init(struct stops *s, struct loop *l, pid_t pid)
{
	*s = (struct stops){.loop = l, .pid = pid, .timer = -1};
}

/* The signal it is stopped by; 0: it is not. */
static int stopped_by(const struct stops *s)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)s->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) < 0 ||
	    info.si_pid == 0)
		return 0;
	return info.si_status;
}

static bool in_foreground(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is = fd >= 0 && tcgetpgrp(fd) == getpgrp();

	if (fd >= 0)
		close(fd);
	return is;
}

/* Who waits for us has made a process group for us, in its own session. */
static bool has_job_control(void)
{
	pid_t parent = getppid();

	return getsid(parent) == getsid(0) && getpgid(parent) != getpgrp();
}

static void forget_timer(struct stops *s)
{
	if (s->timer >= 0)
		loop_stop_timer(s->loop, s->timer);
	s->timer = -1;
}

static void moment_passed(void *context, int fd, unsigned events)
{
	struct stops *s = context;
	int signal = stopped_by(s);

	(void)fd;
	(void)events;
	forget_timer(s);
	if (signal == 0 || !in_foreground() || !has_job_control())
		return;
	if (signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU)
		signal = SIGSTOP;
	raise(signal);
}

void stops_look(struct stops *s)
{
	if (s->timer < 0 && stopped_by(s))
		s->timer = loop_timer(s->loop, MOMENT_NS, moment_passed, s);
}

void stops_continued(struct stops *s)
{
	forget_timer(s);
	if (stopped_by(s))
		kill(s->pid, SIGCONT);
}
