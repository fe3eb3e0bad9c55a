/* stage.c - the demo's scratch directory, and the real dpkg that works in it. */
#include "dpkgtop/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "parts.h"

#define DEFAULT_DIR "/var/tmp"

/* A word of dpkg's command is our path and less than this; its pointer counts too (execve(2)). */
#define WORD_ROOM 64

static const char *const programs[] = {"dpkg", "dpkg-deb"};

static int check(const struct stage_options *o, struct err *e)
{
	if (o->packages < 1 || o->files < 1 || o->file_size < 0)
		return err_set(e, -EINVAL,
		               "the demo needs at least one package with at least one file");
	if (geteuid() != 0)
		return err_set(e, -EPERM,
		               "the demo installs packages with a real dpkg and needs root");
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (!spawn_can(programs[i]))
			return err_set(e, -ENOENT, "the demo needs %s, which is not installed",
			               programs[i]);
	return 0;
}

/* dpkg takes all packages as words of one command. */
static int check_words(const struct stage *s, struct err *e)
{
	long room = sysconf(_SC_ARG_MAX);
	long each = (long)strlen(s->path) + WORD_ROOM;

	if (room > 0 && s->options.packages > room / 2 / each)
		return err_set(e, -E2BIG, "%d packages are too many for one dpkg command",
		               s->options.packages);
	return 0;
}

static int make_top(struct stage *s, const char *dir, struct err *e)
{
	char name[160], *full;
	struct stat st;
	int r, len;

	text_printable_string(name, sizeof(name), dir);
	full = realpath(dir, NULL);
	if (!full)
		return err_set(e, -errno, "%s: %s", name, strerror(errno));
	r = space_check(&s->options, full, e);
	if (r < 0)
		goto done;
	len = snprintf(s->path, sizeof(s->path), "%s/dpkgtop-demo-XXXXXX",
	               strcmp(full, "/") ? full : "");
	if (len >= (int)sizeof(s->path)) {
		r = err_set(e, -ENAMETOOLONG, "%s: the path is too long", name);
		goto done;
	}
	if (!mkdtemp(s->path)) {
		r = err_set(e, -errno, "making a scratch directory in %s: %s", name,
		            strerror(errno));
		goto done;
	}
	if (lstat(s->path, &st) < 0) {
		r = err_set(e, -errno, "%s: %s", name, strerror(errno));
		rmdir(s->path);
		goto done;
	}
	s->device = st.st_dev;
	s->inode = st.st_ino;
done:
	if (r < 0)
		s->path[0] = '\0';
	free(full);
	return r;
}

static int make_dir(const struct stage *s, const char *name)
{
	char path[sizeof(s->path) + 64];

	snprintf(path, sizeof(path), "%s/%s", s->path, name);
	/* chmod(2) as well, for the umask and a directory that hands its setgid bit down: dpkg-deb
	 * refuses a control directory that has it. */
	if (mkdir(path, 0755) < 0 || chmod(path, 0755) < 0)
		return -errno;
	return 0;
}

static int make_file(const struct stage *s, const char *name)
{
	char path[sizeof(s->path) + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", s->path, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || fchmod(fd, 0644) < 0 || close(fd) < 0)
		return -errno;
	return 0;
}

/* As much of a root as dpkg needs for packages without maintainer scripts. */
static int make_root(struct stage *s, struct err *e)
{
	static const char *const dirs[] = {
		"trees",
		"debs",
		"root",
		"root/var",
		"root/var/log",
		"root/var/lib",
		"root/var/lib/dpkg",
		"root/var/lib/dpkg/info",
		"root/var/lib/dpkg/updates",
		"root/var/lib/dpkg/triggers",
	};
	int r = chmod(s->path, 0700) < 0 ? -errno : 0;

	snprintf(s->root, sizeof(s->root), "%s/root", s->path);
	snprintf(s->log, sizeof(s->log), "%s/root/var/log/dpkg.log", s->path);
	snprintf(s->output, sizeof(s->output), "%s/output", s->path);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs) && r == 0; i++)
		r = make_dir(s, dirs[i]);
	if (r == 0)
		r = make_file(s, "root/var/lib/dpkg/status");
	if (r == 0)
		r = make_file(s, "root/var/lib/dpkg/available");
	if (r < 0)
		return err_set(e, r, "making a scratch root: %s", strerror(-r));
	return 0;
}

/* What building left dirty would be written by dpkg's first fsync, and be charged to it. */
static int settle(const struct stage *s, struct err *e)
{
	int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;

	if (fd < 0 || syncfs(fd) < 0)
		r = err_set(e, -errno, "writing the demo's packages: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return r;
}

int stage_open(struct stage *s, const struct stage_options *options,
               int (*step)(void *context, int done), void *context, struct err *e)
{
	int r;

	memset(s, 0, sizeof(*s));
	s->options = *options;
	r = check(options, e);
	if (r == 0)
		r = make_top(s, options->dir ? options->dir : DEFAULT_DIR, e);
	if (r < 0)
		return r;
	r = check_words(s, e);
	if (r == 0)
		r = make_root(s, e);
	if (r == 0)
		r = packages_build(s, step, context, e);
	if (r == 0)
		r = settle(s, e);
	if (r < 0)
		stage_close(s, NULL);
	return r;
}

char **stage_command(const struct stage *s)
{
	/* --no-debsig and --path-include: the host's dpkg.cfg may say the opposite, and is read
	 * when it could not be hidden (spawn.c). */
	static const char *const before[] = {"--no-force-unsafe-io", "--no-debsig",
	                                     "--path-include=*", "-i"};
	enum { FIXED = sizeof(before) / sizeof(*before) };
	size_t count = 3 + FIXED + (size_t)s->options.packages;
	size_t pointers = (count + 1) * sizeof(char *);
	size_t word = strlen(s->path) + WORD_ROOM;
	char **argv = mem_new(pointers + count * word, 1);
	char *words = (char *)argv + pointers;

	for (size_t i = 0; i < count; i++)
		argv[i] = words + i * word;
	snprintf(argv[0], word, "dpkg");
	snprintf(argv[1], word, "--root=%s", s->root);
	snprintf(argv[2], word, "--log=%s", s->log);
	for (size_t i = 0; i < FIXED; i++)
		snprintf(argv[3 + i], word, "%s", before[i]);
	for (int i = 0; i < s->options.packages; i++)
		packages_path(s, i, argv[3 + FIXED + i], word);
	return argv;
}

int stage_start(const struct stage *s, char *const *argv, pid_t *ret, struct err *e)
{
	const struct spawn how = {
		.argv = argv, .tmp = s->path, .output = s->output, .errors = s->output};
	int r = spawn_start(&how, ret);

	if (r < 0)
		return err_set(e, r, "starting %s: %s", argv[0], strerror(-r));
	return 0;
}

int stage_close(struct stage *s, struct err *e)
{
	char name[160];
	int r;

	if (!s->path[0])
		return 0;
	r = remove_tree(s->path, s->device, s->inode);
	if (r < 0) {
		text_printable_string(name, sizeof(name), s->path);
		if (r == -ESTALE)
			return err_set(e, r, "%s is not the directory the demo made: left alone",
			               name);
		return err_set(e, r, "removing %s: %s", name, strerror(-r));
	}
	s->path[0] = '\0';
	return 0;
}
