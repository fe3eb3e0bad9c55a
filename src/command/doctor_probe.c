/* doctor_probe.c - whether the probe counts, and what it stands on. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "doctor.h"
#include "dpkgtop/probe.h"
#include "dpkgtop/session.h"
#include "dpkgtop/tracefs.h"

static const char sync_loss[] = "which sync calls are waited for, how long, and for which class of "
				"file; the time that the disk spends in flushes stands for them";
static const char life_loss[] = "programs that live shorter than a tick; starts are seen up to "
				"250 ms late, CPU time in steps of 10 ms";

/* Many; the kernel counts our own. */
#define SYNCS 23

void doctor_probe_open(struct doctor_probe *p)
{
	int fd = tracefs_open();

	p->tracefs = fd < 0 ? fd : 0;
	if (fd >= 0)
		close(fd);
	p->missing = session_open_probe(&p->probe, &p->err);
}

static const char *enable_probe(const struct doctor *d, int missing)
{
	switch (missing) {
	case -ENOSYS:
		return "make deps && make";
	case -EOPNOTSUPP:
		return "a kernel with CONFIG_BPF_SYSCALL=y, CONFIG_BPF_EVENTS=y";
	case -EACCES:
	case -EPERM:
		return doctor_as_root(d);
	case -EKEYREJECTED:
		return "lockdown=integrity on the kernel's command line";
	case -ENODATA:
		return access("/sys/kernel", F_OK) < 0 ? "mount -t sysfs sysfs /sys"
		                                       : "a kernel with CONFIG_DEBUG_INFO_BTF=y";
	case -ENOENT:
		return "a kernel with CONFIG_FTRACE_SYSCALLS=y";
	case -EXDEV:
		return "mount -t proc proc /proc";
	case -EMFILE:
		return "ulimit -n 1024";
	default:
		return NULL;
	}
}

/* A file in memory: it has nothing to write, and so no disk waits for us. */
static void sync_nothing(void)
{
	int fd = memfd_create("dpkgtop", MFD_CLOEXEC);

	for (int i = 0; i < SYNCS && fd >= 0; i++)
		fsync(fd);
	if (fd >= 0)
		close(fd);
}

struct seen_exit {
	int32_t pid;
	bool seen;
};

static void take(void *context, const struct probe_event *e)
{
	struct seen_exit *s = context;

	s->seen |= e->kind == PROBE_EXIT && e->pid == s->pid && e->status == 7;
}

/* A process that ends when the gate's other end, which is returned, is closed; -1: there is none.
 */
static int start_child(int32_t *ret_pid)
{
	int gate[2];
	char nothing;

	if (pipe2(gate, O_CLOEXEC) < 0)
		return -1;
	*ret_pid = fork();
	if (*ret_pid == 0) {
		close(gate[1]);
		while (read(gate[0], &nothing, 1) < 0)
			;
		_exit(7);
	}
	close(gate[0]);
	if (*ret_pid > 0)
		return gate[1];
	close(gate[1]);
	return -1;
}

static bool sees_exit(struct probe *p, int32_t pid)
{
	struct seen_exit s = {.pid = pid};

	waitpid(pid, NULL, 0);
	probe_drain(p, take, &s);
	return s.seen;
}

static uint64_t count_syncs(const struct doctor *d, const struct sample *s)
{
	uint64_t count = 0;

	for (size_t i = 0; i < s->n_syncs; i++)
		if (s->syncs[i].pid == d->self && s->syncs[i].call == SYNC_FSYNC)
			count += s->syncs[i].count;
	return count;
}

static void add_sync(struct doctor *d, int r, const struct sample *s)
{
	uint64_t count = count_syncs(d, s);

	if (r < 0)
		doctor_add(d, "sync", DOCTOR_NOT, sync_loss,
		           r == -EACCES || r == -EPERM ? doctor_as_root(d) : NULL,
		           "attached, but what it counts can not be read: %s", doctor_reason(d, r));
	else if (*s->probe.lacks)
		doctor_add(d, "sync", DOCTOR_PARTLY, "those calls; what is counted is a part", NULL,
		           "this kernel has no tracepoints of %s", s->probe.lacks);
	else if (count != SYNCS)
		doctor_add(d, "sync", DOCTOR_NOT, sync_loss, NULL,
		           "attached, but of %d calls it has counted %llu", SYNCS,
		           (unsigned long long)count);
	else
		doctor_add(d, "sync", DOCTOR_WORKS, NULL, NULL, "%s", "");
}

static void try_probe(struct doctor *d, struct probe *p)
{
	struct sample s;
	int32_t child;
	bool exits;
	int gate, r;

	sample_init(&s);
	/* Before: the ends of those are told that are there when the tree is first watched. */
	gate = start_child(&child);
	r = probe_watch(p, d->self, d->self_start_ticks);
	sync_nothing();
	close(gate);
	exits = gate >= 0 && sees_exit(p, child) && r == 0;
	if (r == 0)
		r = probe_read(p, &s);
	add_sync(d, r, &s);
	if (exits)
		doctor_add(d, "life", DOCTOR_WORKS, NULL, NULL, "%s", "");
	else
		doctor_add(d, "life", DOCTOR_NOT, life_loss, NULL,
		           "attached, but it does not tell of a process that ended");
	sample_done(&s);
}

void doctor_check_probe(struct doctor *d, struct doctor_probe *p)
{
	if (p->probe) {
		try_probe(d, p->probe);
		probe_close(p->probe);
		p->probe = NULL;
		return;
	}
	doctor_add(d, "sync", DOCTOR_NOT, sync_loss, enable_probe(d, p->missing), "%s",
	           p->err.text);
	doctor_add(d, "life", DOCTOR_NOT, life_loss, enable_probe(d, p->missing), "%s",
	           p->err.text);
}

static void check_btf(struct doctor *d)
{
	static const char loss[] = "the probe";
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	if (r == 0)
		doctor_add(d, "BTF", DOCTOR_WORKS, NULL, NULL, "%s", "");
	else if (access("/sys/kernel", F_OK) < 0)
		doctor_add(d, "BTF", DOCTOR_NOT, loss, "mount -t sysfs sysfs /sys", "no /sys here");
	else
		doctor_add(d, "BTF", DOCTOR_NOT, loss, "a kernel with CONFIG_DEBUG_INFO_BTF=y",
		           "/sys/kernel/btf/vmlinux: %s", strerror(-r));
}

/* "none [integrity] confidentiality": kernel_lockdown(7). Without the file nothing is locked. */
static void check_lockdown(struct doctor *d)
{
	char text[64];
	ssize_t n = roots_read(AT_FDCWD, "/sys/kernel/security/lockdown", text, sizeof(text));

	if (n > 0 && strstr(text, "[confidentiality]"))
		doctor_add(d, "lockdown", DOCTOR_NOT, "the probe",
		           "lockdown=integrity on the kernel's command line",
		           "the kernel keeps its memory confidential");
	else
		doctor_add(d, "lockdown", DOCTOR_WORKS, NULL, NULL, "%s",
		           n > 0 && strstr(text, "[integrity]") ? "integrity: no hindrance" : "");
}

static void check_tracefs(struct doctor *d, int r)
{
	if (r == 0)
		doctor_add(d, "tracefs", DOCTOR_WORKS, NULL, NULL, "%s", "");
	else if (r == -ENOENT)
		doctor_add(d, "tracefs", DOCTOR_NOT, "the probe",
		           "a kernel with CONFIG_FTRACE=y, CONFIG_FTRACE_SYSCALLS=y",
		           "this kernel has none");
	else
		doctor_add(d, "tracefs", DOCTOR_NOT, "the probe", doctor_as_root(d), "%s",
		           doctor_reason(d, r));
}

void doctor_check_kernel(struct doctor *d, const struct doctor_probe *p)
{
	check_btf(d);
	check_lockdown(d);
	check_tracefs(d, p->tracefs);
}
