/* role.c - what a process is to the upgrade, by its name and its command line. */
#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/script_path.h"
#include "role.h"

/* A maintainer script; what asks a package's questions before has no role. */
static bool is_script(const char *command, struct exec_event *ret)
{
	struct script_path path;

	if (!script_path_of(command, &path) || path.extracted || !strcmp(path.script, "config"))
		return false;
	snprintf(ret->package, sizeof(ret->package), "%s", path.package);
	snprintf(ret->script, sizeof(ret->script), "%s", path.script);
	return true;
}

/* The kernel's names end at 15 characters. */
const struct probe_name role_names[] = {
	{"dpkg", true},
	/* Builders of an initramfs, */
	{"update-initramf", true},
	{"mkinitramfs", true},
	{"dracut", true},
	/* and tools that take long enough to be named. */
	{"apt-listchanges", false},
	{"depmod", false},
	{"dkms", false},
	{"fc-cache", false},
	{"fmtutil", false},
	{"glib-compile-sc", false},
	{"grub-install", false},
	{"grub-mkconfig", false},
	{"gtk-update-icon", false},
	{"ldconfig", false},
	{"ldconfig.real", false},
	{"mandb", false},
	{"mktexlsr", false},
	{"needrestart", false},
	{"os-prober", false},
	{"systemd-hwdb", false},
	{"update-ca-certi", false},
	{"update-grub", false},
	{"update-mime-dat", false},
	{"updmap", false},
	{NULL, false},
};
#define FIRST_BUILDER 1
#define FIRST_TOOL    4

/* Its place among them, or -1. */
static int name_place(const char *name)
{
	for (int i = 0; role_names[i].comm; i++)
		if (strcmp(role_names[i].comm, name) == 0)
			return i;
	return -1;
}

/* Hooks ask a builder for its version, and build nothing. */
static bool only_answers(const char *command)
{
	return strstr(command, " --version") || strstr(command, " --help");
}

/* The whole name of a program of which the kernel keeps 15 characters, as its command has it. */
static void whole_name(const char *name, const char *command, char *ret, size_t size)
{
	const char *at = strlen(name) == 15 ? command : "";

	snprintf(ret, size, "%.15s", name);
	while ((at = strstr(at, name))) {
		if (at == command || at[-1] == '/') {
			snprintf(ret, size, "%.*s", (int)strcspn(at, " "), at);
			return;
		}
		at++;
	}
}

bool role_of(const char *name, const char *command, bool by_apt, struct exec_event *ret)
{
	int place = name_place(name);

	if (is_script(command, ret)) {
		ret->role = ROLE_SCRIPT;
		return true;
	}
	if (place >= FIRST_TOOL || (place >= FIRST_BUILDER && !only_answers(command))) {
		ret->role = place >= FIRST_TOOL ? ROLE_STEP : ROLE_INITRAMFS;
		whole_name(name, command, ret->script, sizeof(ret->script));
		return true;
	}
	if (by_apt && strstr(command, "/apt/methods/")) {
		ret->role = ROLE_METHOD;
		return true;
	}
	return false;
}

bool role_is_dpkg_at_work(const char *name, const char *command)
{
	static const char *const actions[] = {
		"-i",       "--install", "--unpack", "--configure",     "-r",
		"--remove", "-P",        "--purge",  "--triggers-only", NULL};

	if (strcmp(name, "dpkg") != 0)
		return false;
	while (*command) {
		size_t len = strcspn(command, " ");

		if (word_find(actions, command, len) >= 0)
			return true;
		command += len;
		command += strspn(command, " ");
	}
	return false;
}
