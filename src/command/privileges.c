/* privileges.c - what dpkgtop keeps of root. */
#include "privileges.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Until Linux 5.19 every bpf(2) wants CAP_BPF where kernel.unprivileged_bpf_disabled is set, as it
 * is in Debian; since then only making maps and programs does (c8644cd0efe7). */
static bool reading_maps_needs_bpf(void)
{
	struct utsname u;
	int major, minor;

	if (uname(&u) < 0 || sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return true;
	return major < 5 || (major == 5 && minor < 19);
}

static bool is_kept(cap_value_t c, enum privileges_for what)
{
	switch (c) {
	case CAP_SYS_PTRACE:      /* io, environ, root, fd, syscall of processes in /proc */
	case CAP_DAC_READ_SEARCH: /* the same of other users', and files below their roots */
		return true;
	case CAP_BPF:
		return reading_maps_needs_bpf();
	case CAP_DAC_OVERRIDE: /* files removed in others' directories, */
		return what != PRIVILEGES_WATCH;
	case CAP_FOWNER: /* in sticky ones too */
		return what == PRIVILEGES_DEMO;
	default:
		return false;
	}
}

static bool has(cap_t set, cap_value_t c, cap_flag_t flag)
{
	cap_flag_value_t value = CAP_CLEAR;

	return cap_get_flag(set, c, flag, &value) == 0 && value == CAP_SET;
}

/* The bounding set is for who may still execute something; without CAP_SETPCAP it can not be
 * changed, and then PR_SET_NO_NEW_PRIVS alone must do. */
static int drop_bound(cap_t now, enum privileges_for what)
{
	int r = 0;

	if (!has(now, CAP_SETPCAP, CAP_EFFECTIVE))
		return 0;
	for (cap_value_t c = 0; c < (cap_value_t)cap_max_bits(); c++)
		if (!is_kept(c, what) && cap_get_bound(c) > 0 && cap_drop_bound(c) < 0)
			r = -errno;
	return r;
}

static int drop_own(cap_t now, enum privileges_for what)
{
	cap_t kept = cap_init();
	int r = 0;

	if (!kept)
		return -ENOMEM;
	for (cap_value_t c = 0; c < (cap_value_t)cap_max_bits(); c++) {
		if (!is_kept(c, what) || !has(now, c, CAP_PERMITTED))
			continue;
		cap_set_flag(kept, CAP_PERMITTED, 1, &c, CAP_SET);
		cap_set_flag(kept, CAP_EFFECTIVE, 1, &c, CAP_SET);
	}
	if (cap_set_proc(kept) < 0)
		r = -errno;
	cap_free(kept);
	return r;
}

/* The first failure, with which step it was. */
static void note(int *ret, int r, const char *step, struct err *e)
{
	if (r < 0 && *ret == 0)
		*ret = err_set(e, r, "%s can not be dropped: %s", step, strerror(-r));
}

int privileges_drop(enum privileges_for what, struct err *e)
{
	cap_t now = cap_get_proc();
	int ret = 0;

	if (!now) {
		note(&ret, -errno, "capabilities", e);
	} else {
		note(&ret, cap_reset_ambient() < 0 ? -errno : 0, "ambient capabilities", e);
		note(&ret, drop_bound(now, what), "the bounding set", e);
		note(&ret, drop_own(now, what), "capabilities", e);
		cap_free(now);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		note(&ret, -errno, "the way to new privileges", e);
	return ret;
}

/* Those that dpkgtop can make use of. */
static const struct {
	cap_value_t value;
	const char *name;
} useful[] = {
	{CAP_SYS_PTRACE, "sys_ptrace"}, {CAP_DAC_READ_SEARCH, "dac_read_search"},
	{CAP_SYS_ADMIN, "sys_admin"},   {CAP_BPF, "bpf"},
	{CAP_PERFMON, "perfmon"},
};
#define N_USEFUL (sizeof(useful) / sizeof(useful[0]))

void privileges_words(char *ret, size_t size)
{
	cap_t now = cap_get_proc();
	bool root = geteuid() == 0, any = false;
	int used = root ? snprintf(ret, size, "root")
	                : snprintf(ret, size, "uid %u", (unsigned)geteuid());

	for (size_t i = 0; now && i < N_USEFUL && used < (int)size; i++) {
		if (has(now, useful[i].value, CAP_EFFECTIVE) == root)
			continue;
		used += snprintf(ret + used, size - (size_t)used, "%s%s",
		                 any    ? ", "
		                 : root ? " without "
		                        : " with ",
		                 useful[i].name);
		any = true;
	}
	if (now)
		cap_free(now);
}
