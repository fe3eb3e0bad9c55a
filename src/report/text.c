/* text.c - a run as plain text. */
#include <string.h>

#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "number.h"
#include "parts.h"

void part_line(FILE *out, const char *text)
{
	int width;
	size_t len = text_fit(text, TEXT_COLUMNS, &width);

	if (text[len])
		len = text_fit(text, TEXT_COLUMNS - 3, &width);
	fprintf(out, "%.*s%s\n", (int)len, text, text[len] ? "..." : "");
}

void part_left_aligned(FILE *out, const char *text, int columns)
{
	int width;
	size_t len = text_fit(text, columns, &width);

	if (text[len])
		len = text_fit(text, columns - 3, &width);
	fprintf(out, "%.*s%s", (int)len, text, text[len] ? "..." : "");
	width += text[len] ? 3 : 0;
	fprintf(out, "%*s", columns - width, "");
}

void part_words(FILE *out, const char *text)
{
	int used = 0;

	while (*text) {
		size_t len = strcspn(text, " ");
		char word[512];
		int width;

		/* A word wider than a line is not cut: it may be wanted whole. */
		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		width = text_width(word);
		if (used && used + 1 + width > TEXT_COLUMNS) {
			fputc('\n', out);
			used = 0;
		}
		fprintf(out, "%s%s", used ? " " : "", word);
		used += width + (used > 0);
		text += len + strspn(text + len, " ");
	}
	fputc('\n', out);
}

/* Adds ", WORDS" or, to an empty text, "WORDS". */
static void append(char *text, size_t size, const char *before, const char *words)
{
	size_t len = strlen(text);

	if (*words && len < size)
		snprintf(text + len, size - len, "%s%s%s", len ? ", " : "", before, words);
}

static void write_ground(const struct model *m, FILE *out)
{
	const struct storage_event *f = &m->facts;
	char text[1024] = "", on[256];

	append(text, sizeof(text), "", m->mode.mode);
	if (*m->mode.mode && *m->mode.source) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, " (%s)", m->mode.source);
	}
	if (*f->filesystem || *f->disk) {
		snprintf(on, sizeof(on), "%s on %s",
		         *f->filesystem ? f->filesystem : "unknown filesystem",
		         *f->disk ? f->disk : "an unknown disk");
		append(text, sizeof(text), "", on);
		append(text, sizeof(text), "", f->disk_model);
		if (f->rotational >= 0)
			append(text, sizeof(text), "", f->rotational ? "rotating" : "not rotating");
		append(text, sizeof(text), "cache ", f->write_cache);
	}
	if (*text)
		part_words(out, text);
	if (*f->mount_options) {
		snprintf(text, sizeof(text), "mounted %s", f->mount_options);
		part_words(out, text);
	}
}

static void write_machine(const struct model *m, FILE *out)
{
	char text[512] = "";

	append(text, sizeof(text), "host ", m->header.host);
	append(text, sizeof(text), "Linux ", m->header.kernel);
	append(text, sizeof(text), "dpkg ", m->software.dpkg);
	append(text, sizeof(text), "apt ", m->software.apt);
	append(text, sizeof(text), "label ", m->header.label);
	if (*text)
		part_words(out, text);
}

static void write_end(const struct model *m, FILE *out)
{
	if (m->state != MODEL_ENDED)
		fprintf(out, "not over");
	else if (m->status == STATUS_UNKNOWN)
		fprintf(out, "exit status unknown");
	else
		fprintf(out, "exit status %d", m->status);
	fprintf(out, " after %s\n", units_seconds(model_wall(m)).s);
	if (m->begun.mono_ns > m->since_ns)
		fprintf(out, "watched from %s on; before that only what dpkg.log tells\n",
		        units_seconds(m->begun.mono_ns - m->since_ns).s);
	if (m->suspended_ns > 0)
		fprintf(out, "the machine slept for %s meanwhile: not counted\n",
		        units_seconds(m->suspended_ns).s);
}

static void write_time(FILE *out, const char *name, int64_t ns)
{
	double s = ns == UNKNOWN_NS ? UNKNOWN_RATE : (double)ns / 1e9;

	fprintf(out, "%s %s%s", name, number_fixed(s, 3).s, ns == UNKNOWN_NS ? "" : "s");
}

/* As time(1) would, and as somebody with a stopwatch beside it. */
static void write_times(const struct model *m, FILE *out)
{
	write_time(out, "real", model_wall(m));
	write_time(out, "   user", m->usage.user_ns);
	write_time(out, "   sys", m->usage.sys_ns);
	write_time(out, "   trailing sync", m->ledger.trailing_ns);
	fputs("\n\n", out);
}

static void write_counts(const struct packages *p, FILE *out)
{
	fprintf(out, "\n%s unpacked", units_count(p->unpacked).s);
	fprintf(out, ", %s configured", units_count(p->configured).s);
	fprintf(out, ", %s triggers", units_count(p->triggered).s);
	fprintf(out, ", %s removed", units_count(p->removed).s);
	fprintf(out, " in %s run%s of dpkg\n", units_count(p->dpkg_runs).s,
	        p->dpkg_runs == 1 ? "" : "s");
}

static void write_own(const struct own_event *own, FILE *out)
{
	if (own->cpu_ns == UNKNOWN_NS || own->rss_kib == UNKNOWN_U64)
		return;
	fprintf(out, "\nwatching cost %s of CPU and %s of memory\n",
	        number_ascii(units_latency((double)own->cpu_ns)).s,
	        units_bytes((double)own->rss_kib * 1024).s);
}

void report_text(const struct model *m, FILE *out)
{
	if (m->state == MODEL_WAITING) {
		fputs("no upgrade\n", out);
		return;
	}
	part_line(out, *m->upgrade.command ? m->upgrade.command : "an unknown command");
	if (*m->upgrade.where)
		fprintf(out, "in %s\n", m->upgrade.where);
	write_ground(m, out);
	write_machine(m, out);
	write_end(m, out);
	write_times(m, out);
	part_ledger(m, out);
	write_counts(&m->packages, out);
	part_failures(m, out);
	part_disk(m, out);
	part_syncs(m, out);
	part_builds(m, out);
	part_packages(m, out);
	part_scripts(m, out);
	part_left(m, out);
	part_whatif(m, out);
	write_own(&m->own, out);
}
