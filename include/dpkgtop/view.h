/* view.h - a model drawn on a canvas. */
#ifndef DPKGTOP_VIEW_H
#define DPKGTOP_VIEW_H

#include "dpkgtop/canvas.h"
#include "dpkgtop/model.h"

/* What the person at the keys has chosen; nothing of the upgrade. */
struct ui {
	bool paused;
	bool help;
	bool quit;
};

struct view_ops {
	const char *name, *title;
	void (*draw)(const struct model *m, const struct ui *ui, struct canvas *c);
};

extern const struct view_ops view_overview;
extern const struct view_ops view_help; /* drawn over any other */

#endif
