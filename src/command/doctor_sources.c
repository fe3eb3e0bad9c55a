/* doctor_sources.c - what is read of files: each source, tried. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"
#include "dpkgtop/device.h"
#include "dpkgtop/dpkglog.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/mode.h"
#include "dpkgtop/pidfd.h"
#include "dpkgtop/units.h"
#include "dpkgtop/upgrade.h"

static const char mount_proc[] = "mount -t proc proc /proc";
static const char hides[] = "/proc hides the processes of others (hidepid)";

/* Opens and reads a source once, as the session does: 0 or -errno. */
static int try_source(const struct doctor *d, const struct source_ops *ops, struct sample *ret)
{
	const struct target target = {
		.pid = d->self, .start_ticks = d->self_start_ticks, .place = &d->host};
	void *state = mem_new(1, ops->size);
	int r = ops->open(state, &d->roots, NULL);

	if (r == 0)
		r = ops->read(state, &target, ret);
	ops->close(state);
	free(state);
	return r;
}

static const char *enable_file(const struct doctor *d, int r)
{
	if (!d->self)
		return mount_proc;
	return r == -EACCES || r == -EPERM ? doctor_as_root(d) : NULL;
}

void doctor_check_disk(struct doctor *d)
{
	static const char loss[] = "rates, latency and load of the disk; without the probe also "
				   "the estimate of its flushes";
	struct sample s;
	bool flushes = false;
	int r;

	sample_init(&s);
	r = try_source(d, &source_disk, &s);
	for (size_t i = 0; i < s.n_disks; i++)
		flushes |= s.disks[i].flushes != UNKNOWN_U64;
	if (r < 0)
		doctor_add(d, "disk", DOCTOR_NOT, loss, enable_file(d, r), "/proc/diskstats: %s",
		           doctor_reason(d, r));
	else if (s.n_disks == 0)
		doctor_add(d, "disk", DOCTOR_NOT, loss, NULL, "/proc/diskstats lists no disk");
	else if (!flushes)
		doctor_add(d, "disk", DOCTOR_PARTLY, "flushes", "Linux 5.5 or newer",
		           "this kernel counts no flushes");
	else
		doctor_add(d, "disk", DOCTOR_WORKS, NULL, NULL, "%s", "");
	sample_done(&s);
}

void doctor_check_memory(struct doctor *d)
{
	static const char loss[] = "dirty pages and what is on its way to the disk";
	struct sample s;
	int r;

	sample_init(&s);
	r = try_source(d, &source_memory, &s);
	if (r < 0)
		doctor_add(d, "memory", DOCTOR_NOT, loss, enable_file(d, r), "/proc/meminfo: %s",
		           doctor_reason(d, r));
	else if (s.memory.dirty_limit_kib == UNKNOWN_U64)
		doctor_add(d, "memory", DOCTOR_PARTLY, "how many dirty pages there may be", NULL,
		           "/proc/vmstat tells no thresholds");
	else
		doctor_add(d, "memory", DOCTOR_WORKS, NULL, NULL, "%s", "");
	sample_done(&s);
}

void doctor_check_pressure(struct doctor *d)
{
	static const char loss[] = "how much all programs wait for the disk, memory and processors";
	struct sample s;
	int r;

	sample_init(&s);
	r = try_source(d, &source_pressure, &s);
	if (r == 0)
		doctor_add(d, "pressure", DOCTOR_WORKS, NULL, NULL, "%s", "");
	else if (r == -EOPNOTSUPP)
		doctor_add(d, "pressure", DOCTOR_NOT, loss, "psi=1 on the kernel's command line",
		           "this kernel can count it and does not");
	else if (r == -ENOENT && d->self)
		doctor_add(d, "pressure", DOCTOR_NOT, loss, "a kernel with CONFIG_PSI=y",
		           "there is no /proc/pressure");
	else
		doctor_add(d, "pressure", DOCTOR_NOT, loss, enable_file(d, r), "/proc/pressure: %s",
		           doctor_reason(d, r));
	sample_done(&s);
}

void doctor_check_space(struct doctor *d)
{
	struct sample s;
	int r;

	sample_init(&s);
	r = try_source(d, &source_space, &s);
	if (r < 0)
		doctor_add(d, "space", DOCTOR_NOT, "how full the filesystems get", NULL, "/: %s",
		           doctor_reason(d, r));
	else
		doctor_add(d, "space", DOCTOR_WORKS, NULL, NULL, "%s", "");
	sample_done(&s);
}

/* A file of the process of root's that was found, as of the upgrade's: 0 or -errno. */
static int read_other(const struct doctor *d, const char *file)
{
	char path[32], text[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%d/%s", (int)d->other, file);
	n = roots_read(d->roots.proc, path, text, sizeof(text));
	return n < 0 && n != -EFBIG ? (int)n : 0;
}

static void check_others(struct doctor *d, const struct process_counters *self)
{
	int io = d->other ? read_other(d, "io") : 0;
	int syscall = d->other ? read_other(d, "syscall") : 0;

	if (self->read_bytes == UNKNOWN_U64)
		doctor_add(d, "process", DOCTOR_PARTLY, "bytes read and written by processes",
		           "a kernel with CONFIG_TASK_IO_ACCOUNTING=y",
		           "this kernel does not count processes' I/O");
	else if (d->hidden)
		doctor_add(d, "process", DOCTOR_PARTLY, "processes of others: the upgrade itself",
		           doctor_as_root(d), hides);
	else if (io < 0)
		doctor_add(d, "process", DOCTOR_PARTLY,
		           "bytes that root's processes read and write, and whether the upgrade "
		           "waits for you",
		           doctor_as_root(d), "/proc/PID/io, syscall of root's: %s",
		           doctor_reason(d, io));
	else if (syscall < 0)
		doctor_add(d, "process", DOCTOR_PARTLY, "whether the upgrade waits for you",
		           syscall == -ENOENT ? "a kernel with CONFIG_HAVE_ARCH_TRACEHOOK=y"
		                              : doctor_as_root(d),
		           "/proc/PID/syscall of root's: %s", doctor_reason(d, syscall));
	else
		doctor_add(d, "process", DOCTOR_WORKS, NULL, NULL, "%s", "");
}

void doctor_check_process(struct doctor *d)
{
	static const char loss[] = "the upgrade's processes, their CPU time, waiting and I/O";
	struct sample s;
	int r;

	sample_init(&s);
	r = try_source(d, &source_process, &s);
	if (r < 0 || s.n_processes == 0)
		doctor_add(d, "process", DOCTOR_NOT, loss, enable_file(d, r), "/proc/PID: %s",
		           doctor_reason(d, r));
	else
		check_others(d, &s.processes[0]);
	sample_done(&s);
}

void doctor_check_device(struct doctor *d)
{
	static const char loss[] = "which disk the upgrade writes to, what lies between, and with "
				   "that all numbers of the disk";
	struct storage_event facts = {.disk = ""};
	struct device_monitor *monitor;
	struct err e = {""};
	int r = device_monitor_open(&monitor, &e);

	if (r == 0)
		device_monitor_close(monitor);
	if (d->host.root >= 0)
		device_describe(&d->roots, &d->host, 0,
		                d->o->admindir ? d->o->admindir : "/var/lib/dpkg", &facts);
	if (!*facts.disk)
		doctor_add(d, "device", DOCTOR_NOT, loss, d->self ? NULL : mount_proc,
		           "the disk below dpkg's database can not be told%s%s",
		           *facts.filesystem ? ": it lies on " : "", facts.filesystem);
	else if (r < 0)
		doctor_add(d, "device", DOCTOR_PARTLY, "disks that come and go", NULL, "%s",
		           e.text);
	else
		doctor_add(d, "device", DOCTOR_WORKS, NULL, NULL, "%s, %s", facts.disk,
		           device_monitor_by_udev() ? "udev runs"
		                                    : "no udev: the kernel's own events");
}

/* Whether dpkg's configuration names a log at all: a line "log FILE" (dpkg(1)). */
static bool names_log(const struct doctor *d)
{
	size_t len, cut_at;
	char *text = NULL, *line;
	bool cut, found = false;

	if (place_read_end(&d->host, "/etc/dpkg/dpkg.cfg", 65536, &text, &len, &cut) < 0)
		return false;
	for (line = text; line && *line && !found; line += cut_at + (line[cut_at] == '\n')) {
		cut_at = strcspn(line, "\n");
		found = strncmp(line, "log", 3) == 0 && strchr(" \t=", line[3]) && line[3];
	}
	free(text);
	return found;
}

void doctor_check_packages(struct doctor *d)
{
	static const char loss[] = "packages, steps, and most phases";
	const char *path = d->o->log ? d->o->log : "/var/log/dpkg.log";
	struct dpkglog *log = NULL;
	struct err e = {""};
	int r = dpkglog_open(&log, &d->host, path, DPKGLOG_END, 0, &e);

	if (r == 0)
		r = dpkglog_why(log);
	dpkglog_close(log);
	if (r == 0)
		doctor_add(d, "packages", DOCTOR_WORKS, NULL, NULL, "%s", "");
	else if (r == -ENOENT && names_log(d))
		doctor_add(d, "packages", DOCTOR_WORKS, NULL, NULL,
		           "dpkg makes its log when it runs next");
	else if (r == -ENOENT)
		doctor_add(d, "packages", DOCTOR_PARTLY, loss,
		           "echo 'log /var/log/dpkg.log' >>/etc/dpkg/dpkg.cfg",
		           "there is no %s, and dpkg.cfg names none", path);
	else
		doctor_add(d, "packages", DOCTOR_NOT, loss, enable_file(d, r), "%s: %s", path,
		           r == -EINVAL ? "no regular file" : doctor_reason(d, r));
}

void doctor_check_upgrade(struct doctor *d)
{
	static const char loss[] = "whether an upgrade runs, and which";
	const char *admindir = d->o->admindir ? d->o->admindir : "/var/lib/dpkg";
	struct upgrade_list list;
	struct place place = {.root = -1};
	int r = upgrade_list(&d->roots, admindir, false, &list), others;

	if (r < 0) {
		if (access(admindir, F_OK) < 0)
			doctor_add(d, "upgrade", DOCTOR_NOT, loss, NULL, "there is no %s",
			           admindir);
		else
			doctor_add(d, "upgrade", DOCTOR_NOT, loss, enable_file(d, r),
			           "/proc/locks: %s", doctor_reason(d, r));
		return;
	}
	others = d->other ? place_open_process(&place, &d->roots, d->other) : 0;
	place_close(&place);
	if (d->hidden)
		doctor_add(d, "upgrade", DOCTOR_PARTLY, "upgrades of others", doctor_as_root(d),
		           hides);
	else if (others < 0)
		doctor_add(d, "upgrade", DOCTOR_PARTLY, "upgrades in chroots and containers",
		           doctor_as_root(d), "root directories of root's processes: %s",
		           doctor_reason(d, others));
	else
		doctor_add(d, "upgrade", DOCTOR_WORKS, NULL, NULL, "%s", "");
}

void doctor_check_mode(struct doctor *d)
{
	static const char loss[] = "safe-io or unsafe-io, unless dpkg's arguments or "
				   "configuration say it";
	struct mode_event mode = {.mode = ""};
	int environment = d->other ? read_other(d, "environ") : 0;

	if (environment == 0 && d->host.root >= 0 && d->self)
		mode_find(&d->roots, &d->host, d->other ? d->other : d->self, &mode);
	if (d->hidden)
		doctor_add(d, "mode", DOCTOR_PARTLY, loss, doctor_as_root(d), hides);
	else if (environment < 0)
		doctor_add(d, "mode", DOCTOR_PARTLY, loss, doctor_as_root(d),
		           "the environment of root's processes: %s",
		           doctor_reason(d, environment));
	else if (!*mode.mode)
		doctor_add(d, "mode", DOCTOR_NOT, loss, d->self ? NULL : mount_proc,
		           "dpkg's configuration can not be read");
	else
		doctor_add(d, "mode", DOCTOR_WORKS, NULL, NULL, "%s", "");
}

/* How a process ended that another has waited for already: here it is we. */
static int32_t status_afterwards(void)
{
	int32_t status = STATUS_UNKNOWN;
	pid_t pid = fork();
	int fd;

	if (pid == 0)
		_exit(7);
	if (pid < 0)
		return status;
	fd = pidfd_of(pid);
	waitpid(pid, NULL, 0);
	if (fd >= 0) {
		status = pidfd_wait_status(fd, 5);
		close(fd);
	}
	return status;
}

void doctor_check_status(struct doctor *d)
{
	if (status_afterwards() == 7)
		doctor_add(d, "exit status", DOCTOR_WORKS, NULL, NULL, "%s", "");
	else
		doctor_add(d, "exit status", d->root ? DOCTOR_PARTLY : DOCTOR_NOT,
		           "how scripts ended whose parent was faster than we",
		           "Linux 6.15 or newer", "this kernel tells none by pidfd");
}
