/* test_loop.c - descriptors, timers, signals. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/loop.h"

#define MS       INT64_C(1000000)
#define TOO_LONG (20000 * MS)
#define LATE     -99

/* What the callbacks of a test share. */
struct bench {
	struct loop *l;
	int calls, signals[8], signal_count;
	unsigned events;
	int pipe[2], other[2];
	int deadline;
};

static void expired(void *context, int fd, unsigned events)
{
	struct bench *b = context;

	(void)fd;
	(void)events;
	loop_stop(b->l, LATE);
}

/* No test waits for ever: a loop that forgets to stop ends in LATE. */
static int set_up(void **state)
{
	static struct bench bench;
	struct bench *b = &bench;

	memset(b, 0, sizeof(*b));
	assert_int_equal(loop_new(&b->l, NULL), 0);
	assert_int_equal(pipe2(b->pipe, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(pipe2(b->other, O_CLOEXEC | O_NONBLOCK), 0);
	b->deadline = loop_timer(b->l, TOO_LONG, expired, b);
	assert_true(b->deadline >= 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	loop_free(b->l);
	for (int i = 0; i < 2; i++) {
		close(b->pipe[i]);
		close(b->other[i]);
	}
	return 0;
}

static void take_byte(void *context, int fd, unsigned events)
{
	struct bench *b = context;
	char c;

	b->events = events;
	b->calls++;
	assert_int_equal(read(fd, &c, 1), 1);
	loop_stop(b->l, c);
}

static void readable_descriptor_is_told(void **state)
{
	struct bench *b = *state;

	loop_watch(b->l, b->pipe[0], take_byte, b);
	assert_int_equal(write(b->pipe[1], "ab", 2), 2);
	assert_int_equal(loop_run(b->l), 'a');
	assert_int_equal(b->events & EPOLLIN, EPOLLIN);
	/* Stopping once does not stop the next run, and what was left is told again. */
	assert_int_equal(loop_run(b->l), 'b');
	assert_int_equal(b->calls, 2);
}

static void stop_at_once(void *context, int fd, unsigned events)
{
	struct bench *b = context;

	(void)fd;
	b->events = events;
	b->calls++;
	loop_stop(b->l, 0);
}

static void hangup_is_passed_on(void **state)
{
	struct bench *b = *state;

	loop_watch(b->l, b->pipe[0], stop_at_once, b);
	close(b->pipe[1]);
	b->pipe[1] = -1;
	assert_int_equal(loop_run(b->l), 0);
	assert_int_equal(b->events & EPOLLHUP, EPOLLHUP);
}

static void error_is_passed_on(void **state)
{
	struct bench *b = *state;

	/* pipe(7): the write end reports an error when no reader is left. */
	loop_watch(b->l, b->pipe[1], stop_at_once, b);
	close(b->pipe[0]);
	b->pipe[0] = -1;
	assert_int_equal(loop_run(b->l), 0);
	assert_int_equal(b->events & EPOLLERR, EPOLLERR);
}

static void must_not_be_called(void *context, int fd, unsigned events)
{
	(void)context;
	(void)fd;
	(void)events;
	fail();
}

/* Nobody is told, and the loop sleeps; what has that number next may be watched. */
static void closed_descriptor_does_not_spin(void **state)
{
	struct bench *b = *state;
	int fd = b->pipe[0];
	clock_t before = clock();

	loop_watch(b->l, fd, must_not_be_called, b);
	close(fd);
	loop_stop_timer(b->l, b->deadline);
	b->deadline = loop_timer(b->l, 200 * MS, expired, b);
	assert_int_equal(loop_run(b->l), LATE);
	assert_true(clock() - before < CLOCKS_PER_SEC / 10);
	assert_int_equal(dup3(b->other[0], fd, O_CLOEXEC), fd);
	loop_watch(b->l, fd, take_byte, b);
	assert_int_equal(write(b->other[1], "x", 1), 1);
	assert_int_equal(loop_run(b->l), 'x');
}

static void stop_before_run_counts(void **state)
{
	struct bench *b = *state;

	loop_stop(b->l, 7);
	assert_int_equal(loop_run(b->l), 7);
}

static void forget_the_other(void *context, int fd, unsigned events)
{
	struct bench *b = context;

	(void)events;
	b->calls++;
	loop_forget(b->l, fd);
	loop_forget(b->l, fd == b->pipe[0] ? b->other[0] : b->pipe[0]);
	loop_stop_timer(b->l, b->deadline);
	b->deadline = loop_timer(b->l, 30 * MS, expired, b);
}

/* Both are ready in one answer of epoll_wait(): the first callback forgets the second. */
static void forgotten_in_a_callback_is_not_told(void **state)
{
	struct bench *b = *state;

	loop_watch(b->l, b->pipe[0], forget_the_other, b);
	loop_watch(b->l, b->other[0], forget_the_other, b);
	assert_int_equal(write(b->pipe[1], "x", 1), 1);
	assert_int_equal(write(b->other[1], "x", 1), 1);
	assert_int_equal(loop_run(b->l), LATE);
	assert_int_equal(b->calls, 1);
}

/* Closes the other, whose number a fresh and silent pipe takes over. */
static void replace_the_other(void *context, int fd, unsigned events)
{
	struct bench *b = context;
	int number = b->other[0];

	(void)events;
	b->calls++;
	loop_forget(b->l, fd);
	loop_forget(b->l, number);
	close(b->other[0]);
	close(b->other[1]);
	assert_int_equal(pipe2(b->other, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(b->other[0], number);
	loop_watch(b->l, number, must_not_be_called, b);
	loop_stop_timer(b->l, b->deadline);
	b->deadline = loop_timer(b->l, 30 * MS, expired, b);
}

static void reused_number_gets_no_stale_answer(void **state)
{
	struct bench *b = *state;

	loop_watch(b->l, b->pipe[0], replace_the_other, b);
	loop_watch(b->l, b->other[0], must_not_be_called, b);
	assert_int_equal(write(b->pipe[1], "x", 1), 1);
	assert_int_equal(write(b->other[1], "x", 1), 1);
	assert_int_equal(loop_run(b->l), LATE);
	assert_int_equal(b->calls, 1);
}

static void watch_many(void *context, int fd, unsigned events)
{
	struct bench *b = context;
	char c;

	(void)events;
	assert_int_equal(read(fd, &c, 1), 1);
	/* Enough to move the array below the one who calls. */
	for (int i = 0; i < 64; i++)
		loop_watch(b->l, 1000 + i, must_not_be_called, b);
	for (int i = 0; i < 64; i++)
		loop_forget(b->l, 1000 + i);
	loop_watch(b->l, b->other[0], take_byte, b);
	assert_int_equal(write(b->other[1], "z", 1), 1);
}

static void watch_in_a_callback(void **state)
{
	struct bench *b = *state;

	loop_watch(b->l, b->pipe[0], watch_many, b);
	assert_int_equal(write(b->pipe[1], "x", 1), 1);
	assert_int_equal(loop_run(b->l), 'z');
}

static void watching_again_replaces(void **state)
{
	struct bench *b = *state;

	loop_watch(b->l, b->pipe[0], must_not_be_called, b);
	loop_watch(b->l, b->pipe[0], take_byte, b);
	assert_int_equal(write(b->pipe[1], "q", 1), 1);
	assert_int_equal(loop_run(b->l), 'q');
	assert_int_equal(b->calls, 1);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void count_to_three(void *context, int fd, unsigned events)
{
	struct bench *b = context;

	(void)fd;
	assert_int_equal(events & EPOLLIN, EPOLLIN);
	if (++b->calls == 3)
		loop_stop(b->l, 3);
}

static void timer_fires_again_and_again(void **state)
{
	struct bench *b = *state;
	int64_t start = now();
	int fd = loop_timer(b->l, 5 * MS, count_to_three, b);

	assert_true(fd >= 0);
	assert_int_equal(loop_run(b->l), 3);
	assert_true(now() - start >= 15 * MS);
}

static void oversleep(void *context, int fd, unsigned events)
{
	struct bench *b = context;
	int64_t start = now();

	(void)fd;
	(void)events;
	if (++b->calls == 3)
		loop_stop(b->l, 0);
	else if (b->calls == 1)
		while (now() - start < 60 * MS)
			poll(NULL, 0, 5);
}

/* The first callback takes three periods: the second call stands for all that have passed, the
 * third has to wait for the next. */
static void lost_ticks_are_one(void **state)
{
	struct bench *b = *state;
	int64_t start = now();

	assert_true(loop_timer(b->l, 20 * MS, oversleep, b) >= 0);
	assert_int_equal(loop_run(b->l), 0);
	assert_int_equal(b->calls, 3);
	assert_true(now() - start >= 100 * MS);
}

static void look_again(void *context, int fd, unsigned events)
{
	struct bench *b = context;
	uint64_t n;

	(void)events;
	assert_int_equal(read(fd, &n, sizeof(n)), -1);
	assert_int_equal(errno, EAGAIN);
	loop_stop(b->l, 0);
}

static void timer_is_read_before_it_is_told(void **state)
{
	struct bench *b = *state;

	assert_true(loop_timer(b->l, 200 * MS, look_again, b) >= 0);
	assert_int_equal(loop_run(b->l), 0);
}

static void stop_own_timer(void *context, int fd, unsigned events)
{
	struct bench *b = context;

	(void)events;
	b->calls++;
	loop_stop_timer(b->l, fd);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	loop_stop_timer(b->l, b->deadline);
	b->deadline = loop_timer(b->l, 30 * MS, expired, b);
}

static void timer_stops_itself(void **state)
{
	struct bench *b = *state;

	assert_true(loop_timer(b->l, 1 * MS, stop_own_timer, b) >= 0);
	assert_int_equal(loop_run(b->l), LATE);
	assert_int_equal(b->calls, 1);
}

static void timer_needs_a_period(void **state)
{
	struct bench *b = *state;

	assert_int_equal(loop_timer(b->l, 0, expired, b), -EINVAL);
	assert_int_equal(loop_timer(b->l, -1, expired, b), -EINVAL);
}

static void note_signal(void *context, int signal)
{
	struct bench *b = context;

	if (b->signal_count < 8)
		b->signals[b->signal_count++] = signal;
	loop_stop(b->l, signal);
}

static void signals_are_told_and_given_back(void **state)
{
	struct bench *b = *state;
	sigset_t set, before, during, after;
	int status;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(loop_signals(b->l, &set, note_signal, b), 0);
	assert_int_equal(loop_signals(b->l, &set, note_signal, b), -EBUSY);
	/* Both pending at once: none is lost though the first stops the loop. */
	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	assert_int_equal(kill(getpid(), SIGUSR2), 0);
	assert_int_equal(loop_run(b->l), SIGUSR2);
	assert_int_equal(b->signal_count, 2);
	assert_int_equal(b->signals[0], SIGUSR1);

	pid = fork();
	if (pid == 0) {
		loop_child_signals(b->l);
		sigprocmask(SIG_SETMASK, NULL, &after);
		_exit(sigismember(&after, SIGUSR1) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);

	sigprocmask(SIG_SETMASK, NULL, &during);
	assert_int_equal(sigismember(&during, SIGUSR1), 1);
	loop_free(b->l);
	sigprocmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGUSR1), sigismember(&before, SIGUSR1));
	assert_int_equal(loop_new(&b->l, NULL), 0);
}

static void ignore_signal(int signal)
{
	(void)signal;
}

/* A signal with a handler of its own ends epoll_wait(2) early: the loop goes on. */
static void interruption_is_no_end(void **state)
{
	struct bench *b = *state;
	struct sigaction act = {.sa_handler = ignore_signal}, before;
	pid_t pid, parent = getpid();
	int status;

	assert_int_equal(sigaction(SIGUSR1, &act, &before), 0);
	loop_watch(b->l, b->pipe[0], take_byte, b);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 5; i++) {
			poll(NULL, 0, 2);
			kill(parent, SIGUSR1);
		}
		_exit(write(b->pipe[1], "e", 1) == 1 ? 0 : 1);
	}
	assert_int_equal(loop_run(b->l), 'e');
	while (waitpid(pid, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
	sigaction(SIGUSR1, &before, NULL);
}

static void freeing_closes_timers_only(void **state)
{
	struct bench *b = *state;
	int timer = loop_timer(b->l, TOO_LONG, expired, b);

	loop_watch(b->l, b->pipe[0], take_byte, b);
	loop_free(b->l);
	assert_int_equal(fcntl(timer, F_GETFD), -1);
	assert_true(fcntl(b->pipe[0], F_GETFD) >= 0);
	loop_free(NULL);
	assert_int_equal(loop_new(&b->l, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(readable_descriptor_is_told),
		TEST(hangup_is_passed_on),
		TEST(error_is_passed_on),
		TEST(closed_descriptor_does_not_spin),
		TEST(stop_before_run_counts),
		TEST(forgotten_in_a_callback_is_not_told),
		TEST(reused_number_gets_no_stale_answer),
		TEST(watch_in_a_callback),
		TEST(watching_again_replaces),
		TEST(timer_fires_again_and_again),
		TEST(lost_ticks_are_one),
		TEST(timer_is_read_before_it_is_told),
		TEST(timer_stops_itself),
		TEST(timer_needs_a_period),
		TEST(signals_are_told_and_given_back),
		TEST(interruption_is_no_end),
		TEST(freeing_closes_timers_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
