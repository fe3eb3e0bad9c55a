/* word.c - the words that enums have in data. */
#include <string.h>

#include "dpkgtop/field.h"

const char *const word_sample_kind[] = {
	[SAMPLE_FULL] = "full",
	[SAMPLE_THIN] = "thin",
	[SAMPLE_BOUNDARY] = "boundary",
	[N_SAMPLE_KINDS] = NULL,
};

const char *const word_group[] = {
	[GROUP_MEMORY] = "memory",   [GROUP_PRESSURE] = "pressure",   [GROUP_DISKS] = "disks",
	[GROUP_SPACE] = "space",     [GROUP_PROCESSES] = "processes", [GROUP_LOG] = "log",
	[GROUP_PROBE] = "probe",     [GROUP_SYNCS] = "syncs",         [GROUP_FLIGHTS] = "flights",
	[GROUP_WRITERS] = "writers", [GROUP_LATENCIES] = "latencies", [N_GROUPS] = NULL,
};

const char *const word_sync_call[] = {
	[SYNC_FSYNC] = "fsync",
	[SYNC_FDATASYNC] = "fdatasync",
	[SYNC_RANGE_WAIT] = "range-wait",
	[SYNC_RANGE_WRITE] = "range-write",
	[SYNC_RANGE_OTHER] = "range-other",
	[SYNC_SYNCFS] = "syncfs",
	[SYNC_SYNC] = "sync",
	[SYNC_MSYNC] = "msync",
	[N_SYNC_CALLS] = NULL,
};

const char *const word_sync_class[] = {
	[SYNC_PACKAGE] = "package", [SYNC_DATABASE] = "database", [SYNC_WRITEBACK] = "writeback",
	[SYNC_OTHER] = "other",     [N_SYNC_CLASSES] = NULL,
};

const char *const word_event_kind[] = {
	[EVENT_UPGRADE] = "upgrade",   [EVENT_PLAN] = "plan",       [EVENT_PACKAGE] = "package",
	[EVENT_EXEC] = "exec",         [EVENT_EXIT] = "exit",       [EVENT_SLOW] = "slow",
	[EVENT_MODE] = "mode",         [EVENT_STORAGE] = "storage", [EVENT_DEVICE] = "device",
	[EVENT_TRAILING] = "trailing", [EVENT_END] = "end",         [EVENT_SOFTWARE] = "software",
	[EVENT_USAGE] = "usage",       [EVENT_OWN] = "own",         [N_EVENT_KINDS] = NULL,
};

const char *const word_role[] = {
	[ROLE_FRONTEND] = "frontend",
	[ROLE_METHOD] = "method",
	[ROLE_DPKG] = "dpkg",
	[ROLE_SCRIPT] = "script",
	[ROLE_INITRAMFS] = "initramfs",
	[ROLE_STEP] = "step",
	[N_ROLES] = NULL,
};

const char *const word_verb[] = {
	[VERB_STARTUP] = "startup",
	[VERB_INSTALL] = "install",
	[VERB_UPGRADE] = "upgrade",
	[VERB_CONFIGURE] = "configure",
	[VERB_TRIGPROC] = "trigproc",
	[VERB_REMOVE] = "remove",
	[VERB_PURGE] = "purge",
	[VERB_DISAPPEAR] = "disappear",
	[VERB_STATUS] = "status",
	[VERB_CONFFILE] = "conffile",
	[N_VERBS] = NULL,
};

const char *const word_state[] = {
	[STATE_NONE] = "",
	[STATE_NOT_INSTALLED] = "not-installed",
	[STATE_CONFIG_FILES] = "config-files",
	[STATE_HALF_INSTALLED] = "half-installed",
	[STATE_UNPACKED] = "unpacked",
	[STATE_HALF_CONFIGURED] = "half-configured",
	[STATE_TRIGGERS_AWAITED] = "triggers-awaited",
	[STATE_TRIGGERS_PENDING] = "triggers-pending",
	[STATE_INSTALLED] = "installed",
	[N_STATES] = NULL,
};

const char *const word_debconf[] = {"frontend", "dpkg-preconfigu", "dpkg-reconfigur", "debconf",
                                    NULL};

int word_find(const char *const *words, const char *word, size_t len)
{
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
			return i;
	return -1;
}
