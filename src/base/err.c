/* err.c - what went wrong, in one line for a person. */
#include "dpkgtop/err.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *e, int code, const char *format, ...)
{
	va_list args;

	if (e) {
		va_start(args, format);
		vsnprintf(e->text, sizeof(e->text), format, args);
		va_end(args);
	}
	return code;
}
