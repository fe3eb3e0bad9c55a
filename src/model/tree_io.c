/* tree_io.c - what the upgrade's processes have read and written, each byte once. */
#include "dpkgtop/tree_io.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/units.h"

/* Parents of parents; a damaged recording may hold a circle. */
#define DEPTH_MAX 64

void tree_io_init(struct tree_io *io)
{
	memset(io, 0, sizeof(*io));
	io->read_bytes = io->written_bytes = UNKNOWN_U64;
}

void tree_io_done(struct tree_io *io)
{
	free(io->items);
	free(io->last);
	tree_io_init(io);
}

void tree_io_clear(struct tree_io *io)
{
	io->count = 0;
	io->sum = (struct tree_io_bytes){0, 0};
	io->read_bytes = io->written_bytes = UNKNOWN_U64;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a < UNKNOWN_U64 - 1 - b ? a + b : UNKNOWN_U64 - 1;
}

static void add_bytes(struct tree_io_bytes *to, const struct tree_io_bytes *from)
{
	to->read = add(to->read, from->read);
	to->written = add(to->written, from->written);
}

static int by_pid(const void *a, const void *b)
{
	const struct tree_io_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct tree_io_process *find(const struct tree_io_process *items, size_t count, int32_t pid)
{
	const struct tree_io_process key = {.pid = pid};

	return count ? bsearch(&key, items, count, sizeof(key), by_pid) : NULL;
}

static const struct process_counters *still_there(const struct sample *s,
                                                  const struct tree_io_process *p)
{
	const struct process_counters *now = sample_process(s, p->pid);

	return now && now->start_ticks == p->start_ticks ? now : NULL;
}

/* Who has waited for `p`, or for the one who did: the nearest of those above that lives. */
static struct tree_io_process *heir_of(struct tree_io *io, const struct sample *s,
                                       const struct tree_io_process *p)
{
	for (int depth = 0; p && depth < DEPTH_MAX; depth++) {
		struct tree_io_process *above = find(io->last, io->n_last, p->parent);

		if (above && still_there(s, above))
			return above;
		p = above;
	}
	return NULL;
}

/* What those that ended had done is in their parents' counters now, and was counted before. */
static void settle_ended(struct tree_io *io, const struct sample *s)
{
	for (size_t i = 0; i < io->n_last; i++) {
		const struct tree_io_process *p = &io->last[i];
		struct tree_io_process *heir;

		if (still_there(s, p))
			continue;
		heir = heir_of(io, s, p);
		if (heir)
			add_bytes(&heir->arrived, &p->seen);
	}
}

static uint64_t grown(uint64_t before, uint64_t arrived, uint64_t now)
{
	before = add(before, arrived);
	/* Less: a child that nobody waited for has not arrived. */
	return now > before ? now - before : 0;
}

/* Whether its bytes are known. */
static bool add_process(struct tree_io *io, const struct process_counters *p, uint64_t since_ticks)
{
	const struct tree_io_process *before = find(io->last, io->n_last, p->pid);
	bool known = p->read_bytes != UNKNOWN_U64 && p->written_bytes != UNKNOWN_U64;
	struct tree_io_process *now;

	if (before && before->start_ticks != p->start_ticks)
		before = NULL;
	io->items = mem_grow(io->items, &io->room, io->count + 1, sizeof(*io->items));
	now = &io->items[io->count++];
	memset(now, 0, sizeof(*now));
	now->pid = p->pid;
	now->parent = p->parent;
	now->start_ticks = p->start_ticks;
	if (before) {
		now->known = before->known;
		now->seen = before->seen;
		now->arrived = before->arrived;
	}
	if (!known)
		return false;
	if (now->known || p->start_ticks >= since_ticks) {
		now->grown.read = grown(now->seen.read, now->arrived.read, p->read_bytes);
		now->grown.written =
			grown(now->seen.written, now->arrived.written, p->written_bytes);
		now->rated =
			p->read_bytes >= now->seen.read && p->written_bytes >= now->seen.written;
		add_bytes(&io->sum, &now->grown);
	}
	now->known = true;
	now->seen = (struct tree_io_bytes){p->read_bytes, p->written_bytes};
	now->arrived = (struct tree_io_bytes){0, 0};
	return true;
}

static void turn_over(struct tree_io *io)
{
	struct tree_io_process *items = io->items;
	size_t room = io->room;

	io->items = io->last;
	io->room = io->last_room;
	io->last = items;
	io->last_room = room;
	io->n_last = io->count;
	io->count = 0;
}

void tree_io_sample(struct tree_io *io, const struct sample *s, uint64_t since_ticks)
{
	bool known = true;

	io->read_bytes = io->written_bytes = UNKNOWN_U64;
	if (!sample_has(s, GROUP_PROCESSES))
		return;
	turn_over(io);
	settle_ended(io, s);
	for (size_t i = 0; i < s->n_processes; i++)
		if (s->processes[i].left != 'y')
			known &= add_process(io, &s->processes[i], since_ticks);
	if (!known || io->count == 0)
		return;
	io->read_bytes = io->sum.read;
	io->written_bytes = io->sum.written;
}

bool tree_io_grown(const struct tree_io *io, const struct process_counters *p,
                   struct tree_io_bytes *ret)
{
	const struct tree_io_process *at = find(io->items, io->count, p->pid);

	if (!at || at->start_ticks != p->start_ticks || !at->rated)
		return false;
	*ret = at->grown;
	return true;
}
