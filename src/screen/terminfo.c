/* terminfo.c - what the terminal's description says. */
#include <curses.h>
#include <errno.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "terminfo.h"

static size_t restoring(char *ret, size_t size)
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

int terminfo_load(const char *name, char *ret, size_t size, size_t *ret_len, struct err *e)
{
	int status, r = 0;

	/* With a place for the status it neither prints nor exits (curs_terminfo(3X)). */
	if (setupterm(name, STDOUT_FILENO, &status) == ERR)
		return err_set(e, -ENOENT, "terminal \"%s\" (TERM) is not known here", name);
	if (cursor_address && clear_screen)
		*ret_len = restoring(ret, size);
	else
		r = err_set(e, -ENOENT, "terminal \"%s\" (TERM) can not place the cursor", name);
	/* newterm() reads a description of its own, and frees only that. */
	del_curterm(cur_term);
	return r;
}

int terminfo_colours(const char *name)
{
	int status, n;

	if (setupterm(name, STDOUT_FILENO, &status) == ERR)
		return -ENOENT;
	n = cursor_address && clear_screen ? max_colors : -ENOENT;
	del_curterm(cur_term);
	return n == -1 ? 0 : n;
}
