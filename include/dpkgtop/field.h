/* field.h - tables that describe the structs of frames: one row a member.
 *
 * Recording, loading, export and compare walk these tables, so a new counter is one member and
 * one row. */
#ifndef DPKGTOP_FIELD_H
#define DPKGTOP_FIELD_H

#include <stddef.h>

#include "dpkgtop/frame.h"

enum field_type {
	FIELD_U64, /* UNKNOWN_U64 is written as null */
	FIELD_U32,
	FIELD_I64,  /* UNKNOWN_NS is written as null */
	FIELD_I32,  /* -1 is written as null */
	FIELD_CHAR, /* one character */
	FIELD_TEXT, /* char[size], terminated */
	FIELD_ENUM, /* an int-sized enum, written by its word */
	FIELD_HIST, /* struct hist, written as [bucket, count, bucket, count, …] of those not 0 */
};

struct field {
	const char *name; /* the key in a recording */
	const char *unit; /* "ns" "KiB" "sectors" "count" "" */
	enum field_type type;
	size_t offset, size;
	const char *const *words; /* FIELD_ENUM: N words, NULL at the end */
	bool full; /* of a sample: only full ones mean it, so that others are written without */
};

/* Ends with a row whose name is NULL. */
extern const struct field field_stamp[];    /* struct stamp */
extern const struct field field_memory[];   /* struct memory_counters */
extern const struct field field_log[];      /* struct log_counters */
extern const struct field field_pressure[]; /* struct pressure_counters */
extern const struct field field_space[];    /* struct space_counters */
extern const struct field field_disk[];     /* struct disk_counters */
extern const struct field field_process[];  /* struct process_counters */
extern const struct field field_probe[];    /* struct probe_counters */
extern const struct field field_sync[];     /* struct sync_counters */
extern const struct field field_flight[];   /* struct sync_flight */
extern const struct field field_writer[];   /* struct sync_writer */
extern const struct field field_latency[];  /* struct sync_latency */
extern const struct field field_header[];   /* struct header, `started` left out */

/* The members that an event of this kind carries, as offsets into struct event. */
const struct field *field_event(enum event_kind kind);

/* What a group of a sample holds: memory one item, disks and processes any number. */
struct field_items {
	const struct field *fields;
	const void *first; /* the sample's own */
	size_t count, size;
	bool many; /* an array in a recording, else one object */
};

struct field_items field_group(const struct sample *s, enum group g);
/* A zeroed new last item; of a group that is not `many`, its only one, zeroed. */
void *field_group_add(struct sample *s, enum group g);

/* Whether the members that the table names are equal. */
bool field_equal(const struct field *table, const void *a, const void *b);

extern const char *const word_sample_kind[]; /* "full" "thin" "boundary" */
extern const char *const word_group[];       /* "memory" "disks" "processes" */
extern const char *const word_event_kind[];  /* "upgrade" "plan" "package" … */
extern const char *const word_role[];        /* "frontend" "method" "dpkg" … */
extern const char *const word_sync_call[];   /* "fsync" "fdatasync" "range-wait" … */
extern const char *const word_sync_class[];  /* "package" "database" "writeback" "other" */
extern const char *const word_verb[];        /* "startup" "install" … as in dpkg.log */
extern const char *const word_state[];       /* "" "not-installed" … as in dpkg.log */

/* The place of `word` (`len` bytes) in a NULL-ended list of words, or -1. */
int word_find(const char *const *words, const char *word, size_t len);

/* Processes in which debconf asks, by their comm; ends with NULL. */
extern const char *const word_debconf[];

#endif
