/* SPDX-License-Identifier: MIT */
/*
 * The shell at a terminal: its main line, its lists, its last result, its
 * input.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "cli/catalog_file.h"
#include "cli/cmd_info.h"
#include "cli/config.h"
#include "cli/connection.h"
#include "cli/requests.h"
#include "cli/save.h"
#include "cli/show.h"
#include "mcp/content.h"
#include "mcp/tools.h"
#include "out/forms.h"
#include "out/term.h"
#include "rpc/session_calls.h"
#include "shell/builtins.h"
#include "shell/shell.h"
#include "shell/shell_line.h"
#include "shell/shell_peer.h"
#include "shell/shell_run.h"

/*
 * The main line at a terminal: a line is edited, while events are shown and
 * the peer is looked after; then it is run. Ctrl-C ends the one or the other,
 * never this.
 */

/* How long the first prompt waits for a peer that is there at once. */
enum { SETTLE_MS = 200 };

/* ---- from the editor, inside the loop ---- */

static void on_line(void *owner, const char *line)
{
	struct shell *s = owner;

	s->editing = false;
	s->has_line = true;
	s->line = mem_strdup(line);
	if (s->connection->session)
		session_wake(s->connection->session);
}

static void on_complete(void *owner, const char *line, struct completion *out)
{
	struct shell *s = owner;
	struct schema_source source;

	schema_source_session(&source, s->connection);
	complete_line(out, line, &source);
	schema_source_close(&source);
}

static bool on_incomplete(void *owner, const char *line)
{
	(void)owner;
	return shell_line_is_open(line);
}

static const struct edit_events edit_events_of = {
	.line = on_line, .complete = on_complete, .incomplete = on_incomplete
};

/* ---- waiting for a line ---- */

static void show_prompt(struct shell *s)
{
	char *prompt = shell_peer_prompt(s);
	bool same = s->prompt && strcmp(s->prompt, prompt) == 0;

	mem_free(s->prompt);
	s->prompt = prompt;
	if (!s->editing) {
		s->editing = true;
		s->edit->start(prompt);
	} else if (!same) {
		s->edit->prompt(prompt);
	}
}

/* Ctrl-C drops the line; any other signal ends the shell. */
static void interrupted(struct shell *s, const struct error *why)
{
	if (why->code == SIGINT) {
		if (s->editing)
			s->edit->clear();
		return;
	}
	s->signal = why->code;
	s->quit = true;
}

/* A simulator, a serve, a server nearby: then the first prompt is the right one. */
static void settle(struct shell *s)
{
	const struct connection *c = s->connection;
	int64_t until = loop_now() + SETTLE_MS;
	bool never = false;

	shell_peer_step(s);
	while (!s->quit && c->session && !c->connected && loop_now() < until) {
		CLEANUP(error_reset) struct error why = { 0 };

		if (session_step(c->session, &never, until, &why) != 0 &&
		    why.kind == ERR_INTERRUPTED)
			interrupted(s, &why);
		shell_peer_step(s);
	}
}

/* What the server asks a person has the terminal; what was typed comes back. */
static void ask_questions(struct shell *s)
{
	const struct connection *c = s->connection;
	bool never = false;

	if (!requests_asks(c->requests))
		return;
	if (s->editing)
		s->edit->stop();
	s->editing = false;
	requests_lend(c->requests, false);
	while (!s->quit && requests_asks(c->requests)) {
		CLEANUP(error_reset) struct error why = { 0 };

		if (shell_wait(s, &never, &why) != 0)
			interrupted(s, &why);
		shell_peer_step(s);
	}
}

static void wait_line(struct shell *s)
{
	s->has_line = false;
	while (!s->has_line && !s->quit) {
		CLEANUP(error_reset) struct error why = { 0 };

		shell_peer_step(s);
		ask_questions(s);
		show_prompt(s);
		requests_lend(s->connection->requests, true);
		if (shell_wait(s, &s->has_line, &why) != 0)
			interrupted(s, &why);
	}
	if (s->editing) {
		s->edit->stop();
		s->editing = false;
	}
	requests_lend(s->connection->requests, false);
}

/* ---- running it ---- */

/* "^C" stands where the message begins. */
static void report(struct shell *s, const struct error *why)
{
	struct renderer *r = &s->app->out;

	if (why->kind == ERR_INTERRUPTED && term_moves())
		term_erase(r->err);
	render_error(r, why);
}

/*
 * That something was lost is told at once, and spoils nothing that comes later.
 * A write that Ctrl-C ended is no news.
 */
static void check_written(struct renderer *r, bool interrupted)
{
	CLEANUP(error_reset) struct error lost = { 0 };
	bool failed;
	int why;

	errno = 0;
	failed = fflush(r->out) != 0 || ferror(r->out);
	why = r->why_lost ? r->why_lost : errno;
	clearerr(r->out);
	r->why_lost = 0;
	if (!failed || interrupted)
		return;
	error_set(&lost, ERR_OUTPUT, "output could not be written%s%s",
		  why ? ": " : "", why ? strerror(why) : "");
	render_error(r, &lost);
}

static void run_line(struct shell *s, const char *line)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct app *app = s->app;
	int status;

	app->out.width =
		term_width(app->out.out_terminal ? app->out.out : app->out.err);
	status = shell_run_line(s, line, &why);
	if (status != 0) {
		app_check_signal(app, &why);
		report(s, &why);
		if (why.kind == ERR_INTERRUPTED && why.code != SIGINT)
			interrupted(s, &why);
	}
	check_written(&app->out, why.kind == ERR_INTERRUPTED);
	if (app->stdin_taken)
		clearerr(stdin);
	shell_dress(s);
	shell_peer_after(s, status != 0 ? &why : NULL);
}

static void loop_lines(struct shell *s)
{
	settle(s);
	while (!s->quit) {
		CLEANUP(mem_free_ptr) char *line = NULL;

		wait_line(s);
		line = TAKE(s->line);
		if (!s->has_line || s->quit)
			break;
		if (!line) {
			s->quit = true;
			break;
		}
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		if (!shell_line_has_secret(line))
			s->edit->remember(line);
		run_line(s, line);
	}
}

/* The terminal is gone: as if somebody had asked us to end. */
static void on_hangup(void *owner)
{
	(void)owner;
	raise(SIGTERM);
}

static int signalled(const struct shell *s, struct error *err)
{
	if (!s->signal)
		return 0;
	error_set(err, ERR_INTERRUPTED, "interrupted by a signal");
	return error_code(err, s->signal);
}

static int open_editor(struct shell *s, bool history, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *file = NULL;
	struct app *app = s->app;
	const struct edit_table *edit = module_table("shell", EDIT_TABLE, err);

	if (!edit)
		return -1;
	if (history && state_file(&file, "history", &why) != 0)
		render_note(&app->out, "no history: %s", why.text);
	if (edit->open(app->loop, &edit_events_of, s, file, err) != 0)
		return -1;
	s->edit = edit;
	return 0;
}

int shell_interact(struct shell *s, bool history, struct error *err)
{
	struct app *app = s->app;
	int status;

	if (app_open_loop(app, err) ||
	    loop_on_hangup(app->loop, on_hangup, s, err) ||
	    open_editor(s, history, err))
		return -1;
	loop_spare(app->loop, true);
	s->connection->stays = true;
	shell_dress(s);
	s->wanted = true;
	builtins_offer();
	status = connection_begin(s->connection, err);
	app->found_serve = false;
	/* A wrong target is told at once; what is not there may come. */
	if (status == 0 || err->kind != ERR_USAGE) {
		if (status != 0)
			shell_peer_failed(s, err);
		error_reset(err);
		loop_lines(s);
		status = signalled(s, err);
	}
	s->edit->close();
	loop_spare(app->loop, false);
	return status;
}

/*
 * The list of tools, asked for once the peer is connected, so that TAB has it:
 * page by page, without waiting. That it fails is told by the command that
 * needs it.
 */

static int ask_page(struct shell_list *l, struct session *session)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	listing_params(&l->listing, &params);
	return session_start(session, &l->call, "tools/list",
			     params.len ? buf_string(&params) : NULL, 0,
			     &ignored);
}

void shell_list_start(struct shell *s)
{
	struct shell_list *l = &s->list;
	struct app *app = s->app;

	if (l->opened != s->connection->opened)
		shell_list_stop(s);
	s->listed = s->connection->opened;
	if (!s->edit || l->active || s->connection->has_tools ||
	    !s->connection->connected || app->config.no_init)
		return;
	relist_begin(&s->relist, loop_now());
	*l = (struct shell_list){ .active = true,
				  .opened = s->connection->opened };
	listing_init(&l->listing, &l->tools, s->connection->client.device);
	l->listing.may_be_board = client_may_be_board(&s->connection->client);
	l->listing.modern = s->connection->client.modern;
	if (ask_page(l, s->connection->session) != 0)
		shell_list_stop(s);
}

void shell_list_stop(struct shell *s)
{
	struct shell_list *l = &s->list;

	if (!l->active)
		return;
	/* The end of a session ends its calls. */
	if (s->connection->session && !l->call.done)
		session_forget(s->connection->session, &l->call);
	call_done(&l->call);
	listing_done(&l->listing);
	tool_list_done(&l->tools);
	*l = (struct shell_list){ 0 };
}

static void take_page(struct shell *s)
{
	struct shell_list *l = &s->list;
	struct connection *c = s->connection;
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (c->connected && l->opened == c->opened &&
	    l->call.failure.kind == ERR_NONE &&
	    listing_feed_take(&l->listing, &l->call.reply, &ignored) == 0) {
		if (!l->listing.done && ask_page(l, c->session) == 0)
			return;
		if (l->listing.done && !c->has_tools) {
			tools_cache_take(c, &l->tools);
			l->tools = (struct tool_list){ 0 };
		}
	}
	shell_list_stop(s);
}

void shell_list_step(struct shell *s)
{
	if (s->list.active && s->list.call.done)
		take_page(s);
	if (s->list.active || loop_now() < relist_at(&s->relist))
		return;
	s->relist.stale = s->connection->has_tools = false;
	shell_list_start(s);
}

/*
 * The last result, kept as the peer sent it, to be shown once more in another
 * form. It stands between commands and the renderer, and asks nobody.
 */

void shell_last_done(struct shell_last *l)
{
	mem_free(l->text);
	mem_free(l->name);
	mem_free(l->kept);
	tool_list_done(&l->tools);
	*l = (struct shell_last){ 0 };
}

static struct shell_last *begin(struct renderer *r, enum last_kind kind)
{
	struct shell *s = r->owner;

	shell_last_done(&s->last);
	s->last.kind = kind;
	return &s->last;
}

static const struct render_ops *inner(const struct renderer *r)
{
	const struct shell *s = r->owner;

	return s->inner;
}

/* ---- kept ---- */

static void keep_message(struct shell_last *l, const struct message *m)
{
	l->text = mem_copy(m->text, m->len);
	l->len = m->len;
}

static void on_result(struct renderer *r, const struct result *result)
{
	struct shell_last *l = begin(r, LAST_RESULT);

	keep_message(l, &result->message);
	l->took_us = result->took_us;
	l->note = result->note;
	inner(r)->result(r, result);
}

static void on_reply(struct renderer *r, const struct message *m)
{
	keep_message(begin(r, LAST_REPLY), m);
	inner(r)->reply(r, m);
}

static void keep_tools(struct shell_last *l, const struct tool_list *list)
{
	for (size_t i = 0; i < list->pages; i++) {
		const struct message *page = &list->page[i];
		struct message m;

		if (message_decode(&m, page->text, page->len, NULL) == 0)
			tool_list_add_take(&l->tools, &m, NULL, NULL);
	}
}

static void on_tools_end(struct renderer *r, const struct tools_record *t)
{
	struct shell_last *l = begin(r, LAST_TOOLS);

	keep_tools(l, t->list);
	l->name = mem_strdup(t->filter);
	l->backend_view = t->backend_view;
	l->broke = t->broke != NULL;
	l->kept = mem_strdup(t->kept);
	l->age = t->age;
	l->device = t->device;
	l->shown = t->shown;
	l->name_width = t->name_width;
	if (inner(r)->tools_end)
		inner(r)->tools_end(r, t);
}

static void on_describe(struct renderer *r, const struct describe_record *d)
{
	struct shell_last *l = begin(r, LAST_DESCRIBE);

	keep_tools(l, d->list);
	l->name = mem_strdup(d->tool->name);
	l->device = d->device;
	inner(r)->describe(r, d);
}

static void on_info(struct renderer *r, const struct info_record *i)
{
	struct shell *s = r->owner;

	begin(r, LAST_INFO)->opened = s->connection->opened;
	inner(r)->info(r, i);
}

static void on_ping(struct renderer *r, const struct ping_record *p)
{
	begin(r, LAST_PING)->ping = *p;
	inner(r)->ping(r, p);
}

void shell_last_watch(struct shell *s)
{
	struct renderer *r = &s->app->out;

	if (r->ops != &s->ops)
		s->inner = r->ops;
	s->ops = *s->inner;
	s->ops.tools_end = on_tools_end;
	if (s->inner->result)
		s->ops.result = on_result;
	if (s->inner->reply)
		s->ops.reply = on_reply;
	if (s->inner->describe)
		s->ops.describe = on_describe;
	if (s->inner->info)
		s->ops.info = on_info;
	if (s->inner->ping)
		s->ops.ping = on_ping;
	r->ops = &s->ops;
}

/* ---- shown again ---- */

static int show_message(struct renderer *r, const struct shell_last *l,
			struct error *err)
{
	CLEANUP(result_done) struct result result = { 0 };
	CLEANUP(message_done) struct message m = { 0 };

	if (l->text && message_decode(&m, l->text, l->len, err))
		return -1;
	if (l->kind == LAST_REPLY) {
		if (r->ops->reply)
			r->ops->reply(r, &m);
		return 0;
	}
	result_decode_take(&result, &m);
	result.took_us = l->took_us;
	result.note = l->note;
	if (r->ops->result)
		r->ops->result(r, &result);
	return 0;
}

static void show_tools(struct renderer *r, const struct shell_last *l)
{
	static const struct error ended = { .kind = ERR_PROTOCOL };
	const struct tools_record record = { .list = &l->tools,
					     .filter = l->name,
					     .broke = l->broke ? &ended : NULL,
					     .kept = l->kept,
					     .age = l->age,
					     .backend_view = l->backend_view,
					     .device = l->device,
					     .shown = l->shown,
					     .name_width = l->name_width };

	for (size_t i = 0; r->ops->tool && i < l->tools.count; i++) {
		if (tool_matches(&l->tools.tool[i], l->name))
			r->ops->tool(r, &l->tools.tool[i], &record);
	}
	if (r->ops->tools_end)
		r->ops->tools_end(r, &record);
}

static void show_description(struct renderer *r, const struct shell_last *l)
{
	const struct describe_record record = { .tool = tool_list_find(
							&l->tools, l->name),
						.list = &l->tools,
						.device = l->device };

	if (record.tool && r->ops->describe)
		r->ops->describe(r, &record);
}

int shell_last_save(struct shell *s, const char *path, struct error *err)
{
	CLEANUP(result_done) struct result result = { 0 };
	CLEANUP(message_done) struct message m = { 0 };
	const struct shell_last *l = &s->last;

	if (l->kind != LAST_RESULT || !l->text) {
		error_set(err, ERR_UNMET,
			  "the last result is none that has images or audio");
		return error_hint(err, "'last --save' is for that of a call");
	}
	if (message_decode(&m, l->text, l->len, err))
		return -1;
	result_decode_take(&result, &m);
	return save_result(s->app, &result, path, false, err);
}

/* As the present one, but for its form. */
static void dress(struct renderer *r, const struct shell *s,
		  enum output_form form)
{
	const struct renderer *now = &s->app->out;

	renderer_init(r, form, (enum color_mode)s->app->config.color);
	r->quiet = now->quiet;
	r->out = now->out;
	if (now->out_terminal)
		return;
	r->out_terminal = false;
	r->out_color = r->out_color && now->out_color;
}

int shell_last_show(struct shell *s, enum output_form form, struct error *err)
{
	const struct shell_last *l = &s->last;
	const struct connection *c = s->connection;
	bool gone = l->kind == LAST_INFO &&
		    (!c->connected || c->opened != l->opened);
	struct renderer r;

	dress(&r, s, form);
	if (l->kind == LAST_NONE || gone) {
		error_set(err, ERR_UNMET, "there is no result yet%s",
			  gone ? " of this connection" : "");
		return error_hint(
			err,
			"'last' shows again what call, request, tools, describe, info or ping showed");
	}
	if (l->kind == LAST_RESULT || l->kind == LAST_REPLY)
		return show_message(&r, l, err);
	if (l->kind == LAST_INFO)
		info_show(c, &r);
	else if (l->kind == LAST_TOOLS)
		show_tools(&r, l);
	else if (l->kind == LAST_DESCRIBE)
		show_description(&r, l);
	else if (r.ops->ping)
		r.ops->ping(&r, &l->ping);
	return 0;
}

/*
 * The lines of a script, one by one as they come. A pipe is waited for on the
 * loop, so that the session goes on meanwhile; a file is read in slices, since
 * a file (and /dev/null) cannot be waited for.
 */

#define LINE_MAX_BYTES (16u << 20)
#define SLICE 16384

struct shell_input {
	struct shell *shell;
	int fd;
	char *name;
	uv_poll_t poll;
	bool polled; /* else a read does not wait */
	bool readable, ended;
	struct buf text; /* what was read and is not a line yet */
	size_t searched; /* bytes of it without a line end */
	char *line; /* that was given last */
	size_t number;
};

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct shell_input *in = poll->data;
	struct session *session = in->shell->connection->session;

	(void)status;
	(void)events;
	in->readable = true;
	uv_poll_stop(poll);
	if (session)
		session_wake(session);
}

/* libuv makes it non-blocking, for all who share it: put that back. */
static void poll_open(struct shell_input *in, struct loop *l)
{
	int flags = fcntl(in->fd, F_GETFL);

	in->polled = uv_poll_init(loop_uv(l), &in->poll, in->fd) == 0;
	in->poll.data = in;
	if (flags >= 0)
		fcntl(in->fd, F_SETFL, flags);
}

int shell_input_open(struct shell_input **out, struct shell *s, int fd,
		     const char *name, struct error *err)
{
	struct shell_input *in;

	*out = NULL;
	if (app_open_loop(s->app, err))
		return -1;
	in = mem_zalloc(sizeof(*in));
	in->shell = s;
	in->fd = fd;
	in->name = mem_strdup(name);
	poll_open(in, s->app->loop);
	*out = in;
	return 0;
}

static void input_free(uv_handle_t *poll)
{
	struct shell_input *in = poll->data;

	buf_done(&in->text);
	mem_free(in->name);
	mem_free(in->line);
	mem_free(in);
}

void shell_input_close(struct shell_input *in)
{
	if (!in)
		return;
	in->poll.data = in;
	if (in->polled)
		uv_close((uv_handle_t *)&in->poll, input_free);
	else
		input_free((uv_handle_t *)&in->poll);
}

static int wait_readable(struct shell_input *in, struct error *err)
{
	in->readable = !in->polled;
	if (in->polled)
		uv_poll_start(&in->poll, UV_READABLE | UV_DISCONNECT,
			      on_readable);
	while (!in->readable) {
		/* The device is the next command's matter. */
		if (shell_wait(in->shell, &in->readable, err)) {
			uv_poll_stop(&in->poll);
			return -1;
		}
	}
	return 0;
}

static int read_some(struct shell_input *in, struct error *err)
{
	char slice[SLICE];
	ssize_t got;

	if (wait_readable(in, err))
		return -1;
	got = read(in->fd, slice, sizeof(slice));
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got < 0)
		return error_set(err, ERR_USAGE, "cannot read '%s': %s",
				 in->name, strerror(errno));
	in->ended = got == 0;
	buf_add(&in->text, slice, (size_t)got);
	if (in->text.len > LINE_MAX_BYTES)
		return error_set(err, ERR_USAGE,
				 "a line of '%s' is longer than %u MB",
				 in->name, LINE_MAX_BYTES >> 20);
	return 0;
}

/* Bytes of the first line without its end; false: it is not whole yet. */
static bool find_line(struct shell_input *in, size_t *len)
{
	const char *text = buf_string(&in->text);
	const char *end =
		memchr(text + in->searched, '\n', in->text.len - in->searched);

	in->searched = in->text.len;
	if (!end && !(in->ended && in->text.len > 0))
		return false;
	*len = end ? (size_t)(end - text) : in->text.len;
	return true;
}

int shell_input_next(struct shell_input *in, const char **line,
		     struct error *err)
{
	size_t len;

	*line = NULL;
	while (!find_line(in, &len)) {
		if (in->ended)
			return 0;
		if (read_some(in, err))
			return -1;
	}
	if (!in->number) {
		size_t mark = text_mark(buf_string(&in->text), len);

		buf_consume(&in->text, mark);
		len -= mark;
	}
	in->number++;
	mem_free(in->line);
	in->line = mem_strndup(buf_string(&in->text), len);
	buf_consume(&in->text, len < in->text.len ? len + 1 : len);
	in->searched = 0;
	if (strlen(in->line) < len) {
		error_set(err, ERR_USAGE, "this line is no text");
		return shell_input_prefix(in, err);
	}
	*line = in->line;
	return 0;
}

int shell_input_prefix(const struct shell_input *in, struct error *err)
{
	return error_prefix(err, "%s:%zu", in->name, in->number);
}
