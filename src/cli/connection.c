/* SPDX-License-Identifier: MIT */
/*
 * From a target to an open session: its events, its steps, its end.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/catalog_file.h"
#include "cli/cmd_items.h"
#include "cli/connection.h"
#include "cli/guards.h"
#include "cli/requests.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "cli/trace.h"
#include "diag/arrival.h"
#include "mcp/rules.h"
#include "net/listen.h"

/*
 * Events of the session: to the command that waits for them, to the renderer,
 * to what answers questions. Opens nothing and decides nothing about calls.
 */

static bool is_progress(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name && e->text &&
	       strcmp(e->name, "notifications/progress") == 0;
}

/* Ours have the number of a call as their token. False: it is another, or wrong. */
static bool show_progress(struct renderer *r, const struct event *e)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(e->text, e->len, NULL);
	const struct span whole = { e->text, e->len };
	const cJSON *params = json_object(tree, "params");
	const cJSON *progress = json_member(params, "progress");
	const cJSON *total = json_member(params, "total");
	struct progress_record record = { .message = json_string(params,
								 "message") };
	int64_t token;

	if (json_integer(params, "progressToken", &token) != 0 ||
	    !cJSON_IsNumber(progress) ||
	    !json_span_member(whole, "params", &record.text))
		return false;
	record.progress = progress->valuedouble;
	record.total = cJSON_IsNumber(total) ? total->valuedouble : 0;
	r->ops->progress(r, &record);
	return true;
}

bool connection_progress(struct app *app, const struct event *e)
{
	if (!is_progress(e) || !app->out.ops->progress)
		return false;
	/* It is rewritten in place, where a question stands now. */
	return requests_asks(app->answering) || show_progress(&app->out, e);
}

void connection_aside(struct app *app, const struct event *e)
{
	if (!requests_told(app->answering, e))
		render_aside(&app->out, e);
}

/*
 * The functions of session_observer; owner is the app.
 * Tail's own function sees what the peer sent; notices are for stderr always.
 */
static void app_on_event(void *owner, const struct event *e)
{
	struct app *app = owner;
	struct renderer *r = &app->out;
	bool notice = e->kind == EVENT_NOTICE;

	if (app->answering)
		requests_event(app->answering, e);
	if (notice && e->notice == NOTICE_LISTENING && app->again)
		return;
	if (!notice && app->on_event)
		app->on_event(app->on_event_owner, e);
	else if (!notice && app->tail && r->ops->event)
		r->ops->event(r, e);
	else if (!connection_progress(app, e))
		connection_aside(app, e);
}

static void app_on_trace(void *owner, const struct trace *t)
{
	struct app *app = owner;

	if (app->out.verbose)
		render_trace(&app->out, t);
	if (app->trace)
		trace_write(app->trace, t);
}

static bool app_on_request(void *owner, const struct event *e)
{
	struct app *app = owner;

	return app->answering && requests_request(app->answering, e);
}

static void on_tick(void *owner)
{
	struct app *app = owner;
	int64_t left = session_wait_deadline(app->session) - loop_now();
	char text[80], time[32];

	/* Whole seconds: the tenths would only flicker. */
	left = left > 0 ? (left + 999) / 1000 * 1000 : 0;
	snprintf(text, sizeof(text), "waiting for %s: %s left (Ctrl-C ends)",
		 app_listens(app) ? "a device" : "an answer",
		 text_milliseconds(left, time, sizeof(time)));
	render_count_down(&app->out, text);
	timer_start(&app->tick, 1000);
}

/* A port of ours knows what came instead. */
static void explain_port(const struct app *app, struct error *err)
{
	const struct port *p = listen_port(session_transport(app->session));
	struct arrival a = { 0 };

	if (!p || err->kind != ERR_CONNECT)
		return;
	a.port = &p->facts;
	a.ota_url = p->ota_url;
	arrival_explain(&a, err);
}

static int wait_up(struct app *app, struct error *err)
{
	bool count_down = app->out.err_terminal && !app->out.quiet;

	if (count_down && !app->tick.open)
		timer_open(&app->tick, app->loop, on_tick, app);
	if (count_down)
		timer_start(&app->tick, 1000);
	int result = session_wait_up(app->session, err);
	if (count_down)
		timer_stop(&app->tick);
	render_count_down(&app->out, NULL);
	if (result)
		explain_port(app, err);
	return result;
}

static int begin_client(struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	const struct link *link = session_link(app->session);
	struct client_config config = { .vision_url = c->vision_url,
					.vision_token = app->vision_token };
	int status = 0;

	app->asked = true;
	if (app->answering)
		config.answers = requests_declares(app->answering);
	if (c->no_init) {
		app->client.session = app->session;
		app->client.device = link->dialect == DIALECT_DEVICE;
	} else {
		status = client_begin(&app->client, app->session, &config, err);
	}
	app->client.guard = guards_guard(app->guarding);
	return status;
}

static int open_session(struct app *app, const struct transport_ops *ops,
			struct error *err)
{
	const struct session_observer observer = { .event = app_on_event,
						   .trace = app_on_trace,
						   .request = app_on_request,
						   .owner = app };
	struct session_config config = { .rules = &mcp_rules,
					 .dialect = app->endpoint.envelope,
					 .timeout = app->config.timeout,
					 .wait = app->config.wait,
					 .trace = app->trace ||
						  app->out.verbose };

	/* A board knows the address that it was told. */
	if (app->again && app->port && app->endpoint.port == 0)
		app->endpoint.port = app->port;
	if (session_open(&app->session, app->loop, ops, &app->endpoint, &config,
			 &observer, err))
		return serve_target_stale(app, err);
	app->opened++;
	if (app->endpoint.port == 0) {
		const struct port *p =
			listen_port(session_transport(app->session));

		app->port = p ? p->place[0].number : 0;
	}
	return 0;
}

static int begin(struct app *app, struct error *err)
{
	const struct transport_ops *ops;

	if (app_setup(app, &ops, err) || app_open_loop(app, err) ||
	    guards_open(app, err))
		return -1;
	/* Before a device is waited for: a wrong file is told at once. */
	if (app->config.vision_url &&
	    (app->config.vision_token_file || !app->endpoint.foreign) &&
	    secret_read(&app->vision_token, app->config.vision_token_file,
			"MCPCTL_VISION_TOKEN", err))
		return -1;
	if (app->config.trace && !app->trace) {
		app->trace = trace_open(app->config.trace, err);
		if (!app->trace)
			return -1;
	}
	if (requests_open(app, err) || guards_admit(app->guarding, err))
		return -1;
	return open_session(app, ops, err);
}

/* -1: opening it failed for good. */
static int give_up(struct app *app, struct error *err)
{
	connection_close(app);
	guards_opened(app->guarding, err);
	return -1;
}

int connection_begin(struct app *app, struct error *err)
{
	return begin(app, err) == 0 ? 0 : give_up(app, err);
}

/* As connection_poll, but what failed is left open. */
static int poll_opening(struct app *app, struct error *err)
{
	int status = 1;

	if (app->connected)
		return 1;
	if (!app->asked) {
		status = session_poll_up(app->session, err);
		if (status == 0)
			return 0;
		if (status > 0 && begin_client(app, err))
			status = -1;
	}
	if (status > 0)
		status = client_poll(&app->client, err);
	app->connected = status > 0;
	if (app->connected)
		guards_opened(app->guarding, NULL);
	return status;
}

int connection_poll(struct app *app, struct error *err)
{
	int status = poll_opening(app, err);

	return status < 0 ? give_up(app, err) : status;
}

static int wait_connected(struct app *app, struct error *err)
{
	int status;

	if (!app->asked && wait_up(app, err))
		return -1;
	while ((status = poll_opening(app, err)) == 0) {
		CLEANUP(error_reset) struct error why = { 0 };

		/* The end of the connection is told by the call itself. */
		if (session_step(app->session, NULL,
				 client_poll_at(&app->client), &why) != 0 &&
		    why.kind == ERR_INTERRUPTED) {
			error_copy(err, &why);
			return -1;
		}
	}
	return status > 0 ? 0 : -1;
}

/* What may still come is not closed because somebody stopped waiting for it. */
static bool may_still_come(const struct app *app, const struct error *err)
{
	return app->stays && app->session && app_listens(app) &&
	       !session_is_over(app->session) &&
	       (err->kind == ERR_INTERRUPTED || !session_is_open(app->session));
}

/* 0: it is to be tried again now. -1: that was the last, or Ctrl-C: *err. */
static int pause_opening(struct app *app, unsigned tries, struct error *err)
{
	int64_t wait = guards_again(app->guarding, tries, err);
	int status;

	if (wait < 0)
		return -1;
	/* An error that is over is none. */
	error_reset(err);
	status = loop_stay(app->loop, NULL, loop_now() + wait, err);
	render_count_down(&app->out, NULL);
	return status;
}

static int open_and_wait(struct app *app, struct error *err)
{
	if (!app->session && begin(app, err))
		return -1;
	return wait_connected(app, err);
}

int connection_open(struct app *app, struct error *err)
{
	const char *target = app->config.target;

	if (app->connected && session_is_open(app->session))
		return 0;
	if (app->connected) {
		render_note(&app->out,
			    "the connection ended; opening '%s' again",
			    target ? target : app->endpoint.text);
		connection_close(app);
	}
	for (unsigned tries = 1;; tries++) {
		if (open_and_wait(app, err) == 0)
			return 0;
		if (may_still_come(app, err))
			return -1;
		connection_close(app);
		if (pause_opening(app, tries, err))
			return give_up(app, err);
	}
}

void connection_close(struct app *app)
{
	if (app->session)
		session_drain(app->session);
	requests_close(app);
	tools_cache_drop(app);
	items_cache_drop(app);
	client_done(&app->client);
	session_free(TAKE(app->session));
	endpoint_done(&app->endpoint);
	mem_free(TAKE(app->vision_token));
	app->asked = app->connected = false;
}

void connection_done(struct app *app)
{
	connection_close(app);
	guards_close(app);
	if (app->tick.open)
		timer_close(&app->tick, NULL);
}
