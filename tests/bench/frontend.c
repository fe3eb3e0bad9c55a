/* frontend.c - an upgrade to look at: what apt-get does, with a real dpkg, until told to end.
 *
 * Built as "apt-get", for dpkgtop knows frontends by their names. Works below the current
 * directory: debs/ holds the packages, root/ is upgraded. Holds the frontend's lock as apt does
 * (apt-pkg/deb/debsystem.cc) and runs dpkg once to unpack a few packages and once to configure
 * them, over and over.
 *
 * SIGTERM, or the end of who started it, ends it after the dpkg that runs; so dpkg is never
 * interrupted and the next one finds its database in order. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Packages of one turn. With what their scripts do, it comes to some ten lines of dpkg.log and
 * less than one start of dpkg a second: as in an upgrade from Debian 11 to 12, which wrote 2348
 * lines in 254 s and started dpkg 177 times. */
#define AT_ONCE 3
#define FIXED   7

static volatile sig_atomic_t told;

static void end(int signal)
{
	(void)signal;
	told = 1;
}

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return -1;
}

static int lock(void)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open("root/var/lib/dpkg/lock-frontend", O_RDWR | O_CREAT | O_CLOEXEC, 0640);

	return fd < 0 || fcntl(fd, F_SETLK, &whole) < 0 ? fail("lock-frontend") : 0;
}

/* The scripts run as they are, outside of the scratch root: it has no shell. They run below "/",
 * so dpkg is given the whole path. */
static int dpkg(const char *top, const char *action, char *const *words, size_t count)
{
	char root[PATH_MAX + 32], log[PATH_MAX + 32];
	const char *argv[FIXED + AT_ONCE + 1] = {
		"dpkg",        root,
		log,           "--no-force-unsafe-io",
		"--no-debsig", "--force-script-chrootless",
		action,
	};
	int status;
	pid_t pid;

	snprintf(root, sizeof(root), "--root=%s/root", top);
	snprintf(log, sizeof(log), "--log=%s/root/var/log/dpkg.log", top);
	for (size_t i = 0; i < count; i++)
		argv[FIXED + i] = words[i];
	pid = fork();
	if (pid == 0) {
		/* A death of ours that asks nobody must not leave a dpkg behind. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0)
		return fail("fork");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail("waitpid");
	if (status == 0)
		return 0;
	fprintf(stderr, "dpkg %s: status %#x\n", action, (unsigned)status);
	return -1;
}

int main(void)
{
	/* No SA_RESTART needed: what is interrupted is asked again. */
	struct sigaction ends = {.sa_handler = end};
	char top[PATH_MAX];
	glob_t debs;
	int r = 0;

	sigaction(SIGTERM, &ends, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (glob("debs/*.deb", 0, NULL, &debs) || debs.gl_pathc < AT_ONCE) {
		fprintf(stderr, "too few packages in debs/\n");
		return 1;
	}
	setenv("DPKG_FRONTEND_LOCKED", "true", 1);
	unsetenv("DPKG_FORCE");
	if (!getcwd(top, sizeof(top)) || lock() < 0)
		return 1;
	for (size_t at = 0; r == 0 && !told; at = (at + AT_ONCE) % (debs.gl_pathc - AT_ONCE + 1)) {
		r = dpkg(top, "--unpack", debs.gl_pathv + at, AT_ONCE);
		if (r == 0)
			r = dpkg(top, "--configure", (char *[]){(char *)"-a"}, 1);
	}
	globfree(&debs);
	return r < 0;
}
