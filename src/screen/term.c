/* term.c - the terminal, by curses. */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dpkgtop/keymap.h"
#include "dpkgtop/mem.h"
#include "dpkgtop/term.h"

#include "crash.h"
#include "outlet.h"
#include "terminfo.h"
#include "title.h"

/* Waiting longer for the rest of an escape sequence makes Esc feel dead (ncurses(3X),
 * ESCDELAY: 1000). */
#define ESCAPE_MS 25

/* So often in a row a key may be announced and not come: a sequence that is still incomplete. */
#define EMPTY_READS_MAX 100

struct term {
	SCREEN *screen;
	struct outlet outlet;
	/* Keys are read in its name: curses shows a window before it reads, but for a pad. */
	WINDOW *keys;
	attr_t attributes[N_CANVAS_ROLES];
	short pairs[N_CANVAS_ROLES];
	int empty_reads;
	bool has_title, ascii;
	char title[256]; /* set now; "" the terminal's own */
	/* What curses was last told, on a screen of that size: most rows stay as they are, and
	 * curses takes its time to put a row together. */
	struct canvas shown;
	int rows, columns;
};

/* Signals that ncurses would handle by itself: here they are the loop's. */
static const int loop_signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
#define N_LOOP_SIGNALS (sizeof(loop_signals) / sizeof(*loop_signals))

/* Whether there is a terminal that can show a screen. From then on a crash gives it back. */
static int term_guard(struct err *e)
{
	const char *name = getenv("TERM");
	char bytes[256];
	size_t len;
	int r;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(e, -ENOTTY, "standard %s is no terminal",
		               isatty(STDIN_FILENO) ? "output" : "input");
	if (!name || !*name)
		return err_set(e, -ENOENT, "TERM is not set: the kind of terminal is not known");
	r = terminfo_load(name, bytes, sizeof(bytes), &len, e);
	if (r == 0)
		crash_prepare(bytes, len);
	return r;
}

/* newterm() takes over those signals that still have their default action. */
static SCREEN *term_start(void)
{
	struct sigaction before[N_LOOP_SIGNALS];
	SCREEN *screen;

	for (size_t i = 0; i < N_LOOP_SIGNALS; i++)
		sigaction(loop_signals[i], NULL, &before[i]);
	screen = newterm(NULL, stdout, stdin);
	for (size_t i = 0; i < N_LOOP_SIGNALS; i++)
		sigaction(loop_signals[i], &before[i], NULL);
	return screen;
}

/* Until it has once been left, ncurses (6.4) writes out each movement of the cursor by itself, some
 * sixty times a screen (ewInitial in its lib_mvcur.c). The terminal gets nothing of that. */
static void term_leave_unseen(void)
{
	int null = outlet_takes(STDOUT_FILENO, 0) ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	int own = null < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (own >= 0 && dup2(null, STDOUT_FILENO) >= 0) {
		endwin();
		dup2(own, STDOUT_FILENO);
		refresh();
	}
	if (own >= 0)
		close(own);
	if (null >= 0)
		close(null);
}

static short term_colour(short colour, short colour16, attr_t *attributes)
{
	if (COLORS >= 256)
		return colour;
	if (COLORS < 16 && colour16 >= 8) {
		/* Eight colours have their bright half by bold. */
		*attributes |= A_BOLD;
		return (short)(colour16 - 8);
	}
	return colour16;
}

static void term_styles(struct term *t, const struct term_options *o)
{
	bool colour = o->colour && has_colors() && start_color() == OK && COLORS >= 8 &&
	              COLOR_PAIRS > N_CANVAS_ROLES;
	bool own = colour && use_default_colors() == OK;

	for (short role = 0; role < N_CANVAS_ROLES; role++) {
		const struct theme_style *s = &o->theme->styles[role];
		attr_t *a = &t->attributes[role];
		attr_t unused = 0;
		short front, ground;

		*a = (s->bold ? A_BOLD : 0) | (s->dim ? A_DIM : 0) | (s->reverse ? A_REVERSE : 0) |
		     (s->underline ? A_UNDERLINE : 0);
		if (!colour)
			continue;
		front = term_colour(s->colour, s->colour16, a);
		ground = term_colour(s->ground, s->ground16, &unused);
		if (!own && front < 0)
			front = COLOR_WHITE;
		if (!own && ground < 0)
			ground = COLOR_BLACK;
		if (init_pair((short)(role + 1), front, ground) == OK)
			t->pairs[role] = (short)(role + 1);
	}
}

int term_colours(void)
{
	const char *name = getenv("TERM");

	return name && *name ? terminfo_colours(name) : -ENOENT;
}

int term_open(struct term **ret, const struct term_options *o, struct err *e)
{
	struct term *t;
	SCREEN *screen;
	int r = term_guard(e);

	if (r < 0)
		return r;
	screen = term_start();
	if (!screen) {
		crash_forget();
		return err_set(e, -ENOENT, "terminal \"%s\" (TERM) can not be used",
		               getenv("TERM"));
	}
	t = mem_new(1, sizeof(*t));
	t->screen = screen;
	set_escdelay(ESCAPE_MS);
	term_leave_unseen();
	/* Raw: ^C and ^Z are keys like all others, and what they do is the keymap's matter. */
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	t->keys = newpad(1, 1);
	keypad(t->keys, TRUE);
	nodelay(t->keys, TRUE);
	scrollok(stdscr, FALSE);
	/* Keys are the loop's: looking for them in the midst of a screen is no use. */
	typeahead(-1);
	curs_set(0);
	t->has_title = title_known(getenv("TERM"));
	t->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	term_styles(t, o);
	term_resized(t);
	outlet_open(&t->outlet);
	crash_terminal(t->outlet.own);
	*ret = t;
	return 0;
}

/* One that takes nothing gets what it takes: curses would wait for it. */
static void term_leave(struct term *t)
{
	if (!outlet_ready(&t->outlet)) {
		crash_leave();
		return;
	}
	crash_watch(true);
	endwin();
	crash_watch(false);
}

void term_close(struct term *t)
{
	if (!t)
		return;
	term_title(t, "");
	term_leave(t);
	crash_terminal(-1);
	outlet_close(&t->outlet);
	delwin(t->keys);
	delscreen(t->screen);
	crash_forget();
	canvas_done(&t->shown);
	free(t);
}

void term_size(const struct term *t, int *ret_rows, int *ret_columns)
{
	(void)t;
	getmaxyx(stdscr, *ret_rows, *ret_columns);
}

void term_resized(struct term *t)
{
	struct winsize size;

	/* The kernel's word stands before LINES and COLUMNS, which do not follow the window. */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return;
	if (!is_term_resized(size.ws_row, size.ws_col))
		return;
	resizeterm(size.ws_row, size.ws_col);
	/* What was cut off is blank, also where it is as large as before when it is next shown. */
	t->rows = 0;
}

/* The columns of `row` from `x` on, up to `columns`. */
static void term_row(struct term *t, const struct canvas_cell *row, int y, int x, int columns)
{
	char text[2048];
	int next;

	for (; x < columns; x = next) {
		size_t used = 0;

		/* One call a run of one role, as far as the buffer goes. */
		for (next = x; next < columns && row[next].role == row[x].role; next++) {
			size_t len = strlen(row[next].text);

			if (used + len >= sizeof(text))
				break;
			memcpy(text + used, row[next].text, len);
			used += len;
		}
		text[used] = '\0';
		attr_set(t->attributes[row[x].role], t->pairs[row[x].role], NULL);
		/* ERR in the last cell of the screen: it is drawn, the cursor can not go on. */
		mvaddstr(y, x, text);
	}
}

/* False if the sizes have changed, and so all rows have to be told. */
static bool term_fits(struct term *t, const struct canvas *c)
{
	int rows, columns;

	getmaxyx(stdscr, rows, columns);
	if (rows == t->rows && columns == t->columns && t->shown.rows == c->rows &&
	    t->shown.columns == c->columns)
		return true;
	t->rows = rows;
	t->columns = columns;
	canvas_resize(&t->shown, c->rows, c->columns);
	/* Not blank in some role: nothing has been told. */
	memset(t->shown.cells, 0, (size_t)c->rows * (size_t)c->columns * sizeof(*t->shown.cells));
	return false;
}

static bool term_same(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->width == b->width && a->role == b->role && !strcmp(a->text, b->text);
}

/* Tells what has changed of a row, from the first such column to the last. Both halves of a wide
 * character have changed with it. */
static void term_change(struct term *t, const struct canvas_cell *row, struct canvas_cell *before,
                        int y, int columns)
{
	int from = 0, to = columns;

	while (from < to && term_same(&row[from], &before[from]))
		from++;
	while (to > from && term_same(&row[to - 1], &before[to - 1]))
		to--;
	memcpy(&before[from], &row[from], (size_t)(to - from) * sizeof(*row));
	term_row(t, row, y, from, to);
}

void term_show(struct term *t, const struct canvas *c)
{
	int columns;

	if (!outlet_ready(&t->outlet))
		return;
	if (!term_fits(t, c))
		erase();
	columns = c->columns < t->columns ? c->columns : t->columns;
	for (int y = 0; y < c->rows && y < t->rows; y++) {
		size_t at = (size_t)y * (size_t)c->columns;

		term_change(t, c->cells + at, t->shown.cells + at, y, columns);
	}
	outlet_begin(&t->outlet);
	crash_watch(t->outlet.own < 0);
	refresh();
	crash_watch(false);
	outlet_end(&t->outlet);
}

void term_redraw(struct term *t)
{
	t->rows = 0;
	clearok(stdscr, TRUE);
}

/* Why no key came, though one may have been announced: 0, or -EIO if none ever will. */
static int term_no_key(struct term *t)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int waiting = 0;

	if (poll(&p, 1, 0) <= 0) {
		t->empty_reads = 0;
		return 0;
	}
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return -EIO;
	/* Readable, but nothing to read: the end of the file. */
	if (ioctl(STDIN_FILENO, FIONREAD, &waiting) < 0 || waiting == 0)
		return -EIO;
	return ++t->empty_reads > EMPTY_READS_MAX ? -EIO : 0;
}

/* A key that sends a sequence, by our name for it; 0: none that we know. */
static int term_named_key(wint_t key)
{
	switch (key) {
	case KEY_UP:
		return KEY_OF_UP;
	case KEY_DOWN:
		return KEY_OF_DOWN;
	case KEY_LEFT:
		return KEY_OF_LEFT;
	case KEY_RIGHT:
		return KEY_OF_RIGHT;
	case KEY_HOME:
	case KEY_FIND: /* so the Linux console's and the VT220's description name it */
		return KEY_OF_HOME;
	case KEY_END:
	case KEY_SELECT:
		return KEY_OF_END;
	case KEY_PPAGE:
		return KEY_OF_PAGE_UP;
	case KEY_NPAGE:
		return KEY_OF_PAGE_DOWN;
	case KEY_ENTER:
		return KEY_RETURN;
	default:
		return key >= KEY_F0 && key <= KEY_F(63) ? KEY_OF_F + (int)(key - KEY_F0) : 0;
	}
}

int term_key(struct term *t)
{
	wint_t key;

	for (;;) {
		switch (wget_wch(t->keys, &key)) {
		case OK:
			t->empty_reads = 0;
			if (key)
				return (int)key;
			break; /* ^@ is no key of ours */
		case KEY_CODE_YES:
			t->empty_reads = 0;
			if (term_named_key(key))
				return term_named_key(key);
			break; /* others, and KEY_RESIZE: the loop has SIGWINCH */
		default:
			return term_no_key(t);
		}
	}
}

void term_bell(struct term *t)
{
	outlet_begin(&t->outlet);
	beep();
	outlet_end(&t->outlet);
}

/* curses has no word for these; it sends all it has at each refresh(), so nothing gets between. */
void term_title(struct term *t, const char *text)
{
	char bytes[256];
	size_t len;

	if (!t->has_title || !strncmp(t->title, text, sizeof(t->title) - 1))
		return;
	if (!*text) {
		outlet_send(&t->outlet, TITLE_POP, strlen(TITLE_POP));
		crash_also("");
	} else if (!*t->title) {
		crash_also(TITLE_POP);
		outlet_send(&t->outlet, TITLE_PUSH, strlen(TITLE_PUSH));
	}
	snprintf(t->title, sizeof(t->title), "%s", text);
	if (!*text)
		return;
	len = title_sequence(text, t->ascii, bytes, sizeof(bytes));
	outlet_send(&t->outlet, bytes, len);
}

int term_fd(const struct term *t)
{
	(void)t;
	return STDIN_FILENO;
}

void term_resume(struct term *t)
{
	reset_prog_mode();
	outlet_begin(&t->outlet);
	curs_set(0);
	outlet_end(&t->outlet);
	clearok(stdscr, TRUE);
}

void term_suspend(struct term *t)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;
	sigset_t only_stop, mask;
	bool takes = outlet_ready(&t->outlet);
	char title[sizeof(t->title)];

	memcpy(title, t->title, sizeof(title));
	if (takes) {
		term_title(t, "");
		endwin();
	}
	crash_forget();
	sigemptyset(&only_stop);
	sigaddset(&only_stop, SIGTSTP);
	sigemptyset(&stop.sa_mask);
	sigaction(SIGTSTP, &stop, &before);
	raise(SIGTSTP);
	/* Blocked until here, if the loop reads its signals from a descriptor: it stops now. */
	sigprocmask(SIG_UNBLOCK, &only_stop, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &before, NULL);
	crash_again();
	term_title(t, title);
	term_resized(t);
	clearok(stdscr, TRUE);
	if (takes)
		refresh();
}
