/* software.c - which dpkg and apt a root has, by dpkg's database. */
#include "dpkgtop/software.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/text.h"

#define STATUS_MAX (16 << 20)

/* Where in the file we are: of a stanza only these fields matter, and they come in any order. */
struct stanza {
	char *wanted; /* where its version belongs; NULL: another package */
	bool installed;
	char version[64];
};

static const char *value_of(const char *line, const char *key)
{
	return text_starts(line, key) ? line + strlen(key) : NULL;
}

static void take_line(struct stanza *s, const char *line, struct software_event *ret)
{
	const char *value;

	if ((value = value_of(line, "Package: "))) {
		if (strcmp(value, "dpkg") == 0)
			s->wanted = ret->dpkg;
		else if (strcmp(value, "apt") == 0)
			s->wanted = ret->apt;
	} else if ((value = value_of(line, "Version: "))) {
		text_printable_string(s->version, sizeof(s->version), value);
	} else if ((value = value_of(line, "Status: "))) {
		s->installed =
			!text_ends(value, " not-installed") && !text_ends(value, " config-files");
	}
}

static void end_stanza(struct stanza *s)
{
	if (s->wanted && s->installed)
		memcpy(s->wanted, s->version, sizeof(s->version));
	memset(s, 0, sizeof(*s));
}

static void scan(FILE *in, struct software_event *ret)
{
	struct stanza s = {0};
	char line[512];
	bool begins = true; /* a line; no field that matters is longer than the room */

	for (size_t done = 0; done < STATUS_MAX && fgets(line, sizeof(line), in);) {
		size_t len = strlen(line);
		bool ends = len && line[len - 1] == '\n';

		/* Behind a NUL byte may be as much as there is room for. */
		done += ends ? len : sizeof(line) - 1;
		if (ends)
			line[len - 1] = '\0';
		if (begins && ends && len == 1)
			end_stanza(&s);
		else if (begins && ends)
			take_line(&s, line, ret);
		begins = ends;
		if (*ret->dpkg && *ret->apt)
			return;
	}
	end_stanza(&s);
}

int software_find(const struct place *place, const char *path, struct software_event *ret)
{
	int fd = place_open(place, path, NULL);
	FILE *in;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return fd;
	in = fdopen(fd, "r");
	if (!in) {
		r = -errno;
		close(fd);
		return r;
	}
	scan(in, ret);
	if (ferror(in))
		r = -EIO;
	fclose(in);
	if (r < 0)
		memset(ret, 0, sizeof(*ret));
	return r;
}
