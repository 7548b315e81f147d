/* SPDX-License-Identifier: MIT */
/*
 * What servers ask their client (elicitation, sampling, roots): passed on to the
 * host, where it is the only one and answers such things; its answers back. They
 * come from the loop, and are passed on by the main line.
 */
#include "bridge/host_asked.h"

#include <inttypes.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "bridge/host_reply.h"
#include "bridge/host_rounds.h"

enum {
	ASKED_MAX = 64, /* open ones */
	WORDS_MAX = 500 /* bytes of an error of the host's */
};
#define ASKED_BYTES ((size_t)4 << 20) /* of one question */

struct host_asked {
	struct host_asked *next;
	struct host_client *client; /* NULL: it went away */
	struct bridge_peer *peer;
	char *id; /* as the server has it: the raw token */
	int64_t number; /* as the host has it */
	int64_t until; /* loop_now() ms */
	bool given_up; /* the host is to be told so */
	bool over; /* what follows is the answer */
	char *result; /* JSON text; NULL: an error */
	int code;
	char *words;
};

static void release(struct host_asked *a)
{
	mem_free(a->id);
	mem_free(a->result);
	mem_free(a->words);
	mem_free(a);
}

/* ---- who answers ---- */

/* The only host; NULL: there is none, or more than one. */
static struct host_client *sole_host(const struct bridge_host *h)
{
	struct host_client *found = NULL;

	for (struct host_client *c = h->clients; c; c = c->next) {
		if (!c->revision)
			continue;
		if (found)
			return NULL;
		found = c;
	}
	return found;
}

static bool has_host(const struct bridge_host *h)
{
	for (const struct host_client *c = h->clients; c; c = c->next) {
		if (c->revision)
			return true;
	}
	return false;
}

struct host_part *host_part_of(const struct bridge_host *h,
			       const struct bridge_peer *p)
{
	const struct bridge_call *c = p->current;
	struct host_part *part = c && !c->abandoned ? c->asker : NULL;

	return part && part->question->client->host == h ? part : NULL;
}

static bool answers_it(const struct client_answers *a, const char *method,
		       struct span params)
{
	struct span mode;

	if (strcmp(method, "roots/list") == 0)
		return a->roots;
	if (strcmp(method, "sampling/createMessage") == 0)
		return a->sampling;
	return params.text && json_span_member(params, "mode", &mode) &&
			       json_span_is(mode, "url") ?
		       a->elicit_url :
		       a->elicit_form;
}

static struct client_answers read_answers(const cJSON *capabilities)
{
	const cJSON *elicit = json_object(capabilities, "elicitation");
	const bool url = json_object(elicit, "url") != NULL;

	return (struct client_answers){
		.roots = json_object(capabilities, "roots"),
		.sampling = json_object(capabilities, "sampling"),
		/* Without members it means forms. */
		.elicit_form = elicit && (json_object(elicit, "form") || !url),
		.elicit_url = url,
	};
}

static void add_answers(struct client_answers *to,
			const struct client_answers *a)
{
	to->roots |= a->roots;
	to->sampling |= a->sampling;
	to->elicit_form |= a->elicit_form;
	to->elicit_url |= a->elicit_url;
}

void host_take_answers(struct host_client *c, const cJSON *capabilities)
{
	c->answers = read_answers(capabilities);
	c->host->bridge->woken = true;
}

void host_declares(struct host_part *p, const cJSON *capabilities)
{
	struct bridge_host *h = p->question->client->host;

	p->answers = read_answers(capabilities);
	add_answers(&h->declared, &p->answers);
	h->bridge->woken = true;
}

/* The host that answers whatever servers ask, whenever they do; NULL. */
static const struct host_client *ready_host(const struct bridge_host *h)
{
	return h->bridge->options->mcp_mqtt ? NULL : sole_host(h);
}

struct client_answers host_answers(const struct host_part *p)
{
	const struct host_client *c = p->question->client;

	if (p->modern)
		return p->answers;
	return ready_host(c->host) == c ? c->answers :
					  (struct client_answers){ 0 };
}

/* Hosts of 2026-07-28 are asked in the midst of their own calls, each by itself. */
static const struct client_answers *answers(void *owner)
{
	struct bridge_host *h = owner;
	const struct host_client *c = ready_host(h);

	if (!has_host(h) && !h->met)
		return NULL;
	h->answers = h->declared;
	if (c)
		add_answers(&h->answers, &c->answers);
	return &h->answers;
}

/* ---- it asks ---- */

static const char no_answers[] = "the host does not answer such questions";

static size_t count_open(const struct bridge_host *h)
{
	size_t count = host_rounds_open(h);

	for (const struct host_asked *a = h->asked; a; a = a->next)
		count++;
	return count;
}

/* Why it is not passed on; NULL: it is, to *out. */
static const char *why_not(const struct bridge_host *h,
			   const struct bridge_peer *p,
			   const struct peer_question *q,
			   struct host_client **out)
{
	const struct host_part *part = host_part_of(h, p);

	*out = sole_host(h);
	if (!has_host(h))
		return "no host is connected that could answer";
	if (!*out || h->bridge->options->mcp_mqtt)
		return "more than one host may be meant, and nobody knows which";
	if (part && part->question->client != *out)
		return "the host whose call this is cannot be asked";
	return answers_it(&(*out)->answers, q->method, q->params) ? NULL :
								    no_answers;
}

static bool tell(const struct bridge_host *h, const struct host_client *c,
		 const struct bridge_peer *p, const struct buf *text)
{
	const struct host_part *part = host_part_of(h, p);

	if (part && host_tell(part, text->data, text->len))
		return true;
	return c->reach && c->reach(c->reach_owner, text->data, text->len);
}

static void log_asked(const struct bridge_host *h, const struct bridge_peer *p,
		      const char *method, const char *who)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s asks %s: passed on to %s", p->prefix,
				method, who ? who : "the host");

	bridge_tell(h->bridge, line);
}

static const char *ask_amid(struct bridge_host *h, struct host_part *part,
			    struct bridge_peer *p,
			    const struct peer_question *q)
{
	const char *why = answers_it(&part->answers, q->method, q->params) ?
				  host_rounds_ask(part, p, q) :
				  no_answers;

	if (!why)
		log_asked(h, p, q->method, part->who);
	return why;
}

/* By URL it has an id up to 2025-11-25, and none later. */
static bool lacks_id(const struct peer_question *q)
{
	struct span member;

	return strcmp(q->method, "elicitation/create") == 0 && q->params.len &&
	       *q->params.text == '{' &&
	       json_span_member(q->params, "mode", &member) &&
	       json_span_is(member, "url") &&
	       !json_span_member(q->params, "elicitationId", &member);
}

static void add_params(struct buf *out, const struct peer_question *q)
{
	char id[RANDOM_HEX_SIZE];

	if (!q->params.text)
		return;
	buf_text(out, ",\"params\":");
	if (!lacks_id(q)) {
		buf_add(out, q->params.text, q->params.len);
		return;
	}
	random_hex(id);
	/* It has a member, its mode. */
	buf_printf(out, "{\"elicitationId\":\"%s\",", id);
	buf_add(out, q->params.text + 1, q->params.len - 1);
}

static const char *ask_session(struct bridge_host *h, struct bridge_peer *p,
			       const struct peer_question *q)
{
	struct host_client *c;
	const char *why = why_not(h, p, q, &c);
	CLEANUP(buf_done) struct buf text = { 0 };
	struct host_asked *a;

	if (why)
		return why;
	buf_printf(&text,
		   "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"%s\"",
		   ++h->asked_last, q->method);
	add_params(&text, q);
	buf_char(&text, '}');
	if (!tell(h, c, p, &text))
		return "there is no way to ask the host";
	a = mem_zalloc(sizeof(*a));
	a->next = h->asked;
	a->client = c;
	a->peer = p;
	a->id = mem_strdup(q->id);
	a->number = h->asked_last;
	a->until = loop_now() + host_patience(h);
	h->asked = a;
	log_asked(h, p, q->method, c->who);
	return NULL;
}

static const char *ask(void *owner, struct bridge_peer *p,
		       const struct peer_question *q)
{
	struct bridge_host *h = owner;
	struct host_part *part = host_part_of(h, p);

	if (q->params.len > ASKED_BYTES)
		return "the question is too long";
	if (count_open(h) >= ASKED_MAX)
		return "too many questions are open";
	return part && part->modern ? ask_amid(h, part, p, q) :
				      ask_session(h, p, q);
}

/* ---- the answer ---- */

static void end_asked(struct host_asked *a, struct bridge_host *h,
		      const char *words)
{
	a->over = true;
	a->code = JSONRPC_INTERNAL_ERROR;
	a->words = mem_strdup(words);
	h->bridge->woken = true;
}

static void take_error(struct host_asked *a, const cJSON *error)
{
	const char *words = json_string(error, "message");
	CLEANUP(buf_done) struct buf cut = { 0 };

	if (!words)
		words = "the host told an error without words";
	buf_add_cut(&cut, words, strlen(words), WORDS_MAX);
	a->code = member_int(error, "code");
	if (!a->code)
		a->code = JSONRPC_INTERNAL_ERROR;
	a->words = buf_take(&cut);
}

void host_answer(struct host_client *c, const cJSON *message, struct span text)
{
	struct bridge_host *h = c->host;
	struct span result;
	int64_t number;

	if (json_integer(message, "id", &number))
		return;
	for (struct host_asked *a = h->asked; a; a = a->next) {
		if (a->number != number || a->client != c || a->over)
			continue;
		a->over = true;
		if (!json_member(message, "error") &&
		    json_span_member(text, "result", &result))
			a->result = mem_strndup(result.text, result.len);
		else
			take_error(a, json_object(message, "error"));
		h->bridge->woken = true;
		return;
	}
}

void host_asked_forget(struct host_client *c)
{
	for (struct host_asked *a = c->host->asked; a; a = a->next) {
		if (a->client != c)
			continue;
		a->client = NULL;
		if (!a->over)
			end_asked(a, c->host, "the host went away");
	}
}

void host_asked_give_up(struct bridge_host *h, const struct bridge_call *c)
{
	/* One that waits has not led to any question. */
	if (c->peer->current != c)
		return;
	for (struct host_asked *a = h->asked; a; a = a->next) {
		if (a->peer != c->peer || a->over)
			continue;
		a->given_up = true;
		end_asked(a, h, "the host gave up the call");
	}
}

/* The host need not answer. */
static void cancel(const struct bridge_host *h, const struct host_asked *a,
		   const char *reason)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!a->client)
		return;
	buf_printf(
		&text,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%" PRId64
		",\"reason\":\"%s\"}}",
		a->number, reason);
	tell(h, a->client, a->peer, &text);
}

static void withdrawn(void *owner, struct bridge_peer *p, struct span id)
{
	struct bridge_host *h = owner;
	struct host_asked **at = &h->asked;

	host_rounds_withdrawn(h, p, id);
	while (*at) {
		struct host_asked *a = *at;

		if (a->peer != p ||
		    (id.text && (strlen(a->id) != id.len ||
				 memcmp(a->id, id.text, id.len) != 0))) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		if (!a->over)
			cancel(h, a, "its server does not wait any more");
		if (id.text)
			p->kind->answer(p->owner, a->id, NULL, 0, NULL);
		release(a);
	}
}

int64_t host_asked_tend(struct bridge_host *h)
{
	struct host_asked **at = &h->asked;
	int64_t next = LOOP_FOREVER;

	while (*at) {
		struct host_asked *a = *at;

		if (!a->over && loop_now() >= a->until) {
			cancel(h, a, "it took too long");
			end_asked(a, h, "the host did not answer in time");
		}
		if (!a->over) {
			next = a->until < next ? a->until : next;
			at = &a->next;
			continue;
		}
		if (a->given_up)
			cancel(h, a, "its call was given up");
		*at = a->next;
		a->peer->kind->answer(a->peer->owner, a->id, a->result, a->code,
				      a->words);
		release(a);
	}
	return next;
}

void host_asked_done(struct bridge_host *h)
{
	while (h->asked) {
		struct host_asked *a = h->asked;

		h->asked = a->next;
		release(a);
	}
}

void host_roots_changed(const struct host_client *c)
{
	const struct bridge *b = c->host->bridge;

	if (!c->answers.roots || sole_host(c->host) != c)
		return;
	for (size_t i = 0; i < b->count; i++) {
		if (b->peer[i]->kind->beside)
			b->peer[i]->kind->beside(
				b->peer[i]->owner,
				"notifications/roots/list_changed", "");
	}
}

void host_asked_open(struct peer_hearer *out)
{
	out->answers = answers;
	out->ask = ask;
	out->withdrawn = withdrawn;
}
