/* compare_data.c - runs beside each other, for machines to read. */
#include <math.h>
#include <stdio.h>

#include "csv.h"
#include "number.h"
#include "object.h"

static void add_noise(struct json_object *o, enum compare_noise noise)
{
	object_add(o, "noise",
	           noise == COMPARE_NOISE_UNKNOWN
	                   ? NULL
	                   : json_object_new_boolean(noise == COMPARE_NOISE));
}

static struct json_object *object_of_row(const struct compare_row *r, size_t groups)
{
	struct json_object *o = json_object_new_object(), *values = json_object_new_array();

	object_add_text(o, "key", r->key);
	object_add_text(o, "unit", compare_units[r->unit]);
	for (size_t g = 0; g < groups; g++) {
		const struct compare_value *v = &r->values[g];
		struct json_object *one = json_object_new_object();

		object_add_number(one, "median", v->median);
		object_add_number(one, "spread", v->spread);
		object_add_number(one, "difference", v->difference);
		object_add_number(one, "relative", v->relative);
		add_noise(one, v->noise);
		json_object_array_add(values, one);
	}
	object_add(o, "values", values);
	return o;
}

static struct json_object *object_of_groups(const struct comparison *c)
{
	struct json_object *all = json_object_new_array();

	for (size_t g = 0; g < c->n_groups; g++) {
		struct json_object *one = json_object_new_object();

		object_add_text(one, "name", c->groups[g].name);
		object_add_text(one, "mode", c->groups[g].mode);
		object_add_count(one, "runs", c->groups[g].runs);
		json_object_array_add(all, one);
	}
	return all;
}

static struct json_object *object_of_differences(const struct comparison *c)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < c->n_differences; i++) {
		const struct compare_difference *d = &c->differences[i];
		struct json_object *one = json_object_new_object();

		object_add_text(one, "what", d->what);
		object_add_count(one, "run", d->run);
		object_add_text(one, "name", d->name);
		object_add_text(one, "first", d->base);
		object_add_text(one, "is", d->is);
		json_object_array_add(all, one);
	}
	return all;
}

void report_compare_json(const struct comparison *c, FILE *out)
{
	struct json_object *o = json_object_new_object(), *rows = json_object_new_array();

	object_add(o, "format", json_object_new_int(REPORT_FORMAT));
	object_add(o, "groups", object_of_groups(c));
	object_add_bool(o, "same_work", c->n_differences == 0);
	object_add(o, "differences", object_of_differences(c));
	for (size_t i = 0; i < c->n_rows; i++)
		json_object_array_add(rows, object_of_row(&c->rows[i], c->n_groups));
	object_add(o, "rows", rows);
	object_write(o, out);
	json_object_put(o);
}

static void write_head(const struct comparison *c, FILE *out)
{
	static const char *const parts[] = {"", " spread", " difference", " relative", " noise"};
	char name[96];
	int column = 0;

	csv_field(out, &column, "key");
	csv_field(out, &column, "unit");
	for (size_t g = 0; g < c->n_groups; g++)
		for (int i = 0; i < (g ? 5 : 2); i++) {
			snprintf(name, sizeof(name), "%s%s", c->groups[g].name, parts[i]);
			csv_field(out, &column, name);
		}
	csv_end(out, &column);
}

static void write_values(const struct compare_value *v, bool base, FILE *out, int *column)
{
	static const char *const words[] = {
		[COMPARE_NOISE_UNKNOWN] = "",
		[COMPARE_NO_NOISE] = "false",
		[COMPARE_NOISE] = "true",
	};

	csv_field(out, column, number_plain(v->median).s);
	csv_field(out, column, number_plain(v->spread).s);
	if (base)
		return;
	csv_field(out, column, number_plain(v->difference).s);
	csv_field(out, column, number_plain(v->relative).s);
	csv_field(out, column, words[v->noise]);
}

void report_compare_csv(const struct comparison *c, FILE *out)
{
	int column = 0;

	write_head(c, out);
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct compare_row *r = &c->rows[i];

		csv_field(out, &column, r->key);
		csv_field(out, &column, compare_units[r->unit]);
		for (size_t g = 0; g < c->n_groups; g++)
			write_values(&r->values[g], g == 0, out, &column);
		csv_end(out, &column);
	}
}
