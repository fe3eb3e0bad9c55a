/* view_overview.c - the whole upgrade on one screen. */
#include "dpkgtop/layout.h"

#include "panel.h"

static void overview_draw(const struct model *m, const struct ui *ui, struct canvas *c)
{
	const struct layout_wants wants = {
		.phases = panel_phases_rows(m) + (panel_phases_rows(m) > 1),
		.storage = panel_storage_rows(m),
		.processes = panel_processes_rows(m),
		.left = panel_left_rows(m),
		.verdict = panel_verdict_rows(m),
	};
	struct layout l;
	const struct rect *at = l.panels;

	canvas_clear(c);
	layout_overview(c->rows, c->columns, &wants, &l);
	if (!at[PANEL_TITLE].h) {
		panel_line(m, ui, c, at[PANEL_NOW]);
		return;
	}
	panel_title(m, ui, c, at[PANEL_TITLE]);
	panel_progress(m, c, at[PANEL_PROGRESS]);
	panel_now(m, ui, c, at[PANEL_NOW]);
	if (at[PANEL_PHASES].h)
		panel_phases(m, c, at[PANEL_PHASES]);
	if (at[PANEL_SYNC].h)
		panel_sync(m, c, at[PANEL_SYNC]);
	if (at[PANEL_STORAGE].h)
		panel_storage(m, c, at[PANEL_STORAGE]);
	if (at[PANEL_PROCESSES].h)
		panel_processes(m, c, at[PANEL_PROCESSES]);
	if (at[PANEL_LEFT].h)
		panel_left(m, c, at[PANEL_LEFT]);
	if (at[PANEL_VERDICT].h)
		panel_verdict(m, ui, c, at[PANEL_VERDICT]);
	if (at[PANEL_FOOTER].h)
		panel_footer(ui, c, at[PANEL_FOOTER]);
}

const struct view_ops view_overview = {
	.name = "overview",
	.title = "Overview",
	.draw = overview_draw,
};
