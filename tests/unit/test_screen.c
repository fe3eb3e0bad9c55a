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

#include "../../src/screen/panel.h"
#include "../../src/screen/words.h"

#include "dpkgtop/record.h"

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

/* What the screen says, and what it does not. */
static void says(const struct model *m, const struct ui *ui, int rows, int columns,
                 const char *word, bool yes)
{
	char *text = drawn(ui->help ? &view_help : NULL, m, ui, rows, columns, false);

	if (!strstr(text, word) == yes)
		fail_msg("%s \"%s\":\n%s", yes ? "lacks" : "has", word, text);
	free(text);
}

/* The kernel's milliseconds are whole ones. */
static void quick_requests_are_not_told_as_free(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	m.storage.rates.write_ms = m.storage.rates.flush_ms = 0;
	m.storage.rates.flushes = 0.4;
	says(&m, &ui, 24, 80, "write   42 MB/s  1.2k/s    <1ms", true);
	says(&m, &ui, 24, 80, "flush             0.4/s    <1ms", true);
	says(&m, &ui, 24, 80, "read   1.1 MB/s    41/s   380µs", true);
	m.storage.rates.flushes = 0;
	m.storage.rates.flush_ms = UNKNOWN_RATE;
	says(&m, &ui, 24, 80, "flush               0/s       –", true);
	model_done(&m);
}

/* The end is called as the last full second, which has its mark on a wide axis. */
static void the_axis_has_each_mark_once(void **state)
{
	const struct time_axis axis = {.x = 0, .w = 120, .begin_ns = SECOND, .end_ns = 11950 * MS};
	struct canvas c;
	char *text = NULL, *end;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	canvas_init(&c, 1, 120, false);
	timeline_draw_axis(&axis, &c, 0);
	canvas_write_text(&c, out);
	canvas_done(&c);
	fclose(out);
	assert_non_null(strstr(text, "0:09 "));
	end = strstr(text, "0:10");
	assert_non_null(end);
	assert_string_equal(end, "0:10\n");
	free(text);
}

static void charge_one(struct model *m, enum cause cause, int ms, enum quality quality)
{
	struct charge c;

	charge_init(&c);
	c.causes[cause] = (struct cell){ms * MS, quality};
	ledger_charge(&m->ledger, PHASE_UNPACK, &c);
}

/* Where most of the time is of unknown cause, a narrow screen says so; a bit of it where there is
 * room, lest the rows lack it, and not what would be told as 0.0s. */
static void the_unknown_has_a_column(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_late(&m);
	says(&m, &ui, 10, 40, "unknown", true);
	model_done(&m);
	model_init(&m);
	screens_running(&m);
	charge_one(&m, CAUSE_UNKNOWN, 2000, QUALITY_UNKNOWN);
	says(&m, &ui, 10, 40, "unknown", false);
	says(&m, &ui, 24, 80, "unknown", true);
	model_done(&m);
	model_init(&m);
	screens_running(&m);
	charge_one(&m, CAUSE_UNKNOWN, 40, QUALITY_UNKNOWN);
	says(&m, &ui, 60, 200, "unknown", false);
	charge_one(&m, CAUSE_UNKNOWN, 460, QUALITY_UNKNOWN);
	says(&m, &ui, 60, 200, "unknown", true);
	says(&m, &ui, 10, 40, "unknown", false);
	model_done(&m);
}

/* Beside numbers of the probe; alone it is what is known of syncs, and stays. */
static void a_small_estimate_goes_beside_exact_numbers(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_upgrade(&m);
	screens_charge(&m, PHASE_UNPACK, 100, 0, 30000, 0);
	says(&m, &ui, 60, 200, "sync~", true);
	charge_one(&m, CAUSE_PACKAGE_SYNC, 9000, QUALITY_EXACT);
	says(&m, &ui, 60, 200, "sync~", false);
	charge_one(&m, CAUSE_SYNC_ESTIMATED, 1000, QUALITY_ESTIMATED);
	says(&m, &ui, 60, 200, "sync~", true);
	model_done(&m);
}

static void a_question_names_its_package(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_asking(&m);
	snprintf(m.packages.items[0].name, sizeof(m.packages.items[0].name), "exim4-config");
	m.input.kind = INPUT_DIALOG;
	snprintf(m.input.name, sizeof(m.input.name), "whiptail");
	says(&m, &ui, 24, 80,
	     "WAITING FOR YOU: a dialog of whiptail, for exim4-config (configure)  12 s", true);
	says(&m, &ui, 24, 60, "WAITING FOR YOU (12 s): exim4-config (configure)", true);
	says(&m, &ui, 10, 40, "WAITING FOR YOU (12 s): exim4-config", true);
	m.packages.items[0].busy = VERB_TRIGPROC;
	says(&m, &ui, 24, 80, "for exim4-config (triggers)", true);
	m.packages.items[0].busy = N_VERBS;
	says(&m, &ui, 24, 80, "WAITING FOR YOU: a dialog of whiptail  12 s", true);
	model_done(&m);
}

/* A dialog of debconf's that the process of that name runs, beside a script. */
static void screens_dialog(struct model *m, const char *name, const char *command,
                           const char *script)
{
	struct tree_process *p;

	screens_asking(m);
	m->packages.items[0].busy = N_VERBS;
	m->tree.count = 1;
	screens_process(m, 1, command, 'S', 0, 0, 0);
	screens_process(m, 2, script, 'S', 0, 0, 0);
	screens_process(m, 2, "whiptail --yesno", 'S', 0, 0, 0);
	p = m->tree.items;
	snprintf(p[1].at.name, sizeof(p->at.name), "%s", name);
	p[1].at.parent = p[0].at.pid;
	p[2].at.parent = p[3].at.parent = p[1].at.pid;
	m->input.kind = INPUT_DIALOG;
	m->input.pid = p[3].at.pid;
	snprintf(m->input.name, sizeof(m->input.name), "whiptail");
}

/* apt has dpkg-preconfigure ask before any dpkg runs: its dialog stands beside the script. */
static void a_question_before_dpkg_names_its_package(void **state)
{
	static const struct {
		const char *name, *command, *script;
		const char *words;
	} cases[] = {
		{"dpkg-preconfigu", "/usr/bin/perl -w /usr/sbin/dpkg-preconfigure --apt",
	         "/bin/sh -e /var/cache/debconf/tmp.ci/popularity-contest.config.aB3xyZ configure",
	         " of whiptail, for popularity-contest  12 s"},
		{"dpkg-preconfigu", "dpkg-preconfigure",
	         "/var/cache/debconf/tmp.ci/a-3.13.config.X", " of whiptail, for a-3.13  12 s"},
		{"frontend", "perl -w /usr/share/debconf/frontend /var/lib/dpkg/info/a:b.postinst",
	         "/bin/sh /var/lib/dpkg/info/c.config", " of whiptail, for a  12 s"},
		{"frontend", "frontend /usr/sbin/tool", "sh /var/lib/dpkg/info/a.config",
	         " of whiptail, for a  12 s"},
		/* No script of a package; and who is not debconf tells nothing by its children. */
		{"frontend", "frontend", "sh /srv/a.config /var/lib/dpkg/info/.postinst",
	         " of whiptail  12 s"},
		{"sh", "/bin/sh", "/bin/sh /var/lib/dpkg/info/a.postinst", " of whiptail  12 s"},
	};
	const struct ui ui = {.help = false};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model m;

		model_init(&m);
		screens_dialog(&m, cases[i].name, cases[i].command, cases[i].script);
		says(&m, &ui, 24, 100, cases[i].words, true);
		model_done(&m);
	}
}

/* Builds and triggers are in no plan, and nobody knows that the last steps are quick. */
static void little_time_left_is_not_promised(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	says(&m, &ui, 24, 80, "~0:41 left", true);
	m.progress.left_ns = 4400 * MS;
	says(&m, &ui, 24, 80, "over 0:04 left", true);
	m.progress.left_ns = 300 * MS;
	says(&m, &ui, 24, 80, " left", false);
	m.progress.left_ns = 41 * SECOND;
	m.phase.builders = 1;
	says(&m, &ui, 24, 80, "over 0:41 left", true);
	m.phase.builders = 0;
	screens_step(&m, ROLE_STEP, "dkms", "", m.now.mono_ns - SECOND, UNKNOWN_NS);
	says(&m, &ui, 24, 80, "over 0:41 left", true);
	model_done(&m);
}

/* In few rows who works, below whom of those shown; what is over comes last. */
static void processes_at_work_are_shown(void **state)
{
	const struct ui ui = {.help = false};
	struct canvas c;
	struct model m;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	(void)state;
	model_init(&m);
	screens_running(&m);
	screens_process(&m, 1, "/usr/bin/xz -T0", 'S', 1.9, 0, 0);
	screens_process(&m, 1, "gone", 'Z', 0.9, 0, 0);
	m.tree.items[1].at.state = 'S';
	m.tree.items[1].cpu = m.tree.items[1].written_rate = m.tree.items[1].read_rate = 0;
	says(&m, &ui, 60, 200, "190%  running", true);
	out = open_memstream(&text, &size);
	for (int rows = 1; rows <= 4; rows++) {
		canvas_init(&c, 1 + rows, 80, false);
		panel_processes(&m, &c, (struct rect){0, 0, 80, 1 + rows});
		canvas_write_text(&c, out);
		canvas_done(&c);
	}
	fclose(out);
	/* One row, two without their parents, three with the root, four with dpkg. */
	assert_non_null(strstr(text, "1 of 5"));
	assert_null(strstr(text, "gone"));
	assert_null(strstr(text, "└ └"));
	assert_non_null(strstr(strstr(text, "1 of 5"), "\n xz -T0"));
	assert_non_null(strstr(strstr(text, "2 of 5"), "\n dpkg-deb --fsys-tarfile"));
	assert_true(strstr(text, "apt -y") > strstr(text, "3 of 5"));
	assert_non_null(strstr(strstr(text, "3 of 5"), "\n ├ dpkg-deb --fsys-tarfile"));
	assert_non_null(strstr(strstr(text, "4 of 5"), "\n │ └ dpkg-deb --fsys-tarfile"));
	free(text);
	model_done(&m);
}

/* PROCESSES in so many rows of 60 columns; to be freed. */
static char *processes_drawn(const struct model *m, int rows, bool ascii)
{
	struct canvas c;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	canvas_init(&c, 1 + rows, 60, ascii);
	panel_processes(m, &c, (struct rect){0, 0, 60, 1 + rows});
	canvas_write_text(&c, out);
	fclose(out);
	canvas_done(&c);
	return text;
}

/* Each of `lines` begins a row of `text`, from the second one on. */
static void stand_below(const char *text, const char *const *lines)
{
	size_t at = strcspn(text, "\n") + 1;

	for (; *lines; lines++) {
		if (strncmp(text + at, *lines, strlen(*lines)))
			fail_msg("lacks \"%s\" in its place:\n%s", *lines, text);
		at += strcspn(text + at, "\n") + 1;
	}
}

/* Who has a brother further down among those that are shown hangs from a line that goes on. */
static void branches_go_on_to_the_last_brother(void **state)
{
	static const char *const all[] = {" apt ",       " ├ dpkg ",    " │ ├ tar ", " │ │ └ xz ",
	                                  " │ └ split ", " └ methods ", NULL};
	static const char *const ascii[] = {" apt ",       " + dpkg ",    " | + tar ", " | | + xz ",
	                                    " | + split ", " + methods ", NULL};
	/* Those without a row hold no line open, and those below them move up. */
	static const char *const five[] = {" apt ",      " └ dpkg ",    "   ├ tar ",
	                                   "   │ └ xz ", "   └ split ", NULL};
	static const char *const three[] = {" apt ", " ├ xz ", " └ split ", NULL};
	static const struct {
		int rows;
		bool ascii;
		const char *const *lines;
	} cases[] = {{6, false, all}, {6, true, ascii}, {5, false, five}, {3, false, three}};
	struct model m;

	(void)state;
	model_init(&m);
	screens_header(&m);
	screens_upgrade(&m);
	screens_process(&m, 0, "apt", 'S', 0, 0, 0);
	screens_process(&m, 1, "dpkg", 'S', 0, 1e3, 0);
	screens_process(&m, 2, "tar", 'S', 0, 1e3, 0);
	screens_process(&m, 3, "xz", 'R', 0, 0, 0);
	screens_process(&m, 2, "split", 'R', 0, 0, 0);
	screens_process(&m, 1, "methods", 'S', 0, 0, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = processes_drawn(&m, cases[i].rows, cases[i].ascii);

		stand_below(text, cases[i].lines);
		free(text);
	}
	model_done(&m);
}

static void commands_are_told_by_their_names(void **state)
{
	static const char *const cases[][2] = {
		{"apt -y upgrade", "apt -y upgrade"},
		{"/usr/bin/dpkg --status-fd 41", "dpkg --status-fd 41"},
		{"/usr/bin/python3 /usr/bin/unattended-upgrade -d", "unattended-upgrade -d"},
		{"/usr/bin/python3.13 -u -B /usr/bin/nala upgrade", "nala upgrade"},
		{"/bin/sh /usr/sbin/debootstrap sid /srv/a", "debootstrap sid /srv/a"},
		{"/bin/sh -e /var/lib/dpkg/info/a.postinst configure", "a.postinst configure"},
		{"/usr/bin/perl -w /usr/share/debconf/frontend x", "frontend x"},
		{"/bin/bash --posix /tmp/a", "a"},
		/* Code and modules are no scripts. */
		{"/bin/sh -c /usr/bin/a b", "sh -c /usr/bin/a b"},
		{"bash -ec a b", "bash -ec a b"},
		{"perl -e print", "perl -e print"},
		{"/usr/bin/python3 -m venv /a", "python3 -m venv /a"},
		{"sh -o errexit a", "sh -o errexit a"},
		{"/bin/bash", "bash"},
		{"/bin/sh -e", "sh -e"},
		{"python3-config a", "python3-config a"},
		{"/usr/lib/shell /a/b", "shell /a/b"},
		{"/usr/", "/usr/"},
		{"bash ", "bash "},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(words_of_command(cases[i][0]), cases[i][1]);
}

static void a_script_frontend_has_its_name(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	snprintf(m.upgrade.command, sizeof(m.upgrade.command),
	         "/usr/bin/python3 /usr/bin/unattended-upgrade");
	says(&m, &ui, 24, 80, "dpkgtop  unattended-upgrade ", true);
	model_done(&m);
}

/* One of many is told where there is room; one that lasts is seen to last at every size. */
static void the_sync_of_this_moment(void **state)
{
	const struct ui ui = {.help = false};
	struct sync_flight *f;
	struct model m;

	(void)state;
	model_init(&m);
	screens_probe(&m);
	f = &m.syncs.longest;
	says(&m, &ui, 24, 120, "· in fsync of vmlinuz-6.12.117.dpkg-new (18ms)", true);
	says(&m, &ui, 24, 100, "· in fsync of vmlinuz-6.12.117.dpk… (18ms)", true);
	says(&m, &ui, 24, 80, " fsync of", false);
	m.packages.items[0].busy = N_VERBS;
	says(&m, &ui, 24, 80, "now  unpack · in fsync of vmlinuz-6.12.117.dpkg-new (18ms)", true);
	m.packages.items[0].busy = VERB_UPGRADE;
	snprintf(m.packages.items[0].version, sizeof(m.packages.items[0].version), "1");
	m.packages.items[0].old_version[0] = '\0';
	m.packages.items[0].since_ns = m.now.mono_ns;
	says(&m, &ui, 24, 84, "  1 · in fsync of vmlinuz… (18ms)", true);
	model_done(&m);
	model_init(&m);
	screens_probe(&m);
	says(&m, &ui, 24, 200, "6.12.117-1, 3.2s · in fsync of", true);
	f->since_ns = m.now.mono_ns - 40000;
	says(&m, &ui, 24, 200, "6.12.117-1, 3.2s · in fsync of vmlinuz-6.12.117.dpkg-new (40µs)",
	     true);
	says(&m, &ui, 24, 100, " fsync of", false);
	f->since_ns = m.now.mono_ns - 300 * MS;
	says(&m, &ui, 24, 80, " · in fsync (300ms)", true);
	for (int s = 2; s < 40; s += 9) {
		char age[32];

		snprintf(age, sizeof(age), " for %s", s < 10 ? "2.0s" : units_latency(1e9 * s).s);
		f->since_ns = m.now.mono_ns - s * SECOND;
		says(&m, &ui, 1, 34, age, true);
		says(&m, &ui, 10, 40, age, true);
		says(&m, &ui, 24, 80, age, true);
		says(&m, &ui, 60, 200, age, true);
	}
	/* No file, and not dpkg's. */
	*f = (struct sync_flight){.pid = 1001,
	                          .call = SYNC_SYNCFS,
	                          .class = SYNC_OTHER,
	                          .since_ns = m.now.mono_ns - 2 * SECOND};
	snprintf(m.tree.items[0].at.name, sizeof(m.tree.items[0].at.name), "sync");
	says(&m, &ui, 24, 100, " · sync in syncfs for 2.0s", true);
	f->pid = 0;
	says(&m, &ui, 24, 200, "syncfs", false);
	/* Who is asked waits for no disk. */
	f->pid = 1001;
	m.input.kind = INPUT_QUESTION;
	says(&m, &ui, 24, 200, "syncfs", false);
	model_done(&m);
}

/* Its name stands by its versions, which are cut or left out rather than for how long. */
static void a_package_is_told_with_its_versions(void **state)
{
	static const struct {
		int columns;
		const char *words;
	} cases[] = {
		{100, " upgrading linux-image-6.12.117:amd64  6.12.110-1 → 6.12.117-1, 3.2s\n"},
		{74, " upgrading linux-image-6.12.117:amd64  6.12.110-1 → 6…, 3.2s\n"},
		{60, " upgrading linux-image-6.12.117:amd64, 3.2s\n"},
		{50, " unpack  linux-image-6.12.117  6.12.110-1 …, 3.2s\n"},
		{40, " unpack  linux-image-6.12.117, 3.2s\n"},
	};
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		says(&m, &ui, 24, cases[i].columns, cases[i].words, true);
	m.packages.items[0].version[0] = m.packages.items[0].old_version[0] = '\0';
	says(&m, &ui, 24, 80, ":amd64, 3.2s\n", true);
	m.packages.items[0].since_ns = m.now.mono_ns;
	says(&m, &ui, 24, 80, ":amd64\n", true);
	model_done(&m);
}

/* By their worth; and none of syncs where nobody counts them. */
static void columns_drop_out_in_order(void **state)
{
	static const struct {
		int columns;
		const char *heads;
	} cases[] = {
		{100, "write/s   read/s  sync/s  in sync    cpu  state"},
		{80, " write/s  sync/s  in sync    cpu  state"},
		{70, " write/s  in sync    cpu  state"},
		{60, " in sync    cpu  state"},
		{40, " cpu  state"},
	};
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_probe(&m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		says(&m, &ui, 60, cases[i].columns, cases[i].heads, true);
		says(&m, &ui, 60, cases[i].columns, i ? "read/s" : "none", false);
	}
	says(&m, &ui, 24, 80, "309      81%    12%  fsync", true);
	/* A 32-bit program came: what was counted stays, what is now is not known. */
	m.syncs.exact = false;
	m.tree.items[1].sync_rate = m.tree.items[1].in_sync = UNKNOWN_RATE;
	says(&m, &ui, 24, 80, "–        –    12%  fsync", true);
	model_done(&m);
	model_init(&m);
	screens_running(&m);
	says(&m, &ui, 24, 200, "in sync", false);
	model_done(&m);
}

static void other_writers_are_told(void **state)
{
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_probe(&m);
	says(&m, &ui, 60, 200, "other writers       123   0.4s  systemd-journal", true);
	says(&m, &ui, 30, 100, "other writers       123   0.4s  journal ", true);
	says(&m, &ui, 24, 80, "other writers", false);
	memset(&m.syncs.writers, 0, sizeof(m.syncs.writers));
	says(&m, &ui, 60, 200, "other writers         0      0", true);
	model_done(&m);
}

static void a_stopped_upgrade_says_so(void **state)
{
	static const int sizes[][2] = {{1, 30}, {10, 40}, {24, 80}};
	const struct ui ui = {.help = false};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	m.tree.items[2].at.state = 'T';
	says(&m, &ui, 24, 80, "now  stopped", false); /* only a helper */
	m.tree.items[2].at.state = 'S';
	m.tree.items[1].at.state = 'T';
	snprintf(m.tree.items[1].at.name, sizeof(m.tree.items[1].at.name), "dpkg");
	for (int i = 0; i < 3; i++)
		says(&m, &ui, sizes[i][0], sizes[i][1], "stopped ", true);
	m.tree.items[1].at.name[0] = '\0';
	m.tree.items[0].at.state = 'T';
	m.tree.items[2].at.state = 'Z';
	says(&m, &ui, 24, 80, "now  stopped  unpack", true);
	model_done(&m);
}

/* Every row of the help can be brought onto the smallest screen. */
static void all_of_the_help_can_be_read(void **state)
{
	static const char *const last = "half as fast";
	struct ui ui = {.help = true};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	says(&m, &ui, 10, 40, "↓ more: j", true);
	says(&m, &ui, 10, 40, last, false);
	ui.help_top = view_help_entries() - 4;
	says(&m, &ui, 10, 40, last, true);
	says(&m, &ui, 10, 40, "↑ more: k", true);
	ui.help_top = 9;
	says(&m, &ui, 10, 40, "↑↓ more: j k", true);
	says(&m, &ui, 100, 80, " more", false);
	says(&m, &ui, 100, 80, last, true);
	model_done(&m);
}

/* Spaces and ends of lines become one space each run. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool space = *from == ' ' || *from == '\n';

		if (!space || to == text || to[-1] != ' ')
			*to++ = space ? ' ' : *from;
	}
	*to = '\0';
}

/* By pages on the smallest screen: none passes over a word. */
static void pages_of_the_help_have_all_its_words(void **state)
{
	/* How entries end. */
	static const char *const ends[] = {
		"goes on",       "phase and cause",
		"on the disk",   "of it reads",
		"its answer",    "remains",
		"could tell",    "flushes",
		"as 0",          "this way",
		"dpkg",          "replaced",
		"there",         "begun",
		"last dpkg",     "of the disk",
		"no longer",     "bring",
		"to write",      "tools",
		"to do",         "mean",
		"keeps it",      "its way",
		"for the disk",  "count",
		"files",         "not the upgrade's",
		"in such calls",
	};
	struct ui ui = {.help = true};
	char *all = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&all, &size);
	struct model m;

	(void)state;
	model_init(&m);
	for (; ui.help_top < view_help_entries(); ui.help_top += 4) {
		char *text = drawn(&view_help, &m, &ui, 10, 40, false);

		/* Without the title, the last row and the roles. */
		*strstr(text, "\n ? close") = '\0';
		fprintf(out, "%s\n", strchr(text, '\n'));
		free(text);
	}
	fclose(out);
	assert_null(strstr(all, "…"));
	squeeze(all);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strstr(all, ends[i]))
			fail_msg("lacks \"%s\":\n%s", ends[i], all);
	free(all);
	model_done(&m);
}

static void what_needs_root_is_told(void **state)
{
	static const char *const roots = "upgrades in other roots (chroots, containers) need root";
	struct ui ui = {.unprivileged = true};
	struct model m;

	(void)state;
	model_init(&m);
	screens_rootless(&m);
	says(&m, &ui, 24, 80, "bytes, mode: need root", true);
	says(&m, &ui, 24, 80, roots, false);
	snprintf(m.mode.mode, sizeof(m.mode.mode), "unsafe-io");
	says(&m, &ui, 24, 80, "bytes: need root", true);
	m.mode.mode[0] = '\0';
	m.phase.had_dpkg = false; /* none of whose mode there is */
	says(&m, &ui, 24, 80, "bytes: need root", true);
	model_done(&m);
	model_init(&m);
	screens_waiting(&m);
	says(&m, &ui, 24, 80, roots, true);
	ui.unprivileged = false;
	says(&m, &ui, 24, 80, roots, false);
	model_done(&m);
}

/* On any screen that has a row for it. */
static void a_note_stands_where_the_keys_were(void **state)
{
	struct ui ui = {.note = "No longer recorded: No space left on device."};
	struct model m;

	(void)state;
	model_init(&m);
	screens_running(&m);
	says(&m, &ui, 24, 80, ui.note, true);
	says(&m, &ui, 24, 80, "pause", false);
	says(&m, &ui, 16, 60, ui.note, true);
	says(&m, &ui, 10, 40, "No longer recorded", true);
	ui.note[0] = '\0';
	says(&m, &ui, 24, 80, "No longer", false);
	model_done(&m);
}

static void more_than_the_list_holds_is_told(void **state)
{
	struct ui ui;
	struct model m;

	(void)state;
	screens_choices(&ui);
	ui.picking = false;
	ui.more_choices = true;
	model_init(&m);
	screens_running(&m);
	says(&m, &ui, 24, 80, "1 of 3+, p picks", true);
	ui.choices[0].current = false;
	says(&m, &ui, 24, 80, "3+ upgrades run, p picks", true);
	model_done(&m);
}

/* What a frame says of the probe, written down and read back. */
static void replay(struct model *m, struct sample *s)
{
	struct record_reader *reader;
	struct header h;
	struct frame f;
	struct err e;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	header_init(&h);
	h.started = (struct stamp){1, 1, 1};
	s->kind = SAMPLE_FULL;
	s->at.mono_ns = s->at.boot_ns = s->at.real_ns = m->now.mono_ns;
	assert_int_equal(record_write(file, &(struct frame){FRAME_HEADER, .header = &h}), 0);
	assert_int_equal(record_write(file, &(struct frame){FRAME_SAMPLE, .sample = s}), 0);
	fclose(file);
	file = fmemopen(text, size, "r");
	reader = record_reader_new(file, "test");
	while (record_read(reader, &f, &e) == 1)
		model_add(m, &f);
	record_reader_free(reader);
	fclose(file);
	free(text);
	assert_int_equal(m->why[GROUP_PROBE], s->why[GROUP_PROBE]);
}

static void a_missing_probe_is_told_of_a_recording(void **state)
{
	static const struct {
		int why;
		const char *words;
	} cases[] = {
		{-ENOSYS, "built without BPF"},        {-EOPNOTSUPP, "kernel without BPF"},
		{-EACCES, "BPF needs root"},           {-EPERM, "BPF not permitted"},
		{-EKEYREJECTED, "kernel locked down"}, {-ENODATA, "kernel without BTF"},
		{-ENOENT, "no tracepoints"},           {-EXDEV, "/proc is not ours"},
	};
	const struct ui ui = {.help = false};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char step[64], note[128];
		struct sample s;
		struct model m;

		model_init(&m);
		sample_init(&s);
		screens_running(&m);
		s.why[GROUP_PROBE] = cases[i].why;
		s.why[GROUP_DISKS] = 0;
		snprintf(sample_add_disk(&s)->name, 4, "vda");
		replay(&m, &s);
		snprintf(step, sizeof(step), "~ flushes: %s", cases[i].words);
		snprintf(note, sizeof(note),
		         "Syncs are estimated, not counted: %s; see dpkgtop doctor.",
		         cases[i].words);
		/* Half of 80 columns, and one below the other in 40. */
		says(&m, &ui, 24, 80, cases[i].words, true);
		says(&m, &ui, 40, 40, cases[i].words, true);
		says(&m, &ui, 40, 100, note, true);
		says(&m, &ui, 40, 200, step, false);
		says(&m, &ui, 40, 200, "~ estimated from device flushes: ", true);
		sample_done(&s);
		model_done(&m);
	}
}

/* In half of 80 columns the worst, at 100 all of them, each with its number. */
static void what_could_not_be_counted_is_told(void **state)
{
	static const struct {
		struct probe_counters probe;
		const char *words;
	} cases[] = {
		{{.compat = 1}, "1 32-bit program unseen"},
		{{.compat = 3}, "3 32-bit programs unseen"},
		{{.lacks = "msync, syncfs"}, "no msync, syncfs"},
		{{.missed = 41}, "41 calls not counted"},
		{{.full = 1204}, "1,204 calls of unknown class"},
	};
	const struct ui ui = {.help = false};
	struct sample s;
	struct model m;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		model_init(&m);
		sample_init(&s);
		screens_probe(&m);
		s.probe = cases[i].probe;
		s.why[GROUP_PROBE] = s.why[GROUP_SYNCS] = 0;
		replay(&m, &s);
		says(&m, &ui, 24, 80, cases[i].words, true);
		says(&m, &ui, 24, 80, "≥41,200", true);
		says(&m, &ui, 40, 100, cases[i].words, true);
		sample_done(&s);
		model_done(&m);
	}
	/* The counts are whole. */
	model_init(&m);
	sample_init(&s);
	screens_probe(&m);
	s.probe.lost = 7;
	s.why[GROUP_PROBE] = s.why[GROUP_SYNCS] = 0;
	replay(&m, &s);
	says(&m, &ui, 40, 100, "7 events lost", true);
	says(&m, &ui, 40, 100, "≥", false);
	/* Nor is anything lost by the end, after which nothing is counted. */
	m.state = MODEL_ENDED;
	m.syncs.exact = false;
	m.why[GROUP_PROBE] = GROUP_NOT_ASKED;
	says(&m, &ui, 40, 100, "≥", false);
	sample_done(&s);
	model_done(&m);
}

/* Numbers that stand still are not taken for the last word. */
static void a_probe_that_fails_is_told(void **state)
{
	const struct ui ui = {.help = false};
	struct sample s;
	struct model m;

	(void)state;
	model_init(&m);
	sample_init(&s);
	screens_probe(&m);
	s.why[GROUP_PROBE] = s.why[GROUP_SYNCS] = -EPERM;
	replay(&m, &s);
	says(&m, &ui, 24, 100, "no more counts: BPF not permitted", true);
	says(&m, &ui, 24, 100, "≥41,200", true);
	sample_done(&s);
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
		cmocka_unit_test(quick_requests_are_not_told_as_free),
		cmocka_unit_test(the_axis_has_each_mark_once),
		cmocka_unit_test(the_unknown_has_a_column),
		cmocka_unit_test(a_small_estimate_goes_beside_exact_numbers),
		cmocka_unit_test(a_question_names_its_package),
		cmocka_unit_test(a_question_before_dpkg_names_its_package),
		cmocka_unit_test(little_time_left_is_not_promised),
		cmocka_unit_test(processes_at_work_are_shown),
		cmocka_unit_test(branches_go_on_to_the_last_brother),
		cmocka_unit_test(commands_are_told_by_their_names),
		cmocka_unit_test(a_script_frontend_has_its_name),
		cmocka_unit_test(the_sync_of_this_moment),
		cmocka_unit_test(a_package_is_told_with_its_versions),
		cmocka_unit_test(columns_drop_out_in_order),
		cmocka_unit_test(other_writers_are_told),
		cmocka_unit_test(a_stopped_upgrade_says_so),
		cmocka_unit_test(all_of_the_help_can_be_read),
		cmocka_unit_test(pages_of_the_help_have_all_its_words),
		cmocka_unit_test(what_needs_root_is_told),
		cmocka_unit_test(more_than_the_list_holds_is_told),
		cmocka_unit_test(a_missing_probe_is_told_of_a_recording),
		cmocka_unit_test(what_could_not_be_counted_is_told),
		cmocka_unit_test(a_probe_that_fails_is_told),
		cmocka_unit_test(a_note_stands_where_the_keys_were),
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
