/* spool.c - bytes on their way to a file, written by a thread of their own. */
#include "spool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "dpkgtop/mem.h"

struct bytes {
	char *at;
	size_t len, room;
};

struct spool {
	int fd;
	pthread_t thread;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t work;
	struct bytes waiting;
	bool closing;
	int error;
};

static int write_all(int fd, const struct bytes *b)
{
	for (size_t done = 0; done < b->len;) {
		ssize_t n = write(fd, b->at + done, b->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	return 0;
}

/* What it writes to is open, which takes no right of root's any more; those that its maker drops
 * later it would keep, since each thread has its own (capabilities(7)). */
static void drop_rights(void)
{
	cap_t none = cap_init();

	if (none) {
		cap_set_proc(none);
		cap_free(none);
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void *work(void *self)
{
	struct spool *s = self;
	struct bytes taken = {0};
	int r = 0;

	drop_rights();
	pthread_mutex_lock(&s->lock);
	for (;;) {
		struct bytes empty = taken;

		while (!s->waiting.len && !s->closing)
			pthread_cond_wait(&s->work, &s->lock);
		if (!s->waiting.len || s->error)
			break;
		/* The two take turns, so that neither is allocated anew. */
		taken = s->waiting;
		empty.len = 0;
		s->waiting = empty;
		pthread_mutex_unlock(&s->lock);
		r = write_all(s->fd, &taken);
		pthread_mutex_lock(&s->lock);
		if (r < 0 && !s->error)
			s->error = r;
	}
	pthread_mutex_unlock(&s->lock);
	free(taken.at);
	return NULL;
}

/* It takes no signals: they are the loop's. SIGXFSZ, which a write beyond the limit raises, stays
 * pending here, and the write fails. */
static int start(struct spool *s)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	r = pthread_create(&s->thread, NULL, work, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int spool_new(struct spool **ret, int fd)
{
	struct spool *s = mem_new(1, sizeof(*s));
	int r;

	s->fd = fd;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->work, NULL);
	r = start(s);
	if (r < 0) {
		close(fd);
		free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void spool_put(struct spool *s, const void *bytes, size_t len)
{
	struct bytes *w = &s->waiting;

	pthread_mutex_lock(&s->lock);
	if (!s->error && len > SPOOL_ROOM - w->len)
		s->error = -ENOBUFS;
	if (!s->error && len) {
		w->at = mem_grow(w->at, &w->room, w->len + len, 1);
		memcpy(w->at + w->len, bytes, len);
		w->len += len;
		pthread_cond_signal(&s->work);
	}
	pthread_mutex_unlock(&s->lock);
}

int spool_error(struct spool *s)
{
	int error;

	pthread_mutex_lock(&s->lock);
	error = s->error;
	pthread_mutex_unlock(&s->lock);
	return error;
}

int spool_close(struct spool *s)
{
	int r;

	pthread_mutex_lock(&s->lock);
	s->closing = true;
	pthread_cond_signal(&s->work);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	r = s->error;
	if (r == 0 && fsync(s->fd) < 0)
		r = -errno;
	if (close(s->fd) < 0 && r == 0)
		r = -errno;
	pthread_cond_destroy(&s->work);
	pthread_mutex_destroy(&s->lock);
	free(s->waiting.at);
	free(s);
	return r;
}
