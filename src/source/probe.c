/* probe.c - the probe's life: loaded, attached, let go of. */
#include "dpkgtop/probe.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "probe_parts.h"

/* The inode of the first pid namespace: PROC_PID_INIT_INO, include/linux/proc_ns.h. */
#define FIRST_NAMESPACE 0xEFFFFFFCu

/* Its warnings would go to stderr, in the middle of the screen. */
static int be_silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

/* Whether the kernel is locked down so far that BPF may not read its memory
 * (kernel_lockdown(7)): "none integrity [confidentiality]". */
static bool is_locked_down(void)
{
	char text[64];
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return strstr(text, "[confidentiality]") != NULL;
}

#define TYPES "/sys/kernel/btf/vmlinux"

/* 0, or why the kernel's type information can not be read: -errno. */
static int read_types(void)
{
	struct btf *types = btf__parse_raw(TYPES);
	int r = types ? 0 : -errno;

	btf__free(types);
	return r;
}

/* What there is too little of is no matter of the kernel's, nor of who we are. */
static int explain_shortage(int r, struct err *e)
{
	struct rlimit limit;

	if (r == -EMFILE)
		return err_set(e, r, "it takes more descriptors than may be open (ulimit -n)");
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		return err_set(e, r, "it takes more memory than is allowed (ulimit -v)");
	return err_set(e, r, "there is not enough memory for it");
}

/* The kernel's number says less than can be known, and may mean another thing than ours: its
 * verifier refuses with EACCES, and a call that is not there is ENOSYS. Without the kernel's types
 * libbpf says of each that it is not there, whatever kept them from being read: ESRCH. */
int probe_explain(int r, struct err *e)
{
	int types = r == -ESRCH ? read_types() : 0;

	if (access("/sys/kernel", F_OK) < 0 && geteuid() == 0)
		return err_set(e, -ENODATA, "there is no /sys here");
	if (access(TYPES, F_OK) < 0 && geteuid() == 0)
		return err_set(e, -ENODATA,
		               "this kernel has no type information (CONFIG_DEBUG_INFO_BTF)");
	if (types)
		r = types;
	if (r == -EMFILE || r == -ENOMEM)
		return explain_shortage(r, e);
	if (r == -ESRCH)
		return err_set(e, r, "this kernel's type information lacks what the programs need");
	if (r == -ENOSYS)
		return err_set(e, -EOPNOTSUPP, "this kernel has no BPF (CONFIG_BPF_SYSCALL)");
	if (r == -EACCES && geteuid() == 0)
		return err_set(e, -EINVAL, "the kernel refuses the BPF programs");
	if (r != -EPERM && r != -EACCES)
		return err_set(e, r, "the kernel refuses the BPF programs: %s", strerror(-r));
	if (geteuid() != 0)
		return err_set(e, -EACCES, "BPF needs root");
	if (is_locked_down())
		return err_set(e, -EKEYREJECTED, "BPF may not read: the kernel is locked down");
	return err_set(e, -EPERM, "BPF is not permitted here, as in many containers");
}

/* Pids must be those that /proc shows, or nothing would fit together. */
static int find_namespace(struct probe *p, struct err *e)
{
	char text[32] = "";
	struct stat st;

	/* No /proc at all shows no pids of ours either. */
	if (readlink("/proc/self", text, sizeof(text) - 1) < 0 || stat("/proc/self/ns/pid", &st))
		return err_set(e, -EXDEV, "there is no /proc here");
	if (atoi(text) != getpid())
		return err_set(e, -EXDEV, "/proc is of another pid namespace");
	if (st.st_ino != FIRST_NAMESPACE)
		p->object->rodata->namespace_inode = (uint32_t)st.st_ino;
	return 0;
}

/* 0 or -errno. */
static int prepare_object(struct probe *p, struct err *e)
{
	int r;

	p->object = sync_probe__open();
	if (!p->object)
		return probe_explain(-errno, e);
	r = find_namespace(p, e);
	p->object->rodata->fdatasync_number = SYS_fdatasync;
	p->object->rodata->syncfs_number = SYS_syncfs;
	p->object->rodata->msync_number = SYS_msync;
	p->object->rodata->tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	return r;
}

/* On kernels before 5.11 libbpf raises our limit of locked memory, and a command started later
 * would inherit that. */
static int load(struct probe *p)
{
	struct rlimit limit;
	bool known = getrlimit(RLIMIT_MEMLOCK, &limit) == 0;
	int r = sync_probe__load(p->object);

	if (known)
		setrlimit(RLIMIT_MEMLOCK, &limit);
	return r;
}

/* A kernel that refuses the programs that tell the tree's time may take the others. */
static int load_most(struct probe *p, struct err *e)
{
	int r = prepare_object(p, e);

	if (r)
		return r;
	if (load(p) == 0)
		return 0;
	sync_probe__destroy(p->object);
	r = prepare_object(p, e);
	if (r)
		return r;
	bpf_program__set_autoload(p->object->progs.tree_switch, false);
	bpf_program__set_autoload(p->object->progs.tree_look, false);
	r = load(p);
	return r ? probe_explain(r, e) : 0;
}

/* An array's items lie side by side, 8 bytes aligned. NULL with errno. */
static void *map_array(struct bpf_map *map)
{
	size_t size = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *items = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return items == MAP_FAILED ? NULL : items;
}

static void unmap_array(struct bpf_map *map, void *items)
{
	if (items)
		munmap(items, (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map));
}

/* Places of an array are to be had: as many as the stack has room for, from `first` on. */
static int fill_spare(const struct bpf_map *spare, uint32_t first, struct err *e)
{
	int fd = bpf_map__fd(spare);

	for (uint32_t i = first + bpf_map__max_entries(spare); i-- > first;)
		if (bpf_map_update_elem(fd, NULL, &i, 0))
			return err_set(e, -errno, "the stack of places: %s", strerror(errno));
	return 0;
}

static int prepare_maps(struct probe *p, struct err *e)
{
	_Static_assert(sizeof(struct latency_value) % 8 == 0, "padded");
	_Static_assert(sizeof(struct sync_slot) % 8 == 0, "padded");
	_Static_assert(sizeof(struct member) % 8 == 0, "padded");
	int r;

	p->latencies = map_array(p->object->maps.latencies);
	p->slots = map_array(p->object->maps.slots);
	p->members = map_array(p->object->maps.members);
	if (!p->latencies || !p->slots || !p->members)
		return err_set(e, -errno, "mapping what is counted: %s", strerror(errno));
	r = fill_spare(p->object->maps.spare, 0, e);
	if (r == 0)
		r = fill_spare(p->object->maps.outside_spare, probe_outside(p), e);
	return r ? r : fill_spare(p->object->maps.member_spare, 0, e);
}

static void let_go(struct probe *p)
{
	if (p->object) {
		unmap_array(p->object->maps.latencies, p->latencies);
		unmap_array(p->object->maps.slots, p->slots);
		unmap_array(p->object->maps.members, p->members);
	}
	for (size_t i = 0; i < p->n_links; i++)
		bpf_link__destroy(p->links[i]);
	ring_buffer__free(p->ring);
	sync_probe__destroy(p->object);
	free(p);
}

/* Keys are whole: zeroed behind the name's end. */
static int name_programs(struct probe *p, const struct probe_name *names, struct err *e)
{
	int map = bpf_map__fd(p->object->maps.names);

	for (; names->comm; names++) {
		char comm[COMM_ROOM] = "";
		uint32_t flags = MEMBER_TOLD | (names->wakes ? MEMBER_WAKES : 0);

		snprintf(comm, sizeof(comm), "%s", names->comm);
		if (bpf_map_update_elem(map, comm, &flags, 0))
			return err_set(e, -errno, "the names of programs: %s", strerror(errno));
	}
	return 0;
}

/* Its descriptors are 58, and loading takes some more for a moment. Whoever opens it has some 15
 * more as a session, and looks into others: 24 are left to that. */
#define TAKES  64
#define LEAVES 24

struct room {
	int fds[TAKES + LEAVES];
	size_t count;
};

static void room_leave(struct room *room, size_t kept)
{
	while (room->count > kept)
		close(room->fds[--room->count]);
}

/* All at once: a probe that met the limit half attached would count a part and say nothing. */
static int room_take(struct room *room, struct err *e)
{
	room->count = 0;
	while (room->count < TAKES + LEAVES) {
		int fd = room->count ? fcntl(room->fds[0], F_DUPFD_CLOEXEC, 0)
		                     : eventfd(0, EFD_CLOEXEC);

		if (fd < 0) {
			int r = -errno;

			room_leave(room, 0);
			return r == -EMFILE ? explain_shortage(r, e)
			                    : err_set(e, r, "descriptors: %s", strerror(-r));
		}
		room->fds[room->count++] = fd;
	}
	room_leave(room, LEAVES);
	return 0;
}

static int open_all(struct probe *p, const struct probe_name *names, struct err *e)
{
	int r = load_most(p, e);

	if (r)
		return r;
	p->ring = ring_buffer__new(bpf_map__fd(p->object->maps.ring), probe_take_event, p, NULL);
	if (!p->ring)
		return err_set(e, -errno, "the ring of events: %s", strerror(errno));
	r = prepare_maps(p, e);
	if (r == 0)
		r = name_programs(p, names, e);
	return r ? r : probe_attach(p, e);
}

int probe_open(struct probe **ret, const struct probe_name *names, struct err *e)
{
	struct probe *p;
	struct room room;
	int r = room_take(&room, e);

	*ret = NULL;
	if (r)
		return r;
	p = mem_new(1, sizeof(*p));
	libbpf_set_print(be_silent);
	r = open_all(p, names, e);
	room_leave(&room, 0);
	if (r)
		let_go(p);
	else
		*ret = p;
	return r;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* In the child: everything but what delays is given back, above all the terminal and pipes whose
 * readers wait for their end. */
static void keep_only(const struct probe *p, int gate)
{
	int keep[PROBE_LINKS + 2 * PROBE_CALLS + 1], n = 0, from = 0;

	for (size_t i = 0; i < p->n_links; i++)
		keep[n++] = bpf_link__fd(p->links[i]);
	for (size_t i = 0; i < p->n_events; i++)
		keep[n++] = p->events[i];
	keep[n++] = gate;
	qsort(keep, (size_t)n, sizeof(*keep), by_number);
	for (int i = 0; i < n; i++) {
		if (keep[i] > from)
			close_range((unsigned)from, (unsigned)keep[i] - 1, 0);
		if (keep[i] >= from)
			from = keep[i] + 1;
	}
	close_range((unsigned)from, ~0u, 0);
}

/* Holds the descriptors until the caller has closed its own (the gate's other end among them), so
 * that it is this process's exit that takes long. Twice forked: nobody has to wait for it. */
static _Noreturn void outlive(const struct probe *p, int gate)
{
	char nothing;

	if (fork() != 0)
		_exit(0);
	setsid();
	keep_only(p, gate);
	while (read(gate, &nothing, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

void probe_close(struct probe *p)
{
	int gate[2];
	pid_t pid;

	if (!p)
		return;
	if (pipe2(gate, O_CLOEXEC) < 0) {
		let_go(p);
		return;
	}
	pid = fork();
	if (pid == 0)
		outlive(p, gate[0]);
	close(gate[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	let_go(p);
	close(gate[1]);
}

int probe_fd(const struct probe *p)
{
	return ring_buffer__epoll_fd(p->ring);
}

int probe_drain(struct probe *p, probe_take *take, void *context)
{
	p->take = take;
	p->context = context;
	return ring_buffer__consume(p->ring);
}
