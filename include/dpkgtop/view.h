/* view.h - a model drawn on a canvas. */
#ifndef DPKGTOP_VIEW_H
#define DPKGTOP_VIEW_H

#include "dpkgtop/canvas.h"
#include "dpkgtop/model.h"

/* An upgrade that can be picked. */
struct choice {
	char text[256];  /* "apt-get dist-upgrade" */
	char where[128]; /* its root directory; "" this machine's own */
	bool trusted;    /* false: never chosen by itself; says why in a word: "not root's" */
	bool current;    /* the one on the screen */
};
#define CHOICES_MAX 16

/* What is asked of a recording that is replayed. */
enum replay_request {
	REPLAY_NOTHING,
	REPLAY_BACK,
	REPLAY_ON,
	REPLAY_STEP_BACK, /* to the full sample before */
	REPLAY_STEP,
	REPLAY_BEGIN,
	REPLAY_END,
	REPLAY_PHASE_BACK,
	REPLAY_PHASE,
	REPLAY_SLOWER,
	REPLAY_FASTER,
};

/* What the person at the keys has chosen; nothing of the upgrade. */
struct ui {
	bool paused;
	bool help;
	int help_top; /* how many entries of it are scrolled away */
	bool quit;
	bool picking; /* the list of upgrades is open */
	int cursor;   /* in that list */
	bool picked;  /* Enter was pressed on `cursor`; whoever acts on it clears it */
	struct choice choices[CHOICES_MAX];
	int n_choices;
	bool more_choices;           /* others run for which `choices` has no room */
	bool unprivileged;           /* whoever watches is not root: much can not be seen */
	bool replay;                 /* a recording is shown; `paused` stops it */
	enum replay_request request; /* whoever acts on it clears it */
	double speed;                /* 1: as it was */
	int64_t at_ns, length_ns;    /* of the recording, from the upgrade's begin on */
	char note[160];              /* what went wrong with dpkgtop itself; "" nothing */
};

struct view_ops {
	const char *name, *title;
	void (*draw)(const struct model *m, const struct ui *ui, struct canvas *c);
};

extern const struct view_ops view_overview;
extern const struct view_ops view_help; /* drawn over any other */
/* Entries of its text, a row each where the screen is wide enough. */
int view_help_entries(void);
extern const struct view_ops view_pick; /* the list of upgrades, likewise */

#endif
