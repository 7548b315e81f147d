/* SPDX-License-Identifier: MIT */
/*
 * What servers have beside tools, passed on: lists of all of them as one, and one
 * resource, prompt or completion from whoever has it. Boards have none. A key that
 * two servers have is prefixed for the second: mcpctl://NAME/ before a URI, NAME__
 * before a prompt's name.
 */
#include "bridge/host_items.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "bridge/host_asked.h"
#include "bridge/host_era.h"
#include "bridge/host_reply.h"
#include "bridge/host_told.h"
#include "bridge/mend.h"
#include "bridge/mend_result.h"

#define WATCH "resources/subscribe"
#define PAGES_MAX 100 /* of one server's list */
#define ITEMS_MAX ((size_t)4 << 20) /* bytes of a list, of all servers */

/* Kinds of lists. */
struct item_kind {
	const char *method, *member, *key;
	unsigned offers;
	const char *space; /* of its keys, in bridge.items */
};

static const struct item_kind kinds[] = {
	{ "resources/list", "resources", "uri", OFFERS_RESOURCES, "uri " },
	{ "resources/templates/list", "resourceTemplates", "uriTemplate",
	  OFFERS_RESOURCES, "uri " },
	{ "prompts/list", "prompts", "name", OFFERS_PROMPTS, "prompt " },
};

/* One server's part of a list, or one that is asked for an item. */
struct item_server {
	struct host_gather *gather;
	struct bridge_peer *peer;
	struct bridge_call *call; /* NULL: it has ended */
	unsigned pages;
	size_t left_out; /* items that had no room */
};

struct host_gather {
	struct host_part *part;
	const struct item_kind *kind; /* NULL: one item */
	const char *method;
	char *key; /* of one item, as its server calls it */
	char *asked; /* … and as the host does */
	struct item_server *one;
	size_t count, open;
	size_t at; /* which server is asked for one item */
	struct buf items;
};

static struct bridge *bridge_of(const struct host_part *p)
{
	return p->question->client->host->bridge;
}

/* ---- begun and ended ---- */

static void give_up(const struct item_server *one)
{
	const struct host_gather *g = one->gather;

	if (!one->call)
		return;
	/* For a list nobody is asked. */
	if (!g->kind)
		host_asked_give_up(g->part->question->client->host, one->call);
	bridge_call_abandon(one->call);
}

static void drop(struct host_part *p)
{
	struct host_gather *g = TAKE(p->gather);

	for (size_t i = 0; i < g->count; i++)
		give_up(&g->one[i]);
	buf_done(&g->items);
	mem_free(g->key);
	mem_free(g->asked);
	mem_free(g->one);
	mem_free(g);
}

static void add_servers(struct host_gather *g, unsigned offers, bool ready)
{
	const struct bridge *b = bridge_of(g->part);

	for (size_t i = 0; i < b->count; i++) {
		struct bridge_peer *peer = b->peer[i];

		if (peer->offers & offers &&
		    (peer->state == PEER_READY) == ready)
			g->one[g->count++] =
				(struct item_server){ .gather = g,
						      .peer = peer };
	}
}

/* What is there comes first: nobody waits for the rest in vain. */
static struct host_gather *begin(struct host_part *p, const char *method,
				 unsigned offers)
{
	const struct bridge *b = bridge_of(p);
	struct host_gather *g = mem_zalloc(sizeof(*g));

	g->part = p;
	g->method = method;
	g->items.max = ITEMS_MAX;
	g->one = mem_zalloc((b->count + 1) * sizeof(*g->one));
	add_servers(g, offers, true);
	add_servers(g, offers, false);
	p->began = loop_now();
	p->gather = g;
	p->drop = drop;
	return g;
}

static void finish(struct host_gather *g)
{
	struct host_part *p = g->part;

	p->drop = NULL;
	drop(p);
}

static bool ask(struct item_server *one, const char *params,
		void (*done)(void *owner, struct bridge_call *c))
{
	struct host_gather *g = one->gather;
	const struct bridge *b = bridge_of(g->part);
	struct bridge_call *c = mem_zalloc(sizeof(*c));

	c->method = mem_strdup(g->method);
	c->params = mem_strdup(params);
	c->repeatable = true;
	c->began_us = loop_now_us();
	c->deadline = g->part->began + b->timeout;
	/* A list has what is there now. */
	c->awake_by = g->kind ? loop_now() : g->part->began + b->wait;
	c->done = done;
	c->owner = one;
	c->asker = g->part;
	/* Lists have no rounds. */
	if (!g->kind)
		c->answers = host_answers(g->part);
	c->log_level = host_log_level(g->part->question->client->host);
	host_want_logs(g->part, one->peer);
	if (bridge_peer_ask(one->peer, c)) {
		one->call = c;
		return true;
	}
	bridge_call_free(c);
	return false;
}

/* ---- lists ---- */

static char *space_key(const char *space, const char *key)
{
	return mem_printf("%s%s", space, key);
}

/* What it is called, apart from all others. */
static const char *label_of(struct bridge *b, const struct bridge_peer *peer)
{
	const struct shown_tools *s = bridge_shown(b);

	for (size_t i = 0; i < s->count; i++) {
		if (s->peer[i] == peer && s->catalogue.label[i])
			return s->catalogue.label[i];
	}
	return peer->prefix;
}

/* The key as the host sees it; yours. */
static char *shown_key(const struct item_server *one, const char *key)
{
	const struct item_kind *k = one->gather->kind;
	struct bridge *b = bridge_of(one->gather->part);
	struct given_names *items = &b->items;
	CLEANUP(mem_free_ptr) char *plain = space_key(k->space, key);
	CLEANUP(mem_free_ptr) char *second = NULL;
	const struct given_name *n = given_names_find(items, plain);
	char *shown;

	if (!n || n->peer == one->peer) {
		given_names_give(items, plain, key, one->peer);
		return mem_strdup(key);
	}
	shown = strcmp(k->key, "name") == 0 ?
			mem_printf("%s__%s", label_of(b, one->peer), key) :
			mem_printf("mcpctl://%s/%s", label_of(b, one->peer),
				   key);
	second = space_key(k->space, shown);
	given_names_give(items, second, key, one->peer);
	return shown;
}

/* Once for each kind of list. */
static void tell_left_out(const struct host_gather *g)
{
	struct host_part *p = g->part;
	struct bridge_host *h = p->question->client->host;
	const unsigned kind = 1U << (g->kind - kinds);
	const struct item_server *one = g->one;
	CLEANUP(mem_free_ptr) char *line = NULL;

	while (one < g->one + g->count && !one->left_out)
		one++;
	if (one == g->one + g->count || h->cut & kind)
		return;
	h->cut |= kind;
	line = mem_printf(
		"%s: %zu of its '%s' %s left out: the list of all servers has %zu MB at most",
		one->peer->prefix, one->left_out, g->kind->member,
		one->left_out == 1 ? "is" : "are", ITEMS_MAX >> 20);
	bridge_tell(h->bridge, line);
}

static void add_item(struct item_server *one, cJSON *item)
{
	struct host_gather *g = one->gather;
	const char *key = json_string(item, g->kind->key);
	CLEANUP(mem_free_ptr) char *shown = NULL;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!key)
		return;
	shown = shown_key(one, key);
	if (strcmp(shown, key) != 0)
		cJSON_ReplaceItemInObjectCaseSensitive(
			item, g->kind->key, cJSON_CreateString(shown));
	json_print(&text, item);
	if (g->items.len + text.len + 2 > ITEMS_MAX) {
		one->left_out++;
		return;
	}
	if (g->items.len)
		buf_char(&g->items, ',');
	buf_add(&g->items, text.data, text.len);
}

static void end_list(struct host_gather *g)
{
	struct host_part *p = g->part;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"%s\":[", g->kind->member);
	buf_add(&out, buf_string(&g->items), g->items.len);
	buf_char(&out, ']');
	host_add_caching(&out, p);
	buf_char(&out, '}');
	tell_left_out(g);
	finish(g);
	host_result(p, buf_string(&out));
}

static void on_page(void *owner, struct bridge_call *c);

/* True: there is a further page, and it is asked for. */
static bool ask_next(struct item_server *one, const cJSON *result)
{
	const char *cursor = json_string(result, "nextCursor");
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!cursor || ++one->pages >= PAGES_MAX)
		return false;
	json_add_object(&params, "cursor", cursor);
	return ask(one, buf_string(&params), on_page);
}

static void on_page(void *owner, struct bridge_call *c)
{
	struct item_server *one = owner;
	struct host_gather *g = one->gather;
	struct host_part *p = g->part;

	one->call = NULL;
	if (c->end == CALL_ANSWERED) {
		cJSON *item;

		cJSON_ArrayForEach(
			item, json_array(c->reply.result, g->kind->member)) {
			add_item(one, item);
		}
		if (ask_next(one, c->reply.result))
			return;
	}
	if (--g->open)
		return;
	end_list(g);
	host_settle(p->question);
}

static void list(struct host_part *p, const struct item_kind *k)
{
	struct host_gather *g;

	if (host_waits(p, k->method))
		return;
	g = begin(p, k->method, k->offers);
	g->kind = k;
	for (size_t i = 0; i < g->count; i++)
		g->open += g->one[i].peer->state == PEER_READY &&
			   ask(&g->one[i], "{}", on_page);
	if (!g->open)
		end_list(g);
}

/* ---- one ---- */

/* Where the key stands in the params, and of which space it is. */
static cJSON *find_key(const struct host_part *p, const char *method,
		       const char **space)
{
	const cJSON *ref = json_object(p->params, "ref");
	const cJSON *of =
		strcmp(method, "completion/complete") == 0 ? ref : p->params;
	cJSON *uri = json_member(of, "uri");

	*space = uri ? "uri " : "prompt ";
	return uri ? uri : json_member(of, "name");
}

/* The host's params, with the key that the server knows. */
static char *params_of(const struct host_gather *g)
{
	CLEANUP(json_free_ptr)
	cJSON *params = cJSON_Duplicate(g->part->params, true);
	struct host_part as = { .params = params };
	struct buf out = { 0 };
	const char *space;
	cJSON *key;

	cJSON_DeleteItemFromObjectCaseSensitive(params, "_meta");
	key = find_key(&as, g->method, &space);
	if (key)
		cJSON_SetValuestring(key, g->key);
	json_print(&out, params);
	return buf_take(&out);
}

static bool is_good(const struct bridge_call *c)
{
	return c->end == CALL_ANSWERED && cJSON_IsObject(c->reply.result);
}

static void end_item(struct host_gather *g, const struct bridge_call *c)
{
	struct host_part *p = g->part;
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	const cJSON *error = c->reply.error;
	const char *text = message_error_text(&c->reply);
	int code = member_int(error, "code");

	if (is_good(c) && strcmp(g->method, WATCH) == 0)
		host_watch(p->question->client, c->peer, g->asked, g->key);
	finish(g);
	if (c->end != CALL_ANSWERED) {
		bridge_call_explain(c, &why);
		host_error(p, JSONRPC_INTERNAL_ERROR, NULL, "%s", why.text);
	} else if (c->reply.kind == MESSAGE_ERROR) {
		mend_text(&out, text ? text : "", MEND_TEXT_MAX);
		host_error(p, code ? code : JSONRPC_INTERNAL_ERROR, NULL, "%s",
			   buf_string(&out));
	} else if (!is_good(c)) {
		host_error(p, JSONRPC_INTERNAL_ERROR, NULL,
			   "%s answered with no object", c->peer->prefix);
	} else if (c->reply.result_text.len > MEND_RESULT_MAX) {
		host_error(p, JSONRPC_INTERNAL_ERROR, NULL,
			   "the answer has more than %u bytes",
			   MEND_RESULT_MAX);
	} else {
		json_print(&out, c->reply.result);
		host_result(p, buf_string(&out));
	}
}

static bool ask_one(struct host_gather *g);

static void on_item(void *owner, struct bridge_call *c)
{
	struct item_server *one = owner;
	struct host_gather *g = one->gather;
	struct host_part *p = g->part;

	one->call = NULL;
	/* Nobody listed it: the next server may know it. */
	if (c->reply.kind == MESSAGE_ERROR && g->at + 1 < g->count) {
		g->at++;
		if (ask_one(g))
			return;
	}
	end_item(g, c);
	host_settle(p->question);
}

static bool ask_one(struct host_gather *g)
{
	/* Kept from the first: the host's params are lent. */
	return ask(&g->one[g->at], buf_string(&g->items), on_item);
}

/* Where that one has no such ways, nobody else is meant. */
static void keep_only(struct host_gather *g, const struct bridge_peer *peer)
{
	const size_t count = g->count;

	g->count = 0;
	for (size_t i = 0; i < count && !g->count; i++) {
		if (g->one[i].peer == peer)
			g->one[g->count++] = g->one[i];
	}
}

static unsigned offers_for(const char *method)
{
	if (strcmp(method, "resources/read") == 0)
		return OFFERS_RESOURCES;
	if (strcmp(method, WATCH) == 0)
		return OFFERS_UPDATES;
	return strcmp(method, "prompts/get") == 0 ? OFFERS_PROMPTS :
						    OFFERS_COMPLETION;
}

static void refuse(struct host_gather *g, const char *why, const char *key)
{
	struct host_part *p = g->part;

	finish(g);
	host_error(p, JSONRPC_INVALID_PARAMS, NULL, "%s: '%.*s'", why,
		   host_cut(key), key);
}

static void one_item(struct host_part *p, const char *method)
{
	const char *space;
	const char *key = cJSON_GetStringValue(find_key(p, method, &space));
	struct host_gather *g;
	CLEANUP(mem_free_ptr) char *plain = space_key(space, key ? key : "");
	CLEANUP(mem_free_ptr) char *params = NULL;
	const struct given_name *n =
		given_names_find(&bridge_of(p)->items, plain);

	if (!n && host_waits(p, method))
		return;
	if (strcmp(method, WATCH) == 0 && !host_may_watch(p))
		return;
	g = begin(p, method, offers_for(method));
	if (n)
		keep_only(g, n->peer);
	if (!key || !g->count) {
		refuse(g, key ? "no server has it" : "no name is given",
		       key ? key : method);
		return;
	}
	g->key = mem_strdup(n ? n->tool : key);
	g->asked = mem_strdup(key);
	params = params_of(g);
	buf_text(&g->items, params);
	if (g->items.full || !ask_one(g))
		refuse(g, "too much is asked of its server already", key);
}

/* ---- methods ---- */

void host_items(struct host_part *p, const char *method)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].method, method) == 0) {
			list(p, &kinds[i]);
			return;
		}
	}
	one_item(p, method);
}

/* What servers have is not known before they are there. */
void host_add_offers(struct buf *out, const struct host_part *p)
{
	if (!bridge_of(p)->servers)
		return;
	buf_text(
		out,
		",\"prompts\":{\"listChanged\":true},\"completions\":{},\"resources\":{\"listChanged\":true,\"subscribe\":true},\"logging\":{}");
}
