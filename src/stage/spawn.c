/* spawn.c - the demo's child processes. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parts.h"

/* dpkg refuses to work when it does not find ldconfig and start-stop-daemon in PATH. Not ours:
 * a wrapper there would be measured instead. */
static const char *const bin_dirs[] = {"/usr/sbin", "/usr/bin", "/sbin", "/bin"};
#define PATH_VARIABLE "PATH=/usr/sbin:/usr/bin:/sbin:/bin"

#define ENVIRONMENT_ROOM 5

struct environment {
	char tmp[600];
	char zone[128];
	char *variables[ENVIRONMENT_ROOM];
};

bool spawn_can(const char *program)
{
	char path[128];

	for (size_t i = 0; i < sizeof(bin_dirs) / sizeof(*bin_dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", bin_dirs[i], program);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* A list of its own rather than ours with omissions: DPKG_FORCE, DPKG_ROOT, DPKG_ADMINDIR,
 * LD_PRELOAD and HOME (~/.dpkg.cfg) all change what dpkg does. TZ stays, for the stamps in its
 * log are local time. */
static void fill(struct environment *env, const struct spawn *how)
{
	const char *zone = getenv("TZ");
	int n = 0;

	env->variables[n++] = (char *)PATH_VARIABLE;
	env->variables[n++] = (char *)"LC_ALL=C.UTF-8";
	snprintf(env->tmp, sizeof(env->tmp), "TMPDIR=%s", how->tmp);
	env->variables[n++] = env->tmp;
	if (zone) {
		snprintf(env->zone, sizeof(env->zone), "TZ=%s", zone);
		env->variables[n++] = env->zone;
	}
	env->variables[n] = NULL;
}

static int redirect(const char *path, int to)
{
	int fd = open(path ? path : "/dev/null",
	              O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, 0644);

	if (fd < 0 || dup2(fd, to) < 0)
		return -1;
	if (fd != to)
		close(fd);
	return 0;
}

static int redirect_all(const struct spawn *how)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return -1;
	if (fd != STDIN_FILENO)
		close(fd);
	return redirect(how->output, STDOUT_FILENO) < 0 ? -1 : redirect(how->errors, STDERR_FILENO);
}

static _Noreturn void become(const struct spawn *how, struct environment *env, pid_t parent,
                             int report)
{
	sigset_t none;
	int failure;

	setpgid(0, 0);
	/* The parent may have died before the request: then it will not be signalled. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (redirect_all(how) == 0 && (!how->dir || chdir(how->dir) == 0)) {
		/* execvp(3) looks into the PATH of `environ`; execvpe() would too. */
		environ = env->variables;
		execvp(how->argv[0], how->argv);
	}
	failure = errno;
	if (write(report, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* What the child wrote before exec closed its end: nothing, if all went well. */
static int read_report(int fd)
{
	int failure;
	ssize_t n;

	do
		n = read(fd, &failure, sizeof(failure));
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	return n == (ssize_t)sizeof(failure) && failure > 0 ? -failure : -EIO;
}

int spawn_start(const struct spawn *how, pid_t *ret)
{
	struct environment env;
	pid_t parent = getpid(), pid;
	int report[2], r;

	fill(&env, how);
	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become(how, &env, parent, report[1]);
	r = pid < 0 ? -errno : 0;
	close(report[1]);
	if (pid > 0) {
		/* Here too, so that the group exists whoever runs first. */
		setpgid(pid, pid);
		r = read_report(report[0]);
		if (r < 0)
			spawn_wait(pid);
	}
	close(report[0]);
	if (r == 0)
		*ret = pid;
	return r;
}

int spawn_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

void spawn_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
	spawn_wait(pid);
}
