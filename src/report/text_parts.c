/* text_parts.c - what stands below the ledger. */
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/span.h"
#include "dpkgtop/units.h"
#include "dpkgtop/whatif.h"

#include "number.h"
#include "parts.h"

static const char *latency(int64_t ns, struct units_text *room)
{
	*room = number_ascii(units_latency(ns == UNKNOWN_NS ? UNKNOWN_RATE : (double)ns));
	return room->s;
}

static void write_class(const struct syncs *s, int class, FILE *out)
{
	static const char *const words[N_SYNC_CLASSES] = {
		[SYNC_PACKAGE] = "package files",
		[SYNC_DATABASE] = "dpkg's database",
		[SYNC_WRITEBACK] = "writeback",
		[SYNC_OTHER] = "others",
	};
	struct units_text p50, p99, most;

	fprintf(out, "%-16s %9s %8s", words[class], units_count(s->classes[class].count).s,
	        units_seconds(s->classes[class].ns).s);
	fprintf(out, " %8s %8s %8s\n", latency(syncs_percentile(s, class, 0.5), &p50),
	        latency(syncs_percentile(s, class, 0.99), &p99),
	        latency(s->longest_ns[class], &most));
}

static void write_doubts(const struct syncs *s, FILE *out)
{
	const struct probe_counters *p = &s->probe;

	if (p->compat)
		fprintf(out,
		        "32-bit programs ran, whose calls are not seen: these are lower bounds\n");
	if (p->missed)
		fprintf(out, "%s calls were not counted: these are lower bounds\n",
		        units_count(p->missed).s);
	if (*p->lacks)
		fprintf(out, "this kernel can not tell of %s\n", p->lacks);
}

void part_syncs(const struct model *m, FILE *out)
{
	if (!m->syncs.counted)
		return;
	fprintf(out, "\n%-16s %9s %8s %8s %8s %8s\n", "sync calls", "calls", "time", "p50", "p99",
	        "max");
	for (int c = 0; c < N_SYNC_CLASSES; c++)
		write_class(&m->syncs, c, out);
	write_doubts(&m->syncs, out);
}

/* --- packages ------------------------------------------------------------------------------ */

#define SLOWEST 10

static int64_t known(int64_t ns)
{
	return ns == UNKNOWN_NS ? 0 : ns;
}

static int64_t total_of(const struct package *k)
{
	return span_add(span_add(known(k->unpack_ns), known(k->configure_ns)),
	                span_add(known(k->remove_ns), known(k->trigger_ns)));
}

static int slower(const void *a, const void *b)
{
	const struct package *x = *(const struct package *const *)a;
	const struct package *y = *(const struct package *const *)b;
	int64_t tx = total_of(x), ty = total_of(y);

	return tx != ty ? (tx < ty) - (tx > ty) : strcmp(x->name, y->name);
}

static const char *seconds(int64_t ns, struct units_text *room)
{
	*room = number_ascii(units_seconds(ns));
	return room->s;
}

static void write_package(const struct package *k, FILE *out)
{
	struct units_text room;

	part_left_aligned(out, k->name, 30);
	fprintf(out, " %7s", seconds(total_of(k), &room));
	fprintf(out, " %7s", seconds(k->unpack_ns, &room));
	fprintf(out, " %9s", seconds(k->configure_ns, &room));
	fprintf(out, " %7s", seconds(k->script_ns, &room));
	fprintf(out, " %7s", number_ascii(units_count(k->sync_calls)).s);
	fprintf(out, " %7s\n", seconds(k->sync_ns, &room));
}

/* Of many that took no time at all none is the slowest. */
#define SLOW_LEAST_NS INT64_C(50000000)

void part_packages(const struct model *m, FILE *out)
{
	const struct packages *p = &m->packages;
	const struct package **all = mem_new(p->count + 1, sizeof(*all));

	for (size_t i = 0; i < p->count; i++)
		all[i] = &p->items[i];
	qsort(all, p->count, sizeof(*all), slower);
	if (p->count && total_of(all[0]) >= SLOW_LEAST_NS)
		fprintf(out, "\n%-30s %7s %7s %9s %7s %7s %7s\n", "slowest packages", "total",
		        "unpack", "configure", "scripts", "syncs", "in sync");
	for (size_t i = 0; i < p->count && i < SLOWEST; i++)
		if (total_of(all[i]) >= SLOW_LEAST_NS)
			write_package(all[i], out);
	free(all);
}

static int longer(const void *a, const void *b)
{
	const struct script *x = *(const struct script *const *)a;
	const struct script *y = *(const struct script *const *)b;

	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : strcmp(x->package, y->package);
}

static void write_script(const struct script *s, FILE *out)
{
	struct units_text room;
	char text[160];

	snprintf(text, sizeof(text), "%s %s", *s->package ? s->package : "?", s->name);
	part_left_aligned(out, text, 46);
	fprintf(out, " %7s", seconds(s->ns, &room));
	fprintf(out, " %6s\n", units_count(s->count).s);
}

void part_scripts(const struct model *m, FILE *out)
{
	const struct scripts *s = &m->scripts;
	const struct script **all = mem_new(s->count + 1, sizeof(*all));

	for (size_t i = 0; i < s->count; i++)
		all[i] = &s->items[i];
	qsort(all, s->count, sizeof(*all), longer);
	if (s->count && all[0]->ns >= SLOW_LEAST_NS)
		fprintf(out, "\n%-46s %7s %6s\n", "slowest scripts", "total", "runs");
	for (size_t i = 0; i < s->count && i < SLOWEST; i++)
		if (all[i]->ns >= SLOW_LEAST_NS)
			write_script(all[i], out);
	free(all);
}

void part_failures(const struct model *m, FILE *out)
{
	const struct packages *p = &m->packages;

	for (size_t i = 0; i < p->count; i++) {
		const struct package *k = &p->items[i];

		if (!k->failed)
			continue;
		fprintf(out, "failed: %s", k->name);
		if (*k->failure.script && k->failure.status != STATUS_UNKNOWN)
			fprintf(out, ", %s ended with status %d", k->failure.script,
			        k->failure.status);
		fprintf(out, ", left %s\n",
		        *word_state[k->state] ? word_state[k->state] : "as it was");
	}
	if (p->unnamed_failures)
		fprintf(out, "failed: %s more\n", units_count(p->unnamed_failures).s);
}

/* --- the rest ------------------------------------------------------------------------------ */

static void write_step(const struct step *s, FILE *out)
{
	char text[256];
	struct units_text took;

	snprintf(text, sizeof(text), "%-9s %-20s %s%s",
	         s->end_ns == UNKNOWN_NS ? "-" : seconds(s->end_ns - s->begin_ns, &took),
	         *s->tool ? s->tool : "a tool not seen", *s->by ? "by " : "", s->by);
	part_line(out, text);
}

/* Tools that ran for so long are worth a line. */
#define STEP_LEAST_NS INT64_C(1000000000)

static bool worth_a_line(const struct steps *all, size_t at)
{
	const struct step *s = &all->items[at];

	if (steps_nested(all, at))
		return false;
	return s->role == ROLE_INITRAMFS || s->end_ns == UNKNOWN_NS ||
	       s->end_ns - s->begin_ns >= STEP_LEAST_NS;
}

void part_builds(const struct model *m, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < m->steps.count; i++) {
		if (!worth_a_line(&m->steps, i))
			continue;
		if (!any)
			fputs("\ninitramfs builds and other tools\n", out);
		any = true;
		write_step(&m->steps.items[i], out);
	}
	if (m->steps.left_out)
		fprintf(out, "and %s more\n", units_count(m->steps.left_out).s);
}

void part_disk(const struct model *m, FILE *out)
{
	const struct storage *s = &m->storage;

	if (!*s->disk || (s->flushes == UNKNOWN_U64 && s->written_bytes == UNKNOWN_U64))
		return;
	fprintf(out, "%s: ", s->disk);
	if (s->flushes != UNKNOWN_U64)
		fprintf(out, "%s flushes", units_count(s->flushes).s);
	if (s->flushes != UNKNOWN_U64 && s->flush_ms != UNKNOWN_U64)
		fprintf(out, " in %s", units_seconds(span_of_ms(s->flush_ms)).s);
	if (s->written_bytes != UNKNOWN_U64)
		fprintf(out, "%s%s written", s->flushes != UNKNOWN_U64 ? ", " : "",
		        units_bytes((double)s->written_bytes).s);
	if (s->read_bytes != UNKNOWN_U64)
		fprintf(out, ", %s read", units_bytes((double)s->read_bytes).s);
	fputs(", by everybody\n", out);
}

void part_left(const struct model *m, FILE *out)
{
	for (size_t i = 0; i < m->left.count; i++) {
		const char *command = m->left.items[i].command;
		char text[256];

		snprintf(text, sizeof(text), "left running: %s",
		         *command ? command : m->left.items[i].name);
		part_line(out, text);
	}
	if (m->left.left_out)
		fprintf(out, "left running: %s more\n", units_count(m->left.left_out).s);
}

static void write_prediction(enum whatif_mode mode, const struct prediction *p, FILE *out)
{
	char text[512];
	size_t len;

	len = (size_t)snprintf(text, sizeof(text), "%s this run would have taken about %s",
	                       mode == WHATIF_UNSAFE_IO ? "With --force-unsafe-io"
	                                                : "With eatmydata",
	                       units_seconds(p->wall_ns).s);
	len += (size_t)snprintf(text + len, sizeof(text) - len, " (between %s",
	                        units_seconds(p->low_ns).s);
	len += (size_t)snprintf(text + len, sizeof(text) - len, " and %s)",
	                        units_seconds(p->high_ns).s);
	if (p->on_disk_ns != UNKNOWN_NS && p->on_disk_ns > p->wall_ns)
		snprintf(text + len, sizeof(text) - len,
		         "; its data on the disk after %s at the earliest.",
		         units_seconds(p->on_disk_ns).s);
	else
		snprintf(text + len, sizeof(text) - len, ".");
	part_words(out, text);
}

void part_whatif(const struct model *m, FILE *out)
{
	static const char *const words[N_WHATIF_WHYS] = {
		[WHATIF_ESTIMATED] =
			"What other modes would have taken is not told: the sync calls "
			"were only estimated.",
		[WHATIF_UNSEEN] = "What other modes would have taken is not told: too much of the "
				  "run was not watched.",
	};
	struct prediction p[N_WHATIFS];
	const char *why;

	whatif(m, p);
	why = words[p[WHATIF_EATMYDATA].why];
	if (why) {
		fputc('\n', out);
		part_words(out, why);
	}
	for (int i = 0; i < N_WHATIFS; i++) {
		if (p[i].why != WHATIF_KNOWN)
			continue;
		if (i == 0 || p[i - 1].why != WHATIF_KNOWN)
			fputc('\n', out);
		write_prediction((enum whatif_mode)i, &p[i], out);
	}
}
