/* event.h - something that happened at one instant. */
#ifndef DPKGTOP_EVENT_H
#define DPKGTOP_EVENT_H

#include "dpkgtop/sample.h"

enum event_kind {
	EVENT_UPGRADE,  /* an upgrade is watched from here on */
	EVENT_PLAN,     /* how much there is to do */
	EVENT_PACKAGE,  /* a line of dpkg.log */
	EVENT_EXEC,     /* a process that matters started */
	EVENT_EXIT,     /* and ended */
	EVENT_SLOW,     /* a sync call that took 100 ms or more returned */
	EVENT_MODE,     /* the sync mode of a dpkg */
	EVENT_STORAGE,  /* what lies below the upgraded root */
	EVENT_DEVICE,   /* a disk came or went */
	EVENT_TRAILING, /* the timed sync after the command's end */
	EVENT_END,      /* the upgrade is over */
	EVENT_SOFTWARE, /* what upgrades: just before EVENT_UPGRADE */
	EVENT_USAGE,    /* the CPU time of the command that dpkgtop ran */
	EVENT_OWN,      /* what watching cost; after EVENT_END */
	N_EVENT_KINDS
};

/* The processes that move a phase or are worth a line of their own. */
enum role {
	ROLE_FRONTEND,  /* apt, apt-get, … */
	ROLE_METHOD,    /* apt's downloader */
	ROLE_DPKG,      /* the dpkg that holds the lock */
	ROLE_SCRIPT,    /* a maintainer script */
	ROLE_INITRAMFS, /* update-initramfs, mkinitramfs, dracut */
	ROLE_STEP, /* another heavy tool that is named inside its phase: dkms, grub-mkconfig … */
	N_ROLES
};

/* Verbs of dpkg.log (dpkg(1) --log; lib/dpkg/log.c, src/main/{unpack,configure,trigproc}.c). */
enum package_verb {
	VERB_STARTUP,
	VERB_INSTALL,
	VERB_UPGRADE,
	VERB_CONFIGURE,
	VERB_TRIGPROC,
	VERB_REMOVE,
	VERB_PURGE,
	VERB_DISAPPEAR,
	VERB_STATUS,
	VERB_CONFFILE,
	N_VERBS
};

/* Package states, as dpkg.log's status lines name them (dpkg(1), "Package states"). */
enum package_state {
	STATE_NONE, /* the line is no status line */
	STATE_NOT_INSTALLED,
	STATE_CONFIG_FILES,
	STATE_HALF_INSTALLED,
	STATE_UNPACKED,
	STATE_HALF_CONFIGURED,
	STATE_TRIGGERS_AWAITED,
	STATE_TRIGGERS_PENDING,
	STATE_INSTALLED,
	N_STATES
};

struct upgrade_event {
	int32_t pid;          /* its root process; 0 unknown (a log alone) */
	uint64_t start_ticks; /* of that process */
	char frontend[32];    /* "apt-get", "dpkg" */
	char command[192];
	int64_t since_ns; /* CLOCK_MONOTONIC when that process started; UNKNOWN_NS */
	char where[128];  /* the root directory: "" this machine's own */
};

struct plan_event {
	uint64_t unpacks, configures, removes; /* UNKNOWN_U64 where unknown */
};

struct package_event {
	enum package_verb verb;
	enum package_state state;
	char name[96], arch[16]; /* "" in a startup or conffile line */
	char version[96];        /* installed before, or of the status; "" if <none> */
	char target[96];         /* to become, or available; "" if <none> */
	int64_t ago_ns;          /* it happened so long before `at`: we came late. 0: at `at` */
	char detail[128];        /* startup: "archives unpack"; conffile: "/etc/x keep" */
};

struct exec_event {
	int32_t pid, parent;
	uint64_t start_ticks;
	int64_t ago_ns; /* it started so long before `at`. 0: at `at` */
	enum role role;
	char command[192];
	char package[96]; /* role script: whose, "" unknown */
	char script[24];  /* role script: "postinst"; initramfs, step: the tool */
};

struct exit_event {
	int32_t pid;
	uint64_t start_ticks;
	enum role role;
	int64_t ago_ns; /* it ended so long before `at`. 0: at `at` */
	int32_t status; /* as shells say it: 0–255, 128 + signal; STATUS_UNKNOWN */
};

#define STATUS_UNKNOWN (-1)

struct slow_event {
	int32_t pid;
	uint64_t start_ticks;
	enum sync_call call;
	enum sync_class class;
	int64_t took_ns; /* it returned ago_ns before `at` */
	int64_t ago_ns;
	char file[64]; /* as in struct sync_flight */
};

struct mode_event {
	char mode[16];    /* "safe-io" "unsafe-io" "eatmydata"; "" unknown */
	char source[160]; /* where it was set; "" unknown */
};

/* Facts of the filesystem that is upgraded, and of what it lies on. "" where unknown. */
struct storage_event {
	char disk[32];        /* the disk whose counters are watched, as in diskstats */
	char disk_model[64];  /* "virtio" or the device's own word */
	int32_t rotational;   /* 1, 0, or -1 unknown */
	char write_cache[32]; /* "write back" | "write through" (queue/write_cache) */
	char filesystem[32];
	char mount_point[128];
	char mount_options[256];
	char stack[256]; /* from the filesystem down: "dm-1 lvm vg-root, dm-0 luks, nvme0n1" */
};

struct device_event {
	char disk[32];
	char action[16]; /* "add" "remove" "change" */
	char model[64];
};

struct trailing_event {
	int64_t sync_ns;
};

struct end_event {
	int32_t status;   /* of the upgrade's root process; STATUS_UNKNOWN */
	int32_t resident; /* 1: its frontend lives on; it was over with its last dpkg. 0 */
};

/* Versions, as dpkg's database has them in the root that the upgrade's dpkg is of. "" unknown. */
struct software_event {
	char dpkg[64], apt[64];
};

/* Of the command and all children that were waited for in it, as wait4(2) tells. */
struct usage_event {
	int64_t user_ns, sys_ns;
};

/* Of dpkgtop's own process. */
struct own_event {
	int64_t cpu_ns;   /* user and system, since the upgrade is watched */
	uint64_t rss_kib; /* the most memory it ever had */
};

struct event {
	struct stamp at;
	enum event_kind kind;
	union {
		struct upgrade_event upgrade;
		struct plan_event plan;
		struct package_event package;
		struct exec_event exec;
		struct exit_event exit;
		struct slow_event slow;
		struct mode_event mode;
		struct storage_event storage;
		struct device_event device;
		struct trailing_event trailing;
		struct end_event end;
		struct software_event software;
		struct usage_event usage;
		struct own_event own;
	};
};

/* Whether the tool that a package's trigger runs is an initramfs builder's. */
bool event_is_initramfs_package(const char *name);

/* When it happened, CLOCK_MONOTONIC: at.mono_ns, or before it if it was learned late. */
int64_t event_time(const struct event *e);

bool event_equal(const struct event *a, const struct event *b);

#endif
