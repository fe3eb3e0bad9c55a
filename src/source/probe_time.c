/* probe_time.c - how long the tree ran and was blocked, and who of it has left. */
#include "probe_parts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "dpkgtop/source.h"
#include "dpkgtop/units.h"
#include "process_files.h"

/* Looks made at numbers that change meanwhile. */
#define LOOKS 8

/* Has the kernel run the program for each thread of the machine. */
static void iterate(const struct probe *p)
{
	char nothing[8];
	int fd = bpf_iter_create(bpf_link__fd(p->look));
	ssize_t n;

	if (fd < 0)
		return;
	do
		n = read(fd, nothing, sizeof(nothing));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	close(fd);
}

static struct tally *tally(const struct probe *p)
{
	return &p->object->bss->tree.tallies[p->object->bss->tree.watching % 2];
}

/* For so long after its end the number of a process is not another's. */
#define OWN_NUMBER_NS INT64_C(20000000)

/* The CPU time of a process's threads, those that have ended included. -1: it is gone. */
static int64_t process_cpu(uint32_t pid)
{
	/* MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of include/linux/posix-timers_types.h: what
	 * clock_getcpuclockid(3) gives after asking the kernel whether it is there. */
	clockid_t clock = (clockid_t)(~pid << 3 | 2);
	struct timespec t;

	if (clock_gettime(clock, &t))
		return -1;
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* To free what it had may keep a process busy long after its end. */
static bool is_still_there(const struct member *m)
{
	struct process_counters p = {.pid = (int32_t)m->pid};
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool there = proc >= 0 && process_read_stat(proc, 0, &p) && p.start_ticks == m->start;

	if (proc >= 0)
		close(proc);
	return there;
}

/* What its threads have used that is in no tally. */
static int64_t unburied_cpu(struct member *m, int64_t now_ns)
{
	/* First: who ends meanwhile is then missed and not counted twice. */
	int64_t buried = (int64_t)__atomic_load_n(&m->buried, __ATOMIC_ACQUIRE);
	int64_t ended_ns = (int64_t)__atomic_load_n(&m->ended, __ATOMIC_ACQUIRE);
	bool late = ended_ns && now_ns - ended_ns > OWN_NUMBER_NS;
	int64_t cpu;

	/* All of it has been told. */
	if (late && buried >= (int64_t)m->seen)
		return 0;
	cpu = late && !is_still_there(m) ? -1 : process_cpu(m->pid);
	/* So much it was at least, until the kernel tells how much. */
	if (cpu < (int64_t)m->seen)
		cpu = (int64_t)m->seen;
	m->seen = (uint64_t)cpu;
	return cpu > buried ? cpu - buried : 0;
}

static bool is_watched(const struct probe *p, const struct member *m)
{
	return __atomic_load_n(&m->live, __ATOMIC_ACQUIRE) &&
	       m->watching == p->object->bss->tree.watching;
}

/* How many members' places have ever been used: those from the first one on. */
static uint64_t places_used(const struct probe *p)
{
	return __atomic_load_n(&p->object->bss->members_used, __ATOMIC_ACQUIRE);
}

/* The CPU time of all that is or was of the tree. */
static int64_t read_cpu(const struct probe *p)
{
	int64_t cpu = (int64_t)__atomic_load_n(&tally(p)->cpu, __ATOMIC_ACQUIRE);
	uint64_t used = places_used(p);
	int64_t now_ns = stamp_now().mono_ns;

	for (uint32_t i = 0; i < used; i++) {
		struct member *m = &p->members[i];

		if (is_watched(p, m))
			cpu += unburied_cpu(m, now_ns);
	}
	return cpu;
}

static struct tally see(const struct probe *p)
{
	const struct tally *t = tally(p);

	return (struct tally){
		.open = __atomic_load_n(&t->open, __ATOMIC_ACQUIRE),
		.since_sum = __atomic_load_n(&t->since_sum, __ATOMIC_ACQUIRE),
		.blocked = __atomic_load_n(&t->blocked, __ATOMIC_ACQUIRE),
	};
}

/* The time of threads that run again, though it was not told; only if one is told as blocked. */
static int64_t read_awake(const struct probe *p)
{
	struct sync_probe__bss *shared = p->object->bss;

	if (!__atomic_load_n(&tally(p)->open, __ATOMIC_ACQUIRE))
		return 0;
	shared->awake = 0;
	iterate(p);
	return (int64_t)__atomic_load_n(&shared->awake, __ATOMIC_ACQUIRE);
}

/* Of the three numbers one must not be older than the others: two looks alike were at one moment.
 * Between the additions of one change the result is too small, which the caller sees. */
static int64_t read_blocked(const struct probe *p)
{
	int64_t awake = read_awake(p), elapsed;
	struct tally t = see(p), again;

	for (int i = 0; i < LOOKS; i++) {
		again = see(p);
		if (again.open == t.open && again.since_sum == t.since_sum &&
		    again.blocked == t.blocked) {
			elapsed = (int64_t)(t.open * (uint64_t)stamp_now().mono_ns - t.since_sum) -
			          awake;
			return (int64_t)t.blocked + (elapsed > 0 ? elapsed : 0);
		}
		t = again;
	}
	return 0;
}

void probe_begin_time(struct probe *p)
{
	if (p->look) {
		p->object->bss->tree.beginning = 1;
		iterate(p);
		p->object->bss->tree.beginning = 0;
	}
	p->sync_ns = 0;
	p->cpu_base = p->look ? read_cpu(p) : 0;
	p->cpu_ns = p->blocked_ns = p->look ? 0 : UNKNOWN_NS;
}

/* A thread that is in neither sum just now, or a number in the midst of its change, is no reason
 * to tell less than before. */
static int64_t at_least(int64_t before, int64_t now)
{
	return now > before ? now : before;
}

void probe_read_time(struct probe *p, struct probe_counters *into)
{
	if (p->look) {
		p->cpu_ns = at_least(p->cpu_ns, read_cpu(p) - p->cpu_base);
		p->blocked_ns = at_least(p->blocked_ns, read_blocked(p));
	}
	into->cpu_ns = p->cpu_ns;
	into->blocked_ns = p->blocked_ns;
}

size_t probe_ran(struct probe *p, int32_t *pids, size_t room)
{
	uint64_t used = places_used(p);
	size_t count = 0;

	for (uint32_t i = 0; i < used; i++) {
		struct member *m = &p->members[i];

		if (!is_watched(p, m) || m->ended || m->told == m->seen)
			continue;
		m->told = m->seen;
		if (count < room)
			pids[count] = (int32_t)m->pid;
		count++;
	}
	return count;
}

int probe_leave(struct probe *p, int32_t pid, uint64_t start_ticks)
{
	uint32_t key = (uint32_t)pid, place;
	struct member *m;

	if (pid <= 0 ||
	    bpf_map_lookup_elem(bpf_map__fd(p->object->maps.member_places), &key, &place))
		return -ESRCH;
	m = &p->members[place];
	if (m->start != start_ticks)
		return -ESRCH;
	if (m->watching == 0)
		return 0;
	/* It may be in the midst of a call, which is then counted where nobody reads. */
	__atomic_store_n(&m->watching, 0, __ATOMIC_RELEASE);
	__atomic_fetch_add(&tally(p)->cpu, (uint64_t)unburied_cpu(m, stamp_now().mono_ns),
	                   __ATOMIC_RELEASE);
	return 0;
}
