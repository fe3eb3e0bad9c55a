/* probe_read.c - what the kernel counted, as parts of a sample. */
#include "probe_parts.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/source.h"
#include "dpkgtop/text.h"

/* Entries asked for in one call. */
#define BATCH 256

static void grow(struct probe_table *t, size_t need, size_t key_size, size_t value_size)
{
	t->keys = mem_grow(t->keys, &t->keys_room, need * key_size, 1);
	t->values = mem_grow(t->values, &t->values_room, need * value_size, 1);
}

int probe_table_read(struct probe_table *t, int map, size_t key_size, size_t value_size)
{
	char at[64], next[64]; /* the place reached, of a kind that is the map's secret */
	bool begun = false;
	uint32_t batch = BATCH;
	int r;

	t->count = 0;
	do {
		uint32_t count = batch;

		grow(t, t->count + count, key_size, value_size);
		r = bpf_map_lookup_batch(map, begun ? at : NULL, next,
		                         t->keys + t->count * key_size,
		                         t->values + t->count * value_size, &count, NULL);
		if (r == -ENOSPC) {
			/* It gives whole hash buckets only. */
			batch *= 2;
			r = 0;
			continue;
		}
		if (r == 0 || r == -ENOENT)
			t->count += count;
		memcpy(at, next, sizeof(at));
		begun = true;
	} while (r == 0);
	return r == -ENOENT ? 0 : r;
}

void probe_table_done(struct probe_table *t)
{
	free(t->keys);
	free(t->values);
}

#define READ_TABLE(p, map, key, value)                                                             \
	probe_table_read(&(p)->table, bpf_map__fd((p)->object->maps.map), sizeof(key),             \
	                 sizeof(value))

void probe_file_name(char *dst, size_t size, const char *end, uint32_t length)
{
	static const char ellipsis[] = "…";
	size_t len = strnlen(end, FILE_ROOM), at = 0;

	if (length > len) {
		/* The sign takes as many bytes as it replaces, and then no character's middle. */
		at = sizeof(ellipsis) - 1 < len ? sizeof(ellipsis) - 1 : len;
		while (at < len && (end[at] & 0xc0) == 0x80)
			at++;
		memcpy(dst, ellipsis, sizeof(ellipsis) - 1);
		dst += sizeof(ellipsis) - 1;
		size -= sizeof(ellipsis) - 1;
	}
	text_printable(dst, size, end + at, len - at);
}

/* Whether the process may still make calls. */
static bool is_alive(struct probe *p, const struct sync_key *key)
{
	struct member m;

	return bpf_map_lookup_elem(bpf_map__fd(p->object->maps.members), &key->pid, &m) == 0 &&
	       m.start == key->start && !(m.flags & MEMBER_ENDED);
}

static void add_sync(struct sample *into, const struct sync_key *key, const struct sync_value *v,
                     int64_t now)
{
	struct sync_counters *c = sample_add_sync(into);
	/* Below 0 if one began since `now`. */
	int64_t elapsed = (int64_t)(v->open * (uint64_t)now - v->since_sum);

	c->pid = (int32_t)key->pid;
	c->start_ticks = key->start;
	c->call = (enum sync_call)key->call;
	c->class = (enum sync_class)key->class;
	c->count = v->count;
	c->open = v->open;
	c->total_ns = (int64_t)v->total + (elapsed > 0 ? elapsed : 0);
	c->longest_ns = (int64_t)v->longest;
}

static int read_syncs(struct probe *p, struct sample *into)
{
	int map = bpf_map__fd(p->object->maps.syncs);
	int64_t now = stamp_now().mono_ns;
	int r = READ_TABLE(p, syncs, struct sync_key, struct sync_value);

	for (size_t i = 0; r == 0 && i < p->table.count; i++) {
		const struct sync_key *key = &((struct sync_key *)p->table.keys)[i];
		struct sync_value v = ((struct sync_value *)p->table.values)[i];
		bool alive = is_alive(p, key);

		/* Read again: it may have ended after the table was read. */
		if (!alive && bpf_map_lookup_elem(map, key, &v))
			continue;
		add_sync(into, key, &v, now);
		if (!alive)
			bpf_map_delete_elem(map, key);
	}
	return r;
}

static int read_flights(struct probe *p, struct sample *into)
{
	int r = READ_TABLE(p, flights, uint32_t, struct flight);

	for (size_t i = 0; r == 0 && i < p->table.count; i++) {
		const struct flight *f = &((struct flight *)p->table.values)[i];
		struct sync_flight *to;

		if (f->watching != p->object->bss->watching || f->key.class >= N_SYNC_CLASSES)
			continue;
		to = sample_add_flight(into);
		to->pid = (int32_t)f->key.pid;
		to->start_ticks = f->key.start;
		to->call = (enum sync_call)f->key.call;
		to->class = (enum sync_class)f->key.class;
		to->since_ns = (int64_t)f->since;
		probe_file_name(to->file, sizeof(to->file), f->file, f->length);
	}
	return r;
}

static int read_writers(struct probe *p, struct sample *into)
{
	int map = bpf_map__fd(p->object->maps.writers);
	int r = READ_TABLE(p, writers, struct writer_key, struct writer_value);

	for (size_t i = 0; r == 0 && i < p->table.count; i++) {
		const struct writer_key *key = &((struct writer_key *)p->table.keys)[i];
		const struct writer_value *v = &((struct writer_value *)p->table.values)[i];
		struct sync_writer *to = sample_add_writer(into);

		to->pid = (int32_t)key->pid;
		to->start_ticks = key->start;
		text_printable(to->name, sizeof(to->name), v->name, strnlen(v->name, COMM_ROOM));
		to->count = v->count;
		to->total_ns = (int64_t)v->total;
		to->longest_ns = (int64_t)v->longest;
		if (v->ended)
			bpf_map_delete_elem(map, key);
	}
	return r;
}

static void read_latencies(const struct probe *p, struct sample *into)
{
	for (int i = 0; i < LATENCIES_MAX; i++) {
		const struct latency_value *v = &p->latencies[i];
		struct sync_latency *to;

		if (!v->count)
			continue;
		to = sample_add_latency(into);
		to->call = (enum sync_call)(i / N_SYNC_CLASSES);
		to->class = (enum sync_class)(i % N_SYNC_CLASSES);
		to->count = v->count;
		to->total_ns = (int64_t)v->total;
		to->longest_ns = (int64_t)v->longest;
		for (unsigned j = 0; j < BUCKETS; j++)
			to->hist.counts[j] = v->buckets[j];
	}
}

int probe_read(struct probe *p, struct sample *into)
{
	const struct sync_probe__bss *shared = p->object->bss;
	bool is_full = into->kind == SAMPLE_FULL;
	int r = read_syncs(p, into);

	if (r == 0)
		r = read_flights(p, into);
	if (r == 0)
		r = read_writers(p, into);
	if (r == 0 && is_full)
		read_latencies(p, into);
	into->probe = (struct probe_counters){.lost = shared->lost,
	                                      .missed = shared->missed,
	                                      .full = shared->full,
	                                      .compat = shared->compat};
	memcpy(into->probe.lacks, p->lacks, sizeof(p->lacks));
	for (int g = GROUP_PROBE; g <= GROUP_LATENCIES; g++)
		into->why[g] = g != GROUP_LATENCIES || is_full ? r : GROUP_NOT_ASKED;
	return r;
}
