/* field.c - the tables that describe the structs of frames. */
#include "dpkgtop/field.h"

#include <string.h>

/* The type of a row is that of its member, so a member that changes takes its row along. An enum
 * can not be told from an unsigned int, hence WORDS. */
#define MEMBER(of, member) (((of *)NULL)->member)
#define TYPE(of, member)                                                                           \
	_Generic(MEMBER(of, member),                                                               \
		 uint64_t: FIELD_U64,                                                              \
		 uint32_t: FIELD_U32,                                                              \
		 int64_t: FIELD_I64,                                                               \
		 int32_t: FIELD_I32,                                                               \
		 char: FIELD_CHAR,                                                                 \
		 char *: FIELD_TEXT,                                                               \
		 struct hist: FIELD_HIST)
#define ROW(of, member, key, unit)                                                                 \
	{                                                                                          \
		key, unit, TYPE(of, member), offsetof(of, member), sizeof(MEMBER(of, member)),     \
			NULL, false                                                                \
	}
#define ROW_FULL(of, member, key, unit)                                                            \
	{                                                                                          \
		key, unit, TYPE(of, member), offsetof(of, member), sizeof(MEMBER(of, member)),     \
			NULL, true                                                                 \
	}
#define WORDS(of, member, key, words)                                                              \
	{                                                                                          \
		key, "", FIELD_ENUM, offsetof(of, member), sizeof(MEMBER(of, member)), words,      \
			false                                                                      \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, FIELD_U64, 0, 0, NULL, false                                           \
	}

#define STAMP(m, unit) ROW(struct stamp, m, #m, unit)
const struct field field_stamp[] = {
	STAMP(mono_ns, "ns"),
	STAMP(boot_ns, "ns"),
	STAMP(real_ns, "ns"),
	END,
};

#define MEMORY(m, unit) ROW(struct memory_counters, m, #m, unit)
const struct field field_memory[] = {
	MEMORY(total_kib, "KiB"),
	MEMORY(dirty_kib, "KiB"),
	MEMORY(writeback_kib, "KiB"),
	MEMORY(dirty_limit_kib, "KiB"),
	MEMORY(background_limit_kib, "KiB"),
	END,
};

#define PRESSURE(m) ROW(struct pressure_counters, m, #m, "us")
const struct field field_pressure[] = {
	PRESSURE(io_some_us),     PRESSURE(io_full_us),     PRESSURE(cpu_some_us),
	PRESSURE(memory_some_us), PRESSURE(memory_full_us), END,
};

const struct field field_log[] = {
	ROW(struct log_counters, skipped, "skipped", "count"),
	END,
};

#define SPACE(m, unit) ROW(struct space_counters, m, #m, unit)
const struct field field_space[] = {
	SPACE(path, ""),
	SPACE(total_kib, "KiB"),
	SPACE(free_kib, "KiB"),
	END,
};

#define DISK(m, unit)      ROW(struct disk_counters, m, #m, unit)
#define DISK_FULL(m, unit) ROW_FULL(struct disk_counters, m, #m, unit)
const struct field field_disk[] = {
	DISK(name, ""),
	DISK(major, ""),
	DISK(minor, ""),
	DISK_FULL(reads, "count"),
	DISK_FULL(reads_merged, "count"),
	DISK_FULL(read_sectors, "sectors"),
	DISK_FULL(read_ms, "ms"),
	DISK_FULL(writes, "count"),
	DISK_FULL(writes_merged, "count"),
	DISK_FULL(written_sectors, "sectors"),
	DISK_FULL(write_ms, "ms"),
	DISK_FULL(in_flight, "count"),
	DISK_FULL(busy_ms, "ms"),
	DISK_FULL(queue_ms, "ms"),
	DISK_FULL(discards, "count"),
	DISK_FULL(discards_merged, "count"),
	DISK_FULL(discarded_sectors, "sectors"),
	DISK_FULL(discard_ms, "ms"),
	DISK(flushes, "count"),
	DISK(flush_ms, "ms"),
	END,
};

#define PROCESS(m, unit)      ROW(struct process_counters, m, #m, unit)
#define PROCESS_FULL(m, unit) ROW_FULL(struct process_counters, m, #m, unit)
const struct field field_process[] = {
	PROCESS(pid, ""),
	PROCESS(parent, ""),
	PROCESS(start_ticks, "ticks"),
	PROCESS(state, ""),
	PROCESS(name, ""),
	PROCESS_FULL(command, ""),
	PROCESS(cpu_ns, "ns"),
	PROCESS(reaped_cpu_ns, "ns"),
	PROCESS_FULL(read_bytes, "bytes"),
	PROCESS_FULL(written_bytes, "bytes"),
	PROCESS(waits, ""),
	PROCESS(left, ""),
	END,
};

#define PROBE(m) ROW(struct probe_counters, m, #m, "count")
const struct field field_probe[] = {
	PROBE(lost),
	PROBE(missed),
	PROBE(full),
	PROBE(compat),
	PROBE(outside),
	ROW(struct probe_counters, sync_ns, "sync_ns", "ns"),
	ROW(struct probe_counters, cpu_ns, "cpu_ns", "ns"),
	ROW(struct probe_counters, blocked_ns, "blocked_ns", "ns"),
	ROW(struct probe_counters, lacks, "lacks", ""),
	END,
};

#define SYNC(m, unit) ROW(struct sync_counters, m, #m, unit)
const struct field field_sync[] = {
	SYNC(pid, ""),
	SYNC(start_ticks, "ticks"),
	WORDS(struct sync_counters, call, "call", word_sync_call),
	WORDS(struct sync_counters, class, "class", word_sync_class),
	SYNC(count, "count"),
	SYNC(open, "count"),
	SYNC(total_ns, "ns"),
	SYNC(longest_ns, "ns"),
	END,
};

#define FLIGHT(m, unit) ROW(struct sync_flight, m, #m, unit)
const struct field field_flight[] = {
	FLIGHT(pid, ""),
	FLIGHT(start_ticks, "ticks"),
	WORDS(struct sync_flight, call, "call", word_sync_call),
	WORDS(struct sync_flight, class, "class", word_sync_class),
	FLIGHT(since_ns, "ns"),
	FLIGHT(file, ""),
	END,
};

#define WRITER(m, unit) ROW(struct sync_writer, m, #m, unit)
const struct field field_writer[] = {
	WRITER(pid, ""),
	WRITER(start_ticks, "ticks"),
	WRITER(name, ""),
	WRITER(count, "count"),
	WRITER(total_ns, "ns"),
	WRITER(longest_ns, "ns"),
	END,
};

#define LATENCY(m, unit) ROW(struct sync_latency, m, #m, unit)
const struct field field_latency[] = {
	WORDS(struct sync_latency, call, "call", word_sync_call),
	WORDS(struct sync_latency, class, "class", word_sync_class),
	LATENCY(count, "count"),
	LATENCY(total_ns, "ns"),
	LATENCY(longest_ns, "ns"),
	LATENCY(hist, "count"),
	END,
};

#define HEADER(m, unit) ROW(struct header, m, #m, unit)
const struct field field_header[] = {
	HEADER(dpkgtop, ""),
	HEADER(version, ""),
	HEADER(host, ""),
	HEADER(kernel, ""),
	HEADER(label, ""),
	HEADER(tick_ns, "ns"),
	END,
};

#define EVENT(kind, m, unit) ROW(struct event, kind.m, #m, unit)
static const struct field upgrade_fields[] = {
	EVENT(upgrade, pid, ""),
	EVENT(upgrade, start_ticks, "ticks"),
	EVENT(upgrade, frontend, ""),
	EVENT(upgrade, command, ""),
	EVENT(upgrade, since_ns, "ns"),
	EVENT(upgrade, where, ""),
	END,
};

static const struct field plan_fields[] = {
	EVENT(plan, unpacks, "count"),
	EVENT(plan, configures, "count"),
	EVENT(plan, removes, "count"),
	END,
};

static const struct field package_fields[] = {
	WORDS(struct event, package.verb, "verb", word_verb),
	WORDS(struct event, package.state, "state", word_state),
	EVENT(package, name, ""),
	EVENT(package, arch, ""),
	EVENT(package, version, ""),
	EVENT(package, target, ""),
	EVENT(package, ago_ns, "ns"),
	EVENT(package, detail, ""),
	END,
};

static const struct field exec_fields[] = {
	EVENT(exec, pid, ""),
	EVENT(exec, parent, ""),
	EVENT(exec, start_ticks, "ticks"),
	EVENT(exec, ago_ns, "ns"),
	WORDS(struct event, exec.role, "role", word_role),
	EVENT(exec, command, ""),
	EVENT(exec, package, ""),
	EVENT(exec, script, ""),
	END,
};

static const struct field exit_fields[] = {
	EVENT(exit, pid, ""),
	EVENT(exit, start_ticks, "ticks"),
	WORDS(struct event, exit.role, "role", word_role),
	EVENT(exit, ago_ns, "ns"),
	EVENT(exit, status, ""),
	END,
};

static const struct field slow_fields[] = {
	EVENT(slow, pid, ""),
	EVENT(slow, start_ticks, "ticks"),
	WORDS(struct event, slow.call, "call", word_sync_call),
	WORDS(struct event, slow.class, "class", word_sync_class),
	EVENT(slow, took_ns, "ns"),
	EVENT(slow, ago_ns, "ns"),
	EVENT(slow, file, ""),
	END,
};

static const struct field mode_fields[] = {
	EVENT(mode, mode, ""),
	EVENT(mode, source, ""),
	END,
};

static const struct field storage_fields[] = {
	EVENT(storage, disk, ""),
	EVENT(storage, disk_model, ""),
	EVENT(storage, rotational, ""),
	EVENT(storage, write_cache, ""),
	EVENT(storage, filesystem, ""),
	EVENT(storage, mount_point, ""),
	EVENT(storage, mount_options, ""),
	EVENT(storage, stack, ""),
	END,
};

static const struct field device_fields[] = {
	EVENT(device, disk, ""),
	EVENT(device, action, ""),
	EVENT(device, model, ""),
	END,
};

static const struct field trailing_fields[] = {
	EVENT(trailing, sync_ns, "ns"),
	END,
};

static const struct field end_fields[] = {
	EVENT(end, status, ""),
	EVENT(end, resident, ""),
	END,
};

static const struct field software_fields[] = {
	EVENT(software, dpkg, ""),
	EVENT(software, apt, ""),
	END,
};

static const struct field usage_fields[] = {
	EVENT(usage, user_ns, "ns"),
	EVENT(usage, sys_ns, "ns"),
	END,
};

static const struct field own_fields[] = {
	EVENT(own, cpu_ns, "ns"),
	EVENT(own, rss_kib, "KiB"),
	END,
};

const struct field *field_event(enum event_kind kind)
{
	static const struct field *const tables[N_EVENT_KINDS] = {
		[EVENT_UPGRADE] = upgrade_fields, [EVENT_PLAN] = plan_fields,
		[EVENT_PACKAGE] = package_fields, [EVENT_EXEC] = exec_fields,
		[EVENT_EXIT] = exit_fields,       [EVENT_SLOW] = slow_fields,
		[EVENT_MODE] = mode_fields,       [EVENT_STORAGE] = storage_fields,
		[EVENT_DEVICE] = device_fields,   [EVENT_TRAILING] = trailing_fields,
		[EVENT_END] = end_fields,         [EVENT_SOFTWARE] = software_fields,
		[EVENT_USAGE] = usage_fields,     [EVENT_OWN] = own_fields,
	};

	return tables[kind];
}

#define ONE(table, item) ((struct field_items){table, &(item), 1, sizeof(item), false})
#define MANY(table, items)                                                                         \
	((struct field_items){table, s->items, s->n_##items, sizeof(*s->items), true})

struct field_items field_group(const struct sample *s, enum group g)
{
	switch (g) {
	case GROUP_PRESSURE:
		return ONE(field_pressure, s->pressure);
	case GROUP_LOG:
		return (struct field_items){field_log, &s->log, 1, sizeof(s->log), false};
	case GROUP_DISKS:
		return MANY(field_disk, disks);
	case GROUP_SPACE:
		return MANY(field_space, spaces);
	case GROUP_PROCESSES:
		return MANY(field_process, processes);
	case GROUP_PROBE:
		return ONE(field_probe, s->probe);
	case GROUP_SYNCS:
		return MANY(field_sync, syncs);
	case GROUP_FLIGHTS:
		return MANY(field_flight, flights);
	case GROUP_WRITERS:
		return MANY(field_writer, writers);
	case GROUP_LATENCIES:
		return MANY(field_latency, latencies);
	default:
		return ONE(field_memory, s->memory);
	}
}

void *field_group_add(struct sample *s, enum group g)
{
	switch (g) {
	case GROUP_PRESSURE:
		return memset(&s->pressure, 0, sizeof(s->pressure));
	case GROUP_LOG:
		return memset(&s->log, 0, sizeof(s->log));
	case GROUP_DISKS:
		return sample_add_disk(s);
	case GROUP_SPACE:
		return sample_add_space(s);
	case GROUP_PROCESSES:
		return sample_add_process(s);
	case GROUP_PROBE:
		return memset(&s->probe, 0, sizeof(s->probe));
	case GROUP_SYNCS:
		return sample_add_sync(s);
	case GROUP_FLIGHTS:
		return sample_add_flight(s);
	case GROUP_WRITERS:
		return sample_add_writer(s);
	case GROUP_LATENCIES:
		return sample_add_latency(s);
	default:
		return memset(&s->memory, 0, sizeof(s->memory));
	}
}

bool field_equal(const struct field *table, const void *a, const void *b)
{
	for (const struct field *f = table; f->name; f++) {
		const char *of_a = (const char *)a + f->offset, *of_b = (const char *)b + f->offset;

		/* What is behind the end of a text is of no meaning. */
		if (f->type == FIELD_TEXT ? strncmp(of_a, of_b, f->size)
		                          : memcmp(of_a, of_b, f->size))
			return false;
	}
	return true;
}
