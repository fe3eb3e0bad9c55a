/* live.c - a session on the screen: keys, resizing, signals, and the snapshot door. */
#include "live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dpkgtop/keymap.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/term.h"
#include "dpkgtop/text.h"
#include "dpkgtop/view.h"

struct live {
	struct loop *loop;
	struct session *session;   /* not owned; NULL: what is shown is no session's */
	const struct model *model; /* not owned */
	live_asked *asked;         /* NULL */
	void *context;
	struct term *term; /* NULL: not on a screen */
	struct theme theme;
	struct canvas canvas;
	struct ui ui;
	struct {
		int32_t root;
		uint64_t start_ticks;
	} picks[CHOICES_MAX]; /* what the choices stand for */
	bool bell, called;
};

static void draw_model(const struct model *m, const struct ui *ui, struct canvas *c)
{
	canvas_clear(c);
	view_overview.draw(m, ui, c);
	if (ui->picking)
		view_pick.draw(m, ui, c);
	if (ui->help)
		view_help.draw(m, ui, c);
}

/* What the screen can not say when nobody looks at it. */
static void call_person(struct live *l)
{
	bool waits = input_waits(&l->model->input);

	if (waits == l->called)
		return;
	l->called = waits;
	if (waits && l->bell)
		term_bell(l->term);
	term_title(l->term, waits ? "dpkgtop: waiting for you" : "");
}

static void list_choices(struct live *l)
{
	const struct upgrade_list *list;

	if (!l->session)
		return;
	list = session_upgrades(l->session);
	l->ui.n_choices = 0;
	l->ui.more_choices = list->more;
	for (size_t i = 0; i < list->count && i < CHOICES_MAX; i++) {
		const struct upgrade_run *run = &list->runs[i];
		struct choice *c = &l->ui.choices[l->ui.n_choices++];

		snprintf(c->text, sizeof(c->text), "%s", run->command);
		snprintf(c->where, sizeof(c->where), "%s", run->where);
		c->trusted = run->trusted;
		c->current = l->model->state == MODEL_RUNNING && l->model->upgrade.pid == run->root;
		l->picks[i].root = run->root;
		l->picks[i].start_ticks = run->root_start_ticks;
	}
	if (l->ui.cursor >= l->ui.n_choices)
		l->ui.cursor = l->ui.n_choices ? l->ui.n_choices - 1 : 0;
}

static void draw(struct live *l)
{
	list_choices(l);
	draw_model(l->model, &l->ui, &l->canvas);
	term_show(l->term, &l->canvas);
}

void live_draw(struct live *l)
{
	draw(l);
}

static void resize(struct live *l)
{
	int rows, columns;

	term_resized(l->term);
	term_size(l->term, &rows, &columns);
	canvas_resize(&l->canvas, rows, columns);
	draw(l);
}

static void model_changed(void *context)
{
	struct live *l = context;

	call_person(l);
	if (!l->ui.paused)
		draw(l);
}

static void pick(struct live *l)
{
	l->ui.picked = false;
	if (l->session && l->ui.cursor < l->ui.n_choices)
		session_choose(l->session, l->picks[l->ui.cursor].root,
		               l->picks[l->ui.cursor].start_ticks);
}

static void press(struct live *l, int key)
{
	switch (keymap_press(&l->ui, key)) {
	case ACTION_QUIT:
		loop_stop(l->loop, 0);
		break;
	case ACTION_CHANGED:
		if (l->ui.picked)
			pick(l);
		if (l->asked)
			l->asked(l->context, &l->ui);
		draw(l);
		break;
	case ACTION_REDRAW:
		term_redraw(l->term);
		draw(l);
		break;
	case ACTION_SUSPEND:
		term_suspend(l->term);
		resize(l);
		break;
	default:
		break;
	}
}

static void key_ready(void *context, int fd, unsigned events)
{
	struct live *l = context;
	int key;

	(void)fd, (void)events;
	while ((key = term_key(l->term)) > 0)
		press(l, key);
	if (key < 0)
		loop_stop(l->loop, key);
}

static void signalled(void *context, int signal)
{
	struct live *l = context;

	switch (signal) {
	case SIGCONT:
		/* Whoever stopped us has had the terminal meanwhile. */
		if (l->term)
			term_resume(l->term);
		/* fall through */
	case SIGWINCH:
		if (l->term)
			resize(l);
		break;
	case SIGTSTP:
		if (l->term)
			press(l, KEY_CTRL_Z);
		break;
	default:
		loop_stop(l->loop, LIVE_SIGNAL + signal);
		break;
	}
}

/* All whose default is to end the program, but for KILL and those that a fault of its own raises
 * (which give the terminal back by themselves, see term.h): whatever ends it, its terminal is given
 * back and what it made is removed. */
static const int deadly[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2, SIGVTALRM,
                             SIGPROF, SIGIO,   SIGSTKFLT, SIGPWR,  SIGXCPU, SIGXFSZ};

/* What nohup(1) or a shell's "&" had ignored stays ignored. */
static bool is_ignored(int signal)
{
	struct sigaction now;

	return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void add_unless_ignored(sigset_t *set, int signal)
{
	if (!is_ignored(signal))
		sigaddset(set, signal);
}

int live_interrupted(void)
{
	static const struct timespec now = {0, 0};
	sigset_t set;
	int signal;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		add_unless_ignored(&set, deadly[i]);
	signal = sigtimedwait(&set, NULL, &now);
	return signal > 0 ? LIVE_SIGNAL + signal : 0;
}

int live_new(struct live **ret, struct loop *loop, struct err *e)
{
	struct live *l = mem_new(1, sizeof(*l));
	sigset_t set;
	int r;

	l->loop = loop;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		add_unless_ignored(&set, deadly[i]);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGCONT);
	add_unless_ignored(&set, SIGTSTP);
	r = loop_signals(loop, &set, signalled, l);
	if (r < 0) {
		free(l);
		return err_set(e, r, "signals: %s", strerror(-r));
	}
	/* A reader of our output that goes away is an error of that write, not our end. */
	signal(SIGPIPE, SIG_IGN);
	*ret = l;
	return 0;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	if (l->session)
		session_on_change(l->session, NULL, NULL);
	if (l->term) {
		loop_forget(l->loop, term_fd(l->term));
		term_close(l->term);
		canvas_done(&l->canvas);
	}
	free(l);
}

/* Takes the terminal for l->model. */
static int open_terminal(struct live *l, const struct options *o, struct err *e)
{
	struct term_options t = {.colour = options_colour(o), .theme = &l->theme};
	int rows, columns, r;

	r = options_theme(o, &l->theme, e);
	if (r < 0)
		return r;
	r = term_open(&l->term, &t, e);
	if (r < 0)
		return r;
	l->bell = !o->no_bell;
	term_size(l->term, &rows, &columns);
	canvas_init(&l->canvas, rows, columns, options_ascii(o));
	loop_watch(l->loop, term_fd(l->term), key_ready, l);
	draw(l);
	return 0;
}

int live_open(struct live *l, struct session *session, const struct options *o, struct err *e)
{
	int r;

	l->session = session;
	l->model = session_model(session);
	l->ui.unprivileged = geteuid() != 0;
	r = open_terminal(l, o, e);
	if (r < 0)
		l->session = NULL;
	else
		session_on_change(session, model_changed, l);
	return r;
}

int live_open_replay(struct live *l, const struct model *m, const struct options *o,
                     const struct ui *ui, live_asked *asked, void *context, struct err *e)
{
	l->model = m;
	l->ui = *ui;
	l->asked = asked;
	l->context = context;
	return open_terminal(l, o, e);
}

struct ui *live_ui(struct live *l)
{
	return &l->ui;
}

void live_note(struct live *l, const char *note)
{
	text_printable_string(l->ui.note, sizeof(l->ui.note), note);
}

int live_snapshot(const struct model *m, const struct ui *ui, const struct options *o,
                  struct err *e)
{
	struct canvas canvas;
	struct theme theme;
	int r = options_theme(o, &theme, e);

	if (r < 0)
		return r;
	canvas_init(&canvas, o->rows, o->columns, options_ascii(o));
	draw_model(m, ui, &canvas);
	if (o->snapshot == SNAPSHOT_ANSI)
		theme_write_ansi(&theme, &canvas, options_colour(o) ? 256 : 0, stdout);
	else
		canvas_write_text(&canvas, stdout);
	canvas_done(&canvas);
	if (fflush(stdout) != 0)
		return err_set(e, -errno, "standard output: %s", strerror(errno));
	return 0;
}

int live_end_by(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	return 128 + number;
}

int live_status(int result)
{
	int number = result - LIVE_SIGNAL;

	if (result <= 0)
		return result == 0 ? STATUS_OK : STATUS_FAILURE;
	return number == SIGINT ? STATUS_OK : live_end_by(number);
}
