/* main.c - picks the command. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/command.h"

static int print_help(void)
{
	printf("dpkgtop: top for upgrades. Watches apt and dpkg at work: how far, doing what, and "
	       "where the\ntime goes.\n\nusage: dpkgtop [COMMAND] [options]\n\n");
	for (size_t i = 0; commands[i]; i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n\"dpkgtop COMMAND --help\" tells more. Without a command: watch.\n");
	return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILURE;
}

static int print_version(void)
{
	printf("dpkgtop %s\n", VERSION);
	return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILURE;
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int is(const char *word, const char *brief, const char *full)
{
	return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_ALL, "");
	if (argc > 1 && is(argv[1], "-h", "--help"))
		return print_help();
	if (argc > 1 && is(argv[1], "-V", "--version"))
		return print_version();
	if (argc < 2 || argv[1][0] == '-')
		return command_watch.run(&command_watch, argc, argv);
	command = find(argv[1]);
	if (!command) {
		fprintf(stderr, "dpkgtop: no command \"%s\"; see dpkgtop --help\n", argv[1]);
		return STATUS_USAGE;
	}
	return command->run(command, argc - 1, argv + 1);
}
