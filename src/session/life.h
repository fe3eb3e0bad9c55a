/* life.h - the processes that matter, from their start to their end.
 *
 * The probe tells of each as it happens. Without it, and for what it lost, starts are seen when a
 * sample first shows the process; ends by pidfd, where the kernel has it, else when a sample no
 * longer shows it. */
#ifndef DPKGTOP_LIFE_H
#define DPKGTOP_LIFE_H

#include "dpkgtop/event.h"
#include "dpkgtop/loop.h"
#include "dpkgtop/probe.h"
#include "dpkgtop/source.h"

#define LIFE_ROOM 64
#define GONE_ROOM 32

struct life_process {
	int32_t pid, parent;
	int32_t above; /* the nearest above it that mattered when it began, 0 none */
	uint64_t start_ticks;
	enum role role;
	char package[96], script[24];
	/* update-initramfs, until what builds begins below it: often it only asks for its trigger,
	 * or says its version. Not told of; since when and with what command if it will be. */
	bool silent;
	int64_t begun_ns; /* CLOCK_MONOTONIC, or when a sample showed it first */
	char command[192];
	int fd;      /* pidfd; -1: none */
	bool logged; /* a dpkg whose startup line has come */
	bool due;    /* seen to have ended by life_any_ended() */
	bool ended;  /* told already, but not with what status: its parent had not waited yet */
	int tries;
};

struct life {
	struct loop *loop;
	const struct roots *roots;
	/* Told of each start and end, in order; `e` is not stamped. */
	void (*happened)(void *context, struct event *e);
	/* A pidfd has become readable: life_check() finds the end. */
	void (*ended)(void *context);
	void *context;
	struct life_process items[LIFE_ROOM];
	size_t count;
	/* Whose end the probe told last: a sample may show them alive for a moment. */
	struct {
		int32_t pid;
		uint64_t start_ticks;
	} gone[GONE_ROOM];
	unsigned n_gone;
	/* Whose child each process of the tree was in the last sample that showed them; owned. */
	struct life_link {
		int32_t pid, parent;
	} * links;
	size_t n_links, links_room;
};

void life_init(struct life *l, struct loop *loop, const struct roots *roots,
               void (*happened)(void *, struct event *), void (*ended)(void *), void *context);
/* Forgets all processes without a word. */
void life_clear(struct life *l);
void life_done(struct life *l);

bool life_has(const struct life *l, int32_t pid, uint64_t start_ticks);
/* A process whose role the session knows by itself: the frontend, dpkg. Known already: nothing. */
void life_add(struct life *l, const struct exec_event *exec);
/* As above of one that the probe told: also if it is gone already, for so will be told its end. */
void life_add_told(struct life *l, const struct exec_event *exec);
/* What a process is known as: enum role, -1 if it is not. */
int life_role_of(const struct life *l, int32_t pid, uint64_t start_ticks);
/* A process that is known has become a dpkg by another exec, and is told as that; `logged`: its
 * startup line has come already. */
void life_becomes_dpkg(struct life *l, const struct exec_event *exec, bool logged);

/* Finds scripts, downloaders and initramfs builders that are new in the sample's tree, and ends
 * that no pidfd told. */
void life_sample(struct life *l, const struct sample *s);
/* Whether a pidfd knows of an end that was not told yet. Those are due: what such a process wrote
 * can be read now, and life_check() then tells their ends and no later ones. */
bool life_any_ended(struct life *l);
/* A startup line has come: it is that of the dpkg whose own has not come yet, and one whose has
 * must have ended. Whether any such end is due. */
bool life_startup(struct life *l);
/* The startup line of the dpkg added last had come before it was known. */
void life_started(struct life *l);
/* Tells the ends that are due. An end whose status is not known yet is told at once, and
 * once more with its status if that comes to light within a few calls. */
void life_check(struct life *l);

/* A dpkg that is alive, 0 if there is none. */
int32_t life_dpkg(const struct life *l, uint64_t *ret_start_ticks);

/* The probe's PROBE_EXEC: begins a process if it matters. Parents that executed nothing since are
 * those of the last sample. */
void life_exec(struct life *l, const struct probe_event *e);
/* Whether such a process would be below nothing but the frontend. */
bool life_is_frontends(const struct life *l, const struct probe_event *e);
/* The probe's PROBE_EXIT, of a process that life_has(), or whose status was still wanted. */
void life_exit(struct life *l, const struct probe_event *e);

#endif
