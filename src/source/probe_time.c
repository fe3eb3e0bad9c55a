/* probe_time.c - how long the tree ran and was blocked, and who of it has left. */
#include "probe_parts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

/* Looks made at numbers that change meanwhile. */
#define LOOKS 8

/* Has the kernel run the program for each thread. 0 or -errno. */
static int iterate(const struct probe *p)
{
	char nothing[8];
	int fd = p->alive ? bpf_iter_create(bpf_link__fd(p->alive)) : -ENOSYS;
	ssize_t n;

	if (fd < 0)
		return fd;
	do
		n = read(fd, nothing, sizeof(nothing));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

static struct tally *tally(const struct probe *p)
{
	return &p->object->bss->tallies[p->object->bss->watching % 2];
}

/* The CPU time of all that is or was of the tree; UNKNOWN_NS. */
static int64_t read_cpu(const struct probe *p)
{
	struct sync_probe__bss *shared = p->object->bss;
	/* First: who ends meanwhile is then missed and not counted twice. */
	uint64_t ended = __atomic_load_n(&tally(p)->cpu, __ATOMIC_ACQUIRE);

	shared->alive = shared->awake = 0;
	if (iterate(p))
		return UNKNOWN_NS;
	return (int64_t)(ended + __atomic_load_n(&shared->alive, __ATOMIC_ACQUIRE));
}

static struct tally look(const struct probe *p)
{
	const struct tally *t = tally(p);

	return (struct tally){
		.open = __atomic_load_n(&t->open, __ATOMIC_ACQUIRE),
		.since_sum = __atomic_load_n(&t->since_sum, __ATOMIC_ACQUIRE),
		.blocked = __atomic_load_n(&t->blocked, __ATOMIC_ACQUIRE),
	};
}

/* Of the three numbers one must not be older than the others: two looks alike were at one moment.
 * Between the additions of one change the result is too small, which the caller sees. */
static int64_t read_blocked(const struct probe *p)
{
	uint64_t awake = __atomic_load_n(&p->object->bss->awake, __ATOMIC_ACQUIRE);
	struct tally t = look(p), again;
	int64_t elapsed;

	for (int i = 0; i < LOOKS; i++) {
		again = look(p);
		if (again.open == t.open && again.since_sum == t.since_sum &&
		    again.blocked == t.blocked) {
			elapsed = (int64_t)(t.open * (uint64_t)stamp_now().mono_ns - t.since_sum -
			                    awake);
			return (int64_t)t.blocked + (elapsed > 0 ? elapsed : 0);
		}
		t = again;
	}
	return 0;
}

void probe_begin_time(struct probe *p)
{
	int64_t cpu = read_cpu(p);

	p->cpu_base = cpu == UNKNOWN_NS ? 0 : (uint64_t)cpu;
	p->cpu_ns = cpu == UNKNOWN_NS ? UNKNOWN_NS : 0;
	p->blocked_ns = p->alive ? 0 : UNKNOWN_NS;
}

/* A thread that is in neither sum just now, or a number in the midst of its change, is no reason
 * to tell less than before. */
static int64_t at_least(int64_t before, int64_t now)
{
	return now > before ? now : before;
}

void probe_read_time(struct probe *p, struct probe_counters *into)
{
	int64_t cpu = p->cpu_ns == UNKNOWN_NS ? UNKNOWN_NS : read_cpu(p);

	if (cpu != UNKNOWN_NS)
		p->cpu_ns = at_least(p->cpu_ns, cpu - (int64_t)p->cpu_base);
	if (p->blocked_ns != UNKNOWN_NS)
		p->blocked_ns = at_least(p->blocked_ns, read_blocked(p));
	into->cpu_ns = cpu == UNKNOWN_NS ? UNKNOWN_NS : p->cpu_ns;
	into->blocked_ns = p->blocked_ns;
}

int probe_leave(struct probe *p, int32_t pid, uint64_t start_ticks)
{
	struct sync_probe__bss *shared = p->object->bss;
	int map = bpf_map__fd(p->object->maps.members), r;
	uint32_t key = (uint32_t)pid;
	struct member m;

	if (pid <= 0 || bpf_map_lookup_elem(map, &key, &m) || m.start != start_ticks)
		return -ESRCH;
	if (m.watching == 0)
		return 0;
	shared->leaver_start = start_ticks;
	__atomic_store_n(&shared->leaver, key, __ATOMIC_RELEASE);
	r = iterate(p);
	__atomic_store_n(&shared->leaver, 0, __ATOMIC_RELEASE);
	if (r == 0)
		return 0;
	/* It may be in the midst of a call, which is then counted in flags that nobody reads. */
	m.watching = 0;
	return bpf_map_update_elem(map, &key, &m, BPF_EXIST) ? -errno : 0;
}
