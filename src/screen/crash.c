/* crash.c - gives the terminal back when the program dies of a fault of its own. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#include "crash.h"

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define N_SIGNALS (sizeof(signals) / sizeof(*signals))

/* A terminal that takes nothing for so long is stuck. */
#define STUCK_S 2

/* A signal handler has no other way to know. Everything is made ready beforehand, because in the
 * handler only async-signal-safe calls may be made (signal-safety(7)). */
static struct {
	volatile sig_atomic_t ready;
	volatile sig_atomic_t fd; /* the terminal */
	pid_t pid;                /* a child between fork and exec owns no terminal */
	bool has_modes;
	struct termios modes;
	size_t len, base; /* of bytes; and without what crash_also() added */
	char bytes[320];
	struct sigaction before[N_SIGNALS];
	stack_t stack_before;
	char stack[16384]; /* the fault may be that the stack is full */
} crash;

void crash_leave(void)
{
	size_t sent = 0;
	ssize_t n;

	if (!crash.ready || getpid() != crash.pid)
		return;
	crash.ready = 0;
	while (sent < crash.len && (n = write(crash.fd, crash.bytes + sent, crash.len - sent)) > 0)
		sent += (size_t)n;
	if (crash.has_modes)
		tcsetattr(crash.fd, TCSANOW, &crash.modes);
}

/* Dies of the very signal, so that the exit status and a core file tell the truth. */
static void crash_die(int signal)
{
	struct sigaction fatal = {.sa_handler = SIG_DFL};
	sigset_t set;

	sigaction(signal, &fatal, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void crash_handle(int signal)
{
	crash_leave();
	crash_die(signal);
}

/* Those that end a program, and that its loop can not hear while it is held in write(2). */
static const int endings[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

static void crash_stuck(int alarm)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	sigset_t pending;

	(void)alarm;
	if (sigpending(&pending) < 0)
		return;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		if (sigismember(&pending, endings[i]) != 1)
			continue;
		/* What the terminal does not take now is not waited for. */
		fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
		crash_leave();
		fcntl(STDOUT_FILENO, F_SETFL, flags);
		crash_die(endings[i]);
	}
}

void crash_watch(bool on)
{
	static const struct itimerval off, every = {{1, 0}, {STUCK_S, 0}};
	struct sigaction handler = {.sa_handler = crash_stuck, .sa_flags = SA_RESTART};

	sigemptyset(&handler.sa_mask);
	if (on)
		sigaction(SIGALRM, &handler, NULL);
	setitimer(ITIMER_REAL, on ? &every : &off, NULL);
}

static void crash_signals(void)
{
	struct sigaction handler = {.sa_handler = crash_handle,
	                            .sa_flags = SA_ONSTACK | SA_NODEFER};
	stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof(crash.stack)};

	sigemptyset(&handler.sa_mask);
	sigaltstack(&stack, &crash.stack_before);
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &handler, &crash.before[i]);
}

void crash_prepare(const char *bytes, size_t len)
{
	if (crash.ready)
		return;
	crash.base = len < CRASH_BYTES_MAX ? len : CRASH_BYTES_MAX;
	crash.len = crash.base;
	memcpy(crash.bytes, bytes, crash.len);
	crash.fd = STDOUT_FILENO;
	crash.has_modes = tcgetattr(STDOUT_FILENO, &crash.modes) == 0;
	crash.pid = getpid();
	crash_signals();
	crash.ready = 1;
}

void crash_terminal(int fd)
{
	crash.fd = fd < 0 ? STDOUT_FILENO : fd;
}

void crash_also(const char *bytes)
{
	size_t len = strlen(bytes);

	if (len > sizeof(crash.bytes) - crash.base)
		return;
	/* A crash between the two must find nothing half-written. */
	crash.len = crash.base;
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(crash.bytes + crash.base, bytes, len);
	atomic_signal_fence(memory_order_seq_cst);
	crash.len = crash.base + len;
}

void crash_again(void)
{
	if (crash.ready || crash.pid != getpid())
		return;
	crash_signals();
	crash.ready = 1;
}

void crash_forget(void)
{
	if (!crash.ready)
		return;
	crash.ready = 0;
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &crash.before[i], NULL);
	sigaltstack(&crash.stack_before, NULL);
}
