/* asker.c - for which package somebody is asked. */
#include "asker.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/script_path.h"

static bool package_of_command(const char *command, char *ret, size_t size)
{
	struct script_path path;

	if (!script_path_of(command, &path) || !*path.package)
		return false;
	snprintf(ret, size, "%s", path.package);
	return true;
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
