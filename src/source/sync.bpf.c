/* sync.bpf.c - counts every sync call in the kernel, and tells of the tree's processes.
 *
 * For Linux 5.10 and later, x86-64 and arm64: nothing here depends on the machine. System calls
 * are seen by their own tracepoints, whose layout is the kernel's promise (fields from the ninth
 * byte on: the number, then the arguments). The four of the scheduler are taken raw, because their
 * formatted form has changed; what they are given has not.
 *
 * Of the kernel's structs only what is read is declared, and found by its name at load time
 * (CO-RE). All counting is by atomic additions, since threads of one process run at once; only
 * `longest` may lose against another thread in the same ns. */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sync_bpf.h"

typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;

#define TREE_MAX    8192
#define FLIGHTS_MAX 2048
#define SLOTS_MAX   4096
#define RING_SIZE   (512 * 1024) /* a page of it counts twice in the reader's memory */
#define NS_LEVELS   32           /* MAX_PID_NS_LEVEL, include/linux/pid_namespace.h */
#define COMPAT_END  (1ull << 32)

#define SIGNAL_GROUP_EXIT 4 /* include/linux/sched/signal.h */

/* linux/fs.h */
#define RANGE_WAIT_BEFORE 1
#define RANGE_WRITE       2

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
typedef struct {
	int counter;
} atomic_t;
struct signal_struct {
	atomic_t live;
	int group_exit_code;
	unsigned int flags;
	struct pid *pids[4];
	unsigned long long sum_sched_runtime;
};
struct qstr {
	u32 len;
	const unsigned char *name;
};
struct dentry {
	struct qstr d_name;
};
struct path {
	struct dentry *dentry;
};
struct file {
	struct path f_path;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct mm_struct {
	unsigned long arg_start, arg_end;
};
struct sched_entity {
	u64 sum_exec_runtime;
};
struct task_struct {
	int pid, tgid, exit_code;
	u64 start_boottime;
	struct sched_entity se;
	struct task_struct *group_leader, *real_parent;
	struct signal_struct *signal;
	struct files_struct *files;
	struct mm_struct *mm;
	char comm[COMM_ROOM];
};
struct linux_binprm {
	const char *filename;
};
#pragma clang attribute pop

/* PIDTYPE_TGID, include/linux/pid.h; not an enum of BTF's, since Linux 4.19 the same. */
#define PIDS_TGID 1

/* Set before loading. */
const volatile __u32 namespace_inode; /* the viewer's pid namespace; 0: it is the first one */
const volatile __u64 tick_ns = 10000000;
const volatile __u64 slow_ns = 100000000;

/* Written by the reader: raised at each new upgrade, so that what belonged to the former one is
 * told apart. */
__u32 watching;

/* Read by it. */
__u64 lost, missed, full, compat;
/* Of the slots, how many from the first one on were ever used. */
__u64 slots_used;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TREE_MAX);
	__type(key, u32);
	__type(value, struct member);
} members SEC(".maps");

/* Pids are taken from a process before it is freed: here is what they were. Only for a viewer in
 * a namespace; by the kernel's own pid. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} leaving SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FLIGHTS_MAX);
	__type(key, u32);
	__type(value, struct flight);
} flights SEC(".maps");

/* Which slot is whose. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SLOTS_MAX);
	__type(key, struct sync_key);
	__type(value, u32);
} places SEC(".maps");

/* Which are not in use; filled by the reader, lowest on top. A stack, since an atomic addition that
 * gives the former value came with Linux 5.12 only. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, SLOTS_MAX);
	__type(value, u32);
} spare SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SLOTS_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct sync_slot);
} slots SEC(".maps");

/* By call and class; also mapped by the reader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, N_SYNC_CALLS *N_SYNC_CLASSES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct latency_value);
} latencies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_SIZE);
} ring SEC(".maps");

/* struct syscall_tp_t of kernel/trace/trace_syscalls.c */
struct enter {
	u64 common;
	long number;
	unsigned long args[6];
};

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

static __always_inline u64 start_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, start_boottime) / tick_ns;
}

/* The process's entry if it is of the tree that is watched now. */
static __always_inline struct member *member_of(u32 pid)
{
	struct member *m = pid ? bpf_map_lookup_elem(&members, &pid) : NULL;

	return m && m->watching == watching ? m : NULL;
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

static __always_inline int is_dpkg(void)
{
	char comm[COMM_ROOM] = {};

	bpf_get_current_comm(comm, sizeof(comm));
	return IS(comm, "dpkg");
}

#define PACKAGE_END ".dpkg-new"

/* The last FILE_ROOM - 1 bytes of the open file's name. Returns whether it is a package's file. */
static __always_inline int read_file(struct task_struct *task, u32 fd, struct flight *f)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	char end[sizeof(PACKAGE_END)] = {};
	const unsigned char *name;
	struct file **files;
	struct file *file;
	u32 len, skip = 0;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	files = BPF_CORE_READ(table, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), files + fd) || !file)
		return 0;
	name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
	len = BPF_CORE_READ(file, f_path.dentry, d_name.len);
	if (len > FILE_ROOM - 1)
		skip = len - (FILE_ROOM - 1);
	f->length = len;
	bpf_probe_read_kernel_str(f->file, sizeof(f->file), name + skip);
	if (len < sizeof(end) - 1)
		return 0;
	/* Not out of f->file: an index that varies is hard on older verifiers. */
	bpf_probe_read_kernel(end, sizeof(end) - 1, name + len - (sizeof(end) - 1));
	return IS(end, PACKAGE_END);
}

static __always_inline u32 class_of(u32 call, int is_package_file)
{
	if (!is_dpkg())
		return SYNC_OTHER;
	if (call == SYNC_RANGE_WRITE)
		return SYNC_WRITEBACK;
	/* syncfs, sync and msync do not wait for that file. */
	return call < SYNC_SYNCFS && is_package_file ? SYNC_PACKAGE : SYNC_DATABASE;
}

static __always_inline struct sync_slot *find_slot(const struct sync_key *key)
{
	u32 *place = bpf_map_lookup_elem(&places, key);

	return place ? bpf_map_lookup_elem(&slots, place) : NULL;
}

static __always_inline struct sync_slot *make_slot(const struct sync_key *key)
{
	struct sync_slot *s;
	u32 place;

	if (bpf_map_pop_elem(&spare, &place))
		return NULL;
	s = bpf_map_lookup_elem(&slots, &place);
	if (!s)
		return NULL;
	s->key = *key;
	s->count = s->total = s->longest = s->open = s->since_sum = 0;
	s->ended = s->length = 0;
	s->text[0] = '\0';
	if (!s->used) {
		s->used = 1;
		__sync_fetch_and_add(&slots_used, 1);
	}
	if (bpf_map_update_elem(&places, key, &place, BPF_NOEXIST)) {
		/* Another thread was faster. */
		bpf_map_push_elem(&spare, &place, 0);
		return find_slot(key);
	}
	s->live = 1;
	return s;
}

static __always_inline struct sync_slot *slot_of(const struct sync_key *key)
{
	return find_slot(key) ?: make_slot(key);
}

static __always_inline void open_call(const struct flight *f, struct member *m)
{
	struct sync_slot *s = slot_of(&f->key);

	if (!s)
		return;
	m->flags |= MEMBER_SYNCS;
	s->since = f->since;
	s->length = f->length;
	__builtin_memcpy(s->text, f->file, sizeof(s->text));
	__sync_fetch_and_add(&s->since_sum, f->since);
	__sync_fetch_and_add(&s->open, 1);
}

static __always_inline void close_call(const struct flight *f, u64 ns, int returned)
{
	struct sync_slot *s = find_slot(&f->key);

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

/* A call whose return was not seen: the kernel runs no program while another one runs, or a map is
 * changed, on the same CPU. */
static __always_inline void forget_flight(u32 thread, int is_missed)
{
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);

	if (!f)
		return;
	if (is_missed)
		__sync_fetch_and_add(&missed, 1);
	if (f->watching == watching)
		close_call(f, 0, 0);
	bpf_map_delete_elem(&flights, &thread);
}

/* A call begins; fd -1: it has no file. */
static __always_inline int enter(u32 call, u32 fd)
{
	struct task_struct *task = current();
	u32 thread = (u32)bpf_get_current_pid_tgid(), pid = pid_of(task);
	struct member *m = member_of(pid);
	struct flight f = {};

	f.key.pid = pid;
	f.key.call = (__u16)call;
	f.key.class = SYNC_OUTSIDE;
	f.key.start = start_of(task);
	if (m && m->start != f.key.start)
		m = NULL;
	if (m) {
		f.watching = m->watching;
		f.key.class = (__u16)class_of(call, fd != -1u && read_file(task, fd, &f));
	}
	forget_flight(thread, 1);
	f.since = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&flights, &thread, &f, BPF_ANY)) {
		__sync_fetch_and_add(&missed, 1);
		return 0;
	}
	if (m)
		open_call(&f, m);
	return 0;
}

static __always_inline void count_latency(const struct flight *f, u64 ns)
{
	u32 index = f->key.call * N_SYNC_CLASSES + f->key.class, bucket = bucket_of(ns);
	struct latency_value *v = bpf_map_lookup_elem(&latencies, &index);

	if (!v || bucket >= BUCKETS)
		return;
	__sync_fetch_and_add(&v->buckets[bucket], 1);
	__sync_fetch_and_add(&v->count, 1);
	__sync_fetch_and_add(&v->total, ns);
	raise_to(&v->longest, ns);
}

static __always_inline void tell_slow(const struct flight *f, u64 ns)
{
	struct ring_slow *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	e->head.kind = RING_SLOW;
	e->head.pid = f->key.pid;
	e->head.start = f->key.start;
	e->head.at = f->since + ns;
	e->took = ns;
	e->call = f->key.call;
	e->class = f->key.class;
	e->length = f->length;
	__builtin_memcpy(e->file, f->file, sizeof(e->file));
	bpf_ringbuf_submit(e, BPF_RB_FORCE_WAKEUP);
}

/* A stranger's calls, all in one slot. */
static __always_inline struct sync_key stranger(u32 pid, u64 start)
{
	struct sync_key key = {.pid = pid, .start = pid ? start : 0, .class = SYNC_OUTSIDE};

	return key;
}

static __always_inline void count_outside(const struct flight *f, u64 ns)
{
	struct sync_key key = stranger(f->key.pid, f->key.start);
	struct sync_slot *s = slot_of(&key);

	if (!s) {
		__sync_fetch_and_add(&full, 1);
		return;
	}
	if (!s->count && key.pid)
		bpf_get_current_comm(s->text, COMM_ROOM);
	__sync_fetch_and_add(&s->count, 1);
	__sync_fetch_and_add(&s->total, ns);
	raise_to(&s->longest, ns);
}

SEC("tracepoint")
int sync_exit(void *ctx __attribute__((unused)))
{
	u64 now = bpf_ktime_get_ns(), ns;
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);

	if (!f) /* it began before we were attached, or is one of the missed */
		return 0;
	ns = now - f->since;
	if (f->key.class == SYNC_OUTSIDE) {
		count_outside(f, ns);
	} else if (f->watching == watching) {
		count_latency(f, ns);
		close_call(f, ns, 1);
		if (ns >= slow_ns)
			tell_slow(f, ns);
	}
	bpf_map_delete_elem(&flights, &thread);
	return 0;
}

SEC("tracepoint")
int sync_fsync(struct enter *ctx)
{
	return enter(SYNC_FSYNC, (u32)ctx->args[0]);
}

SEC("tracepoint")
int sync_fdatasync(struct enter *ctx)
{
	return enter(SYNC_FDATASYNC, (u32)ctx->args[0]);
}

SEC("tracepoint")
int sync_range(struct enter *ctx)
{
	u32 flags = (u32)ctx->args[3];

	return enter(flags == RANGE_WAIT_BEFORE ? SYNC_RANGE_WAIT
	             : flags == RANGE_WRITE     ? SYNC_RANGE_WRITE
	                                        : SYNC_RANGE_OTHER,
	             (u32)ctx->args[0]);
}

SEC("tracepoint")
int sync_syncfs(struct enter *ctx)
{
	return enter(SYNC_SYNCFS, (u32)ctx->args[0]);
}

SEC("tracepoint")
int sync_sync(void *ctx __attribute__((unused)))
{
	return enter(SYNC_SYNC, -1u);
}

SEC("tracepoint")
int sync_msync(void *ctx __attribute__((unused)))
{
	return enter(SYNC_MSYNC, -1u);
}

/* A child is of the tree if its parent is. Parent, child. */
SEC("raw_tracepoint/sched_process_fork")
int tree_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *child = (struct task_struct *)ctx->args[1];
	struct member *m = member_of(pid_of((struct task_struct *)ctx->args[0])), born = {};
	u32 pid;

	if (!m || BPF_CORE_READ(child, pid) != BPF_CORE_READ(child, tgid))
		return 0;
	pid = pid_of(child);
	born.start = start_of(child);
	born.watching = m->watching;
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
	m->flags &= ~MEMBER_WAKES;
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
	struct sync_key key;
	struct member *m;
	u32 pid, tgid;

	/* One that dies in a call does not return from it. */
	forget_flight((u32)bpf_get_current_pid_tgid(), 0);
	if (BPF_CORE_READ(task, signal, live.counter))
		return 0;
	pid = pid_of(task);
	key = stranger(pid, start_of(task));
	/* Also of one that came into the tree later. The unknown ones' does not end. */
	if (pid)
		end_slot(&key);
	m = member_of(pid);
	if (!m)
		return 0;
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

/* The kernel lets only programs under its own license read its memory. */
char LICENSE[] SEC("license") = "GPL";
