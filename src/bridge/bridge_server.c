/* SPDX-License-Identifier: MIT */
#include "bridge/bridge_server.h"

#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/pause.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bridge/server_asks.h"
#include "bridge/server_listens.h"
#include "bridge/task_call.h"
#include "cli/connection.h"
#include "cli/schema_cache.h"
#include "cli/target_text.h"
#include "mcp/client_start.h"
#include "mcp/modern.h"
#include "mcp/opening.h"
#include "mcp/relist.h"
#include "mcp/tasks.h"
#include "mcp/tools.h"
#include "net/why.h"
#include "rpc/session_calls.h"

enum {
	PAUSE_MIN_MS = 500, /* before it is dialled again; doubled each time */
	PAUSE_MAX_MS = 30000,
	WANTED_MS = 1000, /* … at most, while a call waits for it */
	LIVED_MS = 60000, /* from then on a loss begins with a short pause */
	HTTP_REFUSES = 400, /* statuses from there on */
	HTTP_NOT_FOUND = 404,
	MEET_MS = 1000, /* so long a host may take to say what it answers */
	BESIDE_MAX = 256, /* requests beside calls that wait */
	DETAIL_LINES = 32, /* of a reason that are told, … */
	DETAIL_MAX = 300 /* … bytes of each */
};

struct bridge_server {
	struct bridge_peer peer;
	struct server_config config;
	struct connection connection;
	char *key; /* of what is kept */
	char *told; /* the last reason that was told */
	int64_t up_at, lost_at, again_at, pause;
	/* the list of tools, page by page */
	struct call page;
	struct listing steps;
	struct tool_list tools;
	int64_t list_at, list_pause; /* when it is asked again; loop_now() ms */
	/* the call that is with it */
	struct bridge_call *at;
	struct call call;
	int32_t token; /* of its progress */
	unsigned wants_lists; /* that many began before it goes again; 0 */
	bool again; /* it went again for that */
	struct task_call task;
	/* what it is asked beside calls, one after the other */
	struct call beside;
	struct words methods, params; /* that wait */
	struct server_asks asks;
	struct server_listens listens;
	/* how far it is */
	bool up, tried;
	bool listing, listed;
	unsigned lists; /* that began */
	struct relist relist;
	bool asked; /* `call` was started */
	bool besides; /* `beside` was started */
};

/* ---- the configuration is that of its target while it is dialled ---- */

struct put_aside {
	const char *target, *device, *socket;
};

static void aim(const struct bridge_server *s, struct put_aside *was)
{
	struct config *c = &s->config.app->config;

	*was = (struct put_aside){ c->target, c->device, c->socket };
	c->target = s->config.target;
	c->device = c->socket = NULL;
	s->config.app->out.about = s->peer.prefix;
}

static void aim_back(const struct bridge_server *s, const struct put_aside *was)
{
	struct config *c = &s->config.app->config;

	c->target = was->target;
	c->device = was->device;
	c->socket = was->socket;
	s->config.app->out.about = NULL;
}

/* ---- its list of tools ---- */

static void take_tools(struct bridge_server *s, struct tool_list *tools)
{
	struct bridge_list *l = bridge_list_new(NULL, tools);

	bridge_peer_list(&s->peer, l);
	bridge_list_release(l);
}

/*
 * Espressif's mcp-c-sdk gives tools the annotations of resources, and wants every
 * argument that it declares (espressif.md 4).
 */
static bool wants_all(const struct tool_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const cJSON *a = json_object(l->tool[i].json, "annotations");

		if (json_member(a, "lastModified") ||
		    json_member(a, "priority"))
			return true;
	}
	return false;
}

static void ask_page(struct bridge_server *s)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request rq = { .method = "tools/list" };

	listing_params(&s->steps, &params);
	rq.params = params.len ? buf_string(&params) : NULL;
	s->listing = client_start(&s->connection.client, &s->page, &rq,
				  &ignored) == 0;
}

static void end_listing(struct bridge_server *s)
{
	if (s->connection.session)
		session_forget(s->connection.session, &s->page);
	call_done(&s->page);
	s->page = (struct call){ 0 };
	listing_done(&s->steps);
	tool_list_done(&s->tools);
	s->tools = (struct tool_list){ 0 };
	s->listing = false;
	*s->config.woken = true;
}

static void begin_listing(struct bridge_server *s)
{
	struct client *c = &s->connection.client;

	s->list_at = LOOP_FOREVER;
	relist_begin(&s->relist, loop_now());
	s->lists++;
	listing_init(&s->steps, &s->tools, c->device);
	s->steps.may_be_board = client_may_be_board(c);
	s->steps.modern = c->modern;
	if (client_offers(c, "tools"))
		ask_page(s);
	else
		take_tools(s, &s->tools);
	s->listed = !s->listing;
}

static void listed(struct bridge_server *s)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	s->list_pause = 0;
	s->connection.client.confirmed = true;
	client_leave_out(&s->connection.client, &s->tools);
	schema_cache_write(s->key, &s->tools, &ignored);
	client_know_tools(&s->connection.client, &s->tools);
	s->peer.wants_all = !s->peer.device && wants_all(&s->tools);
	take_tools(s, &s->tools);
}

/* Whatever was asked as it happened stands in front of one of them. */
static bool same_reason(const char *a, const char *b)
{
	size_t one = strlen(a), other = strlen(b);

	return one < other ? strcmp(a, b + (other - one)) == 0 :
			     strcmp(a + (one - other), b) == 0;
}

/* False: it was said. */
static bool tell(struct bridge_server *s, const char *what)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s: %s", s->peer.prefix, what);

	if (s->told && same_reason(s->told, what))
		return false;
	mem_free(s->told);
	s->told = mem_strdup(what);
	s->config.told(s->config.owner, line);
	return true;
}

/* What a program wrote as it ended, say, which a hint is about. */
static void tell_detail(const struct bridge_server *s, const char *detail)
{
	CLEANUP(mem_free_ptr) char *safe = mask_text(detail);
	const char *at = safe;

	for (int i = 0; at && *at && i < DETAIL_LINES; i++) {
		size_t len = strcspn(at, "\n");
		CLEANUP(mem_free_ptr)
		char *line = mem_printf("%s:   %.*s", s->peer.prefix,
					(int)text_cut(at, len, DETAIL_MAX), at);

		s->config.told(s->config.owner, line);
		at += len + (at[len] == '\n');
	}
}

static void lose(struct bridge_server *s, const struct error *why, bool told);

/* Over HTTP this is how its end shows; of other statuses somebody is there. */
static bool is_gone(const struct error *f)
{
	return f->kind == ERR_CONNECT &&
	       (f->code < HTTP_REFUSES || f->code == HTTP_NOT_FOUND);
}

/* It may be busy, or just starting; what is broken will be so again. */
static void not_listed(struct bridge_server *s, const struct error *why)
{
	struct client *c = &s->connection.client;
	const bool other =
		client_era_is_old(c) && era_may_be_other(why) && !s->asked;

	s->listed = true;
	end_listing(s);
	if (other)
		client_forget_era(c);
	if (other || (is_gone(why) && !s->asked)) {
		lose(s, why, true);
		return;
	}
	tell(s, why->text);
	if (why->kind == ERR_PROTOCOL)
		return;
	s->list_pause = pause_longer(s->list_pause, PAUSE_MIN_MS, PAUSE_MAX_MS);
	s->list_at = loop_now() + s->list_pause;
}

static void step_listing(struct bridge_server *s)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!s->listing || !s->page.done)
		return;
	if (s->page.failure.kind != ERR_NONE)
		error_copy(&why, &s->page.failure);
	else if (listing_feed_take(&s->steps, &s->page.reply, &why) == 0 &&
		 !s->steps.done) {
		ask_page(s);
		return;
	}
	if (why.kind != ERR_NONE) {
		error_prefix(&why, "its tools could not be listed");
		not_listed(s, &why);
		return;
	}
	listed(s);
	s->listed = true;
	end_listing(s);
}

/* ---- its call ---- */

static void server_beside(void *owner, const char *method, const char *params);

/* It goes on without us, if the server has no way to end it. */
static void end_task(struct bridge_server *s, bool over)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	if (s->task.id && !over) {
		task_call_which(&s->task, &params);
		server_beside(s, "tasks/cancel", buf_string(&params));
	}
	task_call_done(&s->task);
}

static void end_call(struct bridge_server *s, enum call_end end)
{
	struct bridge_call *c = s->at;

	s->at = NULL;
	s->wants_lists = 0;
	s->again = false;
	end_task(s, end == CALL_ANSWERED);
	if (s->asked && s->connection.session)
		session_forget(s->connection.session, &s->call);
	call_done(&s->call);
	s->call = (struct call){ 0 };
	s->asked = false;
	server_asks_end_call(&s->asks);
	if (c)
		c->end = end;
	*s->config.woken = true;
}

/* It did not take the question: its session is one that it forgot. */
static bool is_forgotten(const struct bridge_server *s)
{
	const struct error *f = &s->call.failure;

	return !s->connection.client.modern && f->kind == ERR_CONNECT &&
	       f->has_code && f->code == HTTP_NOT_FOUND;
}

/* Nothing went to it. */
static bool is_unreached(const struct error *f)
{
	switch (f->reason) {
	case WHY_NO_HOST:
	case WHY_NO_NAMESERVER:
	case WHY_NO_CONNECTION:
	case WHY_TLS:
	case WHY_TLS_SILENT:
		return true;
	default:
		return false;
	}
}

/* A task has begun by then. */
static bool is_unsent(const struct bridge_server *s)
{
	return !s->task.id &&
	       (is_forgotten(s) || is_unreached(&s->call.failure));
}

/* True: it asks its user first (2026-07-28), or err says what is wrong with it. */
static bool asks_more(const struct bridge_server *s, struct error *err)
{
	bool asks = false;

	if (!s->connection.client.modern)
		return false;
	return modern_judge(s->at->method, s->call.reply.result, false, &asks,
			    err) ||
	       asks;
}

/* Of an error whose JSON is broken there are words, and no reply. */
static bool has_reply(const struct call *c)
{
	return c->failure.kind == ERR_NONE ||
	       (c->failure.kind == ERR_PEER && c->reply.kind == MESSAGE_ERROR);
}

/* Its schema is another one by now: nothing was carried out. */
static bool is_mismatch(const struct error *f)
{
	return f->kind == ERR_PEER && f->code == MODERN_HEADER_MISMATCH;
}

/* True: the call goes again, once, behind a list. */
static bool wants_list(struct bridge_server *s, const struct error *f)
{
	if (!is_mismatch(f) || !s->connection.client.modern || s->again ||
	    s->asks.rounds.count)
		return false;
	s->wants_lists = s->lists + 1;
	return true;
}

/* Refused as one of the other era would refuse it: its tools are asked for. */
static void doubt(struct bridge_server *s, const struct error *f)
{
	struct client *c = &s->connection.client;

	if (!c->modern)
		return;
	if (is_mismatch(f))
		s->relist.stale = true;
	if (c->era.how == ERA_BY_OPTION || !era_may_be_other(f))
		return;
	c->era.kept = true;
	c->confirmed = false;
	s->relist.stale = true;
}

/* ms; 0 would be a time of its own. */
static int64_t time_left(const struct bridge_call *c)
{
	const int64_t left = c->deadline - loop_now();

	return left > 0 ? left : 1;
}

/* Up to 2025-11-25; it is answered when the task is over. */
static void await_task(struct bridge_server *s)
{
	struct client_request rq = { .method = "tasks/result",
				     .timeout = time_left(s->at) };
	CLEANUP(buf_done) struct buf params = { 0 };

	task_call_which(&s->task, &params);
	rq.params = buf_string(&params);
	call_done(&s->call);
	s->call = (struct call){ 0 };
	if (client_start(&s->connection.client, &s->call, &rq, &s->at->why))
		end_call(s, CALL_LOST);
}

static void take_answer(struct bridge_server *s)
{
	const struct error *f = &s->call.failure;
	struct error *why = &s->at->why;
	int begun;

	doubt(s, f);
	if (wants_list(s, f))
		return;
	if (f->kind == ERR_NONE && asks_more(s, why)) {
		if (why->kind != ERR_NONE ||
		    server_asks_begin_round(&s->asks, &s->call.reply, why))
			end_call(s, CALL_LOST);
		return;
	}
	begun = task_call_begun(&s->task, &s->call.reply, why);
	if (begun > 0) {
		await_task(s);
	} else if (begun < 0) {
		end_call(s, CALL_LOST);
	} else if (has_reply(&s->call)) {
		message_take(&s->at->reply, &s->call.reply);
		end_call(s, CALL_ANSWERED);
	} else {
		error_copy(why, f);
		end_call(s, is_unsent(s) ? CALL_UNSENT : CALL_LOST);
	}
}

static bool find_param(const struct bridge_call *c, const char *name,
		       struct span *found)
{
	const struct span params = { c->params, strlen(c->params) };

	return strcmp(c->method, "tools/call") == 0 &&
	       json_span_member(params, name, found);
}

static char *arguments_of(const struct bridge_call *c)
{
	struct span found;

	return find_param(c, "arguments", &found) ?
		       mem_strndup(found.text, found.len) :
		       NULL;
}

static char *tool_of(const struct bridge_call *c)
{
	struct span found;

	return find_param(c, "name", &found) ? json_span_string(found) : NULL;
}

/* As the server's SDK takes arguments: params, or what is made of them in *room. */
static const char *fit_params(struct bridge_server *s, const char *params,
			      const char *arguments, struct buf *room,
			      struct error *err)
{
	CLEANUP(buf_done) struct buf wrapped = { 0 };
	struct client *c = &s->connection.client;
	const char *tool = s->call.subject;

	if (!c->kwargs || !tool)
		return params;
	arguments = client_tool_arguments(c, tool, arguments ? arguments : "{}",
					  &wrapped, err);
	if (!arguments)
		return NULL;
	tool_call_params(room, tool, arguments);
	return buf_string(room);
}

static int send_call(struct bridge_server *s, const struct bridge_call *c,
		     const char *params, int64_t timeout, struct error *err)
{
	CLEANUP(mem_free_ptr) char *arguments = arguments_of(c);
	CLEANUP(buf_done) struct buf room = { 0 }, whole = { 0 };
	struct client_request rq = { .method = c->method,
				     .arguments = arguments,
				     .progress = c->progress != NULL,
				     .timeout = timeout > 0 ? timeout : 1 };

	server_asks_declare_now(&s->asks, &c->answers);
	s->connection.client.log_level = c->log_level;
	/* By it is known how it takes arguments, and which are headers, too. */
	mem_free(s->call.subject);
	s->call.subject = tool_of(c);
	rq.params = fit_params(s, params, arguments, &room, err);
	if (!rq.params)
		return -1;
	s->task.wanted =
		s->call.subject &&
		client_must_be_task(&s->connection.client, s->call.subject);
	rq.params = task_call_params(&s->task, rq.params, &whole);
	if (client_start(&s->connection.client, &s->call, &rq, err))
		return -1;
	s->token = s->call.id;
	return 0;
}

static void send_again(struct bridge_server *s, const char *params)
{
	struct bridge_call *c = s->at;

	call_done(&s->call);
	s->call = (struct call){ 0 };
	if (send_call(s, c, params, time_left(c), &c->why))
		end_call(s, CALL_LOST);
}

/* All is answered: the call is sent again, with the answers. */
static void go_on(struct bridge_server *s)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct bridge_call *c = s->at;

	if (server_asks_end_round(&s->asks, c->params, &params, &c->why))
		end_call(s, CALL_LOST);
	else
		send_again(s, buf_string(&params));
}

/* Its tools are listed: the headers are those of now. */
static void go_again(struct bridge_server *s)
{
	if (!s->at || !s->wants_lists || s->listing ||
	    s->lists < s->wants_lists)
		return;
	s->wants_lists = 0;
	s->again = true;
	send_again(s, s->at->params);
}

static void step_call(struct bridge_server *s)
{
	CLEANUP(error_reset) struct error why = { 0 };
	bool forgotten;

	if (s->at && s->asks.pauses && s->asks.rounds.answered)
		go_on(s);
	go_again(s);
	if (!s->asked || s->asks.pauses || s->wants_lists || !s->call.done)
		return;
	/* It was dropped. */
	if (!s->at) {
		end_call(s, CALL_OPEN);
		return;
	}
	forgotten = is_forgotten(s);
	error_copy(&why, &s->call.failure);
	take_answer(s);
	/* Without a connection of its own (HTTP) this is how its end shows. */
	if (why.kind == ERR_CONNECT)
		lose(s, &why, !forgotten);
	if (forgotten)
		s->again_at = 0;
}

static int server_start(void *owner, struct bridge_call *c, int64_t timeout,
			struct error *err)
{
	struct bridge_server *s = owner;

	if (s->asked)
		return error_set(err, ERR_CONNECT,
				 "a call that nobody waits for is under way");
	if (server_listens_take(&s->listens, c->method, c->params, c))
		return 0;
	if (send_call(s, c, c->params, timeout, err))
		return -1;
	s->asked = true;
	s->at = c;
	return 0;
}

/* Its server is told, where there is a way; what it answers goes nowhere. */
static void server_drop(void *owner, struct bridge_call *c)
{
	struct bridge_server *s = owner;

	server_listens_drop(&s->listens, c);
	if (s->at && s->connection.session && !s->call.done)
		session_cancel(s->connection.session, &s->call,
			       "nobody waits for it any more");
	server_asks_drop_round(&s->asks);
	s->at = NULL;
	end_call(s, CALL_OPEN);
}

/* ---- what it is asked beside calls ---- */

static void server_beside(void *owner, const char *method, const char *params)
{
	struct bridge_server *s = owner;

	*s->config.woken = true;
	if (s->up && server_listens_take(&s->listens, method, params, NULL))
		return;
	if (!s->up || s->methods.count >= BESIDE_MAX)
		return;
	words_add(&s->methods, method);
	words_add(&s->params, params);
}

static void end_beside(struct bridge_server *s)
{
	if (s->besides && s->connection.session)
		session_forget(s->connection.session, &s->beside);
	call_done(&s->beside);
	s->beside = (struct call){ 0 };
	s->besides = false;
}

static void take_word(struct words *w)
{
	mem_free(w->word[0]);
	memmove(w->word, w->word + 1, w->count * sizeof(*w->word));
	w->count--;
}

static void begin_beside(struct bridge_server *s, const char *method,
			 const char *params)
{
	const struct client_request rq = { .method = method,
					   .params = *params ? params : NULL };
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (text_starts(method, "notifications/"))
		session_notify(s->connection.session, method, rq.params,
			       &ignored);
	else
		s->besides = client_start(&s->connection.client, &s->beside,
					  &rq, &ignored) == 0;
}

static void step_beside(struct bridge_server *s)
{
	if (s->besides && s->beside.done)
		end_beside(s);
	while (s->up && !s->besides && s->methods.count) {
		begin_beside(s, s->methods.word[0], s->params.word[0]);
		take_word(&s->methods);
		take_word(&s->params);
	}
}

static void forget_beside(struct bridge_server *s)
{
	end_beside(s);
	words_done(&s->methods);
	words_done(&s->params);
}

static bool on_request(void *owner, const struct event *e)
{
	struct bridge_server *s = owner;

	return server_asks_hear(&s->asks, e);
}

static void server_answer(void *owner, const char *id, const char *result,
			  int code, const char *words)
{
	struct bridge_server *s = owner;

	server_asks_answer(&s->asks, id, result, code, words);
}

static const struct peer_kind server_kind = { .start = server_start,
					      .drop = server_drop,
					      .answer = server_answer,
					      .beside = server_beside };

/* ---- it comes and goes ---- */

static bool is_notice(const struct event *e, const char *method)
{
	return e->kind == EVENT_NOTIFICATION && text_equal(e->name, method);
}

/* Some give it back as a text. */
static bool is_own_token(const struct bridge_server *s, const cJSON *params)
{
	const char *text = json_string(params, "progressToken");
	int64_t token;

	return (text ? text_integer(text, 0, INT32_MAX, &token) :
		       json_integer(params, "progressToken", &token)) == 0 &&
	       token == s->token;
}

static void hear_progress(struct bridge_server *s, const struct event *e)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = e->text ? json_parse(e->text, e->len, NULL) : NULL;
	const cJSON *params = json_object(tree, "params");
	const struct bridge_call *c = s->at;

	if (c && c->progress && !c->abandoned && is_own_token(s, params))
		c->progress(c->owner, params);
}

/* What hosts are told, too. */
static const char *const passed_on[] = {
	"notifications/message",
	"notifications/resources/updated",
	"notifications/resources/list_changed",
	"notifications/prompts/list_changed",
	"notifications/elicitation/complete",
};

static void pass_on(struct bridge_server *s, const struct event *e)
{
	const struct peer_hearer *h = s->config.hearer;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	for (size_t i = 0; i < COUNT(passed_on); i++) {
		if (!h || !h->said || !e->text || !is_notice(e, passed_on[i]))
			continue;
		tree = json_parse(e->text, e->len, NULL);
		h->said(h->owner, &s->peer, passed_on[i],
			json_object(tree, "params"));
		return;
	}
}

static void on_event(void *owner, const struct event *e)
{
	struct bridge_server *s = owner;

	pass_on(s, e);
	if (is_notice(e, "notifications/cancelled"))
		server_asks_hear_withdrawn(&s->asks, e);
	if (is_notice(e, "notifications/tools/list_changed"))
		s->relist.stale = true;
	else if (is_notice(e, "notifications/progress"))
		hear_progress(s, e);
	else if (e->kind == EVENT_ODD)
		connection_aside(&s->connection, e);
}

static void hang_up(struct bridge_server *s)
{
	server_asks_forget(&s->asks);
	server_listens_end(&s->listens);
	forget_beside(s);
	if (s->listing)
		end_listing(s);
	connection_close(&s->connection);
	s->up = false;
}

static void lose(struct bridge_server *s, const struct error *why, bool told)
{
	bool was_up = s->up;
	CLEANUP(mem_free_ptr) char *line = error_line(why);

	if (s->asked && s->at) {
		if (s->at->why.kind == ERR_NONE)
			error_copy(&s->at->why, why);
		end_call(s, s->wants_lists ? CALL_UNSENT : CALL_LOST);
	} else if (s->asked) {
		end_call(s, CALL_OPEN);
	}
	if (told && tell(s, line))
		tell_detail(s, why->detail);
	hang_up(s);
	if (was_up && loop_now() - s->up_at >= LIVED_MS)
		s->pause = 0;
	s->pause = pause_longer(s->pause, PAUSE_MIN_MS, PAUSE_MAX_MS);
	s->lost_at = loop_now();
	s->again_at = s->lost_at + s->pause;
	s->tried = true;
	bridge_peer_away(&s->peer, LACKS_START, why->text);
}

static unsigned offers_of(const struct client *c)
{
	unsigned offers = 0;

	if (client_is_silent(c))
		return 0;
	if (client_offers(c, "resources"))
		offers |= OFFERS_RESOURCES;
	if (client_offers(c, "prompts"))
		offers |= OFFERS_PROMPTS;
	if (client_offers(c, "completions"))
		offers |= OFFERS_COMPLETION;
	if (json_true(json_object(c->capabilities, "resources"), "subscribe"))
		offers |= OFFERS_UPDATES;
	/* From 2026-07-28 on each request says what it wants. */
	if (!c->modern && client_offers(c, "logging"))
		offers |= OFFERS_LOGGING;
	return offers;
}

static void came_up(struct bridge_server *s)
{
	const struct client *c = &s->connection.client;
	const struct peer_hearer *h = s->config.hearer;
	CLEANUP(mem_free_ptr)
	char *about =
		c->server_name ?
			mem_printf("%s %s", c->server_name,
				   c->server_version ? c->server_version : "") :
			NULL;

	s->up = s->tried = true;
	s->up_at = loop_now();
	s->peer.device = c->device;
	s->peer.offers = offers_of(c);
	mem_free(TAKE(s->told));
	bridge_peer_name(&s->peer, NULL, about);
	bridge_peer_state(&s->peer, PEER_READY, NULL);
	/* A call may begin before they are listed. */
	if (s->peer.list)
		client_know_tools(&s->connection.client, &s->peer.list->tools);
	begin_listing(s);
	server_listens_begin(&s->listens);
	if (h && h->came)
		h->came(h->owner, &s->peer);
}

static int begin(struct bridge_server *s, struct error *err)
{
	struct put_aside was;
	int status;

	server_asks_declare(&s->asks);
	aim(s, &was);
	status = connection_begin(&s->connection, err);
	aim_back(s, &was);
	if (status)
		return status;
	if (endpoint_has(&s->connection.endpoint, SCHEME_WAITS))
		bridge_peer_away(&s->peer, LACKS_WAKING, NULL);
	else
		bridge_peer_state(&s->peer, PEER_COMING, NULL);
	return 0;
}

static int poll(struct bridge_server *s, int64_t *next, struct error *err)
{
	struct connection *c = &s->connection;
	struct put_aside was;
	int status;

	aim(s, &was);
	*next = session_tend(c->session);
	status = connection_poll(c, err);
	aim_back(s, &was);
	if (status > 0 && !s->up)
		came_up(s);
	if (status > 0 && session_is_over(c->session)) {
		session_watch(c->session, NULL, 0, err);
		if (err->kind == ERR_NONE)
			error_set(err, ERR_CONNECT, "the connection ended");
		return -1;
	}
	if (status == 0 && client_poll_at(&c->client) < *next)
		*next = client_poll_at(&c->client);
	return status;
}

/* Nothing would be lost if its session began anew. */
static bool is_idle(const struct bridge_server *s)
{
	return !s->listing && !s->asked && !s->peer.current;
}

static int64_t dial_at(const struct bridge_server *s)
{
	int64_t soon = s->lost_at + WANTED_MS;

	if (server_asks_waits(&s->asks))
		return s->asks.meet_at;
	return s->peer.waiting && soon < s->again_at ? soon : s->again_at;
}

/* Its session begins anew, since what it may ask is told at the beginning. */
static void renew(struct bridge_server *s)
{
	hang_up(s);
	s->lost_at = s->again_at = loop_now();
	bridge_peer_state(&s->peer, PEER_COMING, NULL);
	*s->config.woken = true;
}

static int64_t list_due(const struct bridge_server *s)
{
	const int64_t soon = relist_at(&s->relist);

	return soon < s->list_at ? soon : s->list_at;
}

static void list_again(struct bridge_server *s, int64_t *next)
{
	if (!s->up || s->listing)
		return;
	if (loop_now() >= list_due(s))
		begin_listing(s);
	else if (list_due(s) < *next)
		*next = list_due(s);
}

int64_t bridge_server_tend(struct bridge_server *s)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t next = LOOP_FOREVER, due;

	if (!s->connection.session && loop_now() >= dial_at(s) &&
	    begin(s, &why))
		lose(s, &why, true);
	if (s->connection.session && poll(s, &next, &why) < 0)
		lose(s, &why, true);
	step_listing(s);
	step_call(s);
	step_beside(s);
	if (s->up) {
		due = server_listens_tend(&s->listens);
		next = due < next ? due : next;
	}
	if (s->up && is_idle(s) && server_asks_should_know(&s->asks))
		renew(s);
	list_again(s, &next);
	if (!s->connection.session)
		next = dial_at(s);
	due = bridge_peer_tend(&s->peer);
	return due < next ? due : next;
}

/* ---- all of it ---- */

static void read_kept(struct bridge_server *s)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct schema_cache kept;
	struct tool_list tools = { 0 };

	if (schema_cache_open(&kept, s->key, &ignored))
		return;
	if (schema_cache_tools(&tools, &kept))
		tool_list_done(&tools);
	else
		take_tools(s, &tools);
	schema_cache_close(&kept);
}

struct bridge_server *bridge_server_open(const struct server_config *config)
{
	struct bridge_server *s = mem_zalloc(sizeof(*s));

	s->config = *config;
	s->key = target_key(config->target, NULL);
	s->peer = (struct bridge_peer){ .kind = &server_kind,
					.owner = s,
					.prefix = bridge_peer_prefix(s->key),
					.id = mem_strdup(s->key),
					.interval = config->interval,
					.lacks = LACKS_START,
					.changed = config->changed,
					.woken = config->woken };
	s->connection = (struct connection){ .app = config->app,
					     .woken = config->woken,
					     .goes_on = true,
					     .again = true,
					     .on_event = on_event,
					     .on_request = on_request,
					     .on_event_owner = s };
	s->connection.whose = s->peer.prefix;
	s->asks = (struct server_asks){ .peer = &s->peer,
					.connection = &s->connection,
					.hearer = config->hearer,
					.told = config->told,
					.owner = config->owner,
					.woken = config->woken,
					.meet_at = loop_now() + MEET_MS };
	s->listens = (struct server_listens){ .connection = &s->connection,
					      .stale = &s->relist.stale };
	if (config->keep)
		read_kept(s);
	return s;
}

struct bridge_peer *bridge_server_peer(struct bridge_server *s)
{
	return &s->peer;
}

void bridge_server_refresh(struct bridge_server *s)
{
	s->relist.stale = true;
	s->again_at = 0;
}

bool bridge_server_settled(const struct bridge_server *s)
{
	return s->up ? s->listed && !s->listing : s->tried;
}

void bridge_server_close(struct bridge_server *s)
{
	if (!s)
		return;
	if (s->listing)
		end_listing(s);
	server_listens_end(&s->listens);
	server_drop(s, NULL);
	forget_beside(s);
	/* Its end is told under the name of the peer. */
	connection_done(&s->connection);
	bridge_peer_done(&s->peer);
	mem_free(s->key);
	mem_free(s->told);
	mem_free(s);
}
