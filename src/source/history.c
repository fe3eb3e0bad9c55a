/* history.c - how much there is to do, by what apt announced or dpkg was told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/text.h"
#include "dpkgtop/upgrade.h"

/* The file grows for a month before it is rotated; the lists of a release upgrade take some
 * 300 KB. */
#define TAIL_MAX (4 << 20)

struct tail {
	char *text; /* terminated; the caller frees it */
	size_t len;
	bool cut; /* it begins in the middle of the file */
};

static bool line_starts(const char *line, size_t len, const char *part)
{
	return len >= strlen(part) && !memcmp(line, part, strlen(part));
}

/* "a:amd64 (1, automatic), b:amd64 (1, 2)": no name and no version holds a bracket. */
static uint64_t count_packages(const char *line, size_t len)
{
	const char *end = line + len, *at = line;
	uint64_t count = 0;

	while ((at = memmem(at, (size_t)(end - at), " (", 2))) {
		count++;
		at += 2;
	}
	return count;
}

/* Adds what the line lists; whether it is a list. The names are those that apt's dpkgpm.cc
 * writes. */
static bool plan_add_line(struct plan_event *plan, const char *line, size_t len)
{
	static const char *const unpacked[] = {
		"Install: ", "Reinstall: ", "Upgrade: ", "Downgrade: "};

	for (size_t i = 0; i < sizeof(unpacked) / sizeof(*unpacked); i++) {
		if (line_starts(line, len, unpacked[i])) {
			uint64_t count = count_packages(line, len);

			plan->unpacks += count;
			plan->configures += count;
			return true;
		}
	}
	if (!line_starts(line, len, "Remove: ") && !line_starts(line, len, "Purge: "))
		return false;
	plan->removes += count_packages(line, len);
	return true;
}

/* Only the last stanza can be under way: an unfinished one before it is of a run that was
 * killed. A last line without its end is still being written. */
static int plan_of_tail(const struct tail *t, struct plan_event *ret)
{
	const char *line = t->text, *end = t->text + t->len, *newline;
	struct plan_event plan = {0};
	bool open = false, lists = false;

	if (t->cut) {
		line = memchr(t->text, '\n', t->len);
		if (!line)
			return -ENODATA;
		line++;
	}
	for (; line < end; line = newline + 1) {
		size_t len;

		newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			return -ENODATA;
		len = (size_t)(newline - line);
		if (line_starts(line, len, "Start-Date:")) {
			plan = (struct plan_event){0};
			open = true;
			lists = false;
		} else if (line_starts(line, len, "End-Date:")) {
			open = false;
		} else if (open && plan_add_line(&plan, line, len)) {
			lists = true;
		}
	}
	/* apt configuring what an earlier run left lists nothing: that is unknown, not 0. */
	if (!open || !lists)
		return -ENODATA;
	*ret = plan;
	return 0;
}

int upgrade_plan(const struct place *place, const char *path, struct plan_event *ret)
{
	struct tail t = {0};
	int r;

	r = place_read_end(place, path, TAIL_MAX, &t.text, &t.len, &t.cut);
	if (r < 0)
		return r;
	r = plan_of_tail(&t, ret);
	free(t.text);
	return r;
}

struct command {
	bool unpack, install, recursive, operands;
	uint64_t archives;
};

/* Short options may be joined, as in "-iE"; what stands behind D is its number (dpkg(1)). */
static void command_add_short(struct command *c, const char *letters)
{
	for (; *letters && *letters != 'D'; letters++) {
		c->install |= *letters == 'i';
		c->recursive |= *letters == 'R';
	}
}

static void command_add(struct command *c, const char *word)
{
	if (c->operands || word[0] != '-')
		c->archives += text_ends(word, ".deb");
	else if (!strcmp(word, "--"))
		c->operands = true;
	else if (!strcmp(word, "--install"))
		c->install = true;
	else if (!strcmp(word, "--unpack"))
		c->unpack = true;
	else if (!strcmp(word, "--recursive"))
		c->recursive = true;
	else if (word[1] != '-')
		command_add_short(c, word + 1);
}

int upgrade_plan_of_command(const char *cmdline, size_t len, struct plan_event *ret)
{
	struct command c = {0};
	char *words = mem_new(len + 1, 1);

	if (len)
		memcpy(words, cmdline, len);
	for (size_t i = strlen(words) + 1; i < len; i += strlen(words + i) + 1)
		command_add(&c, words + i);
	free(words);
	/* Other actions on archives (--record-avail) unpack nothing; what a directory holds is not
	 * in the command. */
	if (!c.archives || c.recursive || (!c.unpack && !c.install))
		return -ENODATA;
	*ret = (struct plan_event){
		.unpacks = c.archives,
		.configures = c.install ? c.archives : 0,
		.removes = 0,
	};
	return 0;
}
