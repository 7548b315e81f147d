/* SPDX-License-Identifier: MIT */
/*
 * What the commands of one run share: the loop, the renderer and the session,
 * each opened when it is first needed. Parses nothing, decides no exit status.
 */
#include "cli/app.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/app_events.h"
#include "cli/guards.h"
#include "cli/items_cache.h"
#include "cli/requests.h"
#include "cli/serve_target.h"
#include "cli/tools_cache.h"
#include "cli/trace.h"
#include "net/listen.h"

/*
 * A program may be started with closed files; the next one that is opened, a
 * socket for example, would take the number, and messages would go there.
 * stdout is opened for reading: what is lost must still be noticed.
 */
static void fill_standard_files(void)
{
	static const int modes[] = { O_RDONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", modes[fd]);
	}
}

void app_init(struct app *app)
{
	fill_standard_files();
	*app = (struct app){ .told_serve = -1 };
	renderer_init(&app->out, OUTPUT_TEXT, COLOR_AUTO);
}

void app_configure(struct app *app)
{
	const struct config *c = &app->config;

	renderer_init(&app->out, (enum output_form)c->output,
		      (enum color_mode)c->color);
	app->out.verbose = c->verbose;
	app->out.quiet = c->quiet;
}

void app_done(struct app *app)
{
	app_disconnect(app);
	guards_close(app);
	trace_close(app->trace, app->config.trace, NULL);
	app->trace = NULL;
	if (app->tick.open)
		timer_close(&app->tick, NULL);
	loop_free(app->loop);
	app->loop = NULL;
	config_release(&app->config);
}

int app_finish(struct app *app, struct error *err)
{
	FILE *trace = TAKE(app->trace);
	int lost = trace_close(trace, app->config.trace, err);

	return renderer_finish(&app->out, lost ? NULL : err) || lost ? -1 : 0;
}

int app_open_loop(struct app *app, struct error *err)
{
	if (app->loop)
		return 0;
	return loop_new(&app->loop, err);
}

/*
 * A read from the terminal ends with EINTR, which looks like any other
 * failure. A millisecond, since a loop without handles does not turn in none.
 */
void app_check_signal(struct app *app, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	bool never = false;

	if (app->loop && err->kind != ERR_INTERRUPTED &&
	    loop_wait(app->loop, &never, loop_now() + 1, &why) != 0 &&
	    why.kind == ERR_INTERRUPTED)
		error_copy(err, &why);
}

bool app_listens(const struct app *app)
{
	const char *target = app->config.target;

	return target && (strncasecmp(target, "listen:", 7) == 0 ||
			  strncasecmp(target, "attach:", 7) == 0);
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
	struct session_config config = { .dialect = app->endpoint.envelope,
					 .timeout = app->config.timeout,
					 .wait = app->config.wait,
					 .trace = app->trace ||
						  app->out.verbose };

	/* A board knows the address that it was told. */
	if (app->again && app->port && app->endpoint.port == 0)
		app->endpoint.port = app->port;
	if (session_open(&app->session, app->loop, ops, &app->endpoint, &config,
			 &observer, err) != 0)
		return serve_target_stale(app, err);
	app->opened++;
	if (app->endpoint.port == 0)
		app->port = listen_port(session_transport(app->session));
	return 0;
}

static int begin(struct app *app, struct error *err)
{
	const struct transport_ops *ops;

	if (app_setup(app, &ops, err) != 0 || app_open_loop(app, err) != 0 ||
	    guards_open(app, err) != 0)
		return -1;
	/* Before a device is waited for: a wrong file is told at once. */
	if (app->config.vision_url &&
	    (app->config.vision_token_file || !app->endpoint.foreign) &&
	    secret_read(&app->vision_token, app->config.vision_token_file,
			"MCPCTL_VISION_TOKEN", err) != 0)
		return -1;
	if (app->config.trace && !app->trace) {
		app->trace = trace_open(app->config.trace, err);
		if (!app->trace)
			return -1;
	}
	if (requests_open(app, err) != 0 ||
	    guards_admit(app->guarding, err) != 0)
		return -1;
	return open_session(app, ops, err);
}

/* -1: opening it failed for good. */
static int give_up(struct app *app, struct error *err)
{
	app_disconnect(app);
	guards_opened(app->guarding, err);
	return -1;
}

int app_begin(struct app *app, struct error *err)
{
	return begin(app, err) == 0 ? 0 : give_up(app, err);
}

/* As app_poll, but what failed is left open. */
static int poll_opening(struct app *app, struct error *err)
{
	int status = 1;

	if (app->connected)
		return 1;
	if (!app->asked) {
		status = session_poll_up(app->session, err);
		if (status == 0)
			return 0;
		if (status > 0 && begin_client(app, err) != 0)
			status = -1;
	}
	if (status > 0)
		status = client_poll(&app->client, err);
	app->connected = status > 0;
	if (app->connected)
		guards_opened(app->guarding, NULL);
	return status;
}

int app_poll(struct app *app, struct error *err)
{
	int status = poll_opening(app, err);

	return status < 0 ? give_up(app, err) : status;
}

static int wait_connected(struct app *app, struct error *err)
{
	int status;

	if (!app->asked && wait_up(app, err) != 0)
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
	if (!app->session && begin(app, err) != 0)
		return -1;
	return wait_connected(app, err);
}

int app_connect(struct app *app, struct error *err)
{
	const char *target = app->config.target;

	if (app->connected && session_is_open(app->session))
		return 0;
	if (app->connected) {
		render_note(&app->out,
			    "the connection ended; opening '%s' again",
			    target ? target : app->endpoint.text);
		app_disconnect(app);
	}
	for (unsigned tries = 1;; tries++) {
		if (open_and_wait(app, err) == 0)
			return 0;
		if (may_still_come(app, err))
			return -1;
		app_disconnect(app);
		if (pause_opening(app, tries, err) != 0)
			return give_up(app, err);
	}
}

void app_disconnect(struct app *app)
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
