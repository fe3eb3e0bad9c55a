/* words.c - what the model's enums are called in sentences. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/text.h"
#include "dpkgtop/units.h"

#include "words.h"

/* So many names are told; the rest is a number. */
#define NAMES_MAX 4

const char *words_of_verb(enum package_verb v)
{
	static const char *const words[N_VERBS] = {
		[VERB_STARTUP] = "starting",
		[VERB_INSTALL] = "installing",
		[VERB_UPGRADE] = "upgrading",
		[VERB_CONFIGURE] = "configuring",
		[VERB_TRIGPROC] = "triggers of",
		[VERB_REMOVE] = "removing",
		[VERB_PURGE] = "purging",
		[VERB_DISAPPEAR] = "replacing",
		[VERB_STATUS] = "",
		[VERB_CONFFILE] = "",
	};

	return v < N_VERBS ? words[v] : "";
}

const char *words_of_phase(enum phase p)
{
	static const char *const words[N_PHASES + 1] = {
		[PHASE_DOWNLOAD] = "fetching packages",
		[PHASE_PREPARE] = "before the first dpkg",
		[PHASE_READ] = "dpkg reads its database",
		[PHASE_UNPACK] = "",
		[PHASE_CONFIGURE] = "",
		[PHASE_TRIGGERS] = "",
		[PHASE_INITRAMFS] = "building the boot image",
		[PHASE_REMOVE] = "",
		[PHASE_BETWEEN] = "between two dpkg runs",
		[PHASE_FINISH] = "after the last dpkg",
		[PHASE_NONE] = "",
	};

	return p <= PHASE_NONE ? words[p] : "";
}

const char *words_of_cause(enum cause c)
{
	static const char *const words[N_CAUSES] = {
		[CAUSE_PACKAGE_SYNC] = "waiting for package files to reach the disk",
		[CAUSE_DATABASE_SYNC] = "waiting for dpkg's database to reach the disk",
		[CAUSE_WRITEBACK] = "waiting for writeback to begin",
		[CAUSE_OTHER_SYNC] = "waiting for other programs' syncs",
		[CAUSE_SYNC_ESTIMATED] = "waiting for the disk's flushes",
		[CAUSE_DISK] = "waiting for the disk's reads and writes",
		[CAUSE_CPU] = "computing",
		[CAUSE_INPUT] = "waiting for you",
		[CAUSE_OTHER] = "sleeping, locks, network and the rest",
		[CAUSE_UNKNOWN] = "of unknown cause",
	};

	return c < N_CAUSES ? words[c] : "";
}

const char *words_of_state(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
		return "sleeping";
	case 'I':
		return "idle";
	case 'D':
		return "disk wait";
	case 'T':
	case 't':
		return "stopped";
	case 'Z':
		return "zombie";
	case 'X':
	case 'x':
		return "dead";
	default:
		return "–";
	}
}

const char *words_of_call(enum sync_call c, bool brief)
{
	switch (c) {
	case SYNC_RANGE_WAIT:
	case SYNC_RANGE_WRITE:
	case SYNC_RANGE_OTHER:
		return brief ? "syncrange" : "sync_file_range";
	default:
		return (unsigned)c < N_SYNC_CALLS ? word_sync_call[c] : "";
	}
}

/* The numbers are those of probe.h. */
static const char *why_no_probe(int code)
{
	switch (code) {
	case ENOSYS:
		return "built without BPF";
	case EOPNOTSUPP:
		return "kernel without BPF";
	case EACCES:
		return "BPF needs root";
	case EPERM:
		return "BPF not permitted";
	case EKEYREJECTED:
		return "kernel locked down";
	case ENODATA:
		return "kernel without BTF";
	case ENOENT:
		return "no tracepoints";
	case EXDEV:
		return "/proc is not ours";
	default:
		return strerror(code);
	}
}

const char *words_of_why(enum group g, int why)
{
	int code = why < 0 ? -why : why;

	if (g == GROUP_PROBE)
		return why_no_probe(code);
	if (code == EACCES || code == EPERM)
		return "needs root";
	/* Not built in, or switched off (Documentation/accounting/psi.rst, psi=0). */
	if (g == GROUP_PRESSURE && (code == ENOENT || code == EOPNOTSUPP))
		return "not counted by this kernel";
	if (g == GROUP_LOG && code == EINVAL)
		return "no regular file";
	if (g == GROUP_PROCESSES && code == E2BIG)
		return "more than 4,096 processes";
	return strerror(code);
}

/* An interpreter by its program's name, and the letters of options after which no script's file
 * follows but code, a module, or an option's own word. */
static const char *interpreter_of(const char *name, size_t len)
{
	static const struct {
		const char *name, *letters;
	} known[] = {{"sh", "co"}, {"bash", "coO"}, {"dash", "co"}, {"perl", "eEI"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strlen(known[i].name) == len && !memcmp(name, known[i].name, len))
			return known[i].letters;
	}
	/* python3, python3.11 */
	if (len >= 7 && !memcmp(name, "python3", 7) && strspn(name + 7, "0123456789.") >= len - 7)
		return "cmWX";
	return NULL;
}

/* The script that an interpreter runs: the first word that is no option; `words` themselves, where
 * there is none. */
static const char *script_of(const char *words, const char *letters)
{
	for (const char *at = words;;) {
		size_t len = strcspn(at, " ");
		bool option = *at == '-';

		if (!at[len] && (option || at == words))
			return words;
		if (at != words && !option)
			return at;
		/* "-ec", but not "--posix" */
		if (option && at[1] != '-' && strcspn(at, letters) < len)
			return words;
		at += len + strspn(at + len, " ");
		if (!*at)
			return words;
	}
}

/* Its first word's last part on: "/usr/bin/dpkg -i" is "dpkg -i". */
static const char *without_directory(const char *words)
{
	size_t len = strcspn(words, " ");
	const char *slash = memrchr(words, '/', len);

	return slash && slash + 1 < words + len ? slash + 1 : words;
}

const char *words_of_command(const char *command)
{
	const char *name = without_directory(command), *script;
	const char *letters = interpreter_of(name, strcspn(name, " "));

	if (!letters)
		return name;
	script = script_of(name, letters);
	return script == name ? name : without_directory(script);
}

bool words_of_flaw(const struct probe_counters *p, enum flaw flaw, char *ret, size_t size)
{
	const uint64_t counts[N_FLAWS] = {
		[FLAW_COMPAT] = p->compat, [FLAW_LACKS] = *p->lacks != 0, [FLAW_MISSED] = p->missed,
		[FLAW_FULL] = p->full,     [FLAW_LOST] = p->lost,
	};
	static const char *const one[N_FLAWS] = {
		[FLAW_COMPAT] = "32-bit program unseen",
		[FLAW_MISSED] = "call not counted",
		[FLAW_FULL] = "call of unknown class",
		[FLAW_LOST] = "event lost",
	};
	static const char *const many[N_FLAWS] = {
		[FLAW_COMPAT] = "32-bit programs unseen",
		[FLAW_MISSED] = "calls not counted",
		[FLAW_FULL] = "calls of unknown class",
		[FLAW_LOST] = "events lost",
	};

	*ret = '\0';
	if (!counts[flaw])
		return false;
	if (flaw == FLAW_LACKS)
		snprintf(ret, size, "no %s", p->lacks);
	else
		snprintf(ret, size, "%s %s", units_count(counts[flaw]).s,
		         (counts[flaw] == 1 ? one : many)[flaw]);
	return true;
}

void words_of_input(const struct input *i, char *ret, size_t size)
{
	const char *name = *i->name ? i->name : "a process";

	switch (i->kind) {
	case INPUT_QUESTION:
		snprintf(ret, size, "%s asks a question on its terminal", name);
		break;
	case INPUT_DIALOG:
		snprintf(ret, size, "a dialog of %s", name);
		break;
	case INPUT_PAGER:
		snprintf(ret, size, "a pager, %s, on its terminal", name);
		break;
	default:
		*ret = '\0';
		break;
	}
}

void words_of_step(const struct step *s, char *ret, size_t size)
{
	bool trigger = text_starts(s->by, "trigger of ");

	snprintf(ret, size, "%s%s%s%s", s->tool, *s->by ? " for " : "", trigger ? "the " : "",
	         s->by);
}

void words_of_mode(const struct mode_event *m, char *ret, size_t size)
{
	static const char *const sources[][2] = {
		{"arguments", "set by dpkg's arguments"},
		{"DPKG_FORCE", "set by DPKG_FORCE in dpkg's environment"},
		{"LD_PRELOAD", "set by LD_PRELOAD in dpkg's environment"},
		{"default", "dpkg's default"},
	};
	const char *source = m->source, *set = *source ? "set in " : "";

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (!strcmp(source, sources[i][0])) {
			source = sources[i][1];
			set = "";
		}
	}
	snprintf(ret, size, "%s%s%s%s", m->mode, *source ? ", " : "", set, source);
}

void words_of_failure(const struct package *k, char *ret, size_t size)
{
	const char *state = k->state < N_STATES ? word_state[k->state] : "";
	char status[32] = "";

	if (k->failure.status != STATUS_UNKNOWN)
		snprintf(status, sizeof(status), " with exit status %d", k->failure.status);
	snprintf(ret, size, "%s: %s%sfailed%s%s%s", k->name, k->failure.script,
	         *k->failure.script ? " " : "", status, *state ? ", left " : "", state);
}

void words_of_failures(const struct packages *p, size_t skip, char *ret, size_t size)
{
	size_t seen = 0, named = 0, used = 0, more;

	*ret = '\0';
	for (size_t i = 0; i < p->count; i++) {
		if (!p->items[i].failed || seen++ < skip)
			continue;
		if (named == NAMES_MAX || used >= size)
			continue;
		used += (size_t)snprintf(ret + used, size - used, "%s%s", named ? ", " : "",
		                         p->items[i].name);
		named++;
	}
	seen += p->unnamed_failures;
	more = seen > skip + named ? seen - skip - named : 0;
	if (more && used < size)
		snprintf(ret + used, size - used, " and %zu more", more);
}
