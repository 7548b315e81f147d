/* SPDX-License-Identifier: MIT */
/*
 * The running serve as a command means it: found, and asked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete.h"
#include "cli/serve_client.h"
#include "wire/mcp_topic.h"

enum { ASK_MS = 10000 };

int serve_greeted(struct app *app, const struct greeting *g, struct error *err)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (greeting_check(g, err))
		return -1;
	if (!greeting_differs(g) || app->told_serve == g->pid)
		return 0;
	app->told_serve = g->pid;
	greeting_tell(&line, g);
	render_note(&app->out, "%s", buf_string(&line));
	return 0;
}

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	return serve_greeted(owner, g, err);
}

int serve_client_open(struct control_line **out, struct app *app, bool any,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;

	*out = NULL;
	if (serve_target_path(app, &path, err) || app_open_loop(app, err))
		return -1;
	return control_line_open(out, app->loop, path, any ? NULL : on_greeted,
				 app, err);
}

int64_t serve_deadline(const struct app *app)
{
	int64_t timeout = app->config.timeout;

	return loop_now() + (timeout ? timeout : ASK_MS);
}

int serve_ask(struct app *app, const struct serve_question *q, int64_t deadline,
	      void (*each)(void *owner, struct control_answer *a), void *owner,
	      struct error *err)
{
	struct control_line *serve;
	int status = serve_client_open(&serve, app, false, err);

	if (status == 0)
		status = control_line_ask(serve, q, deadline, each, owner, err);
	control_line_close(serve);
	return status;
}

/*
 * Which socket, and whether the options fit. Connects to nothing.
 */

#define ATTACH "attach:"

/* Values are lent, so one from the environment is the environment's own. */
static bool is_from(const char *value, const char *environment)
{
	return value && value == getenv(environment);
}

int serve_target_none(const struct app *app, struct error *err)
{
	static const char next[] =
		"mcpctl serve            keep boards that dial in, for every terminal\n"
		"mcpctl listen: info     wait for one board that dials in\n"
		"mcpctl sim: tools       try it without hardware";

	if (serve_target_device(app)) {
		error_set(
			err, ERR_CONNECT,
			"no serve is running, and -d '%s' is one of its devices",
			app->config.device);
		return error_hint(
			err, "start one, and let boards dial in: mcpctl serve");
	}
	error_set(err, ERR_USAGE, "no target: which device is meant?");
	error_hint(
		err,
		"name it before the command, by -t or by MCPCTL_TARGET: mcpctl help targets");
	return error_detail(err, next, sizeof(next) - 1);
}

int serve_target_stale(struct app *app, struct error *err)
{
	if (!app->found_serve || app->config.socket ||
	    (err->code != ECONNREFUSED && err->code != ENOENT))
		return -1;
	app->found_serve = false;
	app->config.target = NULL;
	serve_target_none(app, err);
	return error_hint(
		err,
		"a serve was here and has ended: start it again by 'mcpctl serve', or name another target (mcpctl help targets)");
}

int serve_target_find(struct app *app, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	bool exists = app->config.socket != NULL;

	if (!exists && (control_path(&path, NULL, false, err) ||
			control_path_check(path, &exists, err) != 0))
		return -1;
	if (!exists)
		return 0;
	app->found_serve = true;
	app->config.target = ATTACH;
	app->target_source = "the running serve";
	return 0;
}

static int refuse(const char *option, const struct endpoint *e,
		  struct error *err)
{
	error_set(
		err, ERR_USAGE,
		"option '%s' is for the devices of a running serve, and the target is '%s' (from %s)",
		option, e->text, e->source);
	return error_hint(
		err, "leave the target out, or start 'mcpctl serve' first");
}

const char *serve_target_device(const struct app *app)
{
	const char *device = app->config.device;

	return is_from(device, "MCPCTL_DEVICE") ? NULL : device;
}

/* At a broker; one that the environment names is not another than the target's. */
static void choose_server(const struct app *app, struct endpoint *e)
{
	const char *device = mcp_filter_is_exact(e->path) ?
				     serve_target_device(app) :
				     app->config.device;

	e->device = mem_strdup(device);
}

int serve_target_options(const struct app *app, struct endpoint *e,
			 struct error *err)
{
	const struct config *c = &app->config;
	bool own_socket = c->socket && !is_from(c->socket, "MCPCTL_SOCKET");

	if (e->scheme->kind == SCHEME_MCP_MQTT) {
		choose_server(app, e);
		return own_socket ? refuse("--socket", e, err) : 0;
	}
	if (e->scheme->kind != SCHEME_ATTACH) {
		if (c->all)
			return refuse("--all", e, err);
		if (serve_target_device(app))
			return refuse("--device", e, err);
		return own_socket ? refuse("--socket", e, err) : 0;
	}
	if (*e->path && own_socket)
		return error_set(
			err, ERR_USAGE,
			"two sockets: '%s' in the target and '%s' (option --socket)",
			e->path, c->socket);
	if (!*e->path && c->socket) {
		mem_free(e->path);
		e->path = mem_strdup(c->socket);
	}
	e->device = mem_strdup(c->device);
	e->call_timeout = c->timeout;
	return 0;
}

static int refuse_target(const struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	CLEANUP(mem_free_ptr)
	char *shown = endpoint_without_password(c->target);

	error_set(err, ERR_USAGE,
		  "%s for a running serve, and the target is '%s' (from %s)",
		  c->all ? "option '--all' is" : "this command is", shown,
		  app->target_source);
	/* A session's target stays: only another mcpctl has none. */
	if (complete_inside_words)
		return error_hint(
			err,
			"another mcpctl has its own target, as in: ! mcpctl devices");
	return error_hint(err, "leave the target out");
}

int serve_target_path(const struct app *app, char **path, struct error *err)
{
	const struct config *c = &app->config;
	const char *target = c->target, *given = c->socket;

	*path = NULL;
	if (target && text_starts(target, ATTACH)) {
		if (target[strlen(ATTACH)])
			given = target + strlen(ATTACH);
	} else if (target && (c->all || !is_from(target, "MCPCTL_TARGET"))) {
		return refuse_target(app, err);
	}
	return control_path(path, given, false, err);
}
