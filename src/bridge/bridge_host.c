/* SPDX-License-Identifier: MIT */
/* Messages of hosts, one or a batch; clients and their questions. */
#include "bridge/bridge_host.h"

#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "bridge/host_asked.h"
#include "bridge/host_call.h"
#include "bridge/host_era.h"
#include "bridge/host_methods.h"
#include "bridge/host_reply.h"
#include "bridge/host_rounds.h"
#include "bridge/host_told.h"
#include "clients/said.h"
#include "net/head.h"

/* ---- a message ---- */

static void refuse(struct host_part *p, const char *why)
{
	host_error(p, JSONRPC_INVALID_REQUEST, NULL, "Invalid Request: %s",
		   why);
}

static struct host_part *find_open(const struct host_client *c, struct span id)
{
	for (const struct host_question *q = c->first; q; q = q->next) {
		for (size_t i = 0; i < q->count; i++) {
			struct host_part *p = &q->part[i];

			if (!p->over && p->id && strlen(p->id) == id.len &&
			    memcmp(p->id, id.text, id.len) == 0)
				return p;
		}
	}
	return NULL;
}

/* Who gave it up waits for no reply; one that comes too late says nothing. */
static void cancel(const struct host_client *c, struct span message)
{
	struct span params, id;
	struct host_part *p;

	if (!json_span_member(message, "params", &params) ||
	    !json_span_member(params, "requestId", &id))
		return;
	p = find_open(c, id);
	if (!p)
		return;
	host_silence(p);
	host_settle(p->question);
}

static void take_notice(const struct host_client *c, const char *method,
			struct span text)
{
	if (strcmp(method, "notifications/cancelled") == 0)
		cancel(c, text);
	else if (strcmp(method, "notifications/roots/list_changed") == 0)
		host_roots_changed(c);
}

static void take_request(struct host_part *p, const char *method,
			 const cJSON *message, struct span text)
{
	p->question->client->host->met = true;
	p->params = json_member(message, "params");
	p->text = text;
	if (p->params && !cJSON_IsObject(p->params))
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "Invalid params: 'params' must be an object");
	else if (p->question->batch && strcmp(method, "initialize") == 0)
		refuse(p, "initialize must not be part of a batch");
	else if (!p->modern ||
		 (host_era_begin(p, method) && !host_rounds_resume(p, method)))
		host_method(p, method);
	p->params = NULL;
	p->text = (struct span){ 0 };
}

static void take(struct host_part *p, const cJSON *message, struct span text)
{
	struct host_client *c = p->question->client;
	const char *method = json_string(message, "method");
	const char *fault = said_fault(message);

	p->id = said_id(message, text);
	p->modern =
		!c->revision && host_is_modern(p->question->headers, message);
	if (fault) {
		refuse(p, fault);
	} else if (method && p->id) {
		take_request(p, method, message, text);
	} else {
		if (!method)
			host_answer(c, message, text);
		else
			take_notice(c, method, text);
		host_silence(p);
	}
}

/* ---- a question ---- */

static void make_parts(struct host_question *q, size_t count)
{
	q->part = mem_zalloc(count * sizeof(*q->part));
	q->count = q->open = count;
	for (size_t i = 0; i < count; i++)
		q->part[i].question = q;
}

/* Answers, and what gives a question up, open none. */
static bool is_too_much(const struct host_question *q, const struct said_all *s)
{
	return !s->batch && q->client->host->open > HOST_OPEN_MAX &&
	       json_member(s->tree, "method") && json_member(s->tree, "id");
}

static void take_all(struct host_question *q, struct said_all *said)
{
	const cJSON *message;
	struct span text;

	for (size_t i = 0; said_next(said, &message, &text); i++)
		take(q->part + i, message, text);
}

static void take_text(struct host_question *q, const struct mcp_said *m)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(said_done) struct said_all said;
	const int status =
		said_read(&said, m->text, m->len, q->client->revision, &why);

	q->batch = said.batch;
	make_parts(q, said.count);
	if (status)
		host_error(q->part, JSONRPC_PARSE_ERROR, NULL,
			   "Parse error: %s", why.text);
	else if (said.fault)
		refuse(q->part, said.fault);
	else if (is_too_much(q, &said))
		refuse(q->part, "too many questions are open");
	else
		take_all(q, &said);
}

/* Who shows another token is another host. */
static char *whose(const struct headers *headers)
{
	const char *token =
		headers ? headers_get(headers, "Authorization") : NULL;
	char hash[SHA256_TEXT];

	if (!token)
		return NULL;
	sha256_text(token, strlen(token), hash);
	return mem_strdup(hash);
}

static void *host_hear(void *client, const struct mcp_said *m,
		       const struct mcp_hearer *h, void *owner)
{
	struct host_client *c = client;
	struct host_question *q = mem_zalloc(sizeof(*q));

	q->hearer = *h;
	q->owner = owner;
	q->headers = m->headers;
	q->whose = whose(m->headers);
	host_question_link(q, c);
	c->host->open++;
	q->inside = true;
	take_text(q, m);
	q->headers = NULL;
	q = host_take_up(q);
	q->inside = false;
	return host_settle(q) ? NULL : q;
}

static void host_abandon(void *question)
{
	host_question_free(question);
}

/* ---- clients ---- */

static void *client_new(void *owner)
{
	struct bridge_host *h = owner;
	struct host_client *c = mem_zalloc(sizeof(*c));

	c->host = h;
	c->next = h->clients;
	c->link = &h->clients;
	if (c->next)
		c->next->link = &c->next;
	h->clients = c;
	return c;
}

static void client_free(void *client)
{
	struct host_client *c = client;

	if (!c)
		return;
	while (c->first)
		host_question_free(c->first);
	host_asked_forget(c);
	host_rounds_forget(c);
	host_told_forget(c);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	mem_free(c->who);
	mem_free(c);
}

static bool client_is_initialized(const void *client)
{
	const struct host_client *c = client;

	return c->revision != NULL;
}

static const char *client_revision(const void *client)
{
	const struct host_client *c = client;

	return c->revision;
}

static void client_reach(void *client, mcp_tell *tell, void *owner)
{
	struct host_client *c = client;

	c->reach = tell;
	c->reach_owner = owner;
}

static const char *host_name(void *owner)
{
	(void)owner;
	return "mcpctl";
}

static bool said_modern(void *owner, const struct mcp_said *m)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(m->text, m->len, NULL);

	(void)owner;
	return host_is_modern(m->headers, tree);
}

static bool is_legacy(void *owner)
{
	(void)owner;
	return true;
}

/* ---- all of it ---- */

struct bridge_host *bridge_host_new(struct bridge *bridge)
{
	struct bridge_host *h = mem_zalloc(sizeof(*h));

	h->bridge = bridge;
	h->held.host = h;
	h->list_at = loop_now() + HOST_LIST_MS;
	h->answerer = (struct answerer){
		.owner = h,
		.name = host_name,
		.client_new = client_new,
		.client_free = client_free,
		.is_initialized = client_is_initialized,
		.revision = client_revision,
		.reach = client_reach,
		.hear = host_hear,
		.abandon = host_abandon,
		.is_modern = said_modern,
		.is_legacy = is_legacy,
	};
	bridge->on_change = host_tools_changed;
	bridge->owner = h;
	bridge->hearer.owner = h;
	host_asked_open(&bridge->hearer);
	host_told_open(&bridge->hearer);
	return h;
}

void bridge_host_free(struct bridge_host *h)
{
	if (!h)
		return;
	while (h->clients)
		client_free(h->clients);
	while (h->held.first)
		host_question_free(h->held.first);
	host_rounds_done(h);
	host_asked_done(h);
	h->bridge->on_change = NULL;
	h->bridge->hearer = (struct peer_hearer){ 0 };
	mem_free(h);
}

const struct answerer *bridge_host_answerer(const struct bridge_host *h)
{
	return &h->answerer;
}

/* One that waited for the bridge; true: its question is over. */
static bool resume(struct host_question *q)
{
	for (size_t i = 0; i < q->count; i++)
		host_resume(&q->part[i]);
	return host_settle(q);
}

/* Whoever is told may free what is looked at: from the start after each. */
static void resume_all(struct bridge_host *h)
{
	struct host_client *c = h->clients;

	while (c) {
		struct host_question *q = c->first;

		while (q && !resume(q))
			q = q->next;
		c = q ? h->clients : c->next;
	}
}

static int64_t progress_of(struct host_question *q)
{
	int64_t next = LOOP_FOREVER;

	for (size_t i = 0; i < q->count; i++) {
		int64_t due = host_call_progress(&q->part[i]);

		if (due < next)
			next = due;
	}
	return next;
}

int64_t bridge_host_tend(struct bridge_host *h)
{
	int64_t next = host_asked_tend(h), told = host_told_tend(h);
	int64_t rounds = host_rounds_tend(h);

	if (told < next)
		next = told;
	if (rounds < next)
		next = rounds;
	if (h->list_at) {
		bool last = loop_now() >= h->list_at;

		resume_all(h);
		if (last)
			h->list_at = 0;
		else if (h->list_at < next)
			next = h->list_at;
	}
	for (const struct host_client *c = h->clients; c; c = c->next) {
		for (struct host_question *q = c->first; q; q = q->next) {
			int64_t due = progress_of(q);

			if (due < next)
				next = due;
		}
	}
	return next;
}
