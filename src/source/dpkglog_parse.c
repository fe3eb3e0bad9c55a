/* dpkglog_parse.c - one line of dpkg.log. */
#include <errno.h>
#include <string.h>

#include "dpkgtop/dpkglog.h"
#include "dpkgtop/field.h"
#include "dpkgtop/text.h"

/* No line of dpkg's has more than these behind its verb. */
#define WORDS_MAX 3

struct word {
	const char *at;
	size_t len;
};

static bool stamp_matches(const char *line, size_t len)
{
	static const char form[] = "dddd-dd-dd dd:dd:dd ";

	if (len < sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		bool digit = line[i] >= '0' && line[i] <= '9';

		if (form[i] == 'd' ? !digit : line[i] != form[i])
			return false;
	}
	return true;
}

/* Length of the first word. "<none>" may be translated into several words (Basque "<bat ere ez>",
 * Occitan "<pas cap>" in dpkg's catalogues), so a bracket goes on until it is closed; 0 if it never
 * is. */
static size_t word_length(const char *text, size_t len)
{
	const char *space;

	if (len && text[0] == '<') {
		for (size_t i = 1; i < len; i++)
			if (text[i] == '>' && (i + 1 == len || text[i + 1] == ' '))
				return i + 1;
		return 0;
	}
	space = memchr(text, ' ', len);
	return space ? (size_t)(space - text) : len;
}

/* Splits at single spaces into exactly `want` words, none of them empty. */
static bool words_split(struct word text, struct word *ret, size_t want)
{
	for (size_t i = 0; i < want; i++) {
		size_t len = word_length(text.at, text.len);
		bool last = i + 1 == want;

		if (!len || (len == text.len) != last)
			return false;
		ret[i] = (struct word){text.at, len};
		if (!last)
			text = (struct word){text.at + len + 1, text.len - len - 1};
	}
	return true;
}

static bool set_package(struct package_event *p, struct word w)
{
	const char *colon = memchr(w.at, ':', w.len);
	size_t name = colon ? (size_t)(colon - w.at) : w.len;

	if (!name || name + 1 == w.len)
		return false;
	text_printable(p->name, sizeof(p->name), w.at, name);
	if (colon)
		text_printable(p->arch, sizeof(p->arch), colon + 1, w.len - name - 1);
	return true;
}

static void set_version(char *dst, size_t size, struct word w)
{
	if (w.len >= 2 && w.at[0] == '<' && w.at[w.len - 1] == '>')
		return;
	text_printable(dst, size, w.at, w.len);
}

static bool parse_startup(struct word rest, struct package_event *p)
{
	struct word words[2];

	if (!words_split(rest, words, 2))
		return false;
	text_printable(p->detail, sizeof(p->detail), rest.at, rest.len);
	return true;
}

static bool parse_status(struct word rest, struct package_event *p)
{
	struct word words[WORDS_MAX];
	int state;

	if (!words_split(rest, words, 3))
		return false;
	state = word_find(word_state, words[0].at, words[0].len);
	if (state <= STATE_NONE || !set_package(p, words[1]))
		return false;
	p->state = (enum package_state)state;
	set_version(p->version, sizeof(p->version), words[2]);
	return true;
}

static bool parse_action(struct word rest, struct package_event *p)
{
	struct word words[WORDS_MAX];

	if (!words_split(rest, words, 3) || !set_package(p, words[0]))
		return false;
	set_version(p->version, sizeof(p->version), words[1]);
	set_version(p->target, sizeof(p->target), words[2]);
	return true;
}

/* The file name may hold spaces: the decision is the last word, and stays when the name is cut. */
static bool parse_conffile(struct word rest, struct package_event *p)
{
	const char *space = memrchr(rest.at, ' ', rest.len);
	struct word decision;
	size_t used;

	if (!space || space == rest.at)
		return false;
	decision.at = space;
	decision.len = rest.len - (size_t)(space - rest.at);
	if (!(decision.len == 8 && !memcmp(decision.at, " install", 8)) &&
	    !(decision.len == 5 && !memcmp(decision.at, " keep", 5)))
		return false;
	used = text_printable(p->detail, sizeof(p->detail) - decision.len, rest.at,
	                      rest.len - decision.len);
	text_printable(p->detail + used, sizeof(p->detail) - used, decision.at, decision.len);
	return true;
}

int dpkglog_parse_line(const char *line, size_t len, struct event *ret)
{
	static bool (*const parse[N_VERBS])(struct word, struct package_event *) = {
		[VERB_STARTUP] = parse_startup, [VERB_INSTALL] = parse_action,
		[VERB_UPGRADE] = parse_action,  [VERB_CONFIGURE] = parse_action,
		[VERB_TRIGPROC] = parse_action, [VERB_REMOVE] = parse_action,
		[VERB_PURGE] = parse_action,    [VERB_DISAPPEAR] = parse_action,
		[VERB_STATUS] = parse_status,   [VERB_CONFFILE] = parse_conffile,
	};
	const size_t stamp = strlen("2026-11-30 13:29:00 ");
	struct package_event p = {.state = STATE_NONE};
	struct word rest;
	size_t word;
	int verb;

	if (len && line[len - 1] == '\r')
		len--;
	/* A crash can leave a run of NUL bytes in a log; dpkg writes none. */
	if (!stamp_matches(line, len) || memchr(line, 0, len))
		return -EBADMSG;
	rest = (struct word){line + stamp, len - stamp};
	word = word_length(rest.at, rest.len);
	verb = word_find(word_verb, rest.at, word);
	if (verb < 0 || word == rest.len)
		return -EBADMSG;
	p.verb = (enum package_verb)verb;
	if (!parse[verb]((struct word){rest.at + word + 1, rest.len - word - 1}, &p))
		return -EBADMSG;
	ret->kind = EVENT_PACKAGE;
	ret->package = p;
	return 0;
}
