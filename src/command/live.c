/* live.c - a session on the screen: keys, resizing, signals, and the snapshot door. */
#include "live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpkgtop/keymap.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/term.h"
#include "dpkgtop/view.h"

struct live {
	struct loop *loop;
	struct session *session; /* not owned */
	struct term *term;       /* NULL: not on a screen */
	struct theme theme;
	struct canvas canvas;
	struct ui ui;
};

static void draw_model(const struct model *m, const struct ui *ui, struct canvas *c)
{
	canvas_clear(c);
	view_overview.draw(m, ui, c);
	if (ui->help)
		view_help.draw(m, ui, c);
}

static void draw(struct live *l)
{
	draw_model(session_model(l->session), &l->ui, &l->canvas);
	term_show(l->term, &l->canvas);
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

	if (!l->ui.paused)
		draw(l);
}

static void press(struct live *l, int key)
{
	switch (keymap_press(&l->ui, key)) {
	case ACTION_QUIT:
		loop_stop(l->loop, 0);
		break;
	case ACTION_CHANGED:
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

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool live_interrupted(void)
{
	sigset_t pending;

	if (sigpending(&pending) < 0)
		return false;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (sigismember(&pending, deadly[i]))
			return true;
	return false;
}

int live_new(struct live **ret, struct loop *loop, struct err *e)
{
	struct live *l = mem_new(1, sizeof(*l));
	sigset_t set;
	int r;

	l->loop = loop;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaddset(&set, deadly[i]);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
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

int live_open(struct live *l, struct session *session, const struct options *o, struct err *e)
{
	struct term_options t = {.colour = options_colour(o), .theme = &l->theme};
	int rows, columns, r;

	r = options_theme(o, &l->theme, e);
	if (r < 0)
		return r;
	r = term_open(&l->term, &t, e);
	if (r < 0)
		return r;
	l->session = session;
	term_size(l->term, &rows, &columns);
	canvas_init(&l->canvas, rows, columns, options_ascii(o));
	loop_watch(l->loop, term_fd(l->term), key_ready, l);
	session_on_change(session, model_changed, l);
	draw(l);
	return 0;
}

int live_snapshot(const struct model *m, const struct options *o, struct err *e)
{
	struct ui ui = {0};
	struct canvas canvas;
	struct theme theme;
	int r = options_theme(o, &theme, e);

	if (r < 0)
		return r;
	canvas_init(&canvas, o->rows, o->columns, options_ascii(o));
	draw_model(m, &ui, &canvas);
	if (o->snapshot == SNAPSHOT_ANSI)
		theme_write_ansi(&theme, &canvas, options_colour(o) ? 256 : 0, stdout);
	else
		canvas_write_text(&canvas, stdout);
	canvas_done(&canvas);
	if (fflush(stdout) != 0)
		return err_set(e, -errno, "standard output: %s", strerror(errno));
	return 0;
}

int live_status(int result)
{
	int number = result - LIVE_SIGNAL;

	if (result <= 0)
		return result == 0 ? STATUS_OK : STATUS_FAILURE;
	if (number == SIGINT)
		return STATUS_OK;
	signal(number, SIG_DFL);
	raise(number);
	return 128 + number;
}
