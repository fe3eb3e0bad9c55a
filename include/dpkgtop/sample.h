/* sample.h - what was observed at one instant, as the kernel said it.
 *
 * Counters are cumulative; nothing here is a rate or a difference. A counter that is not known
 * (an older kernel, no permission) is UNKNOWN_U64, never 0. A whole group that could not be read
 * has its reason in why[]. */
#ifndef DPKGTOP_SAMPLE_H
#define DPKGTOP_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The three clocks at one instant, ns. boot_ns - mono_ns grows by the time spent suspended. */
struct stamp {
	int64_t mono_ns; /* CLOCK_MONOTONIC: all durations are differences of this one */
	int64_t boot_ns; /* CLOCK_BOOTTIME */
	int64_t real_ns; /* CLOCK_REALTIME, for people */
};

enum sample_kind {
	SAMPLE_FULL,     /* every group; once a second */
	SAMPLE_THIN,     /* the tree's state, between full ones */
	SAMPLE_BOUNDARY, /* taken just before an event that moves the phase */
	N_SAMPLE_KINDS
};

/* The parts of a sample; each comes from one source. */
enum group { GROUP_MEMORY, GROUP_PRESSURE, GROUP_DISKS, GROUP_SPACE, GROUP_PROCESSES, N_GROUPS };

/* why[group]: 0 = present; GROUP_NOT_ASKED = not part of this sample; else -errno. */
#define GROUP_NOT_ASKED 1

/* /proc/meminfo and /proc/vmstat, KiB (proc(5); Documentation/admin-guide/sysctl/vm.rst). */
struct memory_counters {
	uint64_t total_kib;
	uint64_t dirty_kib;
	uint64_t writeback_kib;
	uint64_t dirty_limit_kib;      /* writers are throttled here (nr_dirty_threshold) */
	uint64_t background_limit_kib; /* the kernel starts writing here */
};

/* /proc/pressure/{io,cpu,memory}, total stall time in µs (Documentation/accounting/psi.rst). */
struct pressure_counters {
	uint64_t io_some_us, io_full_us;
	uint64_t cpu_some_us;
	uint64_t memory_some_us, memory_full_us;
};

/* Room on a filesystem of the upgraded root (statvfs(3)); /, /usr, /var and /boot where they are
 * filesystems of their own. */
struct space_counters {
	char path[32];                /* "/boot", as seen inside that root */
	uint64_t total_kib, free_kib; /* free: for root */
};

/* One line of /proc/diskstats (Documentation/admin-guide/iostats.rst). Sectors are 512 bytes. */
struct disk_counters {
	char name[32];
	uint32_t major, minor;
	uint64_t reads, reads_merged, read_sectors, read_ms;
	uint64_t writes, writes_merged, written_sectors, write_ms;
	uint64_t in_flight; /* a gauge */
	uint64_t busy_ms, queue_ms;
	uint64_t discards, discards_merged, discarded_sectors, discard_ms; /* since Linux 4.18 */
	uint64_t flushes, flush_ms;                                        /* since Linux 5.5 */
};

/* One process of the watched tree (proc(5): stat, io, cmdline). */
struct process_counters {
	int32_t pid, parent;
	uint64_t start_ticks;  /* since boot; with pid the name of a process */
	char state;            /* R S D Z T … */
	char name[32];         /* comm, printable */
	char command[192];     /* command line, words separated by spaces, printable, cut */
	int64_t cpu_ns;        /* own user + system time */
	int64_t reaped_cpu_ns; /* that of children waited for */
	uint64_t read_bytes, written_bytes; /* from and to storage; reaped children included */
	/* What it sleeps in: 'r' read(2) of a terminal, 'p' poll(2) or select(2) with a terminal
	 * as standard input, '-' something else, '?' not known (no root, or not looked at: only
	 * a sleeping leaf is). */
	char waits;
	/* 'y': it was in the tree and its parent ended; still runs, below another. Else '-'. */
	char left;
};

#define SPACES_MAX 4

struct sample {
	struct stamp at;
	enum sample_kind kind;
	int why[N_GROUPS];
	struct memory_counters memory;
	struct pressure_counters pressure;
	struct space_counters spaces[SPACES_MAX];
	size_t n_spaces;
	struct disk_counters *disks; /* owned; n_disks used of disks_room */
	size_t n_disks, disks_room;
	struct process_counters *processes; /* owned; by rising pid */
	size_t n_processes, processes_room;
};

/* An empty sample: no group asked for. Takes no memory. */
void sample_init(struct sample *s);
/* Empties it but keeps its memory for the next tick. */
void sample_clear(struct sample *s);
void sample_done(struct sample *s);
/* A deep copy; `to` must be initialised. */
void sample_copy(struct sample *to, const struct sample *from);
bool sample_equal(const struct sample *a, const struct sample *b);

bool sample_has(const struct sample *s, enum group g);
/* A zeroed new last item; valid until the next is added. */
struct disk_counters *sample_add_disk(struct sample *s);
struct process_counters *sample_add_process(struct sample *s);
/* The last one again beyond SPACES_MAX. */
struct space_counters *sample_add_space(struct sample *s);
/* NULL if it is not there. */
const struct disk_counters *sample_disk(const struct sample *s, const char *name);
const struct process_counters *sample_process(const struct sample *s, int32_t pid);

#endif
