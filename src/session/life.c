/* life.c - the processes that matter, from their start to their end. */
#include "life.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/field.h"
#include "dpkgtop/text.h"
#include "pidfd.h"

/* A parent that is so long in waiting for its child never will. */
#define STATUS_TRIES 8

void life_init(struct life *l, struct loop *loop, const struct roots *roots,
               void (*happened)(void *, struct event *), void (*ended)(void *), void *context)
{
	memset(l, 0, sizeof(*l));
	l->loop = loop;
	l->roots = roots;
	l->happened = happened;
	l->ended = ended;
	l->context = context;
}

static void drop(struct life *l, size_t at)
{
	if (l->items[at].fd >= 0) {
		loop_forget(l->loop, l->items[at].fd);
		close(l->items[at].fd);
	}
	/* Order is kept: a script stands behind the one that it is nested in. */
	l->count--;
	memmove(&l->items[at], &l->items[at + 1], (l->count - at) * sizeof(*l->items));
}

void life_clear(struct life *l)
{
	while (l->count)
		drop(l, l->count - 1);
}

static const struct life_process *find(const struct life *l, int32_t pid)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->items[i].pid == pid && !l->items[i].ended)
			return &l->items[i];
	return NULL;
}

bool life_has(const struct life *l, int32_t pid, uint64_t start_ticks)
{
	const struct life_process *p = find(l, pid);

	return p && p->start_ticks == start_ticks;
}

static void readable(void *context, int fd, unsigned events)
{
	struct life *l = context;

	(void)fd, (void)events;
	l->ended(l->context);
}

void life_add(struct life *l, const struct exec_event *exec)
{
	struct event e = {.kind = EVENT_EXEC, .exec = *exec};
	struct life_process *p;
	int fd;

	if (l->count == LIFE_ROOM || life_has(l, exec->pid, exec->start_ticks))
		return;
	/* Gone while it was looked at: its end would be told with the next one's lines. */
	fd = pidfd_of(exec->pid);
	if (fd == -ESRCH)
		return;
	p = &l->items[l->count++];
	*p = (struct life_process){
		.pid = exec->pid,
		.parent = exec->parent,
		.start_ticks = exec->start_ticks,
		.role = exec->role,
		.fd = fd < 0 ? -1 : fd,
	};
	snprintf(p->package, sizeof(p->package), "%s", exec->package);
	snprintf(p->script, sizeof(p->script), "%s", exec->script);
	if (p->fd >= 0)
		loop_watch(l->loop, p->fd, readable, l);
	l->happened(l->context, &e);
}

/* Some parents take their time, and some kernels tell nothing after them: a zombie is asked first.
 * `again`: once is enough. */
static int32_t status_of(const struct life *l, const struct life_process *p, bool again)
{
	int32_t status;
	int wait_status;

	if (p->fd < 0)
		return STATUS_UNKNOWN;
	status = pidfd_wait_status(p->fd, 1);
	if (status == STATUS_UNKNOWN &&
	    process_zombie_status(l->roots, p->pid, p->start_ticks, &wait_status) == 0)
		status = pidfd_shell_status(wait_status);
	return status == STATUS_UNKNOWN && !again ? pidfd_wait_status(p->fd, 10) : status;
}

static void tell_end(struct life *l, size_t at)
{
	struct life_process *p = &l->items[at];
	struct event e = {.kind = EVENT_EXIT};
	bool again = p->ended;

	e.exit = (struct exit_event){
		.pid = p->pid,
		.start_ticks = p->start_ticks,
		.role = p->role,
		.status = status_of(l, p, again),
	};
	if (p->fd >= 0 && e.exit.status == STATUS_UNKNOWN && ++p->tries < STATUS_TRIES) {
		/* It stays readable, and nothing is to be learned by looking all the time. */
		if (!again)
			loop_forget(l->loop, p->fd);
		p->ended = true;
	} else {
		drop(l, at);
	}
	if (!again || e.exit.status != STATUS_UNKNOWN)
		l->happened(l->context, &e);
}

bool life_any_ended(struct life *l)
{
	bool any = false;

	for (size_t i = 0; i < l->count; i++) {
		struct life_process *p = &l->items[i];

		p->due = p->fd >= 0 && pidfd_ended(p->fd);
		any = any || (p->due && !p->ended);
	}
	return any;
}

bool life_startup(struct life *l)
{
	bool any = false, own = false;

	for (size_t i = 0; i < l->count; i++) {
		struct life_process *p = &l->items[i];

		p->due = false;
		if (p->role != ROLE_DPKG || own)
			continue;
		if (p->logged && p->fd >= 0)
			any |= p->due = pidfd_ended(p->fd);
		else
			own = p->logged = true;
	}
	return any;
}

void life_started(struct life *l)
{
	if (l->count && l->items[l->count - 1].role == ROLE_DPKG)
		l->items[l->count - 1].logged = true;
}

void life_check(struct life *l)
{
	/* Backwards: children end before their parents. */
	for (size_t i = l->count; i > 0; i--)
		if (i <= l->count && l->items[i - 1].due)
			tell_end(l, i - 1);
}

/* ".../info/PACKAGE.postinst" or ".../tmp.ci/preinst": lib/dpkg/dpkg.h CONTROLDIRTMP. */
static bool script_word(const char *word, size_t len, struct exec_event *ret)
{
	static const char *const names[] = {"preinst", "postinst", "prerm", "postrm"};
	char path[256];
	const char *file;

	if (len >= sizeof(path))
		return false;
	memcpy(path, word, len);
	path[len] = '\0';
	file = strrchr(path, '/');
	if (!file)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(file + 1, names[i]) == 0 && file - path >= 7 &&
		    strncmp(file - 7, "/tmp.ci", 7) == 0) {
			ret->package[0] = '\0';
		} else if (file - path >= 5 && strncmp(file - 5, "/info", 5) == 0 &&
		           text_ends(file, names[i]) &&
		           file[strlen(file) - strlen(names[i]) - 1] == '.') {
			snprintf(ret->package, sizeof(ret->package), "%.*s",
			         (int)(strlen(file) - strlen(names[i]) - 2), file + 1);
			ret->package[strcspn(ret->package, ":")] = '\0';
		} else {
			continue;
		}
		snprintf(ret->script, sizeof(ret->script), "%s", names[i]);
		return true;
	}
	return false;
}

/* The script is the first word, or follows its interpreter and that one's options, or debconf's
 * frontend: it is among the first few. */
static bool is_script(const char *command, struct exec_event *ret)
{
	for (int word = 0; word < 5 && *command; word++) {
		size_t len = strcspn(command, " ");

		if (script_word(command, len, ret))
			return true;
		command += len;
		command += strspn(command, " ");
	}
	return false;
}

/* Tools that take long enough to be named, by the 15 characters that the kernel keeps. */
static const char *const tools[] = {
	"apt-listchanges", "depmod",          "dkms",
	"fc-cache",        "fmtutil",         "glib-compile-sc",
	"grub-install",    "grub-mkconfig",   "gtk-update-icon",
	"ldconfig",        "ldconfig.real",   "mandb",
	"mktexlsr",        "needrestart",     "os-prober",
	"systemd-hwdb",    "update-ca-certi", "update-grub",
	"update-mime-dat", "updmap",          NULL,
};

/* The whole name of a program of which the kernel keeps 15 characters, as its command has it. */
static void whole_name(const struct process_counters *p, char *ret, size_t size)
{
	const char *at = strlen(p->name) == 15 ? p->command : "";

	snprintf(ret, size, "%.15s", p->name);
	while ((at = strstr(at, p->name))) {
		if (at == p->command || at[-1] == '/') {
			snprintf(ret, size, "%.*s", (int)strcspn(at, " "), at);
			return;
		}
		at++;
	}
}

bool life_role(const struct process_counters *p, bool by_apt, struct exec_event *ret)
{
	/* The kernel's process names end at 15 characters. */
	static const char *const builders[] = {"update-initramf", "mkinitramfs", "dracut"};

	if (is_script(p->command, ret)) {
		ret->role = ROLE_SCRIPT;
		return true;
	}
	for (size_t i = 0; i < sizeof(builders) / sizeof(builders[0]); i++) {
		if (strcmp(p->name, builders[i]) != 0)
			continue;
		ret->role = ROLE_INITRAMFS;
		whole_name(p, ret->script, sizeof(ret->script));
		return true;
	}
	if (word_find(tools, p->name, strlen(p->name)) >= 0) {
		ret->role = ROLE_STEP;
		whole_name(p, ret->script, sizeof(ret->script));
		return true;
	}
	if (by_apt && strstr(p->command, "/apt/methods/")) {
		ret->role = ROLE_METHOD;
		return true;
	}
	return false;
}

/* Whether a process above `p` in the tree is what `exec` says already: debconf's frontend runs
 * the same script below itself, update-initramfs runs mkinitramfs. */
static bool nested(const struct life *l, const struct sample *s, const struct process_counters *p,
                   const struct exec_event *exec)
{
	for (int depth = 0; p && depth < 64; depth++) {
		const struct life_process *above = find(l, p->parent);

		if (above && above->role == exec->role &&
		    (exec->role == ROLE_INITRAMFS || (strcmp(above->package, exec->package) == 0 &&
		                                      strcmp(above->script, exec->script) == 0)))
			return true;
		p = sample_process(s, p->parent);
	}
	return false;
}

/* Whose script a tool works for: "PACKAGE postinst". */
static void tell_origin(const struct life *l, const struct sample *s,
                        const struct process_counters *p, struct exec_event *exec)
{
	for (int depth = 0; p && depth < 64; depth++) {
		const struct life_process *above = find(l, p->parent);

		if (above && above->role == ROLE_SCRIPT && *above->package) {
			snprintf(exec->package, sizeof(exec->package), "%.71s %s", above->package,
			         above->script);
			return;
		}
		p = sample_process(s, p->parent);
	}
}

static bool is_frontend(const struct life *l, int32_t pid)
{
	const struct life_process *p = find(l, pid);

	return p && p->role == ROLE_FRONTEND;
}

static void look_for_ends(struct life *l, const struct sample *s)
{
	for (size_t i = l->count; i > 0; i--) {
		const struct life_process *p = &l->items[i - 1];
		const struct process_counters *now = sample_process(s, p->pid);

		if (p->fd < 0 && !p->ended && (!now || now->start_ticks != p->start_ticks))
			tell_end(l, i - 1);
	}
}

int32_t life_dpkg(const struct life *l, uint64_t *ret_start_ticks)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->items[i].role != ROLE_DPKG || l->items[i].ended)
			continue;
		*ret_start_ticks = l->items[i].start_ticks;
		return l->items[i].pid;
	}
	return 0;
}

void life_sample(struct life *l, const struct sample *s)
{
	if (!sample_has(s, GROUP_PROCESSES))
		return;
	look_for_ends(l, s);
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_counters *p = &s->processes[i];
		struct exec_event exec = {0};

		if (p->state == 'Z' || life_has(l, p->pid, p->start_ticks) ||
		    !life_role(p, is_frontend(l, p->parent), &exec) || nested(l, s, p, &exec))
			continue;
		if (exec.role == ROLE_INITRAMFS || exec.role == ROLE_STEP)
			tell_origin(l, s, p, &exec);
		exec.pid = p->pid;
		exec.parent = p->parent;
		exec.start_ticks = p->start_ticks;
		snprintf(exec.command, sizeof(exec.command), "%s", p->command);
		life_add(l, &exec);
	}
}
