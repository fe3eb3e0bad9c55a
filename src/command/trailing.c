/* trailing.c - what a command leaves in memory, written to disk and timed. */
#include "trailing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

/* It may outlive us while the kernel writes: it must not keep a pipe open that somebody reads to
 * its end. */
static void keep_only(const int *fds, size_t count, int out)
{
	int highest = out;

	for (size_t i = 0; i < count; i++)
		highest = fds[i] > highest ? fds[i] : highest;
	for (int fd = 0; fd < highest; fd++) {
		bool kept = fd == out;

		for (size_t i = 0; i < count; i++)
			kept = kept || fd == fds[i];
		if (!kept)
			close(fd);
	}
	close_range((unsigned)highest + 1, ~0u, 0);
}

static _Noreturn void sync_and_tell(const int *fds, size_t count, int out)
{
	int64_t begun = stamp_now().mono_ns, ns;

	for (size_t i = 0; i < count; i++)
		if (syncfs(fds[i]) < 0)
			_exit(1);
	ns = stamp_now().mono_ns - begun;
	_exit(write(out, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? 0 : 1);
}

static void forget(struct trailing *t)
{
	loop_forget(t->loop, t->answer);
	close(t->answer);
	t->pid = 0;
}

static void answered(void *context, int fd, unsigned events)
{
	struct trailing *t = context;
	int64_t ns;

	(void)events;
	if (read(fd, &ns, sizeof(ns)) != (ssize_t)sizeof(ns))
		ns = UNKNOWN_NS;
	waitpid(t->pid, NULL, 0);
	forget(t);
	t->done(t->context, ns);
}

int trailing_start(struct trailing *t, struct loop *loop, const int *fds, size_t count,
                   void (*done)(void *context, int64_t sync_ns), void *context)
{
	int ends[2] = {-1, -1}, r = 0;
	pid_t pid = -1;

	if (count == 0)
		r = -ENOENT;
	else if (pipe2(ends, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		r = -errno;
	if (pid == 0) {
		keep_only(fds, count, ends[1]);
		sync_and_tell(fds, count, ends[1]);
	}
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	if (ends[1] >= 0)
		close(ends[1]);
	if (r < 0) {
		if (ends[0] >= 0)
			close(ends[0]);
		return r;
	}
	*t = (struct trailing){loop, ends[0], pid, done, context};
	loop_watch(loop, t->answer, answered, t);
	return 0;
}

void trailing_drop(struct trailing *t)
{
	if (!t->pid)
		return;
	kill(t->pid, SIGKILL);
	forget(t);
}

void trailing_wait(struct trailing *t)
{
	if (!t->pid)
		return;
	waitpid(t->pid, NULL, 0);
	forget(t);
}
