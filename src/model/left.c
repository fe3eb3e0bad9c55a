/* left.c - processes that the upgrade left behind. */
#include "dpkgtop/left.h"

#include <string.h>

void left_clear(struct left *l)
{
	memset(l, 0, sizeof(*l));
}

void left_sample(struct left *l, const struct sample *s)
{
	/* At the very end nobody looks at processes any more. */
	if (!sample_has(s, GROUP_PROCESSES))
		return;
	left_clear(l);
	l->known = true;
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_counters *p = &s->processes[i];

		if (p->left != 'y')
			continue;
		if (l->count == LEFT_MAX) {
			l->left_out++;
			continue;
		}
		memcpy(l->items[l->count].name, p->name, sizeof(p->name));
		memcpy(l->items[l->count++].command, p->command, sizeof(p->command));
	}
}
