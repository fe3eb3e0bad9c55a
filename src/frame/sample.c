/* sample.c - what was observed at one instant, as the kernel said it. */
#include "dpkgtop/sample.h"

#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/mem.h"

void sample_init(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	for (int g = 0; g < N_GROUPS; g++)
		s->why[g] = GROUP_NOT_ASKED;
}

void sample_clear(struct sample *s)
{
	struct sample empty;

	sample_init(&empty);
	empty.disks = s->disks;
	empty.disks_room = s->disks_room;
	empty.processes = s->processes;
	empty.processes_room = s->processes_room;
	empty.syncs = s->syncs;
	empty.syncs_room = s->syncs_room;
	empty.flights = s->flights;
	empty.flights_room = s->flights_room;
	empty.writers = s->writers;
	empty.writers_room = s->writers_room;
	empty.latencies = s->latencies;
	empty.latencies_room = s->latencies_room;
	*s = empty;
}

void sample_done(struct sample *s)
{
	free(s->disks);
	free(s->processes);
	free(s->syncs);
	free(s->flights);
	free(s->writers);
	free(s->latencies);
	sample_init(s);
}

void sample_copy(struct sample *to, const struct sample *from)
{
	if (to == from)
		return;
	sample_clear(to);
	to->at = from->at;
	to->kind = from->kind;
	memcpy(to->why, from->why, sizeof(to->why));
	to->memory = from->memory;
	to->pressure = from->pressure;
	to->log = from->log;
	memcpy(to->spaces, from->spaces, sizeof(to->spaces));
	to->n_spaces = from->n_spaces;
	for (size_t i = 0; i < from->n_disks; i++)
		*sample_add_disk(to) = from->disks[i];
	for (size_t i = 0; i < from->n_processes; i++)
		*sample_add_process(to) = from->processes[i];
	to->probe = from->probe;
	for (size_t i = 0; i < from->n_syncs; i++)
		*sample_add_sync(to) = from->syncs[i];
	for (size_t i = 0; i < from->n_flights; i++)
		*sample_add_flight(to) = from->flights[i];
	for (size_t i = 0; i < from->n_writers; i++)
		*sample_add_writer(to) = from->writers[i];
	for (size_t i = 0; i < from->n_latencies; i++)
		*sample_add_latency(to) = from->latencies[i];
}

static bool group_equal(const struct sample *a, const struct sample *b, enum group g)
{
	struct field_items of_a = field_group(a, g), of_b = field_group(b, g);

	if (a->why[g] != b->why[g])
		return false;
	/* A group that could not be read has no content, whatever its memory still holds. */
	if (!sample_has(a, g))
		return true;
	if (of_a.count != of_b.count)
		return false;
	for (size_t i = 0; i < of_a.count; i++)
		if (!field_equal(of_a.fields, (const char *)of_a.first + i * of_a.size,
		                 (const char *)of_b.first + i * of_b.size))
			return false;
	return true;
}

bool sample_equal(const struct sample *a, const struct sample *b)
{
	if (a->kind != b->kind || !field_equal(field_stamp, &a->at, &b->at))
		return false;
	for (int g = 0; g < N_GROUPS; g++)
		if (!group_equal(a, b, g))
			return false;
	return true;
}

bool sample_has(const struct sample *s, enum group g)
{
	return s->why[g] == 0;
}

#define ADD(s, items)                                                                              \
	(s->items = mem_grow(s->items, &s->items##_room, s->n_##items + 1, sizeof(*s->items)),     \
	 memset(&s->items[s->n_##items++], 0, sizeof(*s->items)))

struct disk_counters *sample_add_disk(struct sample *s)
{
	return ADD(s, disks);
}

struct process_counters *sample_add_process(struct sample *s)
{
	return ADD(s, processes);
}

struct sync_counters *sample_add_sync(struct sample *s)
{
	return ADD(s, syncs);
}

struct sync_flight *sample_add_flight(struct sample *s)
{
	return ADD(s, flights);
}

struct sync_writer *sample_add_writer(struct sample *s)
{
	return ADD(s, writers);
}

struct sync_latency *sample_add_latency(struct sample *s)
{
	if (s->n_latencies == LATENCIES_MAX)
		s->n_latencies--;
	return ADD(s, latencies);
}

struct space_counters *sample_add_space(struct sample *s)
{
	if (s->n_spaces < SPACES_MAX)
		s->n_spaces++;
	return memset(&s->spaces[s->n_spaces - 1], 0, sizeof(*s->spaces));
}

void sample_keep_disk(struct sample *s, const char *name)
{
	const struct disk_counters *d = sample_disk(s, name);

	if (d)
		s->disks[0] = *d;
	s->n_disks = d != NULL;
}

const struct disk_counters *sample_disk(const struct sample *s, const char *name)
{
	for (size_t i = 0; i < s->n_disks; i++)
		if (strcmp(s->disks[i].name, name) == 0)
			return &s->disks[i];
	return NULL;
}

const struct process_counters *sample_process(const struct sample *s, int32_t pid)
{
	size_t from = 0, to = s->n_processes;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->processes[middle].pid == pid)
			return &s->processes[middle];
		if (s->processes[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}
