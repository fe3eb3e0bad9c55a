/* theme.c - theme files: found, read, and the one that is part of the program. */
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/theme.h"

/* The text of the default theme, so that the program runs from anywhere; the path is seen from
 * the top folder, where make runs the compiler. */
__asm__(".pushsection .rodata\n"
        "theme_default_text:\n"
        ".incbin \"themes/default.theme\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char theme_default_text[];

/* A theme is a screenful of lines; what is larger is no theme. */
#define THEME_SIZE_MAX 65536

struct theme_reader {
	struct theme *theme;
	char detail[128]; /* of the first failure */
};

static bool style_colour(const char *word, short colours, short *ret)
{
	static const char *const names[] = {"black", "red",     "green", "yellow",
	                                    "blue",  "magenta", "cyan",  "white"};
	bool bright = !strncmp(word, "bright-", 7);
	char *end;
	long number;

	if (!strcmp(word, "default")) {
		*ret = -1;
		return true;
	}
	for (short i = 0; i < 8; i++) {
		if (!strcmp(word + (bright ? 7 : 0), names[i])) {
			*ret = (short)(i + (bright ? 8 : 0));
			return true;
		}
	}
	if (*word < '0' || *word > '9')
		return false;
	number = strtol(word, &end, 10);
	if (*end || number >= colours)
		return false;
	*ret = (short)number;
	return true;
}

static bool style_attribute(struct theme_style *s, const char *word)
{
	bool *attribute = !strcmp(word, "bold")        ? &s->bold
	                  : !strcmp(word, "dim")       ? &s->dim
	                  : !strcmp(word, "reverse")   ? &s->reverse
	                  : !strcmp(word, "underline") ? &s->underline
	                                               : NULL;

	if (attribute)
		*attribute = true;
	return attribute;
}

/* Reads "COLOUR [on COLOUR] [attributes]" over the part of `s` that its section sets. */
static bool style_parse(struct theme_style *s, const char *value, bool few, char *ret_word,
                        size_t size)
{
	struct theme_style new = *s;
	short *colour = few ? &new.colour16 : &new.colour;
	short *ground = few ? &new.ground16 : &new.ground;
	short *next = colour; /* what a colour word sets */
	char text[256], *rest, *word;

	*colour = *ground = -1;
	if (!few)
		new.bold = new.dim = new.reverse = new.underline = false;
	snprintf(text, sizeof(text), "%s", value);
	for (word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (next && style_colour(word, few ? 16 : 256, next)) {
			next = NULL;
		} else if (!strcmp(word, "on") && next != ground) {
			next = ground;
		} else if (few || !style_attribute(&new, word)) {
			snprintf(ret_word, size, "%s", word);
			return false;
		}
	}
	if (next == ground) {
		snprintf(ret_word, size, "on");
		return false;
	}
	*s = new;
	return true;
}

/* Called by libinih for each line; 0 tells it that the line is in error. */
static int theme_line(void *reader, const char *section, const char *name, const char *value)
{
	struct theme_reader *r = reader;
	bool few = !strcmp(section, "colours16");
	char word[48];

	if (!few && strcmp(section, "colours"))
		return 1;
	for (int role = 0; role < N_CANVAS_ROLES; role++) {
		if (strcmp(name, canvas_role_names[role]))
			continue;
		if (style_parse(&r->theme->styles[role], value, few, word, sizeof(word)))
			return 1;
		if (!r->detail[0])
			snprintf(r->detail, sizeof(r->detail), "\"%s\" in the line of \"%s\"", word,
			         name);
		return 0;
	}
	return 1;
}

int theme_parse(struct theme *t, const char *text, struct err *e)
{
	struct theme new = *t;
	struct theme_reader r = {.theme = &new};
	int line = ini_parse_string(text, theme_line, &r);

	if (line)
		return err_set(e, -EBADMSG, "line %d is not understood%s%s", line,
		               r.detail[0] ? ": " : "", r.detail);
	*t = new;
	return 0;
}

void theme_default(struct theme *t)
{
	for (int role = 0; role < N_CANVAS_ROLES; role++)
		t->styles[role] = (struct theme_style){
			.colour = -1, .colour16 = -1, .ground = -1, .ground16 = -1};
	theme_parse(t, theme_default_text, NULL); /* a test reads it too: it has no error */
}

static int theme_read(struct theme *t, const char *path, struct err *e)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t len;
	struct err detail = {""};
	int r;

	if (!f)
		return err_set(e, -errno, "theme %s: %s", path, strerror(errno));
	text = malloc(THEME_SIZE_MAX + 1);
	if (!text) {
		r = err_set(e, -ENOMEM, "theme %s: %s", path, strerror(ENOMEM));
		goto end;
	}
	errno = 0;
	len = fread(text, 1, THEME_SIZE_MAX + 1, f);
	if (ferror(f)) {
		r = errno ? -errno : -EIO;
		err_set(e, r, "theme %s: %s", path, strerror(-r));
		goto end;
	}
	if (len > THEME_SIZE_MAX) {
		r = err_set(e, -EFBIG, "theme %s: too large for a theme", path);
		goto end;
	}
	text[len] = '\0';
	r = theme_parse(t, text, &detail);
	if (r)
		err_set(e, r, "theme %s: %s", path, detail.text);
end:
	free(text);
	fclose(f);
	return r;
}

int theme_load(struct theme *t, const char *name, struct err *e)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char paths[3][4096] = {"", "", ""};

	if (strchr(name, '/'))
		return theme_read(t, name, e);
	/* The XDG base directory specification: a relative path there is to be ignored. */
	if (config && *config == '/')
		snprintf(paths[0], sizeof(paths[0]), "%s/dpkgtop/themes/%s.theme", config, name);
	if (home && *home)
		snprintf(paths[1], sizeof(paths[1]), "%s/.config/dpkgtop/themes/%s.theme", home,
		         name);
	snprintf(paths[2], sizeof(paths[2]), PREFIX "/share/dpkgtop/themes/%s.theme", name);
	for (int i = 0; i < 3; i++) {
		int r = paths[i][0] ? theme_read(t, paths[i], e) : -ENOENT;

		if (r != -ENOENT)
			return r;
	}
	if (!strcmp(name, "default")) {
		theme_default(t);
		return 0;
	}
	return err_set(e, -ENOENT,
	               "no theme \"%s\" in ~/.config/dpkgtop/themes or " PREFIX
	               "/share/dpkgtop/themes",
	               name);
}
