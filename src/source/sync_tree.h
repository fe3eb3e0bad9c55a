/* sync_tree.h - part of sync.bpf.c: who is of the tree, and what becomes of him. */
#ifndef SOURCE_SYNC_TREE_H
#define SOURCE_SYNC_TREE_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sync_maps.h"

#define COMPAT_END (1ull << 32)

static __always_inline struct task_struct *current(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

/* A process's pid where the viewer lives, 0 if it has none. bpf_get_ns_current_pid_tgid() knows
 * only processes that live right there, and a container's are seen from the host, too. */
static __always_inline u32 pid_of(struct task_struct *task)
{
	struct pid *pid;
	u32 level;

	if (!namespace_inode)
		return BPF_CORE_READ(task, tgid);
	pid = BPF_CORE_READ(task, signal, pids[PIDS_TGID]);
	level = BPF_CORE_READ(pid, level);
	for (u32 i = 0; i < NS_LEVELS && i <= level; i++) {
		struct upid *at = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
		                  i * bpf_core_type_size(struct upid);

		if (BPF_CORE_READ(at, ns, ns.inum) == namespace_inode)
			return BPF_CORE_READ(at, nr);
	}
	return 0;
}

/* The current process's. */
static __always_inline u32 own_pid(void)
{
	return namespace_inode ? pid_of(current()) : (u32)(bpf_get_current_pid_tgid() >> 32);
}

static __always_inline u64 start_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, start_boottime) / tick_ns;
}

/* The process's entry if it is of the tree that is watched now. */
static __always_inline struct member *member_of(u32 pid)
{
	struct member *m = pid ? bpf_map_lookup_elem(&members, &pid) : NULL;

	return m && m->watching == watching && !m->ended ? m : NULL;
}

static __always_inline void raise_to(u64 *longest, u64 ns)
{
	if (*longest < ns)
		*longest = ns;
}

/* Whether `name` (zeroed behind its end) is just `word`. */
#define IS(name, word) is(name, word, sizeof(word))
static __always_inline int is(const char *name, const char *word, u32 size)
{
	for (u32 i = 0; i < size; i++)
		if (name[i] != word[i])
			return 0;
	return 1;
}

static __always_inline struct sync_slot *find_slot(const struct sync_key *key)
{
	u32 *place = bpf_map_lookup_elem(&places, key);

	return place ? bpf_map_lookup_elem(&slots, place) : NULL;
}

static __always_inline struct flight *make_flight(u32 thread)
{
	struct flight fresh = {};

	bpf_map_update_elem(&flights, &thread, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&flights, &thread);
}

static __always_inline void close_call(const struct flight *f, u64 ns, int returned)
{
	struct sync_slot *s = bpf_map_lookup_elem(&slots, &f->place);

	if (!s) {
		if (returned)
			__sync_fetch_and_add(&full, 1);
		return;
	}
	__sync_fetch_and_add(&s->open, -1);
	__sync_fetch_and_add(&s->since_sum, -f->since);
	if (!returned)
		return;
	__sync_fetch_and_add(&s->total, ns);
	__sync_fetch_and_add(&s->count, 1);
	raise_to(&s->longest, ns);
}

static __always_inline void forget_flight(struct flight *f)
{
	if (f->since && f->watching == watching && f->key.class != SYNC_OUTSIDE)
		close_call(f, 0, 0);
	f->since = 0;
}

/* A stranger's calls, all in one slot. */
static __always_inline struct sync_key stranger(u32 pid, u64 start)
{
	struct sync_key key = {.pid = pid, .start = pid ? start : 0, .class = SYNC_OUTSIDE};

	return key;
}

/* A child is of the tree if its parent is. Parent, child. */
SEC("raw_tracepoint/sched_process_fork")
int tree_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *child = (struct task_struct *)ctx->args[1];
	u32 parent = pid_of((struct task_struct *)ctx->args[0]), pid;
	struct member *m = member_of(parent), born = {};

	if (!m || BPF_CORE_READ(child, pid) != BPF_CORE_READ(child, tgid))
		return 0;
	pid = pid_of(child);
	born.start = start_of(child);
	born.watching = m->watching;
	born.above = m->flags & MEMBER_WAKES ? parent : m->above;
	if (!pid || bpf_map_update_elem(&members, &pid, &born, BPF_ANY))
		__sync_fetch_and_add(&full, 1);
	return 0;
}

/* The last eight characters of a text as one number, the first one lowest. */
#define END(a, b, c, d, e, f, g, h)                                                                \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 |             \
	 (u64)(f) << 40 | (u64)(g) << 48 | (u64)(h) << 56)

/* Scripts run as /var/lib/dpkg/info/PACKAGE.postinst or tmp.ci/preinst; their comm is cut. `room`
 * holds COMMAND_ROOM bytes to work in. */
static __always_inline int is_script(const char *path, char *room)
{
	long len = bpf_probe_read_kernel_str(room, COMMAND_ROOM, path) - 1;
	u64 end = 0;

	if (len < (long)sizeof(end) || bpf_probe_read_kernel(&end, sizeof(end), path + len - 8))
		return 0;
	return end == END('p', 'o', 's', 't', 'i', 'n', 's', 't') ||
	       end >> 8 == END('p', 'r', 'e', 'i', 'n', 's', 't', 0) ||
	       end >> 16 == END('p', 'o', 's', 't', 'r', 'm', 0, 0) ||
	       end >> 24 == END('p', 'r', 'e', 'r', 'm', 0, 0, 0) ||
	       end >> 16 == END('c', 'o', 'n', 'f', 'i', 'g', 0, 0);
}

static __always_inline int wakes(const char *name, const char *path, char *room)
{
	return IS(name, "dpkg") || IS(name, "dracut") || IS(name, "mkinitramfs") ||
	       IS(name, "update-initramf") || is_script(path, room);
}

/* Task, its former pid, binprm. */
SEC("raw_tracepoint/sched_process_exec")
int tree_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	struct linux_binprm *program = (struct linux_binprm *)ctx->args[2];
	u32 pid = pid_of(task);
	struct member *m = member_of(pid);
	unsigned long from, len;
	struct ring_exec *e;
	u64 wake = BPF_RB_NO_WAKEUP;

	if (!m)
		return 0;
	from = BPF_CORE_READ(task, mm, arg_start);
	/* A 64-bit program has its stack far above; one of 32 bits can not. */
	if (from < COMPAT_END)
		__sync_fetch_and_add(&compat, 1);
	e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);
	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	e->head.kind = RING_EXEC;
	e->head.pid = pid;
	e->head.start = m->start;
	e->head.at = bpf_ktime_get_ns();
	e->parent = pid_of(BPF_CORE_READ(task, real_parent));
	bpf_get_current_comm(e->name, sizeof(e->name));
	e->above = m->above;
	/* It stays: a script that becomes another program ends as that one does. */
	if (wakes(e->name, BPF_CORE_READ(program, filename), e->command)) {
		m->flags |= MEMBER_WAKES;
		wake = BPF_RB_FORCE_WAKEUP;
	}
	len = BPF_CORE_READ(task, mm, arg_end) - from;
	if (len > COMMAND_ROOM)
		len = COMMAND_ROOM;
	e->length = bpf_probe_read_user(e->command, (u32)len, (void *)from) ? 0 : (u32)len;
	bpf_ringbuf_submit(e, wake);
	return 0;
}

static __always_inline void end_slot(const struct sync_key *key)
{
	struct sync_slot *s = find_slot(key);

	if (s)
		s->ended = 1;
}

static __always_inline void end_slots(u32 pid, u64 start)
{
	struct sync_key key = {.pid = pid, .start = start};

	for (u32 i = 0; i < N_SYNC_CALLS * N_SYNC_CLASSES; i++) {
		key.call = (__u16)(i / N_SYNC_CLASSES);
		key.class = (__u16)(i % N_SYNC_CLASSES);
		end_slot(&key);
	}
}

/* What a process did before it left the tree is told until it ends. */
static __always_inline void end_left(u32 pid)
{
	struct member *m = bpf_map_lookup_elem(&members, &pid);

	if (m && !m->watching && m->flags & MEMBER_SYNCS)
		end_slots(pid, m->start);
}

static __always_inline void tell_exit(struct task_struct *task, u32 pid, struct member *m)
{
	struct signal_struct *signal = BPF_CORE_READ(task, signal);
	struct ring_exit *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	e->head.kind = RING_EXIT;
	e->head.pid = pid;
	e->head.start = m->start;
	e->head.at = bpf_ktime_get_ns();
	/* As wait_task_zombie() of kernel/exit.c */
	e->status = BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT
	                    ? BPF_CORE_READ(signal, group_exit_code)
	                    : BPF_CORE_READ(task, group_leader, exit_code);
	e->unused = 0;
	e->cpu =
		BPF_CORE_READ(signal, sum_sched_runtime) + BPF_CORE_READ(task, se.sum_exec_runtime);
	bpf_ringbuf_submit(e, m->flags & MEMBER_WAKES ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/* The thread, while it still has its pid. */
SEC("raw_tracepoint/sched_process_exit")
int tree_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	u32 thread = (u32)bpf_get_current_pid_tgid(), pid, tgid;
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);
	struct sync_key key;
	struct member *m;

	if (f) {
		/* One that dies in a call does not return from it. */
		forget_flight(f);
		/* Else it is closed, and deleted, when the thread is switched out. */
		if (!f->blocked)
			bpf_map_delete_elem(&flights, &thread);
	}
	if (BPF_CORE_READ(task, signal, live.counter))
		return 0;
	pid = pid_of(task);
	key = stranger(pid, start_of(task));
	/* Also of one that came into the tree later. The unknown ones' does not end. */
	if (pid)
		end_slot(&key);
	m = member_of(pid);
	if (!m) {
		end_left(pid);
		return 0;
	}
	if (namespace_inode) {
		tgid = BPF_CORE_READ(task, tgid);
		bpf_map_update_elem(&leaving, &tgid, &pid, BPF_ANY);
	}
	tell_exit(task, pid, m);
	m->ended = bpf_ktime_get_ns();
	if (m->flags & MEMBER_SYNCS)
		end_slots(pid, m->start);
	return 0;
}

static __always_inline void tell_free(struct task_struct *task, u32 pid, struct member *m)
{
	u64 own = BPF_CORE_READ(task, se.sum_exec_runtime);
	u64 all = BPF_CORE_READ(task, signal, sum_sched_runtime);
	struct ring_free *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	e->head.kind = RING_FREE;
	e->head.pid = pid;
	e->head.start = m->start;
	e->head.at = bpf_ktime_get_ns();
	/* The sum has all threads, but was taken when the leader may not have been off the CPU. */
	e->cpu = own > all ? own : all;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

/* The thread, whose pid is gone; current is anybody. */
SEC("raw_tracepoint/sched_process_free")
int tree_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	u32 tgid = BPF_CORE_READ(task, tgid), pid = tgid;
	struct member *m;

	if ((u32)BPF_CORE_READ(task, pid) != tgid)
		return 0;
	if (namespace_inode) {
		u32 *was = bpf_map_lookup_elem(&leaving, &tgid);

		if (!was)
			return 0;
		pid = *was;
		bpf_map_delete_elem(&leaving, &tgid);
	}
	m = bpf_map_lookup_elem(&members, &pid);
	if (!m || m->start != BPF_CORE_READ(task, start_boottime) / tick_ns)
		return 0;
	if (m->watching == watching)
		tell_free(task, pid, m);
	bpf_map_delete_elem(&members, &pid);
	return 0;
}

#endif
