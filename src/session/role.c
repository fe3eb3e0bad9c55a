/* role.c - what a process is to the upgrade, by its name and its command line. */
#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/text.h"
#include "role.h"

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
