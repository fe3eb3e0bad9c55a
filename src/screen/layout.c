/* layout.c - where each panel of the overview goes. */
#include <stdbool.h>
#include <string.h>

#include "dpkgtop/layout.h"

/* From here on SYNC and STORAGE stand side by side. */
#define PAIR_COLUMNS 76
/* Narrower or lower than this there is one line only. */
#define LEAST_COLUMNS 40
#define LEAST_ROWS    3

/* Bands: what takes rows of its own, from top to bottom. */
enum band {
	BAND_TITLE,
	BAND_PROGRESS,
	BAND_NOW,
	BAND_PHASES,
	BAND_STORAGE, /* SYNC and STORAGE, side by side or one above the other */
	BAND_PROCESSES,
	BAND_VERDICT,
	BAND_FOOTER,
	N_BANDS
};

struct bands {
	int rows[N_BANDS]; /* 0: dropped */
	int gaps[N_BANDS]; /* blank rows above */
	int left;          /* rows not given out yet */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Gives band `b` up to `want` rows in all, as far as there are any left. */
static void bands_grow(struct bands *s, enum band b, int want)
{
	int more = least(want - s->rows[b], s->left);

	if (!s->rows[b] || more <= 0)
		return;
	s->rows[b] += more;
	s->left -= more;
}

static void bands_gap(struct bands *s, enum band b)
{
	if (!s->rows[b] || s->left <= 0)
		return;
	s->gaps[b] = 1;
	s->left--;
}

/* The least that each band is worth showing with; what does not fit is dropped, least worth
 * first. */
static void bands_choose(struct bands *s, int rows, const int wants[N_BANDS], bool paired)
{
	static const enum band order[] = {BAND_VERDICT, BAND_PROCESSES, BAND_STORAGE, BAND_PHASES,
	                                  BAND_FOOTER};
	const int minima[N_BANDS] = {
		[BAND_TITLE] = 1,   [BAND_PROGRESS] = 1,  [BAND_NOW] = 1,
		[BAND_PHASES] = 5,  [BAND_FOOTER] = 1,    [BAND_STORAGE] = paired ? 5 : 7,
		[BAND_VERDICT] = 1, [BAND_PROCESSES] = 2,
	};

	s->left = rows;
	for (int b = 0; b < N_BANDS; b++) {
		s->rows[b] = least(minima[b], wants[b]);
		s->left -= s->rows[b];
	}
	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && s->left < 0; i++) {
		s->left += s->rows[order[i]];
		s->rows[order[i]] = 0;
	}
}

/* The rows that are left go first to what is cut, then to the air between the panels. */
static void bands_spread(struct bands *s, const int wants[N_BANDS])
{
	bands_grow(s, BAND_PHASES, wants[BAND_PHASES]);
	bands_gap(s, BAND_PHASES);
	bands_gap(s, BAND_STORAGE);
	bands_grow(s, BAND_PROCESSES, least(wants[BAND_PROCESSES], 3));
	bands_gap(s, BAND_PROCESSES);
	bands_grow(s, BAND_PROCESSES, least(wants[BAND_PROCESSES], 4));
	bands_grow(s, BAND_VERDICT, wants[BAND_VERDICT]);
	bands_grow(s, BAND_PROCESSES, least(wants[BAND_PROCESSES], 6));
	bands_gap(s, BAND_VERDICT);
	bands_grow(s, BAND_STORAGE, wants[BAND_STORAGE]);
	bands_grow(s, BAND_PROCESSES, wants[BAND_PROCESSES]);
	/* The verdict and the keys stay at the bottom, whatever comes and goes above. */
	s->gaps[s->rows[BAND_VERDICT] ? BAND_VERDICT : BAND_FOOTER] += s->left;
}

static void layout_storage(struct layout *ret, struct rect band, bool paired)
{
	struct rect sync = band, storage = band;
	const int air = 3;

	if (paired) {
		sync.w = (band.w - air) * 42 / 100;
		storage.x += sync.w + air;
		storage.w -= sync.w + air;
	} else {
		sync.h = 2 + (band.h > 7);
		/* The air between the two, when there is any. */
		storage.h = 5;
		storage.y += band.h - storage.h;
	}
	ret->panels[PANEL_SYNC] = sync;
	ret->panels[PANEL_STORAGE] = storage;
}

void layout_overview(int rows, int columns, int phases, int processes, struct layout *ret)
{
	static const enum panel panels[N_BANDS] = {
		[BAND_TITLE] = PANEL_TITLE,     [BAND_PROGRESS] = PANEL_PROGRESS,
		[BAND_NOW] = PANEL_NOW,         [BAND_PHASES] = PANEL_PHASES,
		[BAND_STORAGE] = PANEL_STORAGE, [BAND_PROCESSES] = PANEL_PROCESSES,
		[BAND_VERDICT] = PANEL_VERDICT, [BAND_FOOTER] = PANEL_FOOTER,
	};
	bool paired = columns >= PAIR_COLUMNS;
	const int wants[N_BANDS] = {
		1,
		1,
		1,
		phases > 0 ? 1 + phases + (phases > 1) : 0,
		paired ? 6 : 9,
		processes > 0 ? 1 + processes : 0,
		2,
		1,
	};
	struct bands s = {.left = 0};
	int y = 0;

	memset(ret, 0, sizeof(*ret));
	if (rows <= 0 || columns <= 0)
		return;
	if (rows < LEAST_ROWS || columns < LEAST_COLUMNS) {
		ret->panels[PANEL_NOW] = (struct rect){0, 0, columns, 1};
		return;
	}
	bands_choose(&s, rows, wants, paired);
	bands_spread(&s, wants);
	for (int b = 0; b < N_BANDS; b++) {
		struct rect band;

		y += s.gaps[b];
		band = (struct rect){0, y, s.rows[b] ? columns : 0, s.rows[b]};
		y += s.rows[b];
		if (b == BAND_STORAGE && band.h)
			layout_storage(ret, band, paired);
		else if (band.h)
			ret->panels[panels[b]] = band;
	}
}
