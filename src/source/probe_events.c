/* probe_events.c - single events of the probe, out of its ring. */
#include "probe_parts.h"

#include <string.h>

#include "dpkgtop/text.h"

static int shell_status(uint32_t status)
{
	/* wait(2): the low seven bits are the signal. */
	return status & 0x7f ? 128 + (int)(status & 0x7f) : (int)(status >> 8 & 0xff);
}

static void fill_exec(struct probe_event *e, const struct ring_exec *from)
{
	size_t len = from->length < COMMAND_ROOM ? from->length : COMMAND_ROOM;

	e->kind = PROBE_EXEC;
	e->parent = (int32_t)from->parent;
	e->above = (int32_t)from->above;
	text_printable(e->name, sizeof(e->name), from->name, strnlen(from->name, COMM_ROOM));
	/* The last word's end. */
	while (len > 0 && from->command[len - 1] == '\0')
		len--;
	text_printable(e->command, sizeof(e->command), from->command, len);
}

static void fill_slow(struct probe_event *e, const struct ring_slow *from)
{
	e->kind = PROBE_SLOW;
	e->call = (enum sync_call)from->call;
	e->class = (enum sync_class)from->class;
	e->took_ns = (int64_t)from->took;
	probe_file_name(e->file, sizeof(e->file), from->file, from->length);
}

int probe_take_event(void *context, void *data, size_t size)
{
	struct probe *p = context;
	const struct ring_head *head = data;
	struct probe_event e = {
		.at_ns = (int64_t)head->at, .pid = (int32_t)head->pid, .start_ticks = head->start};

	(void)size;
	switch (head->kind) {
	case RING_EXEC:
		fill_exec(&e, data);
		break;
	case RING_EXIT:
		e.kind = PROBE_EXIT;
		e.status = shell_status(((const struct ring_exit *)data)->status);
		break;
	default:
		fill_slow(&e, data);
	}
	p->take(p->context, &e);
	return 0;
}
