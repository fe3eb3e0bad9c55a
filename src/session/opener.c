/* opener.c - the probe, opened by a thread. */
#include "opener.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/session.h"

struct opener {
	pthread_t thread;
	int done; /* an eventfd */
	/* Whoever comes second of the thread that has finished and the loop that gives up frees it.
	 */
	atomic_bool left;
	int result;
	struct probe *probe;
};

static void drop(struct opener *o)
{
	probe_close(o->probe);
	close(o->done);
	free(o);
}

static void *work(void *self)
{
	struct opener *o = self;

	o->result = session_open_probe(&o->probe, NULL);
	if (atomic_exchange(&o->left, true))
		drop(o);
	else
		eventfd_write(o->done, 1);
	return NULL;
}

/* Signals are the loop's. */
static int start(struct opener *o)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&o->thread, NULL, work, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int opener_start(struct opener **ret)
{
	struct opener *o = mem_new(1, sizeof(*o));
	int r;

	o->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = o->done < 0 ? -errno : start(o);
	if (r < 0) {
		if (o->done >= 0)
			close(o->done);
		free(o);
		return r;
	}
	*ret = o;
	return 0;
}

int opener_fd(const struct opener *o)
{
	return o->done;
}

int opener_finish(struct opener *o, struct probe **ret)
{
	int r;

	pthread_join(o->thread, NULL);
	r = o->result;
	*ret = o->probe;
	close(o->done);
	free(o);
	return r;
}

void opener_abandon(struct opener *o)
{
	pthread_t thread = o->thread;

	if (atomic_exchange(&o->left, true)) {
		pthread_join(thread, NULL);
		drop(o);
	} else {
		pthread_detach(thread);
	}
}
