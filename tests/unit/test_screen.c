/* test_screen.c - whole screens against golden files, and drawn at every size.
 *
 * With GOLDEN=write in the environment the files are written anew; look at the diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "dpkgtop/view.h"

#include "screens.h"

/* The overview, and a view drawn over it (NULL: none). */
static char *drawn(const struct view_ops *over, const struct model *m, const struct ui *ui,
                   int rows, int columns, bool ascii)
{
	struct canvas c;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	canvas_init(&c, rows, columns, ascii);
	view_overview.draw(m, ui, &c);
	if (over)
		over->draw(m, ui, &c);
	canvas_write_roles(&c, out);
	fclose(out);
	canvas_done(&c);
	return text;
}

static char *file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = mem_new(1, 65536);

	if (f) {
		text[fread(text, 1, 65535, f)] = '\0';
		fclose(f);
	}
	return text;
}

/* Each line that differs, as diff(1) shows it, and then the whole screen. */
static void print_difference(const char *path, const char *golden, const char *now)
{
	const char *a = golden, *b = now;

	for (int line = 1; *a || *b; line++) {
		size_t la = strcspn(a, "\n"), lb = strcspn(b, "\n");

		if (la != lb || memcmp(a, b, la))
			print_error("%s:%d\n-%.*s\n+%.*s\n", path, line, (int)la, a, (int)lb, b);
		a += la + (a[la] == '\n');
		b += lb + (b[lb] == '\n');
	}
	print_error("drawn now:\n%s", now);
}

static bool golden_equal(const char *name, int rows, int columns, bool ascii, const char *now)
{
	const char *write = getenv("GOLDEN");
	char path[256], *golden;
	bool equal;
	FILE *f;

	snprintf(path, sizeof(path), "tests/golden/screen-%s-%dx%d%s.txt", name, columns, rows,
	         ascii ? "-ascii" : "");
	if (write && !strcmp(write, "write")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(now, f);
		fclose(f);
		return true;
	}
	golden = file_text(path);
	equal = !strcmp(golden, now);
	if (!equal)
		print_difference(path, golden, now);
	free(golden);
	return equal;
}

/* Draws at the usual sizes, one of them in ASCII as well. */
static bool screens_equal(const char *name, const struct view_ops *over, const struct model *m,
                          const struct ui *ui)
{
	static const struct {
		int rows, columns;
		bool ascii;
	} sizes[] = {{10, 40, false},
	             {24, 80, false},
	             {24, 80, true},
	             {30, 100, false},
	             {60, 200, false}};
	bool equal = true;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int rows = sizes[i].rows, columns = sizes[i].columns;
		char *now = drawn(over, m, ui, rows, columns, sizes[i].ascii);

		equal &= golden_equal(name, rows, columns, sizes[i].ascii, now);
		free(now);
	}
	return equal;
}

static void states_look_as_before(void **state)
{
	const struct ui ui = {.paused = false};
	bool equal = true;

	(void)state;
	for (int i = 0; i < N_SCREENS; i++) {
		struct model m;

		model_init(&m);
		screens_states[i].fill(&m);
		equal &= screens_equal(screens_states[i].name, NULL, &m, &ui);
		model_done(&m);
	}
	assert_true(equal);
}

static void help_looks_as_before(void **state)
{
	const struct ui ui = {.help = true};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	assert_true(screens_equal("help", &view_help, &m, &ui));
	model_done(&m);
}

static void the_list_looks_as_before(void **state)
{
	struct ui ui;
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	screens_choices(&ui);
	assert_true(screens_equal("pick", &view_pick, &m, &ui));
	ui.picking = false;
	assert_true(screens_equal("several", NULL, &m, &ui));
	model_done(&m);
}

static void small_screens_look_as_before(void **state)
{
	static const int sizes[][2] = {{10, 40}, {16, 60}, {40, 60}, {1, 30}};
	const struct ui ui = {.paused = true};
	struct model m;
	bool equal = true;

	(void)state;
	model_init(&m);
	screens_running(&m);
	for (int i = 0; i < 4; i++) {
		char *now = drawn(NULL, &m, &ui, sizes[i][0], sizes[i][1], false);

		equal &= golden_equal("paused", sizes[i][0], sizes[i][1], false, now);
		free(now);
	}
	assert_true(equal);
	model_done(&m);
}

/* The sanitizers watch. Columns of a row add up, whatever was drawn. */
static void any_size_is_drawn(void **state)
{
	struct ui ui;

	(void)state;
	screens_choices(&ui);
	for (int i = 0; i < N_SCREENS; i++) {
		struct model m;

		model_init(&m);
		screens_states[i].fill(&m);
		for (int rows = 1; rows <= 100; rows += rows < 12 ? 1 : 11) {
			for (int columns = 1; columns <= 300; columns += columns < 90 ? 1 : 30) {
				struct canvas c;

				canvas_init(&c, rows, columns, columns % 2);
				view_overview.draw(&m, &ui, &c);
				view_pick.draw(&m, &ui, &c);
				if (rows % 2)
					view_help.draw(&m, &ui, &c);
				for (int y = 0; y < rows; y++) {
					int sum = 0;

					for (int x = 0; x < columns; x++)
						sum += c.cells[y * columns + x].width;
					assert_int_equal(sum, columns);
				}
				canvas_done(&c);
			}
		}
		model_done(&m);
	}
}

/* A model that has seen nothing, or nonsense, is drawn too. */
static void empty_models_are_drawn(void **state)
{
	const struct ui ui = {.help = false};

	(void)state;
	for (int i = MODEL_WAITING; i <= MODEL_ENDED; i++) {
		struct model m;
		char *text;

		model_init(&m);
		m.state = (enum model_state)i;
		m.progress.total = i == MODEL_RUNNING ? 0 : UNKNOWN_U64;
		text = drawn(NULL, &m, &ui, 24, 80, false);
		assert_non_null(strstr(text, "dpkgtop"));
		free(text);
		model_done(&m);
	}
}

static void failures_are_told_first(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;
	char *text;

	(void)state;
	model_init(&m);
	screens_failed(&m);
	text = drawn(NULL, &m, &ui, 24, 120, false);
	assert_non_null(strstr(text, "3 failed: dkms, nvidia-kernel-dkms, openssh-server"));
	assert_non_null(strstr(text, "dkms: postinst failed with exit status 11, left "
	                             "half-configured"));
	free(text);
	/* While it runs they show in the line of progress. */
	m.state = MODEL_RUNNING;
	text = drawn(NULL, &m, &ui, 24, 120, false);
	assert_non_null(strstr(text, "509 of 512 steps   3 failed"));
	free(text);
	model_done(&m);
}

/* A small screen has one row for it, and tells it while it is news. */
static void coming_late_is_told(void **state)
{
	static const char *const words =
		"Watched since 0:00:41; before that only what dpkg.log tells";
	const struct ui ui = {.help = false};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct model m;
		char *text;

		model_init(&m);
		(i ? screens_late : screens_found)(&m);
		text = drawn(NULL, &m, &ui, i ? 30 : 24, i ? 100 : 80, false);
		assert_non_null(strstr(text, words));
		assert_non_null(strstr(text, i ? "0:02:04" : "0:00:44"));
		free(text);
		model_done(&m);
	}
}

/* Who is waited for is told at every size, and nothing is where it can not be known. */
static void a_question_is_seen(void **state)
{
	static const int sizes[][2] = {{1, 20}, {3, 40}, {10, 40}, {24, 80}, {60, 200}};
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_asking(&m);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *text = drawn(NULL, &m, &ui, sizes[i][0], sizes[i][1], false);

		assert_non_null(strstr(text, "WAITING FOR YOU"));
		assert_non_null(strstr(text, " ask"));
		free(text);
	}
	m.input.kind = INPUT_UNKNOWN;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *text = drawn(NULL, &m, &ui, sizes[i][0], sizes[i][1], false);

		assert_null(strstr(text, "WAITING"));
		free(text);
	}
	model_done(&m);
}

static void storage_facts_are_told(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;
	char *text;

	(void)state;
	model_init(&m);
	screens_steps(&m);
	text = drawn(NULL, &m, &ui, 60, 200, false);
	assert_non_null(strstr(text, "dm-1 lvm vg-root → dm-0 luks → vda"));
	assert_non_null(strstr(text, "write through: flushes cost nothing here"));
	assert_non_null(strstr(text, "set in /etc/dpkg/dpkg.cfg.d/docker-apt-speedup"));
	assert_non_null(strstr(text, "LEFT RUNNING"));
	/* The build inside a build is no second one. */
	assert_non_null(strstr(text, "Initramfs built once: mkinitramfs 18.2s"));
	free(text);
	m.steps.items[3].end_ns = m.now.mono_ns - 500 * MS;
	snprintf(m.facts.write_cache, sizeof(m.facts.write_cache), "write back");
	snprintf(m.facts.mount_options, sizeof(m.facts.mount_options), "rw,nobarrier,relatime");
	text = drawn(NULL, &m, &ui, 60, 200, false);
	assert_non_null(strstr(text, "mounted nobarrier: no flushes are sent"));
	assert_non_null(strstr(text, "Initramfs built twice: mkinitramfs 18.2s "
	                             "(linux-image-6.12.117 postinst), 17.1s (trigger of "
	                             "initramfs-tools)"));
	free(text);
	m.steps.left_out = 1;
	text = drawn(NULL, &m, &ui, 60, 200, false);
	assert_non_null(strstr(text, "Initramfs built at least 2 times: mkinitramfs 18.2s"));
	free(text);
	model_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_look_as_before),
		cmocka_unit_test(help_looks_as_before),
		cmocka_unit_test(the_list_looks_as_before),
		cmocka_unit_test(small_screens_look_as_before),
		cmocka_unit_test(any_size_is_drawn),
		cmocka_unit_test(empty_models_are_drawn),
		cmocka_unit_test(failures_are_told_first),
		cmocka_unit_test(coming_late_is_told),
		cmocka_unit_test(a_question_is_seen),
		cmocka_unit_test(storage_facts_are_told),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
