/* SPDX-License-Identifier: MIT */
/*
 * subscribe: be told when resources change, and wait for it. Updates are
 * recorded as they come; reading again is the main line's.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/show.h"
#include "cli/stay.h"
#include "mcp/watching.h"
#include "net/http.h"

struct subscribe_options {
	bool read, follow;
	int64_t count, duration, ping;
};

static const struct option_row subscribe_options[] = {
	{ .name = "read",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct subscribe_options, read),
	  .brief = "read it again at each update, and print that" },
	{ .letter = 'n',
	  .name = "count",
	  .word = "N",
	  .type = OPTION_NUMBER,
	  .offset = offsetof(struct subscribe_options, count),
	  .brief = "end after N updates",
	  .min = 1,
	  .max = INT64_MAX },
	{ .name = "for",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct subscribe_options, duration),
	  .brief = "end after that time; with --count: status 4 if fewer came",
	  .min = 1 },
	{ .letter = 'F',
	  .name = "follow",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct subscribe_options, follow),
	  .brief =
		  "stay when the server goes, and subscribe again when it is back" },
	{ .name = "ping-every",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct subscribe_options, ping),
	  .brief =
		  "ping a server over HTTP that often, so that it does not forget the session (default 5m)",
	  .min = 100 },
	{ .name = NULL }
};

struct subscription {
	const struct invocation *in;
	const struct subscribe_options *options;
	struct words changed; /* URIs to be read again, each once */
	int64_t shown;
	bool stop; /* enough came, stdout is broken, or there is to be read */
};

static bool is_enough(const struct subscription *s)
{
	return ferror(s->in->app->out.out) ||
	       (s->options->count > 0 && s->shown >= s->options->count);
}

/* A server may tell of a part of what was subscribed to. */
static bool is_ours(const struct subscription *s, const char *uri)
{
	for (int i = 0; i < s->in->argc; i++) {
		if (text_starts(uri, s->in->argv[i]))
			return true;
	}
	return false;
}

/* False: it is another event. */
static bool take_update(struct subscription *s, const struct event *e)
{
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	struct renderer *r = &s->in->app->out;
	const char *uri;

	if (e->kind != EVENT_NOTIFICATION || !e->name || !e->text ||
	    strcmp(e->name, "notifications/resources/updated") != 0)
		return false;
	tree = json_parse(e->text, e->len, NULL);
	uri = json_string(json_object(tree, "params"), "uri");
	if (!uri || !is_ours(s, uri))
		return false;
	if (is_enough(s))
		return true;
	s->shown++;
	if (s->options->read)
		words_add_once(&s->changed, uri);
	else if (r->ops->event)
		r->ops->event(r, e);
	s->stop = s->changed.count > 0 || is_enough(s);
	return true;
}

static void on_event(void *owner, const struct event *e)
{
	struct subscription *s = owner;

	if (!take_update(s, e))
		render_aside(&s->in->app->out, e);
}

static int read_changed(struct subscription *s, struct error *err)
{
	CLEANUP(words_done) struct words changed = s->changed;

	s->changed = (struct words){ 0 };
	for (size_t i = 0; i < changed.count; i++) {
		if (answer_read(s->in->connection, changed.word[i], NULL, NULL,
				err))
			return -1;
	}
	return 0;
}

static int too_few(const struct subscription *s, struct error *err)
{
	char time[32];

	return error_set(
		err, ERR_TIMEOUT,
		"%" PRId64 " of %" PRId64 " updates came within %s", s->shown,
		s->options->count,
		text_milliseconds(s->options->duration, time, sizeof(time)));
}

static int subscribe_all(const struct subscription *s, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };
	const struct invocation *in = s->in;
	const char *refused;

	if (client_subscribe(&in->connection->client, in->argv,
			     (size_t)in->argc, &refused, &reply, err)) {
		show_error_reply(&in->app->out, &reply, err);
		return error_prefix(err, "cannot subscribe to '%s'%s",
				    refused ? refused : in->argv[0],
				    refused ? "" : " and others");
	}
	render_note(&in->app->out, "subscribed: %s%s", in->argv[0],
		    in->argc > 1 ? ", …" : "");
	return 0;
}

/* What changed meanwhile is not known. */
static int again(void *owner, struct error *err)
{
	const struct subscription *s = owner;
	struct connection *c = s->in->connection;

	if (connection_open(c, err))
		return -1;
	http_watch(session_transport(c->session));
	http_waits(session_transport(c->session), true);
	return subscribe_all(s, err);
}

/* Until there is something to do, or the time is over. */
static int wait_until(struct subscription *s, int64_t deadline,
		      struct error *err)
{
	struct connection *c = s->in->connection;
	const struct stay stay = { .connection = c,
				   .follow = s->options->follow,
				   .stop = &s->stop,
				   .again = again,
				   .owner = s };
	int status = 0;

	while (status == 0 && client_watch(&c->client, &s->stop, deadline,
					   s->options->ping, err) != 0)
		status = stay_until_back(&stay, deadline, err);
	return status < 0 ? -1 : 0;
}

/* Until enough came, or the time is over. */
static int wait_for_updates(struct subscription *s, struct error *err)
{
	int64_t duration = s->options->duration;
	int64_t deadline = duration > 0 ? loop_now() + duration : LOOP_FOREVER;

	if (app_follow(s->in->app, err))
		return -1;
	for (;;) {
		s->stop = s->changed.count > 0 || is_enough(s);
		if (!s->stop && wait_until(s, deadline, err))
			return -1;
		if (s->changed.count > 0 && read_changed(s, err))
			return -1;
		if (s->changed.count == 0 && is_enough(s))
			return 0;
		if (loop_now() >= deadline)
			return s->options->count > 0 ? too_few(s, err) : 0;
	}
}

/* At the prompt updates are shown as they come, like everything else. */
static bool stays_open(const struct subscription *s)
{
	return s->in->connection->stays && !s->options->read &&
	       !s->options->count && !s->options->duration;
}

static int watch(struct subscription *s, struct error *err)
{
	struct connection *c = s->in->connection;
	int status;

	/* From before the first answer on: nothing may be missed. */
	c->on_event = on_event;
	c->on_event_owner = s;
	http_watch(session_transport(c->session));
	http_waits(session_transport(c->session), !stays_open(s));
	status = subscribe_all(s, err);
	if (status == 0 && !stays_open(s)) {
		status = wait_for_updates(s, err);
		/* Ctrl-C: the end of the connection says it as well. */
		if (c->session && (status == 0 || err->kind != ERR_INTERRUPTED))
			client_unsubscribe(&c->client, s->in->argv,
					   (size_t)s->in->argc);
	}
	if (c->session)
		http_waits(session_transport(c->session), false);
	c->on_event = NULL;
	c->on_event_owner = NULL;
	return status;
}

static int subscribe_run(const struct invocation *in, struct error *err)
{
	struct subscription s = { .in = in, .options = in->options };

	if (client_require_part(&in->connection->client, "resources",
				"subscribe", err) != 0)
		return -1;
	int status = watch(&s, err);
	words_done(&s.changed);
	return status;
}

static const struct example subscribe_examples[] = {
	{ "sim:llm subscribe prompt://entity_extraction_prompt --for 1s", NULL,
	  7 },
	{ NULL, NULL, 0 }
};

const struct command cmd_subscribe = {
	.name = "subscribe",
	.args = "URI...",
	.brief = "show each change of a resource, as the server tells it",
	.text = "Subscribes to the resources, then prints a line for each notifications/resources/updated of theirs, as 'tail' does; with --read instead what the resource says now. "
		"Several updates that come while one is being read are read once. At the end it unsubscribes.\n"
		"\n"
		"Without --count and --for it runs until Ctrl-C (status 130) or until the server goes (status 3); with -F it stays then, through restarts of the server, and subscribes again: what changed meanwhile is not told. "
		"At the prompt of the shell, without options, it only subscribes: updates are shown as they come. A server that has no subscriptions is status 7.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_STREAM | CMD_MINOR,
	.min = 1,
	.max = -1,
	.operand = OPERAND_RESOURCE,
	.options = subscribe_options,
	.options_size = sizeof(struct subscribe_options),
	.examples = subscribe_examples,
	.run = subscribe_run
};
