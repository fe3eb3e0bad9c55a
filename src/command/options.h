/* options.h - the options that mean the same in every command. */
#ifndef DPKGTOP_OPTIONS_H
#define DPKGTOP_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "dpkgtop/command.h"
#include "dpkgtop/err.h"
#include "dpkgtop/session.h"
#include "dpkgtop/theme.h"

enum snapshot { SNAPSHOT_NONE, SNAPSHOT_TEXT, SNAPSHOT_ANSI };

struct options {
	int64_t tick_ns;   /* -d SEC */
	const char *theme; /* --theme; NULL: the default */
	bool ascii, no_color, no_bell;
	enum snapshot snapshot;
	int rows, columns;   /* --size COLUMNSxROWS */
	int64_t snapshot_ns; /* -t SEC */
	const char *write;   /* -w FILE; NULL: nothing is recorded */
	const char *label;   /* -l LABEL; NULL */
	bool force;          /* --force: the file may be there */
	/* Hidden, for tests. */
	const char *procfs, *sysfs, *admindir, *log, *history;
};

void options_init(struct options *o);

/* getopt_long(3)'s tables: OPTIONS_LONG stands in a command's own table. */
enum {
	OPT_THEME = 256,
	OPT_ASCII,
	OPT_NO_COLOR,
	OPT_NO_BELL,
	OPT_SNAPSHOT,
	OPT_SIZE,
	OPT_FORCE,
	OPT_PROCFS,
	OPT_SYSFS,
	OPT_ADMINDIR,
	OPT_LOG,
	OPT_HISTORY,
	OPT_OWN /* a command's own options begin here */
};
#define OPTIONS_SHORT "+:hd:"
#define OPTIONS_LONG                                                                               \
	{"help", no_argument, NULL, 'h'}, {"delay", required_argument, NULL, 'd'},                 \
		{"theme", required_argument, NULL, OPT_THEME},                                     \
		{"ascii", no_argument, NULL, OPT_ASCII},                                           \
		{"no-color", no_argument, NULL, OPT_NO_COLOR},                                     \
		{"no-bell", no_argument, NULL, OPT_NO_BELL},                                       \
		{"procfs", required_argument, NULL, OPT_PROCFS},                                   \
		{"sysfs", required_argument, NULL, OPT_SYSFS},                                     \
		{"admindir", required_argument, NULL, OPT_ADMINDIR},                               \
		{"log", required_argument, NULL, OPT_LOG},                                         \
	{                                                                                          \
		"history", required_argument, NULL, OPT_HISTORY                                    \
	}

/* Those of commands that can print one screen instead of showing it. */
#define OPTIONS_SNAPSHOT_SHORT "t:"
#define OPTIONS_SNAPSHOT_LONG                                                                      \
	{"snapshot", required_argument, NULL, OPT_SNAPSHOT},                                       \
	{                                                                                          \
		"size", required_argument, NULL, OPT_SIZE                                          \
	}

/* Those of commands that write a recording. */
#define OPTIONS_RECORDING_SHORT "w:l:"
#define OPTIONS_RECORDING_LONG                                                                     \
	{"write", required_argument, NULL, 'w'}, {"label", required_argument, NULL, 'l'},          \
	{                                                                                          \
		"force", no_argument, NULL, OPT_FORCE                                              \
	}

extern const char options_help[];

/* Takes one option that is everyone's. 0; -ENOENT if it is none of them; -EINVAL with detail. */
int options_take(struct options *o, int option, const char *value, struct err *e);

/* What --procfs and its like and -d mean for a session that looks for an upgrade, and the label. */
void options_session(const struct options *o, struct session_options *ret);

/* A number of seconds > 0 and <= 86400 as ns, a whole number of at least `least`: 0 or -EINVAL. */
int options_seconds(const char *text, int64_t *ret_ns);
int options_number(const char *text, int64_t least, int64_t most, int64_t *ret);

/* What to do with an option that getopt_long(3) refused, or that options_take() did: prints why,
 * with the usage, and returns STATUS_USAGE. */
int options_refuse(const struct command *c, const char *why);
int options_refused(const struct command *c, int option, char **argv);
int options_print_help(const struct command *c);
/* Of a command that watches nothing: its own options only. */
int options_print_own_help(const struct command *c);

/* Whether the screen is drawn in ASCII: asked for, or the locale is not UTF-8. */
bool options_ascii(const struct options *o);
/* Whether colours may be used: not with --no-color or NO_COLOR (no-color.org). */
bool options_colour(const struct options *o);
int options_theme(const struct options *o, struct theme *ret, struct err *e);

#endif
