/* script_path.c - which package's script a command line runs. */
#include "dpkgtop/script_path.h"

#include <stdio.h>
#include <string.h>

#include "dpkgtop/text.h"

#define WORDS_MOST 5

static const char *const names[] = {"preinst", "postinst", "prerm", "postrm", "config"};
#define N_NAMES (sizeof(names) / sizeof(*names))

/* "PACKAGE.postinst", of which the first `len` bytes count; a name alone has no package. */
static bool file_is(const char *file, size_t len, struct script_path *ret)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		size_t script = strlen(names[i]);

		if (len <= script + 1 || file[len - script - 1] != '.' ||
		    memcmp(file + len - script, names[i], script) != 0)
			continue;
		snprintf(ret->package, sizeof(ret->package), "%.*s", (int)(len - script - 1), file);
		ret->package[strcspn(ret->package, ":")] = '\0';
		snprintf(ret->script, sizeof(ret->script), "%s", names[i]);
		return true;
	}
	return false;
}

static bool bare_is(const char *file, struct script_path *ret)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		if (strcmp(file, names[i]) != 0)
			continue;
		ret->package[0] = '\0';
		snprintf(ret->script, sizeof(ret->script), "%s", names[i]);
		return true;
	}
	return false;
}

static bool word_is(const char *word, size_t len, struct script_path *ret)
{
	char path[256];
	char *file, *end;

	if (len >= sizeof(path))
		return false;
	memcpy(path, word, len);
	path[len] = '\0';
	file = strrchr(path, '/');
	if (!file)
		return false;
	*file++ = '\0';
	ret->extracted = false;
	if (text_ends(path, "/info"))
		return file_is(file, strlen(file), ret);
	if (!text_ends(path, "/tmp.ci"))
		return false;
	if (bare_is(file, ret))
		return true;
	end = strrchr(file, '.');
	ret->extracted = true;
	return end && file_is(file, (size_t)(end - file), ret);
}

bool script_path_of(const char *command, struct script_path *ret)
{
	for (int word = 0; word < WORDS_MOST && *command; word++) {
		size_t len = strcspn(command, " ");

		if (word_is(command, len, ret))
			return true;
		command += len;
		command += strspn(command, " ");
	}
	return false;
}
