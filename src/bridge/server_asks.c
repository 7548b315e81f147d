/* SPDX-License-Identifier: MIT */
#include "bridge/server_asks.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/unanswered.h"
#include "rpc/session_calls.h"

#define METHOD_SHOWN 60 /* bytes */

/* ---- by requests ---- */

static bool is_question(const char *method)
{
	return text_equal(method, "elicitation/create") ||
	       text_equal(method, "sampling/createMessage") ||
	       text_equal(method, "roots/list");
}

static bool is_declared(const struct client_answers *a, const char *method)
{
	if (text_equal(method, "roots/list"))
		return a->roots;
	if (text_equal(method, "sampling/createMessage"))
		return a->sampling;
	return a->elicit_form || a->elicit_url;
}

/* A round's method is any text of the server's. */
static int cut(const char *method)
{
	return text_shown(method, METHOD_SHOWN);
}

static void tell_refused(const struct server_asks *a, const char *method,
			 const char *why)
{
	CLEANUP(mem_free_ptr)
	char *line =
		mem_printf("%s asks %.*s, and is told that nobody answers: %s",
			   a->peer->prefix, cut(method), method, why);

	a->told(a->owner, line);
}

/* As it was told it may ask, or not. */
static void refuse(const struct server_asks *a, const struct peer_question *q,
		   const char *why)
{
	const struct unanswered u = unanswered_find(q->method);
	struct session *of = a->connection->session;
	CLEANUP(error_reset) struct error ignored = { 0 };

	tell_refused(a, q->method, why);
	if (!is_declared(&a->declared, q->method))
		session_refuse(of, q->id, JSONRPC_METHOD_NOT_FOUND, why,
			       &ignored);
	else if (u.result)
		session_answer(of, q->id, u.result, &ignored);
	else
		session_refuse(of, q->id, u.code, why, &ignored);
}

static void hold(struct server_asks *a)
{
	if (a->open++ == 0)
		session_hold(a->connection->session, true);
	bridge_peer_hold(a->peer, true);
}

static void release(struct server_asks *a)
{
	if (--a->open)
		return;
	session_hold(a->connection->session, false);
	bridge_peer_hold(a->peer, false);
}

/* Why nobody is asked, static; NULL: peer_kind.answer comes. */
static const char *ask(struct server_asks *a, const struct peer_question *q)
{
	const struct peer_hearer *h = a->hearer;

	return h && h->ask ? h->ask(h->owner, a->peer, q) : "no host is there";
}

/* The raw token; yours. */
static char *question_id(const struct event *e)
{
	struct span token;

	if (!e->text ||
	    !json_span_member((struct span){ e->text, e->len }, "id", &token))
		return NULL;
	return mem_strndup(token.text, token.len);
}

bool server_asks_hear(struct server_asks *a, const struct event *e)
{
	struct peer_question q = { .method = e->name };
	CLEANUP(mem_free_ptr) char *id = question_id(e);
	const char *why;

	if (a->connection->client.device || !is_question(e->name) || !id)
		return false;
	q.id = id;
	json_span_member((struct span){ e->text, e->len }, "params", &q.params);
	why = ask(a, &q);
	if (why)
		refuse(a, &q, why);
	else
		hold(a);
	return true;
}

void server_asks_hear_withdrawn(struct server_asks *a, const struct event *e)
{
	const struct peer_hearer *h = a->hearer;
	const struct span whole = { e->text, e->len };
	struct span params, id;

	if (h && h->withdrawn && e->text &&
	    json_span_member(whole, "params", &params) &&
	    json_span_member(params, "requestId", &id))
		h->withdrawn(h->owner, a->peer, id);
}

/* True: it is a question of a round. */
static bool answer_round(struct server_asks *a, const char *key,
			 const char *result, const char *words)
{
	if (!a->pauses)
		return false;
	for (size_t i = 0; i < a->rounds.asks; i++) {
		struct round_ask *one = &a->rounds.ask[i];

		if (one->done || !text_equal(one->key, key))
			continue;
		if (result)
			round_answer(one, result);
		else
			round_refuse(one, words ? words : "it was withdrawn");
		*a->woken = true;
		return true;
	}
	return true;
}

void server_asks_answer(struct server_asks *a, const char *id,
			const char *result, int code, const char *words)
{
	struct session *of = a->connection->session;
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (!of || !a->open)
		return;
	if (answer_round(a, id, result, words))
		; /* goes with the rest */
	else if (result)
		session_answer(of, id, result, &ignored);
	else if (words)
		session_refuse(of, id, code, words, &ignored);
	release(a);
}

void server_asks_forget(struct server_asks *a)
{
	const struct peer_hearer *h = a->hearer;

	if (a->open && h && h->withdrawn)
		h->withdrawn(h->owner, a->peer, (struct span){ 0 });
	a->open = 0;
	a->pauses = false;
	bridge_peer_hold(a->peer, false);
}

/* ---- in rounds ---- */

static void ask_round(struct server_asks *a, struct round_ask *one)
{
	const struct peer_question q = {
		one->key,
		one->method,
		{ one->params, one->params ? strlen(one->params) : 0 }
	};
	const char *why = is_question(one->method) ? ask(a, &q) :
						     "nobody knows that method";

	if (!why) {
		hold(a);
		return;
	}
	tell_refused(a, one->method, why);
	round_refuse(one, why);
}

int server_asks_begin_round(struct server_asks *a, const struct message *reply,
			    struct error *err)
{
	if (rounds_take(&a->rounds, reply, err))
		return -1;
	if (!a->rounds.asks)
		return error_set(
			err, ERR_UNMET,
			"it wants to be asked again later, which the bridge does not do");
	a->pauses = true;
	for (size_t i = 0; i < a->rounds.asks; i++)
		ask_round(a, &a->rounds.ask[i]);
	*a->woken = true;
	return 0;
}

void server_asks_drop_round(struct server_asks *a)
{
	const struct peer_hearer *h = a->hearer;

	for (size_t i = 0; a->pauses && i < a->rounds.asks; i++) {
		const struct round_ask *one = &a->rounds.ask[i];

		if (!one->done && h && h->withdrawn)
			h->withdrawn(
				h->owner, a->peer,
				(struct span){ one->key, strlen(one->key) });
	}
	a->pauses = false;
}

int server_asks_end_round(struct server_asks *a, const char *params,
			  struct buf *out, struct error *err)
{
	const struct round_ask *refused = rounds_refused(&a->rounds);

	a->pauses = false;
	if (refused)
		return error_set(
			err, ERR_UNMET,
			"what it asks its user ('%.*s') was not answered: %s",
			cut(refused->method), refused->method,
			refused->refused);
	rounds_params(out, params, &a->rounds);
	return 0;
}

void server_asks_end_call(struct server_asks *a)
{
	rounds_done(&a->rounds);
	a->rounds = (struct rounds){ 0 };
}

/* ---- what it may ask ---- */

static const struct client_answers *answers_of(const struct server_asks *a)
{
	const struct peer_hearer *h = a->hearer;

	return h && h->answers ? h->answers(h->owner) : NULL;
}

bool server_asks_waits(const struct server_asks *a)
{
	const struct peer_hearer *h = a->hearer;

	return h && h->answers && loop_now() < a->meet_at && !answers_of(a);
}

bool server_asks_should_know(const struct server_asks *a)
{
	const struct client_answers *now = answers_of(a), *was = &a->declared;

	if (!now || a->open || a->connection->client.modern || a->peer->device)
		return false;
	return (now->roots && !was->roots) ||
	       (now->sampling && !was->sampling) ||
	       (now->elicit_form && !was->elicit_form) ||
	       (now->elicit_url && !was->elicit_url);
}

void server_asks_declare(struct server_asks *a)
{
	const struct client_answers *now = answers_of(a);

	if (now) {
		a->declared.roots |= now->roots;
		a->declared.sampling |= now->sampling;
		a->declared.elicit_form |= now->elicit_form;
		a->declared.elicit_url |= now->elicit_url;
	}
	a->connection->answers = a->declared;
}

void server_asks_declare_now(const struct server_asks *a,
			     const struct client_answers *now)
{
	const struct client *c = &a->connection->client;

	if (c->modern && c->config)
		c->config->answers = *now;
}
