/* err.h - what went wrong, in one line for a person.
 *
 * Functions return 0 or -errno; those whose failure needs words also fill a `struct err`. Only
 * commands print it. */
#ifndef DPKGTOP_ERR_H
#define DPKGTOP_ERR_H

struct err {
	char text[256]; /* "" until something failed; printable */
};

/* Writes the detail into `e` (which may be NULL) and returns `code`, so that a failing function
 * can end in `return err_set(e, -ENOENT, "…")`. A text too long is cut. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
