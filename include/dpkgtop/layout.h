/* layout.h - where each panel of the overview goes: a pure function of the screen's size. */
#ifndef DPKGTOP_LAYOUT_H
#define DPKGTOP_LAYOUT_H

#include "dpkgtop/canvas.h"

enum panel {
	PANEL_TITLE,    /* command, mode and storage, elapsed time: 1 row */
	PANEL_PROGRESS, /* 1 row */
	PANEL_NOW,      /* 1 row */
	PANEL_PHASES,   /* the ledger and the timeline */
	PANEL_SYNC,
	PANEL_STORAGE,
	PANEL_PROCESSES,
	PANEL_VERDICT, /* what it comes to, in words */
	PANEL_FOOTER,  /* keys: 1 row */
	N_PANELS
};

struct layout {
	struct rect panels[N_PANELS]; /* w and h 0 for a panel that is not shown */
};

/* `phases` is how many rows the ledger has (heading and sum not counted), `processes` how many
 * the tree has; 0: the panel is not shown. Every panel lies inside rows × columns and none
 * overlaps another, whatever the size. Panels drop out in this order as rows get short: verdict,
 * processes, storage and sync, phases, footer. On a screen of fewer than 40 columns or 3 rows
 * there is PANEL_NOW alone, one row for all. */
void layout_overview(int rows, int columns, int phases, int processes, struct layout *ret);

#endif
