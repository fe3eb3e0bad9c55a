/* keeper.c - a recording of upgrades alone. */
#include "keeper.h"

int keeper_open(struct keeper *k, const char *path, bool force, struct err *e)
{
	int r;

	*k = (struct keeper){.writer = NULL};
	r = recording_create(&k->writer, path, force, e);
	if (r == 0)
		sample_init(&k->held);
	return r;
}

static void release(struct keeper *k)
{
	if (k->holds)
		recording_take(k->writer, &(struct frame){FRAME_SAMPLE, {.sample = &k->held}});
	k->holds = false;
}

void keeper_take(void *keeper, const struct frame *f)
{
	struct keeper *k = keeper;

	if (f->kind == FRAME_SAMPLE && !k->runs) {
		sample_copy(&k->held, f->sample);
		k->holds = true;
		return;
	}
	release(k);
	recording_take(k->writer, f);
	if (f->kind != FRAME_EVENT)
		return;
	if (f->event->kind == EVENT_UPGRADE)
		k->begun = k->runs = true;
	else if (f->event->kind == EVENT_END)
		k->runs = false;
}

int keeper_error(const struct keeper *k)
{
	return recording_error(k->writer);
}

bool keeper_is_empty(const struct keeper *k)
{
	return k->writer && !k->begun;
}

int keeper_close(struct keeper *k, struct err *e)
{
	int r = 0;

	if (!k->writer)
		return 0;
	if (k->begun)
		r = recording_close(k->writer, e);
	else
		recording_discard(k->writer);
	k->writer = NULL;
	sample_done(&k->held);
	return r;
}
