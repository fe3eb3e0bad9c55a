/* crash.h - gives the terminal back when the program dies of a fault of its own. */
#ifndef DPKGTOP_SCREEN_CRASH_H
#define DPKGTOP_SCREEN_CRASH_H

#include <stdbool.h>
#include <stddef.h>

#define CRASH_BYTES_MAX 256

/* Takes the signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), and remembers the modes
 * that the terminal on standard output has now, and the `len` bytes (at most 256) that bring its
 * screen back. */
void crash_prepare(const char *bytes, size_t len);
/* Where to: the terminal by another descriptor, which stays open; -1: by standard output again. */
void crash_terminal(int fd);
/* Gives the terminal back now, as after a crash. */
void crash_leave(void);
/* Bytes to send besides, in the place of those of the last call: a few; "" none. */
void crash_also(const char *bytes);
/* Gives the signals back: the terminal is as it was. crash_again() takes them once more, as
 * crash_prepare() was told. */
void crash_forget(void);
void crash_again(void);

/* Around a write that a stuck terminal (a frozen ssh) may hold for ever: a signal that ends
 * programs then ends this one after two seconds, although its loop can not hear it. */
void crash_watch(bool on);

#endif
