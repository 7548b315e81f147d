/* SPDX-License-Identifier: MIT */
/*
 * tail: every message that is no reply, from the first one on.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/text_safe.h"
#include "cli/app.h"
#include "cli/cmd_loglevel.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/each.h"
#include "cli/stay.h"
#include "cli/witnessed.h"
#include "mcp/watching.h"
#include "net/http.h"

struct tail_options {
	struct words filter;
	int64_t count, duration, ping;
	const char *level;
	bool follow;
};

static const struct option_row tail_options[] = {
	{ .name = "filter",
	  .word = "WORD|GLOB",
	  .type = OPTION_LIST,
	  .offset = offsetof(struct tail_options, filter),
	  .brief =
		  "only messages whose name contains WORD, or is GLOB; may be given many times" },
	{ .letter = 'n',
	  .name = "count",
	  .word = "N",
	  .type = OPTION_NUMBER,
	  .offset = offsetof(struct tail_options, count),
	  .brief = "end after N messages",
	  .min = 1,
	  .max = INT64_MAX },
	{ .name = "for",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct tail_options, duration),
	  .brief = "end after that time; with --count: status 4 if fewer came",
	  .min = 1 },
	{ .name = "level",
	  .word = "LEVEL",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct tail_options, level),
	  .brief =
		  "have the server log from LEVEL on (debug, info, notice, warning, error, critical, alert, emergency)" },
	{ .letter = 'F',
	  .name = "follow",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct tail_options, follow),
	  .brief = "stay when the peer goes, and go on when it is back" },
	{ .name = "ping-every",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct tail_options, ping),
	  .brief =
		  "ping a server over HTTP that often, so that it does not forget the session (default 5m)",
	  .min = 100 },
	{ .name = NULL }
};

#define ACKNOWLEDGED "notifications/subscriptions/acknowledged"

struct tail {
	struct app *app;
	struct connection *connection; /* NULL: all devices */
	const struct tail_options *options;
	int64_t shown;
	bool stop; /* enough came, or stdout is broken */
};

static bool passes(const struct tail_options *o, const struct event *e)
{
	const char *name = e->name ? e->name : "";
	if (o->filter.count == 0)
		return true;
	for (size_t i = 0; i < o->filter.count; i++) {
		const char *word = o->filter.word[i];
		if (text_has_glob(word) ? text_glob(word, name) :
					  text_find(name, word) != NULL)
			return true;
	}
	return false;
}

/*
 * The hello comes by itself, so it counts only for those who ask for it by a
 * filter. What was lost is told whatever the filter, and counts never.
 */
static bool counts(const struct tail_options *o, const struct event *e)
{
	/* So does that a subscription stands. */
	if (e->name && strcmp(e->name, ACKNOWLEDGED) == 0)
		return o->filter.count > 0;
	/* So does a line of a serial log, which is no message. */
	if (e->kind == EVENT_HELLO || e->kind == EVENT_SERIAL)
		return o->filter.count > 0;
	return e->kind != EVENT_DROPPED;
}

static void on_event(void *owner, const struct event *e)
{
	struct tail *t = owner;
	struct renderer *r = &t->app->out;
	if (t->stop)
		return;
	/* The end is told by the command's own error; of one of many by its row. */
	if (e->kind == EVENT_CLOSED) {
		if (t->connection)
			render_aside(r, e);
		return;
	}
	if (e->kind != EVENT_DROPPED && !passes(t->options, e))
		return;
	if (r->ops->event)
		r->ops->event(r, e);
	t->shown += counts(t->options, e);
	t->stop = ferror(r->out) ||
		  (t->options->count > 0 && t->shown >= t->options->count);
}

static int too_few(const struct tail *t, struct error *err)
{
	char time[32];
	const struct tail_options *o = t->options;
	error_set(err, ERR_TIMEOUT,
		  "%" PRId64 " of %" PRId64 " messages came within %s",
		  t->shown, o->count,
		  text_milliseconds(o->duration, time, sizeof(time)));
	if (o->filter.count > 0)
		return error_hint(err, "only those that pass --filter count");
	return -1;
}

/* Through serve nothing is said at first: its hello was long ago. */
static void tell_whom(const struct connection *c)
{
	const struct session_peer *peer = session_peer(c->session);
	CLEANUP(buf_done) struct buf name = { 0 };

	if (c->endpoint.scheme->kind != SCHEME_ATTACH || !peer->device_id)
		return;
	text_safe(&name, peer->device_id, strlen(peer->device_id), TEXT_NAME);
	render_note(&c->app->out, "attached to %s", buf_string(&name));
}

/* What a server tells only to who asks for it. */
static int listen_to(struct tail *t, struct error *err)
{
	struct connection *c = t->connection;

	if (t->options->level && !client_logs_apart(&c->client))
		render_note(
			&t->app->out,
			"this server logs only to who calls it, so nothing of that comes here; -v of the call shows it");
	return c->app->config.no_init ? 0 : client_listen(&c->client, err);
}

static int connect_and_tell(struct tail *t, struct error *err)
{
	struct connection *c = t->connection;

	if (connection_open(c, err))
		return -1;
	tell_whom(c);
	http_watch(session_transport(c->session));
	if (t->options->level && log_level_set(c, t->options->level, err))
		return -1;
	return listen_to(t, err);
}

static int again(void *owner, struct error *err)
{
	return connect_and_tell(owner, err);
}

/* Until enough came, or the time is over. */
static int watch_until(struct tail *t, int64_t deadline, struct error *err)
{
	const struct stay stay = { .connection = t->connection,
				   .follow = t->options->follow,
				   .stop = &t->stop,
				   .again = again,
				   .owner = t };
	int status = 0;

	while (status == 0 &&
	       client_watch(&t->connection->client, &t->stop, deadline,
			    t->options->ping, err) != 0)
		status = stay_until_back(&stay, deadline, err);
	return status < 0 ? -1 : 0;
}

static int watch(struct tail *t, struct error *err)
{
	struct connection *c = t->connection;
	int64_t duration = t->options->duration;
	/* An earlier command of `run` attached without audio. */
	if (c->connected && !c->endpoint.tail &&
	    c->endpoint.scheme->kind == SCHEME_ATTACH)
		connection_close(c);
	if (app_follow(t->app, err) || connect_and_tell(t, err))
		return -1;
	int64_t deadline = duration > 0 ? loop_now() + duration : LOOP_FOREVER;
	if (watch_until(t, deadline, err))
		return -1;
	/* A broken stdout stops it too: the end of the program tells. */
	return !t->stop && t->options->count > 0 ? too_few(t, err) : 0;
}

static int tail_run(const struct invocation *in, struct error *err)
{
	struct tail t = { .app = in->app,
			  .connection = in->connection,
			  .options = in->options };
	if (t.options->level && log_level_check(t.options->level, err))
		return -1;
	in->connection->on_event = on_event;
	in->connection->on_event_owner = &t;
	in->connection->tail = true;
	int status = watch(&t, err);
	in->connection->on_event = NULL;
	in->connection->on_event_owner = NULL;
	in->connection->tail = false;
	/* At the prompt it is shown like everything else. */
	in->connection->enough = t.stop && !in->connection->stays;
	return status;
}

static int set_level(void *owner, struct connection *c, struct error *err)
{
	const struct tail *t = owner;

	return log_level_set(c, t->options->level, err);
}

static int tail_all(const struct invocation *in, struct error *err)
{
	const struct tail_options *o = in->options;
	struct tail t = { .app = in->app, .options = o };
	const struct each_order order = {
		.any_device = in->connection->any_device,
		.tail = true,
		.up = o->level ? set_level : NULL,
		.event = on_event,
		.stay = true,
		.stop = &t.stop,
		.deadline = o->duration > 0 ? loop_now() + o->duration :
					      LOOP_FOREVER,
		.follow = o->follow,
		.owner = &t
	};

	if ((o->level && log_level_check(o->level, err)) ||
	    app_follow(in->app, err) || witnessed_open(in->app, err) ||
	    each_run(in->app, &order, err))
		return -1;
	return !t.stop && o->count > 0 ? too_few(&t, err) : 0;
}

static const struct example tail_examples[] = {
	{ "tail", NULL, EXAMPLE_GOES_ON },
	{ "listen: tail", NULL, EXAMPLE_GOES_ON },
	{ "'sim:?fault=notify-storm' tail --filter 'notifications/*' --count 3 --for 5s",
	  "notifications/", 0 },
	{ "sim: tail --for 200ms", NULL, 0 },
	{ "sim: tail --filter never --count 1 --for 200ms", NULL, 4 },
	{ NULL, NULL, 0 }
};

const struct command cmd_tail = {
	.name = "tail",
	.args = "",
	.brief = "show every message that is no reply, as it comes",
	.text = "Notifications, requests, messages of a device (hello, listen, abort, …), late and broken replies: a line each, with the time, the name and the content. "
		"Binary frames are counted and told at most once a second. What came faster than it could be kept is told as 'dropped'.\n"
		"\n"
		"Without --count and --for it runs until Ctrl-C (status 130) or until the peer goes (status 3); with -F it stays then, through sleeps and restarts of the board, and sets --level again. "
		"With --no-init boards without MCP are shown too (their hello, listen, iot, …). "
		"The hello is shown, but counts only with a --filter that it passes. A server that logs (notifications/message) may be told by --level how much.\n"
		"\n"
		"A photo that comes, and is kept (--save-images, of serve where one runs), is drawn on a terminal as 'call' does it (--image); not with --all.\n"
		"\n"
		"With --all it is of every device of the running serve (-d picks some), whose name stands in front. Who goes gets a row and makes the status 3; with -F devices may go, and those that come are watched too.\n"
		"\n"
		"--serial reads a board's serial log along (--elf decodes its backtraces): its lines stand among the messages, and what is wrong in them below; with --all say whose it is, --serial ALIAS=DEVICE. Where a serve reads it, its lines come here by themselves.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SESSION | CMD_NO_MCP | CMD_SHELL | CMD_STREAM | CMD_OPENS,
	.options = tail_options,
	.options_size = sizeof(struct tail_options),
	.examples = tail_examples,
	.run = tail_run,
	.all = tail_all
};
