/* input.c - whether the upgrade waits for a person. */
#include "dpkgtop/input.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/units.h"

/* Someone who has computed nothing for so long does not just pause between two keys. */
#define STILL_NS INT64_C(500000000)

void input_init(struct input *i)
{
	memset(i, 0, sizeof(*i));
}

bool input_waits(const struct input *i)
{
	return i->kind == INPUT_QUESTION || i->kind == INPUT_DIALOG || i->kind == INPUT_PAGER;
}

/* Nobody whom it could be waiting for: a child that has ended is none. */
static bool is_leaf(const struct sample *s, const struct process_counters *p)
{
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_counters *child = &s->processes[i];

		if (child->parent == p->pid && child->left != 'y' && child->state != 'Z')
			return false;
	}
	return true;
}

static enum input_kind kind_of_name(const char *name)
{
	static const char *const dialogs[] = {"whiptail", "dialog", NULL};
	static const char *const pagers[] = {"less",           "more", "most",           "pager",
	                                     "sensible-pager", "w3m",  "apt-listchange", NULL};

	if (word_find(dialogs, name, strlen(name)) >= 0 ||
	    word_find(word_debconf, name, strlen(name)) >= 0)
		return INPUT_DIALOG;
	return word_find(pagers, name, strlen(name)) >= 0 ? INPUT_PAGER : INPUT_NONE;
}

/* The dialog program that `p` is, or runs below. */
static enum input_kind kind_of_chain(const struct sample *s, const struct process_counters *p)
{
	for (int depth = 0; p && depth < 64; depth++) {
		enum input_kind kind = kind_of_name(p->name);

		if (kind != INPUT_NONE)
			return kind;
		p = sample_process(s, p->parent);
	}
	return INPUT_NONE;
}

/* Debconf's frontend, as a rule: what runs below it waits for what it is told. */
static bool asks_itself(const struct process_counters *p)
{
	return p->waits == 'r' && kind_of_name(p->name) == INPUT_DIALOG;
}

static enum input_kind kind_of(const struct sample *s, const struct process_counters *p)
{
	enum input_kind kind;

	if (p->waits != 'r' && p->waits != 'p')
		return INPUT_NONE;
	kind = kind_of_chain(s, p);
	/* A poll alone is no question: apt polls its terminal all the time. */
	if (kind == INPUT_NONE && p->waits == 'r')
		return INPUT_QUESTION;
	return kind;
}

/* The first that waits for a terminal; `*ret_known` tells whether every leaf could be seen. */
static const struct process_counters *find(const struct sample *s, enum input_kind *ret_kind,
                                           bool *ret_known)
{
	*ret_known = true;
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_counters *p = &s->processes[i];

		if (p->left == 'y' || p->state != 'S' || !(is_leaf(s, p) || asks_itself(p)))
			continue;
		*ret_kind = kind_of(s, p);
		if (*ret_kind != INPUT_NONE)
			return p;
		if (p->waits == '?')
			*ret_known = false;
	}
	return NULL;
}

/* Nobody is waited for, or it can not be told. */
static void forget(struct input *i, enum input_kind kind)
{
	enum input_share share = i->sure ? INPUT_SHARE_REST : INPUT_SHARE_NONE;

	*i = (struct input){.kind = kind, .share = share, .tree_cpu_ns = i->tree_cpu_ns};
}

/* Processes were left out, since nobody waited before. Where nobody ran nobody waits now; who ran
 * may have come to wait at the end of it. */
static void pass_over(struct input *i, const struct sample *s)
{
	bool ran = s->kind == SAMPLE_THIN && s->probe.cpu_ns != i->tree_cpu_ns;

	i->share = ran ? INPUT_SHARE_MAYBE : INPUT_SHARE_NONE;
	i->begins = i->passed_over = ran;
	i->tree_cpu_ns = s->probe.cpu_ns;
}

/* Another one than before waits. */
static void begin(struct input *i, const struct process_counters *p)
{
	bool passed_over = i->passed_over;

	forget(i, INPUT_NONE);
	i->seen_pid = p->pid;
	i->begins = !passed_over;
	/* The time up to now is rather that of the one before. */
	if (i->share == INPUT_SHARE_NONE)
		i->share = INPUT_SHARE_MAYBE;
}

/* The one that waited before does so now. */
static void go_on(struct input *i, bool still)
{
	i->begins = false;
	if (!i->sure)
		i->share = INPUT_SHARE_MAYBE;
	else
		i->share = still ? INPUT_SHARE_ALL : INPUT_SHARE_REST;
	if (!still)
		i->kind = INPUT_NONE;
}

void input_sample(struct input *i, const struct sample *s)
{
	const struct process_counters *p = NULL;
	enum input_kind kind = INPUT_NONE;
	bool known = false, still;

	if (s->kind != SAMPLE_FULL && s->why[GROUP_PROCESSES] == GROUP_NOT_ASKED) {
		pass_over(i, s);
		return;
	}
	i->tree_cpu_ns = s->probe.cpu_ns;
	if (sample_has(s, GROUP_PROCESSES))
		p = find(s, &kind, &known);
	if (!p) {
		forget(i, known ? INPUT_NONE : INPUT_UNKNOWN);
		return;
	}
	still = p->pid == i->seen_pid && p->cpu_ns == i->seen_cpu_ns;
	if (p->pid == i->seen_pid)
		go_on(i, still);
	else
		begin(i, p);
	if (!still) {
		i->seen_cpu_ns = p->cpu_ns;
		i->seen_ns = s->at.mono_ns;
	}
	if (s->at.mono_ns - i->seen_ns < STILL_NS)
		return;
	i->sure = true;
	i->share = INPUT_SHARE_ALL;
	i->kind = kind;
	i->pid = p->pid;
	i->since_ns = i->seen_ns;
	snprintf(i->name, sizeof(i->name), "%s", p->name);
}
