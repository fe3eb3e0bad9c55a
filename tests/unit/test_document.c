/* test_document.c - doc/recording.md names every frame, member, unit and word that there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/field.h"

static char *document;

static int setup(void **state)
{
	FILE *in = fopen("doc/recording.md", "re");
	size_t room = 0;

	(void)state;
	if (!in || getdelim(&document, &room, '\0', in) < 0)
		return -1;
	return fclose(in);
}

static int teardown(void **state)
{
	(void)state;
	free(document);
	return 0;
}

static const char *unit_of(const struct field *f)
{
	switch (f->type) {
	case FIELD_CHAR:
		return " character";
	case FIELD_TEXT:
		return " text";
	case FIELD_ENUM:
		return " word";
	case FIELD_HIST:
		return " histogram";
	default:
		return "";
	}
}

/* "| `end` | `status`, `resident` |": the members in their order, as they are written. */
static void assert_row(const char *name, const struct field *table)
{
	char row[2048];
	size_t len = (size_t)snprintf(row, sizeof(row), "| `%s` | ", name);

	for (const struct field *f = table; f->name; f++)
		len += (size_t)snprintf(
			row + len, sizeof(row) - len, "%s`%s`%s%s%s%s", f == table ? "" : ", ",
			f->name, unit_of(f), *f->unit && f->type != FIELD_HIST ? " " : "",
			f->type != FIELD_HIST ? f->unit : "", f->full ? " \\*" : "");
	snprintf(row + len, sizeof(row) - len, " |");
	if (!strstr(document, row))
		fail_msg("doc/recording.md has not:\n%s", row);
}

static void assert_words(const char *name, const char *const *words)
{
	char row[1024];
	size_t len = (size_t)snprintf(row, sizeof(row), "| `%s` |", name);

	for (int i = 0; words[i]; i++)
		if (*words[i])
			len += (size_t)snprintf(row + len, sizeof(row) - len, " `%s`", words[i]);
	snprintf(row + len, sizeof(row) - len, " |");
	if (!strstr(document, row))
		fail_msg("doc/recording.md has not:\n%s", row);
}

static void every_event_is_there(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_EVENT_KINDS; kind++)
		assert_row(word_event_kind[kind], field_event((enum event_kind)kind));
}

static void every_group_is_there(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	for (int g = 0; g < N_GROUPS; g++)
		assert_row(word_group[g], field_group(&s, (enum group)g).fields);
	sample_done(&s);
}

static void header_and_stamp_are_there(void **state)
{
	(void)state;
	assert_row("header", field_header);
	assert_row("at", field_stamp);
}

static void every_word_is_there(void **state)
{
	(void)state;
	assert_words("sample", word_sample_kind);
	assert_words("role", word_role);
	assert_words("verb", word_verb);
	assert_words("state", word_state);
	assert_words("call", word_sync_call);
	assert_words("class", word_sync_class);
}

static void its_version_is_the_programs(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "This is format %d.", FRAME_FORMAT);
	assert_non_null(strstr(document, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_there),
		cmocka_unit_test(every_group_is_there),
		cmocka_unit_test(header_and_stamp_are_there),
		cmocka_unit_test(every_word_is_there),
		cmocka_unit_test(its_version_is_the_programs),
	};

	return cmocka_run_group_tests_name("document", tests, setup, teardown);
}
