/* packages.c - each package of the upgrade: what was done to it, and how long it took. */
#include "dpkgtop/packages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/span.h"
#include "dpkgtop/units.h"

void packages_init(struct packages *p)
{
	memset(p, 0, sizeof(*p));
}

void packages_done(struct packages *p)
{
	free(p->items);
	free(p->begun);
	packages_init(p);
}

static bool is_named(const struct package *k, const char *name, const char *arch)
{
	/* A line without ":arch" (an old dpkg) means the package of that name. */
	return strcmp(k->name, name) == 0 && (!*arch || !*k->arch || strcmp(k->arch, arch) == 0);
}

/* FNV-1a; of the name alone, since a line may lack the architecture. */
static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

static struct package *find(const struct packages *p, const char *name, const char *arch)
{
	/* Most lines speak of the package in work. */
	if (p->current < p->count && is_named(&p->items[p->current], name, arch))
		return &p->items[p->current];
	for (uint32_t i = p->buckets[hash(name) % PACKAGES_BUCKETS]; i; i = p->items[i - 1].next)
		if (is_named(&p->items[i - 1], name, arch))
			return &p->items[i - 1];
	return NULL;
}

const struct package *packages_find(const struct packages *p, const char *name, const char *arch)
{
	return find(p, name, arch);
}

const struct package *packages_current(const struct packages *p)
{
	return p->current < p->count ? &p->items[p->current] : NULL;
}

/* Room for one more. Where there is none, the last one makes way: sums go on, and what came first
 * is kept. */
static struct package *make_room(struct packages *p)
{
	struct package *k;
	uint32_t *link;

	if (p->count < PACKAGES_MAX) {
		p->items = mem_grow(p->items, &p->room, p->count + 1, sizeof(*p->items));
		return &p->items[p->count++];
	}
	k = &p->items[p->count - 1];
	link = &p->buckets[hash(k->name) % PACKAGES_BUCKETS];
	while (*link != p->count)
		link = &p->items[*link - 1].next;
	*link = k->next;
	p->unnamed_failures += k->failed;
	return k;
}

static struct package *add(struct packages *p, const struct package_event *e)
{
	struct package *k = make_room(p);
	bool listed = k->listed;
	uint32_t *bucket;

	memset(k, 0, sizeof(*k));
	k->listed = listed;
	snprintf(k->name, sizeof(k->name), "%s", e->name);
	snprintf(k->arch, sizeof(k->arch), "%s", e->arch);
	k->action = k->busy = N_VERBS;
	k->unpack_ns = k->configure_ns = k->remove_ns = k->trigger_ns = UNKNOWN_NS;
	k->script_ns = k->sync_ns = UNKNOWN_NS;
	k->sync_calls = UNKNOWN_U64;
	k->failure.status = STATUS_UNKNOWN;
	bucket = &p->buckets[hash(k->name) % PACKAGES_BUCKETS];
	k->next = *bucket;
	*bucket = (uint32_t)p->count;
	return k;
}

static void list_begun(struct packages *p, struct package *k)
{
	if (k->listed)
		return;
	k->listed = true;
	p->begun = mem_grow(p->begun, &p->begun_room, p->n_begun + 1, sizeof(*p->begun));
	p->begun[p->n_begun++] = (uint32_t)(k - p->items);
}

static void lose_syncs(struct package *k)
{
	k->syncs_lost = true;
	k->sync_calls = UNKNOWN_U64;
	k->sync_ns = UNKNOWN_NS;
}

/* Whether what came before the line that has this stamp was told apart from what comes after. */
static bool is_sampled(const struct packages *p, int64_t at_ns)
{
	return p->sampled_ns >= at_ns;
}

static void begin(struct packages *p, const struct package_event *e, int64_t at_ns, int64_t now_ns)
{
	struct package *last = p->current < p->count ? &p->items[p->current] : NULL;
	struct package *k;

	/* It was left in the middle, as when it failed. */
	if (last && last->busy != N_VERBS && !is_sampled(p, at_ns))
		lose_syncs(last);
	k = find(p, e->name, e->arch);
	if (!k)
		k = add(p, e);
	if (now_ns < at_ns || !is_sampled(p, at_ns))
		lose_syncs(k);
	if (e->verb == VERB_INSTALL || e->verb == VERB_UPGRADE) {
		snprintf(k->old_version, sizeof(k->old_version), "%s", e->version);
		snprintf(k->version, sizeof(k->version), "%s", e->target);
	} else if (!*k->version) {
		snprintf(k->version, sizeof(k->version), "%s", e->version);
	}
	/* What is done to a package is told by its first line; a configure after an unpack
	 * belongs to it, and a trigger is nobody's action. */
	if (e->verb != VERB_TRIGPROC && (k->action == N_VERBS || e->verb != VERB_CONFIGURE))
		k->action = e->verb;
	k->busy = e->verb;
	list_begun(p, k);
	k->since_ns = now_ns;
	k->waited_ns = p->waited_ns;
	k->begun_ns = at_ns;
	k->opened = false;
	p->current = (size_t)(k - p->items);
}

static void add_time(int64_t *sum, int64_t ns)
{
	*sum = *sum == UNKNOWN_NS ? ns : span_add(*sum, ns);
}

void packages_set_waited(struct packages *p, int64_t ns)
{
	p->waited_ns = ns;
}

void packages_add_script(struct packages *p, const char *name, int64_t ns)
{
	struct package *k = *name ? find(p, name, "") : NULL;

	if (k)
		add_time(&k->script_ns, ns);
}

void packages_add_syncs(struct packages *p, uint64_t calls, int64_t ns, int64_t at_ns)
{
	struct package *k = p->current < p->count ? &p->items[p->current] : NULL;

	p->sampled_ns = at_ns;
	p->charged = 0;
	if (!k || k->busy == N_VERBS)
		return;
	p->charged = (uint32_t)p->current + 1;
	if (calls == UNKNOWN_U64)
		lose_syncs(k);
	if (k->syncs_lost)
		return;
	k->sync_calls = k->sync_calls == UNKNOWN_U64 ? calls : k->sync_calls + calls;
	add_time(&k->sync_ns, ns);
}

/* Whether this status line ends what is being done to `k`. */
static bool ends(const struct package *k, const struct package_event *e)
{
	switch (k->busy) {
	case VERB_INSTALL:
	case VERB_UPGRADE:
		/* "unpacked" comes twice in an upgrade: first the old version's, before
		 * half-installed, then the new one's. */
		return k->opened && e->state == STATE_UNPACKED;
	case VERB_CONFIGURE:
	case VERB_TRIGPROC:
		return e->state == STATE_INSTALLED || e->state == STATE_TRIGGERS_AWAITED ||
		       e->state == STATE_TRIGGERS_PENDING;
	case VERB_REMOVE:
		return e->state == STATE_CONFIG_FILES || e->state == STATE_NOT_INSTALLED;
	case VERB_PURGE:
	case VERB_DISAPPEAR:
		return e->state == STATE_NOT_INSTALLED;
	default:
		return false;
	}
}

static void forgive(struct packages *p, struct package *k)
{
	if (!k->failed)
		return;
	k->failed = false;
	p->failures--;
}

/* Lines that are read together have one stamp, and no sample between them: what was done to `k`
 * lies in the interval before, and somebody else was charged with that. */
static void close_syncs(struct packages *p, struct package *k, int64_t at_ns)
{
	size_t place = (size_t)(k - p->items) + 1;

	if (!is_sampled(p, at_ns))
		lose_syncs(k);
	if (k->begun_ns != at_ns || p->charged == place)
		return;
	lose_syncs(k);
	if (p->charged && p->charged <= p->count)
		lose_syncs(&p->items[p->charged - 1]);
}

static void finish(struct packages *p, struct package *k, int64_t now_ns)
{
	/* A clock that is set back between two lines of the log makes the second the older one. */
	int64_t ns = now_ns > k->since_ns ? now_ns - k->since_ns : 0;
	int64_t waited = p->waited_ns - k->waited_ns, work = ns > waited ? ns - waited : 0;

	switch (k->busy) {
	case VERB_INSTALL:
	case VERB_UPGRADE:
		add_time(&k->unpack_ns, ns);
		p->unpack_ns = span_add(p->unpack_ns, work);
		p->unpacked++;
		break;
	case VERB_CONFIGURE:
		add_time(&k->configure_ns, ns);
		p->configure_ns = span_add(p->configure_ns, work);
		p->configured++;
		break;
	case VERB_TRIGPROC:
		add_time(&k->trigger_ns, ns);
		p->triggered++;
		break;
	default:
		add_time(&k->remove_ns, ns);
		p->remove_ns = span_add(p->remove_ns, work);
		p->removed++;
		break;
	}
	k->busy = N_VERBS;
	/* A script failed and dpkg found a way on (deb-prerm(5), "failed-upgrade"). */
	forgive(p, k);
}

/* An upgrade can turn a package of architecture "all" into one of a machine's, or back: then only
 * the last line, "unpacked", has the new one. */
static bool turns_architecture(const struct package *k, const struct package_event *e)
{
	return e->state == STATE_UNPACKED && k->opened && k->busy == VERB_UPGRADE &&
	       strcmp(k->name, e->name) == 0 && strcmp(k->version, e->version) == 0;
}

/* Whom a status line speaks of. */
static struct package *meant(const struct packages *p, const struct package_event *e)
{
	struct package *k = find(p, e->name, e->arch);

	if ((!k || k->busy == N_VERBS) && p->current < p->count &&
	    turns_architecture(&p->items[p->current], e))
		return &p->items[p->current];
	return k;
}

static void status(struct packages *p, const struct package_event *e, int64_t at_ns, int64_t now_ns)
{
	struct package *k = meant(p, e);

	if (!k)
		return;
	if (!is_named(k, e->name, e->arch))
		snprintf(k->arch, sizeof(k->arch), "%s", e->arch);
	k->state = e->state;
	if (e->state == STATE_HALF_INSTALLED)
		k->opened = true;
	if (k->busy != N_VERBS && ends(k, e)) {
		close_syncs(p, k, at_ns);
		finish(p, k, now_ns);
	} else if (e->state == STATE_INSTALLED) {
		forgive(p, k);
	}
}

static void fail(struct packages *p, struct package *k)
{
	if (!k->failed)
		p->failures++;
	k->failed = true;
}

/* A dpkg has ended: what it left in the middle has failed. */
static void dpkg_ended(struct packages *p, int64_t at_ns)
{
	for (size_t i = 0; i < p->n_begun; i++) {
		struct package *k = &p->items[p->begun[i]];

		k->listed = false;
		if (k->busy == N_VERBS)
			continue;
		close_syncs(p, k, at_ns);
		fail(p, k);
		k->busy = N_VERBS;
	}
	p->n_begun = 0;
}

static void dpkg_starts(struct packages *p, const struct exec_event *e)
{
	p->dpkg_pid = e->pid;
	p->dpkg_start_ticks = e->start_ticks;
}

/* An end may be told once more, when its status has come to light and the next dpkg is at work. */
static bool is_last_dpkg(const struct packages *p, const struct exit_event *e)
{
	return !p->dpkg_pid || (e->pid == p->dpkg_pid && e->start_ticks == p->dpkg_start_ticks);
}

static void script_starts(struct packages *p, const struct exec_event *e)
{
	p->script_pid = e->pid;
	snprintf(p->script_package, sizeof(p->script_package), "%s", e->package);
	snprintf(p->script_name, sizeof(p->script_name), "%s", e->script);
}

static void script_ends(struct packages *p, const struct exit_event *e)
{
	struct package *k;

	/* Told twice, if its status came to light later than its end. */
	if (e->pid != p->script_pid)
		return;
	if (e->status == 0 || e->status == STATUS_UNKNOWN)
		return;
	k = *p->script_package ? find(p, p->script_package, "") : NULL;
	if (!k && p->current < p->count)
		k = &p->items[p->current]; /* preinst runs from tmp.ci, which names nobody */
	if (!k)
		return;
	snprintf(k->failure.script, sizeof(k->failure.script), "%s", p->script_name);
	k->failure.status = e->status;
	fail(p, k);
}

static void package_line(struct packages *p, const struct package_event *e, int64_t at_ns,
                         int64_t now_ns)
{
	switch (e->verb) {
	case VERB_STARTUP:
		dpkg_ended(p, at_ns);
		p->dpkg_runs++;
		break;
	case VERB_STATUS:
		status(p, e, at_ns, now_ns);
		break;
	case VERB_CONFFILE:
	case N_VERBS:
		break;
	default:
		begin(p, e, at_ns, now_ns);
		break;
	}
}

void packages_event(struct packages *p, const struct event *e)
{
	switch (e->kind) {
	case EVENT_PACKAGE:
		package_line(p, &e->package, e->at.mono_ns, event_time(e));
		break;
	case EVENT_EXEC:
		if (e->exec.role == ROLE_SCRIPT)
			script_starts(p, &e->exec);
		else if (e->exec.role == ROLE_DPKG)
			dpkg_starts(p, &e->exec);
		break;
	case EVENT_EXIT:
		if (e->exit.role == ROLE_SCRIPT)
			script_ends(p, &e->exit);
		else if (e->exit.role == ROLE_DPKG && is_last_dpkg(p, &e->exit))
			dpkg_ended(p, e->at.mono_ns);
		break;
	case EVENT_END:
		dpkg_ended(p, e->at.mono_ns);
		break;
	default:
		break;
	}
}

bool packages_wants_boundary(const struct packages *p, const struct event *e)
{
	const struct package *k;

	/* Nothing can be seen any more of what happened before we looked. */
	if (e->kind != EVENT_PACKAGE || event_time(e) < e->at.mono_ns)
		return false;
	switch (e->package.verb) {
	case VERB_INSTALL:
	case VERB_UPGRADE:
	case VERB_CONFIGURE:
	case VERB_TRIGPROC:
	case VERB_REMOVE:
	case VERB_PURGE:
	case VERB_DISAPPEAR:
		return true;
	case VERB_STATUS:
		k = meant(p, &e->package);
		return k && k->busy != N_VERBS && ends(k, &e->package);
	default:
		return false;
	}
}
