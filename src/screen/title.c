/* title.c - the terminal's title. */
#include <stdio.h>
#include <string.h>

#include "dpkgtop/text.h"

#include "standin.h"
#include "title.h"

/* Longer ones are cut by every terminal, if they are shown at all. */
#define TITLE_BYTES 160

bool title_known(const char *term)
{
	static const char *const names[] = {"xterm", "tmux",  "screen",    "rxvt",
	                                    "foot",  "kitty", "alacritty", "wezterm",
	                                    "st",    "vte",   "gnome",     "konsole"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = strlen(names[i]);

		/* "xterm-256color", "screen.xterm-256color"; but no "stv52". */
		if (text_starts(term, names[i]) && (!term[len] || strchr("-.+", term[len])))
			return true;
	}
	/* "rxvt-unicode" has a dash; "xterm1", "xtermc" and their like are xterms as well. */
	return text_starts(term, "xterm");
}

size_t title_sequence(const char *text, bool ascii, char *ret, size_t size)
{
	char clean[TITLE_BYTES], shown[TITLE_BYTES];
	size_t used = 0;
	int len;

	text_printable_string(clean, sizeof(clean), text);
	for (const char *at = clean; *at && used + 4 < sizeof(shown);) {
		uint32_t point = '?';
		size_t bytes = text_decode(at, strlen(at), &point);

		if (!bytes)
			break;
		if (ascii)
			shown[used++] = standin_of(point);
		else
			used += (size_t)snprintf(shown + used, sizeof(shown) - used, "%.*s",
			                         (int)bytes, at);
		at += bytes;
	}
	shown[used] = '\0';
	/* BEL ends it: older terminals do not know ST (xterm's ctlseqs, OSC Ps ; Pt BEL). */
	len = snprintf(ret, size, "\033]2;%s\a", shown);
	return len > 0 && (size_t)len < size ? (size_t)len : 0;
}
