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
	/* The kernel's process names end at 15 characters. */
	static const char *const builders[] = {"update-initramf", "mkinitramfs", "dracut"};

	if (is_script(command, ret)) {
		ret->role = ROLE_SCRIPT;
		return true;
	}
	for (size_t i = 0; i < sizeof(builders) / sizeof(builders[0]); i++) {
		/* Hooks ask for the version, and build nothing. */
		if (strcmp(name, builders[i]) != 0 || strstr(command, " --version") ||
		    strstr(command, " --help"))
			continue;
		ret->role = ROLE_INITRAMFS;
		whole_name(name, command, ret->script, sizeof(ret->script));
		return true;
	}
	if (word_find(tools, name, strlen(name)) >= 0) {
		ret->role = ROLE_STEP;
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
