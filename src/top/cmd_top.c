/* SPDX-License-Identifier: MIT */
/*
 * top: the boards of the running serve, live on the terminal.
 */
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/brokered.h"
#include "cli/commands.h"
#include "cli/serve_client.h"
#include "top/feed_broker.h"
#include "top/feed_serve.h"
#include "top/top.h"
#include "top/top_keys.h"
#include "top/top_terminal.h"

#define EVERY_DEFAULT 10000
/* Between two drawings: of what came, and of what a key did. */
#define DRAW_MS 100
#define KEY_MS 30

struct top_options {
	int64_t every;
	int sort;
	bool reverse;
};

static const struct option_row top_options[] = {
	{ .name = "every",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct top_options, every),
	  .brief = "how often boards are asked for their status",
	  .min = 1000,
	  .fallback = "10s" },
	{ .name = "sort",
	  .word = "COLUMN",
	  .type = OPTION_CHOICE,
	  .offset = offsetof(struct top_options, sort),
	  .brief =
		  "in which order they stand at first: a heading of the screen",
	  .choices =
		  "name state board firmware via address signal battery heap calls p50 finding audio jitter lost tools",
	  .fallback = "name" },
	{ .name = "reverse",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct top_options, reverse),
	  .brief = "the other way round: what is most stands first" },
	{ .name = NULL }
};

/* ---- drawing ---- */

static void show_prompt(struct top *t)
{
	static const char *const prompts[] = {
		[TOP_FILTERS] = "filter: ",
		[TOP_CALLS] = "call TOOL [ARG]...: ",
	};

	t->view.prompt = prompts[t->mode];
	t->view.typed = buf_string(&t->typed);
	t->view.note = t->note;
}

static int cursor(const struct top *t)
{
	size_t at;

	if (t->mode == TOP_LOOKS || !t->view.columns)
		return -1;
	at = strlen(t->view.prompt) +
	     text_width(t->view.typed, strlen(t->view.typed));
	return (int)(at < t->view.columns ? at : t->view.columns - 1);
}

static bool is_unasked(const struct top_rows *r)
{
	return r->count && !r->item[0]->counted && !r->item[0]->announced;
}

static void draw(struct top *t)
{
	struct top_view *v = &t->view;

	t->screen->size(&v->lines, &v->columns);
	v->unasked = is_unasked(&t->rows);
	v->listed = t->feed->listed;
	v->silent = t->feed->ops->silent(t->feed);
	show_prompt(t);
	view_prepare(v);
	for (size_t y = 0; y < v->lines; y++) {
		view_line(v, y, &t->line);
		t->screen->line(y, &t->line);
	}
	t->screen->show(cursor(t));
	t->drawn_at = loop_now();
	t->feed->changed = t->keyed = false;
}

/* In place of the keys, until one is pressed. */
static void take_told(struct top *t)
{
	if (!t->feed->told)
		return;
	mem_free(t->note);
	t->note = TAKE(t->feed->told);
}

/* loop_now() ms when it is to be drawn; LOOP_FOREVER: nothing changed. */
static int64_t draw_due(const struct top *t)
{
	if (t->keyed)
		return t->drawn_at + KEY_MS;
	return t->feed->changed ? t->drawn_at + DRAW_MS : LOOP_FOREVER;
}

/* ---- the main line ---- */

static int check_end(const struct top *t, struct error *err)
{
	if (t->gone)
		return error_set(err, ERR_OUTPUT, "the terminal is gone");
	if (!t->signal)
		return 0;
	error_set(err, ERR_INTERRUPTED, "interrupted by a signal");
	return error_code(err, t->signal);
}

static int look(struct top *t, struct error *err)
{
	struct feed *feed = t->feed;

	while (!t->quit) {
		int64_t due;

		t->feed->wake = false;
		top_keys(t);
		if (t->quit)
			break;
		if (check_end(t, err) || feed->ops->step(feed, err))
			return -1;
		take_told(t);
		t->feed->changed = t->feed->changed || feed->ops->silent(feed);
		if (draw_due(t) <= loop_now())
			draw(t);
		due = feed->ops->due(feed);
		if (draw_due(t) < due)
			due = draw_due(t);
		if (loop_stay(t->app->loop, &t->feed->wake, due, err))
			return -1;
	}
	return 0;
}

static int check_form(const struct app *app, struct error *err)
{
	if (app->config.output == OUTPUT_TEXT)
		return 0;
	error_set(err, ERR_USAGE, "'top' is a screen, and has no other form");
	return error_hint(
		err,
		"'mcpctl -o json devices' prints the same boards, with --watch what changes");
}

/* What -d says, or the operand. */
static int make_feed(struct top *t, const struct invocation *in,
		     struct error *err)
{
	const struct top_options *o = in->options;
	struct app *app = t->app;
	const bool brokered = brokered_fits(app);

	if (in->argc > 0)
		app->config.device = in->argv[0];
	if (brokered ? feed_broker_new(&t->feed, app, err) :
		       feed_serve_new(&t->feed, app, err))
		return -1;
	t->feed->pattern = serve_target_device(app);
	t->feed->every = t->view.every = o->every ? o->every : EVERY_DEFAULT;
	t->feed->rows = &t->rows;
	t->feed->frames = &t->frames;
	t->view.brokered = brokered;
	return 0;
}

static int open_all(struct top *t, const struct invocation *in,
		    struct error *err)
{
	if (check_form(t->app, err) || app_open_loop(t->app, err) ||
	    make_feed(t, in, err))
		return -1;
	/* Without a terminal nobody is connected to. */
	if (!term_is_terminal(stdin) || !term_is_terminal(stdout))
		return top_terminal_open(t, err);
	if (t->feed->ops->open(t->feed, err))
		return -1;
	return top_terminal_open(t, err);
}

static int top_command(const struct invocation *in, struct error *err)
{
	const struct top_options *o = in->options;
	struct top t = { .app = in->app };
	int status;

	t.view.rows = &t.rows;
	t.view.frames = &t.frames;
	rows_sort(&t.rows, (enum row_column)o->sort, o->reverse);
	status = open_all(&t, in, err);
	if (status == 0) {
		t.view.ascii = t.screen->ascii();
		t.keyed = true;
		status = look(&t, err);
	}
	top_terminal_close(&t);
	if (t.feed)
		t.feed->ops->close(t.feed);
	view_line_done(&t.line);
	rows_done(&t.rows);
	last_frames_done(&t.frames);
	buf_done(&t.typed);
	mem_free(t.callee);
	mem_free(t.note);
	return status;
}

static const struct example top_examples[] = {
	{ "top", NULL, 2 },
	{ "top 'aa:bb:*' --sort battery", NULL, 2 },
	{ "-t mcp+mqtt://broker.local/+/lab/%23 top", NULL, 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_top = {
	.name = "top",
	.globals =
		"target device socket cacert insecure mqtt-password-file timeout",
	.args = "[PATTERN]",
	.brief =
		"the devices of the running serve, or servers at a broker, live on a screen",
	.text = "A line for each board that is connected to the 'mcpctl serve' of this user, and each server that 'mcpctl open' keeps there, or for those that PATTERN (an id, an alias, a glob) means, until q or Ctrl-C. As many columns as fit; '-' stands where something is not known:\n"
		"\n"
		"state\tas of 'devices'; stale: asked at least 10 s ago, and nothing came since; no answer: its circuit breaker is open\n"
		"signal, battery, heap\twhat its status tools say: dBm, or the firmware's word; per cent, with + while it charges; the least memory that was free since its start; '-' again when it did not answer in three rounds\n"
		"calls, p50\tcalls of tools that it answered since it connected, and the median of the last 32\n"
		"finding\tthe code of the last: 'mcpctl explain CODE'\n"
		"audio\tpackets of sound that came from it\n"
		"jitter\tby how much they came unevenly (RFC 3550), where their pace can be judged\n"
		"lost\tthose that never came, which only UDP tells; Enter tells the rest: what came late, what did not come in the midst of listening, drift\n"
		"\n"
		"Of tools only self.get_device_status and self.get_system_info are called by itself, which read and act on nothing: every 10 s, or --every, of boards that list them, and not of one that is asked something else at that moment. These calls are not counted.\n"
		"\n"
		"Arrows, j, k, PgUp, PgDn, g, G\tselect a board\n"
		"/\tfilter: words, each of which must stand in name, id, board, firmware, state, address or finding; Enter keeps it, Esc goes back\n"
		"s, r\tby the next column; the other way round\n"
		"Enter\twhat it says by itself, with what serve kept of that, as tail has it, but raw and without its envelope; Esc: no more\n"
		"c\tcall a tool of it: the screen makes room for the answer\n"
		"x\ta shell with it; the screen is back when that ends\n"
		"q\tquit\n"
		"\n"
		"With a target mcp+mqtt://BROKER/FILTER the rows are the servers that announce themselves there, and fit FILTER and PATTERN (or -d). They come and go as their presence does, and nobody is asked for it: state is present, asleep, away (what it comes through is not there), odd (what is announced is no presence), or gone, for a minute; board and firmware are those of a serve --mcp-mqtt, else what the server says of itself; address is its id; tools how many it announces. What is not announced is '-'. Enter opens a session with one and shows what it says; c and x are as above. When the broker is lost, it ends with status 3.\n"
		"\n"
		"It needs a terminal: for a pipe or a program there are 'devices --watch' and '-o json devices'. When serve ends, it ends with status 3.",
	.group = GROUP_START,
	.flags = CMD_MINOR,
	.max = 1,
	.operand = OPERAND_DEVICE,
	.options = top_options,
	.options_size = sizeof(struct top_options),
	.examples = top_examples,
	.run = top_command
};
