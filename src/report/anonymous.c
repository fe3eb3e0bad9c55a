/* anonymous.c - a model without what names the machine or its people. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dpkgtop/report.h"

#define LEFT_OUT "[...]"

/* Directories whose programs everybody has. */
static const char *const common[] = {"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", NULL};

struct scrub {
	const char *host; /* "" unknown */
	char short_host[64];
};

static void scrub_init(struct scrub *s, const char *host)
{
	s->host = host;
	snprintf(s->short_host, sizeof(s->short_host), "%.*s", (int)strcspn(host, "."), host);
}

/* Whether `word` has the host's name as a word of its own. A name like "apt" or "vm" is no secret
 * wherever it stands, but the whole of a host's name is. */
static bool names_host(const struct scrub *s, const char *word)
{
	size_t len = strlen(s->short_host);

	if (!len)
		return false;
	for (const char *at = word; (at = strcasestr(at, s->short_host)); at++) {
		bool begins = at == word || !isalnum((unsigned char)at[-1]);

		if (begins && !isalnum((unsigned char)at[len]))
			return true;
	}
	return false;
}

static bool is_common(const char *word)
{
	for (int i = 0; common[i]; i++) {
		size_t len = strlen(common[i]);

		if (strncmp(word, common[i], len) == 0 && word[len] && !strchr(word + len, '/'))
			return true;
	}
	return false;
}

/* A numeric address, as in "addr=192.0.2.7", "[2001:db8::1]:3142" or "fe80::1%eth0", in quotes or
 * with a comma behind it or not. */
static bool is_address(const char *word)
{
	size_t len;
	int dots = 0, colons = 0;

	word += strspn(word, "\"'(<{");
	len = strspn(word, "0123456789abcdefABCDEF.:[]");
	for (size_t i = 0; i < len; i++) {
		dots += word[i] == '.';
		colons += word[i] == ':';
	}
	if (word[len] != '%' && word[len + strspn(word + len, "\"')>},;!?")])
		return false;
	return colons >= 2 || (dots == 3 && strcspn(word, "abcdefABCDEF") >= len);
}

/* A path, a URL, a mail address, a file in the present directory, the host. */
static bool is_private(const struct scrub *s, const char *word)
{
	size_t len = strlen(word);

	if (is_common(word))
		return false;
	if (*word == '~' || strpbrk(word, "/@\\") || is_address(word) || names_host(s, word))
		return true;
	return len > 4 && strcmp(word + len - 4, ".deb") == 0;
}

/* One word: "--root=/srv/x" keeps what stands before its value. */
static void scrub_word(const struct scrub *s, const char *word, char *to, size_t size)
{
	const char *value = strrchr(word, '=');

	/* The last "=" may lie within a path or a URL: what is before it must be clean too. */
	while (value) {
		char before[256];

		snprintf(before, sizeof(before), "%.*s", (int)(value - word), word);
		if (!is_private(s, before))
			break;
		value = memrchr(word, '=', (size_t)(value - word));
	}
	value = value ? value + 1 : word;
	if (is_private(s, value))
		snprintf(to, size, "%.*s%s", (int)(value - word), word, LEFT_OUT);
	else
		snprintf(to, size, "%s", word);
}

/* Each word of `text`, words being parted by the characters `parts`. */
static void scrub_text(const struct scrub *s, char *text, size_t size, const char *parts)
{
	char from[512], word[256], clean[256];
	size_t used = 0;

	snprintf(from, sizeof(from), "%s", text);
	for (const char *at = from; *at && used < size - 1;) {
		size_t gap = strspn(at, parts), len = strcspn(at + gap, parts);

		snprintf(word, sizeof(word), "%.*s", (int)len, at + gap);
		scrub_word(s, word, clean, sizeof(clean));
		used += (size_t)snprintf(text + used, size - used, "%.*s%s", (int)gap, at,
		                         len ? clean : "");
		at += gap + len;
	}
	text[used < size ? used : size - 1] = '\0';
}

static void scrub_left(const struct scrub *s, struct left *l)
{
	for (size_t i = 0; i < l->count; i++) {
		scrub_text(s, l->items[i].name, sizeof(l->items[i].name), " ");
		scrub_text(s, l->items[i].command, sizeof(l->items[i].command), " ");
	}
}

void report_anonymize(struct model *m)
{
	char host[sizeof(m->header.host)];
	struct scrub s;

	memcpy(host, m->header.host, sizeof(host));
	scrub_init(&s, host);
	memset(m->header.host, 0, sizeof(m->header.host));
	scrub_text(&s, m->header.label, sizeof(m->header.label), " ");
	scrub_text(&s, m->header.kernel, sizeof(m->header.kernel), " ");
	scrub_text(&s, m->upgrade.frontend, sizeof(m->upgrade.frontend), " ");
	scrub_text(&s, m->upgrade.command, sizeof(m->upgrade.command), " ");
	if (*m->upgrade.where)
		snprintf(m->upgrade.where, sizeof(m->upgrade.where), LEFT_OUT);
	scrub_text(&s, m->mode.source, sizeof(m->mode.source), " ");
	scrub_text(&s, m->facts.mount_point, sizeof(m->facts.mount_point), " ");
	scrub_text(&s, m->facts.mount_options, sizeof(m->facts.mount_options), ",");
	scrub_text(&s, m->facts.stack, sizeof(m->facts.stack), " ,");
	scrub_left(&s, &m->left);
	for (size_t i = 0; i < m->steps.count; i++)
		scrub_text(&s, m->steps.items[i].by, sizeof(m->steps.items[i].by), " ");
	for (size_t i = 0; i < m->n_spaces; i++)
		memset(m->spaces[i].path, 0, sizeof(m->spaces[i].path));
}
