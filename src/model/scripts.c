/* scripts.c - the maintainer scripts that ran: which of which package, how often, how long. */
#include "dpkgtop/scripts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

void scripts_init(struct scripts *s)
{
	memset(s, 0, sizeof(*s));
}

void scripts_done(struct scripts *s)
{
	free(s->items);
	scripts_init(s);
}

/* FNV-1a of both words. */
static uint32_t hash(const char *package, const char *name)
{
	uint32_t h = 2166136261u;

	for (; *package; package++)
		h = (h ^ (unsigned char)*package) * 16777619u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h % SCRIPTS_BUCKETS;
}

/* Its place, counted from 1; 0: none. */
static uint32_t place_of(const struct scripts *s, const char *package, const char *name)
{
	uint32_t at = s->buckets[hash(package, name)];

	while (at && (strcmp(s->items[at - 1].package, package) != 0 ||
	              strcmp(s->items[at - 1].name, name) != 0))
		at = s->items[at - 1].next;
	return at;
}

const struct script *scripts_find(const struct scripts *s, const char *package, const char *name)
{
	uint32_t at = place_of(s, package, name);

	return at ? &s->items[at - 1] : NULL;
}

static uint32_t add(struct scripts *s, const char *package, const char *name)
{
	uint32_t *bucket = &s->buckets[hash(package, name)];
	struct script *script;

	if (s->count == SCRIPTS_MAX)
		return 0;
	s->items = mem_grow(s->items, &s->room, s->count + 1, sizeof(*s->items));
	script = &s->items[s->count++];
	memset(script, 0, sizeof(*script));
	snprintf(script->package, sizeof(script->package), "%s", package);
	snprintf(script->name, sizeof(script->name), "%s", name);
	script->ns = UNKNOWN_NS;
	script->next = *bucket;
	*bucket = (uint32_t)s->count;
	return *bucket;
}

static struct script_run *run_of(struct scripts *s, int32_t pid)
{
	for (size_t i = s->n_runs; i > 0; i--)
		if (s->runs[i - 1].pid == pid)
			return &s->runs[i - 1];
	return NULL;
}

static void drop(struct scripts *s, struct script_run *r)
{
	size_t at = (size_t)(r - s->runs);

	s->n_runs--;
	memmove(r, r + 1, (s->n_runs - at) * sizeof(*r));
}

static void begin(struct scripts *s, const struct packages *packages, const struct exec_event *e,
                  int64_t now_ns)
{
	const struct package *work = packages_current(packages);
	const char *package = e->package;
	struct script_run *run = run_of(s, e->pid), *above;
	uint32_t place;
	bool nested;

	if (run && run->start_ticks == e->start_ticks)
		return;
	/* Another process by that pid: the end of the first was missed. */
	if (run)
		drop(s, run);
	if (!*package && work && work->busy != N_VERBS)
		package = work->name;
	place = place_of(s, package, e->script);
	above = run_of(s, e->parent);
	nested = above && place && above->script == place;
	if (!nested && !place)
		place = add(s, package, e->script);
	if (s->n_runs == SCRIPT_RUNS_MAX)
		drop(s, &s->runs[0]);
	s->runs[s->n_runs++] = (struct script_run){
		.pid = e->pid,
		.start_ticks = e->start_ticks,
		.begin_ns = now_ns,
		.script = place,
		.nested = nested,
	};
	if (nested)
		return;
	if (place)
		s->items[place - 1].count++;
	else
		s->left_out++;
}

static void end(struct scripts *s, struct packages *packages, struct script_run *run,
                int64_t now_ns)
{
	struct script *script = run->script ? &s->items[run->script - 1] : NULL;
	int64_t ns = now_ns - run->begin_ns;

	if (script && !run->nested && ns >= 0) {
		script->ns = script->ns == UNKNOWN_NS ? ns : span_add(script->ns, ns);
		packages_add_script(packages, script->package, ns);
	}
	drop(s, run);
}

void scripts_event(struct scripts *s, struct packages *packages, const struct event *e)
{
	struct script_run *run;

	switch (e->kind) {
	case EVENT_EXEC:
		if (e->exec.role == ROLE_SCRIPT)
			begin(s, packages, &e->exec, event_time(e));
		break;
	case EVENT_EXIT:
		/* Told twice, if its status came to light later than its end. */
		run = e->exit.role == ROLE_SCRIPT ? run_of(s, e->exit.pid) : NULL;
		if (run && run->start_ticks == e->exit.start_ticks)
			end(s, packages, run, event_time(e));
		break;
	case EVENT_END:
		while (s->n_runs)
			end(s, packages, &s->runs[s->n_runs - 1], event_time(e));
		break;
	default:
		break;
	}
}
