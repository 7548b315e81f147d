/* SPDX-License-Identifier: MIT */
/*
 * A connection to a broker as a client of MCP over MQTT. Targets of one process
 * share it; a server that is opened a second time gets another one, since it
 * knows its clients by their ids (mcp-mqtt.md 1).
 */
#include "net/mcp_broker.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "net/mqtt_five_send.h"
#include "wire/mcp_topic.h"

#define LEAVE_MS 500 /* for presence to be taken back */
#define KEEPALIVE_S 30
#define QUOTA_EXCEEDED 0x97 /* MQTT 5, 2.4 */
#define TOLD_MAX 32 /* user properties that are kept */
#define GONE "{\"jsonrpc\":\"2.0\",\"method\":\"" MCP_DISCONNECTED "\"}"

static struct mcp_broker *brokers;

/* ---- the list of them ---- */

static void out_of_list(struct mcp_broker *b)
{
	for (struct mcp_broker **p = &brokers; *p; p = &(*p)->next) {
		if (*p == b) {
			*p = b->next;
			return;
		}
	}
}

static char *key_of(const struct endpoint *to)
{
	return mem_printf("%s %s@%s:%u %d %s\n%s", to->scheme->name,
			  to->user ? to->user : "", to->host,
			  (unsigned)to->port, to->insecure,
			  to->cacert ? to->cacert : "",
			  to->password ? to->password : "");
}

static bool was_used(const struct mcp_broker *b, const char *server)
{
	uint64_t hash = map_hash_text(server);
	size_t at = 0;
	const char *one;

	while ((one = map_find(&b->used, hash, &at))) {
		if (strcmp(one, server) == 0)
			return true;
	}
	return false;
}

static struct mcp_broker *find(const struct loop *l, const char *key,
			       const char *server)
{
	for (struct mcp_broker *b = brokers; b; b = b->next) {
		if (b->loop == l && strcmp(b->key, key) == 0 &&
		    !(server && was_used(b, server)))
			return b;
	}
	return NULL;
}

/* ---- its end ---- */

static void on_timer_closed(void *owner)
{
	struct mcp_broker *b = owner;
	size_t at = 0;
	char *server;

	while ((server = map_each(&b->used, &at)))
		mem_free(server);
	map_done(&b->used);
	headers_done(&b->told);
	mem_free(b->key);
	mem_free(b->host);
	mem_free(b);
}

static void tell_left(struct mcp_broker *b)
{
	while (b->leaving) {
		struct mcp_guest *g = b->leaving;

		b->leaving = g->next;
		g->left(g->owner);
	}
}

static void on_client_closed(void *owner)
{
	struct mcp_broker *b = owner;

	tell_left(b);
	timer_close(&b->timer, on_timer_closed);
}

static void take_down(struct mcp_broker *b)
{
	struct mqtt_client *client = TAKE(b->client);

	timer_stop(&b->timer);
	if (client)
		mqtt_client_close(client, on_client_closed);
}

/* Nobody uses it any more. */
static void begin_end(struct mcp_broker *b)
{
	CLEANUP(mem_free_ptr)
	char *topic = mcp_topic_make(MCP_TOPIC_CLIENT, b->id, NULL);

	out_of_list(b);
	b->ends = true;
	if (b->connected && mcp_broker_publish(b, topic, GONE, strlen(GONE),
					       &b->end_number, NULL) == 0)
		timer_start(&b->timer, LEAVE_MS);
	else
		timer_start(&b->timer, 0);
}

/* ---- from the loop ---- */

static void tell_connected(struct mcp_broker *b)
{
	for (struct mcp_guest *g = b->guest; b->connected && g; g = b->walk) {
		b->walk = g->next;
		if (g->told)
			continue;
		g->told = true;
		g->connected(g->owner);
	}
	b->walk = NULL;
}

static void on_timer(void *owner)
{
	struct mcp_broker *b = owner;

	if (b->ends) {
		take_down(b);
		return;
	}
	tell_left(b);
	tell_connected(b);
}

static void on_connected(void *owner)
{
	struct mcp_broker *b = owner;

	b->connected = true;
	/* Not from inside the library, which is about to read on. */
	timer_start(&b->timer, 0);
}

static void on_said(void *owner, const char *name, const char *value)
{
	struct mcp_broker *b = owner;

	if (b->told.count < TOLD_MAX)
		headers_add(&b->told, name, value);
}

static void on_published(void *owner, int number, int reason)
{
	struct mcp_broker *b = owner;

	if (b->ends) {
		if (number == b->end_number)
			timer_start(&b->timer, 0);
		return;
	}
	for (struct mcp_guest *g = b->guest; g; g = b->walk) {
		b->walk = g->next;
		if (g->published)
			g->published(g->owner, number, reason);
	}
	b->walk = NULL;
}

static void on_subscribed(void *owner, int number, size_t count,
			  const int *code)
{
	struct mcp_broker *b = owner;

	for (struct mcp_guest *g = b->guest; g; g = g->next) {
		if (g->asked != number)
			continue;
		g->asked = 0;
		g->subscribed(g->owner, count, code);
		return;
	}
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct mcp_broker *b = owner;
	struct mcp_topic t;
	bool presence;

	mcp_topic_read(&t, topic);
	presence = t.kind == MCP_TOPIC_PRESENCE || t.kind == MCP_TOPIC_DRAFT;
	for (struct mcp_guest *g = b->guest; g; g = b->walk) {
		b->walk = g->next;
		if (g->server ? t.server && strcmp(t.server, g->server) == 0 :
				presence)
			g->message(g->owner, topic, data, len);
	}
	b->walk = NULL;
}

static void on_lost(void *owner, const struct error *why)
{
	struct mcp_broker *b = owner;

	b->connected = false;
	if (!b->ends)
		out_of_list(b);
	b->ends = true;
	while (b->guest) {
		struct mcp_guest *g = b->guest;

		b->guest = g->next;
		g->lost(g->owner, why);
	}
	take_down(b);
}

static const struct mqtt_client_events events = {
	.connected = on_connected,
	.message = on_message,
	.retained = on_message,
	.lost = on_lost,
	.said = on_said,
	.published = on_published,
	.subscribed = on_subscribed,
};

/* ---- opening ---- */

static int connect_to(struct mcp_broker *b, const struct endpoint *to,
		      struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *will = mcp_topic_make(MCP_TOPIC_CLIENT, b->id, NULL);
	const struct mqtt_pair connects[] = {
		{ MCP_TOPIC_KIND_PROPERTY, "mcp-client" },
		{ MCP_TOPIC_META_PROPERTY,
		  "{\"name\":\"mcpctl\",\"version\":\"" MCPCTL_VERSION "\"}" },
		{ NULL, NULL }
	};
	const struct mqtt_pair publishes[] = {
		{ MCP_TOPIC_KIND_PROPERTY, "mcp-client" },
		{ MCP_TOPIC_CLIENT_PROPERTY, b->id },
		{ NULL, NULL }
	};
	const struct mqtt_five five = { .will_topic = will,
					.will = GONE,
					.connects = connects,
					.publishes = publishes };
	struct mqtt_options options = mqtt_options_to(to);

	options.client_id = b->id;
	options.keepalive = KEEPALIVE_S;
	options.five = &five;
	b->client = mqtt_client_open(b->loop, &options, &events, b, err);
	return b->client ? 0 : -1;
}

/* NULL: err. */
static struct mcp_broker *broker_new(struct loop *l, const struct endpoint *to,
				     struct error *err)
{
	struct mcp_broker *b = mem_zalloc(sizeof(*b));
	uint64_t bits;

	b->loop = l;
	b->key = key_of(to);
	b->host = mem_strdup(to->host);
	b->port = to->port;
	/* Servers for microcontrollers keep topics in 128 bytes: a short one. */
	random_bytes(&bits, sizeof(bits));
	snprintf(b->id, sizeof(b->id), "%016llx", (unsigned long long)bits);
	timer_open(&b->timer, l, on_timer, b);
	if (connect_to(b, to, err)) {
		timer_close(&b->timer, on_timer_closed);
		return NULL;
	}
	b->next = brokers;
	brokers = b;
	return b;
}

struct mcp_broker *mcp_broker_enter(struct loop *l, const struct endpoint *to,
				    struct mcp_guest *g, struct error *err)
{
	CLEANUP(mem_free_ptr) char *key = key_of(to);
	struct mcp_broker *b = find(l, key, g->server);
	struct mcp_guest **end;

	if (!b)
		b = broker_new(l, to, err);
	if (!b)
		return NULL;
	if (g->server)
		map_add(&b->used, map_hash_text(g->server),
			mem_strdup(g->server));
	for (end = &b->guest; *end; end = &(*end)->next)
		;
	*end = g;
	g->next = NULL;
	g->told = false;
	g->asked = 0;
	if (b->connected)
		timer_start(&b->timer, 0);
	return b;
}

void mcp_broker_leave(struct mcp_broker *b, struct mcp_guest *g)
{
	struct mcp_guest **p;

	for (p = &b->guest; *p && *p != g; p = &(*p)->next)
		;
	if (!*p)
		return;
	*p = g->next;
	if (b->walk == g)
		b->walk = g->next;
	g->next = b->leaving;
	b->leaving = g;
	if (b->guest)
		timer_start(&b->timer, 0);
	else
		begin_end(b);
}

enum error_kind mcp_broker_kind(int code)
{
	return code == MCP_NOT_AUTHORIZED ? ERR_AUTH : ERR_CONNECT;
}

const char *mcp_broker_words(int code)
{
	if (code == MCP_NOT_AUTHORIZED)
		return ", not authorized";
	return code == QUOTA_EXCEEDED ? ", quota exceeded" : "";
}

int mcp_broker_unanswered(const struct mcp_broker *b, struct error *err)
{
	if (!b || !b->connected)
		return 0;
	return error_set(
		err, ERR_CONNECT,
		"the broker '%s' accepted us, and has not answered SUBSCRIBE",
		b->host);
}

int mcp_broker_subscribe(struct mcp_broker *b, struct mcp_guest *g,
			 char *const *filter, size_t count, struct error *err)
{
	return mqtt_subscribe_five(b->client, filter, count, false, &g->asked,
				   err);
}

int mcp_broker_publish(struct mcp_broker *b, const char *topic,
		       const char *text, size_t len, int *number,
		       struct error *err)
{
	const struct mqtt_message m = { .topic = topic,
					.data = text,
					.len = len };

	if (!b->client)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	return mqtt_publish_five(b->client, &m, number, err);
}
