/* loop.c - wait for descriptors, timers and signals in one place. */
#include "dpkgtop/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "dpkgtop/mem.h"

#define NS_PER_S 1000000000
/* Of one answer; those that had no room come with the next one. */
#define READY_MAX 16

struct watch {
	int fd;
	bool timer; /* ours: read before the callback, closed by loop_free() */
	uint64_t id;
	loop_ready *ready;
	void *context;
};

struct loop {
	struct watch *watches;
	size_t count;
	size_t room;
	uint64_t last_id;

	/* epoll(7), and not poll(2): which descriptors are watched is seldom changed, and poll(2)
	 * asks each of them again and again, a tenth of all that watching an upgrade costs. It is
	 * told ids, since a callback may change the watches before the rest of an answer is passed
	 * on, and the kernel hands a closed descriptor's number out again. */
	int epoll;

	int signal_fd; /* -1 until loop_signals() */
	sigset_t mask_before;
	loop_signal *taken;
	void *taken_context;

	bool stopped;
	int result;
};

int loop_new(struct loop **ret, struct err *e)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct loop *l;

	if (epoll < 0)
		return err_set(e, -errno, "epoll: %s", strerror(errno));
	l = mem_new(1, sizeof(*l));
	l->epoll = epoll;
	l->signal_fd = -1;
	*ret = l;
	return 0;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->count; i++)
		if (l->watches[i].timer)
			close(l->watches[i].fd);
	if (l->signal_fd >= 0) {
		close(l->signal_fd);
		sigprocmask(SIG_SETMASK, &l->mask_before, NULL);
	}
	close(l->epoll);
	free(l->watches);
	free(l);
}

static void add(struct loop *l, int fd, bool timer, loop_ready *ready, void *context)
{
	struct epoll_event asked = {.events = EPOLLIN};

	loop_forget(l, fd);
	l->watches = mem_grow(l->watches, &l->room, l->count + 1, sizeof(*l->watches));
	l->watches[l->count++] = (struct watch){
		.fd = fd, .timer = timer, .id = ++l->last_id, .ready = ready, .context = context};
	asked.data.u64 = l->last_id;
	epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &asked);
}

void loop_watch(struct loop *l, int fd, loop_ready *ready, void *context)
{
	add(l, fd, false, ready, context);
}

void loop_forget(struct loop *l, int fd)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->watches[i].fd != fd)
			continue;
		memmove(&l->watches[i], &l->watches[i + 1],
		        (l->count - i - 1) * sizeof(*l->watches));
		l->count--;
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
		return;
	}
}

int loop_timer(struct loop *l, int64_t period_ns, loop_ready *ready, void *context)
{
	struct itimerspec spec;
	int fd, r;

	/* timerfd_settime(2) takes zero for "disarm": the timer would never fire. */
	if (period_ns <= 0)
		return -EINVAL;
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	spec.it_interval.tv_sec = period_ns / NS_PER_S;
	spec.it_interval.tv_nsec = period_ns % NS_PER_S;
	spec.it_value = spec.it_interval;
	if (timerfd_settime(fd, 0, &spec, NULL) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	add(l, fd, true, ready, context);
	return fd;
}

void loop_stop_timer(struct loop *l, int fd)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->watches[i].fd != fd || !l->watches[i].timer)
			continue;
		loop_forget(l, fd);
		close(fd);
		return;
	}
}

/* All that have arrived are handed on even when one of them stops the loop: read from the
 * descriptor, they exist nowhere else. */
static void take_signals(void *context, int fd, unsigned events)
{
	struct loop *l = context;
	struct signalfd_siginfo info;

	(void)events;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		l->taken(l->taken_context, (int)info.ssi_signo);
}

int loop_signals(struct loop *l, const sigset_t *set, loop_signal *taken, void *context)
{
	int fd, r;

	if (l->signal_fd >= 0)
		return -EBUSY;
	fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (sigprocmask(SIG_BLOCK, set, &l->mask_before) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	l->signal_fd = fd;
	l->taken = taken;
	l->taken_context = context;
	add(l, fd, false, take_signals, l);
	return 0;
}

void loop_child_signals(const struct loop *l)
{
	if (l->signal_fd >= 0)
		sigprocmask(SIG_SETMASK, &l->mask_before, NULL);
}

static const struct watch *find(const struct loop *l, uint64_t id)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->watches[i].id == id)
			return &l->watches[i];
	return NULL;
}

static void pass_on(const struct watch *found, unsigned events)
{
	/* A copy: the callback may move the array. */
	const struct watch w = *found;
	uint64_t expirations;

	/* One read takes all expirations since the last: late ticks become one. */
	if (w.timer && read(w.fd, &expirations, sizeof(expirations)) < 0)
		return;
	w.ready(w.context, w.fd, events);
}

int loop_run(struct loop *l)
{
	/* Cleared when it has had its effect, not at the start: loop_stop() counts before
	 * loop_run() too. */
	while (!l->stopped) {
		struct epoll_event ready[READY_MAX];
		int n = epoll_wait(l->epoll, ready, READY_MAX, -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !l->stopped; i++) {
			const struct watch *w = find(l, ready[i].data.u64);

			if (w)
				pass_on(w, ready[i].events);
		}
	}
	l->stopped = false;
	return l->result;
}

void loop_stop(struct loop *l, int result)
{
	l->stopped = true;
	l->result = result;
}
