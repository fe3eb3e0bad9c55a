/* object.h - one run as the JSON object that doc/report.md describes. */
#ifndef REPORT_OBJECT_H
#define REPORT_OBJECT_H

#include <json-c/json.h>

#include "dpkgtop/report.h"

/* The caller's, for json_object_put(3). */
struct json_object *object_of_run(const struct report_run *run);

/* What the parts of it are made with. All keys are constants; what is unknown becomes null. */
void object_add(struct json_object *o, const char *key, struct json_object *value);
void object_add_text(struct json_object *o, const char *key, const char *text); /* "": unknown */
void object_add_count(struct json_object *o, const char *key, uint64_t count);
void object_add_seconds(struct json_object *o, const char *key, int64_t ns);
void object_add_micros(struct json_object *o, const char *key, int64_t ns);
void object_add_number(struct json_object *o, const char *key, double value); /* NaN: unknown */
void object_add_bool(struct json_object *o, const char *key, bool value);

/* The parts that are lists: object_lists.c. */
void object_add_phases(struct json_object *o, const struct model *m);
void object_add_initramfs(struct json_object *o, const struct model *m);
void object_add_syncs(struct json_object *o, const struct model *m);
void object_add_packages(struct json_object *o, const struct model *m);
void object_add_disks(struct json_object *o, const struct model *m);
void object_add_left(struct json_object *o, const struct model *m);

/* Writes it, with a newline behind. */
void object_write(struct json_object *o, FILE *out);

#endif
