/* screens.h - models filled by hand, as the states that a screen shows. */
#ifndef DPKGTOP_TEST_SCREENS_H
#define DPKGTOP_TEST_SCREENS_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/model.h"
#include "dpkgtop/units.h"
#include "dpkgtop/view.h"

#define SECOND INT64_C(1000000000)
#define MS     INT64_C(1000000)

/* Charges a phase: estimated syncs, disk, CPU and the rest, in ms. */
static inline void screens_charge(struct model *m, enum phase p, int sync, int disk, int cpu,
                                  int other)
{
	struct charge c;

	charge_init(&c);
	c.causes[CAUSE_SYNC_ESTIMATED] = (struct cell){sync * MS, QUALITY_ESTIMATED};
	c.causes[CAUSE_DISK] = (struct cell){disk * MS, QUALITY_SAMPLED};
	c.causes[CAUSE_CPU] = (struct cell){cpu * MS, QUALITY_SAMPLED};
	c.causes[CAUSE_INPUT] = (struct cell){0, QUALITY_SAMPLED};
	c.causes[CAUSE_OTHER] = (struct cell){other * MS, QUALITY_SAMPLED};
	ledger_charge(&m->ledger, p, &c);
}

static inline struct package *screens_package(struct model *m, const char *name)
{
	struct packages *p = &m->packages;
	struct package *k;

	p->items = mem_grow(p->items, &p->room, p->count + 1, sizeof(*p->items));
	k = &p->items[p->count++];
	memset(k, 0, sizeof(*k));
	snprintf(k->name, sizeof(k->name), "%s", name);
	snprintf(k->arch, sizeof(k->arch), "amd64");
	k->busy = N_VERBS;
	k->failure.status = STATUS_UNKNOWN;
	p->current = p->count;
	return k;
}

static inline void screens_process(struct model *m, int depth, const char *command, char state,
                                   double cpu, double written, double read)
{
	struct tree *t = &m->tree;
	struct tree_process *p;

	t->items = mem_grow(t->items, &t->room, t->count + 1, sizeof(*t->items));
	p = &t->items[t->count++];
	memset(p, 0, sizeof(*p));
	p->at.pid = 1000 + (int32_t)t->count;
	p->at.state = state;
	p->at.left = '-';
	snprintf(p->at.command, sizeof(p->at.command), "%s", command);
	p->depth = depth;
	p->cpu = cpu;
	p->written_rate = written;
	p->read_rate = read;
	p->sync_rate = p->in_sync = UNKNOWN_RATE;
	p->in_call = N_SYNC_CALLS;
}

/* 0..1, up and down, in two rhythms. */
static inline double screens_wave(int i)
{
	int slow = i % 34 < 17 ? i % 34 : 34 - i % 34, quick = i % 10 < 5 ? i % 10 : 10 - i % 10;

	return (3 * slow + 2 * quick) / 61.0;
}

static inline void screens_storage(struct model *m)
{
	struct storage *s = &m->storage;

	storage_begin(s, m->facts.disk);
	s->any = true;
	s->rates = (struct disk_rates){
		.reads = 41,
		.writes = 1200,
		.flushes = 312,
		.discards = 0,
		.read_bytes = 1.1e6,
		.written_bytes = 42.1e6,
		.read_ms = 0.38,
		.write_ms = 0.81,
		.flush_ms = 2.9,
		.busy = 0.92,
		.queue = 1.4,
	};
	s->flushes = 9021;
	s->flush_ms = 26100;
	s->memory = (struct memory_counters){8000000, 82000, 12000, 2400000, 1200000};
	for (int i = 0; i < 90; i++) {
		double wave = screens_wave(i);

		ring_push(&s->flush_rate, i == 7 ? UNKNOWN_RATE : 340 * wave);
		ring_push(&s->write_rate, 48e6 * (0.6 * wave + 0.4 * (i % 7) / 6));
		ring_push(&s->dirty_kib, 30000 + 80000 * wave);
		ring_push(&s->writeback_kib, 24000 * wave);
		ring_push(&m->pressure.io_full_ring, 0.5 * wave);
	}
	m->pressure.io_some = 0.41;
	m->pressure.io_full = 0.38;
	m->n_spaces = 2;
	m->spaces[0] = (struct space_counters){"/", 60000000, 12000000};
	m->spaces[1] = (struct space_counters){"/boot", 480000, 210000};
}

static inline void screens_header(struct model *m)
{
	struct storage_event *f = &m->facts;

	snprintf(m->header.version, sizeof(m->header.version), "0.1");
	snprintf(f->disk, sizeof(f->disk), "vda");
	snprintf(f->disk_model, sizeof(f->disk_model), "virtio");
	f->rotational = 1;
	snprintf(f->filesystem, sizeof(f->filesystem), "ext4");
	snprintf(f->mount_point, sizeof(f->mount_point), "/");
	snprintf(f->mount_options, sizeof(f->mount_options), "rw,relatime");
	snprintf(f->write_cache, sizeof(f->write_cache), "write back");
	snprintf(f->stack, sizeof(f->stack), "vda");
	for (int g = 0; g < N_GROUPS; g++)
		m->why[g] = 0;
}

static inline void screens_upgrade(struct model *m)
{
	snprintf(m->upgrade.frontend, sizeof(m->upgrade.frontend), "apt");
	snprintf(m->upgrade.command, sizeof(m->upgrade.command), "apt -y dist-upgrade");
	snprintf(m->mode.mode, sizeof(m->mode.mode), "safe-io");
	snprintf(m->mode.source, sizeof(m->mode.source), "default");
	m->state = MODEL_RUNNING;
	m->begun.mono_ns = m->since_ns = 5000 * SECOND;
	m->now.mono_ns = 5083 * SECOND;
}

/* Unpack and configure in turns, an initramfs build in the end: 83 s. */
static inline void screens_times(struct model *m)
{
	int64_t at = m->begun.mono_ns;

	for (int i = 0; i < 22; i++) {
		enum phase p = i == 0 ? PHASE_READ : i % 3 == 2 ? PHASE_CONFIGURE : PHASE_UNPACK;
		int64_t ns = i == 0 ? 1900 * MS : (1900 + i * 37 % 5 * 400) * MS;

		timeline_add(&m->timeline, p, at, at + ns);
		at += ns;
	}
	timeline_add(&m->timeline, PHASE_TRIGGERS, at, at + 2 * SECOND);
	at += 2 * SECOND;
	timeline_add(&m->timeline, PHASE_INITRAMFS, at, m->now.mono_ns);
	screens_charge(m, PHASE_READ, 0, 800, 1000, 100);
	screens_charge(m, PHASE_UNPACK, 31000, 1200, 8100, 900);
	screens_charge(m, PHASE_CONFIGURE, 2100, 600, 14900, 700);
	screens_charge(m, PHASE_TRIGGERS, 900, 100, 3000, 100);
	screens_charge(m, PHASE_INITRAMFS, 300, 300, 16700, 300);
}

static inline void screens_running(struct model *m)
{
	struct package *k;

	screens_header(m);
	screens_upgrade(m);
	screens_times(m);
	screens_storage(m);
	m->phase.running = m->phase.had_dpkg = true;
	m->phase.dpkgs = 1;
	m->phase.action = PHASE_UNPACK;
	k = screens_package(m, "linux-image-6.12.117");
	k->busy = VERB_UPGRADE;
	snprintf(k->old_version, sizeof(k->old_version), "6.12.110-1");
	snprintf(k->version, sizeof(k->version), "6.12.117-1");
	k->since_ns = m->now.mono_ns - 3200 * MS;
	m->packages.current = 0;
	m->progress.done = 311;
	m->progress.total = 512;
	m->progress.left_ns = 41 * SECOND;
	screens_process(m, 0, "apt -y dist-upgrade", 'S', 0, 0, 0);
	screens_process(m, 1,
	                "/usr/bin/dpkg --status-fd 41 --no-triggers --unpack --auto-deconfigure",
	                'D', 0.12, 38e6, 1.1e6);
	screens_process(m, 2, "dpkg-deb --fsys-tarfile linux-image-6.12.117_amd64.deb", 'R', 0.64,
	                0, 4.2e6);
}

static inline void screens_exact(struct model *m, enum phase p, int package, int database,
                                 int writeback, int others)
{
	int ms = package + database + writeback + others;
	struct charge c;

	charge_init(&c);
	c.causes[CAUSE_PACKAGE_SYNC] = (struct cell){package * MS, QUALITY_EXACT};
	c.causes[CAUSE_DATABASE_SYNC] = (struct cell){database * MS, QUALITY_EXACT};
	c.causes[CAUSE_WRITEBACK] = (struct cell){writeback * MS, QUALITY_EXACT};
	c.causes[CAUSE_OTHER_SYNC] = (struct cell){others * MS, QUALITY_EXACT};
	ledger_charge(&m->ledger, p, &c);
	/* The estimate made way for it. */
	memset(&m->ledger.cells[p][CAUSE_SYNC_ESTIMATED], 0, sizeof(struct cell));
	m->ledger.wall_ns[p] -= ms * MS;
}

static inline void screens_syncs(struct model *m, size_t at, double rate, double in_sync)
{
	m->tree.items[at].sync_rate = rate;
	m->tree.items[at].in_sync = in_sync;
}

/* Each sync counted: dpkg is in one of a moment ago. */
static inline void screens_probe(struct model *m)
{
	struct syncs *s = &m->syncs;

	screens_running(m);
	screens_exact(m, PHASE_READ, 0, 0, 0, 0);
	screens_exact(m, PHASE_UNPACK, 26100, 4000, 900, 0);
	screens_exact(m, PHASE_CONFIGURE, 0, 1200, 0, 900);
	screens_exact(m, PHASE_TRIGGERS, 0, 200, 0, 700);
	screens_exact(m, PHASE_INITRAMFS, 0, 0, 0, 300);
	s->exact = true;
	s->classes[SYNC_PACKAGE] = (struct sync_total){41200, 26100 * MS};
	s->classes[SYNC_DATABASE] = (struct sync_total){8310, 5400 * MS};
	s->classes[SYNC_WRITEBACK] = (struct sync_total){20600, 900 * MS};
	s->classes[SYNC_OTHER] = (struct sync_total){926, 1900 * MS};
	s->rates = (struct sync_rates){312, 2100000, 18 * MS, 61 * MS};
	for (int i = 0; i < 90; i++)
		ring_push(&s->rate_ring, i == 7 ? UNKNOWN_RATE : 340 * screens_wave(i));
	s->writers.sum = (struct sync_total){123, 400 * MS};
	s->writers.n_names = 1;
	s->writers.names[0] =
		(struct writer_total){.name = "systemd-journal", .sum = {120, 390 * MS}};
	screens_syncs(m, 0, 0, 0);
	screens_syncs(m, 1, 309, 0.81);
	screens_syncs(m, 2, 0, 0);
	m->tree.items[1].in_call = SYNC_FSYNC;
	m->tree.io.written_bytes = 1234000000;
	m->tree.io.read_bytes = 345000000;
	s->longest = (struct sync_flight){
		.pid = m->tree.items[1].at.pid,
		.call = SYNC_FSYNC,
		.class = SYNC_PACKAGE,
		.since_ns = m->now.mono_ns - 18 * MS,
		.file = "vmlinuz-6.12.117.dpkg-new",
	};
}

/* And in one that lasts. */
static inline void screens_stuck(struct model *m)
{
	screens_probe(m);
	m->syncs.longest.since_ns = m->now.mono_ns - 30400 * MS;
	m->syncs.longest.call = m->tree.items[1].in_call = SYNC_RANGE_WAIT;
	m->packages.items[0].since_ns = m->now.mono_ns - 31 * SECOND;
	m->syncs.rates = (struct sync_rates){0, UNKNOWN_NS, UNKNOWN_NS, UNKNOWN_NS};
	screens_syncs(m, 1, 0, 1);
	m->tree.items[1].written_rate = m->tree.items[1].cpu = 0;
	m->tree.items[2].at.state = 'S';
	m->tree.items[2].read_rate = m->tree.items[2].cpu = 0;
}

static inline void screens_waiting(struct model *m)
{
	screens_header(m);
	screens_storage(m);
	m->why[GROUP_PROCESSES] = GROUP_NOT_ASKED;
	m->storage.rates.busy = 0.02;
	m->storage.rates.written_bytes = 12000;
	m->storage.rates.writes = 2.5;
	m->storage.rates.reads = m->storage.rates.read_bytes = 0;
	m->storage.rates.read_ms = UNKNOWN_RATE;
	m->storage.rates.flushes = 0.4;
	m->storage.rates.queue = 0;
	m->storage.flushes = 16;
	m->storage.flush_ms = 31;
}

static inline void screens_ended(struct model *m)
{
	screens_running(m);
	m->state = MODEL_ENDED;
	m->ended = m->now;
	m->now.mono_ns += 10 * SECOND;
	m->status = 0;
	m->packages.items[0].busy = N_VERBS;
	m->progress.done = 512;
	m->ledger.trailing_ns = 430 * MS;
}

static inline void screens_failed(struct model *m)
{
	static const char *const names[] = {"dkms", "nvidia-kernel-dkms", "openssh-server"};

	screens_ended(m);
	m->ledger.trailing_ns = UNKNOWN_NS;
	m->status = 100;
	m->progress.done = 509;
	for (int i = 0; i < 3; i++) {
		struct package *k = screens_package(m, names[i]);

		k->failed = true;
		k->state = i ? STATE_UNPACKED : STATE_HALF_CONFIGURED;
		if (!i) {
			snprintf(k->failure.script, sizeof(k->failure.script), "postinst");
			k->failure.status = 11;
		}
	}
	m->packages.failures = 3;
}

/* A log alone, of which nobody knows where it comes from. */
static inline void screens_unknown(struct model *m)
{
	struct charge c;

	m->state = MODEL_RUNNING;
	m->begun.mono_ns = m->since_ns = SECOND;
	m->now.mono_ns = 13 * SECOND;
	m->phase.running = m->phase.had_dpkg = m->phase.log_open = true;
	m->phase.action = PHASE_UNPACK;
	m->progress.done = 7;
	m->why[GROUP_MEMORY] = -EACCES;
	m->why[GROUP_DISKS] = -ENOENT;
	m->why[GROUP_PROCESSES] = -EPERM;
	m->why[GROUP_PRESSURE] = -EOPNOTSUPP;
	m->why[GROUP_SPACE] = -EACCES;
	m->why[GROUP_PROBE] = -EXDEV;
	m->input.kind = INPUT_UNKNOWN;
	charge_init(&c);
	for (int i = 0; i < N_CAUSES; i++)
		c.causes[i].quality = QUALITY_UNKNOWN;
	c.causes[CAUSE_UNKNOWN].ns = 12 * SECOND;
	ledger_charge(&m->ledger, PHASE_UNPACK, &c);
	timeline_add(&m->timeline, PHASE_UNPACK, SECOND, 13 * SECOND);
}

static inline struct step *screens_step(struct model *m, enum role role, const char *tool,
                                        const char *by, int64_t begin_ns, int64_t end_ns)
{
	struct steps *s = &m->steps;
	struct step *step;

	s->items = mem_grow(s->items, &s->room, s->count + 1, sizeof(*s->items));
	step = &s->items[s->count++];
	*step = (struct step){.role = role, .begin_ns = begin_ns, .end_ns = end_ns};
	snprintf(step->tool, sizeof(step->tool), "%s", tool);
	snprintf(step->by, sizeof(step->by), "%s", by);
	s->open += end_ns == UNKNOWN_NS;
	return step;
}

/* The second build of a kernel's upgrade, below LVM and LUKS, in a mode set by a file; and
 * something that the upgrade left behind. */
static inline void screens_steps(struct model *m)
{
	int64_t now;

	screens_running(m);
	now = m->now.mono_ns;
	m->phase.builders = 1;
	screens_step(m, ROLE_INITRAMFS, "mkinitramfs", "linux-image-6.12.117 postinst",
	             now - 40 * SECOND, now - 21800 * MS);
	screens_step(m, ROLE_INITRAMFS, "mkinitramfs", "linux-image-6.12.117 postinst",
	             now - 39 * SECOND, now - 22 * SECOND);
	screens_step(m, ROLE_STEP, "grub-mkconfig", "linux-image-6.12.117 postinst",
	             now - 21 * SECOND, now - 17800 * MS);
	screens_step(m, ROLE_INITRAMFS, "mkinitramfs", "trigger of initramfs-tools",
	             now - 17600 * MS, UNKNOWN_NS);
	snprintf(m->mode.mode, sizeof(m->mode.mode), "unsafe-io");
	snprintf(m->mode.source, sizeof(m->mode.source), "/etc/dpkg/dpkg.cfg.d/docker-apt-speedup");
	snprintf(m->facts.stack, sizeof(m->facts.stack), "dm-1 lvm vg-root, dm-0 luks, vda");
	snprintf(m->facts.write_cache, sizeof(m->facts.write_cache), "write through");
	m->spaces[1].free_kib = 31000;
	screens_process(m, 0, "/usr/sbin/some-daemon --that-forks", 'S', 0, 0, 0);
	m->tree.items[m->tree.count - 1].at.left = 'y';
	m->tree.n_left = 1;
}

/* dpkg's question about a changed configuration file. */
static inline void screens_asking(struct model *m)
{
	screens_running(m);
	m->ledger.cells[PHASE_CONFIGURE][CAUSE_INPUT].ns = 12400 * MS;
	m->ledger.cells[PHASE_CONFIGURE][CAUSE_CPU].ns -= 12400 * MS;
	m->input.kind = INPUT_QUESTION;
	m->input.pid = 1002;
	m->input.since_ns = m->now.mono_ns - 12400 * MS;
	snprintf(m->input.name, sizeof(m->input.name), "dpkg");
	m->phase.action = PHASE_CONFIGURE;
	m->packages.items[0].busy = VERB_CONFIGURE;
	m->tree.count = 2;
	m->tree.items[1].at.state = 'S';
	m->tree.items[1].written_rate = m->tree.items[1].read_rate = m->tree.items[1].cpu = 0;
	m->tree.items[1].at.waits = 'r';
}

/* Watched from its second minute on, in a chroot. */
static inline void screens_late(struct model *m)
{
	struct charge c;

	screens_running(m);
	snprintf(m->upgrade.where, sizeof(m->upgrade.where), "/srv/chroot/sid");
	m->since_ns = m->begun.mono_ns - 41 * SECOND;
	charge_init(&c);
	c.causes[CAUSE_UNKNOWN] = (struct cell){41 * SECOND, QUALITY_UNKNOWN};
	ledger_charge(&m->ledger, PHASE_UNPACK, &c);
	timeline_done(&m->timeline);
	timeline_add(&m->timeline, PHASE_UNPACK, m->since_ns, m->begun.mono_ns);
	timeline_add(&m->timeline, PHASE_CONFIGURE, m->begun.mono_ns,
	             m->begun.mono_ns + 20 * SECOND);
	timeline_add(&m->timeline, PHASE_UNPACK, m->begun.mono_ns + 20 * SECOND, m->now.mono_ns);
}

/* The same a moment after it was found. */
static inline void screens_found(struct model *m)
{
	screens_late(m);
	m->now.mono_ns = m->begun.mono_ns + 3 * SECOND;
}

/* Watched by somebody who is not root. */
static inline void screens_rootless(struct model *m)
{
	screens_running(m);
	m->mode.mode[0] = m->mode.source[0] = '\0';
	m->input.kind = INPUT_UNKNOWN;
	m->why[GROUP_PROBE] = -EACCES;
	for (enum phase p = 0; p < N_PHASES; p++)
		m->ledger.cells[p][CAUSE_INPUT].quality = QUALITY_UNKNOWN;
	for (size_t i = 0; i < m->tree.count; i++) {
		struct tree_process *p = &m->tree.items[i];

		p->at.read_bytes = p->at.written_bytes = UNKNOWN_U64;
		p->read_rate = p->written_rate = UNKNOWN_RATE;
		p->at.waits = '?';
	}
}

/* Counted by the probe, but not all of them could be. */
static inline void screens_bounds(struct model *m)
{
	screens_probe(m);
	m->syncs.exact = false;
	m->syncs.probe = (struct probe_counters){.lost = 7, .missed = 1, .full = 1204, .compat = 2};
	snprintf(m->syncs.probe.lacks, sizeof(m->syncs.probe.lacks), "msync, syncfs");
}

/* One step below: a program built without it, and a kernel that forbids it. */
static inline void screens_nobpf(struct model *m)
{
	screens_running(m);
	for (int g = GROUP_PROBE; g <= GROUP_LATENCIES; g++)
		m->why[g] = g == GROUP_PROBE ? -ENOSYS : GROUP_NOT_ASKED;
}

static inline void screens_lockdown(struct model *m)
{
	screens_nobpf(m);
	m->why[GROUP_PROBE] = -EKEYREJECTED;
}

static inline void screens_choice(struct ui *ui, const char *text, const char *where, bool trusted,
                                  bool current)
{
	struct choice *c = &ui->choices[ui->n_choices++];

	snprintf(c->text, sizeof(c->text), "%s", text);
	snprintf(c->where, sizeof(c->where), "%s", where);
	c->trusted = trusted;
	c->current = current;
}

/* Three upgrades at once. */
static inline void screens_choices(struct ui *ui)
{
	memset(ui, 0, sizeof(*ui));
	screens_choice(ui, "apt -y dist-upgrade", "", true, true);
	screens_choice(ui, "debootstrap sid /srv/chroot/sid", "/srv/chroot/sid", true, false);
	screens_choice(ui, "apt-get install -y --no-install-recommends build-essential",
	               "another mount namespace", false, false);
	ui->picking = true;
	ui->cursor = 1;
}

static const struct screens_state {
	const char *name;
	void (*fill)(struct model *m);
} screens_states[] = {
	{"running", screens_running},   {"waiting", screens_waiting},
	{"ended", screens_ended},       {"failed", screens_failed},
	{"unknown", screens_unknown},   {"asking", screens_asking},
	{"steps", screens_steps},       {"late", screens_late},
	{"rootless", screens_rootless}, {"probe", screens_probe},
	{"stuck", screens_stuck},       {"bounds", screens_bounds},
	{"nobpf", screens_nobpf},       {"lockdown", screens_lockdown},
};

#define N_SCREENS ((int)(sizeof(screens_states) / sizeof(*screens_states)))

#endif
