/* SPDX-License-Identifier: MIT */
#include "bridge/server_listens.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/pause.h"
#include "base/text.h"
#include "mcp/client_start.h"
#include "mcp/watching.h"
#include "rpc/session_calls.h"

enum {
	AGAIN_MS = 1000, /* before it is asked anew; doubled each time */
	AGAIN_MOST_MS = 30000,
	URIS_MAX = 1024
};

/* ---- one subscription ---- */

static void hang_up(struct server_listens *l)
{
	struct session *of = l->connection->session;

	if (l->open && of) {
		if (!l->call.done && l->call.id && session_is_open(of))
			session_cancel(of, &l->call, "not wanted any more");
		session_forget(of, &l->call);
	}
	call_done(&l->call);
	l->call = (struct call){ .lasts = true };
	l->open = false;
}

static void ask(struct server_listens *l)
{
	struct client *c = &l->connection->client;
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct client_request rq = { .method = "subscriptions/listen" };

	hang_up(l);
	l->due = false;
	if (!client_watch_filter(c, true, &l->uris, &params))
		return;
	rq.params = buf_string(&params);
	l->open = client_start_modern(c, &l->call, &rq, c->era.revision,
				      &ignored) == 0;
	if (!l->open)
		l->again_at = loop_now() + AGAIN_MS;
}

/* ---- a host that waits for it ---- */

static void answer(struct server_listens *l, bool honoured)
{
	struct bridge_call *c = TAKE(l->asked);
	CLEANUP(mem_free_ptr) char *uri = TAKE(l->uri);
	CLEANUP(buf_done) struct buf text = { 0 }, words = { 0 };

	if (!c)
		return;
	buf_printf(&words, "the server does not tell of changes of '%.200s'",
		   uri);
	buf_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":null,");
	if (honoured) {
		buf_text(&text, "\"result\":{}}");
	} else {
		buf_printf(&text, "\"error\":{\"code\":%d,\"message\":",
			   JSONRPC_INVALID_PARAMS);
		buf_json_string(&text, words.data, words.len);
		buf_text(&text, "}}");
		words_drop(&l->uris, uri);
	}
	c->end = message_decode(&c->reply, text.data, text.len, &c->why) ?
			 CALL_LOST :
			 CALL_ANSWERED;
}

static char *uri_of(const char *params)
{
	struct span uri;

	return json_span_member((struct span){ params, strlen(params) }, "uri",
				&uri) ?
		       json_span_string(uri) :
		       NULL;
}

bool server_listens_take(struct server_listens *l, const char *method,
			 const char *params, struct bridge_call *c)
{
	const bool ends = strcmp(method, "resources/unsubscribe") == 0;
	CLEANUP(mem_free_ptr) char *uri = NULL;

	if (!l->connection->client.modern ||
	    (!ends && strcmp(method, "resources/subscribe") != 0))
		return false;
	uri = uri_of(params);
	if (uri && ends)
		words_drop(&l->uris, uri);
	else if (uri && !words_has(&l->uris, uri) && l->uris.count < URIS_MAX)
		words_add(&l->uris, uri);
	l->due = true;
	if (c) { /* the one that waits goes on waiting, if nobody waits for this */
		l->asked = c;
		mem_free(l->uri);
		l->uri = uri ? TAKE(uri) : mem_strdup("");
	}
	return true;
}

void server_listens_drop(struct server_listens *l, const struct bridge_call *c)
{
	if (l->asked == c)
		l->asked = NULL;
}

/* ---- its life ---- */

void server_listens_begin(struct server_listens *l)
{
	l->call = (struct call){ .lasts = true };
	l->due = l->connection->client.modern;
	l->refused = l->missed = false;
	l->pause = l->again_at = 0;
}

void server_listens_end(struct server_listens *l)
{
	struct bridge_call *c = TAKE(l->asked);

	if (c) {
		if (c->why.kind == ERR_NONE)
			error_set(&c->why, ERR_CONNECT, "its connection ended");
		c->end = CALL_LOST;
	}
	hang_up(l);
	words_done(&l->uris);
	mem_free(TAKE(l->uri));
	l->due = false;
	l->again_at = 0;
}

/* It ended: by itself, with its way, or since the server refuses it. */
static void look_after(struct server_listens *l)
{
	const struct error *why = &l->call.failure;
	const bool refused = why->kind == ERR_PEER && !l->call.first;
	/* Perhaps for that resource alone: it is asked for the rest. */
	const bool rest =
		refused && l->asked && why->code != JSONRPC_METHOD_NOT_FOUND;

	l->refused = refused && !rest;
	l->missed = true;
	if (l->call.first)
		l->pause = 0;
	hang_up(l);
	l->pause = pause_longer(l->pause, AGAIN_MS, AGAIN_MOST_MS);
	l->again_at = loop_now() + (rest ? 0 : l->pause);
	if (rest)
		answer(l, false);
}

/* It stands: what hosts wait for is known, and what was missed is looked up. */
static void acknowledged(struct server_listens *l)
{
	if (l->missed)
		*l->stale = true;
	l->missed = false;
	if (l->asked)
		answer(l, client_watch_honours(&l->call, l->uri));
}

int64_t server_listens_tend(struct server_listens *l)
{
	/* What it is to be told of may be another thing by now. */
	if (l->open && l->call.first && !l->due)
		acknowledged(l);
	if (l->open && l->call.done)
		look_after(l);
	if (l->refused) {
		answer(l, false);
		return LOOP_FOREVER;
	}
	if (l->due || (l->again_at && loop_now() >= l->again_at)) {
		l->again_at = 0;
		ask(l);
		/* There is nothing that it could tell. */
		if (!l->open && !l->again_at)
			answer(l, false);
	}
	return l->again_at ? l->again_at : LOOP_FOREVER;
}
