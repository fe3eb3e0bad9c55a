/* player.c - a recording as a model that can be taken to any of its instants. */
#include "player.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dpkgtop/mem.h"
#include "load.h"

/* What is read more than once must be a file: a pipe would give nothing, or never end. */
static int open_file(struct recording **ret, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(e, -ESPIPE, "%s: is no regular file, and so it can not be replayed",
		               path);
	return recording_open(ret, path, e);
}

/* If the file is gone, all stays as it is. */
static int rewind_to_start(struct player *p, struct err *e)
{
	struct recording *in;
	int r = open_file(&in, p->path, e);

	if (r < 0)
		return r;
	recording_free(p->in);
	p->in = in;
	p->has_next = false;
	model_done(&p->model);
	model_init(&p->model);
	return 0;
}

static void add(int64_t **list, size_t *count, size_t *room, int64_t ns)
{
	*list = mem_grow(*list, room, *count + 1, sizeof(**list));
	(*list)[(*count)++] = ns;
}

static void survey_frame(struct player *p, const struct frame *f)
{
	int64_t at_ns = frame_time(f);

	if (p->begin_ns < 0)
		p->begin_ns = at_ns;
	p->end_ns = at_ns;
	if (f->kind == FRAME_EVENT && f->event->kind == EVENT_UPGRADE) {
		p->begin_ns = at_ns;
		p->n_steps = 0;
	}
	if (f->kind == FRAME_SAMPLE && f->sample->kind == SAMPLE_FULL)
		add(&p->steps, &p->n_steps, &p->steps_room, at_ns);
	model_add(&p->model, f);
}

static int survey(struct player *p, struct err *e)
{
	struct frame f;
	int r;

	while ((r = recording_read(p->in, &f, e)) == 1)
		survey_frame(p, &f);
	if (r == 0)
		r = load_headless(p->in, p->path, e);
	if (r < 0)
		return r;
	p->cut = recording_cut(p->in);
	p->zero_ns = p->model.state == MODEL_WAITING ? p->begin_ns : p->model.since_ns;
	for (size_t i = 0; i < p->model.timeline.count; i++)
		if (p->model.timeline.spans[i].begin_ns > p->begin_ns)
			add(&p->phases, &p->n_phases, &p->phases_room,
			    p->model.timeline.spans[i].begin_ns);
	return 0;
}

int player_open(struct player *p, const char *path, struct err *e)
{
	int r;

	memset(p, 0, sizeof(*p));
	p->path = path;
	p->begin_ns = p->end_ns = -1;
	model_init(&p->model);
	r = open_file(&p->in, path, e);
	if (r == 0)
		r = survey(p, e);
	if (r == 0)
		r = rewind_to_start(p, e);
	return r == 0 ? player_go(p, p->begin_ns) : r;
}

void player_done(struct player *p)
{
	recording_free(p->in);
	model_done(&p->model);
	free(p->steps);
	free(p->phases);
}

int player_go(struct player *p, int64_t to_ns)
{
	int r = 0;

	if (to_ns > p->end_ns)
		to_ns = p->end_ns;
	if (to_ns < p->begin_ns)
		to_ns = p->begin_ns;
	if (to_ns < p->model.now.mono_ns)
		r = rewind_to_start(p, NULL);
	if (r < 0)
		return r;
	p->at_ns = to_ns;
	for (;;) {
		if (!p->has_next && recording_read(p->in, &p->next, NULL) != 1)
			break;
		p->has_next = true;
		if (frame_time(&p->next) > to_ns)
			break;
		model_add(&p->model, &p->next);
		p->has_next = false;
	}
	return 0;
}

/* The nearest of a rising list beyond `at_ns` in that direction. */
static int64_t beyond(const struct player *p, const int64_t *list, size_t count, int by)
{
	if (by > 0) {
		for (size_t i = 0; i < count; i++)
			if (list[i] > p->at_ns)
				return list[i];
		return p->end_ns;
	}
	for (size_t i = count; i > 0; i--)
		if (list[i - 1] < p->at_ns)
			return list[i - 1];
	return p->begin_ns;
}

int64_t player_step(const struct player *p, int by)
{
	return beyond(p, p->steps, p->n_steps, by);
}

int64_t player_phase(const struct player *p, int by)
{
	return beyond(p, p->phases, p->n_phases, by);
}
