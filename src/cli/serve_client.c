/* SPDX-License-Identifier: MIT */
/*
 * A running serve as seen by commands: found, asked, its frames queued for the
 * main line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete.h"
#include "cli/serve_client.h"
#include "net/control_client.h"

/*
 * A queue between the socket's callbacks, which record, and the main line,
 * which takes. What the objects mean is the commands' matter.
 */

enum { ASK_MS = 10000, CLOSE_MS = 1000 };

struct queued {
	char *text;
	size_t len;
	struct queued *next;
};

struct serve_client {
	struct app *app;
	struct control_client *socket;
	struct queued *first, **last;
	bool wake; /* there is something, or it is closed */
	bool closed, abandoned;
	bool any; /* also one of another protocol */
	bool tell; /* the difference of versions, when the main line is here */
	struct greeting serve;
	struct error why; /* of closed */
};

static void release(struct serve_client *c)
{
	while (c->first) {
		struct queued *q = c->first;

		c->first = q->next;
		mem_free(q->text);
		mem_free(q);
	}
	error_reset(&c->why);
	mem_free(c);
}

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	struct serve_client *c = owner;

	c->serve = *g;
	if (c->any)
		return 0;
	if (greeting_check(g, err))
		return -1;
	c->tell = greeting_differs(g);
	return 0;
}

/* Once for each serve: a command may ask it several times. */
static void tell_difference(struct serve_client *c)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct app *app = c->app;

	if (!c->tell || app->told_serve == c->serve.pid)
		return;
	c->tell = false;
	app->told_serve = c->serve.pid;
	greeting_tell(&line, &c->serve);
	render_note(&app->out, "%s", buf_string(&line));
}

static void on_frame(void *owner, const struct control_frame *f)
{
	struct serve_client *c = owner;
	struct queued *q;

	if (f->kind != CONTROL_JSON)
		return;
	q = mem_zalloc(sizeof(*q));
	q->text = mem_copy(f->data, f->len);
	q->len = f->len;
	*c->last = q;
	c->last = &q->next;
	c->wake = true;
}

static void on_closed(void *owner, const struct error *why)
{
	struct serve_client *c = owner;

	if (c->abandoned) {
		release(c);
		return;
	}
	c->closed = c->wake = true;
	error_copy(&c->why, why);
}

static const struct control_client_events events = { .greeted = on_greeted,
						     .frame = on_frame,
						     .closed = on_closed };

int serve_client_open(struct serve_client **out, struct app *app,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct serve_client *c;

	*out = NULL;
	if (serve_target_path(app, &path, err) || app_open_loop(app, err))
		return -1;
	c = mem_zalloc(sizeof(*c));
	c->app = app;
	c->last = &c->first;
	if (control_client_open(&c->socket, app->loop, path, &events, c, err) !=
	    0) {
		mem_free(c);
		return -1;
	}
	*out = c;
	return 0;
}

void serve_client_any(struct serve_client *c)
{
	c->any = true;
}

void serve_client_free(struct serve_client *c)
{
	struct error ignored = { 0 };

	if (!c)
		return;
	if (!c->closed) {
		control_client_close(c->socket);
		loop_wait(c->app->loop, &c->closed, loop_now() + CLOSE_MS,
			  &ignored);
		error_reset(&ignored);
	}
	if (c->closed)
		release(c);
	else
		c->abandoned = true;
}

void serve_answer_done(struct serve_answer *a)
{
	cJSON_Delete(a->json);
	mem_free(a->text);
	*a = (struct serve_answer){ 0 };
}

struct span serve_answer_member(const struct serve_answer *a, const char *name)
{
	struct span whole = { a->text, a->len }, found;

	if (!json_span_member(whole, name, &found) || *found.text == 'n')
		return (struct span){ 0 };
	return found;
}

int serve_client_send(struct serve_client *c, const struct buf *json,
		      struct error *err)
{
	if (c->closed) {
		error_copy(err, &c->why);
		return -1;
	}
	return control_client_send(c->socket, CONTROL_JSON, json->data,
				   json->len, err);
}

static int take(struct serve_client *c, struct serve_answer *out,
		struct error *err)
{
	struct queued *q = c->first;

	c->first = q->next;
	if (!c->first)
		c->last = &c->first;
	*out = (struct serve_answer){ .text = q->text, .len = q->len };
	mem_free(q);
	out->json = json_parse(out->text, out->len, err);
	out->op = json_string(out->json, "op");
	if (!out->json) {
		serve_answer_done(out);
		return error_prefix(err, "serve's answer");
	}
	if (!out->op)
		out->op = "";
	if (strcmp(out->op, "error") != 0)
		return 0;
	control_error_decode(err, json_object(out->json, "error"));
	if (err->kind == ERR_PROTOCOL)
		greeting_blame(&c->serve, err);
	serve_answer_done(out);
	return -1;
}

int serve_client_next(struct serve_client *c, int64_t deadline,
		      struct serve_answer *out, struct error *err)
{
	*out = (struct serve_answer){ 0 };
	while (!c->first && !c->closed) {
		c->wake = false;
		if (loop_wait(c->app->loop, &c->wake, deadline, err)) {
			if (err->kind == ERR_TIMEOUT)
				control_client_silent(ERR_TIMEOUT, err);
			return -1;
		}
	}
	tell_difference(c);
	if (c->first)
		return take(c, out, err);
	error_copy(err, &c->why);
	if (err->kind == ERR_NONE)
		error_set(err, ERR_CONNECT, "the running serve has ended");
	return -1;
}

int serve_client_ask(struct serve_client *c, const struct buf *json,
		     struct serve_answer *out, struct error *err)
{
	int64_t timeout = c->app->config.timeout;

	*out = (struct serve_answer){ 0 };
	if (serve_client_send(c, json, err))
		return -1;
	return serve_client_next(c, loop_now() + (timeout ? timeout : ASK_MS),
				 out, err);
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

int serve_target_options(const struct app *app, struct endpoint *e,
			 struct error *err)
{
	const struct config *c = &app->config;
	bool own_socket = c->socket && !is_from(c->socket, "MCPCTL_SOCKET");

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
	e->tail = app->tail;
	e->call_timeout = c->timeout;
	return 0;
}

static int refuse_target(const struct app *app, struct error *err)
{
	const struct config *c = &app->config;

	error_set(err, ERR_USAGE,
		  "%s for a running serve, and the target is '%s' (from %s)",
		  c->all ? "option '--all' is" : "this command is", c->target,
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
