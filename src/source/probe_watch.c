/* probe_watch.c - whose sync calls the probe counts. */
#include "probe_parts.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/source.h"
#include "process_files.h"

/* A zombie that nobody waits for is freed late, and CPUs do not always run our program when it is.
 */
#define LONG_AGO_NS (60 * INT64_C(1000000000))

/* Of proc(5), /proc/PID/stat. */
struct stat_line {
	char state;
	int32_t parent;
	uint64_t start;
	uint64_t stack; /* the bottom of its stack; 0 if not permitted */
};

/* 0 or -errno. */
static int read_stat(int proc, int32_t pid, struct stat_line *ret)
{
	char path[32], text[1024], *rest;
	ssize_t n;

	snprintf(path, sizeof(path), "%" PRId32 "/stat", pid);
	n = roots_read(proc, path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	/* The name may hold anything, parentheses too. */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1,
	                    " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
	                    "%*d %*d %lu %*u %*d %*u %*u %*u %lu",
	                    &ret->state, &ret->parent, &ret->start, &ret->stack) != 4)
		return -EBADMSG;
	return ret->state == 'Z' || ret->state == 'X' ? -ESRCH : 0;
}

static bool is_member(const struct probe *p, int32_t pid)
{
	uint32_t key = (uint32_t)pid, place;

	return pid > 0 &&
	       bpf_map_lookup_elem(bpf_map__fd(p->object->maps.member_places), &key, &place) == 0;
}

uint32_t probe_outside(const struct probe *p)
{
	return bpf_map__max_entries(p->object->maps.spare);
}

int probe_recycle(struct probe *p, uint32_t place)
{
	const struct bpf_map *spare =
		place < probe_outside(p) ? p->object->maps.spare : p->object->maps.outside_spare;
	struct sync_key key = p->slots[place].key;

	p->slots[place].live = 0;
	if (bpf_map_delete_elem(bpf_map__fd(p->object->maps.places), &key) ||
	    bpf_map_update_elem(bpf_map__fd(spare), NULL, &place, 0))
		return -errno;
	return 0;
}

/* What it did before it was of the tree is no stranger's any more. */
static void forget_stranger(struct probe *p, uint32_t pid, uint64_t start)
{
	uint32_t first = probe_outside(p);
	uint64_t end = first + p->object->bss->outside_used;

	for (uint32_t i = first; i < end; i++)
		if (p->slots[i].live && p->slots[i].key.pid == pid &&
		    p->slots[i].key.start == start)
			probe_recycle(p, i);
}

static void fill_member(const struct probe *p, uint32_t place, int32_t pid,
                        const struct stat_line *s)
{
	struct member *m = &p->members[place];

	if (!m->used)
		__atomic_fetch_add(&p->object->bss->members_used, 1, __ATOMIC_RELAXED);
	*m = (struct member){
		.start = s->start,
		.pid = (uint32_t)pid,
		.watching = p->object->bss->tree.watching,
		/* A role that was told by an exec before our time is not known: each is worth
	         * waking for. */
		.flags = MEMBER_FORMER | MEMBER_TOLD | MEMBER_WAKES,
		.above = is_member(p, s->parent) ? (uint32_t)s->parent : 0,
		.place = place,
		.live = 1,
		.used = 1,
	};
}

static int add_member(struct probe *p, int32_t pid, const struct stat_line *s)
{
	int spare = bpf_map__fd(p->object->maps.member_spare);
	uint32_t place, key = (uint32_t)pid;

	if (bpf_map_lookup_and_delete_elem(spare, NULL, &place))
		return -errno;
	fill_member(p, place, pid, s);
	if (bpf_map_update_elem(bpf_map__fd(p->object->maps.member_places), &key, &place,
	                        BPF_NOEXIST)) {
		int r = errno == EEXIST ? 0 : -errno;

		p->members[place].live = 0;
		bpf_map_update_elem(spare, NULL, &place, 0);
		return r;
	}
	forget_stranger(p, key, s->start);
	/* As in the BPF program: only 32-bit programs have their stack so low. */
	if (s->stack && s->stack < UINT32_MAX)
		__atomic_fetch_add(&p->object->bss->compat, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Adds whose parent is of the tree already. Returns how many, or -errno. */
static int add_orphans(struct probe *p, int proc)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat_line s;
	int added = 0, r = 0;

	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		int32_t pid = atoi(entry->d_name);

		if (pid <= 0 || is_member(p, pid) || read_stat(proc, pid, &s) ||
		    !is_member(p, s.parent))
			continue;
		r = add_member(p, pid, &s);
		added++;
	}
	closedir(dir);
	return r ? r : added;
}

/* Where the kernel does not list a process's children, all processes are asked for their parents:
 * until nobody is found any more, for they come in no order. */
static int add_by_parents(struct probe *p, int proc)
{
	int r;

	do
		r = add_orphans(p, proc);
	while (r > 0);
	return r;
}

/* Who is there before its children are listed, so that whoever is born meanwhile is in the list or
 * added by the kernel. */
static int add_by_children(struct probe *p, int proc, int32_t root)
{
	struct stat_line line;
	struct sample tree;
	int r;

	sample_init(&tree);
	r = process_add_children(proc, root, &tree);
	for (size_t i = 0; r == 0 && i < tree.n_processes; i++) {
		int32_t pid = tree.processes[i].pid;

		/* Gone again, and its children are others'. */
		if (read_stat(proc, pid, &line))
			continue;
		r = add_member(p, pid, &line);
		if (r == 0)
			r = process_add_children(proc, pid, &tree);
	}
	sample_done(&tree);
	return r;
}

static int add_tree(struct probe *p, int proc, int32_t root, uint64_t start_ticks)
{
	struct stat_line s;
	int r = read_stat(proc, root, &s);

	if (r || s.start != start_ticks)
		return -ESRCH;
	/* Who is born from here on is added by the kernel. */
	r = add_member(p, root, &s);
	if (r)
		return r;
	return process_has_children_files(proc) ? add_by_children(p, proc, root)
	                                        : add_by_parents(p, proc);
}

/* Whoever takes it out of those that can be found, we or the kernel, gives its place back. */
static void forget_member(struct probe *p, uint32_t place)
{
	uint32_t pid = p->members[place].pid;

	p->members[place].live = 0;
	if (bpf_map_delete_elem(bpf_map__fd(p->object->maps.member_places), &pid) == 0)
		bpf_map_update_elem(bpf_map__fd(p->object->maps.member_spare), NULL, &place, 0);
}

void probe_forget_members(struct probe *p)
{
	uint64_t long_ago = (uint64_t)(stamp_now().mono_ns - LONG_AGO_NS);

	for (uint32_t i = 0; i < p->object->bss->members_used; i++)
		if (p->members[i].live && p->members[i].ended && p->members[i].ended < long_ago)
			forget_member(p, i);
}

static void forget_all(struct probe *p)
{
	for (uint32_t i = 0; i < p->object->bss->members_used; i++)
		if (p->members[i].live)
			forget_member(p, i);
}

static void recycle_all(struct probe *p)
{
	for (uint32_t i = 0; i < p->object->bss->slots_used; i++)
		if (p->slots[i].live)
			probe_recycle(p, i);
}

static void drop(void *context, const struct probe_event *e)
{
	(void)context, (void)e;
}

/* A call of the former tree that returns later is told apart by `watching`. */
static void begin_anew(struct probe *p)
{
	struct sync_probe__bss *shared = p->object->bss;

	/* Nothing adds to it any more: it is that of the upgrade before the former one. */
	memset(&shared->tree.tallies[(shared->tree.watching + 1) % 2], 0,
	       sizeof(*shared->tree.tallies));
	memset(&shared->in_syncs[(shared->tree.watching + 1) % 2], 0, sizeof(*shared->in_syncs));
	__atomic_fetch_add(&shared->tree.watching, 1, __ATOMIC_SEQ_CST);
	forget_all(p);
	recycle_all(p);
	probe_drain(p, drop, NULL);
	memset(p->latencies, 0, LATENCIES_MAX * sizeof(*p->latencies));
	shared->lost = shared->missed = shared->full = shared->compat = shared->outside = 0;
	probe_begin_time(p);
}

int probe_watch(struct probe *p, int32_t root_pid, uint64_t start_ticks)
{
	int proc, r;

	begin_anew(p);
	if (root_pid <= 0)
		return 0;
	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return -errno;
	r = add_tree(p, proc, root_pid, start_ticks);
	close(proc);
	if (r)
		begin_anew(p);
	else
		probe_begin_time(p);
	return r;
}
