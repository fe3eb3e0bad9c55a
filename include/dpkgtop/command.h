/* command.h - what can be asked of dpkgtop, one command each. */
#ifndef DPKGTOP_COMMAND_H
#define DPKGTOP_COMMAND_H

/* Exit statuses of every command; `run` passes on that of what it ran. */
enum {
	STATUS_OK = 0,
	STATUS_FAILURE = 1,
	STATUS_USAGE = 2,
	STATUS_DAMAGED = 3, /* a recording is damaged, or of a newer format */
};

struct command {
	const char *name;
	const char *usage;   /* "dpkgtop watch [options]" */
	const char *summary; /* one line */
	const char *options; /* its own, a line each, indented */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command command_watch, command_run, command_record, command_replay,
	command_report, command_compare, command_demo, command_doctor;

/* Ends with NULL. */
extern const struct command *const commands[];

#endif
