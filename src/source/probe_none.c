/* probe_none.c - the probe of a dpkgtop that was built without BPF. */
#include "dpkgtop/probe.h"

#include <errno.h>

int probe_open(struct probe **ret, const struct probe_name *names, struct err *e)
{
	(void)names;
	*ret = NULL;
	return err_set(e, -ENOSYS, "this dpkgtop was built without BPF");
}

void probe_close(struct probe *p)
{
	(void)p;
}

int probe_watch(struct probe *p, int32_t root_pid, uint64_t start_ticks)
{
	(void)p, (void)root_pid, (void)start_ticks;
	return -ENOSYS;
}

int probe_leave(struct probe *p, int32_t pid, uint64_t start_ticks)
{
	(void)p, (void)pid, (void)start_ticks;
	return -ENOSYS;
}

size_t probe_ran(struct probe *p, int32_t *pids, size_t room)
{
	(void)p, (void)pids, (void)room;
	return 0;
}

int probe_read(struct probe *p, struct sample *into)
{
	(void)p;
	for (int g = GROUP_PROBE; g <= GROUP_LATENCIES; g++)
		into->why[g] = -ENOSYS;
	return -ENOSYS;
}

int probe_fd(const struct probe *p)
{
	(void)p;
	return -1;
}

int probe_drain(struct probe *p, probe_take *take, void *context)
{
	(void)p, (void)take, (void)context;
	return -ENOSYS;
}
