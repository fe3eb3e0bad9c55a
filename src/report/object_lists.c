/* object_lists.c - the parts of a run that are lists: phases, syncs, packages, disks. */
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/span.h"
#include "dpkgtop/units.h"
#include "number.h"
#include "object.h"

static bool is_sync(int cause)
{
	return cause == CAUSE_PACKAGE_SYNC || cause == CAUSE_DATABASE_SYNC ||
	       cause == CAUSE_WRITEBACK || cause == CAUSE_OTHER_SYNC;
}

/* Time of unknown cause is known as time; of the others 0 is known only if something was charged.
 */
static int64_t cell_ns(const struct cell *c, int cause)
{
	bool known = c->quality != QUALITY_NONE && c->quality != QUALITY_UNKNOWN;

	return known || c->ns > 0 || cause == CAUSE_UNKNOWN ? c->ns : UNKNOWN_NS;
}

/* Counted syncs have four causes, estimated ones have one; a run in which the probe came late, or
 * failed, has both. */
static bool has_cause(const struct model *m, int cause)
{
	if (is_sync(cause))
		return m->exact_ns > 0;
	if (cause == CAUSE_SYNC_ESTIMATED)
		return m->exact_ns <= 0 || ledger_cause(&m->ledger, CAUSE_SYNC_ESTIMATED).ns > 0;
	return true;
}

static struct json_object *causes_of(const struct model *m, const struct cell cells[N_CAUSES])
{
	struct json_object *o = json_object_new_object();

	for (int c = 0; c < N_CAUSES; c++)
		if (has_cause(m, c))
			object_add_seconds(o, cause_keys[c], cell_ns(&cells[c], c));
	return o;
}

static uint64_t intervals_of(const struct timeline *t, int phase)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		count += t->spans[i].phase == (enum phase)phase;
	return count;
}

void object_add_phases(struct json_object *o, const struct model *m)
{
	struct json_object *all = json_object_new_array();

	for (int p = 0; p < N_PHASES; p++) {
		struct json_object *one;

		if (m->ledger.wall_ns[p] <= 0)
			continue;
		one = json_object_new_object();
		object_add_text(one, "name", phase_names[p]);
		object_add_seconds(one, "wall_s", m->ledger.wall_ns[p]);
		object_add_count(one, "intervals", intervals_of(&m->timeline, p));
		object_add(one, "causes", causes_of(m, m->ledger.cells[p]));
		json_object_array_add(all, one);
	}
	object_add(o, "phases", all);
}

void object_add_initramfs(struct json_object *o, const struct model *m)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < m->steps.count; i++) {
		const struct step *s = &m->steps.items[i];
		struct json_object *one;

		if (s->role != ROLE_INITRAMFS || steps_nested(&m->steps, i))
			continue;
		one = json_object_new_object();
		object_add_text(one, "tool", s->tool);
		object_add_text(one, "by", s->by);
		object_add_seconds(one, "start_s", s->begin_ns - m->since_ns);
		object_add_seconds(one, "wall_s",
		                   s->end_ns == UNKNOWN_NS ? UNKNOWN_NS : s->end_ns - s->begin_ns);
		json_object_array_add(all, one);
	}
	object_add(o, "initramfs", all);
}

static struct json_object *class_of(const struct syncs *s, int class)
{
	struct json_object *o = json_object_new_object();

	object_add_text(o, "class", word_sync_class[class]);
	object_add_count(o, "calls", s->counted ? s->classes[class].count : UNKNOWN_U64);
	object_add_seconds(o, "total_s", s->counted ? s->classes[class].ns : UNKNOWN_NS);
	object_add_micros(o, "p50_us", syncs_percentile(s, class, 0.5));
	object_add_micros(o, "p99_us", syncs_percentile(s, class, 0.99));
	object_add_micros(o, "max_us", s->longest_ns[class]);
	return o;
}

/* All 0 until the probe told something. */
static uint64_t lost_of(const struct syncs *s)
{
	return s->counted ? s->probe.lost + s->probe.missed + s->probe.full : UNKNOWN_U64;
}

void object_add_syncs(struct json_object *o, const struct model *m)
{
	struct json_object *syncs = json_object_new_object(), *calls = json_object_new_object();
	struct json_object *classes = json_object_new_array();
	const struct syncs *s = &m->syncs;

	object_add_bool(syncs, "exact", s->exact && m->exact_ns > 0);
	object_add_count(syncs, "lost", lost_of(s));
	for (int c = 0; c < N_SYNC_CLASSES; c++)
		json_object_array_add(classes, class_of(s, c));
	object_add(syncs, "classes", classes);
	for (int c = 0; c < N_SYNC_CALLS; c++)
		object_add_count(calls, word_sync_call[c],
		                 s->counted ? s->by_call[c] : UNKNOWN_U64);
	object_add(syncs, "calls", calls);
	object_add(o, "syncs", syncs);
}

static struct json_object *failure_of(const struct package *k)
{
	struct json_object *o;

	if (!k->failed)
		return NULL;
	o = json_object_new_object();
	object_add_text(o, "script", k->failure.script);
	object_add(o, "status",
	           k->failure.status == STATUS_UNKNOWN ? NULL
	                                               : json_object_new_int(k->failure.status));
	return o;
}

static struct json_object *package_of(const struct package *k)
{
	struct json_object *o = json_object_new_object();

	object_add_text(o, "name", k->name);
	object_add_text(o, "arch", k->arch);
	object_add_text(o, "action", k->action == N_VERBS ? "triggers" : word_verb[k->action]);
	object_add_text(o, "old_version", k->old_version);
	object_add_text(o, "version", k->version);
	object_add_seconds(o, "unpack_s", k->unpack_ns);
	object_add_seconds(o, "configure_s", k->configure_ns);
	object_add_seconds(o, "script_s", k->script_ns);
	object_add_count(o, "sync_calls", k->sync_calls);
	object_add_seconds(o, "sync_s", k->sync_ns);
	object_add(o, "failed", failure_of(k));
	return o;
}

void object_add_packages(struct json_object *o, const struct model *m)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < m->packages.count; i++)
		json_object_array_add(all, package_of(&m->packages.items[i]));
	object_add(o, "packages", all);
}

/* Every machine has loop devices that nobody uses. */
static bool did_something(const struct model *m, const struct disk_total *d)
{
	return d->reads || d->writes || d->discards || d->flushes ||
	       strcmp(d->name, m->facts.disk) == 0;
}

void object_add_disks(struct json_object *o, const struct model *m)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < m->disks.count; i++) {
		const struct disk_total *d = &m->disks.items[i];
		struct json_object *one;

		if (!did_something(m, d))
			continue;
		one = json_object_new_object();
		object_add_text(one, "name", d->name);
		object_add_count(one, "reads", d->reads);
		object_add_count(one, "writes", d->writes);
		object_add_count(one, "read_bytes", d->read_bytes);
		object_add_count(one, "written_bytes", d->written_bytes);
		object_add_count(one, "discards", d->discards);
		object_add_count(one, "flushes", d->flushes);
		object_add_seconds(one, "flush_s",
		                   d->flush_ms == UNKNOWN_U64 ? UNKNOWN_NS
		                                              : span_of_ms(d->flush_ms));
		json_object_array_add(all, one);
	}
	object_add(o, "disks", m->disks.count ? all : NULL);
	if (!m->disks.count)
		json_object_put(all);
}

void object_add_left(struct json_object *o, const struct model *m)
{
	struct json_object *all;

	if (!m->left.known) {
		object_add(o, "left_running", NULL);
		return;
	}
	all = json_object_new_array();
	for (size_t i = 0; i < m->left.count; i++) {
		struct json_object *one = json_object_new_object();

		object_add_text(one, "name", m->left.items[i].name);
		object_add_text(one, "command", m->left.items[i].command);
		json_object_array_add(all, one);
	}
	object_add(o, "left_running", all);
}
