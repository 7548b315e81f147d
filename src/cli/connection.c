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
#include "cli/era_file.h"
#include "cli/fresh_list.h"
#include "cli/guards.h"
#include "cli/hearing.h"
#include "cli/judged.h"
#include "cli/requests.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "cli/trace.h"
#include "cli/witnessed.h"
#include "diag/arrival.h"
#include "mcp/opening.h"
#include "mcp/rules.h"
#include "net/camera.h"
#include "net/http.h"
#include "net/listen.h"
#include "out/image.h"

/*
 * Events of the session: to the command that waits for them, to the renderer,
 * to what answers questions. Opens nothing and decides nothing about calls.
 */

static bool is_progress(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name && e->text &&
	       strcmp(e->name, "notifications/progress") == 0;
}

/*
 * Ours have the number of a call as their token, which some give back as a
 * text. False: it is another, or wrong.
 */
static bool show_progress(struct renderer *r, const struct event *e)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(e->text, e->len, NULL);
	const struct span whole = { e->text, e->len };
	const cJSON *params = json_object(tree, "params");
	const cJSON *progress = json_member(params, "progress");
	const cJSON *total = json_member(params, "total");
	struct progress_record record = { .message = json_string(params,
								 "message") };
	struct span token;
	int64_t number;

	if (!cJSON_IsNumber(progress) ||
	    !json_span_member(whole, "params", &record.text) ||
	    !json_span_member(record.text, "progressToken", &token) ||
	    !jsonrpc_number(token, &number))
		return false;
	record.progress = progress->valuedouble;
	record.total = cJSON_IsNumber(total) ? total->valuedouble : 0;
	r->ops->progress(r, &record);
	return true;
}

bool connection_progress(struct connection *c, const struct event *e)
{
	if (!is_progress(e) || !c->app->out.ops->progress)
		return false;
	/* It is rewritten in place, where a question stands now. */
	return requests_asks(c->requests) || show_progress(&c->app->out, e);
}

/* The same that tasks/get says a moment later. */
static bool is_task(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name &&
	       strcmp(e->name, "notifications/tasks/status") == 0;
}

void connection_aside(struct connection *c, const struct event *e)
{
	if (!requests_told(c->requests, e) && !(c->tells_task && is_task(e)))
		render_aside(&c->app->out, e);
}

/* That a subscription stands: whoever asked for it says so. */
static bool is_acknowledged(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name &&
	       strcmp(e->name, "notifications/subscriptions/acknowledged") == 0;
}

static void look_at_lists(const struct connection *c, const struct event *e)
{
	if (e->kind == EVENT_NOTIFICATION && e->name && c->client.modern &&
	    strcmp(e->name, "notifications/tools/list_changed") == 0)
		fresh_list_drop(c);
}

/* What check tells as a finding. */
static bool is_judged(const struct event *e)
{
	return e->kind == EVENT_ODD || e->kind == EVENT_NOTIFICATION;
}

/* A result tells of no more. */
#define PICTURES_MAX 64

/* Tail's own function sees what the peer sent; notices are for stderr always. */
static void hear(struct connection *c, const struct event *e)
{
	struct renderer *r = &c->app->out;
	bool notice = e->kind == EVENT_NOTICE;

	if (c->requests)
		requests_event(c->requests, e);
	look_at_lists(c, e);
	if (e->kind == EVENT_CLOSED)
		hearing_end(c);
	if (e->kind == EVENT_HELLO && c->connected)
		client_greeted(&c->client);
	if (notice && e->notice == NOTICE_PICTURE && e->file &&
	    c->pictures.count < PICTURES_MAX)
		words_add(&c->pictures, e->file);
	if (notice && e->notice == NOTICE_LISTENING && c->again)
		return;
	if (judged_event(c, e) || (c->checks && is_judged(e)) ||
	    (!c->tail && is_acknowledged(e)))
		return;
	if (!notice && c->on_event)
		c->on_event(c->on_event_owner, e);
	else if (!notice && c->tail && r->ops->event)
		r->ops->event(r, e);
	else if ((notice || !c->enough) && !connection_progress(c, e))
		connection_aside(c, e);
	if (notice && e->notice == NOTICE_PICTURE && e->file && c->tail) {
		image_begin(r);
		image_show_file(r, e->file);
	}
}

/* The functions of session_observer; owner is the connection. */
static void on_event(void *owner, const struct event *e)
{
	struct connection *c = owner;
	struct renderer *r = &c->app->out;
	const char *about = r->about;

	r->about = c->whose_alias ? c->whose_alias : c->whose;
	hear(c, e);
	r->about = about;
}

static void on_trace(void *owner, const struct trace *t)
{
	struct connection *c = owner;
	struct trace whose = *t;
	/* It is an event already. */
	const bool serial = t->leg && strcmp(t->leg, "serial") == 0;

	if (c->whose && !serial)
		whose.device = c->whose;
	if (c->app->out.verbose && !serial)
		render_trace(&c->app->out, &whose);
	trace_write(c->app, &whose);
}

static void on_frame(void *owner, bool outgoing, enum frame_kind kind,
		     struct span frame, const struct json_places *at)
{
	judged_frame(owner, outgoing, kind, frame, at);
	hearing_frame(owner, outgoing, kind, frame);
}

static bool on_request(void *owner, const struct event *e)
{
	struct connection *c = owner;

	if (c->on_request)
		return c->on_request(c->on_event_owner, e);
	return c->requests && requests_request(c->requests, e);
}

static void on_tick(void *owner)
{
	struct connection *c = owner;
	int64_t left = session_wait_deadline(c->session) - loop_now();
	char text[80], time[32];

	/* Whole seconds: the tenths would only flicker. */
	left = left > 0 ? (left + 999) / 1000 * 1000 : 0;
	snprintf(text, sizeof(text), "waiting for %s: %s left (Ctrl-C ends)",
		 app_listens(c->app) || session_peer(c->session)->standby ?
			 "a device" :
			 "an answer",
		 text_milliseconds(left, time, sizeof(time)));
	render_count_down(&c->app->out, text);
	timer_start(&c->tick, 1000);
}

/* A port of ours knows what came instead. */
static void explain_port(const struct connection *c, struct error *err)
{
	const struct port *p = listen_port(session_transport(c->session));
	struct arrival a = { 0 };

	if (!p || err->kind != ERR_CONNECT)
		return;
	a.port = &p->facts;
	a.ota_url = p->ota_url;
	arrival_explain(&a, err);
}

static void count_down(struct connection *c)
{
	if (!c->app->out.err_terminal || c->app->out.quiet)
		return;
	if (!c->tick.open)
		timer_open(&c->tick, c->app->loop, on_tick, c);
	timer_start(&c->tick, 1000);
}

static void stop_counting(struct connection *c)
{
	timer_stop(&c->tick);
	render_count_down(&c->app->out, NULL);
}

static int wait_up(struct connection *c, struct error *err)
{
	int result;

	count_down(c);
	result = session_wait_up(c->session, err);
	stop_counting(c);
	if (result)
		explain_port(c, err);
	return result;
}

static struct camera *camera_of(const struct connection *c)
{
	const struct transport *t = session_transport(c->session);

	return t->ops->camera ? t->ops->camera(t) : NULL;
}

bool connection_takes_pictures(const struct connection *c)
{
	return c->endpoint.scheme->kind == SCHEME_ATTACH || camera_of(c);
}

char *connection_upload_address(const struct connection *c)
{
	struct camera *camera = camera_of(c);

	return camera ? camera_address(camera) : NULL;
}

static int begin_client(struct connection *c, struct error *err)
{
	const struct config *said = &c->app->config;
	const struct link *link = session_link(c->session);
	struct client_config config = { .vision_url = said->vision_url,
					.vision_token = c->vision_token };
	const struct camera *camera = camera_of(c);
	int status = 0;

	era_file_config(&config.era, c);
	config.log_level = c->app->out.verbose ? log_levels[0] : log_levels[3];
	/* A device; what is no device knows no such capability. */
	if (camera && !config.vision_url && link->dialect != DIALECT_PLAIN) {
		config.vision_url = camera->url;
		config.vision_token = camera->token;
	}
	c->asked = true;
	config.kwargs = c->endpoint.scheme->kind == SCHEME_MCP_MQTT &&
			!c->endpoint.plain_args;
	if (c->on_request)
		config.answers = c->answers;
	else if (c->requests)
		config.answers = requests_declares(c->requests);
	if (said->no_init && config.era.told && config.era.era == ERA_MODERN) {
		status = client_assume_modern(&c->client, c->session, &config,
					      err);
	} else if (said->no_init) {
		c->client.session = c->session;
		c->client.device = link->dialect == DIALECT_DEVICE;
	} else {
		status = client_begin(&c->client, c->session, &config, err);
	}
	c->client.guard = guards_guard(c->guards);
	c->client.asker = requests_asker(c->requests);
	return status;
}

static int open_session(struct connection *c, struct error *err)
{
	const struct session_observer observer = { .event = on_event,
						   .trace = on_trace,
						   .request = on_request,
						   .frame = on_frame,
						   .gave_up = judged_gave_up,
						   .owner = c };
	struct session_config config = { .rules = &mcp_rules,
					 .dialect = c->endpoint.envelope,
					 .timeout = c->app->config.timeout,
					 .wait = c->app->config.wait,
					 .any_device = c->any_device,
					 .woken = c->woken,
					 .trace = c->app->trace ||
						  c->app->out.verbose };

	c->endpoint.tail = c->tail;
	/* A board knows the address that it was told. */
	if (c->again && c->port && c->endpoint.port == 0)
		c->endpoint.port = c->port;
	judged_begin(c);
	if (session_open(&c->session, c->app->loop, c->ops, &c->endpoint,
			 &config, &observer, err))
		return serve_target_stale(c->app, err);
	c->opened++;
	http_waits(session_transport(c->session), c->tail);
	http_answers(session_transport(c->session), c->answers_only);
	if (witnessed_begin(c, err))
		return -1;
	if (c->endpoint.port == 0) {
		const struct port *p =
			listen_port(session_transport(c->session));

		c->port = p ? p->place[0].number : 0;
	}
	return 0;
}

static int open_trace(struct connection *c, struct error *err)
{
	const bool waits = endpoint_has(&c->endpoint, SCHEME_WAITS);
	const struct trace_role role = { .as = waits ? "listen" : "client",
					 .leg = judged_leg(&c->endpoint) };

	return trace_begin(c->app, &role, err);
}

static int begin(struct connection *c, struct error *err)
{
	/* What is opened anew is what it was, though a file changed meanwhile. */
	if ((!c->ops && setup_endpoint(&c->endpoint, c->app, &c->ops, err)) ||
	    app_open_loop(c->app, err) || guards_open(c, err))
		return -1;
	/* Before a device is waited for: a wrong file is told at once. */
	if (c->app->config.vision_url &&
	    (c->app->config.vision_token_file || !c->endpoint.foreign) &&
	    secret_read(&c->vision_token, c->app->config.vision_token_file,
			"MCPCTL_VISION_TOKEN", err))
		return -1;
	if (open_trace(c, err) || findings_open(c->app, err) ||
	    hearing_open(c, err) || requests_open(c, err) ||
	    guards_admit(c->guards, err))
		return -1;
	return open_session(c, err);
}

static void remember_end(struct connection *c)
{
	c->reached = session_times(c->session)->connected >= 0;
	c->greeted = session_link(c->session)->has_hello;
	c->to_device = session_link(c->session)->dialect == DIALECT_DEVICE ||
		       endpoint_has(&c->endpoint, SCHEME_DEVICE) ||
		       endpoint_has(&c->endpoint, SCHEME_WAITS);
}

static void close_session(struct connection *c)
{
	if (c->session) {
		remember_end(c);
		session_linger(c->session);
		hearing_end(c);
		listen_hush(session_transport(c->session));
		session_drain(c->session);
		judged_end(c);
	}
	if (c->client.tools_wrong)
		fresh_list_drop(c);
	witnessed_end(c);
	hearing_close(c);
	requests_close(c);
	tools_cache_drop(c);
	items_cache_drop(c);
	client_done(&c->client);
	session_free(TAKE(c->session));
	mem_free(TAKE(c->vision_token));
	words_done(&c->pictures);
	buf_done(&c->era_kept);
	c->asked = c->connected = false;
}

void connection_close(struct connection *c)
{
	close_session(c);
	endpoint_done(&c->endpoint);
	c->ops = NULL;
}

/* -1: opening it failed for good. */
static int give_up(struct connection *c, struct error *err)
{
	connection_close(c);
	guards_opened(c->guards, err);
	return -1;
}

int connection_begin(struct connection *c, struct error *err)
{
	return begin(c, err) == 0 ? 0 : give_up(c, err);
}

/* As connection_poll, but what failed is left open. */
static int poll_opening(struct connection *c, struct error *err)
{
	int status = 1;

	if (c->connected)
		return 1;
	if (!c->asked) {
		status = session_poll_up(c->session, err);
		if (status == 0)
			return 0;
		if (status > 0 && begin_client(c, err))
			status = -1;
	}
	if (status > 0)
		status = client_poll(&c->client, err);
	c->connected = status > 0;
	if (c->connected)
		guards_opened(c->guards, NULL);
	return status;
}

/*
 * It failed since what was kept of its era is wrong, or since it could not bear
 * the question: it is opened anew, and that once.
 */
static bool opens_anew(struct connection *c, struct error *err)
{
	if (!era_file_failed(c, err))
		return false;
	close_session(c);
	error_reset(err);
	return true;
}

int connection_poll(struct connection *c, struct error *err)
{
	int status = poll_opening(c, err);

	if (status < 0 && opens_anew(c, err))
		status = connection_begin(c, err);
	return status < 0 ? give_up(c, err) : status;
}

static int wait_open(struct connection *c, struct error *err)
{
	int status;

	while ((status = poll_opening(c, err)) == 0) {
		CLEANUP(error_reset) struct error why = { 0 };

		/* The end of the connection is told by the call itself. */
		if (session_step(c->session, NULL, client_poll_at(&c->client),
				 &why) != 0 &&
		    why.kind == ERR_INTERRUPTED) {
			error_copy(err, &why);
			return -1;
		}
	}
	return status > 0 ? 0 : -1;
}

static int wait_connected(struct connection *c, struct error *err)
{
	int status;

	if (!c->asked && wait_up(c, err))
		return -1;
	/* It is waited for by asking. */
	if (session_peer(c->session)->standby)
		count_down(c);
	status = wait_open(c, err);
	stop_counting(c);
	return status;
}

/* What may still come is not closed because somebody stopped waiting for it. */
static bool may_still_come(const struct connection *c, const struct error *err)
{
	return c->stays && c->session && app_listens(c->app) &&
	       !session_is_over(c->session) &&
	       (err->kind == ERR_INTERRUPTED || !session_is_open(c->session));
}

/* 0: it is to be tried again now. -1: that was the last, or Ctrl-C: *err. */
static int pause_opening(struct connection *c, unsigned tries,
			 struct error *err)
{
	int64_t wait = guards_again(c->guards, tries, err);
	int status;

	if (wait < 0)
		return -1;
	/* An error that is over is none. */
	error_reset(err);
	status = loop_stay(c->app->loop, NULL, loop_now() + wait, err);
	render_count_down(&c->app->out, NULL);
	return status;
}

static int open_once(struct connection *c, struct error *err)
{
	if (!c->session && begin(c, err))
		return -1;
	return wait_connected(c, err);
}

static int open_and_wait(struct connection *c, struct error *err)
{
	int status = open_once(c, err);

	while (status && opens_anew(c, err))
		status = open_once(c, err);
	return status;
}

int connection_open(struct connection *c, struct error *err)
{
	const char *target = c->app->config.target;

	c->enough = false;
	if (c->connected && session_is_open(c->session))
		return 0;
	if (c->connected) {
		render_note(&c->app->out,
			    "the connection ended; opening '%s' again",
			    target ? target : c->endpoint.text);
		connection_close(c);
	}
	for (unsigned tries = 1;; tries++) {
		if (open_and_wait(c, err) == 0)
			return 0;
		if (may_still_come(c, err))
			return -1;
		connection_close(c);
		if (pause_opening(c, tries, err))
			return give_up(c, err);
	}
}

#define SLOW_MS 300

static void on_slow(void *owner)
{
	struct connection *c = owner;
	CLEANUP(mem_free_ptr) char *text = mem_printf("asking: %s", c->asks);

	c->shown = true;
	render_count_down(&c->app->out, text);
}

void connection_asks(struct connection *c, const char *what)
{
	struct app *app = c->app;

	if (c->slow.open)
		timer_stop(&c->slow);
	if (c->shown)
		render_count_down(&app->out, NULL);
	c->shown = false;
	mem_free(TAKE(c->asks));
	if (!what || !app->out.err_terminal || app->out.quiet || !app->loop)
		return;
	if (!c->slow.open)
		timer_open(&c->slow, app->loop, on_slow, c);
	c->asks = mem_strdup(what);
	timer_start(&c->slow, SLOW_MS);
}

void connection_done(struct connection *c)
{
	connection_asks(c, NULL);
	if (c->slow.open)
		timer_close(&c->slow, NULL);
	connection_close(c);
	judged_done(c);
	guards_close(c);
	if (c->tick.open)
		timer_close(&c->tick, NULL);
}
