/* SPDX-License-Identifier: MIT */
/* A keeper: two connections, and what passes from one to the other. */
#include "cli/keeper.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/credentials.h"
#include "cli/held_key.h"
#include "cli/serve_client.h"
#include "mcp/client.h"
#include "mcp/opening.h"
#include "mcp/rules.h"
#include "net/control_client.h"
#include "wire/envelope.h"

enum {
	HOLD_MS = 10000,
	LOOK_MS = 100 /* between two looks at what another command opens */
};

struct keeper {
	struct app *app;
	const struct keeper_order *order;
	struct control_client *serve; /* NULL: it is gone */
	struct error lost; /* why */
	struct session *session; /* NULL: it has ended */
	struct client client;
	char *id; /* what serve calls it; NULL: it does not have it yet */
	char *mark; /* cli/held_key.h */
	int mark_fd;
	bool wake; /* the main line has something to look at */
	bool asked; /* initialize */
	bool up; /* messages pass */
	bool was_up;
	bool reopen, end; /* serve says so */
	bool refused; /* serve does not want it: lost says why */
	bool forgotten; /* the server does not know its session any more */
};

/* ---- to serve ---- */

static void tell(struct keeper *k, const struct buf *json)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	/* Its end is told by `closed`. */
	if (k->serve && control_client_send(k->serve, CONTROL_JSON, json->data,
					    json->len, &ignored))
		control_client_close(k->serve);
}

static void tell_error(struct keeper *k, const char *op, const int64_t *id,
		       const struct error *why)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"op\":\"%s\"", op);
	if (id)
		buf_printf(&out, ",\"id\":%lld", (long long)*id);
	buf_text(&out, ",\"error\":");
	control_error_encode(&out, why);
	buf_char(&out, '}');
	tell(k, &out);
}

static void tell_up(struct keeper *k)
{
	const struct message *reply = &k->client.initialize;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"op\":\"up\"");
	json_add_text(&out, "address", session_peer(k->session)->address);
	buf_text(&out, ",\"initialize\":");
	buf_add(&out, reply->text, reply->len);
	buf_char(&out, '}');
	tell(k, &out);
}

/* ---- from the server ---- */

static void on_frame(void *owner, bool outgoing, enum frame_kind kind,
		     struct span frame, const struct json_places *at)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct keeper *k = owner;

	(void)at;
	if (!outgoing && kind == FRAME_TEXT && k->up && k->serve &&
	    control_client_send(k->serve, CONTROL_TEXT, frame.text, frame.len,
				&ignored))
		control_client_close(k->serve);
}

/* A session of HTTP that is gone (404) is begun anew for the next command. */
static void on_failed(void *owner, int64_t id, const struct error *why)
{
	struct keeper *k = owner;

	tell_error(k, "failed", &id, why);
	if (why->kind == ERR_CONNECT && why->has_code && why->code == 404) {
		k->forgotten = true;
		k->wake = true;
	}
}

/* A command answers, or serve does. */
static bool on_request(void *owner, const struct event *e)
{
	(void)owner;
	(void)e;
	return true;
}

/* ---- from serve ---- */

static void fail_send(struct keeper *k, const char *text, size_t len,
		      const struct error *why)
{
	CLEANUP(message_done) struct message m = { 0 };

	if (message_read(&m, text, len, NULL) == 0 &&
	    m.kind == MESSAGE_REQUEST && m.has_number)
		tell_error(k, "failed", &m.number, why);
}

/* What was opened for a request alone may be closed with it. */
static void forget(struct transport *t, const char *text, size_t len)
{
	static const char method[] = "\"notifications/cancelled\"";
	CLEANUP(message_done) struct message m = { 0 };
	struct span id;
	int64_t number;

	if (!t->ops->forget || len > 4096 ||
	    !memmem(text, len, method, sizeof(method) - 1) ||
	    message_read(&m, text, len, NULL) ||
	    m.kind != MESSAGE_NOTIFICATION ||
	    !json_span_member(m.params, "requestId", &id) ||
	    !jsonrpc_number(id, &number))
		return;
	t->ops->forget(t, number);
}

static void pass_on(struct keeper *k, const char *text, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct transport *t;

	if (!k->up || !k->session || session_is_over(k->session)) {
		error_set(&why, ERR_CONNECT, "the server has ended");
		fail_send(k, text, len, &why);
		return;
	}
	t = session_transport(k->session);
	if (t->ops->send(t, text, len, &why))
		fail_send(k, text, len, &why);
	else
		forget(t, text, len);
}

static void on_json(struct keeper *k, const struct control_frame *f)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(f->data, f->len, NULL);
	const char *op = json_string(json, "op");

	k->wake = true;
	if (text_same(op, "holding")) {
		mem_free(k->id);
		k->id = mem_strdup(json_string(json, "id"));
	} else if (text_same(op, "reopen")) {
		k->reopen = true;
	} else if (text_same(op, "end")) {
		k->end = true;
	} else if (text_same(op, "error") && !k->id) {
		control_error_decode(&k->lost, json_object(json, "error"));
		k->refused = true;
	}
}

static void on_serve_frame(void *owner, const struct control_frame *f)
{
	struct keeper *k = owner;

	if (f->kind == CONTROL_JSON)
		on_json(k, f);
	else if (f->kind == CONTROL_TEXT)
		pass_on(k, f->data, f->len);
}

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	struct keeper *k = owner;

	return serve_greeted(k->app, g, err);
}

static void on_serve_closed(void *owner, const struct error *why)
{
	struct keeper *k = owner;

	k->serve = NULL;
	k->wake = true;
	if (k->lost.kind == ERR_NONE && why->kind != ERR_NONE)
		error_copy(&k->lost, why);
}

static const struct control_client_events serve_events = {
	.greeted = on_greeted,
	.frame = on_serve_frame,
	.closed = on_serve_closed,
};

static const char *kind_of(const struct endpoint *e)
{
	if (e->scheme->kind == SCHEME_CHILD)
		return "stdio";
	return e->scheme->kind == SCHEME_HTTP ? "http" : "ws";
}

static int lost_error(const struct keeper *k, struct error *err)
{
	if (k->lost.kind == ERR_NONE)
		return error_set(err, ERR_CONNECT,
				 "the running serve has ended");
	error_copy(err, &k->lost);
	return -1;
}

static int ask_hold(struct keeper *k, const struct serve_question *q,
		    struct error *err)
{
	k->refused = false;
	error_reset(&k->lost);
	if (control_client_ask(k->serve, q, err))
		return -1;
	while (!k->id && !k->refused && k->serve) {
		k->wake = false;
		if (loop_wait(k->app->loop, &k->wake, loop_now() + HOLD_MS,
			      err))
			return err->kind == ERR_TIMEOUT ?
				       control_client_silent(ERR_TIMEOUT, err) :
				       -1;
	}
	return 0;
}

/* Another command is at it: whether it is open then, nobody knows yet. */
static bool is_being_opened(const struct keeper *k)
{
	return k->serve && k->refused && k->lost.code == EEXIST &&
	       held_mark_look(k->mark) <= 0;
}

static int hold(struct keeper *k, struct error *err)
{
	const struct keeper_order *o = k->order;
	const struct serve_question q = { .op = "hold",
					  .name = o->name,
					  .key = o->key,
					  .transport = kind_of(o->to),
					  .length = o->idle };

	if (control_client_open(&k->serve, k->app->loop, o->socket,
				&serve_events, k, err)) {
		k->serve = NULL;
		return -1;
	}
	if (ask_hold(k, &q, err))
		return -1;
	while (is_being_opened(k)) {
		if (loop_stay(k->app->loop, NULL, loop_now() + LOOK_MS, err) ||
		    (k->serve && ask_hold(k, &q, err)))
			return -1;
	}
	return k->id ? 0 : lost_error(k, err);
}

/* ---- the server ---- */

/* Pings are answered here; all else is asked on. */
static const struct session_observer observer = { .frame = on_frame,
						  .failed = on_failed,
						  .request = on_request };

static int open_server(struct keeper *k, struct error *err)
{
	const struct config *c = &k->app->config;
	struct session_observer with = observer;
	const struct session_config config = { .rules = &mcp_rules,
					       .dialect =
						       k->order->to->envelope,
					       .timeout = c->timeout,
					       .wait = c->wait,
					       .woken = &k->wake };

	with.owner = k;
	k->asked = k->forgotten = false;
	return session_open(&k->session, k->app->loop, k->order->ops,
			    k->order->to, &config, &with, err);
}

static void close_server(struct keeper *k)
{
	k->up = false;
	client_done(&k->client);
	session_free(TAKE(k->session));
}

/* A board has its own way to be shared. */
static int check_dialect(const struct keeper *k, struct error *err)
{
	if (!k->client.device)
		return 0;
	error_set(err, ERR_USAGE, "'%s' is a board, and no MCP server",
		  k->order->name);
	return error_hint(
		err,
		"boards that dial in are kept by 'mcpctl serve'; one that is dialled is not");
}

/*
 * A program of that era is worth to be kept, since it is slow to start. Over
 * HTTP each request stands alone, and its headers are made of schemas that are
 * not known here.
 */
static int check_era(const struct keeper *k, struct error *err)
{
	if (!k->client.modern)
		return 0;
	if (session_takes_headers(k->session)) {
		error_set(
			err, ERR_USAGE,
			"'%s' has no session that could be kept open: each of its requests stands alone (MCP %s over HTTP)",
			k->order->name, k->client.era.revision);
		return error_hint(
			err,
			"commands that name it talk to it all the same, by one request where its tools are known");
	}
	if (k->client.initialize.text)
		return 0;
	return error_set(
		err, ERR_PROTOCOL,
		"the server has no answer to 'server/discover' that could be kept for commands");
}

/*
 * initialize comes first unless it is told: a server of both eras is shared by
 * its session, and none is asked what it may end at.
 */
static struct era_config era_of(const struct endpoint *e)
{
	struct era_config era = { .era = ERA_LEGACY,
				  .told = e->era != WISH_AUTO };

	if (e->era == WISH_MODERN)
		era.era = ERA_MODERN;
	era.how = era.told ? ERA_BY_OPTION : ERA_BY_KIND;
	return era;
}

/* 1: it is open; 0: not yet. */
static int poll_opening(struct keeper *k, struct error *err)
{
	/* Messages are passed on, so all who share it speak one era. */
	const struct client_config config = { .era = era_of(k->order->to),
					      .answers = { .roots = true,
							   .sampling = true,
							   .elicit_form = true,
							   .elicit_url =
								   true } };
	int status;

	if (!k->asked) {
		status = session_poll_up(k->session, err);
		if (status == 0 &&
		    loop_now() >= session_wait_deadline(k->session))
			return error_set(err, ERR_CONNECT,
					 "'%s' was not reached in time",
					 k->order->name);
		if (status <= 0)
			return status;
		k->asked = true;
		if (client_begin(&k->client, k->session, &config, err))
			return -1;
	}
	status = client_poll(&k->client, err);
	if (status > 0 && (check_dialect(k, err) || check_era(k, err)))
		return -1;
	return status;
}

static int was_opened(struct keeper *k, struct error *err)
{
	const struct keeper_order *o = k->order;

	k->up = true;
	tell_up(k);
	if (k->was_up)
		return 0;
	k->mark_fd = held_mark_take(k->mark, err);
	if (k->mark_fd < 0 || o->ready(o->owner, k->id, err))
		return -1;
	k->was_up = true;
	return 0;
}

/* It could not be opened: the first time that is ours to tell. */
static int not_opened(struct keeper *k, struct error *why, struct error *err)
{
	if (!k->was_up) {
		error_copy(err, why);
		return -1;
	}
	tell_error(k, "down", NULL, why);
	close_server(k);
	return 0;
}

static void tell_end(struct keeper *k)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (k->forgotten)
		error_set(&why, ERR_CONNECT,
			  "the server forgot its session (404)");
	else
		session_step(k->session, NULL, loop_now(), &why);
	tell_error(k, "down", NULL, &why);
	close_server(k);
}

static int step(struct keeper *k, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int status = 0;

	if (!k->session && k->reopen && open_server(k, &why))
		return not_opened(k, &why, err);
	k->reopen = false;
	if (!k->session)
		return 0;
	if (k->up) {
		if (k->forgotten || session_is_over(k->session))
			tell_end(k);
		return 0;
	}
	status = poll_opening(k, &why);
	if (status > 0)
		return was_opened(k, err);
	return status < 0 ? not_opened(k, &why, err) : 0;
}

static int64_t next_look(struct keeper *k)
{
	int64_t at = k->session ? session_tend(k->session) : LOOP_FOREVER;
	int64_t poll = k->session && !k->up ? client_poll_at(&k->client) :
					      LOOP_FOREVER;

	if (k->session && !k->asked && session_wait_deadline(k->session) < at)
		at = session_wait_deadline(k->session);
	return poll < at ? poll : at;
}

static int main_line(struct keeper *k, struct error *err)
{
	k->reopen = true;
	while (k->serve && !k->end) {
		CLEANUP(error_reset) struct error why = { 0 };
		int64_t next;

		if (step(k, err))
			return -1;
		next = next_look(k);
		if (k->wake) {
			k->wake = false;
			continue;
		}
		if (loop_wait(k->app->loop, &k->wake, next, &why) &&
		    why.kind != ERR_TIMEOUT) {
			error_copy(err, &why);
			return -1;
		}
		k->wake = false;
	}
	return k->was_up ? 0 : lost_error(k, err);
}

static void hang_up(struct keeper *k)
{
	if (k->serve)
		control_client_close(k->serve);
	while (k->serve) {
		CLEANUP(error_reset) struct error ignored = { 0 };

		k->wake = false;
		loop_stay(k->app->loop, &k->wake, LOOP_FOREVER, &ignored);
	}
}

static void finish(struct keeper *k)
{
	close_server(k);
	if (k->mark_fd >= 0) {
		unlink(k->mark);
		close(k->mark_fd);
	}
	hang_up(k);
	mem_free(k->id);
	mem_free(k->mark);
	error_reset(&k->lost);
}

int keeper_run(struct app *app, const struct keeper_order *order,
	       struct error *err)
{
	struct keeper k = { .app = app, .order = order, .mark_fd = -1 };
	int status;

	if (app_open_loop(app, err) || credentials_attach(order->to, app, err))
		return -1;
	k.mark = held_mark_path(order->socket, order->key);
	status = hold(&k, err);
	if (status == 0)
		status = main_line(&k, err);
	finish(&k);
	return status;
}
