/* work.c - whether two runs did the same work, on the same ground. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"

static struct compare_difference *add(struct comparison *c, const struct compare_run *runs,
                                      size_t at, const char *what)
{
	struct compare_difference *d;

	c->differences = mem_grow(c->differences, &c->differences_room, c->n_differences + 1,
	                          sizeof(*c->differences));
	d = &c->differences[c->n_differences++];
	memset(d, 0, sizeof(*d));
	snprintf(d->what, sizeof(d->what), "%s", what);
	d->run = at;
	snprintf(d->name, sizeof(d->name), "%s", runs[at].name);
	return d;
}

static void compare_text(struct comparison *c, const struct compare_run *runs, size_t at,
                         const char *what, const char *base, const char *is)
{
	struct compare_difference *d;

	if (!*base || !*is || strcmp(base, is) == 0)
		return;
	d = add(c, runs, at, what);
	text_printable_string(d->base, sizeof(d->base), base);
	text_printable_string(d->is, sizeof(d->is), is);
}

/* "virtio, rotating"; "" unknown. */
static void storage_words(const struct storage_event *s, char *ret, size_t size)
{
	const char *kind = s->rotational < 0 ? "" : s->rotational ? "rotating" : "not rotating";

	snprintf(ret, size, "%s%s%s", s->disk_model, *s->disk_model && *kind ? ", " : "", kind);
}

static void status_words(const struct model *m, char *ret, size_t size)
{
	if (m->state != MODEL_ENDED)
		snprintf(ret, size, "not to its end");
	else if (m->status == STATUS_UNKNOWN)
		snprintf(ret, size, "%s", "");
	else
		snprintf(ret, size, "exit status %d", m->status);
}

/* --- packages ------------------------------------------------------------------------------ */

struct set {
	const struct package **items; /* owned; by name and architecture */
	size_t count;
};

static int by_name(const struct package *a, const struct package *b)
{
	int r = strcmp(a->name, b->name);

	return r ? r : strcmp(a->arch, b->arch);
}

static int by_name_at(const void *a, const void *b)
{
	return by_name(*(const struct package *const *)a, *(const struct package *const *)b);
}

/* A package whose triggers alone ran was in no one's plan. */
static struct set set_of(const struct packages *p)
{
	struct set s = {mem_new(p->count + 1, sizeof(*s.items)), 0};

	for (size_t i = 0; i < p->count; i++)
		if (p->items[i].action != N_VERBS)
			s.items[s.count++] = &p->items[i];
	qsort(s.items, s.count, sizeof(*s.items), by_name_at);
	return s;
}

static bool same_work(const struct package *a, const struct package *b)
{
	return a->action == b->action && strcmp(a->old_version, b->old_version) == 0 &&
	       strcmp(a->version, b->version) == 0;
}

struct set_difference {
	size_t missing, more, other;
	char names[200]; /* of the first few */
};

static void note(struct set_difference *d, size_t *which, const struct package *k)
{
	size_t len = strlen(d->names);

	++*which;
	if (len + strlen(k->name) + 8 < sizeof(d->names))
		snprintf(d->names + len, sizeof(d->names) - len, "%s%s", len ? ", " : "", k->name);
	else if (len && !text_ends(d->names, " ..."))
		snprintf(d->names + len, sizeof(d->names) - len, ", ...");
}

static void subtract(const struct set *a, const struct set *b, struct set_difference *d)
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		int order = i == a->count   ? 1
		            : j == b->count ? -1
		                            : by_name(a->items[i], b->items[j]);

		if (order < 0) {
			note(d, &d->missing, a->items[i++]);
		} else if (order > 0) {
			note(d, &d->more, b->items[j++]);
		} else {
			if (!same_work(a->items[i], b->items[j]))
				note(d, &d->other, b->items[j]);
			i++;
			j++;
		}
	}
}

static void append_count(char *text, size_t size, size_t count, const char *words)
{
	size_t len = strlen(text);

	if (count)
		snprintf(text + len, size - len, "%s%zu %s", len ? ", " : "", count, words);
}

/* Whether the log told all: a run that we came late to has its packages from the log too. */
static bool packages_known(const struct model *m)
{
	return m->packages.count > 0 || m->why[GROUP_LOG] == 0;
}

static void compare_packages(struct comparison *c, const struct compare_run *runs, size_t at)
{
	struct set_difference found = {0};
	struct compare_difference *d;
	struct set a, b;
	size_t len;

	if (!packages_known(runs[0].model) || !packages_known(runs[at].model))
		return;
	a = set_of(&runs[0].model->packages);
	b = set_of(&runs[at].model->packages);
	subtract(&a, &b, &found);
	if (found.missing || found.more || found.other) {
		d = add(c, runs, at, "packages");
		snprintf(d->base, sizeof(d->base), "%zu packages", a.count);
		append_count(d->is, sizeof(d->is), found.missing, "missing");
		append_count(d->is, sizeof(d->is), found.more, "more");
		append_count(d->is, sizeof(d->is), found.other, "of another version or action");
		len = strlen(d->is);
		snprintf(d->is + len, sizeof(d->is) - len, ": %s", found.names);
	}
	free(a.items);
	free(b.items);
}

void work_compare(struct comparison *c, const struct compare_run *runs, size_t at)
{
	const struct model *a = runs[0].model, *b = runs[at].model;
	char base[160], is[160];

	status_words(a, base, sizeof(base));
	status_words(b, is, sizeof(is));
	compare_text(c, runs, at, "end", base, is);
	compare_packages(c, runs, at);
	storage_words(&a->facts, base, sizeof(base));
	storage_words(&b->facts, is, sizeof(is));
	compare_text(c, runs, at, "storage", base, is);
	compare_text(c, runs, at, "filesystem", a->facts.filesystem, b->facts.filesystem);
	compare_text(c, runs, at, "mount options", a->facts.mount_options, b->facts.mount_options);
	compare_text(c, runs, at, "write cache", a->facts.write_cache, b->facts.write_cache);
	compare_text(c, runs, at, "kernel", a->header.kernel, b->header.kernel);
}
