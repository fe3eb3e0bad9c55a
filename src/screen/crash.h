/* crash.h - gives the terminal back when the program dies of a fault of its own. */
#ifndef DPKGTOP_SCREEN_CRASH_H
#define DPKGTOP_SCREEN_CRASH_H

#include <stddef.h>

/* Takes the signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), and remembers the modes
 * that the terminal on standard output has now, and the `len` bytes (at most 256) that bring its
 * screen back. */
void crash_prepare(const char *bytes, size_t len);
/* Gives the signals back: the terminal is as it was. */
void crash_forget(void);

#endif
