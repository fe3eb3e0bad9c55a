/* sync_tree.h - part of sync.bpf.c: who is of the tree, and what becomes of him. */
#ifndef SOURCE_SYNC_TREE_H
#define SOURCE_SYNC_TREE_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sync_maps.h"

#define COMPAT_END (1ull << 32)

/* A process's pid in the viewer's namespace, 0 if it has none. bpf_get_ns_current_pid_tgid() knows
 * only processes that live right there, and a container's are seen from the host, too. */
static __always_inline u32 pid_inside(struct task_struct *task)
{
	struct pid *pid;
	u32 level;

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

/* A process's pid where the viewer lives, 0 if it has none. */
static __always_inline u32 pid_of(struct task_struct *task)
{
	return namespace_inode ? pid_inside(task) : (u32)task->tgid;
}

static __always_inline u64 start_of(const struct task_struct *task)
{
	return task->group_leader->start_boottime / tick_ns;
}

/* Whoever has that pid, alive or not. */
static __always_inline struct member *find_member(u32 pid)
{
	u32 *place = pid ? bpf_map_lookup_elem(&member_places, &pid) : NULL;

	return place ? bpf_map_lookup_elem(&members, place) : NULL;
}

static __always_inline int is_watched(const struct member *m)
{
	return m && m->watching == tree.watching;
}

static __always_inline struct tally *tally(void)
{
	return &tree.tallies[tree.watching % 2];
}

/* The process's entry if it is of the tree that is watched now. */
static __always_inline struct member *member_of(u32 pid)
{
	struct member *m = find_member(pid);

	return is_watched(m) && !m->ended ? m : NULL;
}

/* An entry for that pid, whose former owner may not have been told as freed. NULL: all are in use.
 * Not live yet. */
static __always_inline struct member *make_member(u32 pid)
{
	struct member *m;
	u32 place;

	if (bpf_map_pop_elem(&member_spare, &place))
		return NULL;
	if (bpf_map_update_elem(&member_places, &pid, &place, BPF_NOEXIST)) {
		bpf_map_push_elem(&member_spare, &place, 0);
		m = find_member(pid);
	} else {
		m = bpf_map_lookup_elem(&members, &place);
		if (m)
			m->place = place;
	}
	if (!m)
		return NULL;
	m->live = 0;
	m->pid = pid;
	m->ended = m->buried = m->seen = m->told = 0;
	m->flags = 0;
	if (!m->used) {
		m->used = 1;
		__sync_fetch_and_add(&members_used, 1);
	}
	return m;
}

static __always_inline void raise_to(u64 *longest, u64 ns)
{
	if (*longest < ns)
		*longest = ns;
}

/* Eight characters of a text as one number, the first one lowest: one comparison, where the
 * verifier would follow a loop over them along each of its ends. */
#define WORD(a, b, c, d, e, f, g, h)                                                               \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 |             \
	 (u64)(f) << 40 | (u64)(g) << 48 | (u64)(h) << 56)

static __always_inline u64 word_at(const char *text)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), text);
	return word;
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

/* Of two that begin or end at the very same moment each may take the other for still, or not yet,
 * there: this is so much off at most, and never more than their times added up. */
static __always_inline void enter_sync(u64 at)
{
	struct in_sync *in = &in_syncs[tree.watching % 2];

	if (!in->open)
		in->since = at;
	__sync_fetch_and_add(&in->open, 1);
}

static __always_inline void leave_sync(u64 at)
{
	struct in_sync *in = &in_syncs[tree.watching % 2];
	u64 since = in->since;

	__sync_fetch_and_add(&in->open, -1);
	if (in->open)
		return;
	in->since = at;
	if (at > since)
		__sync_fetch_and_add(&in->total, at - since);
}

static __always_inline void close_call(const struct flight *f, u64 ns, int returned)
{
	struct sync_slot *s = bpf_map_lookup_elem(&slots, &f->place);

	leave_sync(returned ? f->since + ns : bpf_ktime_get_ns());
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
	if (f->since && f->watching == tree.watching)
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
SEC("tp_btf/sched_process_fork")
int tree_fork(const u64 *ctx)
{
	struct task_struct *child = (struct task_struct *)ctx[1];
	u32 parent = pid_of((struct task_struct *)ctx[0]), pid;
	struct member *m = member_of(parent), *born;

	if (!m || child->pid != child->tgid)
		return 0;
	pid = pid_of(child);
	born = pid ? make_member(pid) : NULL;
	if (!born) {
		__sync_fetch_and_add(&full, 1);
		return 0;
	}
	born->start = start_of(child);
	born->watching = m->watching;
	born->above = m->flags & MEMBER_WAKES ? parent : m->above;
	born->live = 1;
	return 0;
}

/* Scripts run as /var/lib/dpkg/info/PACKAGE.postinst or tmp.ci/preinst; their comm is cut. */
static __always_inline int is_script(u64 end)
{
	return end == WORD('p', 'o', 's', 't', 'i', 'n', 's', 't') ||
	       end >> 8 == WORD('p', 'r', 'e', 'i', 'n', 's', 't', 0) ||
	       end >> 16 == WORD('p', 'o', 's', 't', 'r', 'm', 0, 0) ||
	       end >> 24 == WORD('p', 'r', 'e', 'r', 'm', 0, 0, 0);
}

/* The flags of a process that has executed this program. */
static __always_inline u32 flags_of(const char *path)
{
	char room[COMMAND_ROOM], comm[COMM_ROOM] = {};
	long len = bpf_probe_read_kernel_str(room, sizeof(room), path) - 1;
	u32 *named;

	if (len >= 8) {
		/* Not out of `room`: an index that varies is hard on older verifiers. */
		if (is_script(word_at(path + len - 8)))
			return MEMBER_TOLD | MEMBER_WAKES;
		/* /usr/lib/apt/methods/ */
		if (word_at(path) == WORD('/', 'u', 's', 'r', '/', 'l', 'i', 'b') &&
		    word_at(path + 8) == WORD('/', 'a', 'p', 't', '/', 'm', 'e', 't'))
			return MEMBER_TOLD;
	}
	bpf_get_current_comm(comm, sizeof(comm));
	named = bpf_map_lookup_elem(&names, comm);
	return named ? *named : 0;
}

static __always_inline void tell_exec(struct task_struct *task, u32 pid, const struct member *m,
                                      u64 wakeup)
{
	struct ring_exec *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);
	unsigned long from = task->mm->arg_start, len = task->mm->arg_end - from;

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	e->head.kind = RING_EXEC;
	e->head.pid = pid;
	e->head.start = m->start;
	e->head.at = bpf_ktime_get_ns();
	e->parent = pid_of(task->real_parent);
	e->above = m->above;
	bpf_get_current_comm(e->name, sizeof(e->name));
	if (len > COMMAND_ROOM)
		len = COMMAND_ROOM;
	e->length = bpf_probe_read_user(e->command, (u32)len, (void *)from) ? 0 : (u32)len;
	bpf_ringbuf_submit(e, wakeup);
}

/* Task, its former pid, binprm. */
SEC("tp_btf/sched_process_exec")
int tree_exec(const u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct linux_binprm *program = (struct linux_binprm *)ctx[2];
	u32 pid = pid_of(task), former = (u32)ctx[1], flags;
	struct member *m = member_of(pid);

	if (!m)
		return 0;
	/* A thread that is not its process's first takes the number of that. */
	if (former != (u32)task->pid)
		bpf_map_delete_elem(&flights, &former);
	/* A 64-bit program has its stack far above; one of 32 bits can not. */
	if (task->mm->arg_start < COMPAT_END)
		__sync_fetch_and_add(&compat, 1);
	flags = flags_of(program->filename);
	if (!(flags & MEMBER_TOLD))
		return 0;
	/* They stay: a script that becomes another program ends as that one does. */
	m->flags |= flags;
	tell_exec(task, pid, m, flags & MEMBER_WAKES ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	return 0;
}

static __always_inline void end_slot(const struct sync_key *key)
{
	struct sync_slot *s = find_slot(key);

	if (s)
		s->ended = 1;
}

static __always_inline void tell_exit(const struct task_struct *task, u32 pid,
                                      const struct member *m)
{
	const struct signal_struct *signal = task->signal;
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
	e->status = signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code
	                                              : task->group_leader->exit_code;
	e->unused = 0;
	/* To wake takes longer than all else here, and its pidfd does so too. */
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

static __always_inline void end_flight(void)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);

	if (!f) {
		bpf_map_delete_elem(&strangers, &thread);
		return;
	}
	/* One that dies in a call does not return from it. */
	forget_flight(f);
	/* Else it is closed, and deleted, when the thread is switched out. */
	if (!f->blocked)
		bpf_map_delete_elem(&flights, &thread);
}

/* Of one that was not born into the tree, the calls that it made outside. */
static __always_inline void end_stranger(const struct task_struct *task, u32 pid)
{
	struct sync_key key = stranger(pid, start_of(task));

	/* The unknown ones' does not end. */
	if (pid)
		end_slot(&key);
}

/* The thread, while it still has its pid. */
SEC("tp_btf/sched_process_exit")
int tree_exit(const u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	struct member *m;
	u32 pid, tgid;

	end_flight();
	if (task->signal->live.counter)
		return 0;
	pid = pid_of(task);
	m = find_member(pid);
	if (m && m->start != start_of(task))
		m = NULL;
	if (!m || m->flags & MEMBER_FORMER)
		end_stranger(task, pid);
	/* Of two last threads each may find the other gone. */
	if (!m || m->ended)
		return 0;
	if (namespace_inode) {
		tgid = (u32)task->tgid;
		bpf_map_update_elem(&leaving, &tgid, &pid, BPF_ANY);
	}
	if (is_watched(m) && m->flags & MEMBER_TOLD)
		tell_exit(task, pid, m);
	m->ended = bpf_ktime_get_ns();
	return 0;
}

/* What was not told of its threads' ends: there are kernels that do not tell of each switch. */
static __always_inline void bury_rest(const struct task_struct *task, struct member *m)
{
	u64 own = task->se.sum_exec_runtime, all = task->signal->sum_sched_runtime;

	/* The sum has all threads, but was taken when the leader may not have been off the CPU. */
	if (own > all)
		all = own;
	if (is_watched(m) && all > m->buried)
		__sync_fetch_and_add(&tally()->cpu, all - m->buried);
}

/* The thread, whose pid is gone; current is anybody. */
SEC("tp_btf/sched_process_free")
int tree_free(const u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];
	u32 tgid = (u32)task->tgid, pid = tgid, *found, place;
	struct member *m;

	if (task->pid != task->tgid)
		return 0;
	if (namespace_inode) {
		u32 *was = bpf_map_lookup_elem(&leaving, &tgid);

		if (!was)
			return 0;
		pid = *was;
		bpf_map_delete_elem(&leaving, &tgid);
	}
	found = bpf_map_lookup_elem(&member_places, &pid);
	if (!found)
		return 0;
	place = *found;
	m = bpf_map_lookup_elem(&members, &place);
	if (!m || m->start != task->start_boottime / tick_ns)
		return 0;
	bury_rest(task, m);
	m->live = 0;
	/* Whoever takes it out, we or the reader, gives it back. */
	if (bpf_map_delete_elem(&member_places, &pid) == 0)
		bpf_map_push_elem(&member_spare, &place, 0);
	return 0;
}

#endif
