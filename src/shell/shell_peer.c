/* SPDX-License-Identifier: MIT */
/*
 * The peer of a shell at a terminal: opened in the background, lost, opened
 * again where its target listens, switched; and what the prompt says of it. A
 * command that needs it goes on from wherever this is (connection_open).
 */
#include "shell/shell_peer.h"

#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/connection.h"
#include "cli/requests.h"
#include "mcp/opening.h"
#include "out/term.h"
#include "out/text_device.h"
#include "out/wrap.h"
#include "shell/shell.h"

enum {
	RETRY_MS = 1000, /* doubled each time */
	RETRY_MOST_MS = 8000,
	NAME_COLUMNS = 40
};

bool shell_is_attached(const struct shell *s)
{
	const char *target = s->app->config.target;

	return target && strncasecmp(target, "attach:", 7) == 0;
}

/* ---- what it is called ---- */

/* Alias or id in serve, else what it told of itself; yours, NULL: nothing. */
static char *find_name(const struct connection *c)
{
	const struct session_peer *peer = session_peer(c->session);
	CLEANUP(json_free_ptr) cJSON *device = NULL;
	const char *name = NULL;

	if (peer->kept)
		device = json_parse(peer->kept->device,
				    strlen(peer->kept->device), NULL);
	if (device)
		name = render_device_name(device);
	if (!name || !*name)
		name = c->client.server_name;
	if (!name || !*name)
		name = peer->device_id;
	return name && *name ? mem_strdup(name) : NULL;
}

static const char *state_word(const struct shell *s)
{
	const struct connection *c = s->connection;

	if (c->connected && session_is_open(c->session))
		return NULL;
	if (c->session || s->wanted)
		return "waiting";
	return s->was_up ? "lost" : "not connected";
}

static const char *name_of(const struct shell *s)
{
	const struct config *c = &s->app->config;

	if (s->name)
		return s->name;
	if (shell_is_attached(s))
		return c->device ? c->device : "serve";
	return c->target ? c->target : "mcpctl";
}

char *shell_peer_prompt(const struct shell *s)
{
	CLEANUP(buf_done) struct buf masked = { 0 }, safe = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 }, out = { 0 };
	bool color = s->app->out.err_color;
	const char *state = state_word(s), *whole = name_of(s);

	/* A target stands there as it was given, query and all. */
	mask_secrets(&masked, whole, strlen(whole));
	wrap_name(&safe, buf_string(&masked));
	wrap_cut(&name, buf_string(&safe), safe.len, NAME_COLUMNS);
	term_painted(&out, color, state ? PAINT_DIM : PAINT_STRONG,
		     buf_string(&name));
	if (state) {
		buf_text(&out, " (");
		term_painted(&out, color, PAINT_WARN, state);
		buf_char(&out, ')');
	}
	buf_text(&out, "> ");
	return buf_take(&out);
}

/* ---- what changed ---- */

/* The same device comes back, whoever else does. */
static void keep_device(struct shell *s)
{
	const struct peer_kept *kept =
		session_peer(s->connection->session)->kept;
	CLEANUP(json_free_ptr) cJSON *device = NULL;
	const char *pick;

	if (!shell_is_attached(s) || s->app->config.device || !kept ||
	    !*kept->id)
		return;
	device = json_parse(kept->device, strlen(kept->device), NULL);
	pick = json_string(device, "pick");
	mem_free(s->device);
	s->device = mem_strdup(pick ? pick : kept->id);
	s->app->config.device = s->device;
}

static void tell_connected(const struct shell *s)
{
	const struct client *c = &s->connection->client;
	const char *version = c->server_version ? c->server_version : "";
	const char *address = session_peer(s->connection->session)->address;

	render_note(&s->app->out, "connected: %s%s%s%s%s%s", name_of(s),
		    *version ? " " : "", version, address ? " (" : "",
		    address ? address : "", address ? ")" : "");
}

static void now_up(struct shell *s, bool tell)
{
	char *name = find_name(s->connection);

	s->up = s->was_up = true;
	s->wanted = false;
	s->tries = 0;
	s->connection->again = true;
	mem_free(TAKE(s->told));
	if (name) {
		mem_free(s->name);
		s->name = name;
	}
	keep_device(s);
	if (tell)
		tell_connected(s);
	shell_list_start(s);
}

static const char *next_step(const struct shell *s)
{
	return app_listens(s->app) ?
		       "waiting for it to come back" :
		       "'reconnect' or the next command opens it again";
}

/* reason NULL: it was said already. */
static void now_lost(struct shell *s, const char *reason)
{
	struct renderer *r = &s->app->out;

	s->up = false;
	s->wanted = app_listens(s->app);
	s->retry_at = 0;
	if (!reason)
		render_note(r, "connection lost; %s", next_step(s));
	else
		render_note(r, "%s%s; %s",
			    text_find(reason, "connection") ?
				    "" :
				    "connection lost: ",
			    reason, next_step(s));
}

/* It ended by itself; why, and what came before its end. */
static void end_session(struct shell *s, bool tell)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct connection *c = s->connection;

	if (session_step(c->session, NULL, 0, &why) == 0)
		error_set(&why, ERR_CONNECT, "connection closed");
	connection_close(c);
	shell_list_stop(s);
	now_lost(s, tell ? why.text : NULL);
}

void shell_peer_failed(struct shell *s, struct error *why)
{
	int64_t pause = (int64_t)RETRY_MS << (s->tries < 3 ? s->tries : 3);

	s->tries++;
	s->retry_at =
		loop_now() + (pause < RETRY_MOST_MS ? pause : RETRY_MOST_MS);
	/* Which of several devices: nothing will change by itself. */
	s->wanted = app_listens(s->app) && why->kind != ERR_USAGE;
	if (why->kind == ERR_USAGE && shell_is_attached(s))
		error_hint(why,
			   "'use NAME' picks one: its id, client id or alias");
	/* That serve went was said. */
	if (shell_is_attached(s) && s->was_up && why->kind == ERR_CONNECT)
		return;
	if (s->told && strcmp(s->told, why->text) == 0)
		return;
	mem_free(s->told);
	s->told = mem_strdup(why->text);
	render_error(&s->app->out, why);
}

/* ---- in the background ---- */

void shell_peer_step(struct shell *s)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct connection *c = s->connection;
	int status = 0;

	if (c->connected && !session_is_open(c->session))
		end_session(s, true);
	if (!c->session && s->wanted && loop_now() >= s->retry_at)
		status = connection_begin(c, &why);
	if (status == 0 && c->session && !c->connected)
		status = connection_poll(c, &why);
	if (status < 0)
		shell_peer_failed(s, &why);
	else if (c->connected && !s->up)
		now_up(s, true);
	shell_list_step(s);
}

/* loop_now() ms at which it is due at the latest. */
static int64_t shell_peer_deadline(const struct shell *s)
{
	const struct connection *c = s->connection;

	/* Behind the lines of a file, which wait for a writer, nobody looks. */
	if (!s->edit || s->depth)
		return LOOP_FOREVER;
	if (!c->session)
		return s->wanted ? s->retry_at : LOOP_FOREVER;
	if (!c->connected)
		return client_poll_at(&c->client);
	return s->list.active ? LOOP_FOREVER : relist_at(&s->relist);
}

/* ---- behind a command ---- */

void shell_peer_after(struct shell *s, const struct error *why)
{
	struct app *app = s->app;

	if (!s->edit)
		return;
	if (s->connection->connected &&
	    !session_is_open(s->connection->session)) {
		end_session(s, !why || why->kind != ERR_CONNECT);
		return;
	}
	/* A command opened it, or its opening failed, which was shown. */
	if (s->connection->connected && !s->up)
		now_up(s, false);
	else if (s->connection->connected && s->connection->opened != s->listed)
		shell_list_start(s);
	if (s->connection->session)
		return;
	if (s->up)
		now_lost(s, NULL);
	else if (!app_listens(app) && why)
		s->wanted = false;
}

/* ---- switched ---- */

void shell_mark_later(struct app *app)
{
	app->target_source = "the command use";
	app->later = true;
}

void shell_peer_choose(struct shell *s, const char *target, const char *device)
{
	struct config *c = &s->app->config;
	char *new_target = mem_strdup(target), *new_device = mem_strdup(device);

	mem_free(s->target);
	mem_free(s->device);
	s->target = new_target;
	s->device = new_device;
	c->target = s->target;
	c->device = s->device;
	shell_mark_later(s->app);
	s->app->found_serve = false;
	s->connection->again = false;
	s->connection->port = 0;
	s->was_up = false;
	mem_free(TAKE(s->name));
	mem_free(TAKE(s->told));
}

int shell_peer_open(struct shell *s, struct error *err)
{
	struct app *app = s->app;

	connection_close(s->connection);
	shell_list_stop(s);
	s->up = false;
	s->tries = 0;
	s->retry_at = 0;
	s->wanted = s->edit && app_listens(app);
	return s->wanted ? connection_begin(s->connection, err) :
			   connection_open(s->connection, err);
}

/*
 * What comes while a line is edited: shown above it, at a bearable rate.
 * Which events are worth a line is the renderer's matter.
 */

static void before_output(void *owner)
{
	struct shell *s = owner;

	if (s->editing)
		s->edit->hide();
}

/* stdout is not flushed by itself, and the line comes back below it. */
static void after_output(void *owner)
{
	struct shell *s = owner;

	if (!s->editing)
		return;
	fflush(s->app->out.out);
	s->edit->show();
}

static bool is_tools_changed(const struct event *e)
{
	return e->kind == EVENT_NOTIFICATION && e->name &&
	       strcmp(e->name, "notifications/tools/list_changed") == 0;
}

static void on_event(void *owner, const struct event *e)
{
	struct shell *s = owner;
	struct renderer *r = &s->app->out;

	/* The terminal may have another width by now. */
	if (s->editing && r->held == 0)
		r->width = term_width(r->out_terminal ? r->out : r->err);
	if (is_tools_changed(e)) {
		bool known = s->connection->has_tools;

		s->connection->has_tools = false;
		s->relist.stale = true;
		/* Who did not have the list yet has no use for the news. */
		if (!known)
			return;
	}
	/* At the prompt no call is under way whose progress it could be. */
	if (s->editing || !connection_progress(s->connection, e))
		connection_aside(s->connection, e);
}

void shell_dress(struct shell *s)
{
	struct renderer *r = &s->app->out;

	shell_last_watch(s);
	r->owner = s;
	if (!s->edit)
		return;
	r->begin = before_output;
	r->end = after_output;
	r->chatty = true;
	/* Other commands have one of their own for a while (tail). */
	s->connection->on_event = on_event;
	s->connection->on_event_owner = s;
}

int shell_wait(struct shell *s, const bool *done, struct error *err)
{
	struct app *app = s->app;
	int64_t deadline, held;
	CLEANUP(error_reset) struct error why = { 0 };
	/* One that is over waits for a script's next command. */
	bool open = s->connection->session &&
		    !session_is_over(s->connection->session);
	int status;

	if (open && s->editing && !*done) {
		/* A question that just came wants the terminal at once. */
		session_drain(s->connection->session);
		if (requests_asks(s->connection->requests))
			return 0;
	}
	deadline = shell_peer_deadline(s);
	held = render_held(&app->out);
	if (held < deadline)
		deadline = held;
	if (open)
		status = session_step(s->connection->session, done, deadline,
				      &why);
	else
		status = loop_wait(app->loop, done, deadline, &why);
	/* What else ends it, the end of the connection, is the peer's matter. */
	if (status == 0 || why.kind != ERR_INTERRUPTED)
		return 0;
	error_copy(err, &why);
	return -1;
}
