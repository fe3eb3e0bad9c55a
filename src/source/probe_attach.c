/* probe_attach.c - the probe's programs, attached to their tracepoints. */
#include "probe_parts.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dpkgtop/source.h"
#include "dpkgtop/tracefs.h"

/* The number of a tracepoint, or -errno. */
static int64_t read_id(int tracefs, const char *side, const char *call)
{
	char path[96], text[32];
	ssize_t n;

	snprintf(path, sizeof(path), "events/syscalls/sys_%s_%s/id", side, call);
	n = roots_read(tracefs, path, text, sizeof(text));
	return n < 0 ? n : atoll(text);
}

/* One event fires for all CPUs: the program hangs on the tracepoint, not on the event. */
static int open_event(uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id};
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	int fd = -1;

	errno = ENODEV;
	/* The first that is on line. */
	for (int cpu = 0; cpu < cpus && fd < 0 && errno == ENODEV; cpu++)
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach_call(struct probe *p, int tracefs, const char *side, const char *call,
                       struct bpf_program *program)
{
	int64_t id = read_id(tracefs, side, call);
	struct bpf_link *link;
	int fd;

	if (id < 0)
		return (int)id;
	fd = open_event((uint64_t)id);
	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(program, fd);
	if (!link) {
		int r = -errno;

		close(fd);
		return r;
	}
	p->events[p->n_events++] = fd;
	p->links[p->n_links++] = link;
	return 0;
}

static void add_lacking(struct probe *p, const char *call)
{
	size_t len = strlen(p->lacks);

	snprintf(p->lacks + len, sizeof(p->lacks) - len, "%s%s", len ? ", " : "", call);
}

static int attach_calls(struct probe *p, int tracefs)
{
	const struct {
		const char *name;
		struct bpf_program *program;
	} calls[PROBE_CALLS] = {
		{"fsync", p->object->progs.sync_file},
		{"fdatasync", p->object->progs.sync_file},
		{"sync_file_range", p->object->progs.sync_range},
		{"syncfs", p->object->progs.sync_file},
		{"sync", p->object->progs.sync_nothing},
		{"msync", p->object->progs.sync_nothing},
	};
	int failure = 0, attached = 0;

	for (int i = 0; i < PROBE_CALLS; i++) {
		/* Exits first: a call whose exit is not seen would stay in flight for ever. */
		int r = attach_call(p, tracefs, "exit", calls[i].name, p->object->progs.sync_exit);

		if (r == 0)
			r = attach_call(p, tracefs, "enter", calls[i].name, calls[i].program);
		if (r) {
			failure = r;
			add_lacking(p, calls[i].name);
			continue;
		}
		attached++;
	}
	return attached ? 0 : failure;
}

/* Without these there is no tree. */
static int attach_tree(struct probe *p, struct err *e)
{
	struct bpf_program *const programs[] = {
		p->object->progs.tree_free,
		p->object->progs.tree_exit,
		p->object->progs.tree_exec,
		p->object->progs.tree_fork,
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct bpf_link *link = bpf_program__attach(programs[i]);

		if (!link)
			return probe_explain(-errno, e);
		p->links[p->n_links++] = link;
	}
	return 0;
}

/* Without these the tree's time is not known. */
static void attach_time(struct probe *p)
{
	struct bpf_link *link;

	if (!bpf_program__autoload(p->object->progs.tree_switch))
		return;
	link = bpf_program__attach(p->object->progs.tree_switch);
	if (!link)
		return;
	p->links[p->n_links++] = link;
	p->look = bpf_program__attach(p->object->progs.tree_look);
	if (p->look)
		p->links[p->n_links++] = p->look;
}

int probe_attach(struct probe *p, struct err *e)
{
	int r = attach_tree(p, e), tracefs;

	if (r)
		return r;
	attach_time(p);
	tracefs = tracefs_open();
	r = tracefs < 0 ? tracefs : attach_calls(p, tracefs);
	if (r == -ENOENT)
		err_set(e, r,
		        "this kernel has no tracepoints of system calls "
		        "(CONFIG_FTRACE_SYSCALLS)");
	else if (r)
		r = probe_explain(r, e);
	if (tracefs >= 0)
		close(tracefs);
	return r;
}
