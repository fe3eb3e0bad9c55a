/* terminfo.c - what the terminal's description says. */
#include <curses.h>
#include <errno.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "terminfo.h"

int terminfo_load(const char *name, struct err *e)
{
	int status;

	/* With a place for the status it neither prints nor exits (curs_terminfo(3X)). */
	if (setupterm(name, STDOUT_FILENO, &status) == ERR)
		return err_set(e, -ENOENT, "terminal \"%s\" (TERM) is not known here", name);
	if (!cursor_address || !clear_screen)
		return err_set(e, -ENOENT, "terminal \"%s\" (TERM) can not place the cursor", name);
	return 0;
}

size_t terminfo_restoring(char *ret, size_t size)
{
	const char *const strings[] = {exit_attribute_mode, orig_pair, keypad_local, cursor_normal,
	                               exit_ca_mode};
	size_t used = 0;

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		/* Without the padding "$<5>" of old hardware, which is for tputs() to wait for. */
		for (const char *s = strings[i]; s && *s && used < size; s++) {
			const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL;

			if (end)
				s = end;
			else
				ret[used++] = *s;
		}
	}
	return used;
}
