/* sync.bpf.c - counts every sync call in the kernel, and tells of the tree's processes.
 *
 * For Linux 5.10 and later, x86-64 and arm64: nothing here depends on the machine. System calls
 * are seen by their own tracepoints, whose layout is the kernel's promise (fields from the ninth
 * byte on: the number, then the arguments). Those of the scheduler are not taken in their formatted
 * form, which has changed, but by what they are given, which has not; and since the kernel knows
 * the types of that, reading it costs a load each: a machine switches some thousand times a second.
 *
 * Of the kernel's structs only what is read is declared, and found by its name at load time
 * (CO-RE). All counting is by atomic additions, since threads of one process run at once; only
 * `longest` may lose against another thread in the same ns. */
#include <linux/bpf.h>

#include "sync_time.h"
#include "sync_tree.h"

/* linux/fs.h */
#define RANGE_WAIT_BEFORE 1
#define RANGE_WRITE       2

/* Since 5.11 the kernel gives its type with it, so that reading it costs a load each, where a call
 * of a helper takes the time of ten. */
#define TASK_HAS_TYPE bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)

static __always_inline struct task_struct *current(void)
{
	return (struct task_struct *)bpf_get_current_task();
}

static __always_inline int is_dpkg(void)
{
	union {
		char comm[COMM_ROOM];
		u64 word;
	} name = {};

	if (TASK_HAS_TYPE)
		name.word = *(const u64 *)bpf_get_current_task_btf()->comm;
	else
		bpf_get_current_comm(name.comm, sizeof(name.comm));
	/* Up to its NUL: what is behind that may be of a longer one. */
	return name.word << 24 == WORD(0, 0, 0, 'd', 'p', 'k', 'g', 0);
}

/* ".dpkg-new": a package's file, until it is put in its place. */
static __always_inline int has_package_end(const unsigned char *name, u32 len)
{
	union {
		char text[16];
		u64 words[2];
	} end = {};

	if (len < 9)
		return 0;
	bpf_probe_read_kernel(end.text, 9, name + len - 9);
	return end.words[0] == WORD('.', 'd', 'p', 'k', 'g', '-', 'n', 'e') && end.words[1] == 'w';
}

/* The current process's. */
static __always_inline u32 own_pid(u64 kernels)
{
	return namespace_inode ? pid_inside(current()) : (u32)(kernels >> 32);
}

/* NULL if that is not open. */
static __always_inline struct file *open_file(u32 fd)
{
	struct file **files, *file = NULL;
	struct fdtable *table;
	u32 count;

	if (TASK_HAS_TYPE) {
		table = bpf_get_current_task_btf()->files->fdt;
		count = table->max_fds;
		files = table->fd;
	} else {
		table = BPF_CORE_READ(current(), files, fdt);
		count = BPF_CORE_READ(table, max_fds);
		files = BPF_CORE_READ(table, fd);
	}
	if (fd >= count || bpf_probe_read_kernel(&file, sizeof(file), files + fd))
		return NULL;
	return file;
}

/* The last FILE_ROOM - 1 bytes of the open file's name. Returns whether it is a package's file. */
static __always_inline int read_file(u32 fd, struct flight *f)
{
	struct file *file = open_file(fd);
	const unsigned char *name;
	struct dentry *dentry;
	u32 len, kept;

	if (!file)
		return 0;
	dentry = BPF_CORE_READ(file, f_path.dentry);
	name = BPF_CORE_READ(dentry, d_name.name);
	len = BPF_CORE_READ(dentry, d_name.len);
	kept = len < FILE_ROOM ? len : FILE_ROOM - 1;
	f->length = len;
	if (bpf_probe_read_kernel(f->file, kept, name + len - kept) == 0)
		f->file[kept] = '\0';
	/* Not out of f->file: an index that varies is hard on older verifiers. */
	return has_package_end(name, len);
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

static __always_inline long take_spare(u32 *place, int is_outside)
{
	return is_outside ? bpf_map_pop_elem(&outside_spare, place)
	                  : bpf_map_pop_elem(&spare, place);
}

static __always_inline void give_spare(const u32 *place, int is_outside)
{
	if (is_outside)
		bpf_map_push_elem(&outside_spare, place, 0);
	else
		bpf_map_push_elem(&spare, place, 0);
}

/* Its place; NO_PLACE if all are in use. */
static __always_inline u32 make_slot(const struct sync_key *key, u32 member)
{
	int is_outside = key->class == SYNC_OUTSIDE;
	struct sync_slot *s;
	u32 place, *other;

	if (take_spare(&place, is_outside))
		return NO_PLACE;
	s = bpf_map_lookup_elem(&slots, &place);
	if (!s)
		return NO_PLACE;
	s->key = *key;
	s->member = member;
	s->count = s->total = s->longest = s->open = s->since_sum = 0;
	s->ended = s->length = 0;
	s->text[0] = '\0';
	if (!s->used) {
		s->used = 1;
		__sync_fetch_and_add(is_outside ? &outside_used : &slots_used, 1);
	}
	if (bpf_map_update_elem(&places, key, &place, BPF_NOEXIST)) {
		/* Another thread was faster. */
		give_spare(&place, is_outside);
		other = bpf_map_lookup_elem(&places, key);
		return other ? *other : NO_PLACE;
	}
	s->live = 1;
	return place;
}

/* Most calls are like the one that the thread made before: its place need not be looked for. */
static __always_inline struct sync_slot *slot_of(struct flight *f, u32 member)
{
	struct sync_slot *s = bpf_map_lookup_elem(&slots, &f->place);
	u32 *place;

	if (s && s->live && s->key.start == f->key.start && s->key.pid == f->key.pid &&
	    s->key.call == f->key.call && s->key.class == f->key.class)
		return s;
	place = bpf_map_lookup_elem(&places, &f->key);
	f->place = place ? *place : make_slot(&f->key, member);
	return bpf_map_lookup_elem(&slots, &f->place);
}

static __always_inline void open_call(struct flight *f, const struct member *m)
{
	struct sync_slot *s = slot_of(f, m->place);

	enter_sync(f->since);
	if (!s)
		return;
	s->since = f->since;
	s->length = f->length;
	__builtin_memcpy(s->text, f->file, sizeof(s->text));
	__sync_fetch_and_add(&s->since_sum, f->since);
	__sync_fetch_and_add(&s->open, 1);
}

/* The thread's process, if it is of the tree. Where it was before it need not be looked for. */
static __always_inline struct member *own_member(struct flight *f, u32 pid)
{
	struct member *m = bpf_map_lookup_elem(&members, &f->member);

	if (m && m->live && m->pid == pid && is_watched(m) && !m->ended)
		return m;
	return member_of(pid);
}

static __always_inline int enter_outside(u32 thread)
{
	u64 since = bpf_ktime_get_ns();

	if (bpf_map_update_elem(&strangers, &thread, &since, BPF_ANY))
		__sync_fetch_and_add(&outside, 1);
	return 0;
}

/* A call begins; fd -1: it has no file. */
static __always_inline int enter(u32 call, u32 fd)
{
	u64 kernels = bpf_get_current_pid_tgid();
	u32 thread = (u32)kernels, pid = own_pid(kernels);
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);
	struct member *m = f ? own_member(f, pid) : member_of(pid);

	if (!m) {
		/* It has left the tree, and how its last call there ended was not seen. */
		if (f)
			forget_flight(f);
		return enter_outside(thread);
	}
	if (!f)
		f = make_flight(thread);
	if (!f) {
		__sync_fetch_and_add(&missed, 1);
		return 0;
	}
	/* The return of the last one was not seen: the kernel runs no program of a tracepoint while
	 * another one runs, or a map is changed, on the same CPU. */
	if (f->since)
		__sync_fetch_and_add(&missed, 1);
	forget_flight(f);
	f->member = m->place;
	f->key.pid = pid;
	f->key.call = (__u16)call;
	f->key.start = m->start;
	f->watching = m->watching;
	f->length = 0;
	f->file[0] = '\0';
	f->key.class = (__u16)class_of(call, fd != -1u && read_file(fd, f));
	f->since = bpf_ktime_get_ns();
	open_call(f, m);
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

static __always_inline void count_outside(u32 pid, u64 ns)
{
	u64 start = BPF_CORE_READ(current(), group_leader, start_boottime) / tick_ns;
	struct sync_key key = stranger(pid, start);
	struct sync_slot *s = find_slot(&key);
	u32 place;

	if (!s) {
		place = make_slot(&key, 0);
		s = bpf_map_lookup_elem(&slots, &place);
	}
	if (!s) {
		__sync_fetch_and_add(&outside, 1);
		return;
	}
	if (!s->count && key.pid)
		bpf_get_current_comm(s->text, COMM_ROOM);
	__sync_fetch_and_add(&s->count, 1);
	__sync_fetch_and_add(&s->total, ns);
	raise_to(&s->longest, ns);
}

static __always_inline int exit_outside(u64 kernels, u64 now)
{
	u32 thread = (u32)kernels;
	u64 *since = bpf_map_lookup_elem(&strangers, &thread);

	if (!since) /* it began before we were attached, or is one of the missed */
		return 0;
	count_outside(own_pid(kernels), now - *since);
	bpf_map_delete_elem(&strangers, &thread);
	return 0;
}

SEC("tracepoint")
int sync_exit(void *ctx __attribute__((unused)))
{
	u64 now = bpf_ktime_get_ns(), kernels = bpf_get_current_pid_tgid(), ns;
	u32 thread = (u32)kernels;
	struct flight *f = bpf_map_lookup_elem(&flights, &thread);

	if (!f || !f->since)
		return exit_outside(kernels, now);
	ns = now - f->since;
	if (f->watching == tree.watching) {
		count_latency(f, ns);
		close_call(f, ns, 1);
		if (ns >= slow_ns)
			tell_slow(f, ns);
	}
	f->since = 0;
	return 0;
}

/* One program for several calls, since the kernel takes its time to verify each; but a program that
 * looks at an argument is not let to a call that has none. */
SEC("tracepoint")
int sync_file(struct enter *ctx)
{
	return enter(ctx->number == fdatasync_number ? SYNC_FDATASYNC
	             : ctx->number == syncfs_number  ? SYNC_SYNCFS
	                                             : SYNC_FSYNC,
	             (u32)ctx->args[0]);
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
int sync_nothing(struct enter *ctx)
{
	return enter(ctx->number == msync_number ? SYNC_MSYNC : SYNC_SYNC, -1u);
}

/* The kernel lets only programs under its own license read its memory. */
char LICENSE[] SEC("license") = "GPL";
