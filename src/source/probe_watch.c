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
	uint32_t key = (uint32_t)pid, place;

	return pid > 0 &&
	       bpf_map_lookup_elem(bpf_map__fd(p->object->maps.member_places), &key, &place) == 0;
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

/* What it did before it was of the tree is no stranger's any more. */
static void forget_stranger(struct probe *p, uint32_t pid, uint64_t start)
{
	for (uint32_t i = 0; i < p->object->bss->slots_used; i++)
		if (p->slots[i].live && p->slots[i].key.class == SYNC_OUTSIDE &&
		    p->slots[i].key.pid == pid && p->slots[i].key.start == start)
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
		.watching = p->object->bss->watching,
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
		if (p->slots[i].live && p->slots[i].key.class != SYNC_OUTSIDE)
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
	memset(&shared->tallies[(shared->watching + 1) % 2], 0, sizeof(*shared->tallies));
	__atomic_fetch_add(&shared->watching, 1, __ATOMIC_SEQ_CST);
	forget_all(p);
	recycle_all(p);
	probe_drain(p, drop, NULL);
	memset(p->latencies, 0, LATENCIES_MAX * sizeof(*p->latencies));
	shared->lost = shared->missed = shared->full = shared->compat = 0;
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
