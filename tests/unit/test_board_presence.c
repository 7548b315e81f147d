/* SPDX-License-Identifier: MIT */
/* A board as a server of MCP over MQTT, at a broker that is played. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/board_presence.h"
#include "bridge/fronts.h"
#include "cli/app.h"
#include "net/mqtt.h"
#include "wire/mcp_topic.h"

enum { SAID_MAX = 512 };

/* ---- the broker ---- */

struct mqtt_client {
	int unused;
};

/* Our end as the broker sees it, and what came from there. */
static struct {
	struct mqtt_client client;
	const struct mqtt_client_events *events;
	void *owner;
	unsigned opened, closed;
	void (*on_closed)(void *owner);
	char *id, *will, *connects, *publishes;
	int keepalive;
	bool reconnect, will_retained;
	bool refuses_open, refuses_publish, refuses_subscribe;
	int number; /* of what was sent last */
	char *said[SAID_MAX]; /* "publish TOPIC TEXT", "subscribe TOPIC …" */
	size_t count;
	const char *property; /* of the message that comes */
} broker;

static void note(char *line)
{
	assert_true(broker.count < SAID_MAX);
	broker.said[broker.count++] = line;
}

static char *pairs(const struct mqtt_pair *p)
{
	struct buf out = { 0 };

	for (; p->name; p++)
		buf_printf(&out, "%s=%s;", p->name, p->value);
	return buf_take(&out);
}

static struct mqtt_client *play_open(struct loop *l,
				     const struct mqtt_options *o,
				     const struct mqtt_client_events *e,
				     void *owner, struct error *err)
{
	assert_non_null(l);
	if (broker.refuses_open) {
		error_set(err, ERR_USAGE, "it cannot be");
		return NULL;
	}
	broker.opened++;
	broker.events = e;
	broker.owner = owner;
	mem_free(broker.id);
	mem_free(broker.will);
	mem_free(broker.connects);
	mem_free(broker.publishes);
	broker.id = mem_strdup(o->client_id);
	broker.will = mem_printf("%s '%s'", o->five->will_topic, o->five->will);
	broker.will_retained = o->five->will_retained;
	broker.connects = pairs(o->five->connects);
	broker.publishes = pairs(o->five->publishes);
	broker.keepalive = o->keepalive;
	broker.reconnect = o->reconnect;
	broker.number = 0;
	return &broker.client;
}

static int play_publish(struct mqtt_client *c, const struct mqtt_message *m,
			int *number, struct error *err)
{
	assert_ptr_equal(c, &broker.client);
	if (broker.refuses_publish)
		return error_set(err, ERR_CONNECT, "too much waits");
	*number = ++broker.number;
	note(mem_printf("%s %s %.*s", m->retained ? "retain" : "publish",
			m->topic, (int)m->len, (const char *)m->data));
	return 0;
}

static int play_subscribe(struct mqtt_client *c, char *const *filter,
			  size_t count, bool own, int *number,
			  struct error *err)
{
	struct buf out = { 0 };

	assert_ptr_equal(c, &broker.client);
	if (broker.refuses_subscribe)
		return error_set(err, ERR_CONNECT, "too much waits");
	*number = ++broker.number;
	buf_text(&out, own ? "subscribe own" : "subscribe");
	for (size_t i = 0; i < count; i++)
		buf_printf(&out, " %s", filter[i]);
	note(buf_take(&out));
	return 0;
}

static void play_unsubscribe(struct mqtt_client *c, const char *filter)
{
	assert_ptr_equal(c, &broker.client);
	note(mem_printf("unsubscribe %s", filter));
}

static const char *play_property(struct mqtt_client *c, const char *name)
{
	assert_ptr_equal(c, &broker.client);
	assert_string_equal(name, "MCP-MQTT-CLIENT-ID");
	return broker.property;
}

static void play_close(struct mqtt_client *c, void (*closed)(void *owner))
{
	assert_ptr_equal(c, &broker.client);
	broker.closed++;
	broker.on_closed = closed;
}

static const struct mqtt_table table = { .client_open = play_open,
					 .publish_five = play_publish,
					 .subscribe_five = play_subscribe,
					 .unsubscribe = play_unsubscribe,
					 .property = play_property,
					 .client_close = play_close };

/* ---- who is behind it ---- */

static struct app app;
static struct bridge bridge;
static struct bridge_options options;
static struct bridge_peer peer;
static struct endpoint endpoint;
static struct presence_place place;
static struct board_presence *board;
static struct bridge_call *started;

/* What the front was told. */
static struct {
	unsigned there, lost, refused;
	unsigned kind;
	char why[256], hint[256];
	unsigned closed;
} front;

static void on_told(void *owner, struct board_presence *p,
		    const struct error *why)
{
	assert_ptr_equal(owner, &front);
	assert_ptr_equal(p, board);
	front.there += !why;
	front.lost += why != NULL;
	if (why)
		text_copy(front.why, sizeof(front.why), why->text);
}

static void on_refused(void *owner, unsigned kind, const struct error *why)
{
	assert_ptr_equal(owner, &front);
	assert_int_equal(why->kind, ERR_AUTH);
	front.refused++;
	front.kind = kind;
	text_copy(front.why, sizeof(front.why), why->text);
	text_copy(front.hint, sizeof(front.hint), why->hint);
}

static void on_closed(void *owner)
{
	assert_ptr_equal(owner, &front);
	front.closed++;
}

static int play_start(void *owner, struct bridge_call *c, int64_t timeout,
		      struct error *err)
{
	(void)owner;
	(void)timeout;
	(void)err;
	started = c;
	return 0;
}

static void play_drop(void *owner, struct bridge_call *c)
{
	(void)owner;
	(void)c;
	started = NULL;
}

static const struct peer_kind played = { .start = play_start,
					 .drop = play_drop };

static void give_tools(const char *tools)
{
	struct tool_list list = { 0 };
	struct bridge_list *l;

	assert_int_equal(tool_list_add_text(&list, tools, strlen(tools), NULL),
			 0);
	l = bridge_list_new("list", &list);
	bridge_peer_list(&peer, l);
	bridge_list_release(l);
}

static void name_peer(const char *id, const char *prefix, const char *about)
{
	mem_free(peer.id);
	mem_free(peer.prefix);
	mem_free(peer.about);
	peer.id = mem_strdup(id);
	peer.prefix = mem_strdup(prefix);
	peer.about = mem_strdup(about);
}

static int set_up(void **state)
{
	static char host[] = "broker.lan", path[] = "";

	(void)state;
	app_init(&app);
	assert_int_equal(app_open_loop(&app, NULL), 0);
	memset(&broker, 0, sizeof(broker));
	memset(&front, 0, sizeof(front));
	options = (struct bridge_options){ 0 };
	bridge = (struct bridge){ .app = &app,
				  .options = &options,
				  .timeout = 60000,
				  .wait = 60000,
				  .log = -1,
				  .show_at = LOOP_FOREVER };
	peer = (struct bridge_peer){ .kind = &played,
				     .device = true,
				     .state = PEER_READY,
				     .changed = &bridge.changed,
				     .woken = &bridge.woken };
	name_peer("02:00:00:00:00:0a", "kitchen", "esp-box 1.2");
	give_tools("{\"name\":\"self.set\"},{\"name\":\"self.reboot\"}");
	endpoint = (struct endpoint){ .host = host, .path = path };
	place = (struct presence_place){ .mqtt = &table,
					 .broker = &endpoint,
					 .bridge = &bridge,
					 .told = on_told,
					 .refused = on_refused,
					 .owner = &front };
	board = board_presence_new(&place, &peer);
	started = NULL;
	return 0;
}

static void close_board(void)
{
	const bool there = broker.opened > broker.closed;

	if (!board)
		return;
	board_presence_close(TAKE(board), on_closed, &front);
	if (there)
		broker.on_closed(broker.owner);
	assert_int_equal(front.closed, 1);
	front.closed = 0;
}

static int tear_down(void **state)
{
	(void)state;
	close_board();
	bridge_peer_done(&peer);
	words_done(&bridge.lines);
	for (size_t i = 0; i < broker.count; i++)
		mem_free(broker.said[i]);
	mem_free(broker.id);
	mem_free(broker.will);
	mem_free(broker.connects);
	mem_free(broker.publishes);
	app_done(&app);
	return 0;
}

/* ---- what came to the broker ---- */

/* "$mcp-…/" before, what the server is called behind; yours. */
static char *topic_of(const char *before)
{
	return mem_printf("%s%s", before, board_presence_server(board));
}

/* The nth that was said, from the end: it begins so, then its server, then that. */
static void said(size_t from_end, const char *before, const char *behind)
{
	const char *server = board_presence_server(board), *line;
	CLEANUP(mem_free_ptr)
	char *expected = mem_printf("%s%s%s", before, server, behind);

	assert_true(broker.count > from_end);
	line = broker.said[broker.count - 1 - from_end];
	assert_string_equal(line, expected);
}

#define ONLINE(description, rest)                                            \
	" {\"jsonrpc\":\"2.0\",\"method\":\"notifications/server/online\","  \
	"\"params\":{\"server_name\":\"xiaozhi/esp-box/kitchen\","           \
	"\"description\":\"" description "\",\"meta\":{" rest ",\"id\":"     \
	"\"02:00:00:00:00:0a\",\"board\":\"esp-box 1.2\",\"tools\":[\"self." \
	"set\"]}}}"

/* Its own topic was subscribed to, with that code. */
static void suback(int code)
{
	broker.events->subscribed(broker.owner, broker.number, 1, &code);
}

static void connect_board(void)
{
	board_presence_tend(board);
	assert_int_equal(broker.opened, broker.closed + 1);
	broker.events->connected(broker.owner);
	suback(1);
}

static void comes(const char *topic, const char *text, size_t len)
{
	broker.events->message(broker.owner, topic, text, len);
}

#define INITIALIZE                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\","      \
	"\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{" \
	"},\"clientInfo\":{\"name\":\"n\",\"version\":\"1\"}}}"

/* A client says who it is. */
static void greets(const char *id, const char *text)
{
	CLEANUP(mem_free_ptr) char *topic = topic_of("$mcp-server/");

	broker.property = id;
	comes(topic, text, strlen(text));
	broker.property = NULL;
}

static void client_suback(int rpc, int presence, int capability)
{
	const int code[] = { rpc, presence, capability };

	broker.events->subscribed(broker.owner, broker.number, 3, code);
}

static void says(const char *client, const char *text)
{
	CLEANUP(mem_free_ptr) char *before = mem_printf("$mcp-rpc/%s/", client);
	CLEANUP(mem_free_ptr) char *topic = topic_of(before);

	comes(topic, text, strlen(text));
}

static void admit(const char *id)
{
	greets(id, INITIALIZE);
	client_suback(1, 1, 1);
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) " {\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"

/* ---- it comes ---- */

static void what_it_says_of_itself(void **state)
{
	CLEANUP(mem_free_ptr) char *will = NULL;
	CLEANUP(mem_free_ptr) char *property = NULL;

	(void)state;
	assert_null(board_presence_server(board));
	board_presence_tend(board);
	assert_int_equal(broker.opened, 1);
	assert_int_equal(broker.keepalive, 30);
	assert_true(broker.reconnect);
	assert_true(broker.will_retained);
	will = mem_printf("$mcp-server/presence/%s ''",
			  board_presence_server(board));
	assert_string_equal(broker.will, will);
	assert_string_equal(broker.connects, "MCP-COMPONENT-TYPE=mcp-server;");
	property = mem_printf(
		"MCP-COMPONENT-TYPE=mcp-server;MCP-MQTT-CLIENT-ID=%s;",
		broker.id);
	assert_string_equal(broker.publishes, property);
	assert_int_equal(broker.count, 0);
	broker.events->connected(broker.owner);
	assert_int_equal(broker.count, 1);
	said(0, "subscribe own $mcp-server/", "");
	assert_int_equal(front.there, 0);
	suback(1);
	assert_int_equal(broker.count, 2);
	said(0, "retain $mcp-server/presence/",
	     ONLINE("kitchen, esp-box 1.2", "\"state\":\"ready\""));
	assert_int_equal(front.there, 1);
	/* There is nothing new. */
	board_presence_tend(board);
	assert_int_equal(broker.opened, 1);
	assert_int_equal(broker.count, 2);
}

/* What clients are told of it, and call it by. */
static void its_names(void **state)
{
	static const struct {
		const char *id, *prefix, *about, *path;
		bool server;
		const char *name;
	} rows[] = {
		{ "02:00:00:00:00:0a", "kitchen", "esp-box 1.2", "", false,
		  "-02000000000a/xiaozhi/esp-box/kitchen" },
		{ "02:00:00:00:00:0a", NULL, NULL, "", false,
		  "-02000000000a/xiaozhi/board/02:00:00:00:00:0a" },
		{ "http://h/mcp", "h", NULL, "", true,
		  "-http:__h_mcp-51805435/xiaozhi/server/h" },
		{ "lamp", "a/b+c#d e", "esp/32 1", "home/attic", false,
		  "-lamp/home/attic/esp_32/a_b_c_d e" },
		{ "la mp", "k", "x\x01y", "p", false,
		  "-la_mp-604ab164/p/x_y/k" },
		{ "02000000000a", "k", "e", "p", false,
		  "-02000000000a-85e46381/p/e/k" },
		{ "02000000000", "k", "e", "p", false, "-02000000000/p/e/k" },
		{ "123456789012345678901234567890123456789012345678", "k", "e",
		  "p", false,
		  "-123456789012345678901234567890123456789012345678/p/e/k" },
		{ "1234567890123456789012345678901234567890123456789", "k", "e",
		  "p", false,
		  "-123456789012345678901234567890123456789012345678-99882ee0/p/e/k" },
		{ "a",
		  "12345678901234567890123456789012345678901234567\xc3\xa4",
		  "e", "p", false,
		  "-a/p/e/12345678901234567890123456789012345678901234567" },
		{ "a", "1234567890123456789012345678901234567890123456\xc3\xa4",
		  "e", "p", false,
		  "-a/p/e/1234567890123456789012345678901234567890123456\xc3\xa4" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *path = mem_strdup(rows[i].path);
		const char *server;

		close_board();
		name_peer(rows[i].id, rows[i].prefix, rows[i].about);
		peer.device = !rows[i].server;
		endpoint.path = path;
		board = board_presence_new(&place, &peer);
		board_presence_tend(board);
		server = board_presence_server(board);
		assert_true(strlen(server) > strlen(rows[i].name));
		server += strlen(server) - strlen(rows[i].name);
		assert_string_equal(server, rows[i].name);
		close_board();
	}
}

/* Where nothing is known of its tools there is nothing to be announced. */
static void who_is_not_there(void **state)
{
	(void)state;
	peer.state = PEER_COMING;
	board_presence_tend(board);
	peer.state = PEER_AWAY;
	board_presence_tend(board);
	peer.state = PEER_READY;
	bridge_list_release(TAKE(peer.list));
	board_presence_tend(board);
	assert_int_equal(broker.opened, 0);
	board_presence_close(TAKE(board), on_closed, &front);
	assert_int_equal(front.closed, 1);
	front.closed = 0;
}

static void a_broker_that_cannot_be(void **state)
{
	(void)state;
	broker.refuses_open = true;
	board_presence_tend(board);
	assert_int_equal(front.lost, 1);
	assert_string_equal(front.why, "it cannot be");
}

/* ---- its clients ---- */

static void a_client_from_its_beginning(void **state)
{
	(void)state;
	connect_board();
	greets("c1", INITIALIZE);
	assert_int_equal(broker.count, 3);
	said(0, "subscribe $mcp-rpc/c1/",
	     " $mcp-client/presence/c1 $mcp-client/capability/c1");
	/* Nobody hears it before its topics are. */
	says("c1", PING("1"));
	assert_int_equal(broker.count, 3);
	client_suback(1, 1, 1);
	assert_int_equal(broker.count, 4);
	assert_non_null(strstr(broker.said[3], "publish $mcp-rpc/c1/"));
	assert_non_null(strstr(broker.said[3],
			       " {\"jsonrpc\":\"2.0\",\"id\":\"i\",\"result\":{"
			       "\"protocolVersion\":\"2025-06-18\","));
	says("c1", PING("1"));
	said(0, "publish $mcp-rpc/c1/", PONG("1"));
	/* What it tells of itself is no message of the session. */
	comes("$mcp-client/capability/c1", PING("2"), strlen(PING("2")));
	/* A notification has no answer; another client is not this one. */
	says("c1", "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
	says("c", PING("3"));
	says("c12", PING("3"));
	assert_int_equal(broker.count, 5);
}

static void who_is_no_client(void **state)
{
	(void)state;
	connect_board();
	greets(NULL, INITIALIZE);
	greets("", INITIALIZE);
	greets("a/b", INITIALIZE);
	greets("c1", "{\"a\":\"\xff\"}");
	assert_int_equal(broker.count, 2);
	broker.refuses_subscribe = true;
	greets("c1", INITIALIZE);
	broker.refuses_subscribe = false;
	/* Nothing is left of it: what it would have been heard on is given back. */
	assert_int_equal(broker.count, 5);
	says("c1", PING("1"));
	assert_int_equal(broker.count, 5);
}

/* It says goodbye, or its broker says it for it. */
static void clients_that_go(void **state)
{
	static const char bye[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/disconnected\"}";

	(void)state;
	connect_board();
	for (int i = 0; i < 3; i++) {
		admit("c1");
		assert_int_equal(broker.count, 4 + 5 * i);
		if (i == 0)
			says("c1", bye);
		else if (i == 1)
			comes("$mcp-client/presence/c1", "", 0);
		else
			comes("$mcp-client/presence/c1", bye, strlen(bye));
		assert_int_equal(broker.count, 7 + 5 * i);
		said(2, "unsubscribe $mcp-rpc/c1/", "");
		assert_string_equal(broker.said[broker.count - 2],
				    "unsubscribe $mcp-client/presence/c1");
		assert_string_equal(broker.said[broker.count - 1],
				    "unsubscribe $mcp-client/capability/c1");
		says("c1", PING("1"));
		assert_int_equal(broker.count, 7 + 5 * i);
	}
}

/* It begins anew: nobody waits for what it asked before. */
static void a_client_that_comes_again(void **state)
{
	(void)state;
	connect_board();
	admit("c1");
	greets("c1", INITIALIZE);
	assert_string_equal(broker.said[broker.count - 2],
			    "unsubscribe $mcp-client/capability/c1");
	said(0, "subscribe $mcp-rpc/c1/",
	     " $mcp-client/presence/c1 $mcp-client/capability/c1");
	client_suback(1, 1, 1);
	says("c1", PING("1"));
	said(0, "publish $mcp-rpc/c1/", PONG("1"));
}

static void so_many_clients(void **state)
{
	char id[16];
	size_t count;

	(void)state;
	connect_board();
	for (int i = 0; i < 64; i++) {
		snprintf(id, sizeof(id), "c%d", i);
		admit(id);
	}
	count = broker.count;
	greets("late", INITIALIZE);
	said(0, "publish $mcp-rpc/late/",
	     " {\"jsonrpc\":\"2.0\",\"id\":\"i\",\"error\":{\"code\":-32000,\"message\":\"busy: it has 64 clients already\"}}");
	assert_int_equal(broker.count, count + 1);
	/* What is no question has no answer. */
	greets("late", "{\"jsonrpc\":\"2.0\",\"method\":\"initialize\"}");
	greets("late", "nonsense");
	assert_int_equal(broker.count, count + 1);
	says("c63", PING("1"));
	said(0, "publish $mcp-rpc/c63/", PONG("1"));
	/* One that is there already needs no further room; one that goes makes it. */
	admit("c7");
	comes("$mcp-client/presence/c8", "", 0);
	admit("late");
	says("late", PING("2"));
	said(0, "publish $mcp-rpc/late/", PONG("2"));
}

/* ---- what the broker refuses ---- */

#define RULES \
	"its access rules must let this user read and write $mcp-server/ and $mcp-rpc/, and read $mcp-client/"

static void its_own_topic_is_refused(void **state)
{
	CLEANUP(mem_free_ptr) char *why = NULL;

	(void)state;
	board_presence_tend(board);
	broker.events->connected(broker.owner);
	suback(0x87);
	why = mem_printf(
		"the broker 'broker.lan' refused to subscribe to '$mcp-server/%s' (0x87, not authorized)",
		board_presence_server(board));
	assert_int_equal(front.refused, 1);
	assert_string_equal(front.why, why);
	assert_string_equal(front.hint, RULES);
	assert_int_equal(front.kind, 1U << 18);
	assert_int_equal(front.there, 0);
	assert_int_equal(broker.count, 1);
}

static void topics_of_a_client_are_refused(void **state)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	connect_board();
	greets("c1", INITIALIZE);
	client_suback(1, 0x80, 1);
	assert_int_equal(front.refused, 1);
	assert_string_equal(
		front.why,
		"the broker 'broker.lan' refused to subscribe to '$mcp-client/presence/c1' (0x80)");
	assert_string_equal(front.hint, "");
	/* It is heard all the same. */
	says("c1", PING("1"));
	said(0, "publish $mcp-rpc/c1/", PONG("1"));
	greets("c2", INITIALIZE);
	client_suback(0x87, 1, 1);
	assert_int_equal(front.refused, 2);
	assert_non_null(strstr(front.why, "subscribe to '$mcp-rpc/c2/"));
	text = mem_printf(
		" {\"jsonrpc\":\"2.0\",\"id\":\"i\",\"error\":{\"code\":-32000,\"message\":\"the broker does not let this server read '$mcp-rpc/c2/%s': its access rules must\"}}",
		board_presence_server(board));
	said(3, "publish $mcp-rpc/c2/", text);
	says("c2", PING("1"));
	said(2, "unsubscribe $mcp-rpc/c2/", "");
}

static void messages_that_are_refused(void **state)
{
	CLEANUP(mem_free_ptr) char *why = NULL;
	int presence;

	(void)state;
	connect_board();
	presence = broker.number;
	admit("c1");
	broker.events->published(broker.owner, presence, 0);
	broker.events->published(broker.owner, presence, 0x7f);
	broker.events->published(broker.owner, 99, 0x87);
	assert_int_equal(front.refused, 0);
	broker.events->published(broker.owner, presence, 0x80);
	why = mem_printf(
		"the broker 'broker.lan' refused to publish to '$mcp-server/presence/%s' (0x80)",
		board_presence_server(board));
	assert_int_equal(front.refused, 1);
	assert_string_equal(front.why, why);
	assert_int_equal(front.kind, 1U << MCP_TOPIC_PRESENCE);
	broker.events->published(broker.owner, broker.number, 0x97);
	assert_int_equal(front.kind, 1U << MCP_TOPIC_RPC);
	assert_string_equal(front.hint, "");
}

/* The next connection counts anew. */
static void numbers_of_a_connection_before(void **state)
{
	(void)state;
	connect_board();
	peer.state = PEER_AWAY;
	board_presence_tend(board);
	assert_int_equal(broker.closed, 1);
	name_peer("02:00:00:00:00:0a", "hall", "esp-box 1.2");
	peer.state = PEER_READY;
	connect_board();
	broker.events->published(broker.owner, broker.number, 0x87);
	assert_int_equal(front.refused, 1);
	assert_non_null(strstr(front.why, "/xiaozhi/esp-box/hall' (0x87"));
}

/* ---- it goes ---- */

static void the_broker_is_lost(void **state)
{
	const struct error why = { .kind = ERR_CONNECT, .text = "it went" };

	(void)state;
	connect_board();
	admit("c1");
	broker.events->lost(broker.owner, &why);
	assert_int_equal(front.lost, 1);
	assert_string_equal(front.why, "it went");
	assert_int_equal(broker.count, 4);
	/* It dials anew by itself; its clients begin anew. */
	board_presence_tend(board);
	assert_int_equal(broker.opened, 1);
	broker.events->connected(broker.owner);
	says("c1", PING("1"));
	suback(1);
	assert_int_equal(broker.count, 6);
	said(1, "subscribe own $mcp-server/", "");
	said(0, "retain $mcp-server/presence/",
	     ONLINE("kitchen, esp-box 1.2", "\"state\":\"ready\""));
	assert_int_equal(front.there, 2);
}

#define BYE " {\"jsonrpc\":\"2.0\",\"method\":\"notifications/disconnected\"}"

static void a_board_that_goes(void **state)
{
	(void)state;
	connect_board();
	admit("c1");
	/* It restarts: it is there soon. */
	peer.state = PEER_COMING;
	board_presence_tend(board);
	assert_int_equal(broker.closed, 0);
	peer.state = PEER_AWAY;
	board_presence_tend(board);
	assert_int_equal(broker.closed, 1);
	assert_null(broker.on_closed);
	said(4, "publish $mcp-rpc/c1/", BYE);
	said(3, "unsubscribe $mcp-rpc/c1/", "");
	said(0, "retain $mcp-server/presence/", " ");
	/* And comes. */
	peer.state = PEER_READY;
	connect_board();
	assert_int_equal(broker.opened, 2);
	said(0, "retain $mcp-server/presence/",
	     ONLINE("kitchen, esp-box 1.2", "\"state\":\"ready\""));
}

/* What was never announced is not taken back. */
static void a_board_that_was_not_announced(void **state)
{
	(void)state;
	board_presence_tend(board);
	broker.events->connected(broker.owner);
	peer.state = PEER_AWAY;
	board_presence_tend(board);
	assert_int_equal(broker.closed, 1);
	assert_int_equal(broker.count, 1);
}

static void until_said(size_t count)
{
	const int64_t until = loop_now() + 60000;

	for (;;) {
		int64_t next = board_presence_tend(board);

		if (broker.count >= count)
			break;
		assert_true(loop_now() < until);
		loop_stay(app.loop, NULL, next < until ? next : until, NULL);
	}
	assert_int_equal(broker.count, count);
}

static void one_that_stays_announced(void **state)
{
	(void)state;
	place.keep_asleep = true;
	connect_board();
	bridge_peer_away(&peer, LACKS_WAKING, NULL);
	until_said(3);
	assert_int_equal(broker.closed, 0);
	said(0, "retain $mcp-server/presence/",
	     ONLINE("kitchen, esp-box 1.2", "\"state\":\"asleep\""));
	bridge_peer_away(&peer, LACKS_ITSELF, NULL);
	until_said(4);
	said(0, "retain $mcp-server/presence/",
	     ONLINE("kitchen, esp-box 1.2", "\"state\":\"away\""));
	bridge_peer_state(&peer, PEER_READY, NULL);
	until_said(5);
	said(0, "retain $mcp-server/presence/",
	     ONLINE("kitchen, esp-box 1.2", "\"state\":\"ready\""));
	assert_int_equal(broker.opened, 1);
}

/* Its clients share a topic: all of them are told at once, and its presence is. */
static void other_tools(void **state)
{
	(void)state;
	connect_board();
	admit("c1");
	admit("c2");
	assert_int_equal(broker.count, 6);
	give_tools("{\"name\":\"self.get\"}");
	until_said(8);
	said(1, "publish $mcp-server/capability/",
	     " {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	assert_non_null(strstr(broker.said[7], "\"tools\":[\"self.get\"]}}}"));
	/* The same is told again when it is so again. */
	give_tools("{\"name\":\"self.other\"}");
	until_said(10);
	said(1, "publish $mcp-server/capability/",
	     " {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
}

static void many_tools(void **state)
{
	CLEANUP(buf_done) struct buf tools = { 0 };

	(void)state;
	for (int i = 0; i < 65; i++)
		buf_printf(&tools, "%s{\"name\":\"t%d\"}", i ? "," : "", i);
	give_tools(buf_string(&tools));
	connect_board();
	assert_non_null(strstr(broker.said[1], ",\"t63\"]}}}"));
}

static void it_is_closed(void **state)
{
	CLEANUP(mem_free_ptr) char *topic = NULL;
	CLEANUP(mem_free_ptr) char *presence = NULL;

	(void)state;
	connect_board();
	admit("c1");
	topic = topic_of("$mcp-server/");
	presence = mem_printf("retain $mcp-server/presence/%s ",
			      board_presence_server(board));
	board_presence_close(TAKE(board), on_closed, &front);
	assert_int_equal(front.closed, 0);
	assert_int_equal(broker.count, 9);
	assert_non_null(strstr(broker.said[4], BYE));
	assert_string_equal(broker.said[8], presence);
	/* What comes until then is not heard. */
	broker.property = "c2";
	comes(topic, INITIALIZE, strlen(INITIALIZE));
	assert_int_equal(broker.count, 9);
	broker.on_closed(broker.owner);
	assert_int_equal(front.closed, 1);
}

/* At once, and what was said of it is taken back. */
static void one_that_is_forgotten(void **state)
{
	CLEANUP(mem_free_ptr) char *presence = NULL;

	(void)state;
	connect_board();
	presence = mem_printf("retain $mcp-server/presence/%s ",
			      board_presence_server(board));
	bridge_peer_away(&peer, LACKS_WAKING, NULL);
	assert_true(board_presence_is_of(board, &peer));
	board_presence_forget(TAKE(board));
	assert_string_equal(broker.said[broker.count - 1], presence);
	assert_int_equal(broker.closed, 1);
	assert_null(broker.on_closed);
}

static void on_line(void *owner, const char *text)
{
	(void)owner;
	fail_msg("%s", text);
}

/* As the bridge has it: who comes behind has its place. */
static void a_front_that_forgets(void **state)
{
	struct bridge_peer other = { .kind = &played };
	struct bridge_peer *both[] = { &other, &peer };
	const struct front_order order = { .app = &app,
					   .options = &options,
					   .bridge = &bridge,
					   .told = on_line };
	int64_t next = LOOP_FOREVER;
	void *way;

	(void)state;
	other.id = mem_strdup("other");
	options.mcp_mqtt = "mqtt://127.0.0.1:1/";
	bridge.peer = both;
	bridge.count = 1;
	assert_int_equal(bridge_front_mqtt.open(&way, &order, NULL), 0);
	assert_int_equal(bridge_front_mqtt.step(way, &next, NULL), 0);
	bridge.lost(bridge.lost_owner, &peer); /* it has no place yet */
	bridge.lost(bridge.lost_owner, &other);
	bridge.peer = both + 1;
	bridge_peer_away(&peer, LACKS_WAKING, NULL);
	assert_int_equal(bridge_front_mqtt.step(way, &next, NULL), 0);
	bridge.lost(bridge.lost_owner, &peer);
	bridge.count = 0;
	bridge_front_mqtt.close(way);
	assert_null(bridge.lost);
	mem_free(other.id);
}

#define WITH_BOARD(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BOARD(what_it_says_of_itself),
		WITH_BOARD(its_names),
		WITH_BOARD(who_is_not_there),
		WITH_BOARD(a_broker_that_cannot_be),
		WITH_BOARD(a_client_from_its_beginning),
		WITH_BOARD(who_is_no_client),
		WITH_BOARD(clients_that_go),
		WITH_BOARD(a_client_that_comes_again),
		WITH_BOARD(so_many_clients),
		WITH_BOARD(its_own_topic_is_refused),
		WITH_BOARD(topics_of_a_client_are_refused),
		WITH_BOARD(messages_that_are_refused),
		WITH_BOARD(numbers_of_a_connection_before),
		WITH_BOARD(the_broker_is_lost),
		WITH_BOARD(a_board_that_goes),
		WITH_BOARD(a_board_that_was_not_announced),
		WITH_BOARD(one_that_stays_announced),
		WITH_BOARD(other_tools),
		WITH_BOARD(many_tools),
		WITH_BOARD(it_is_closed),
		WITH_BOARD(one_that_is_forgotten),
		WITH_BOARD(a_front_that_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
