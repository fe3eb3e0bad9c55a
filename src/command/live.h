/* live.h - a session on the screen: keys, resizing, signals, and the snapshot door. */
#ifndef DPKGTOP_LIVE_H
#define DPKGTOP_LIVE_H

#include "dpkgtop/loop.h"
#include "dpkgtop/session.h"
#include "dpkgtop/view.h"
#include "options.h"

struct live;

/* What loop_run() gives back: 0 for a quit, LIVE_SIGNAL + n when a signal ended it, -errno (-EIO:
 * the terminal is gone). */
#define LIVE_SIGNAL 1000

/* Blocks the signals that end a command or concern its terminal, and has the loop take them; no
 * terminal is touched yet. First thing in a command, before anything needs undoing. */
int live_new(struct live **ret, struct loop *loop, struct err *e);
/* Gives the terminal back, if it was taken. */
void live_free(struct live *l);
/* Takes a signal that ends the command and waits while the loop does not run: LIVE_SIGNAL + n; 0
 * if there is none. */
int live_interrupted(void);

/* Takes the terminal and draws. -ENOTTY, -ENOENT (TERM), or another -errno with detail. */
int live_open(struct live *l, struct session *session, const struct options *o, struct err *e);

/* A key has changed `ui`: what it asks for is to be done. It is drawn afterwards. */
typedef void live_asked(void *context, struct ui *ui);
/* As live_open() for a model that somebody else leads; `ui` is how it begins. It is drawn when
 * live_draw() says so. */
int live_open_replay(struct live *l, const struct model *m, const struct options *o,
                     const struct ui *ui, live_asked *asked, void *context, struct err *e);
struct ui *live_ui(struct live *l);
void live_draw(struct live *l);

/* Says on the screen, from its next drawing on, what went wrong with dpkgtop itself. */
void live_note(struct live *l, const char *note);

/* Draws one frame of the screen to standard output, off-screen. 0 or -errno with detail. */
int live_snapshot(const struct model *m, const struct ui *ui, const struct options *o,
                  struct err *e);

/* Ends us by that signal, so that whoever waits sees what ended the program. Returns its status for
 * shells if the signal does not end us. */
int live_end_by(int number);

/* The command's exit status for what loop_run() gave back. A deadly signal is raised again, so
 * that whoever waits sees what ended the program; SIGINT is a quit. */
int live_status(int result);

#endif
