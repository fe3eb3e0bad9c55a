/* layout.c - where each panel of the overview goes. */
#include <stdbool.h>
#include <string.h>

#include "dpkgtop/layout.h"

/* From here on SYNC and STORAGE stand side by side. */
#define PAIR_COLUMNS 76
/* Narrower or lower than this there is one line only. */
#define LEAST_COLUMNS 40
#define LEAST_ROWS    3
/* So many rows the storage band may take beyond what it has to say. */
#define CHART_MORE 5

/* Bands: what takes rows of its own, from top to bottom. */
enum band {
	BAND_TITLE,
	BAND_PROGRESS,
	BAND_NOW,
	BAND_PHASES,
	BAND_STORAGE, /* SYNC and STORAGE, side by side or one above the other */
	BAND_PROCESSES,
	BAND_LEFT,
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
static void bands_spread(struct bands *s, const int wants[N_BANDS], bool paired)
{
	bands_grow(s, BAND_PHASES, wants[BAND_PHASES]);
	bands_gap(s, BAND_PHASES);
	bands_gap(s, BAND_STORAGE);
	bands_grow(s, BAND_PROCESSES, least(wants[BAND_PROCESSES], 3));
	bands_gap(s, BAND_PROCESSES);
	bands_grow(s, BAND_PROCESSES, least(wants[BAND_PROCESSES], 4));
	bands_grow(s, BAND_VERDICT, least(wants[BAND_VERDICT], 2));
	bands_grow(s, BAND_STORAGE, least(wants[BAND_STORAGE], paired ? 6 : 9));
	bands_grow(s, BAND_PROCESSES, least(wants[BAND_PROCESSES], 5));
	bands_gap(s, BAND_VERDICT);
	bands_grow(s, BAND_VERDICT, least(wants[BAND_VERDICT], 3));
	bands_grow(s, BAND_STORAGE, wants[BAND_STORAGE]);
	bands_grow(s, BAND_VERDICT, wants[BAND_VERDICT]);
	/* On a tall screen the picture of syncs gets taller still. */
	if (paired)
		bands_grow(s, BAND_STORAGE, wants[BAND_STORAGE] + least(s->left / 3, CHART_MORE));
	/* Head, one row and a blank one, or nothing. */
	if (wants[BAND_LEFT] && s->rows[BAND_VERDICT] && s->left >= 3) {
		s->rows[BAND_LEFT] = 2;
		s->left -= 2;
		bands_gap(s, BAND_LEFT);
		bands_grow(s, BAND_LEFT, least(wants[BAND_LEFT], 4));
	}
	/* Last, because processes come and go all the time: nothing above moves with them. */
	bands_grow(s, BAND_PROCESSES, wants[BAND_PROCESSES]);
	bands_grow(s, BAND_LEFT, wants[BAND_LEFT]);
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
		storage.h = band.h - sync.h - (band.h > 8);
		storage.y += band.h - storage.h;
	}
	ret->panels[PANEL_SYNC] = sync;
	ret->panels[PANEL_STORAGE] = storage;
}

static int with_head(int rows)
{
	return rows > 0 ? 1 + rows : 0;
}

void layout_overview(int rows, int columns, const struct layout_wants *w, struct layout *ret)
{
	static const enum panel panels[N_BANDS] = {
		[BAND_TITLE] = PANEL_TITLE,     [BAND_PROGRESS] = PANEL_PROGRESS,
		[BAND_NOW] = PANEL_NOW,         [BAND_PHASES] = PANEL_PHASES,
		[BAND_STORAGE] = PANEL_STORAGE, [BAND_PROCESSES] = PANEL_PROCESSES,
		[BAND_LEFT] = PANEL_LEFT,       [BAND_VERDICT] = PANEL_VERDICT,
		[BAND_FOOTER] = PANEL_FOOTER,
	};
	bool paired = columns >= PAIR_COLUMNS;
	const int wants[N_BANDS] = {
		[BAND_TITLE] = 1,
		[BAND_PROGRESS] = 1,
		[BAND_NOW] = 1,
		[BAND_PHASES] = with_head(w->phases),
		/* One above the other: three of syncs, and a blank one. */
		[BAND_STORAGE] = with_head(w->storage) + (paired || w->storage <= 0 ? 0 : 4),
		[BAND_PROCESSES] = with_head(w->processes),
		[BAND_LEFT] = with_head(w->left),
		[BAND_VERDICT] = w->verdict,
		[BAND_FOOTER] = 1,
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
	bands_spread(&s, wants, paired);
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
