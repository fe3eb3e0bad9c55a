/* outlet.c - what is sent to the terminal, without waiting for one that takes nothing. */
#include "outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dpkgtop/mem.h"

/* One that is read takes the rest of a screen within this. */
#define MOMENT_MS 50

/* Whether a file may be as large as it takes: the store counts as one. */
static bool is_unlimited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

void outlet_open(struct outlet *o)
{
	*o = (struct outlet){.own = -1, .store = -1};
	o->terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (o->terminal < 0 || !is_unlimited())
		return;
	o->store = memfd_create("screen", MFD_CLOEXEC);
	if (o->store >= 0)
		o->own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* Whatever is there: it is to be a terminal. */
	if (o->own >= 0 && !isatty(o->own)) {
		close(o->own);
		o->own = -1;
	}
}

void outlet_close(struct outlet *o)
{
	int *fds[] = {&o->terminal, &o->own, &o->store};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	free(o->bytes);
	o->bytes = NULL;
	o->room = o->len = o->sent = 0;
}

static bool is_all_sent(const struct outlet *o)
{
	return o->sent == o->len;
}

bool outlet_takes(int fd, int wait_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, wait_ms) == 1;
}

/* As much as it takes. One that is gone takes everything. */
static void send_some(struct outlet *o)
{
	while (!is_all_sent(o)) {
		ssize_t n = write(o->own, o->bytes + o->sent, o->len - o->sent);

		if (n > 0)
			o->sent += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return;
		else if (n < 0 && errno != EINTR)
			o->sent = o->len;
	}
	o->len = o->sent = 0;
}

static bool flush_all(struct outlet *o)
{
	size_t before;

	do {
		before = o->sent;
		send_some(o);
	} while (!is_all_sent(o) && o->sent > before && outlet_takes(o->own, MOMENT_MS));
	return is_all_sent(o);
}

bool outlet_ready(struct outlet *o)
{
	if (o->own < 0)
		return outlet_takes(STDOUT_FILENO, 0);
	return flush_all(o) && outlet_takes(o->own, 0);
}

void outlet_begin(struct outlet *o)
{
	if (o->own >= 0)
		dup2(o->store, STDOUT_FILENO);
}

void outlet_send(struct outlet *o, const char *bytes, size_t len)
{
	ssize_t n;

	if (o->own >= 0) {
		o->bytes = mem_grow(o->bytes, &o->room, o->len + len, 1);
		memcpy(o->bytes + o->len, bytes, len);
		o->len += len;
		flush_all(o);
		return;
	}
	while (len && ((n = write(STDOUT_FILENO, bytes, len)) > 0 || (n < 0 && errno == EINTR))) {
		if (n < 0)
			continue;
		bytes += n;
		len -= (size_t)n;
	}
}

void outlet_end(struct outlet *o)
{
	off_t len;
	ssize_t n;

	if (o->own < 0)
		return;
	dup2(o->terminal, STDOUT_FILENO);
	len = lseek(o->store, 0, SEEK_CUR);
	if (len <= 0)
		return;
	o->bytes = mem_grow(o->bytes, &o->room, o->len + (size_t)len, 1);
	n = pread(o->store, o->bytes + o->len, (size_t)len, 0);
	if (n > 0)
		o->len += (size_t)n;
	lseek(o->store, 0, SEEK_SET);
	flush_all(o);
}
