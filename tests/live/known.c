/* known.c - what a known upgrade needs around it: a slow file, a person, and who watches.
 *
 * known slow DIR READ_MS FSYNC_MS
 *     Mounts the slow file on DIR, where each name is it, and serves until killed.
 * known person ROOT MS COMMAND…
 *     Runs it in the root, on a terminal, and answers, MS after the file /asks is there. The last
 *     line: how long the command took and its CPU time, in ns, and its status.
 * known watch FILE SECONDS
 *     What dpkgtop says of the upgrade that runs next, with a full sample each SECONDS: the line
 *     "watching" when all of it is seen; at its end "probe WHY", "elapsed NS", "wall PHASE NS" and
 *     "cell PHASE CAUSE NS QUALITY" of each, and "over". */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "dpkgtop/probe.h"
#include "dpkgtop/session.h"
#include "dpkgtop/source.h"

#include "fuse.h"

/* Far more than it takes; only a hang gets there. */
#define DEADLINE_NS INT64_C(120000000000)

static int slow(const char *dir, int read_ms, int fsync_ms)
{
	struct fuse_delays d = {.gate = -1, .read_ms = read_ms, .fsync_ms = fsync_ms};
	struct fuse f;

	if (!fuse_start(&f, &d, -1) ||
	    move_mount(f.mount, "", AT_FDCWD, dir, MOVE_MOUNT_F_EMPTY_PATH) < 0) {
		perror("fuse");
		return 1;
	}
	/* Whoever held these would keep the file from its end. */
	close(f.mount);
	close(f.device);
	puts("ready");
	fclose(stdout);
	waitpid(f.server, NULL, 0);
	return 0;
}

static _Noreturn void be_command(const char *root, char **command)
{
	static char *const env[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
	                            "ASAN_OPTIONS=detect_leaks=0", NULL};

	if (chroot(root) == 0 && chdir("/") == 0)
		execvpe(command[0], command, env);
	_exit(127);
}

/* Shows what the command says, and answers what it asks. */
static void attend(const char *root, int terminal, int64_t answer_ns)
{
	int64_t asked_ns = 0;
	char path[512], text[512];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/asks", root);
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	for (;;) {
		n = read(terminal, text, sizeof(text));
		if (n > 0)
			fwrite(text, 1, (size_t)n, stdout);
		else if (n == 0 || errno != EAGAIN)
			return; /* the last who had it open has ended */
		if (!asked_ns && access(path, F_OK) == 0)
			asked_ns = stamp_now().mono_ns;
		if (asked_ns > 0 && stamp_now().mono_ns - asked_ns >= answer_ns) {
			asked_ns = INT64_MAX / 2;
			if (write(terminal, "y\n", 2) != 2)
				return;
		}
		usleep(10000);
	}
}

static int person(const char *root, int64_t answer_ns, char **command)
{
	int64_t begun = stamp_now().mono_ns;
	struct rusage u;
	int terminal, status = 0;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid == 0)
		be_command(root, command);
	attend(root, terminal, answer_ns);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return 1;
	printf("\n%lld %lld %d\n", (long long)(stamp_now().mono_ns - begun),
	       (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL +
	               (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

struct watcher {
	struct loop *loop;
	FILE *out;
	bool told;
};

static void see(void *context, const struct frame *f)
{
	struct watcher *w = context;

	if (f->kind == FRAME_EVENT && f->event->kind == EVENT_END)
		loop_stop(w->loop, 0);
	/* Loading the probe takes a moment, in which nothing else is seen. */
	if (w->told || f->kind != FRAME_SAMPLE || f->sample->n_processes == 0 ||
	    f->sample->why[GROUP_PROBE] == GROUP_NOT_ASKED)
		return;
	w->told = true;
	fputs("watching\n", w->out);
	fflush(w->out);
}

static void too_late(void *context, int fd, unsigned events)
{
	(void)fd, (void)events;
	loop_stop(context, 1);
}

static void tell(FILE *out, const struct model *m)
{
	static const char *const qualities[] = {"-", "exact", "sampled", "estimated", "unknown"};

	fprintf(out, "probe %d\nelapsed %lld\n", m->why[GROUP_SYNCS], (long long)model_elapsed(m));
	for (int p = 0; p < N_PHASES; p++) {
		fprintf(out, "wall %s %lld\n", phase_names[p], (long long)m->ledger.wall_ns[p]);
		for (int c = 0; c < N_CAUSES; c++)
			fprintf(out, "cell %s %s %lld %s\n", phase_names[p], cause_keys[c],
			        (long long)m->ledger.cells[p][c].ns,
			        qualities[m->ledger.cells[p][c].quality]);
	}
	fputs("over\n", out);
}

static int watch(const char *path, int64_t interval_ns)
{
	struct session_options o;
	struct session *session;
	struct watcher w = {0};
	struct err e = {""};
	int r;

	w.out = fopen(path, "we");
	session_options_init(&o);
	o.tick_ns = interval_ns;
	o.sinks[0] = (struct session_sink){see, &w};
	if (!w.out || loop_new(&w.loop, &e) < 0 || session_new(&session, &o, w.loop, &e) < 0 ||
	    loop_timer(w.loop, DEADLINE_NS, too_late, w.loop) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	r = loop_run(w.loop);
	tell(w.out, session_model(session));
	session_free(session);
	loop_free(w.loop);
	fclose(w.out);
	return r;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "slow") == 0)
		return slow(argv[2], atoi(argv[3]), atoi(argv[4]));
	if (argc > 4 && strcmp(argv[1], "person") == 0)
		return person(argv[2], atoi(argv[3]) * INT64_C(1000000), argv + 4);
	if (argc == 4 && strcmp(argv[1], "watch") == 0)
		return watch(argv[2], atoi(argv[3]) * INT64_C(1000000000));
	return 2;
}
