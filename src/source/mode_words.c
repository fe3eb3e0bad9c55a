/* mode_words.c - what dpkg's options say of unsafe-io. */
#include "dpkgtop/mode.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"

/* Options that take a value of dpkg 1.19 to 1.23 (src/main.c, src/main/main.c, cmdinfos); those
 * for force are listed apart. A value that is a word of its own is no option. */
static const char *const with_value[] = {
	"abort-after",   "admindir",     "debug",        "ignore-depends", "instdir",
	"log",           "path-exclude", "path-include", "post-invoke",    "pre-invoke",
	"status-logger", "root",         "status-fd",    "verify-format",
};

static const struct {
	const char *name;
	bool set;
} force_options[] = {{"force", true}, {"refuse", false}, {"no-force", false}};

/* "all" stands for every thing (src/common/force.c, forceinfos). */
static bool list_has(const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ",");

		if ((len == strlen("all") && !memcmp(list, "all", len)) ||
		    (len == strlen("unsafe-io") && !memcmp(list, "unsafe-io", len)))
			return true;
		if (!list[len])
			return false;
		list += len + 1;
	}
}

int mode_of_list(const char *text)
{
	return list_has(text) ? 1 : -1;
}

/* Which of the force options the word is, with its list behind a dash (`*ret_list`) or to follow
 * (NULL); -1 none. */
static int force_option(const char *word, const char **ret_list)
{
	for (size_t i = 0; i < sizeof(force_options) / sizeof(*force_options); i++) {
		size_t len = strlen(force_options[i].name);

		if (strncmp(word, force_options[i].name, len) ||
		    (word[len] != '\0' && word[len] != '-'))
			continue;
		*ret_list = word[len] ? word + len + 1 : NULL;
		return (int)i;
	}
	return -1;
}

static bool takes_next_word(const char *word)
{
	for (size_t i = 0; i < sizeof(with_value) / sizeof(*with_value); i++)
		if (!strcmp(word, with_value[i]))
			return true;
	return false;
}

/* Of short options, alone -D takes a value: all that follows it in the word, or the next one. */
static bool short_takes_next_word(const char *word)
{
	const char *at = strchr(word, 'D');

	return at && !at[1];
}

/* The word behind `word`, which ends before `end`; NULL: there is none. */
static const char *next_word(const char *word, const char *end)
{
	const char *nul = memchr(word, '\0', (size_t)(end - word));

	return nul && nul + 1 < end ? nul + 1 : NULL;
}

/* As dpkg_options_parse() (lib/dpkg/options.c) walks: options end at the first word that is
 * none. */
static int mode_of_words(const char *word, const char *end)
{
	int said = -1;

	while ((word = next_word(word, end)) && word[0] == '-' && word[1] &&
	       strcmp(word, "--") != 0) {
		const char *list = NULL;
		bool is_long = word[1] == '-';
		int i = is_long ? force_option(word + 2, &list) : -1;

		if (i < 0) {
			if (is_long ? takes_next_word(word + 2) : short_takes_next_word(word + 1))
				word = next_word(word, end);
		} else {
			if (!list)
				list = word = next_word(word, end);
			if (list && list_has(list))
				said = force_options[i].set;
		}
		if (!word)
			break;
	}
	return said;
}

/* A copy with an end, whatever the text's is. */
static char *copy_bytes(const char *text, size_t len)
{
	char *copy = mem_new(len + 1, 1);

	memcpy(copy, text, len);
	return copy;
}

int mode_of_arguments(const char *text, size_t len)
{
	char *copy = copy_bytes(text, len);
	int said = mode_of_words(copy, copy + len + 1);

	free(copy);
	return said;
}

/* As isspace(3) in the C locale (lib/dpkg/c-ctype.c). */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* "unsafe-io" without its quotes (lib/dpkg/string.c, str_strip_quotes()). */
static char *strip_quotes(char *text)
{
	size_t len = strlen(text);

	if (len < 2 || (*text != '"' && *text != '\'') || text[len - 1] != *text)
		return text;
	text[len - 1] = '\0';
	return text + 1;
}

/* As dpkg_options_load_file() reads it: "force-unsafe-io", "force unsafe-io,depends", "force=…";
 * a list behind a dash has one member, since the name ends at a comma. */
static int mode_of_line(char *line)
{
	const char *list = NULL;
	char *at = line + strlen(line), *value = NULL;
	int i;

	while (at > line && is_space(at[-1]))
		*--at = '\0';
	at = line + strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
	if (*at) {
		*at++ = '\0';
		if (*at == '=')
			at++;
		while (is_space(*at))
			at++;
		value = strip_quotes(at);
	}
	i = force_option(line, &list);
	/* Exactly one of the two: dpkg refuses what has both or neither. */
	if (i < 0 || !list == !value || !list_has(list ? list : value))
		return -1;
	return force_options[i].set;
}

int mode_of_configuration(const char *text, size_t len)
{
	char *copy = copy_bytes(text, len), *line, *newline;
	int said = -1;

	for (line = copy; line < copy + len; line = newline + 1) {
		int says;

		newline = memchr(line, '\n', (size_t)(copy + len - line));
		if (!newline)
			newline = copy + len;
		*newline = '\0';
		says = mode_of_line(line);
		if (says >= 0)
			said = says;
	}
	free(copy);
	return said;
}
