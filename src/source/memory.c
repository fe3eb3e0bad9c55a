/* memory.c - dirty pages and their limits, by libproc2. */
#include "dpkgtop/source.h"
#include "dpkgtop/units.h"

#include <errno.h>
#include <libproc2/meminfo.h>
#include <libproc2/vmstat.h>
#include <string.h>
#include <unistd.h>

struct memory_source {
	struct meminfo_info *meminfo;
	struct vmstat_info *vmstat;
	uint64_t page_kib;
};

/* The places in what libproc2 returns are those of the items asked for. */
enum { TOTAL, DIRTY, WRITEBACK, N_MEMINFO };
enum { LIMIT, BACKGROUND, N_VMSTAT };

static int memory_open(void *self, const struct roots *roots, struct err *e)
{
	struct memory_source *s = self;
	int r;

	(void)roots;
	s->page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	r = procps_meminfo_new(&s->meminfo);
	if (r < 0)
		return err_set(e, r, "/proc/meminfo: %s", strerror(-r));
	/* Containers may hide it: the limits are then unknown (select refuses NULL). */
	procps_vmstat_new(&s->vmstat);
	return 0;
}

/* libproc2 gives 0 for a line that is not there; neither the memory nor a limit is ever 0. */
static uint64_t known(uint64_t value, uint64_t unit_kib)
{
	return value ? value * unit_kib : UNKNOWN_U64;
}

static int read_meminfo(struct memory_source *s, struct memory_counters *into)
{
	enum meminfo_item items[N_MEMINFO] = {
		[TOTAL] = MEMINFO_MEM_TOTAL,
		[DIRTY] = MEMINFO_MEM_DIRTY,
		[WRITEBACK] = MEMINFO_MEM_WRITEBACK,
	};
	struct meminfo_stack *stack;

	/* Not procps_meminfo_get(): that one reads anew only once a second. */
	errno = 0;
	stack = procps_meminfo_select(s->meminfo, items, N_MEMINFO);
	if (!stack)
		return errno ? -errno : -EIO;
	into->total_kib = known(MEMINFO_VAL(TOTAL, ul_int, stack, s->meminfo), 1);
	into->dirty_kib = MEMINFO_VAL(DIRTY, ul_int, stack, s->meminfo);
	into->writeback_kib = MEMINFO_VAL(WRITEBACK, ul_int, stack, s->meminfo);
	return 0;
}

/* Without these the rest is still worth having. */
static void read_limits(struct memory_source *s, struct memory_counters *into)
{
	enum vmstat_item items[N_VMSTAT] = {
		[LIMIT] = VMSTAT_NR_DIRTY_THRESHOLD,
		[BACKGROUND] = VMSTAT_NR_DIRTY_BACKGROUND_THRESHOLD,
	};
	struct vmstat_stack *stack = procps_vmstat_select(s->vmstat, items, N_VMSTAT);

	into->dirty_limit_kib = UNKNOWN_U64;
	into->background_limit_kib = UNKNOWN_U64;
	if (!stack)
		return;
	into->dirty_limit_kib = known(VMSTAT_VAL(LIMIT, ul_int, stack, s->vmstat), s->page_kib);
	into->background_limit_kib =
		known(VMSTAT_VAL(BACKGROUND, ul_int, stack, s->vmstat), s->page_kib);
}

static int memory_read(void *self, const struct target *target, struct sample *into)
{
	struct memory_source *s = self;
	int r;

	(void)target;
	r = read_meminfo(s, &into->memory);
	if (r)
		return r;
	read_limits(s, &into->memory);
	return 0;
}

static void memory_close(void *self)
{
	struct memory_source *s = self;

	/* These check for NULL themselves. */
	procps_meminfo_unref(&s->meminfo);
	procps_vmstat_unref(&s->vmstat);
}

const struct source_ops source_memory = {
	.name = "memory",
	.group = GROUP_MEMORY,
	.size = sizeof(struct memory_source),
	.open = memory_open,
	.read = memory_read,
	.close = memory_close,
};
