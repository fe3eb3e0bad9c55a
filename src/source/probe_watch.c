/* probe_watch.c - whose sync calls the probe counts. */
#include "probe_parts.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/source.h"

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
static int read_stat(int proc, const char *pid, struct stat_line *ret)
{
	char path[32], text[1024], *rest;
	ssize_t n;

	snprintf(path, sizeof(path), "%.16s/stat", pid);
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
	uint32_t key = (uint32_t)pid;
	struct member m;

	return pid > 0 && bpf_map_lookup_elem(bpf_map__fd(p->object->maps.members), &key, &m) == 0;
}

/* A role that was told by an exec before our time is not known: each is worth waking for. */
static int add_member(struct probe *p, int32_t pid, const struct stat_line *s)
{
	struct member m = {.start = s->start,
	                   .watching = p->object->bss->watching,
	                   .flags = MEMBER_FORMER | MEMBER_TOLD | MEMBER_WAKES,
	                   .above = is_member(p, s->parent) ? (uint32_t)s->parent : 0};
	uint32_t key = (uint32_t)pid;

	if (bpf_map_update_elem(bpf_map__fd(p->object->maps.members), &key, &m, BPF_NOEXIST))
		return errno == EEXIST ? 0 : -errno;
	/* As in the BPF program: only 32-bit programs have their stack so low. */
	if (s->stack && s->stack < UINT32_MAX)
		__atomic_fetch_add(&p->object->bss->compat, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Adds whose parent is of the tree already. Returns how many, or -errno. */
static int add_children(struct probe *p, int proc)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat_line s;
	int added = 0, r = 0;

	if (!dir)
		return -errno;
	while (r == 0 && (entry = readdir(dir))) {
		int32_t pid = atoi(entry->d_name);

		if (pid <= 0 || is_member(p, pid) || read_stat(proc, entry->d_name, &s) ||
		    !is_member(p, s.parent))
			continue;
		r = add_member(p, pid, &s);
		added++;
	}
	closedir(dir);
	return r ? r : added;
}

static int add_tree(struct probe *p, int proc, int32_t root, uint64_t start_ticks)
{
	struct stat_line s;
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%d", root);
	r = read_stat(proc, name, &s);
	if (r || s.start != start_ticks)
		return -ESRCH;
	r = add_member(p, root, &s);
	/* Who is born from here on is added by the kernel. Who was before is found, if need be
	 * after its parent was. */
	if (r == 0)
		do
			r = add_children(p, proc);
		while (r > 0);
	return r;
}

/* Forgets the members that `is_old` says, NULL: all. */
static int remove_members(struct probe *p, bool (*is_old)(const struct member *m))
{
	int map = bpf_map__fd(p->object->maps.members);
	int r = probe_table_read(&p->table, map, sizeof(uint32_t), sizeof(struct member));

	for (size_t i = 0; r == 0 && i < p->table.count; i++)
		if (!is_old || is_old(&((struct member *)p->table.values)[i]))
			bpf_map_delete_elem(map, &((uint32_t *)p->table.keys)[i]);
	return r;
}

static bool ended_long_ago(const struct member *m)
{
	return m->ended && stamp_now().mono_ns - (int64_t)m->ended > LONG_AGO_NS;
}

int probe_forget_members(struct probe *p)
{
	return remove_members(p, ended_long_ago);
}

int probe_recycle(struct probe *p, uint32_t place)
{
	struct sync_key key = p->slots[place].key;

	p->slots[place].live = 0;
	if (bpf_map_delete_elem(bpf_map__fd(p->object->maps.places), &key) ||
	    bpf_map_update_elem(bpf_map__fd(p->object->maps.spare), NULL, &place, 0))
		return -errno;
	return 0;
}

static void recycle_all(struct probe *p)
{
	for (uint32_t i = 0; i < p->object->bss->slots_used; i++)
		if (p->slots[i].live && p->slots[i].key.class != SYNC_OUTSIDE)
			probe_recycle(p, i);
}

static void drop(void *context, const struct probe_event *e)
{
	(void)context, (void)e;
}

/* A call of the former tree that returns later is told apart by `watching`. */
static int begin_anew(struct probe *p)
{
	struct sync_probe__bss *shared = p->object->bss;
	int r;

	/* Nothing adds to it any more: it is that of the upgrade before the former one. */
	memset(&shared->tallies[(shared->watching + 1) % 2], 0, sizeof(*shared->tallies));
	__atomic_fetch_add(&shared->watching, 1, __ATOMIC_SEQ_CST);
	r = remove_members(p, NULL);
	recycle_all(p);
	probe_drain(p, drop, NULL);
	memset(p->latencies, 0, LATENCIES_MAX * sizeof(*p->latencies));
	shared->lost = shared->missed = shared->full = shared->compat = 0;
	probe_begin_time(p);
	return r;
}

int probe_watch(struct probe *p, int32_t root_pid, uint64_t start_ticks)
{
	int proc, r = begin_anew(p);

	if (r || root_pid <= 0)
		return r;
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
