/* groups.c - which groups a sample reads: each costs, and between full ones few are of use. */
#include "dpkgtop/units.h"
#include "state.h"

/* Of more processes than these it takes less to read the whole tree. */
#define ASKED_MAX 64

bool groups_probe_suffices(const struct session *s)
{
	const struct model *m = &s->model;

	return s->probe && m->syncs.exact && m->charging.counted_cpu_ns != UNKNOWN_NS &&
	       m->charging.counted_blocked_ns != UNKNOWN_NS && m->input.seen_pid == 0;
}

void groups_looked(struct session *s)
{
	s->looked_cpu_ns = s->sample.probe.cpu_ns;
	s->looked_ns = s->sample.at.mono_ns;
}

/* Whether somebody may have begun to wait for a person since processes were last looked at: who did
 * not run is as he was, and a tree that is at work waits for nobody, at least not for long yet. */
static bool may_wait(const struct session *s)
{
	const struct charging *c = &s->model.charging;
	int64_t cpu_ns = s->sample.probe.cpu_ns;

	if (s->looked_cpu_ns == UNKNOWN_NS)
		return true;
	if (cpu_ns == s->looked_cpu_ns)
		return false;
	/* One may be at work beside who waits. */
	return s->sample.at.mono_ns - s->looked_ns > THIN_NS / 2 * 3 ||
	       cpu_ns - c->counted_cpu_ns < (s->sample.at.mono_ns - c->last.mono_ns) / 10;
}

/* Whether one of the tree may have begun to ask a person. If not, nothing else is to be seen there.
 * One that was found to be no question may become one without running, when its last child ends:
 * he is asked again. */
static bool may_ask(struct session *s)
{
	int32_t pids[ASKED_MAX];
	size_t count = probe_ran(s->probe, pids, ASKED_MAX);

	if (s->looked_cpu_ns == UNKNOWN_NS || count > ASKED_MAX)
		return true;
	if (s->asks_pid && process_may_ask(&s->roots, s->asks_pid))
		return true;
	s->asks_pid = 0;
	for (size_t i = 0; i < count && !s->asks_pid; i++)
		if (process_may_ask(&s->roots, pids[i]))
			s->asks_pid = pids[i];
	if (!s->asks_pid)
		groups_looked(s);
	return s->asks_pid != 0;
}

bool groups_wanted(struct session *s, enum sample_kind kind, enum group g)
{
	if (kind == SAMPLE_FULL)
		return true;
	if (groups_probe_suffices(s))
		return kind == SAMPLE_THIN && g == GROUP_PROCESSES && may_wait(s) && may_ask(s);
	return g == GROUP_DISKS || g == GROUP_PROCESSES;
}
