/* words.h - what the model's enums are called in sentences. */
#ifndef DPKGTOP_SCREEN_WORDS_H
#define DPKGTOP_SCREEN_WORDS_H

#include "dpkgtop/model.h"

/* "upgrading" …, followed by a package. */
const char *words_of_verb(enum package_verb v);
/* What goes on in a phase while no package is in work. */
const char *words_of_phase(enum phase p);
/* "waiting for the disk's flushes" … */
const char *words_of_cause(enum cause c);
/* "disk wait" … for a state letter of proc(5). */
const char *words_of_state(char state);

/* "fsync", "sync_file_range" …; in a column of nine "syncrange". */
const char *words_of_call(enum sync_call c, bool brief);

/* What a command line runs, in it: without the program's directory, and of a script without its
 * interpreter. "/usr/bin/python3 -u /usr/bin/nala upgrade" is "nala upgrade". */
const char *words_of_command(const char *command);

/* Why a source's group is missing: "needs root", or the system's own word. `why` as in a sample. */
const char *words_of_why(enum group g, int why);
/* What keeps the probe's counts from being whole, worst first. */
enum flaw {
	FLAW_COMPAT, /* 32-bit programs, whose calls are not seen */
	FLAW_LACKS,  /* calls that have no tracepoints */
	FLAW_MISSED, /* calls that were not counted */
	FLAW_FULL,   /* calls counted for no process */
	FLAW_LOST,   /* events */
	N_FLAWS
};
/* In few columns: "2 32-bit programs unseen", "no msync, syncfs"; false and "" if there is none. */
bool words_of_flaw(const struct probe_counters *p, enum flaw flaw, char *ret, size_t size);
/* "dpkg asks a question on its terminal"; "" while nobody is waited for. */
void words_of_input(const struct input *i, char *ret, size_t size);
/* "mkinitramfs for the trigger of initramfs-tools" */
void words_of_step(const struct step *s, char *ret, size_t size);
/* "unsafe-io, set in /etc/dpkg/dpkg.cfg.d/docker-apt-speedup" */
void words_of_mode(const struct mode_event *m, char *ret, size_t size);

/* "foo: postinst failed with exit status 1, left half-configured" */
void words_of_failure(const struct package *k, char *ret, size_t size);
/* The names of the failed packages after the first `skip`: "foo, bar and 2 more"; "" for none. */
void words_of_failures(const struct packages *p, size_t skip, char *ret, size_t size);

#endif
