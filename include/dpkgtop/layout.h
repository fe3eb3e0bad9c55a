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
	PANEL_LEFT,    /* processes left running, which are no part of the upgrade any more */
	PANEL_VERDICT, /* what it comes to, in words */
	PANEL_FOOTER,  /* keys: 1 row */
	N_PANELS
};

struct layout {
	struct rect panels[N_PANELS]; /* w and h 0 for a panel that is not shown */
};

/* How many rows the panels have to show, heads not counted; 0: the panel is not shown. */
struct layout_wants {
	int phases; /* its sum included */
	int storage, processes, left, verdict;
};

/* Every panel lies inside rows × columns and none overlaps another, whatever the size. Panels drop
 * out in this order as rows get short: left running, verdict, processes, storage and sync, phases,
 * footer. On a screen of fewer than 40 columns or 3 rows there is PANEL_NOW alone, one row for
 * all. What a large screen has too many rows of is air above the verdict. */
void layout_overview(int rows, int columns, const struct layout_wants *w, struct layout *ret);

#endif
