/* packages.c - the demo's packages: payload, control members, dpkg-deb. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "parts.h"

/* dpkg-debs at work while the next package is written. */
#define JOBS 2

#define NAME_ROOM 64
#define PATH_ROOM 704

struct job {
	pid_t pid; /* 0: none */
	int package;
	char tree[PATH_ROOM];
};

struct build {
	const struct stage *s;
	char errors[PATH_ROOM]; /* what the children complained about */
	int trees;              /* the directory they are built in */
	struct job jobs[JOBS];
	int (*step)(void *context, int done);
	void *context;
};

int packages_path(const struct stage *s, int package, char *ret, size_t size)
{
	return snprintf(ret, size, "%s/debs/dpkgtop-demo-%03d.deb", s->path, package + 1);
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators"): cheap,
 * and its output does not compress. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1D;
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int write_payload(int dir, const char *name, int64_t size, uint64_t seed)
{
	uint64_t block[2048];
	int fd, r = 0;

	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	while (size > 0 && r == 0) {
		size_t n = size < (int64_t)sizeof(block) ? (size_t)size : sizeof(block);

		for (size_t i = 0; i < (n + 7) / 8; i++)
			block[i] = next_random(&seed);
		r = write_all(fd, block, n);
		size -= (int64_t)n;
	}
	/* close(2) is where some filesystems (NFS, quotas) first tell that there is no room. */
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

static int write_payloads(const struct stage *s, int package, const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char name[NAME_ROOM];
	int r = 0;

	if (fd < 0)
		return -errno;
	for (int file = 0; file < s->options.files && r == 0; file++) {
		/* Never 0, where the generator would stay. */
		uint64_t seed = ((uint64_t)(unsigned)package + 1) << 32 | (unsigned)file;

		snprintf(name, sizeof(name), "file-%04d", file + 1);
		r = write_payload(fd, name, s->options.file_size, seed);
	}
	close(fd);
	return r;
}

static int write_control(int package, const char *path)
{
	char text[512];
	int fd, r, len;

	len = snprintf(text, sizeof(text),
	               "Package: dpkgtop-demo-%03d\n"
	               "Version: 1.0\n"
	               "Architecture: all\n"
	               "Section: misc\n"
	               "Priority: optional\n"
	               "Maintainer: dpkgtop <dpkgtop@example.invalid>\n"
	               "Description: payload of the dpkgtop demo\n"
	               " Random data for a scratch root. It is of no use anywhere else.\n",
	               package + 1);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	r = write_all(fd, text, (size_t)len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r;
}

/* 0, or an error whose words are the child's own first line. */
static int judge(const struct build *b, const char *program, int status, struct err *e)
{
	char line[200] = "", words[200];
	FILE *f;

	if (status < 0)
		return err_set(e, status, "waiting for %s: %s", program, strerror(-status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	f = fopen(b->errors, "re");
	if (f) {
		if (fgets(line, sizeof(line), f))
			line[strcspn(line, "\n")] = '\0';
		fclose(f);
	}
	text_printable_string(words, sizeof(words), line);
	if (WIFSIGNALED(status))
		return err_set(e, -EIO, "%s was killed by signal %d", program, WTERMSIG(status));
	return err_set(e, -EIO, "%s failed (exit %d)%s%s", program, WEXITSTATUS(status),
	               words[0] ? ": " : "", words);
}

static int make_tree(const struct build *b, int package, const char *tree, struct err *e)
{
	static const char *const dirs[] = {"", "/DEBIAN", "/opt", "/opt/dpkgtop-demo"};
	char path[PATH_ROOM + NAME_ROOM];
	int r = 0;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs) && r == 0; i++) {
		snprintf(path, sizeof(path), "%s%s", tree, dirs[i]);
		r = mkdir(path, 0755) < 0 ? -errno : 0;
	}
	snprintf(path, sizeof(path), "%s/opt/dpkgtop-demo/%03d", tree, package + 1);
	if (r == 0)
		r = mkdir(path, 0755) < 0 ? -errno : 0;
	if (r == 0)
		r = write_payloads(b->s, package, path);
	snprintf(path, sizeof(path), "%s/DEBIAN/control", tree);
	if (r == 0)
		r = write_control(package, path);
	if (r < 0)
		return err_set(e, r, "writing demo package %d: %s", package + 1, strerror(-r));
	return 0;
}

static int start_job(const struct build *b, struct job *job, struct err *e)
{
	char deb[PATH_ROOM];
	/* gzip at its fastest, for the archive is only read back: the demo is about writing. */
	char *argv[] = {(char *)"dpkg-deb",
	                (char *)"--root-owner-group",
	                (char *)"-Zgzip",
	                (char *)"-z1",
	                (char *)"--build",
	                job->tree,
	                deb,
	                NULL};
	const struct spawn how = {.argv = argv, .tmp = b->s->path, .errors = b->errors};
	int r;

	packages_path(b->s, job->package, deb, sizeof(deb));
	r = spawn_start(&how, &job->pid);
	if (r < 0)
		return err_set(e, r, "starting dpkg-deb: %s", strerror(-r));
	return 0;
}

static int finish_job(struct build *b, struct job *job, struct err *e)
{
	char name[16];
	int r;

	if (!job->pid)
		return 0;
	r = judge(b, "dpkg-deb", spawn_wait(job->pid), e);
	job->pid = 0;
	if (r < 0)
		return r;
	/* At once: the payload would lie on the disk once more otherwise. */
	snprintf(name, sizeof(name), "%03d", job->package + 1);
	r = remove_entry(b->trees, name, b->s->device);
	if (r < 0)
		return err_set(e, r, "removing the tree of demo package %d: %s", job->package + 1,
		               strerror(-r));
	if (b->step && b->step(b->context, job->package + 1))
		return err_set(e, -ECANCELED, "cancelled");
	return 0;
}

static int build_one(struct build *b, int package, struct err *e)
{
	struct job *job = &b->jobs[package % JOBS];
	mode_t mask;
	int r;

	r = finish_job(b, job, e);
	if (r < 0)
		return r;
	job->package = package;
	snprintf(job->tree, sizeof(job->tree), "%s/trees/%03d", b->s->path, package + 1);
	/* dpkg-deb(1) wants DEBIAN to be 0755 at least, and the files are to be as in any package.
	 */
	mask = umask(022);
	r = make_tree(b, package, job->tree, e);
	umask(mask);
	return r < 0 ? r : start_job(b, job, e);
}

int packages_build(const struct stage *s, int (*step)(void *context, int done), void *context,
                   struct err *e)
{
	struct build b = {.s = s, .step = step, .context = context};
	char path[PATH_ROOM];
	int r = 0;

	snprintf(b.errors, sizeof(b.errors), "%s/errors", s->path);
	snprintf(path, sizeof(path), "%s/trees", s->path);
	b.trees = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b.trees < 0)
		return err_set(e, -errno, "building the demo's packages: %s", strerror(errno));
	for (int package = 0; package < s->options.packages && r == 0; package++)
		r = build_one(&b, package, e);
	for (int i = 0; i < JOBS && r == 0; i++)
		r = finish_job(&b, &b.jobs[((unsigned)s->options.packages + (unsigned)i) % JOBS],
		               e);
	for (int i = 0; i < JOBS; i++)
		if (b.jobs[i].pid)
			spawn_kill(b.jobs[i].pid);
	close(b.trees);
	return r;
}
