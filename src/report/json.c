/* json.c - runs as JSON. */
#include "object.h"

void report_json(const struct report_run *run, FILE *out)
{
	struct json_object *o = object_of_run(run);

	object_write(o, out);
	json_object_put(o);
}

void report_json_begin(FILE *out)
{
	fprintf(out, "{\"format\":%d,\"runs\":[\n", REPORT_FORMAT);
}

void report_json_next(const struct report_run *run, bool first, FILE *out)
{
	if (!first)
		fputs(",\n", out);
	report_json(run, out);
}

void report_json_end(FILE *out)
{
	fputs("]}\n", out);
}
