/* options.c - the options that mean the same in every command. */
#include "options.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] = "  -d, --delay SEC         seconds between full samples (1)\n"
			    "      --theme NAME        a theme, or a file with a '/' in its name\n"
			    "      --ascii             draw with ASCII only\n"
			    "      --no-color          no colours; NO_COLOR does the same\n"
			    "      --no-bell           do not ring when the upgrade waits for you\n"
			    "  -h, --help              this text\n";

void options_init(struct options *o)
{
	*o = (struct options){
		.tick_ns = INT64_C(1000000000),
		.rows = 24,
		.columns = 80,
		.snapshot_ns = INT64_C(1000000000),
	};
}

int options_seconds(const char *text, int64_t *ret_ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !isfinite(seconds) || seconds < 0.05 || seconds > 86400)
		return -EINVAL;
	*ret_ns = (int64_t)(seconds * 1e9);
	return 0;
}

int options_number(const char *text, int64_t least, int64_t most, int64_t *ret)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno || value < least || value > most)
		return -EINVAL;
	*ret = value;
	return 0;
}

static int take_size(struct options *o, const char *text)
{
	int columns, rows, used = 0;

	if (sscanf(text, "%4dx%4d%n", &columns, &rows, &used) != 2 || text[used] || columns < 1 ||
	    rows < 1)
		return -EINVAL;
	o->columns = columns;
	o->rows = rows;
	return 0;
}

static int take_snapshot(struct options *o, const char *text)
{
	if (strcmp(text, "text") == 0)
		o->snapshot = SNAPSHOT_TEXT;
	else if (strcmp(text, "ansi") == 0)
		o->snapshot = SNAPSHOT_ANSI;
	else
		return -EINVAL;
	return 0;
}

int options_take(struct options *o, int option, const char *value, struct err *e)
{
	switch (option) {
	case 'd':
		if (options_seconds(value, &o->tick_ns) < 0)
			return err_set(e, -EINVAL, "-d takes seconds, 0.05 to 86400: %s", value);
		return 0;
	case 't':
		if (options_seconds(value, &o->snapshot_ns) < 0)
			return err_set(e, -EINVAL, "-t takes seconds, 0.05 to 86400: %s", value);
		return 0;
	case OPT_SIZE:
		if (take_size(o, value) < 0)
			return err_set(e, -EINVAL, "--size takes COLUMNSxROWS: %s", value);
		return 0;
	case OPT_SNAPSHOT:
		if (take_snapshot(o, value) < 0)
			return err_set(e, -EINVAL, "--snapshot is text or ansi: %s", value);
		return 0;
	case 'w':
		o->write = value;
		return strcmp(value, "-") != 0 ? 0
		                               : err_set(e, -EINVAL, "-w takes a file, not \"-\"");
	case 'l':
		if (strlen(value) >= sizeof(((struct header *)NULL)->label))
			return err_set(e, -EINVAL, "-l takes at most %zu bytes",
			               sizeof(((struct header *)NULL)->label) - 1);
		o->label = value;
		return 0;
	case OPT_FORCE:
		o->force = true;
		return 0;
	case OPT_THEME:
		o->theme = value;
		return 0;
	case OPT_ASCII:
		o->ascii = true;
		return 0;
	case OPT_NO_COLOR:
		o->no_color = true;
		return 0;
	case OPT_NO_BELL:
		o->no_bell = true;
		return 0;
	case OPT_PROCFS:
		o->procfs = value;
		return 0;
	case OPT_SYSFS:
		o->sysfs = value;
		return 0;
	case OPT_ADMINDIR:
		o->admindir = value;
		return 0;
	case OPT_LOG:
		o->log = value;
		return 0;
	case OPT_HISTORY:
		o->history = value;
		return 0;
	default:
		return -ENOENT;
	}
}

void options_session(const struct options *o, struct session_options *ret)
{
	session_options_init(ret);
	ret->tick_ns = o->tick_ns;
	ret->procfs = o->procfs;
	ret->sysfs = o->sysfs;
	ret->log = o->log;
	ret->history = o->history;
	ret->label = o->label;
	if (o->admindir) {
		ret->admindir = o->admindir;
		ret->only_own = true;
	}
}

int options_refuse(const struct command *c, const char *why)
{
	fprintf(stderr, "dpkgtop %s: %s\nusage: %s\n", c->name, why, c->usage);
	return STATUS_USAGE;
}

int options_refused(const struct command *c, int option, char **argv)
{
	char why[256];

	/* optopt is 0 for an unknown long option, which is the word just passed. */
	if (option == ':')
		snprintf(why, sizeof(why), "%s wants a value", argv[optind - 1]);
	else if (optopt > 0 && optopt < 256)
		snprintf(why, sizeof(why), "no option -%c", optopt);
	else
		snprintf(why, sizeof(why), "no option %s", argv[optind - 1]);
	return options_refuse(c, why);
}

int options_print_help(const struct command *c)
{
	printf("usage: %s\n\n%s\n\n%s%s", c->usage, c->summary, c->options, options_help);
	return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILURE;
}

int options_print_own_help(const struct command *c)
{
	printf("usage: %s\n\n%s\n\n%s  -h, --help              this text\n", c->usage, c->summary,
	       c->options);
	return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILURE;
}

bool options_ascii(const struct options *o)
{
	return o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

bool options_colour(const struct options *o)
{
	const char *no_color = getenv("NO_COLOR");

	return !o->no_color && !(no_color && *no_color);
}

int options_theme(const struct options *o, struct theme *ret, struct err *e)
{
	theme_default(ret);
	return o->theme ? theme_load(ret, o->theme, e) : 0;
}
