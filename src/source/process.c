/* process.c - the watched tree of processes.
 *
 * A process's counters include those of children it has waited for, so a child that ends between
 * the reading of its parent and its own would be in neither, and sums over the tree would go
 * back. Hence the order: all children are listed first, then parents are read before children;
 * whoever is listed but gone when its turn comes makes the whole be read again. */
#include "process_files.h"
#include "process_left.h"

#include "dpkgtop/field.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include <errno.h>
#include <libproc2/pids.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Readings of a tree that keeps changing. */
#define TRIES 3

struct process_source {
	struct roots roots; /* borrowed */
	int64_t tick_ns;
	/* Who is whose child, of all processes: only where the kernel has no children files. */
	struct pids_info *lineage;
	struct left_running left;
	struct process_counters *before; /* the tree as it was last, by rising pid */
	size_t n_before, before_room;
	struct seat *seats;
	size_t seats_room;
};

/* Whether the process with that pid was kept. */
struct seat {
	int32_t pid;
	bool kept;
};

/* The places in a stack of libproc2 are those of the items asked for. */
enum { LINEAGE_PID, LINEAGE_PARENT, N_LINEAGE };

static int process_open(void *self, const struct roots *roots, struct err *e)
{
	static const enum pids_item lineage[N_LINEAGE] = {PIDS_ID_PID, PIDS_ID_PPID};
	struct process_source *s = self;
	int r = 0;

	s->roots = *roots;
	s->tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	/* libproc2 copies the items, though its prototype does not say const. */
	if (!process_has_children_files(s->roots.proc))
		r = procps_pids_new(&s->lineage, (enum pids_item *)lineage, N_LINEAGE);
	if (r < 0)
		return err_set(e, r, "libproc2: %s", strerror(-r));
	return 0;
}

static void process_close(void *self)
{
	struct process_source *s = self;

	procps_pids_unref(&s->lineage); /* checks for NULL itself */
	left_done(&s->left);
	free(s->before);
	free(s->seats);
}

static int add_children_by_lineage(const struct pids_fetch *all, int32_t parent,
                                   struct sample *into)
{
	for (int i = 0; i < all->counts->total; i++) {
		const struct pids_stack *stack = all->stacks[i];

		if (PIDS_VAL(LINEAGE_PARENT, s_int, stack, NULL) != parent)
			continue;
		if (into->n_processes >= TREE_MAX)
			return -E2BIG;
		sample_add_process(into)->pid = PIDS_VAL(LINEAGE_PID, s_int, stack, NULL);
	}
	return 0;
}

/* The pids of the tree, each parent before its children. */
static int list_tree(struct process_source *s, int32_t root, struct sample *into)
{
	const struct pids_fetch *all = NULL;

	if (s->lineage) {
		errno = 0;
		all = procps_pids_reap(s->lineage, PIDS_FETCH_TASKS_ONLY);
		if (!all)
			return errno ? -errno : -EIO;
	}
	into->n_processes = 0;
	sample_add_process(into)->pid = root;
	for (size_t i = 0; i < into->n_processes; i++) {
		int32_t parent = into->processes[i].pid;
		int r = all ? add_children_by_lineage(all, parent, into)
		            : process_add_children(s->roots.proc, parent, into);

		if (r)
			return r;
	}
	return 0;
}

/* Fills those from `first` on; state 0 remains with those that are gone. Returns how many are not.
 */
static size_t fill_all(const struct process_source *s, size_t first, struct sample *into)
{
	size_t found = 0;

	for (size_t i = first; i < into->n_processes; i++)
		if (process_read_stat(s->roots.proc, s->tick_ns, &into->processes[i]))
			found++;
	return found;
}

/* Bytes are shown as rates between full samples; in others they would cost and be of no use. */
static void read_io(const struct process_source *s, const struct sample *into,
                    struct process_counters *p)
{
	p->read_bytes = p->written_bytes = UNKNOWN_U64;
	if (into->kind == SAMPLE_FULL)
		process_read_io(s->roots.proc, p);
}

/* One reading of everything. `*ret_whole`: nobody ended meanwhile. */
static int read_tree(struct process_source *s, int32_t root, struct sample *into, bool *ret_whole)
{
	int r = list_tree(s, root, into);

	for (size_t i = 0; !r && i < into->n_processes; i++) {
		read_io(s, into, &into->processes[i]);
		if (into->kind == SAMPLE_FULL)
			process_read_command(s->roots.proc, &into->processes[i]);
	}
	*ret_whole = !r && fill_all(s, 0, into) == into->n_processes;
	return r;
}

static int by_pid(const void *a, const void *b)
{
	const struct process_counters *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_seat(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* NULL: nobody has that pid. A pid listed twice has one seat. */
static struct seat *seat_of(const struct process_source *s, size_t count, int32_t pid)
{
	size_t from = 0, to = count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->seats[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	return from < count && s->seats[from].pid == pid ? &s->seats[from] : NULL;
}

static void seat_all(struct process_source *s, const struct sample *into)
{
	size_t n = into->n_processes;

	s->seats = mem_grow(s->seats, &s->seats_room, n, sizeof(*s->seats));
	for (size_t i = 0; i < n; i++)
		s->seats[i] = (struct seat){.pid = into->processes[i].pid};
	qsort(s->seats, n, sizeof(*s->seats), by_seat);
}

/* Leaves out who is gone or has left the tree: keeps the children of those kept, once. Moving to
 * another parent while the lists were read can make a process be listed twice, or be no longer in
 * the tree. */
static void tidy(struct process_source *s, struct sample *into)
{
	struct process_counters *items = into->processes;
	size_t n = into->n_processes, kept = 1; /* the root */

	seat_all(s, into);
	seat_of(s, n, items[0].pid)->kept = true;
	for (size_t i = 1; i < n; i++) {
		struct seat *own = seat_of(s, n, items[i].pid);
		const struct seat *parent = seat_of(s, n, items[i].parent);

		if (!items[i].state || own->kept || !parent || !parent->kept)
			continue;
		own->kept = true;
		items[kept++] = items[i];
	}
	into->n_processes = kept;
	qsort(items, kept, sizeof(*items), by_pid);
}

/* The command lines of the tree between full samples: those who were there under the same name
 * have the one that they had. Who calls another program has another name, nearly always. */
static void read_new_commands(struct process_source *s, struct sample *into)
{
	for (size_t i = 0; i < into->n_processes; i++) {
		struct process_counters *p = &into->processes[i];
		const struct process_counters *was = NULL;

		if (s->n_before)
			was = bsearch(p, s->before, s->n_before, sizeof(*p), by_pid);
		if (was && was->start_ticks == p->start_ticks && !strcmp(was->name, p->name))
			memcpy(p->command, was->command, sizeof(p->command));
		else
			process_read_command(s->roots.proc, p);
	}
}

static void remember(struct process_source *s, const struct sample *into)
{
	size_t n = into->n_processes;

	s->n_before = n;
	if (!n)
		return;
	s->before = mem_grow(s->before, &s->before_room, n, sizeof(*s->before));
	memcpy(s->before, into->processes, n * sizeof(*s->before));
}

/* Its script runs below it and waits for its answers, so that it is no leaf when it asks. */
static bool is_debconf(const char *name)
{
	return word_find(word_debconf, name, strlen(name)) >= 0;
}

/* What each sleeping leaf waits for, and debconf. A child that ended and is not yet waited for is
 * none. */
static void read_waits(struct process_source *s, struct sample *into)
{
	const struct process_counters *items = into->processes;
	size_t n = into->n_processes;

	for (size_t i = 0; i < n; i++) {
		struct process_counters *parent;

		if (items[i].state == 'Z')
			continue;
		parent = bsearch(&(struct process_counters){.pid = items[i].parent}, items, n,
		                 sizeof(*items), by_pid);
		if (parent)
			parent->waits = 'c'; /* it has a child; until the end of this function */
	}
	for (size_t i = 0; i < n; i++) {
		struct process_counters *p = &into->processes[i];

		if (p->waits == 'c' && !is_debconf(p->name))
			p->waits = '?';
		else if (p->state == 'S')
			process_read_waits(s->roots.proc, p);
	}
}

/* Adds those left running to the tree, which is tidy. */
static void read_left(struct process_source *s, struct sample *into)
{
	size_t n_tree = into->n_processes;

	if (left_add(&s->left, into))
		fill_all(s, n_tree, into);
	left_settle(&s->left, &s->roots, n_tree, into);
	for (size_t i = n_tree; i < into->n_processes; i++) {
		read_io(s, into, &into->processes[i]);
		process_read_command(s->roots.proc, &into->processes[i]);
	}
	qsort(into->processes, into->n_processes, sizeof(*into->processes), by_pid);
}

static int process_read(void *self, const struct target *target, struct sample *into)
{
	struct process_source *s = self;
	/* Walking all processes takes long enough for someone to end nearly every time. */
	int tries = s->lineage ? 1 : TRIES;
	bool whole = false;
	int r = target->pid > 0 ? 0 : -ESRCH;

	left_begin(&s->left, target);
	while (!r && !whole && tries-- > 0)
		r = read_tree(s, target->pid, into, &whole);
	/* A pid that was used again is not the target. */
	if (!r &&
	    (!into->processes[0].state || into->processes[0].start_ticks != target->start_ticks))
		r = -ESRCH;
	if (r) {
		into->n_processes = 0;
		return r;
	}
	tidy(s, into);
	if (into->kind != SAMPLE_FULL)
		read_new_commands(s, into);
	remember(s, into);
	read_waits(s, into);
	read_left(s, into);
	return 0;
}

const struct source_ops source_process = {
	.name = "process",
	.group = GROUP_PROCESSES,
	.size = sizeof(struct process_source),
	.open = process_open,
	.read = process_read,
	.close = process_close,
};
