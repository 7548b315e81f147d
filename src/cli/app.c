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
#include "cli/serve_target.h"
#include "cli/tools_cache.h"
#include "cli/trace.h"

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
	*app = (struct app){ 0 };
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
	trace_close(app->trace, app->config.trace, NULL);
	app->trace = NULL;
	if (app->tick.open)
		timer_close(&app->tick, NULL);
	loop_free(app->loop);
	app->loop = NULL;
	option_release(config_options, &app->config);
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

/* Tail's own function sees what the peer sent; notices are for stderr always. */
static void on_event(void *owner, const struct event *e)
{
	struct app *app = owner;
	struct renderer *r = &app->out;
	bool notice = e->kind == EVENT_NOTICE;

	if (!notice && app->on_event)
		app->on_event(app->on_event_owner, e);
	else if (!notice && app->tail && r->ops->event)
		r->ops->event(r, e);
	else
		render_aside(r, e);
}

static void on_trace(void *owner, const struct trace *t)
{
	struct app *app = owner;

	if (app->out.verbose)
		render_trace(&app->out, t);
	if (app->trace)
		trace_write(app->trace, t);
}

static void on_tick(void *owner)
{
	struct app *app = owner;
	int64_t left = session_wait_deadline(app->session) - loop_now();
	bool listens = strcmp(app->endpoint.scheme, "listen") == 0 ||
		       strcmp(app->endpoint.scheme, "attach") == 0;
	char text[80], time[32];

	/* Whole seconds: the tenths would only flicker. */
	left = left > 0 ? (left + 999) / 1000 * 1000 : 0;
	snprintf(text, sizeof(text), "waiting for %s: %s left (Ctrl-C ends)",
		 listens ? "a device" : "an answer",
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

static int initialize(struct app *app, const char *vision_token,
		      struct error *err)
{
	const struct config *c = &app->config;
	const struct client_config config = { .vision_url = c->vision_url,
					      .vision_token = vision_token };
	const struct link *link = session_link(app->session);

	if (c->no_init) {
		app->client.session = app->session;
		app->client.device = link->dialect == DIALECT_DEVICE;
		return 0;
	}
	return client_open(&app->client, app->session, &config, err);
}

static int open_session(struct app *app, struct error *err)
{
	const struct transport_ops *ops;
	const struct session_observer observer = { .event = on_event,
						   .trace = on_trace,
						   .owner = app };

	CLEANUP(mem_free_ptr) char *vision_token = NULL;

	if (app_setup(app, &ops, err) != 0 || app_open_loop(app, err) != 0)
		return -1;
	/* Before a device is waited for: a wrong file is told at once. */
	if (app->config.vision_url &&
	    secret_read(&vision_token, app->config.vision_token_file,
			"MCPCTL_VISION_TOKEN", err) != 0)
		return -1;
	if (app->config.trace && !app->trace) {
		app->trace = trace_open(app->config.trace, err);
		if (!app->trace)
			return -1;
	}
	struct session_config config = { .dialect = app->endpoint.envelope,
					 .timeout = app->config.timeout,
					 .wait = app->config.wait,
					 .trace = app->trace ||
						  app->out.verbose };
	if (session_open(&app->session, app->loop, ops, &app->endpoint, &config,
			 &observer, err) != 0)
		return serve_target_stale(app, err);
	if (wait_up(app, err) != 0)
		return -1;
	return initialize(app, vision_token, err);
}

int app_connect(struct app *app, struct error *err)
{
	if (app->connected && session_is_open(app->session))
		return 0;
	if (app->connected) {
		render_note(&app->out,
			    "the connection ended; opening '%s' again",
			    app->config.target);
		app_disconnect(app);
	}
	if (open_session(app, err) != 0) {
		app_disconnect(app);
		return -1;
	}
	app->connected = true;
	return 0;
}

void app_disconnect(struct app *app)
{
	if (app->session)
		session_drain(app->session);
	tools_cache_drop(app);
	client_done(&app->client);
	session_free(TAKE(app->session));
	endpoint_done(&app->endpoint);
	app->connected = false;
}
