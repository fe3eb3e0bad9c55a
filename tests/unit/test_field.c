/* test_field.c - the tables name every member once, and equality walks them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/units.h"

struct table {
	const char *name;
	const struct field *fields;
	size_t size;   /* of the struct that the table describes */
	size_t start;  /* its place below the offsets' base */
	size_t hidden; /* bytes of members that have no row, by design */
};

#define EVENT(kind, member)                                                                        \
	{                                                                                          \
#member, field_event(kind), sizeof(((struct event *)NULL)->member),                \
			offsetof(struct event, member), 0                                          \
	}

#define N_TABLES (8 + N_EVENT_KINDS)

static void all_tables(struct table t[N_TABLES])
{
	const struct table all[N_TABLES] = {
		{"stamp", field_stamp, sizeof(struct stamp), 0, 0},
		{"memory", field_memory, sizeof(struct memory_counters), 0, 0},
		{"log", field_log, sizeof(struct log_counters), 0, 0},
		{"pressure", field_pressure, sizeof(struct pressure_counters), 0, 0},
		{"space", field_space, sizeof(struct space_counters), 0, 0},
		{"disk", field_disk, sizeof(struct disk_counters), 0, 0},
		{"process", field_process, sizeof(struct process_counters), 0, 0},
		{"header", field_header, sizeof(struct header), 0, sizeof(struct stamp)},
		EVENT(EVENT_UPGRADE, upgrade),
		EVENT(EVENT_PLAN, plan),
		EVENT(EVENT_PACKAGE, package),
		EVENT(EVENT_EXEC, exec),
		EVENT(EVENT_EXIT, exit),
		EVENT(EVENT_SLOW, slow),
		EVENT(EVENT_MODE, mode),
		EVENT(EVENT_STORAGE, storage),
		EVENT(EVENT_DEVICE, device),
		EVENT(EVENT_TRAILING, trailing),
		EVENT(EVENT_END, end),
		EVENT(EVENT_SOFTWARE, software),
		EVENT(EVENT_USAGE, usage),
		EVENT(EVENT_OWN, own),
	};

	memcpy(t, all, sizeof(all));
}

/* Rows neither overlap nor leave out more than alignment costs (below 8 bytes): a counter that was
 * added without its row fails here. */
static void every_member_has_a_row(void **state)
{
	struct table tables[N_TABLES];

	(void)state;
	all_tables(tables);
	for (size_t i = 0; i < N_TABLES; i++) {
		const struct table *t = &tables[i];
		unsigned char used[2048] = {0};
		size_t holes = 0, run = 0;

		assert_true(t->size <= sizeof(used));
		for (const struct field *f = t->fields; f->name; f++) {
			assert_true(f->offset >= t->start);
			assert_true(f->offset - t->start + f->size <= t->size);
			for (size_t at = 0; at < f->size; at++)
				assert_int_equal(used[f->offset - t->start + at]++, 0);
		}
		for (size_t at = 0; at < t->size; at++) {
			run = used[at] ? 0 : run + 1;
			if (run == 8) {
				holes += run;
				run = 0;
			}
		}
		if (holes != t->hidden)
			fail_msg("%s: %zu bytes without a row", t->name, holes);
	}
}

static void keys_are_unique_and_typed(void **state)
{
	struct table tables[N_TABLES];

	(void)state;
	all_tables(tables);
	for (size_t i = 0; i < N_TABLES; i++)
		for (const struct field *f = tables[i].fields; f->name; f++) {
			assert_non_null(f->unit);
			assert_int_equal(f->type == FIELD_ENUM, f->words != NULL);
			if (f->type == FIELD_ENUM)
				assert_int_equal(f->size, sizeof(int));
			/* These belong to the line itself. */
			assert_string_not_equal(f->name, "event");
			assert_string_not_equal(f->name, "sample");
			assert_string_not_equal(f->name, "at");
			for (const struct field *g = f + 1; g->name; g++)
				assert_string_not_equal(f->name, g->name);
		}
}

static void a_row_knows_its_member(void **state)
{
	(void)state;
	assert_string_equal(field_header[0].name, "dpkgtop");
	assert_int_equal(field_header[0].type, FIELD_I32);
	assert_string_equal(field_disk[1].name, "major");
	assert_int_equal(field_disk[1].type, FIELD_U32);
	assert_string_equal(field_disk[5].name, "read_sectors");
	assert_string_equal(field_disk[5].unit, "sectors");
	assert_int_equal(field_disk[5].offset, offsetof(struct disk_counters, read_sectors));
	assert_string_equal(field_process[3].name, "state");
	assert_int_equal(field_process[3].type, FIELD_CHAR);
	assert_int_equal(field_process[4].type, FIELD_TEXT);
	assert_int_equal(field_process[4].size, 32);
	assert_int_equal(field_process[6].type, FIELD_I64);
	assert_ptr_equal(field_event(EVENT_PACKAGE)[1].words, word_state);
}

static void words_have_no_hole(void **state)
{
	(void)state;
	assert_null(word_sample_kind[N_SAMPLE_KINDS]);
	assert_int_equal(word_find(word_sample_kind, "boundary", 8), SAMPLE_BOUNDARY);
	assert_int_equal(word_find(word_group, "processes", 9), GROUP_PROCESSES);
	assert_int_equal(word_find(word_event_kind, "own", 3), N_EVENT_KINDS - 1);
	assert_int_equal(word_find(word_role, "step", 4), N_ROLES - 1);
	assert_int_equal(word_find(word_verb, "conffile", 8), N_VERBS - 1);
	assert_int_equal(word_find(word_state, "installed", 9), N_STATES - 1);
	assert_int_equal(word_find(word_state, "", 0), STATE_NONE);
	/* Only the bytes that were given count. */
	assert_int_equal(word_find(word_verb, "install libc6", 7), VERB_INSTALL);
	assert_int_equal(word_find(word_verb, "install", 6), -1);
	assert_int_equal(word_find(word_verb, "status\0x", 8), -1);
}

static void initramfs_packages(void **state)
{
	(void)state;
	assert_true(event_is_initramfs_package("initramfs-tools"));
	assert_true(event_is_initramfs_package("dracut"));
	assert_false(event_is_initramfs_package("initramfs-tools-core"));
	assert_false(event_is_initramfs_package("libc-bin"));
	assert_false(event_is_initramfs_package(""));
}

/* Each member on its own must make two events differ, and what belongs to no member must not. */
static void equality_of_events(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_EVENT_KINDS; kind++) {
		struct event a, b;

		memset(&a, 0, sizeof(a));
		memset(&b, 0, sizeof(b));
		a.kind = b.kind = (enum event_kind)kind;
		for (const struct field *f = field_event(a.kind); f->name; f++) {
			assert_true(event_equal(&a, &b));
			((char *)&b)[f->offset] = 1;
			assert_false(event_equal(&a, &b));
			((char *)&b)[f->offset] = 0;
		}
		b.at.boot_ns = 1;
		assert_false(event_equal(&a, &b));
		b.at.boot_ns = 0;
		b.kind = (enum event_kind)((kind + 1) % N_EVENT_KINDS);
		assert_false(event_equal(&a, &b));
	}
}

static void rest_of_a_text_is_no_content(void **state)
{
	struct event a, b;

	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 0x55, sizeof(b));
	a.kind = b.kind = EVENT_UPGRADE;
	a.at = b.at;
	a.upgrade.pid = b.upgrade.pid;
	a.upgrade.start_ticks = b.upgrade.start_ticks;
	a.upgrade.since_ns = b.upgrade.since_ns;
	b.upgrade.frontend[0] = b.upgrade.command[0] = b.upgrade.where[0] = '\0';
	assert_true(event_equal(&a, &b));
	strcpy(a.upgrade.frontend, "apt");
	strcpy(b.upgrade.frontend, "apt");
	assert_true(event_equal(&a, &b));
	b.upgrade.frontend[2] = 'T';
	assert_false(event_equal(&a, &b));
}

static void fill_sample(struct sample *s)
{
	struct disk_counters *disk;

	s->at = (struct stamp){1, 2, 3};
	memset(s->why, 0, sizeof(s->why));
	s->memory.dirty_kib = 7;
	disk = sample_add_disk(s);
	strcpy(disk->name, "vda");
	disk->flushes = 5;
	for (int32_t pid = 10; pid < 60; pid += 2)
		sample_add_process(s)->pid = pid;
}

static void equality_of_samples(void **state)
{
	struct sample a, b;

	(void)state;
	sample_init(&a);
	sample_init(&b);
	assert_true(sample_equal(&a, &b));
	fill_sample(&a);
	assert_false(sample_equal(&a, &b));
	fill_sample(&b);
	assert_true(sample_equal(&a, &b));
	b.kind = SAMPLE_THIN;
	assert_false(sample_equal(&a, &b));
	b.kind = a.kind;
	b.at.real_ns++;
	assert_false(sample_equal(&a, &b));
	b.at = a.at;
	b.processes[24].cpu_ns = 1;
	assert_false(sample_equal(&a, &b));
	b.processes[24].cpu_ns = 0;
	b.n_processes--;
	assert_false(sample_equal(&a, &b));
	/* A failed group has a reason and no content. */
	a.why[GROUP_PROCESSES] = b.why[GROUP_PROCESSES] = -13;
	assert_true(sample_equal(&a, &b));
	b.why[GROUP_PROCESSES] = -2;
	assert_false(sample_equal(&a, &b));
	sample_done(&a);
	sample_done(&b);
}

static void copy_and_clear(void **state)
{
	struct sample a, b;
	struct disk_counters *disks;

	(void)state;
	sample_init(&a);
	sample_init(&b);
	fill_sample(&a);
	sample_copy(&b, &a);
	assert_true(sample_equal(&a, &b));
	assert_ptr_not_equal(a.disks, b.disks);
	disks = a.disks;
	sample_clear(&a);
	assert_ptr_equal(a.disks, disks);
	assert_int_equal(a.n_disks + a.n_processes, 0);
	assert_false(sample_has(&a, GROUP_DISKS));
	assert_int_equal(a.why[GROUP_DISKS], GROUP_NOT_ASKED);
	/* Memory that is used again holds nothing of its former content. */
	assert_int_equal(sample_add_disk(&a)->flushes, 0);
	assert_string_equal(a.disks[0].name, "");
	sample_copy(&a, &b);
	assert_true(sample_equal(&a, &b));
	sample_done(&a);
	sample_done(&b);
}

static void find_in_a_sample(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	assert_null(sample_disk(&s, "vda"));
	assert_null(sample_process(&s, 10));
	fill_sample(&s);
	assert_int_equal(sample_disk(&s, "vda")->flushes, 5);
	assert_null(sample_disk(&s, "vda1"));
	for (int32_t pid = 9; pid < 62; pid++) {
		const struct process_counters *p = sample_process(&s, pid);

		if (pid % 2 || pid >= 60)
			assert_null(p);
		else
			assert_int_equal(p->pid, pid);
	}
	sample_done(&s);
}

static void one_disk_is_kept(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	fill_sample(&s);
	strcpy(sample_add_disk(&s)->name, "vdb");
	s.disks[s.n_disks - 1].flushes = 77;
	sample_keep_disk(&s, "vdb");
	assert_int_equal(s.n_disks, 1);
	assert_int_equal(sample_disk(&s, "vdb")->flushes, 77);
	sample_keep_disk(&s, "");
	assert_int_equal(s.n_disks, 0);
	sample_done(&s);
}

static void groups_show_the_sample(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	fill_sample(&s);
	assert_ptr_equal(field_group(&s, GROUP_DISKS).first, s.disks);
	assert_ptr_equal(field_group(&s, GROUP_PROCESSES).fields, field_process);
	assert_int_equal(field_group(&s, GROUP_PROCESSES).count, 25);
	assert_ptr_equal(field_group(&s, GROUP_MEMORY).first, &s.memory);
	assert_false(field_group(&s, GROUP_MEMORY).many);
	assert_ptr_equal(field_group_add(&s, GROUP_DISKS), &s.disks[1]);
	assert_ptr_equal(field_group_add(&s, GROUP_MEMORY), &s.memory);
	assert_int_equal(s.memory.dirty_kib, 0);
	sample_done(&s);
}

static void a_header_starts_unknown(void **state)
{
	struct header h;

	(void)state;
	memset(&h, 0x55, sizeof(h));
	header_init(&h);
	assert_int_equal(h.dpkgtop, FRAME_FORMAT);
	assert_string_equal(h.version, VERSION);
	assert_string_equal(h.host, "");
	assert_string_equal(h.kernel, "");
	assert_true(h.tick_ns == UNKNOWN_NS && h.started.mono_ns == UNKNOWN_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_has_a_row),
		cmocka_unit_test(keys_are_unique_and_typed),
		cmocka_unit_test(a_row_knows_its_member),
		cmocka_unit_test(words_have_no_hole),
		cmocka_unit_test(initramfs_packages),
		cmocka_unit_test(equality_of_events),
		cmocka_unit_test(rest_of_a_text_is_no_content),
		cmocka_unit_test(equality_of_samples),
		cmocka_unit_test(copy_and_clear),
		cmocka_unit_test(find_in_a_sample),
		cmocka_unit_test(one_disk_is_kept),
		cmocka_unit_test(groups_show_the_sample),
		cmocka_unit_test(a_header_starts_unknown),
	};

	return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
