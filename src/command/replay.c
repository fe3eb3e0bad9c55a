/* replay.c - the dashboard on a recording. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/units.h"
#include "live.h"
#include "load.h"
#include "options.h"
#include "player.h"

enum { OPT_AT = OPT_OWN, OPT_SPEED, OPT_VIEW };

#define TICK_NS     INT64_C(100000000)
#define SPEED_LEAST 0.0625
#define SPEED_MOST  1024.0
/* A key goes so far, or a fiftieth of it all if that is more. */
#define SEEK_NS INT64_C(1000000000)

struct replay {
	struct options o;
	const char *path;
	bool has_at;
	int64_t at_ns; /* on the upgrade's own clock */
	double speed;
	struct loop *loop;
	struct live *live;
	struct player player;
	struct stamp ticked;
	struct err err;
};

/* --- time ---------------------------------------------------------------------------------- */

/* "12.5", "1:23", "1:02:03" as ns; 0 or -EINVAL. */
static int take_time(const char *text, int64_t *ret_ns)
{
	double seconds = 0;
	int parts = 0;

	do {
		char *end;
		double part = strtod(text, &end);

		if (end == text || !isfinite(part) || part < 0 || part > 1e7 || ++parts > 3 ||
		    *text == '+' || *text == '-' || (*end && *end != ':') ||
		    (parts > 1 && part >= 60))
			return -EINVAL;
		seconds = seconds * 60 + part;
		text = end + (*end == ':');
		if (*end == ':' && !*text)
			return -EINVAL;
	} while (*text);
	*ret_ns = (int64_t)(seconds * 1e9);
	return 0;
}

static void tell_place(const struct player *p, struct ui *ui)
{
	ui->at_ns = p->at_ns - p->zero_ns;
	ui->length_ns = p->end_ns - p->zero_ns;
}

static void go(struct replay *r, int64_t to_ns)
{
	player_go(&r->player, to_ns);
	tell_place(&r->player, live_ui(r->live));
}

static int64_t seek_ns(const struct player *p)
{
	int64_t part = (p->end_ns - p->begin_ns) / 50;

	return part > SEEK_NS ? part : SEEK_NS;
}

static void set_speed(struct ui *ui, double speed)
{
	ui->speed = speed < SPEED_LEAST ? SPEED_LEAST : speed > SPEED_MOST ? SPEED_MOST : speed;
}

/* --- keys ---------------------------------------------------------------------------------- */

static void asked(void *context, struct ui *ui)
{
	struct replay *r = context;
	const struct player *p = &r->player;
	enum replay_request request = ui->request;

	ui->request = REPLAY_NOTHING;
	if (request == REPLAY_STEP || request == REPLAY_STEP_BACK)
		ui->paused = true;
	switch (request) {
	case REPLAY_BACK:
		go(r, p->at_ns - seek_ns(p));
		break;
	case REPLAY_ON:
		go(r, p->at_ns + seek_ns(p));
		break;
	case REPLAY_STEP_BACK:
		go(r, player_step(p, -1));
		break;
	case REPLAY_STEP:
		go(r, player_step(p, 1));
		break;
	case REPLAY_PHASE_BACK:
		go(r, player_phase(p, -1));
		break;
	case REPLAY_PHASE:
		go(r, player_phase(p, 1));
		break;
	case REPLAY_BEGIN:
		go(r, p->begin_ns);
		break;
	case REPLAY_END:
		go(r, p->end_ns);
		break;
	case REPLAY_SLOWER:
		set_speed(ui, ui->speed / 2);
		break;
	case REPLAY_FASTER:
		set_speed(ui, ui->speed * 2);
		break;
	case REPLAY_NOTHING:
		/* Going on from the end is beginning anew. */
		if (!ui->paused && p->at_ns >= p->end_ns)
			go(r, p->begin_ns);
		break;
	}
}

static void tick(void *context, int fd, unsigned events)
{
	struct replay *r = context;
	struct ui *ui = live_ui(r->live);
	struct stamp now = stamp_now();
	int64_t passed = now.mono_ns - r->ticked.mono_ns;

	(void)fd, (void)events;
	r->ticked = now;
	if (ui->paused || ui->help)
		return;
	go(r, r->player.at_ns + (int64_t)((double)passed * ui->speed));
	if (r->player.at_ns >= r->player.end_ns)
		ui->paused = true;
	live_draw(r->live);
}

/* --- the command --------------------------------------------------------------------------- */

static int show(struct replay *r)
{
	struct ui ui = {.replay = true, .speed = r->speed};
	int result;

	tell_place(&r->player, &ui);
	if (r->o.snapshot)
		return live_snapshot(&r->player.model, &ui, &r->o, &r->err);
	result = live_open_replay(r->live, &r->player.model, &r->o, &ui, asked, r, &r->err);
	if (result < 0)
		return result;
	r->ticked = stamp_now();
	result = loop_timer(r->loop, TICK_NS, tick, r);
	return result < 0 ? result : loop_run(r->loop);
}

static int work(struct replay *r)
{
	int result = loop_new(&r->loop, &r->err);

	if (result == 0)
		result = live_new(&r->live, r->loop, &r->err);
	if (result == 0 && r->has_at)
		player_go(&r->player, r->player.zero_ns + r->at_ns);
	else if (result == 0 && r->o.snapshot)
		player_go(&r->player, r->player.end_ns);
	return result == 0 ? show(r) : result;
}

static int replay(struct replay *r)
{
	int result = player_open(&r->player, r->path, &r->err), status;

	if (result < 0) {
		status = load_status(result);
	} else {
		result = work(r);
		live_free(r->live);
		loop_free(r->loop);
		status = result == -ENOENT ? STATUS_USAGE : live_status(result);
	}
	if (*r->err.text)
		fprintf(stderr, "dpkgtop: %s\n", r->err.text);
	else if (r->player.cut)
		fprintf(stderr, "dpkgtop: %s: ends early; shown up to its last whole line\n",
		        r->path);
	player_done(&r->player);
	return status;
}

static int take_own(struct replay *r, int option, const char *value)
{
	char *end;

	switch (option) {
	case OPT_AT:
		r->has_at = true;
		if (take_time(value, &r->at_ns) == 0)
			return 0;
		return err_set(&r->err, -EINVAL, "no time such as 83, 1:23 or 1:02:03: %s", value);
	case OPT_SPEED:
		r->speed = strtod(value, &end);
		if (end != value && !*end && r->speed >= SPEED_LEAST && r->speed <= SPEED_MOST)
			return 0;
		return err_set(&r->err, -EINVAL, "no speed of 0.0625 to 1024: %s", value);
	case OPT_VIEW:
		if (strcmp(value, "overview") == 0)
			return 0;
		return err_set(&r->err, -EINVAL, "no such view, \"overview\" is the one so far: %s",
		               value);
	default:
		return -ENOENT;
	}
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option table[] = {OPTIONS_LONG,
	                                      OPTIONS_SNAPSHOT_LONG,
	                                      {"at", required_argument, NULL, OPT_AT},
	                                      {"speed", required_argument, NULL, OPT_SPEED},
	                                      {"view", required_argument, NULL, OPT_VIEW},
	                                      {NULL, 0, NULL, 0}};
	struct replay r = {.speed = 1};
	int option, result;

	options_init(&r.o);
	/* Without its "+": options may follow the file. */
	while ((option = getopt_long(argc, argv, &OPTIONS_SHORT[1], table, NULL)) != -1) {
		if (option == 'h')
			return options_print_help(self);
		result = options_take(&r.o, option, optarg, &r.err);
		if (result == -ENOENT)
			result = take_own(&r, option, optarg);
		if (result == -ENOENT)
			return options_refused(self, option, argv);
		if (result < 0)
			return options_refuse(self, r.err.text);
	}
	if (optind + 1 != argc)
		return options_refuse(self, "takes one recording");
	r.path = argv[optind];
	if (strcmp(r.path, "-") == 0)
		return options_refuse(self, "a recording that is replayed is a file");
	return replay(&r);
}

const struct command command_replay = {
	.name = "replay",
	.usage = "dpkgtop replay [options] FILE",
	.summary = "Shows a recording as it was on the screen.",
	.options =
		"      --at TIME             begin at 83 (seconds), 1:23 or 1:02:03 of its clock\n"
		"      --speed N             so many times as fast as it was (1)\n"
		"      --view NAME           overview\n"
		"      --snapshot text|ansi  print one screen, that at --at or the last, and end\n"
		"      --size COLUMNSxROWS   of that screen (80x24)\n",
	.run = run,
};
