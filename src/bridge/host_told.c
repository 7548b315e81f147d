/* SPDX-License-Identifier: MIT */
/*
 * What hosts are told beside answers: that lists changed, what servers log, and
 * that a resource changed, each to who asked for it.
 */
#include "bridge/host_told.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "bridge/host_asked.h"
#include "bridge/host_reply.h"
#include "bridge/mend.h"
#include "mcp/rules.h"

enum {
	SETTLE_MS = 500, /* changes of a list within it are one */
	WATCHES_MAX = 256, /* of a client, or of one subscription */
	URI_MAX = 4096, /* bytes of one that a subscription names */
	LOGGER_MAX = 80,
	LOGGED_MAX = 16384 /* bytes of what is logged */
};

/* ---- lists ---- */

static const struct host_list {
	const char *filter; /* in subscriptions/listen */
	const char *method;
} lists[] = {
	{ "toolsListChanged", "notifications/tools/list_changed" },
	{ "resourcesListChanged", "notifications/resources/list_changed" },
	{ "promptsListChanged", "notifications/prompts/list_changed" },
};

unsigned host_listens(const cJSON *wanted, struct buf *out)
{
	unsigned listens = 0;

	for (unsigned i = 0; i < COUNT(lists); i++) {
		if (!json_true(wanted, lists[i].filter))
			continue;
		buf_printf(out, "%s\"%s\":true", listens ? "," : "",
			   lists[i].filter);
		listens |= 1U << i;
	}
	return listens;
}

static void tell_listeners(const struct host_client *c, unsigned list)
{
	for (const struct host_question *q = c->first; q; q = q->next) {
		for (size_t i = 0; i < q->count; i++) {
			const struct host_part *p = &q->part[i];
			CLEANUP(mem_free_ptr) char *text = NULL;

			if (!(p->topics & 1U << list) || p->over)
				continue;
			text = mem_printf(
				"{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":{\"_meta\":{\"" META_SUBSCRIPTION
				"\":%s}}}",
				lists[list].method, p->id);
			host_tell(p, text, strlen(text));
		}
	}
}

static void reach(const struct host_client *c, const struct buf *text)
{
	if (c->revision && c->reach)
		c->reach(c->reach_owner, text->data, text->len);
}

static void tell_list(const struct bridge_host *h, unsigned list)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct host_client *c, *next;

	jsonrpc_notification(&text, lists[list].method, NULL);
	for (c = h->clients; c; c = next) {
		next = c->next;
		tell_listeners(c, list);
		reach(c, &text);
	}
}

void host_tools_changed(void *owner)
{
	tell_list(owner, 0);
}

static void list_changed(struct bridge_host *h, unsigned list)
{
	if (!h->changed)
		h->changed_at = loop_now() + SETTLE_MS;
	h->changed |= 1U << list;
}

int64_t host_told_tend(struct bridge_host *h)
{
	unsigned changed = h->changed;

	if (!changed)
		return LOOP_FOREVER;
	if (loop_now() < h->changed_at)
		return h->changed_at;
	h->changed = 0;
	for (unsigned i = 0; i < COUNT(lists); i++) {
		if (changed & 1U << i)
			tell_list(h, i);
	}
	return LOOP_FOREVER;
}

/* ---- what servers log ---- */

static void tell_level(const struct bridge_peer *p, const char *level)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!level || !(p->offers & OFFERS_LOGGING))
		return;
	json_add_object(&params, "level", level);
	p->kind->beside(p->owner, "logging/setLevel", buf_string(&params));
}

static int lesser(int rank, int than)
{
	return rank && (!than || rank < than) ? rank : than;
}

const char *host_log_level(const struct bridge_host *h)
{
	int least = 0;

	for (const struct host_client *c = h->clients; c; c = c->next) {
		least = lesser(c->log_rank, least);
		for (const struct host_question *q = c->first; q; q = q->next) {
			for (size_t i = 0; i < q->count; i++)
				least = lesser(q->part[i].log_rank, least);
		}
	}
	return least ? log_levels[least - 1] : NULL;
}

void host_want_logs(const struct host_part *p, const struct bridge_peer *peer)
{
	if (p->log_rank)
		tell_level(peer, host_log_level(p->question->client->host));
}

void host_set_level(struct host_part *p)
{
	struct host_client *c = p->question->client;
	const struct bridge *b = c->host->bridge;
	const int rank = log_level_rank(json_string(p->params, "level"));

	if (!b->servers) {
		host_error(p, JSONRPC_METHOD_NOT_FOUND, NULL,
			   "nothing logs here: no server is behind the bridge");
		return;
	}
	if (!rank) {
		host_error(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: 'level' must be one of debug, info, notice, warning, error, critical, alert and emergency");
		return;
	}
	c->log_rank = rank;
	for (size_t i = 0; i < b->count; i++)
		tell_level(b->peer[i], host_log_level(c->host));
	host_result(p, "{}");
}

static void add_data(struct buf *out, const cJSON *data)
{
	const char *text = cJSON_GetStringValue(data);
	CLEANUP(buf_done) struct buf json = { 0 }, safe = { 0 };

	if (text) {
		mend_text(&safe, text, LOGGED_MAX);
		buf_json_string(out, buf_string(&safe), safe.len);
		return;
	}
	json_print(&json, data);
	if (json.len <= LOGGED_MAX)
		buf_add(out, json.data, json.len);
	else
		buf_printf(out, "\"%zu bytes, which is too much to pass on\"",
			   json.len);
}

static void pass_log(const struct bridge_host *h, const struct bridge_peer *p,
		     const cJSON *params)
{
	const char *level = json_string(params, "level");
	const char *logger = json_string(params, "logger");
	const cJSON *data = json_member(params, "data");
	const int rank = log_level_rank(level);
	const struct host_part *part = host_part_of(h, p);
	CLEANUP(buf_done) struct buf said = { 0 }, text = { 0 }, name = { 0 };
	struct host_client *c, *next;

	if (!rank || !data)
		return;
	buf_text(&name, p->prefix);
	if (logger) {
		buf_char(&name, '/');
		mend_text(&name, logger, LOGGER_MAX);
	}
	buf_printf(&said, "{\"level\":\"%s\"", level);
	json_add_text(&said, "logger", buf_string(&name));
	buf_text(&said, ",\"data\":");
	add_data(&said, data);
	buf_char(&said, '}');
	jsonrpc_notification(&text, "notifications/message", buf_string(&said));
	if (part && part->log_rank && rank >= part->log_rank)
		host_tell(part, text.data, text.len);
	for (c = h->clients; c; c = next) {
		next = c->next;
		if (c->log_rank && rank >= c->log_rank)
			reach(c, &text);
	}
}

/* ---- resources that somebody watches ---- */

struct host_watch {
	struct host_watch *next;
	struct host_client *client;
	struct host_part
		*part; /* of subscriptions/listen; NULL: of a session */
	struct bridge_peer *peer; /* NULL: whichever has it */
	char *uri; /* as the host calls it */
	char *key; /* as its server does */
	bool due; /* it changed, and the host is not told yet */
};

static bool is_of(const struct host_watch *w, const struct bridge_peer *p)
{
	return w->peer ? w->peer == p : p->offers & OFFERS_UPDATES;
}

static bool is_watched(const struct bridge_host *h, const struct bridge_peer *p,
		       const char *key)
{
	for (const struct host_watch *w = h->watches; w; w = w->next) {
		if (is_of(w, p) && strcmp(w->key, key) == 0)
			return true;
	}
	return false;
}

static void ask_watch(const struct bridge_peer *p, const char *method,
		      const char *key)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	json_add_object(&params, "uri", key);
	p->kind->beside(p->owner, method, buf_string(&params));
}

static size_t count_watches(const struct host_client *c)
{
	size_t count = 0;

	for (const struct host_watch *w = c->host->watches; w; w = w->next)
		count += w->client == c && !w->part;
	return count;
}

bool host_may_watch(struct host_part *p)
{
	const struct host_client *c = p->question->client;

	if (!c->host->bridge->servers)
		host_error(p, JSONRPC_METHOD_NOT_FOUND, NULL,
			   "no server is behind the bridge");
	else if (count_watches(c) >= WATCHES_MAX)
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "more than %d resources would be subscribed to",
			   WATCHES_MAX);
	else
		return true;
	return false;
}

static struct host_watch *add_watch(struct host_client *c,
				    struct bridge_peer *p, const char *uri,
				    const char *key)
{
	struct host_watch *w = mem_zalloc(sizeof(*w));

	w->next = c->host->watches;
	w->client = c;
	w->peer = p;
	w->uri = mem_strdup(uri);
	w->key = mem_strdup(key);
	c->host->watches = w;
	return w;
}

void host_watch(struct host_client *c, struct bridge_peer *p, const char *uri,
		const char *key)
{
	for (const struct host_watch *w = c->host->watches; w; w = w->next) {
		if (w->client == c && !w->part && w->peer == p &&
		    strcmp(w->key, key) == 0)
			return;
	}
	add_watch(c, p, uri, key);
}

/* It is in the list no more. */
static void end_watch(const struct bridge_host *h, struct host_watch *w)
{
	for (size_t i = 0; i < h->bridge->count; i++) {
		const struct bridge_peer *p = h->bridge->peer[i];

		if (is_of(w, p) && !is_watched(h, p, w->key))
			ask_watch(p, "resources/unsubscribe", w->key);
	}
	mem_free(w->uri);
	mem_free(w->key);
	mem_free(w);
}

/* Those of a session (part NULL) or of a subscription; uri NULL: all of them. */
static void drop_watches(struct host_client *c, const struct host_part *part,
			 const char *uri)
{
	struct host_watch **at = &c->host->watches;

	while (*at) {
		struct host_watch *w = *at;

		if (w->client != c || w->part != part ||
		    (uri && strcmp(w->uri, uri) != 0)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		end_watch(c->host, w);
	}
}

void host_unwatch(struct host_part *p)
{
	const char *uri = json_string(p->params, "uri");

	if (!uri) {
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "Invalid params: 'uri' must be a string");
		return;
	}
	drop_watches(p->question->client, NULL, uri);
	host_result(p, "{}");
}

/* ---- … by subscriptions/listen ---- */

/* What is not there may yet say that it does. */
static bool may_tell(const struct bridge_peer *p)
{
	return !p->device &&
	       (p->state != PEER_READY || p->offers & OFFERS_UPDATES);
}

static bool anybody_may_tell(const struct bridge *b)
{
	for (size_t i = 0; i < b->count; i++) {
		if (may_tell(b->peer[i]))
			return true;
	}
	return false;
}

/* That subscription has named it already. */
static bool is_named(const struct host_part *p, const char *uri)
{
	const struct host_watch *w = p->question->client->host->watches;

	while (w && (w->part != p || strcmp(w->uri, uri) != 0))
		w = w->next;
	return w != NULL;
}

/* False: nobody tells of it. */
static bool watch_one(struct host_part *p, const char *uri)
{
	struct host_client *c = p->question->client;
	const struct bridge *b = c->host->bridge;
	CLEANUP(mem_free_ptr) char *plain = mem_printf("uri %s", uri);
	const struct given_name *n = given_names_find(&b->items, plain);
	const char *key = n ? n->tool : uri;
	struct host_watch *w;

	if (n ? !may_tell(n->peer) : !anybody_may_tell(b))
		return false;
	w = add_watch(c, n ? n->peer : NULL, uri, key);
	w->part = p;
	for (size_t i = 0; i < b->count; i++) {
		if (is_of(w, b->peer[i]) && b->peer[i]->offers & OFFERS_UPDATES)
			ask_watch(b->peer[i], "resources/subscribe", key);
	}
	return true;
}

static void unlisten(struct host_part *p)
{
	drop_watches(p->question->client, p, NULL);
}

void host_listens_to(struct host_part *p, const cJSON *uris, struct buf *out)
{
	const cJSON *one;
	size_t count = 0;

	p->drop = unlisten;
	cJSON_ArrayForEach(one, uris) {
		const char *uri = cJSON_GetStringValue(one);

		if (!uri || strlen(uri) > URI_MAX || count >= WATCHES_MAX ||
		    is_named(p, uri) || !watch_one(p, uri))
			continue;
		buf_text(out, count++  ? "," :
			      out->len ? ",\"resourceSubscriptions\":[" :
					 "\"resourceSubscriptions\":[");
		buf_json_string(out, uri, strlen(uri));
	}
	if (count)
		buf_char(out, ']');
}

/* ---- a resource changed ---- */

static struct host_watch *next_due(const struct bridge_host *h)
{
	struct host_watch *w = h->watches;

	while (w && !w->due)
		w = w->next;
	return w;
}

static void tell_update(struct host_watch *w)
{
	CLEANUP(buf_done) struct buf params = { 0 }, text = { 0 };

	w->due = false;
	buf_text(&params, "{\"uri\":");
	buf_json_string(&params, w->uri, strlen(w->uri));
	if (w->part)
		buf_printf(&params, ",\"_meta\":{\"" META_SUBSCRIPTION "\":%s}",
			   w->part->id);
	buf_char(&params, '}');
	jsonrpc_notification(&text, "notifications/resources/updated",
			     buf_string(&params));
	if (w->part)
		host_tell(w->part, text.data, text.len);
	else
		reach(w->client, &text);
}

static void pass_update(const struct bridge_host *h,
			const struct bridge_peer *p, const cJSON *params)
{
	const char *key = json_string(params, "uri");
	struct host_watch *w;

	for (w = key ? h->watches : NULL; w; w = w->next)
		w->due = (!w->peer || w->peer == p) && strcmp(w->key, key) == 0;
	/* Whoever is told may free what is looked at: from the start after each. */
	while (key && (w = next_due(h)) != NULL)
		tell_update(w);
}

/* ---- what servers say ---- */

static void pass_complete(const struct bridge_host *h, const cJSON *params)
{
	const char *id = json_string(params, "elicitationId");
	CLEANUP(buf_done) struct buf said = { 0 }, text = { 0 };
	struct host_client *c, *next;

	if (!id)
		return;
	json_add_object(&said, "elicitationId", id);
	jsonrpc_notification(&text, "notifications/elicitation/complete",
			     buf_string(&said));
	for (c = h->clients; c; c = next) {
		next = c->next;
		if (c->answers.elicit_url)
			reach(c, &text);
	}
}

static void hear_notice(void *owner, struct bridge_peer *p, const char *method,
			const cJSON *params)
{
	struct bridge_host *h = owner;

	for (unsigned i = 0; i < COUNT(lists); i++) {
		if (strcmp(lists[i].method, method) == 0)
			list_changed(h, i);
	}
	if (strcmp(method, "notifications/message") == 0)
		pass_log(h, p, params);
	else if (strcmp(method, "notifications/resources/updated") == 0)
		pass_update(h, p, params);
	else if (strcmp(method, "notifications/elicitation/complete") == 0)
		pass_complete(h, params);
}

static void came(void *owner, struct bridge_peer *p)
{
	struct bridge_host *h = owner;

	if (p->offers & OFFERS_RESOURCES)
		list_changed(h, 1);
	if (p->offers & OFFERS_PROMPTS)
		list_changed(h, 2);
	tell_level(p, host_log_level(h));
	for (const struct host_watch *w = h->watches; w; w = w->next) {
		if (is_of(w, p))
			ask_watch(p, "resources/subscribe", w->key);
	}
}

void host_told_forget(struct host_client *c)
{
	drop_watches(c, NULL, NULL);
}

void host_told_open(struct peer_hearer *out)
{
	out->said = hear_notice;
	out->came = came;
}
