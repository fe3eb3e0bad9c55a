/* panel_title.c - the overview's first line: which upgrade, in which mode, on what. */
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "panel.h"
#include "words.h"

/* "SSD" or "HDD", where the disk is one and its name does not say so already: what a virtual
 * machine calls rotating says nothing of the disk below it. */
static const char *disk_kind(const struct storage_event *f)
{
	static const char *const virtual[] = {"virtio", "QEMU", "VBOX", "Virtual", "VMware", "Xen"};
	const char *kind = f->rotational == 0 ? "SSD" : f->rotational == 1 ? "HDD" : "";

	for (size_t i = 0; i < sizeof(virtual) / sizeof(*virtual); i++) {
		if (strstr(f->disk_model, virtual[i]))
			return "";
	}
	return strstr(f->disk_model, kind) ? "" : kind;
}

/* "safe-io · ext4 on vda (virtio)", of which the model's name goes first when narrow. */
static void title_facts(const struct model *m, bool whole, char *ret, size_t size)
{
	const struct storage_event *f = &m->facts;
	const char *mode = m->state == MODEL_WAITING ? "" : m->mode.mode;
	const char *kind = disk_kind(f);
	char device[128] = "";

	if (whole && *f->disk && (*f->disk_model || *kind))
		snprintf(device, sizeof(device), " (%s%s%s)", f->disk_model,
		         *f->disk_model && *kind ? " " : "", kind);
	snprintf(ret, size, "%s%s%s%s%s%s%s", mode, !strcmp(mode, "mixed") ? " modes" : "",
	         *mode && (*f->filesystem || *f->disk) ? " · " : "", f->filesystem,
	         *f->disk && *f->filesystem ? " on " : "", f->disk, device);
}

static const char *title_command(const struct model *m)
{
	if (m->state == MODEL_WAITING)
		return "waiting";
	if (*m->upgrade.command)
		return words_of_command(m->upgrade.command);
	return m->upgrade.frontend;
}

/* "/srv/chroot/sid"; "" for this machine's own root. */
static const char *title_where(const struct model *m)
{
	if (m->state == MODEL_WAITING)
		return "";
	return strcmp(m->upgrade.where, "?") ? m->upgrade.where : "another mount namespace";
}

/* Puts `text` at the right end of what is left of the row, and takes its room. */
static void title_right(struct pen *p, enum canvas_role role, const char *text)
{
	p->end -= text_width(text);
	if (p->end > p->x)
		canvas_text(p->c, p->end, p->y, text_width(text), role, text);
	p->end -= 3;
}

/* The command, and where it works: whose upgrade it is matters more than a long command's end, and
 * of a long path the end matters most. */
static void title_upgrade(const struct model *m, struct pen *p)
{
	const char *command = title_command(m), *where = title_where(m);
	int end = p->end, width = text_width(where), least = text_width(command);

	least = least < 7 ? least : 7;
	if (*where && end - p->x >= least + 4 + 5)
		p->end -= 4 + width < end - p->x - least ? 4 + width : end - p->x - least;
	pen_text(p, m->state == MODEL_WAITING ? CANVAS_WARN : CANVAS_TITLE, command);
	if (p->end == end)
		return;
	p->end = end;
	pen_text(p, CANVAS_DIM, " in ");
	if (width > end - p->x)
		width = end - p->x;
	canvas_right(p->c, p->x, p->y, width, CANVAS_VALUE, where);
}

void panel_title(const struct model *m, const struct ui *ui, struct canvas *c, struct rect r)
{
	struct pen p = pen_at(c, r, 0);
	const char *command = title_command(m), *where = title_where(m);
	int own = text_width(command) + (*where ? 4 + text_width(where) : 0), room;
	char text[384];

	pen_text(&p, CANVAS_TITLE, "dpkgtop");
	pen_move(&p, 2);
	if (m->state != MODEL_WAITING)
		title_right(&p, CANVAS_VALUE, units_clock(model_elapsed(m)).s);
	if (ui->paused)
		title_right(&p, CANVAS_WARN, "paused");
	else if (ui->replay)
		title_right(&p, CANVAS_WARN, "replay");
	/* At least half of the room, or all that it needs, is the command's. */
	room = p.end - p.x - 3;
	room -= own < room / 2 ? own : room / 2;
	title_facts(m, true, text, sizeof(text));
	if (text_width(text) > room)
		title_facts(m, false, text, sizeof(text));
	if (*text && text_width(text) <= room)
		title_right(&p, CANVAS_TEXT, text);
	title_upgrade(m, &p);
}
