/* SPDX-License-Identifier: MIT */
/* One board at a broker: announced, asked, answered, taken back. */
#include "bridge/board_presence.h"

#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "bridge/bridge_host.h"
#include "cli/app.h"
#include "mcp/opening.h"
#include "net/mqtt.h"
#include "serve/aliases.h"
#include "wire/jsonrpc.h"
#include "wire/mcp_topic.h"

enum {
	CLIENTS_MAX = 64, /* of one board */
	IDLE_MS = 600000, /* who was not heard for so long makes room */
	KEEPALIVE_S = 30,
	REFUSED = 0x80, /* SUBACK, PUBACK; and above */
	NOT_AUTHORIZED = 0x87,
	SENT_MAX = 32, /* topics that are known when PUBACK comes */
	SUBSCRIBES = 16, /* bits from there on: of what is subscribed to */
	BARE_MAC_LEN = 12,
	NAME_MAX_LEN = 48, /* of each part: SDKs keep topics in 128 bytes */
	TOOLS_TOLD = 64, /* names in a presence */
	CLIENT_TOPICS = 3
};

#define SERVER_REFUSES (-32000)
#define PREFIX "xiaozhi"

/* Its topics, in the order in which they are asked for. */
enum { ASKS, PRESENCE, CAPABILITY };

struct presence_client {
	struct board_presence *board;
	char *id; /* its MQTT client id */
	char *rpc; /* where it and we talk */
	char *opening; /* initialize, until its topics are subscribed; NULL */
	size_t opening_len;
	int asked; /* the number of SUBSCRIBE */
	void *client; /* of the answerer */
	int64_t heard; /* loop_now() ms */
};

struct board_presence {
	const struct presence_place *place;
	struct bridge_peer *peer;
	struct bridge view; /* of this one alone */
	struct bridge_host *host;
	const struct answerer *answerer;
	char *id, *server; /* "SERVER-ID"; that, a slash and the name */
	char *topic[CAPABILITY + 1];
	struct mqtt_client *client; /* NULL: not there */
	bool connected, announced, closing;
	int asked; /* SUBSCRIBE of its own topic */
	struct {
		int number;
		char *topic;
	} sent[SENT_MAX]; /* last, in a ring */
	size_t next_sent;
	struct presence_client *session[CLIENTS_MAX];
	size_t sessions;
	struct {
		uint64_t turn, hash;
	} reached; /* what was said to all of them last */
	/* what was shown last */
	const struct bridge_list *list;
	enum peer_state state;
	enum peer_lacks lacks;
	bool stale; /* its presence tells what was */
	void (*closed)(void *owner);
	void *owner;
};

const char *board_presence_server(const struct board_presence *p)
{
	return p->server;
}

/* ---- its names ---- */

/* Letters of a topic's level; what cannot stand there becomes _. */
static void add_level(struct buf *out, const char *text, size_t len,
		      const char *bad)
{
	size_t cut = len < NAME_MAX_LEN ? len : NAME_MAX_LEN;

	while (cut < len && cut > 0 &&
	       ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	for (size_t i = 0; i < cut; i++) {
		bool odd = (unsigned char)text[i] < ' ' || text[i] == 0x7f ||
			   strchr(bad, text[i]);

		if (odd)
			buf_char(out, '_');
		else
			buf_char(out, text[i]);
	}
}

/*
 * The letters of a MAC address; of what else it is, a level. What that changed or
 * cut, as addresses of servers are, or what looks like the letters of a MAC
 * address, must not be another's: a board says of itself what it likes.
 */
static void add_id(struct buf *out, const char *id)
{
	const bool mac = board_id_is_mac(id);
	const size_t len = strlen(id), from = out->len;
	char sum[SHA256_TEXT];

	for (const char *p = id; mac && *p; p++) {
		if (*p != ':')
			buf_char(out, *p);
	}
	if (mac)
		return;
	add_level(out, id, len, "/+# ");
	if (text_same(buf_string(out) + from, id) && len != BARE_MAC_LEN)
		return;
	sha256_text(id, len, sum);
	buf_printf(out, "-%.8s", sum);
}

/* "HOST-AABBCCDDEEFF": the same after a restart, and nobody else's. */
static char *make_id(const struct bridge_peer *peer)
{
	struct buf out = { 0 };
	char host[64] = "";

	if (gethostname(host, sizeof(host) - 1))
		text_copy(host, sizeof(host), "mcpctl");
	host[strcspn(host, ".")] = '\0';
	add_level(&out, host, strlen(host), "/+#");
	buf_char(&out, '-');
	add_id(&out, peer->id);
	return buf_take(&out);
}

/* "xiaozhi/esp32s3-box/kitchen" */
static char *make_name(const struct board_presence *p)
{
	const struct bridge_peer *peer = p->peer;
	const char *prefix = p->place->broker->path;
	const char *about = peer->about ? peer->about : "";
	size_t type = strcspn(about, " ");
	const char *alias = peer->prefix ? peer->prefix : peer->id;
	struct buf out = { 0 };

	prefix = *prefix ? prefix : PREFIX;
	add_level(&out, prefix, strlen(prefix), "+#");
	buf_char(&out, '/');
	if (type)
		add_level(&out, about, type, "/+#");
	else
		buf_text(&out, peer->device ? "board" : "server");
	buf_char(&out, '/');
	add_level(&out, alias, strlen(alias), "/+#");
	return buf_take(&out);
}

static void name_it(struct board_presence *p)
{
	CLEANUP(mem_free_ptr) char *name = make_name(p);

	mem_free(p->server);
	p->server = mem_printf("%s/%s", p->id, name);
	for (size_t i = 0; i < COUNT(p->topic); i++)
		mem_free(p->topic[i]);
	p->topic[ASKS] = mcp_topic_make(MCP_TOPIC_CONTROL, NULL, p->server);
	p->topic[PRESENCE] =
		mcp_topic_make(MCP_TOPIC_PRESENCE, NULL, p->server);
	p->topic[CAPABILITY] =
		mcp_topic_make(MCP_TOPIC_CAPABILITY, NULL, p->server);
}

/* ---- what the broker refuses ---- */

static void refused_by(const struct board_presence *p, bool subscribes,
		       const char *topic, int code)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct mcp_topic t;

	mcp_topic_read(&t, topic);
	error_set(&why, ERR_AUTH,
		  "the broker '%s' refused to %s '%s' (0x%02x%s)",
		  p->place->broker->host,
		  subscribes ? "subscribe to" : "publish to", topic,
		  (unsigned)code,
		  code == NOT_AUTHORIZED ? ", not authorized" : "");
	if (code == NOT_AUTHORIZED)
		error_hint(
			&why,
			"its access rules must let this user read and write $mcp-server/ and $mcp-rpc/, and read $mcp-client/");
	p->place->refused(
		p->place->owner,
		1U << ((unsigned)t.kind + (subscribes ? SUBSCRIBES : 0)), &why);
}

static void note_sent(struct board_presence *p, int number, const char *topic)
{
	const size_t at = p->next_sent++ % SENT_MAX;

	mem_free(p->sent[at].topic);
	p->sent[at].number = number;
	p->sent[at].topic = mem_strdup(topic);
}

/* The next connection counts anew. */
static void forget_sent(struct board_presence *p)
{
	for (size_t i = 0; i < SENT_MAX; i++)
		mem_free(TAKE(p->sent[i].topic));
}

static void on_published(void *owner, int number, int reason)
{
	const struct board_presence *p = owner;

	for (size_t i = 0; i < SENT_MAX && reason >= REFUSED; i++) {
		if (p->sent[i].topic && p->sent[i].number == number) {
			refused_by(p, false, p->sent[i].topic, reason);
			return;
		}
	}
}

/* ---- what is said ---- */

static void say(struct board_presence *p, const char *topic, const char *text,
		size_t len, bool retained)
{
	const struct mqtt_message m = {
		.topic = topic, .data = text, .len = len, .retained = retained
	};

	int number = 0;

	if (p->connected &&
	    p->place->mqtt->publish_five(p->client, &m, &number, NULL) == 0)
		note_sent(p, number, topic);
}

/* Those that its clients may see. */
static void add_tools(struct buf *out, struct board_presence *p)
{
	const struct bridge_catalogue *c = &bridge_shown(&p->view)->catalogue;
	size_t told = 0;

	buf_text(out, ",\"tools\":[");
	for (size_t i = 0; i < c->count && told < TOOLS_TOLD; i++) {
		const char *name = c->tool[i].name;

		if (!name)
			continue;
		buf_text(out, told++ ? "," : "");
		buf_json_string(out, name, strlen(name));
	}
	buf_char(out, ']');
}

static void announce(struct board_presence *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct bridge_peer *peer = p->peer;
	CLEANUP(mem_free_ptr)
	char *description = mem_printf(
		"%s%s%s", peer->prefix ? peer->prefix : peer->id,
		peer->about ? ", " : "", peer->about ? peer->about : "");

	buf_text(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"" MCP_ONLINE
		       "\",\"params\":{\"server_name\":");
	buf_json_string(&out, p->server + strlen(p->id) + 1,
			strlen(p->server + strlen(p->id) + 1));
	json_add_text(&out, "description", description);
	buf_printf(&out, ",\"meta\":{\"state\":\"%s\"",
		   peer->state != PEER_AWAY    ? "ready" :
		   peer->lacks == LACKS_WAKING ? "asleep" :
						 "away");
	json_add_text(&out, "id", peer->id);
	json_add_text(&out, "board", peer->about);
	add_tools(&out, p);
	buf_text(&out, "}}}");
	say(p, p->topic[PRESENCE], out.data, out.len, true);
	p->announced = true;
	p->stale = p->view.changed || p->view.show_at != LOOP_FOREVER;
}

/* ---- its clients ---- */

static void drop_client(struct presence_client *c)
{
	struct board_presence *p = c->board;
	CLEANUP(mem_free_ptr)
	char *presence = mcp_topic_make(MCP_TOPIC_CLIENT, c->id, NULL);
	CLEANUP(mem_free_ptr)
	char *capability =
		mcp_topic_make(MCP_TOPIC_CLIENT_CAPABILITY, c->id, NULL);

	if (p->connected) {
		p->place->mqtt->unsubscribe(p->client, c->rpc);
		p->place->mqtt->unsubscribe(p->client, presence);
		p->place->mqtt->unsubscribe(p->client, capability);
	}
	for (size_t i = 0; i < p->sessions; i++) {
		if (p->session[i] != c)
			continue;
		p->sessions--;
		memmove(&p->session[i], &p->session[i + 1],
			(p->sessions - i) * sizeof(struct presence_client *));
		break;
	}
	p->answerer->client_free(c->client);
	mem_free(c->id);
	mem_free(c->rpc);
	mem_free(c->opening);
	mem_free(c);
}

static void drop_clients(struct board_presence *p)
{
	while (p->sessions)
		drop_client(p->session[p->sessions - 1]);
}

static struct presence_client *find_client(const struct board_presence *p,
					   struct span id)
{
	for (size_t i = 0; i < p->sessions; i++) {
		struct presence_client *c = p->session[i];

		if (strlen(c->id) == id.len &&
		    memcmp(c->id, id.text, id.len) == 0)
			return c;
	}
	return NULL;
}

static void on_reply(void *owner, const char *reply, size_t len)
{
	struct presence_client *c = owner;

	if (len)
		say(c->board, c->rpc, reply, len, false);
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	on_reply(owner, text, len);
	return true;
}

/*
 * What belongs to no question is for all its clients, at one topic: it is said once,
 * though each of them is reached, in one turn of the loop.
 */
static bool on_reach(void *owner, const char *text, size_t len)
{
	const struct presence_client *c = owner;
	struct board_presence *p = c->board;
	const uint64_t turn = uv_now(loop_uv(p->place->bridge->app->loop));
	const uint64_t hash = map_hash(text, len);

	if (p->reached.turn == turn && p->reached.hash == hash)
		return true;
	p->reached.turn = turn;
	p->reached.hash = hash;
	say(p, p->topic[CAPABILITY], text, len, false);
	return true;
}

static void hear(struct presence_client *c, const char *text, size_t len)
{
	static const struct mcp_hearer hearer = { .done = on_reply,
						  .tell = on_tell };
	const struct mcp_said said = { .text = text, .len = len };

	c->heard = loop_now();
	c->board->answerer->hear(c->client, &said, &hearer, c);
}

/* Who was silent longest, if that is long. */
static bool make_room(struct board_presence *p)
{
	struct presence_client *oldest = NULL;

	for (size_t i = 0; i < p->sessions; i++) {
		struct presence_client *c = p->session[i];

		if (!oldest || c->heard < oldest->heard)
			oldest = c;
	}
	if (!oldest || loop_now() - oldest->heard < IDLE_MS)
		return false;
	drop_client(oldest);
	return true;
}

/* text: its initialize, which is answered by that. */
static void refuse_client(struct board_presence *p, const char *id,
			  struct span text, const char *why)
{
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(mem_free_ptr)
	char *rpc = mcp_topic_make(MCP_TOPIC_RPC, id, p->server);
	CLEANUP(mem_free_ptr) char *asked = NULL;
	CLEANUP(buf_done) struct buf reply = { 0 };

	if (message_read(&m, text.text, text.len, NULL) ||
	    m.kind != MESSAGE_REQUEST)
		return;
	asked = mem_strndup(m.id.text, m.id.len);
	jsonrpc_error(&reply, asked, SERVER_REFUSES, why);
	say(p, rpc, reply.data, reply.len, false);
}

/* What it is heard on; the caller's. */
static void client_topics(const struct presence_client *c, char **filter)
{
	filter[0] = mem_strdup(c->rpc);
	filter[1] = mcp_topic_make(MCP_TOPIC_CLIENT, c->id, NULL);
	filter[2] = mcp_topic_make(MCP_TOPIC_CLIENT_CAPABILITY, c->id, NULL);
}

static void add_client(struct board_presence *p, const char *id,
		       const char *text, size_t len)
{
	struct presence_client *c = mem_zalloc(sizeof(*c));
	char *filter[CLIENT_TOPICS];

	c->board = p;
	c->id = mem_strdup(id);
	c->rpc = mcp_topic_make(MCP_TOPIC_RPC, id, p->server);
	c->opening = mem_copy(text, len);
	c->opening_len = len;
	c->heard = loop_now();
	c->client = p->answerer->client_new(p->answerer->owner);
	p->answerer->reach(c->client, on_reach, c);
	p->session[p->sessions++] = c;
	client_topics(c, filter);
	if (p->place->mqtt->subscribe_five(p->client, filter, COUNT(filter),
					   false, &c->asked, NULL))
		drop_client(c);
	for (size_t i = 0; i < COUNT(filter); i++)
		mem_free(filter[i]);
}

/* On its own topic: initialize, by a client that says who it is. */
static void greet(struct board_presence *p, const char *text, size_t len)
{
	const char *id =
		p->place->mqtt->property(p->client, MCP_TOPIC_CLIENT_PROPERTY);
	CLEANUP(mem_free_ptr) char *busy = NULL;
	struct presence_client *before;
	size_t size = id ? strlen(id) : 0;

	if (!id || !mcp_id_fits(id, size) || !text_is_utf8(text, len))
		return;
	before = find_client(p, (struct span){ id, size });
	if (before)
		drop_client(before);
	if (p->sessions < CLIENTS_MAX || make_room(p)) {
		add_client(p, id, text, len);
		return;
	}
	busy = mem_printf("busy: it has %d clients already", CLIENTS_MAX);
	refuse_client(p, id, (struct span){ text, len }, busy);
}

static bool is_goodbye(const char *text, size_t len)
{
	CLEANUP(message_done) struct message m = { 0 };

	return !len || (!message_read(&m, text, len, NULL) &&
			text_same(m.method, MCP_DISCONNECTED));
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct board_presence *p = owner;
	struct presence_client *c = NULL;
	struct mcp_topic t;

	mcp_topic_read(&t, topic);
	if (p->closing)
		return;
	if (text_same(topic, p->topic[ASKS])) {
		greet(p, data, len);
		return;
	}
	if (t.client.text)
		c = find_client(p, t.client);
	if (!c || c->asked)
		return;
	if (is_goodbye(data, len))
		drop_client(c);
	else if (t.kind == MCP_TOPIC_RPC)
		hear(c, data, len);
}

/* ---- the connection ---- */

/* Those of a client. */
static void refused_topics(const struct presence_client *c, size_t count,
			   const int *code)
{
	char *filter[CLIENT_TOPICS];

	client_topics(c, filter);
	for (size_t i = 0; i < CLIENT_TOPICS; i++) {
		if (i < count && code[i] >= REFUSED)
			refused_by(c->board, true, filter[i], code[i]);
		mem_free(filter[i]);
	}
}

/* Its topics are subscribed. Where it could not be heard behind that, it is told. */
static void open_client(struct presence_client *c, size_t count,
			const int *code)
{
	CLEANUP(mem_free_ptr) char *opening = TAKE(c->opening);
	CLEANUP(mem_free_ptr) char *why = NULL;

	c->asked = 0;
	refused_topics(c, count, code);
	if (!count || code[0] < REFUSED) {
		hear(c, opening, c->opening_len);
		return;
	}
	why = mem_printf(
		"the broker does not let this server read '%s': its access rules must",
		c->rpc);
	refuse_client(c->board, c->id, (struct span){ opening, c->opening_len },
		      why);
	drop_client(c);
}

static void on_subscribed(void *owner, int number, size_t count,
			  const int *code)
{
	struct board_presence *p = owner;

	if (number == p->asked) {
		p->asked = 0;
		if (count && code[0] >= REFUSED) {
			refused_by(p, true, p->topic[ASKS], code[0]);
			return;
		}
		announce(p);
		p->place->told(p->place->owner, p, NULL);
		return;
	}
	for (size_t i = 0; i < p->sessions; i++) {
		if (p->session[i]->asked != number)
			continue;
		open_client(p->session[i], count, code);
		return;
	}
}

static void on_connected(void *owner)
{
	struct board_presence *p = owner;
	char *filter[] = { p->topic[ASKS] };

	p->connected = true;
	p->place->mqtt->subscribe_five(p->client, filter, 1, true, &p->asked,
				       NULL);
}

static void on_lost(void *owner, const struct error *why)
{
	struct board_presence *p = owner;

	p->connected = p->announced = false;
	forget_sent(p);
	drop_clients(p);
	p->place->told(p->place->owner, p, why);
}

static const struct mqtt_client_events events = {
	.connected = on_connected,
	.message = on_message,
	.lost = on_lost,
	.published = on_published,
	.subscribed = on_subscribed,
};

static void connect_it(struct board_presence *p)
{
	const struct mqtt_pair connects[] = {
		{ MCP_TOPIC_KIND_PROPERTY, "mcp-server" }, { NULL, NULL }
	};
	const struct mqtt_pair publishes[] = {
		{ MCP_TOPIC_KIND_PROPERTY, "mcp-server" },
		{ MCP_TOPIC_CLIENT_PROPERTY, p->id },
		{ NULL, NULL }
	};
	struct mqtt_five five = { .will = "",
				  .will_retained = true,
				  .connects = connects,
				  .publishes = publishes };
	struct mqtt_options options = mqtt_options_to(p->place->broker);
	CLEANUP(error_reset) struct error why = { 0 };

	name_it(p);
	options.client_id = p->id;
	options.keepalive = KEEPALIVE_S;
	options.reconnect = true;
	options.five = &five;
	five.will_topic = p->topic[PRESENCE];
	p->client = p->place->mqtt->client_open(p->place->bridge->app->loop,
						&options, &events, p, &why);
	if (!p->client)
		p->place->told(p->place->owner, p, &why);
}

static void say_goodbye(struct board_presence *p)
{
	static const char text[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"" MCP_DISCONNECTED "\"}";

	for (size_t i = 0; i < p->sessions; i++)
		say(p, p->session[i]->rpc, text, sizeof(text) - 1, false);
	drop_clients(p);
	if (p->announced)
		say(p, p->topic[PRESENCE], "", 0, true);
	p->announced = false;
}

static void disconnect_it(struct board_presence *p)
{
	say_goodbye(p);
	p->connected = false;
	forget_sent(p);
	/* Its callbacks say nothing any more: p is not connected. */
	p->place->mqtt->client_close(TAKE(p->client), NULL);
}

/* ---- its life ---- */

struct board_presence *board_presence_new(const struct presence_place *place,
					  struct bridge_peer *peer)
{
	struct board_presence *p = mem_zalloc(sizeof(*p));

	p->place = place;
	p->peer = peer;
	p->id = make_id(peer);
	bridge_part_open(&p->view, place->bridge, peer);
	p->host = bridge_host_new(&p->view);
	p->answerer = bridge_host_answerer(p->host);
	p->state = PEER_AWAY;
	return p;
}

/* What clients see of it is another thing now. */
static void look_at_peer(struct board_presence *p)
{
	const struct bridge_peer *peer = p->peer;

	if (p->list == peer->list && p->state == peer->state &&
	    p->lacks == peer->lacks)
		return;
	p->list = peer->list;
	p->state = peer->state;
	p->lacks = peer->lacks;
	p->view.changed = p->stale = true;
}

int64_t board_presence_tend(struct board_presence *p)
{
	const struct bridge_peer *peer = p->peer;
	bool there = peer->list && (peer->state == PEER_READY ||
				    (p->client && peer->state == PEER_COMING));
	bool kept = peer->list && p->client && p->place->keep_asleep;
	int64_t next, due;

	look_at_peer(p);
	if (there && !p->client)
		connect_it(p);
	else if (p->client && !there && !kept)
		disconnect_it(p);
	next = bridge_tend(&p->view);
	if (p->stale && p->view.show_at == LOOP_FOREVER) {
		p->stale = false;
		if (p->announced)
			announce(p);
	}
	due = bridge_host_tend(p->host);
	return due < next ? due : next;
}

static void presence_free(struct board_presence *p)
{
	bridge_host_free(p->host);
	bridge_close(&p->view);
	for (size_t i = 0; i < COUNT(p->topic); i++)
		mem_free(p->topic[i]);
	forget_sent(p);
	mem_free(p->id);
	mem_free(p->server);
	mem_free(p);
}

static void release(void *owner)
{
	struct board_presence *p = owner;
	void (*closed)(void *owner) = p->closed;

	owner = p->owner;
	presence_free(p);
	closed(owner);
}

void board_presence_close(struct board_presence *p, void (*closed)(void *owner),
			  void *owner)
{
	p->closing = true;
	p->closed = closed;
	p->owner = owner;
	if (!p->client) {
		release(p);
		return;
	}
	say_goodbye(p);
	p->place->mqtt->client_close(p->client, release);
}

/* A client that is closed says nothing more to who had it. */
void board_presence_forget(struct board_presence *p)
{
	if (p->client)
		disconnect_it(p);
	presence_free(p);
}

bool board_presence_is_of(const struct board_presence *p,
			  const struct bridge_peer *peer)
{
	return p->peer == peer;
}
