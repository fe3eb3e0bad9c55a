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

#include "dpkgtop/hist.h"
#include "dpkgtop/sync.h"

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

/* The parts of a sample; each comes from one source, the last five all from the probe. */
enum group {
	GROUP_MEMORY,
	GROUP_PRESSURE,
	GROUP_DISKS,
	GROUP_SPACE,
	GROUP_PROCESSES,
	GROUP_LOG,
	GROUP_PROBE,
	GROUP_SYNCS,
	GROUP_FLIGHTS,
	GROUP_WRITERS,
	GROUP_LATENCIES, /* full samples only: it is large */
	N_GROUPS
};

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
	uint64_t total_kib, free_kib; /* free: as df(1) says, without what is reserved */
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

/* How well dpkg.log can be read; its lines are events. */
struct log_counters {
	uint64_t skipped; /* lines that are none of dpkg's, or too long */
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
	 * a sleeping leaf is, and debconf). */
	char waits;
	/* 'y': it was in the tree and its parent ended; still runs, below another. Else '-'. */
	char left;
};

/* How far the numbers of the probe can be trusted; all cumulative since it was attached. */
struct probe_counters {
	uint64_t lost;   /* exec, exit and slow-sync events that found the ring full */
	uint64_t missed; /* sync calls of the tree not counted at all: too many in flight, or seen
	                  * by halves */
	uint64_t full;   /* counted in the latencies, but not for their process: too many of them */
	uint64_t compat; /* 32-bit programs in the tree: their sync calls are not seen, so that
	                  * counts are lower bounds from the first one on */
	uint64_t outside; /* sync calls of others than the tree that were not counted: too many of
	                   * them at once, so that what is told of writers is a lower bound */
	/* Since the tree is watched: when at least one of its threads was in a sync call, up to
	 * now; UNKNOWN_NS in older recordings. */
	int64_t sync_ns;
	/* Likewise; UNKNOWN_NS before Linux 5.10 or where it can not be had. What
	 * runs now is counted up to the scheduler's last tick (1 to 10 ms), what is blocked now up
	 * to now. */
	int64_t cpu_ns;     /* of all processes that were of it, and all their threads */
	int64_t blocked_ns; /* of their threads, added up: in D state outside of sync calls */
	char lacks[64];     /* calls this kernel has no tracepoints for: "msync, syncfs"; "" none */
};

/* The sync calls of one kind that one process of the tree made on files of one class. It is gone
 * from the samples after that with its final values, once the process has ended. */
struct sync_counters {
	int32_t pid;
	uint64_t start_ticks;
	enum sync_call call;
	enum sync_class class;
	uint64_t count;     /* calls that returned */
	uint64_t open;      /* calls in flight */
	int64_t total_ns;   /* in them, the elapsed part of those in flight included */
	int64_t longest_ns; /* of those that returned */
};

/* A sync call of the tree that has not returned. Of several that threads of one process are in,
 * alike in call and class, the one that began last. */
struct sync_flight {
	int32_t pid;
	uint64_t start_ticks;
	enum sync_call call;
	enum sync_class class;
	int64_t since_ns; /* CLOCK_MONOTONIC */
	char file[64];    /* last part of its name, printable; a long one has "…" before its end;
	                   * "" where the call has no file */
};

/* Sync calls of one process that is not of the tree. Kept as long as sync_counters are. */
struct sync_writer {
	int32_t pid; /* 0: all those that the viewer's pid namespace does not know */
	uint64_t start_ticks;
	char name[32]; /* comm, printable */
	uint64_t count;
	int64_t total_ns, longest_ns; /* of calls that returned */
};

/* All calls of one kind on one class that returned since the tree is watched. */
struct sync_latency {
	enum sync_call call;
	enum sync_class class;
	uint64_t count;
	int64_t total_ns, longest_ns;
	struct hist hist;
};

#define SPACES_MAX    4
#define LATENCIES_MAX (N_SYNC_CALLS * N_SYNC_CLASSES)

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
	struct log_counters log;
	struct probe_counters probe;
	struct sync_counters *syncs; /* owned, as all that follow */
	size_t n_syncs, syncs_room;
	struct sync_flight *flights;
	size_t n_flights, flights_room;
	struct sync_writer *writers;
	size_t n_writers, writers_room;
	struct sync_latency *latencies;
	size_t n_latencies, latencies_room;
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
struct sync_counters *sample_add_sync(struct sample *s);
struct sync_flight *sample_add_flight(struct sample *s);
struct sync_writer *sample_add_writer(struct sample *s);
/* The last one again beyond LATENCIES_MAX, or SPACES_MAX. */
struct sync_latency *sample_add_latency(struct sample *s);
struct space_counters *sample_add_space(struct sample *s);
/* Leaves out all disks but that one. */
void sample_keep_disk(struct sample *s, const char *name);
/* NULL if it is not there. */
const struct disk_counters *sample_disk(const struct sample *s, const char *name);
const struct process_counters *sample_process(const struct sample *s, int32_t pid);

#endif
