/* asker.c - for which package somebody is asked. */
#include "asker.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/text.h"

/* As for maintainer scripts: interpreter, its options and debconf's frontend stand before it. */
#define WORDS_MOST 5

/* The length of the package's name in "PACKAGE.postinst" or "PACKAGE:ARCH.config", and in
 * "PACKAGE.config.XXXXXX" as apt-extracttemplates(1) calls it; 0: it is no script. */
static size_t name_length(const char *file, bool temporary)
{
	static const char *const scripts[] = {".config", ".preinst", ".postinst", ".prerm",
	                                      ".postrm"};
	const char *end = temporary ? strrchr(file, '.') : file + strlen(file);

	for (size_t i = 0; end && i < sizeof(scripts) / sizeof(*scripts); i++) {
		size_t len = strlen(scripts[i]), before = (size_t)(end - file);

		if (before > len && !memcmp(end - len, scripts[i], len))
			return strcspn(file, ":") < before ? strcspn(file, ":") : before - len;
	}
	return 0;
}

/* ".../info/PACKAGE.postinst", ".../tmp.ci/PACKAGE.config.XXXXXX" */
static bool package_of_word(const char *word, size_t len, char *ret, size_t size)
{
	char path[256];
	char *file;
	size_t name = 0;

	if (len >= sizeof(path))
		return false;
	memcpy(path, word, len);
	path[len] = '\0';
	file = strrchr(path, '/');
	if (!file)
		return false;
	*file++ = '\0';
	if (text_ends(path, "/info"))
		name = name_length(file, false);
	else if (text_ends(path, "/tmp.ci"))
		name = name_length(file, true);
	if (name)
		snprintf(ret, size, "%.*s", (int)name, file);
	return name > 0;
}

static bool package_of_command(const char *command, char *ret, size_t size)
{
	for (int word = 0; word < WORDS_MOST && *command; word++) {
		size_t len = strcspn(command, " ");

		if (package_of_word(command, len, ret, size))
			return true;
		command += len;
		command += strspn(command, " ");
	}
	return false;
}

static bool package_of_children(const struct tree *t, int32_t pid, char *ret, size_t size)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].at.parent == pid &&
		    package_of_command(t->items[i].at.command, ret, size))
			return true;
	return false;
}

static const struct process_counters *process_of(const struct tree *t, int32_t pid)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].at.pid == pid)
			return &t->items[i].at;
	return NULL;
}

bool asker_package(const struct tree *t, int32_t pid, char *ret, size_t size)
{
	const struct process_counters *p = process_of(t, pid);

	*ret = '\0';
	/* A damaged recording may hold a circle. */
	for (int depth = 0; p && depth < 64; depth++) {
		if (package_of_command(p->command, ret, size))
			return true;
		if (word_find(word_debconf, p->name, strlen(p->name)) >= 0 &&
		    package_of_children(t, p->pid, ret, size))
			return true;
		p = process_of(t, p->parent);
	}
	return false;
}
