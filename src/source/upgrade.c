/* upgrade.c - which upgrades are running, by the locks on dpkg's databases. */
#include "dpkgtop/upgrade.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "holder.h"
#include "locks.h"
#include "log_path.h"
#include "upgrade_memory.h"

/* Anybody may hold locks, under any name: of processes that are not root's, so many are looked
 * at each time. */
#define STRANGERS_MAX 64
/* And so many of their descriptors, of all together. */
#define STRANGERS_DESCRIPTORS_MAX 256

/* Calls after one that asked all, for which their answers stand. */
#define MEMORY_CALLS 4

enum { DATABASE, FRONTEND, N_OWN };
_Static_assert(N_OWN == UPGRADE_OWN_LOCKS, "a memory has room for them");

/* A lock worth a look. */
struct candidate {
	struct held_lock lock;
	int own; /* own_index() */
	bool stranger;
};

struct search {
	const struct roots *roots;
	struct stat own[N_OWN]; /* st_ino 0: not there */
	bool only_own;
	struct candidate *candidates;
	size_t count, room;
	int strangers;
	int budget; /* descriptors of strangers that may still be looked at */
	/* The last that by its name is no frontend: a file server may hold thousands of locks. */
	int32_t other;
	struct upgrade_list *list;
};

struct holder {
	struct process_counters who;
	bool database; /* it holds `lock`; else `lock-frontend` */
	bool own;      /* this machine's */
	bool trusted;
	struct lock_descriptor lock; /* where not own */
};

static char *own_path(const char *admindir, int index)
{
	static const char *const names[N_OWN] = {"lock", "lock-frontend"};
	char *path;

	if (asprintf(&path, "%s/%s", admindir, names[index]) < 0)
		abort();
	return path;
}

/* A database may lack one of the two: lock-frontend came with dpkg 1.19.1. */
static int own_stat(struct search *s, const char *admindir)
{
	bool found = false;
	int r = 0;

	for (int i = 0; i < N_OWN; i++) {
		char *path = own_path(admindir, i);

		if (stat(path, &s->own[i]) == 0) {
			found = true;
		} else {
			s->own[i].st_ino = 0;
			if (!r || errno != ENOENT)
				r = -errno;
		}
		free(path);
	}
	return found ? 0 : r;
}

/* Which of our own lock files it is by inode number alone; -1 none. */
static int own_index(const struct search *s, const struct held_lock *lock)
{
	for (int i = 0; i < N_OWN; i++)
		if (s->own[i].st_ino && s->own[i].st_ino == lock->inode)
			return i;
	return -1;
}

/* Whether it is worth a look: a known name, cheaply asked, and not too many strangers. */
static bool is_worth(struct search *s, int32_t pid, bool *ret_stranger)
{
	char path[16], name[32];
	struct stat st;

	if (pid == s->other)
		return false;
	snprintf(path, sizeof(path), "%" PRId32, pid);
	/* Belongs to the user that it runs as (proc(5)). */
	if (fstatat(s->roots->proc, path, &st, 0) < 0) {
		s->other = pid;
		return false;
	}
	*ret_stranger = st.st_uid != 0;
	if (*ret_stranger && s->strangers >= STRANGERS_MAX) {
		s->list->more = true;
		return false;
	}
	if (*ret_stranger)
		s->strangers++;
	if (holder_name(s->roots, pid, name, sizeof(name)) == 0 && holder_is_frontend(name))
		return true;
	s->other = pid;
	return false;
}

/* Keeps the lock if it is worth a look; one on our own very file always is. */
static void take(const struct held_lock *lock, void *user)
{
	struct search *s = user;
	struct candidate c = {.lock = *lock, .own = own_index(s, lock)};

	if (c.own < 0 && s->only_own)
		return;
	if ((c.own < 0 || lock->device != s->own[c.own].st_dev) &&
	    !is_worth(s, lock->pid, &c.stranger))
		return;
	s->candidates = mem_grow(s->candidates, &s->room, s->count + 1, sizeof(c));
	s->candidates[s->count++] = c;
}

/* Our own locks, where the list of all is too long to be read to its end. */
static void ask_own(struct search *s, const char *admindir)
{
	for (int i = 0; i < N_OWN; i++) {
		char *path = own_path(admindir, i);
		struct held_lock lock;

		if (lock_ask(path, &lock) > 0)
			take(&lock, s);
		free(path);
	}
}

/* lock_find_descriptor(), as far as strangers may still be looked at. */
static int find_descriptor(struct search *s, const struct candidate *c, const char *name,
                           struct lock_descriptor *ret)
{
	int r = lock_find_descriptor(s->roots, &c->lock, name, c->stranger ? &s->budget : NULL,
	                             ret);

	if (!r && c->stranger && s->budget <= 0)
		s->list->more = true;
	return r;
}

/* Whether a lock whose inode number is that of a file of our own is on that very file. The
 * device decides, but need not be that of stat(2) (btrfs); then the descriptor does; then, without
 * root, the holder's name. By the descriptor it is also told that the holder's pid is not another
 * process' by now. */
static bool is_own(struct search *s, const struct candidate *c, const struct process_counters *who)
{
	const struct stat *own = &s->own[c->own];
	bool known = holder_is_frontend(who->name);
	bool same = c->lock.device == own->st_dev;
	struct lock_descriptor d;
	int r;

	if (known && same)
		return true;
	r = find_descriptor(s, c, who->name, &d);
	if (r < 0)
		return known || same;
	return r && d.file.device == own->st_dev && d.file.inode == own->st_ino;
}

static bool log_is_of_root(const struct roots *roots, int32_t dpkg)
{
	struct log_descriptor log;

	return log_find_descriptor(roots, dpkg, &log) != 1 || log.file.owner == 0;
}

static bool identify_own(struct search *s, const struct candidate *c, struct holder *ret)
{
	if (process_identify(s->roots, c->lock.pid, &ret->who) < 0 || !is_own(s, c, &ret->who))
		return false;
	ret->own = true;
	ret->database = c->own == DATABASE;
	ret->trusted = s->own[c->own].st_uid == 0 && holder_is_root(s->roots, c->lock.pid);
	return true;
}

static bool identify_other(struct search *s, const struct candidate *c, struct holder *ret)
{
	int32_t pid = c->lock.pid;

	if (process_identify(s->roots, pid, &ret->who) < 0 ||
	    find_descriptor(s, c, ret->who.name, &ret->lock) != 1)
		return false;
	ret->own = false;
	ret->database = text_ends(ret->lock.path, "/lock");
	ret->trusted = ret->lock.file.inode && ret->lock.file.owner == 0 &&
	               holder_is_root(s->roots, pid) && log_is_of_root(s->roots, pid);
	return true;
}

/* The run whose root process that is, a new one if need be. One that nobody pretends takes the
 * place of one that may be pretended where there is no more room. NULL: left out. */
static struct upgrade_run *add_run(struct upgrade_list *list, const struct process_counters *root,
                                   bool trusted)
{
	struct upgrade_run *run = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (list->runs[i].root == root->pid &&
		    list->runs[i].root_start_ticks == root->start_ticks)
			return &list->runs[i];
	if (list->count < UPGRADES_MAX) {
		run = &list->runs[list->count++];
	} else {
		list->more = true;
		for (size_t i = 0; trusted && i < list->count; i++)
			if (!list->runs[i].trusted)
				run = &list->runs[i];
		if (!run)
			return NULL;
	}
	*run = (struct upgrade_run){
		.root = root->pid,
		.root_start_ticks = root->start_ticks,
		.resident = holder_is_resident(root->name),
		.trusted = true, /* unless a holder is not */
	};
	memcpy(run->frontend, root->name, sizeof(run->frontend));
	memcpy(run->command, root->command, sizeof(run->command));
	return run;
}

static void add_holder(struct search *s, const struct holder *h)
{
	struct process_counters root = holder_climb(s->roots, h->who);
	struct upgrade_run *run = add_run(s->list, &root, h->trusted);
	/* While it reads and downloads, apt holds both. */
	bool dpkg = h->database && !strcmp(h->who.name, "dpkg");

	if (!run)
		return;
	run->trusted &= h->trusted;
	/* debootstrap stays outside while its dpkg works in the new root. */
	if (dpkg || !run->dpkg)
		holder_where(s->roots, h->who.pid, h->own ? NULL : h->lock.path, run->where,
		             sizeof(run->where));
	if (!dpkg)
		return;
	run->dpkg = h->who.pid;
	run->dpkg_start_ticks = h->who.start_ticks;
	memcpy(run->dpkg_command, h->who.command, sizeof(run->dpkg_command));
}

static int by_start(const void *a, const void *b)
{
	const struct upgrade_run *x = a, *y = b;

	if (x->root_start_ticks != y->root_start_ticks)
		return x->root_start_ticks > y->root_start_ticks ? 1 : -1;
	return (x->root > y->root) - (x->root < y->root);
}

static void search_others(struct search *s, bool strangers)
{
	struct holder h;

	for (size_t i = 0; i < s->count; i++) {
		const struct candidate *c = &s->candidates[i];
		const struct stat *own = c->own < 0 ? NULL : &s->own[c->own];

		if (c->stranger != strangers || (own && c->lock.device == own->st_dev))
			continue;
		if (identify_other(s, c, &h) &&
		    (!own || h.lock.file.inode != own->st_ino || h.lock.file.device != own->st_dev))
			add_holder(s, &h);
	}
}

/* Our own come first, so that nothing takes their place; then root's. */
static void search_candidates(struct search *s)
{
	struct holder h;

	for (size_t i = 0; i < s->count; i++)
		if (s->candidates[i].own >= 0 && identify_own(s, &s->candidates[i], &h))
			add_holder(s, &h);
	if (s->only_own)
		return;
	search_others(s, false);
	search_others(s, true);
}

/* What is seen before anybody is asked. */
static void remember(const struct search *s, struct upgrade_memory *ret)
{
	*ret = (struct upgrade_memory){
		.only_own = s->only_own,
		.more = s->list->more,
		.whole = true,
		.left = MEMORY_CALLS,
	};
	for (int i = 0; i < N_OWN; i++)
		upgrade_memory_own(ret, i, &s->own[i]);
	for (size_t i = 0; i < s->count; i++)
		upgrade_memory_add(ret, s->roots, &s->candidates[i].lock,
		                   s->candidates[i].stranger);
}

/* Asks the holders of the locks, unless `m` says that they would say the same as before. */
static void ask(struct search *s, struct upgrade_memory *m, struct upgrade_list *ret)
{
	struct upgrade_memory now;

	if (m) {
		remember(s, &now);
		if (m->left > 0 && upgrade_memory_same(m, &now)) {
			m->left--;
			return;
		}
		*m = now;
	}
	search_candidates(s);
	qsort(s->list->runs, s->list->count, sizeof(*s->list->runs), by_start);
	*ret = *s->list;
}

static int look(struct search *s, const char *admindir)
{
	/* A machine without dpkg may have chroots with it, for root to see. */
	int r = own_stat(s, admindir);

	if (r < 0 && (s->only_own || geteuid() != 0))
		return r;
	r = locks_read(s->roots, take, s);
	if (r > 0) {
		s->list->more = true;
		ask_own(s, admindir);
	}
	return r < 0 ? r : 0;
}

int upgrade_list_again(const struct roots *roots, const char *admindir, bool only_own,
                       struct upgrade_memory *m, struct upgrade_list *list)
{
	struct upgrade_list found = {0};
	struct search s = {
		.roots = roots,
		.only_own = only_own,
		.budget = STRANGERS_DESCRIPTORS_MAX,
		.list = &found,
	};
	int r = look(&s, admindir);

	if (r == 0)
		ask(&s, m, list);
	else if (m)
		m->left = 0;
	free(s.candidates);
	return r;
}

int upgrade_list(const struct roots *roots, const char *admindir, bool only_own,
                 struct upgrade_list *ret)
{
	return upgrade_list_again(roots, admindir, only_own, NULL, ret);
}

int upgrade_where(const struct roots *roots, int32_t pid, char *ret, size_t size)
{
	return holder_where(roots, pid, NULL, ret, size);
}
