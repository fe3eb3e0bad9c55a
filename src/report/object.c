/* object.c - one run as a JSON object. */
#include "object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dpkgtop/units.h"
#include "dpkgtop/whatif.h"
#include "number.h"

void object_add(struct json_object *o, const char *key, struct json_object *value)
{
	if (json_object_object_add_ex(
		    o, key, value, JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY))
		abort();
}

void object_add_text(struct json_object *o, const char *key, const char *text)
{
	object_add(o, key, *text ? json_object_new_string(text) : NULL);
}

void object_add_count(struct json_object *o, const char *key, uint64_t count)
{
	object_add(o, key, count == UNKNOWN_U64 ? NULL : json_object_new_uint64(count));
}

/* json-c would write a double with 17 digits, and with the locale's comma in some releases. */
static void add_digits(struct json_object *o, const char *key, double value,
                       struct number_text text)
{
	object_add(o, key, *text.s ? json_object_new_double_s(value, text.s) : NULL);
}

void object_add_seconds(struct json_object *o, const char *key, int64_t ns)
{
	add_digits(o, key, (double)ns / 1e9, number_seconds(ns));
}

void object_add_micros(struct json_object *o, const char *key, int64_t ns)
{
	add_digits(o, key, (double)ns / 1e3, number_micros(ns));
}

void object_add_number(struct json_object *o, const char *key, double value)
{
	add_digits(o, key, value, number_plain(value));
}

void object_add_bool(struct json_object *o, const char *key, bool value)
{
	object_add(o, key, json_object_new_boolean(value));
}

/* When the upgrade began, which may be before it was watched; "" unknown. */
static void started(const struct model *m, char *ret, size_t size)
{
	int64_t us = (m->begun.real_ns - (m->begun.mono_ns - m->since_ns)) / 1000;
	time_t second = us / 1000000;
	struct tm tm;

	*ret = '\0';
	if (m->state == MODEL_WAITING || m->begun.real_ns == UNKNOWN_NS || us <= 0 ||
	    !gmtime_r(&second, &tm))
		return;
	snprintf(ret, size, "%04d-%02d-%02dT%02d:%02d:%02d.%06" PRId64 "Z", tm.tm_year + 1900,
	         tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, us % 1000000);
}

static void add_status(struct json_object *o, const struct model *m)
{
	bool known = m->state == MODEL_ENDED && m->status != STATUS_UNKNOWN;

	object_add(o, "exit_status", known ? json_object_new_int(m->status) : NULL);
}

static void add_head(struct json_object *o, const struct report_run *run)
{
	const struct model *m = run->model;
	bool any = m->state != MODEL_WAITING;
	struct json_object *software = json_object_new_object();
	char when[64];

	object_add(o, "format", json_object_new_int(REPORT_FORMAT));
	object_add_text(o, "dpkgtop", m->header.version);
	object_add_text(o, "command", m->upgrade.command);
	add_status(o, m);
	object_add_bool(o, "complete", m->state == MODEL_ENDED && !run->cut);
	started(m, when, sizeof(when));
	object_add_text(o, "started", when);
	object_add_seconds(o, "observed_from_s", any ? m->begun.mono_ns - m->since_ns : UNKNOWN_NS);
	object_add_text(o, "label", m->header.label);
	object_add_text(o, "mode", m->mode.mode);
	object_add_text(o, "mode_source", m->mode.source);
	object_add_text(o, "frontend", m->upgrade.frontend);
	object_add_text(o, "host", m->header.host);
	object_add_text(o, "kernel", m->header.kernel);
	object_add_text(software, "dpkg", m->software.dpkg);
	object_add_text(software, "apt", m->software.apt);
	object_add(o, "software", software);
}

static void add_storage(struct json_object *o, const struct storage_event *f)
{
	struct json_object *s = json_object_new_object();

	object_add_text(s, "device", f->disk);
	object_add_text(s, "model", f->disk_model);
	object_add(s, "rotational",
	           f->rotational < 0 ? NULL : json_object_new_boolean(f->rotational));
	object_add_text(s, "write_cache", f->write_cache);
	object_add_text(s, "fs", f->filesystem);
	object_add_text(s, "mount_options", f->mount_options);
	object_add(s, "simulated", *f->disk ? json_object_new_boolean(false) : NULL);
	object_add(o, "storage", s);
}

static void add_times(struct json_object *o, const struct model *m)
{
	object_add_seconds(o, "wall_s", model_wall(m));
	object_add_seconds(o, "user_s", m->usage.user_ns);
	object_add_seconds(o, "sys_s", m->usage.sys_ns);
	object_add_seconds(o, "trailing_sync_s", m->ledger.trailing_ns);
}

static void add_whatif(struct json_object *o, const struct model *m)
{
	struct json_object *all = json_object_new_object();
	struct prediction p[N_WHATIFS];

	whatif(m, p);
	for (int i = 0; i < N_WHATIFS; i++) {
		struct json_object *one = json_object_new_object();

		object_add_seconds(one, "wall_s", p[i].wall_ns);
		object_add_seconds(one, "low_s", p[i].low_ns);
		object_add_seconds(one, "high_s", p[i].high_ns);
		object_add_seconds(one, "on_disk_s", p[i].on_disk_ns);
		object_add(all, whatif_names[i], one);
	}
	object_add(o, "whatif", all);
}

static void add_own(struct json_object *o, const struct own_event *own)
{
	struct json_object *cost = json_object_new_object();

	object_add_seconds(cost, "cpu_s", own->cpu_ns);
	object_add_count(cost, "rss_kib", own->rss_kib);
	object_add(o, "own_cost", cost);
}

struct json_object *object_of_run(const struct report_run *run)
{
	const struct model *m = run->model;
	struct json_object *o = json_object_new_object();

	add_head(o, run);
	add_storage(o, &m->facts);
	add_times(o, m);
	object_add_phases(o, m);
	object_add_initramfs(o, m);
	object_add_syncs(o, m);
	object_add_packages(o, m);
	object_add_disks(o, m);
	object_add_left(o, m);
	add_whatif(o, m);
	add_own(o, &m->own);
	return o;
}

void object_write(struct json_object *o, FILE *out)
{
	fputs(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
	                                                JSON_C_TO_STRING_NOSLASHESCAPE),
	      out);
	fputc('\n', out);
}
