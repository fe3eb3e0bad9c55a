/* test_stage.c - the demo's scratch root: made, used by a real dpkg, removed. Needs root. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpkgtop/stage.h"

#define PACKAGES 3
#define FILES    4
#define SIZE     5000

/* A directory of the test's own, with a name that would break a careless caller. */
static char top[64];
static char dir[128];

static const struct stage_options *small(void)
{
	static struct stage_options o;

	o = (struct stage_options){
		.dir = dir, .packages = PACKAGES, .files = FILES, .file_size = SIZE};
	return &o;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(top, "/var/tmp/test_stage-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	snprintf(dir, sizeof(dir), "%s/a b'\"$(x)%%s\n-", top);
	return mkdir(dir, 0755);
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* The whole file, to be freed; "" when it can not be read. */
static char *slurp(const char *path)
{
	size_t room = 1 << 20;
	char *text = calloc(room, 1);
	FILE *f = fopen(path, "re");

	if (f) {
		text[fread(text, 1, room - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

static int count(const char *text, const char *part)
{
	int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f) < 0)
		abort();
}

/* What must not change: identity, size and time of a host's file; zeroed when there is none. */
static struct stat of_host(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		memset(&st, 0, sizeof(st));
	return st;
}

static void assert_same(struct stat a, struct stat b)
{
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(a.st_size, b.st_size);
	assert_int_equal(a.st_mtim.tv_sec, b.st_mtim.tv_sec);
	assert_int_equal(a.st_mtim.tv_nsec, b.st_mtim.tv_nsec);
}

/* The exit status, or -1 if it could not be started as it should. */
static int run(const struct stage *s)
{
	char **argv = stage_command(s);
	pid_t pid, group;
	int status;

	if (stage_start(s, argv, &pid, NULL) < 0)
		return -1;
	group = getpgid(pid);
	if (waitpid(pid, &status, 0) != pid || group != pid)
		status = -1;
	free(argv);
	return status;
}

static int steps;

static int count_step(void *context, int done)
{
	assert_ptr_equal(context, &steps);
	assert_int_equal(done, ++steps);
	return 0;
}

static int count_in(const char *path, const char *part)
{
	char *text = slurp(path);
	int n = count(text, part);

	free(text);
	return n;
}

/* Returns rather than asserts, for it is used in children too. */
static bool installed(const struct stage *s)
{
	char status[700], sums[700], file[700];
	struct stat st;

	snprintf(status, sizeof(status), "%s/var/lib/dpkg/status", s->root);
	snprintf(sums, sizeof(sums), "%s/var/lib/dpkg/info/dpkgtop-demo-003.md5sums", s->root);
	snprintf(file, sizeof(file), "%s/opt/dpkgtop-demo/003/file-0004", s->root);
	return count_in(status, "Status: install ok installed\n") == PACKAGES &&
	       count_in(s->log, " install dpkgtop-demo-") == PACKAGES &&
	       count_in(s->log, " status installed dpkgtop-demo-") == PACKAGES &&
	       count_in(s->output, "Unpacking dpkgtop-demo-") == PACKAGES &&
	       count_in(sums, "\n") == FILES &&
	       count_in(sums, "  opt/dpkgtop-demo/003/file-0004\n") == 1 && stat(file, &st) == 0 &&
	       st.st_size == SIZE && st.st_mode == (S_IFREG | 0644) && st.st_uid == 0;
}

static void dpkg_installs_in_the_scratch_root_only(void **state)
{
	struct stat log = of_host("/var/log/dpkg.log"), status = of_host("/var/lib/dpkg/status");
	struct stage s;
	struct stat st;
	struct err e = {""};
	mode_t mask = umask(077);

	(void)state;
	steps = 0;
	setenv("DPKG_ADMINDIR", "/nonexistent", 1);
	setenv("DPKG_FORCE", "unsafe-io", 1);
	assert_int_equal(stage_open(&s, small(), count_step, &steps, &e), 0);
	assert_int_equal(steps, PACKAGES);
	assert_int_equal(umask(mask), 077);
	assert_int_equal(stat(s.path, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	assert_int_equal(stat(s.root, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0755);
	assert_int_equal(run(&s), 0);
	assert_true(installed(&s));
	unsetenv("DPKG_ADMINDIR");
	unsetenv("DPKG_FORCE");
	assert_int_equal(stage_close(&s, &e), 0);
	assert_int_equal(entries(dir), 0);
	assert_int_equal(stage_close(&s, &e), 0);
	assert_same(log, of_host("/var/log/dpkg.log"));
	assert_same(status, of_host("/var/lib/dpkg/status"));
}

static void relative_directory_becomes_absolute(void **state)
{
	struct stage_options o = *small();
	struct stage s;
	int home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(chdir(dir), 0);
	o.dir = ".";
	assert_int_equal(stage_open(&s, &o, NULL, NULL, NULL), 0);
	assert_int_equal(fchdir(home), 0);
	close(home);
	assert_int_equal(strncmp(s.path, dir, strlen(dir)), 0);
	assert_int_equal(run(&s), 0);
	assert_int_equal(stage_close(&s, NULL), 0);
	assert_int_equal(entries(dir), 0);
}

/* Many files, and none of them with content. */
static void empty_files_by_the_thousand(void **state)
{
	struct stage_options o = {.dir = top, .packages = 1, .files = 1003, .file_size = 0};
	struct stage s;
	char command[800];

	(void)state;
	assert_int_equal(stage_open(&s, &o, NULL, NULL, NULL), 0);
	snprintf(command, sizeof(command),
	         "dpkg-deb --contents %s/debs/*.deb | "
	         "grep -c '^-rw-r--r-- root/root  *0 .*/opt/' | grep -qx 1003",
	         s.path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stage_close(&s, NULL), 0);
	assert_int_equal(entries(top), 1);
}

/* The same content each time, else two runs would not be comparable; and none that gzip shrinks. */
static void payload_is_the_same_and_does_not_shrink(void **state)
{
	struct stage_options o = {.dir = dir, .packages = 1, .files = 2, .file_size = 100000};
	struct stage s;
	char path[700], *sums[2];
	struct stat st;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(stage_open(&s, &o, NULL, NULL, NULL), 0);
		snprintf(path, sizeof(path), "%s/debs/dpkgtop-demo-001.deb", s.path);
		assert_int_equal(stat(path, &st), 0);
		assert_true(st.st_size > 190000);
		assert_int_equal(run(&s), 0);
		snprintf(path, sizeof(path), "%s/var/lib/dpkg/info/dpkgtop-demo-001.md5sums",
		         s.root);
		sums[i] = slurp(path);
		assert_int_equal(stage_close(&s, NULL), 0);
	}
	assert_string_equal(sums[0], sums[1]);
	/* Two files with two sums. */
	assert_int_not_equal(strncmp(sums[0], strchr(sums[0], '\n') + 1, 32), 0);
	free(sums[0]);
	free(sums[1]);
}

static void command_names_its_mode(void **state)
{
	struct stage s = {.path = "/p", .root = "/p/root", .log = "/p/root/var/log/dpkg.log"};
	static const char *const expected[] = {
		"dpkg",
		"--root=/p/root",
		"--log=/p/root/var/log/dpkg.log",
		"--no-force-unsafe-io",
		"--no-debsig",
		"--path-include=*",
		"-i",
		"/p/debs/dpkgtop-demo-001.deb",
		"/p/debs/dpkgtop-demo-002.deb",
	};
	char **argv;

	(void)state;
	s.options.packages = 2;
	argv = stage_command(&s);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		assert_string_equal(argv[i], expected[i]);
	assert_null(argv[sizeof(expected) / sizeof(*expected)]);
	free(argv);
}

static int cancel_second(void *context, int done)
{
	(void)context;
	return done == 2;
}

static void cancelling_leaves_nothing(void **state)
{
	struct stage s;
	struct err e = {""};

	(void)state;
	assert_int_equal(stage_open(&s, small(), cancel_second, NULL, &e), -ECANCELED);
	assert_string_not_equal(e.text, "");
	assert_int_equal(entries(dir), 0);
	assert_string_equal(s.path, "");
	assert_int_equal(stage_close(&s, &e), 0);
}

static void assert_refused(const struct stage_options *o, int code)
{
	struct stage s;
	struct err e = {""};

	assert_int_equal(stage_open(&s, o, NULL, NULL, &e), code);
	assert_string_not_equal(e.text, "");
	assert_null(strchr(e.text, '\n'));
	assert_string_equal(s.path, "");
}

static void bad_directories_are_refused(void **state)
{
	struct stage_options o = *small();
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/none", dir);
	o.dir = path;
	assert_refused(&o, -ENOENT);
	write_text(path, "a file\n");
	assert_refused(&o, -ENOTDIR);
	o.dir = "/proc";
	assert_refused(&o, -ENOSPC);
	o.dir = "";
	assert_refused(&o, -ENOENT);
	assert_int_equal(entries(dir), 1);
	unlink(path);
}

static void bad_numbers_are_refused(void **state)
{
	struct stage_options o = *small();

	(void)state;
	o.packages = 0;
	assert_refused(&o, -EINVAL);
	o = *small();
	o.files = 0;
	assert_refused(&o, -EINVAL);
	o = *small();
	o.file_size = -1;
	assert_refused(&o, -EINVAL);
	o.file_size = INT64_MAX;
	assert_refused(&o, -ENOSPC);
	o.file_size = INT64_C(1) << 50;
	assert_refused(&o, -ENOSPC);
	o = (struct stage_options){.dir = dir, .packages = INT_MAX, .files = INT_MAX};
	assert_refused(&o, -ENOSPC);
	assert_int_equal(entries(dir), 0);
}

/* Runs `test` in a child with a mount namespace of its own; skips where that is not allowed. */
static void in_namespace(void (*test)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(77);
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# a mount namespace is not allowed here, or / is no mount point (a "
		              "chroot)\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* In those children a failed assertion has nowhere to jump to: this ends them. */
#define MUST(condition) ((condition) ? (void)0 : give_up(#condition, __LINE__))

static void give_up(const char *condition, int line)
{
	fprintf(stderr, "# line %d: %s\n", line, condition);
	_exit(1);
}

static int opened(const struct stage_options *o, struct stage *s)
{
	struct err e = {""};
	int r = stage_open(s, o, NULL, NULL, &e);

	MUST((r == 0) == (e.text[0] == '\0'));
	return r;
}

static void without_dpkg_deb(void)
{
	struct stage s;

	MUST(mount("/dev/null", "/usr/bin/dpkg-deb", NULL, MS_BIND, NULL) == 0);
	MUST(opened(small(), &s) == -ENOENT);
	MUST(entries(dir) == 0);
}

/* Each program fails when it is run, so that the way back is taken from the middle. */
static void with_broken_dpkg_deb(void)
{
	struct stage s;

	MUST(mount("/bin/false", "/usr/bin/dpkg-deb", NULL, MS_BIND, NULL) == 0);
	MUST(opened(small(), &s) == -EIO);
	MUST(entries(dir) == 0);
}

static void on_read_only(void)
{
	struct stage s;

	MUST(mount("none", dir, "tmpfs", MS_RDONLY, NULL) == 0);
	MUST(opened(small(), &s) == -EROFS);
}

static void on_small_filesystem(void)
{
	struct stage_options o = *small();
	struct stage s;

	MUST(mount("none", dir, "tmpfs", 0, "size=40m") == 0);
	o.file_size = 1 << 20;
	MUST(opened(&o, &s) == -ENOSPC);
	MUST(entries(dir) == 0);
	o.file_size = 1000;
	MUST(opened(&o, &s) == 0);
	MUST(stage_close(&s, NULL) == 0);
	MUST(entries(dir) == 0);
}

static int fill_up(void *context, int done)
{
	char path[300];
	char block[4096] = {1};
	int fd;

	(void)context;
	if (done > 1)
		return 0;
	snprintf(path, sizeof(path), "%s/filler", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
	return 0;
}

/* Someone else takes the room that was there when we looked. */
static void on_filling_filesystem(void)
{
	struct stage_options o = *small();
	struct stage s;
	struct err e = {""};
	int r;

	MUST(mount("none", dir, "tmpfs", 0, "size=48m") == 0);
	o.packages = 4;
	o.file_size = 100000;
	r = stage_open(&s, &o, fill_up, NULL, &e);
	MUST(r == -ENOSPC || r == -EIO);
	MUST(e.text[0]);
	MUST(entries(dir) == 1);
}

/* The paths and modes of the host's configuration are overruled. */
static void with_hostile_config(void)
{
	char config[200], path[300], text[1024];
	struct stage s;

	snprintf(config, sizeof(config), "%s/config", top);
	snprintf(path, sizeof(path), "%s/dpkg.cfg", config);
	snprintf(text, sizeof(text),
	         "log %s/hook\n"
	         "path-exclude=/opt/*\n"
	         "force-unsafe-io\n",
	         top);
	MUST(mkdir(config, 0755) == 0);
	write_text(path, text);
	MUST(mount(config, "/etc/dpkg", NULL, MS_BIND, NULL) == 0);
	MUST(opened(small(), &s) == 0);
	MUST(run(&s) == 0);
	MUST(installed(&s));
	snprintf(path, sizeof(path), "%s/hook", top);
	MUST(access(path, F_OK) < 0);
	MUST(stage_close(&s, NULL) == 0);
	MUST(umount("/etc/dpkg") == 0);
}

/* The directory of a mount of the same filesystem, which st_dev does not tell. */
static void with_mount_inside(void)
{
	char path[800], precious[200];
	struct stage s;

	snprintf(precious, sizeof(precious), "%s/precious", top);
	MUST(mkdir(precious, 0755) == 0);
	snprintf(path, sizeof(path), "%s/file", precious);
	write_text(path, "precious\n");
	MUST(opened(small(), &s) == 0);
	snprintf(path, sizeof(path), "%s/var/lib", s.root);
	MUST(mount(precious, path, NULL, MS_BIND, NULL) == 0);
	MUST(stage_close(&s, NULL) == -EXDEV);
	MUST(entries(precious) == 1);
	MUST(s.path[0]);
	MUST(umount(path) == 0);
	MUST(stage_close(&s, NULL) == 0);
	MUST(entries(dir) == 0);
}

#define IN_NAMESPACE(name, test)                                                                   \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		in_namespace(test);                                                                \
	}

IN_NAMESPACE(missing_dpkg_deb_is_told, without_dpkg_deb)
IN_NAMESPACE(failing_dpkg_deb_leaves_nothing, with_broken_dpkg_deb)
IN_NAMESPACE(read_only_filesystem_is_told, on_read_only)
IN_NAMESPACE(too_small_filesystem_is_told, on_small_filesystem)
IN_NAMESPACE(filesystem_filling_up_leaves_nothing, on_filling_filesystem)
IN_NAMESPACE(host_configuration_is_overruled, with_hostile_config)
IN_NAMESPACE(mount_inside_is_not_entered, with_mount_inside)

static void others_are_refused(void **state)
{
	pid_t pid = fork();
	struct stage s;
	int status;

	(void)state;
	if (pid == 0) {
		if (setresuid(65534, 65534, 65534) < 0)
			_exit(1);
		_exit(stage_open(&s, small(), NULL, NULL, NULL) == -EPERM ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void links_out_of_the_scratch_are_not_followed(void **state)
{
	char precious[200], path[800], file[300];
	struct stage s;

	(void)state;
	snprintf(precious, sizeof(precious), "%s/precious", top);
	assert_int_equal(mkdir(precious, 0755), 0);
	snprintf(file, sizeof(file), "%s/file", precious);
	write_text(file, "precious\n");
	assert_int_equal(stage_open(&s, small(), NULL, NULL, NULL), 0);
	snprintf(path, sizeof(path), "%s/link", s.root);
	assert_int_equal(symlink(precious, path), 0);
	snprintf(path, sizeof(path), "%s/file-link", s.path);
	assert_int_equal(symlink(file, path), 0);
	snprintf(path, sizeof(path), "%s/dangling", s.path);
	assert_int_equal(symlink("nowhere", path), 0);
	snprintf(path, sizeof(path), "%s/fifo", s.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(stage_close(&s, NULL), 0);
	assert_int_equal(entries(dir), 0);
	assert_int_equal(access(file, F_OK), 0);
}

static void another_directory_of_that_name_is_left_alone(void **state)
{
	char moved[700], file[700];
	struct stage s;
	struct err e = {""};

	(void)state;
	assert_int_equal(stage_open(&s, small(), NULL, NULL, NULL), 0);
	snprintf(moved, sizeof(moved), "%s-moved", s.path);
	assert_int_equal(rename(s.path, moved), 0);
	assert_int_equal(mkdir(s.path, 0700), 0);
	snprintf(file, sizeof(file), "%s/file", s.path);
	write_text(file, "another's\n");
	assert_int_equal(stage_close(&s, &e), -ESTALE);
	assert_string_not_equal(e.text, "");
	assert_int_equal(access(file, F_OK), 0);
	unlink(file);
	rmdir(s.path);
	assert_int_equal(symlink(moved, s.path), 0);
	assert_int_equal(stage_close(&s, &e), -ESTALE);
	unlink(s.path);
	assert_int_equal(rename(moved, s.path), 0);
	assert_int_equal(stage_close(&s, &e), 0);
	assert_int_equal(entries(dir), 0);
}

static void already_gone_is_fine(void **state)
{
	char command[800];
	struct stage s;

	(void)state;
	assert_int_equal(stage_open(&s, small(), NULL, NULL, NULL), 0);
	snprintf(command, sizeof(command), "rm -rf %s/*", top);
	assert_int_equal(system(command), 0);
	assert_int_equal(stage_close(&s, NULL), 0);
	assert_int_equal(mkdir(dir, 0755), 0);
}

static void missing_program_is_told(void **state)
{
	char *argv[] = {(char *)"dpkg-of-another-kind", NULL};
	struct stage s;
	struct err e = {""};
	pid_t pid = 12345;

	(void)state;
	assert_int_equal(stage_open(&s, small(), NULL, NULL, NULL), 0);
	assert_int_equal(stage_start(&s, argv, &pid, &e), -ENOENT);
	assert_non_null(strstr(e.text, "dpkg-of-another-kind"));
	assert_int_equal(pid, 12345);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(stage_close(&s, NULL), 0);
}

/* A clean environment, nothing to read, signals as after a login, although ours are blocked. */
static void child_starts_clean(void **state)
{
	char *argv[] = {(char *)"sh", (char *)"-c",
	                (char *)"env; cat; grep -E 'Sig(Blk|Ign)' /proc/self/status", NULL};
	struct stage s;
	const char *ignored;
	sigset_t all, before;
	char *text;
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(stage_open(&s, small(), NULL, NULL, NULL), 0);
	setenv("LD_PRELOAD", "", 1);
	setenv("DPKG_FORCE", "all", 1);
	signal(SIGPIPE, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	assert_int_equal(stage_start(&s, argv, &pid, NULL), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	unsetenv("LD_PRELOAD");
	unsetenv("DPKG_FORCE");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	text = slurp(s.output);
	assert_int_equal(count(text, "LC_ALL=C.UTF-8\n"), 1);
	assert_int_equal(count(text, "LD_PRELOAD"), 0);
	assert_int_equal(count(text, "DPKG_"), 0);
	assert_int_equal(count(text, "HOME="), 0);
	assert_int_equal(count(text, "SigBlk:\t0000000000000000\n"), 1);
	/* 32 and 33 are glibc's own, which no program can set (signal(7)). */
	ignored = strstr(text, "SigIgn:");
	assert_non_null(ignored);
	assert_int_equal(strtoull(ignored + 7, NULL, 16) & ~UINT64_C(0x180000000), 0);
	free(text);
	assert_int_equal(stage_close(&s, NULL), 0);
}

/* The one who starts it dies by SIGKILL: SIGTERM ends what it started. */
static void child_ends_with_us(void **state)
{
	char *argv[] = {(char *)"sleep", (char *)"20", NULL};
	struct stage s;
	int ends[2], status;
	pid_t starter, pid;

	(void)state;
	assert_int_equal(stage_open(&s, small(), NULL, NULL, NULL), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	starter = fork();
	if (starter == 0) {
		if (stage_start(&s, argv, &pid, NULL) < 0 ||
		    write(ends[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(waitpid(starter, &status, 0), starter);
	/* Ours by adoption; without the signal this would end by itself, after 20 s. */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(stage_close(&s, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(command_names_its_mode),
		TEST(dpkg_installs_in_the_scratch_root_only),
		TEST(relative_directory_becomes_absolute),
		TEST(empty_files_by_the_thousand),
		TEST(payload_is_the_same_and_does_not_shrink),
		TEST(cancelling_leaves_nothing),
		TEST(bad_directories_are_refused),
		TEST(bad_numbers_are_refused),
		TEST(others_are_refused),
		TEST(missing_dpkg_deb_is_told),
		TEST(failing_dpkg_deb_leaves_nothing),
		TEST(read_only_filesystem_is_told),
		TEST(too_small_filesystem_is_told),
		TEST(filesystem_filling_up_leaves_nothing),
		TEST(host_configuration_is_overruled),
		TEST(mount_inside_is_not_entered),
		TEST(links_out_of_the_scratch_are_not_followed),
		TEST(another_directory_of_that_name_is_left_alone),
		TEST(already_gone_is_fine),
		TEST(missing_program_is_told),
		TEST(child_starts_clean),
		TEST(child_ends_with_us),
	};

	if (geteuid() != 0) {
		printf("1..0 # SKIP a real dpkg installs in a scratch root: needs root\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
