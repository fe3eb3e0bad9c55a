/* err.c - what went wrong, in one line for a person. */
#include "dpkgtop/err.h"

#include <stdarg.h>
#include <stdio.h>

#include "dpkgtop/text.h"

int err_set(struct err *e, int code, const char *format, ...)
{
	char text[sizeof(e->text)];
	va_list args;

	if (e) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		/* It may quote what somebody else named. */
		text_printable_string(e->text, sizeof(e->text), text);
	}
	return code;
}
