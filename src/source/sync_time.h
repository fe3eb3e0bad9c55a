/* sync_time.h - part of sync.bpf.c: how long the tree ran, and was blocked outside of sync calls.
 *
 * The CPU time of a thread is whole when it is switched out for the last time: then it is added to
 * what is kept. The reader asks the clocks of the processes that live for the rest. */
#ifndef SOURCE_SYNC_TIME_H
#define SOURCE_SYNC_TIME_H

#include "sync_tree.h"

/* include/linux/sched.h */
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_DEAD            0x0080
#define TASK_NOLOAD          0x0400
/* What may be frozen meanwhile waits for a process, as after vfork(), not for a device. Before
 * Linux 6.1 that was a flag of the thread, which has not been used again. */
#define TASK_FREEZABLE  0x2000
#define PF_FREEZER_SKIP 0x40000000
#define PF_KTHREAD      0x00200000

/* Since 5.14 it has another name and size. */
static __always_inline u32 state_of(const struct task_struct *task)
{
	return bpf_core_field_exists(task->__state) ? task->__state : (u32)task->state;
}

static __always_inline int is_blocked(const struct task_struct *task, u32 state)
{
	return (state & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD | TASK_FREEZABLE)) ==
	               TASK_UNINTERRUPTIBLE &&
	       !(task->flags & (PF_FREEZER_SKIP | PF_KTHREAD));
}

/* The process's pid where the viewer lives, also if it is exiting and has lost it. */
static __always_inline u32 number_of(struct task_struct *task)
{
	u32 tgid = task->tgid, pid, *was;

	if (!namespace_inode)
		return tgid;
	pid = pid_inside(task);
	was = pid ? NULL : bpf_map_lookup_elem(&leaving, &tgid);
	return was ? *was : pid;
}

/* The process's entry, also if it has exited. */
static __always_inline struct member *entry_of(const struct task_struct *task, u32 pid)
{
	struct member *m = find_member(pid);

	return m && m->start == task->group_leader->start_boottime / tick_ns ? m : NULL;
}

static __always_inline void block(struct task_struct *task)
{
	u32 thread = task->pid;
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);
	struct tally *t = tally();

	/* The time of a sync call is counted as that. This is the most frequent case. */
	if ((f && f->since) || !is_watched(entry_of(task, number_of(task))))
		return;
	/* Also of one that began before the tree was watched. */
	if (bpf_map_lookup_elem(&strangers, &thread))
		return;
	if (!f)
		f = make_flight(thread);
	if (!f) {
		__sync_fetch_and_add(&full, 1);
		return;
	}
	f->blocked_watching = tree.watching;
	f->ran = task->se.sum_exec_runtime;
	f->blocked = bpf_ktime_get_ns();
	__sync_fetch_and_add(&t->since_sum, f->blocked);
	__sync_fetch_and_add(&t->open, 1);
}

/* When the wait has ended of one that comes now, or goes: there are kernels that do not tell of
 * each switch. Such a one has not told when that one came, but how long it has run since. */
static __always_inline u64 end_of(const struct flight *f, const struct task_struct *task, int goes)
{
	u64 now = bpf_ktime_get_ns(), ran = goes ? task->se.sum_exec_runtime - f->ran : 0;

	return ran < now - f->blocked ? now - ran : f->blocked;
}

static __always_inline void unblock(const struct task_struct *task, int goes)
{
	u32 thread = task->pid;
	struct flight *f = thread ? bpf_map_lookup_elem(&flights, &thread) : NULL;
	struct tally *t = tally();

	if (!f || !f->blocked)
		return;
	if (f->blocked_watching == tree.watching) {
		__sync_fetch_and_add(&t->open, -1);
		__sync_fetch_and_add(&t->since_sum, -f->blocked);
		__sync_fetch_and_add(&t->blocked, end_of(f, task, goes) - f->blocked);
	}
	f->blocked = 0;
}

static __always_inline void bury(struct task_struct *task)
{
	struct member *m = entry_of(task, number_of(task));
	u64 cpu = task->se.sum_exec_runtime;
	u32 thread = task->pid;

	/* It may have been blocked once more after it was told as exited. */
	bpf_map_delete_elem(&flights, &thread);
	if (!is_watched(m))
		return;
	/* In this order: the reader had rather miss it than have it twice. */
	__sync_fetch_and_add(&m->buried, cpu);
	__sync_fetch_and_add(&tally()->cpu, cpu);
}

/* Apart, so that what nearly every switch runs is short: in a CPU that was idle each line of it has
 * to be fetched. */
static __attribute__((noinline)) int take_switch(const u64 *ctx)
{
	struct task_struct *from = (struct task_struct *)ctx[1];
	u32 state = state_of(from);

	if (tally()->open) {
		unblock((struct task_struct *)ctx[2], 0);
		unblock(from, 1);
	}
	if (state & TASK_DEAD)
		bury(from);
	else if (is_blocked(from, state) && !(ctx[0] & 1))
		block(from);
	return 0;
}

/* Whether it would run on, who goes, who comes. */
SEC("tp_btf/sched_switch")
int tree_switch(const u64 *ctx)
{
	u32 state = state_of((const struct task_struct *)ctx[1]);

	if (!(state & (TASK_DEAD | TASK_UNINTERRUPTIBLE)) && !tally()->open)
		return 0;
	return take_switch(ctx);
}

/* Threads that ended before the tree was watched are not in the tally, but in their process's
 * clock.
 */
static __always_inline void bury_former(struct task_struct *task)
{
	struct member *m = entry_of(task, number_of(task));

	if (is_watched(m) && m->flags & MEMBER_FORMER)
		m->buried = task->signal->sum_sched_runtime;
}

/* One whose switch to the CPU was not told, and that from it will be. */
static __always_inline void see_awake(const struct task_struct *task)
{
	u32 thread = task->pid;
	struct flight *f;

	if (state_of(task) || !bpf_core_field_exists(task->on_cpu) || !task->on_cpu)
		return;
	f = bpf_map_lookup_elem(&flights, &thread);
	if (f && f->blocked && f->blocked_watching == tree.watching)
		awake += task->se.sum_exec_runtime - f->ran;
}

/* Each thread; NULL at the end. */
SEC("iter/task")
int tree_look(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task || task->flags & PF_KTHREAD)
		return 0;
	if (!tree.beginning)
		see_awake(task);
	else if (task->pid == task->tgid)
		bury_former(task);
	return 0;
}

#endif
