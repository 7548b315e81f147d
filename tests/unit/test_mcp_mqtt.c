/* SPDX-License-Identifier: MIT */
/*
 * MCP over MQTT against a real mosquitto, with a server of our own at it: which
 * topics are used, who is found, and how each end is told (mcp-mqtt.md).
 */
#include "base/module.h"
#include "net/mcp_mqtt.h"
#include "real_broker.h"
#include "skip_for.h"
#include "transport_owner.h"

#define LONG_MS 60000
#define LAMP "s-1/lab/lamp"
#define CONTROL "$mcp-server/" LAMP
#define PRESENCE "$mcp-server/presence/"
#define CAPABILITY "$mcp-server/capability/" LAMP
#define GONE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/disconnected\"}"
#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"
#define REPLY(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"
#define WATCH(how, uri)                                             \
	"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"resources/" how \
	"\",\"params\":{\"uri\":\"" uri "\"}}"
#define UPDATED(uri)                                                          \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"" \
	",\"params\":{\"uri\":\"" uri "\"}}"

/* Whoever else is at the broker: servers, and who sees what is published. */
static struct {
	struct mqtt_client *client;
	bool up, told, stir, closed;
	struct words heard; /* "TOPIC FROM TEXT" */
	char from[32]; /* the client that sent the last initialize */
	char rpc[128];
} peer;

static struct loop *loop;
static const struct mqtt_table *mqtt;
static struct real_broker broker;
static struct seen seen, other;
static struct peer_info met; /* of the last ready; its address and path: */
static char address[64], path[64], tls[16];
static const char *scheme;

static void wait_for(const bool *flag, const char *what)
{
	if (loop_wait(loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("no %s", what);
}

/* ---- the peer ---- */

static void on_up(void *owner)
{
	(void)owner;
	peer.up = true;
}

static void on_heard(void *owner, const char *topic, const void *data,
		     size_t len)
{
	const char *from = mqtt->property(peer.client, "MCP-MQTT-CLIENT-ID");
	CLEANUP(mem_free_ptr) char *id = mem_strdup(from ? from : "-");
	const char *kind = mqtt->property(peer.client, "MCP-COMPONENT-TYPE");
	CLEANUP(mem_free_ptr) char *line = NULL;

	(void)owner;
	if (strcmp(topic, CONTROL) == 0) {
		snprintf(peer.from, sizeof(peer.from), "%s", id);
		snprintf(peer.rpc, sizeof(peer.rpc), "$mcp-rpc/%s/" LAMP, id);
		assert_string_equal(kind, "mcp-client");
	}
	line = mem_printf("%s %s %.*s", topic, id, (int)len,
			  (const char *)data);
	words_add(&peer.heard, line);
	peer.stir = true;
}

static void on_published(void *owner, int number, int reason)
{
	(void)owner;
	(void)number;
	(void)reason;
	peer.told = true;
}

static void on_subscribed(void *owner, int number, size_t count,
			  const int *code)
{
	(void)owner;
	(void)number;
	assert_int_equal(count, 1);
	assert_in_range(code[0], 0, 2);
	peer.told = true;
}

static void on_lost(void *owner, const struct error *why)
{
	(void)owner;
	fail_msg("the peer lost the broker: %s", why->text);
}

static const struct mqtt_client_events peer_events = {
	.connected = on_up,
	.message = on_heard,
	.lost = on_lost,
	.published = on_published,
	.subscribed = on_subscribed,
};

/* It is there at the broker when this returns. */
static void publish(const char *topic, const char *text, bool retained)
{
	const struct mqtt_message m = { .topic = topic,
					.data = text,
					.len = strlen(text),
					.retained = retained };

	peer.told = false;
	assert_int_equal(mqtt->publish_five(peer.client, &m, NULL, NULL), 0);
	wait_for(&peer.told, topic);
}

static void announce(const char *server, const char *params)
{
	CLEANUP(mem_free_ptr) char *topic = mem_printf(PRESENCE "%s", server);
	CLEANUP(mem_free_ptr)
	char *text =
		mem_printf("{\"jsonrpc\":\"2.0\",\"method\":"
			   "\"notifications/server/online\",\"params\":%s}",
			   params);

	publish(topic, text, true);
}

static void leave(const char *server)
{
	CLEANUP(mem_free_ptr) char *topic = mem_printf(PRESENCE "%s", server);

	publish(topic, "", true);
}

static void listen_to(const char *topic)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(topic);

	peer.told = false;
	assert_int_equal(
		mqtt->subscribe_five(peer.client, &copy, 1, false, NULL, NULL),
		0);
	wait_for(&peer.told, topic);
}

static const char *heard(size_t index)
{
	while (peer.heard.count <= index) {
		peer.stir = false;
		wait_for(&peer.stir, "message at the peer");
	}
	return peer.heard.word[index];
}

static void heard_is(size_t index, const char *topic, const char *text)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("%s %s %s", topic, peer.from, text);

	assert_string_equal(heard(index), line);
}

/* ---- around each test ---- */

static void on_ready(void *owner, const struct peer_info *p)
{
	met = *p;
	snprintf(address, sizeof(address), "%s", p->address);
	snprintf(path, sizeof(path), "%s", p->path);
	snprintf(tls, sizeof(tls), "%s", p->tls ? p->tls : "");
	seen_ready(owner, p);
}

static struct transport_events ours;

static int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&peer, 0, sizeof(peer));
	seen = other = (struct seen){ 0 };
	scheme = "mcp+mqtt";
	ours = seen_events;
	ours.ready = on_ready;
	if (loop_new(&loop, &err))
		return -1;
	mqtt = module_table("mqtt", MQTT_TABLE, &err);
	if (!mqtt)
		print_error("%s\n", err.text);
	return mqtt ? 0 : -1;
}

static void on_peer_closed(void *owner)
{
	(void)owner;
	peer.closed = true;
}

static int tear_down(void **state)
{
	(void)state;
	if (seen.t.impl)
		seen_close(&seen);
	if (other.t.impl)
		seen_close(&other);
	seen_reset(&seen);
	seen_reset(&other);
	if (peer.client) {
		mqtt->client_close(peer.client, on_peer_closed);
		wait_for(&peer.closed, "end of the peer");
	}
	words_done(&peer.heard);
	broker_done(&broker);
	loop_free(loop);
	return 0;
}

static void begin(const char *rules)
{
	static const struct mqtt_five five = { 0 };
	struct mqtt_options o = { .host = "127.0.0.1",
				  .client_id = "s-1",
				  .retained = true,
				  .five = &five };

	if (!broker_start(&broker, rules))
		skip();
	o.port = broker.port;
	peer.client = mqtt->client_open(loop, &o, &peer_events, NULL, NULL);
	assert_non_null(peer.client);
	wait_for(&peer.up, "peer at the broker");
}

static void aim(struct seen *s, const char *what)
{
	CLEANUP(mem_free_ptr)
	char *target = mem_printf("%s://127.0.0.1:%u/%s", scheme,
				  (unsigned)broker.port, what);

	s->loop = loop;
	s->t = (struct transport){ .loop = loop,
				   .ops = &mqtt->mcp_dial,
				   .events = &ours,
				   .owner = s };
	seen_target(s, target);
}

static void dial(struct seen *s, const char *what)
{
	aim(s, what);
	seen_open(s, &mqtt->mcp_dial);
}

/* Not ready: what became of it is told by `closed`. */
static void dial_in_vain(const char *what, const char *device)
{
	struct error err = { 0 };

	aim(&seen, what);
	seen.to.device = mem_strdup(device);
	if (seen.t.ops->open(&seen.t, &seen.to, &err))
		fail_msg("%s", err.text);
	while (!seen.closed)
		seen_wait(&seen, "closed");
	assert_false(seen.ready);
}

static void ended(enum error_kind kind, const char *text)
{
	while (!seen.closed)
		seen_wait(&seen, "closed");
	assert_string_equal(seen.why.text, text);
	assert_int_equal(seen.why.kind, kind);
}

/* As far as the answer to initialize. */
static void shake_hands(void)
{
	announce(LAMP, "{}");
	listen_to(CONTROL);
	dial(&seen, LAMP);
	seen_send(&seen, INITIALIZE);
	heard(0);
	listen_to(peer.rpc);
	publish(peer.rpc, REPLY(1), false);
	assert_string_equal(seen_next(&seen, &seen.messages, 0), REPLY(1));
}

/* ---- one server ---- */

static void test_topics(void **state)
{
	CLEANUP(mem_free_ptr) char *where = NULL, *presence = NULL;
	struct error err = { 0 };
	struct layers layers;

	(void)state;
	begin("allow_anonymous true");
	where = mem_printf("127.0.0.1:%u", (unsigned)broker.port);
	shake_hands();
	assert_string_equal(address, where);
	assert_string_equal(path, LAMP);
	assert_true(met.plain);
	assert_null(met.tls);
	assert_null(met.headers);
	assert_int_equal(strlen(peer.from), 16);
	assert_int_equal(strspn(peer.from, "0123456789abcdef"), 16);
	heard_is(0, CONTROL, INITIALIZE);
	assert_true(seen.t.ops->layers(&seen.t, 0, &layers));
	assert_true(layers.broker);
	/* All else goes there, and what is no JSON as it is. */
	seen_send(&seen, LIST);
	heard_is(1, peer.rpc, LIST);
	seen_send(&seen, "nonsense");
	heard_is(2, peer.rpc, "nonsense");
	presence = mem_printf("$mcp-client/presence/%s", peer.from);
	listen_to(presence);
	seen_close(&seen);
	assert_int_equal(seen.why.kind, ERR_NONE);
	heard_is(3, peer.rpc, GONE);
	heard_is(4, presence, GONE);
	assert_int_equal(seen.messages.count, 1);
	assert_int_equal(seen.failures.count, 0);
	assert_int_equal(seen.t.ops->send(&seen.t, LIST, strlen(LIST), &err),
			 -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
}

/* All clients get all updates: those of what others asked for are not ours. */
static void test_updates(void **state)
{
	static const char changed[] =
		"{\"method\":\"notifications/tools/list_changed\"}";

	(void)state;
	begin("allow_anonymous true");
	shake_hands();
	publish(CAPABILITY, UPDATED("file:///a"), false);
	publish(CAPABILITY, changed, false);
	assert_string_equal(seen_next(&seen, &seen.messages, 1), changed);
	seen_send(&seen, WATCH("subscribe", "file:///a"));
	publish(CAPABILITY, UPDATED("file:///b"), false);
	publish(CAPABILITY, UPDATED("file:///a"), false);
	assert_string_equal(seen_next(&seen, &seen.messages, 2),
			    UPDATED("file:///a"));
	publish(CAPABILITY, UPDATED("file:///a/part"), false);
	assert_string_equal(seen_next(&seen, &seen.messages, 3),
			    UPDATED("file:///a/part"));
	seen_send(&seen, WATCH("unsubscribe", "file:///a"));
	publish(CAPABILITY, UPDATED("file:///a"), false);
	publish(CAPABILITY, "no JSON", false);
	assert_string_equal(seen_next(&seen, &seen.messages, 4), "no JSON");
	/* Whose it is cannot be said: it is passed on. */
	publish(CAPABILITY, "{\"method\":\"notifications/resources/updated\"}",
		false);
	assert_non_null(strstr(seen_next(&seen, &seen.messages, 5), "updated"));
	assert_int_equal(seen.failures.count, 0);
}

static void test_says_goodbye(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	shake_hands();
	publish(peer.rpc, "{\"method\":\"notifications/other\"}", false);
	seen_next(&seen, &seen.messages, 1);
	assert_false(seen.closed);
	publish(peer.rpc, GONE, false);
	ended(ERR_CONNECT, "the server '" LAMP "' went: it said so");
	assert_int_equal(seen.messages.count, 2);
}

static void test_takes_its_presence_back(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	shake_hands();
	/* Told once more it is still there. */
	announce(LAMP, "{\"description\":\"other\"}");
	publish(peer.rpc, NOTE, false);
	seen_next(&seen, &seen.messages, 1);
	leave(LAMP);
	ended(ERR_CONNECT,
	      "the server '" LAMP "' went: its presence was taken back");
}

static void test_too_large(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	announce(LAMP, "{}");
	listen_to(CONTROL);
	aim(&seen, LAMP);
	seen.to.message_max = 40;
	seen_open(&seen, &mqtt->mcp_dial);
	seen_send(&seen, INITIALIZE);
	heard(0);
	publish(peer.rpc, "{\"id\":1,\"result\":{\"just\":\"as much as.\"}}",
		false);
	assert_int_equal(strlen(seen_next(&seen, &seen.messages, 0)), 40);
	publish(peer.rpc, "{\"id\":1,\"result\":{\"just\":\"a bit more..\"}}",
		false);
	ended(ERR_PROTOCOL, "a message of 41 bytes came, and 40 are the limit");
	assert_int_equal(seen.messages.count, 1);
}

/* ---- nobody there ---- */

static void test_nobody(void **state)
{
	CLEANUP(mem_free_ptr) char *scan = NULL;

	(void)state;
	begin("allow_anonymous true");
	dial(&seen, LAMP);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(seen_next(&seen, &seen.failures, 0),
			    "1: no server '" LAMP
			    "' is at the broker '127.0.0.1'");
	assert_int_equal(seen.last.kind, ERR_CONNECT);
	scan = mem_printf("'mcpctl targets --scan mcp+mqtt://127.0.0.1:%u'"
			  " shows who is there",
			  (unsigned)broker.port);
	assert_string_equal(seen.last.hint, scan);
	assert_int_equal(seen.failures.count, 1);
	assert_false(seen.closed);
}

static void test_left_presence(void **state)
{
	CLEANUP(mem_free_ptr) char *hint = NULL;

	(void)state;
	begin("allow_anonymous true");
	announce(LAMP, "{}");
	dial(&seen, LAMP);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(
		seen_next(&seen, &seen.failures, 0),
		"1: the server '" LAMP
		"' announces itself at the broker '127.0.0.1', but nobody"
		" listens there: it ended, and its presence was left");
	hint = mem_printf("mosquitto_pub -h 127.0.0.1 -p %u -r -n -t"
			  " '" PRESENCE LAMP "' takes",
			  (unsigned)broker.port);
	assert_non_null(strstr(seen.last.hint, hint));
}

static void test_refused(void **state)
{
	CLEANUP(mem_free_ptr) char *rules = NULL;

	(void)state;
	if (!broker_prepare(&broker))
		skip();
	broker_write(&broker, "acl",
		     "topic read $mcp-server/presence/#\n"
		     "topic readwrite $mcp-client/#\n");
	rules = mem_printf("allow_anonymous true\nacl_file %s/acl",
			   broker.folder);
	broker_configure(&broker, rules);
	broker_run(&broker);
	dial(&seen, LAMP);
	seen_send(&seen, INITIALIZE);
	assert_string_equal(
		seen_next(&seen, &seen.failures, 0),
		"1: the broker '127.0.0.1' refused to publish to '" CONTROL
		"' (0x87, not authorized)");
	assert_int_equal(seen.last.kind, ERR_AUTH);
	assert_non_null(strstr(seen.last.hint, "write to the server"));
	seen_send(&seen, LIST);
	assert_non_null(strstr(seen_next(&seen, &seen.failures, 1),
			       "2: the broker '127.0.0.1' refused to publish"
			       " to '$mcp-rpc/"));
	assert_int_equal(seen.last.kind, ERR_AUTH);
}

/* As by MQTT 3.1.1, in the same words. */
static void test_not_let_in(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (!broker_start(&broker, "allow_anonymous false"))
		skip();
	aim(&seen, LAMP);
	assert_int_equal(seen.t.ops->open(&seen.t, &seen.to, &err), 0);
	while (!seen.closed)
		seen_wait(&seen, "closed");
	assert_false(seen.ready);
	assert_int_equal(seen.why.kind, ERR_AUTH);
	assert_non_null(strstr(seen.why.text, "127.0.0.1"));
}

/* Said once for a connection, whoever uses it; and by what TLS it is. */
static void test_insecure(void **state)
{
	CLEANUP(mem_free_ptr) char *key = NULL, *crt = NULL, *rules = NULL;
	const char *argv[] = { "openssl",  "req",     "-x509",	 "-newkey",
			       "rsa:2048", "-nodes",  "-days",	 "2",
			       "-subj",	   "/CN=lab", "-keyout", NULL,
			       "-out",	   NULL,      NULL };

	(void)state;
	if (!broker_prepare(&broker))
		skip();
	argv[11] = key = broker_path(&broker, "key");
	argv[13] = crt = broker_path(&broker, "crt");
	if (run_program(argv) != 0)
		skip_for("no openssl to make a certificate");
	rules = mem_printf("allow_anonymous true\ncertfile %s\nkeyfile %s", crt,
			   key);
	broker_configure(&broker, rules);
	broker_run(&broker);
	scheme = "mcp+mqtts";
	aim(&seen, LAMP);
	seen.to.insecure = true;
	seen_open(&seen, &mqtt->mcp_dial);
	assert_string_equal(tls, "TLSv1.3");
	assert_int_equal(seen.notices.count, 1);
	assert_string_equal(seen.notices.word[0],
			    "the certificate of '127.0.0.1' is not verified "
			    "(--insecure)");
	aim(&other, "s-2/two");
	other.to.insecure = true;
	seen_open(&other, &mqtt->mcp_dial);
	assert_int_equal(other.notices.count, 0);
}

/* Why nobody answers, at each stage; nothing once somebody did. */
static void test_explained(void **state)
{
	struct error err = { 0 };

	(void)state;
	begin("allow_anonymous true");
	aim(&seen, LAMP);
	seen.t.ops = &mqtt->mcp_dial;
	assert_int_equal(seen.t.ops->open(&seen.t, &seen.to, &err), 0);
	assert_int_equal(seen.t.ops->explain(&seen.t, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "127.0.0.1"));
	error_reset(&err);
	while (!seen.ready)
		seen_wait(&seen, "ready");
	assert_int_equal(seen.t.ops->explain(&seen.t, &err), -1);
	assert_string_equal(err.text,
			    "the server '" LAMP
			    "' says nothing, though the broker '127.0.0.1'"
			    " took what was sent; and it does not announce"
			    " itself");
	assert_non_null(strstr(err.hint, "a bridge between brokers"));
	error_reset(&err);
	listen_to(CONTROL);
	announce(LAMP, "{}");
	seen_send(&seen, INITIALIZE);
	heard(0);
	publish(peer.rpc, REPLY(1), false);
	seen_next(&seen, &seen.messages, 0);
	assert_int_equal(seen.t.ops->explain(&seen.t, &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
}

static void test_explained_by_length(void **state)
{
	static const char name[] =
		"s-1/a-name-so-long-that-the-topic-of-its-requests-is-cut-by"
		"-who-keeps-it-in-128-bytes-as-an-esp-does-with-all-of-them";
	struct error err = { 0 };

	(void)state;
	begin("allow_anonymous true");
	announce(name, "{}");
	dial(&seen, name);
	assert_int_equal(seen.t.ops->explain(&seen.t, &err), -1);
	assert_non_null(strstr(err.text, "took what was sent"));
	assert_non_null(strstr(err.hint, "its topics have 143 bytes: an SDK"
					 " for microcontrollers cuts them at"
					 " 128"));
	error_reset(&err);
}

/* ---- one connection for many ---- */

static void test_shared(void **state)
{
	char first[32];

	(void)state;
	begin("allow_anonymous true");
	shake_hands();
	snprintf(first, sizeof(first), "%s", peer.from);
	/* A server knows its clients by their ids: this is another one. */
	dial(&other, LAMP);
	seen_send(&other, INITIALIZE);
	heard(1);
	assert_string_not_equal(peer.from, first);
	heard_is(1, CONTROL, INITIALIZE);
	publish(peer.rpc, REPLY(9), false);
	assert_string_equal(seen_next(&other, &other.messages, 0), REPLY(9));
	assert_int_equal(seen.messages.count, 1);
	seen_close(&other);
	seen_reset(&other);
	/* Another server is asked over the first connection. */
	listen_to("$mcp-server/s-2/two");
	dial(&other, "s-2/two");
	seen_send(&other, INITIALIZE);
	assert_non_null(strstr(heard(2), first));
	seen_close(&other);
	seen_reset(&other);
	/* Whoever has another password is somebody else. */
	listen_to("$mcp-server/s-3/three");
	aim(&other, "s-3/three");
	other.to.password = mem_strdup("hush");
	seen_open(&other, &mqtt->mcp_dial);
	seen_send(&other, INITIALIZE);
	assert_null(strstr(heard(3), first));
	seen_close(&other);
	/* What one of them ends is not the end of the other. */
	seen_send(&seen, LIST);
	assert_non_null(strstr(heard(4), LIST));
	assert_false(seen.closed);
}

/* ---- which of them ---- */

static void test_chosen(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	announce(LAMP, "{}");
	announce("s-2/kitchen/fan", "{\"meta\":{\"id\":\"aa:bb\"}}");
	dial(&seen, "+/lab/%23");
	assert_string_equal(path, LAMP);
	seen_close(&seen);
	seen_reset(&seen);
	aim(&seen, "");
	seen.to.device = mem_strdup("AA:BB");
	seen_open(&seen, &mqtt->mcp_dial);
	assert_string_equal(path, "s-2/kitchen/fan");
}

static void test_none_fits(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	announce(LAMP, "{}");
	dial_in_vain("+/kitchen/%23", NULL);
	ended(ERR_CONNECT, "no MCP server that fits '+/kitchen/#' is at the "
			   "broker '127.0.0.1'");
	seen_reset(&seen);
	/* Of an older draft, which is said. */
	publish("$mcp-service/old", "{}", true);
	dial_in_vain("+/kitchen/%23", NULL);
	ended(ERR_CONNECT,
	      "at the broker '127.0.0.1' there are only servers of an older"
	      " draft of MCP over MQTT ($mcp-service/)");
}

static void test_many_fit(void **state)
{
	CLEANUP(mem_free_ptr) char *some = NULL, *last = NULL;

	(void)state;
	begin("allow_anonymous true");
	for (char name[] = "s-1/lamp"; name[2] < '7'; name[2]++)
		announce(name, "{}");
	dial_in_vain("", "lamp");
	ended(ERR_USAGE, "6 MCP servers at the broker '127.0.0.1' fit '#' and"
			 " -d 'lamp'");
	some = mem_printf(": mcp+mqtt://127.0.0.1:%u/s-1/lamp, mcp+mqtt:",
			  (unsigned)broker.port);
	last = mem_printf("mcp+mqtt://127.0.0.1:%u/s-6/lamp",
			  (unsigned)broker.port);
	assert_non_null(strstr(seen.why.hint, some));
	assert_non_null(strstr(seen.why.hint, last));
	assert_null(strstr(seen.why.hint, "more"));
	seen_reset(&seen);
	announce("s-0/lamp", "{}");
	dial_in_vain("+/lamp", NULL);
	ended(ERR_USAGE, "7 MCP servers at the broker '127.0.0.1' fit "
			 "'+/lamp'");
	assert_null(strstr(seen.why.hint, "s-6"));
	assert_non_null(strstr(seen.why.hint, " and 1 more"));
}

/* Nobody is there yet: it is waited for, and the first that comes is it. */
static void test_waited_for(void **state)
{
	struct error err = { 0 };

	(void)state;
	begin("allow_anonymous true");
	aim(&seen, "+/lab/%23");
	seen.to.wait = LONG_MS;
	assert_int_equal(seen.t.ops->open(&seen.t, &seen.to, &err), 0);
	announce("s-9/kitchen/fan", "{}");
	announce(LAMP, "{}");
	while (!seen.ready)
		seen_wait(&seen, "ready");
	assert_string_equal(path, LAMP);
	assert_false(seen.closed);
}

static void test_waited_for_in_vain(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	aim(&seen, "+/lab/%23");
	seen.to.wait = 400;
	assert_int_equal(seen.t.ops->open(&seen.t, &seen.to, NULL), 0);
	ended(ERR_CONNECT, "no MCP server that fits '+/lab/#' is at the "
			   "broker '127.0.0.1'");
	assert_non_null(strstr(seen.why.hint, "came in that time"));
}

/* ---- who is there ---- */

static struct mcp_browse *browse;
static bool woken;

static void look(const char *what, const char *device)
{
	struct error err = { 0 };

	aim(&seen, what);
	seen.to.device = mem_strdup(device);
	browse = mqtt->browse_open(loop, &seen.to, &woken, &err);
	if (!browse)
		fail_msg("%s", err.text);
	assert_int_equal(mqtt->browse_poll(browse, &err), 0);
	while (!mqtt->browse_poll(browse, &err)) {
		woken = false;
		wait_for(&woken, "list");
	}
	assert_int_equal(mqtt->browse_poll(browse, &err), 1);
}

/* "ID NAME DESCRIPTION META DEVICE odd", a line each; when it is so. */
static void shows(const char *text)
{
	int64_t end = loop_now() + LONG_MS;

	for (;;) {
		CLEANUP(buf_done) struct buf out = { 0 };
		size_t count;
		const struct mcp_server *s = mqtt->browse_list(browse, &count);

		for (size_t i = 0; i < count; i++)
			buf_printf(&out, "%s %s %s %s %s%s\n", s[i].id,
				   s[i].name,
				   s[i].description ? s[i].description : "-",
				   s[i].meta ? s[i].meta : "-",
				   s[i].device ? s[i].device : "-",
				   s[i].odd ? " odd" : "");
		if (strcmp(buf_string(&out), text) == 0)
			return;
		woken = false;
		if (loop_wait(loop, &woken, end, NULL))
			fail_msg("'%s'", buf_string(&out));
	}
}

static int64_t since(size_t index)
{
	size_t count;
	const struct mcp_server *s = mqtt->browse_list(browse, &count);

	assert_true(index < count);
	return s[index].since;
}

/* Its connection ends behind the loop's next turns. */
static void look_away(void)
{
	mqtt->browse_close(browse);
	seen_reset(&seen);
	dial(&seen, "nobody/here");
	seen_close(&seen);
}

#define FAN "c fan lifts {\"id\":\"d-3\"} d-3\n"
#define LED "a led/two - - -\n"

static void test_who_is_there(void **state)
{
	int64_t came;

	(void)state;
	begin("allow_anonymous true");
	announce("c/fan", "{\"description\":\"lifts\",\"meta\":{\"id\":"
			  "\"d-3\"}}");
	announce("a/led/two", "{}");
	publish(PRESENCE "b/box", "no presence", true);
	/* None of a server, though kept there. */
	publish(PRESENCE "x", "no server", true);
	look("", NULL);
	shows(LED "b box - - - odd\n" FAN);
	came = since(2);
	assert_in_range(came, loop_now() - LONG_MS, loop_now());
	/* One that says it again has one line, and the time when it came. */
	announce("c/fan", "{\"description\":\"blows\"}");
	shows(LED "b box - - - odd\nc fan blows - -\n");
	assert_int_equal(since(2), came);
	announce("b/box", "{}");
	shows(LED "b box - - -\nc fan blows - -\n");
	leave("a/led/two");
	shows("b box - - -\nc fan blows - -\n");
	leave("nobody/there");
	announce("0/new", "{}");
	shows("0 new - - -\nb box - - -\nc fan blows - -\n");
	leave("c/fan");
	shows("0 new - - -\nb box - - -\n");
	leave("b/box");
	leave("0/new");
	shows("");
	look_away();
}

static void test_who_fits(void **state)
{
	(void)state;
	begin("allow_anonymous true");
	announce("c/fan", "{\"description\":\"lifts\",\"meta\":{\"id\":"
			  "\"d-3\"}}");
	announce("a/led/two", "{}");
	announce("a/led", "{}");
	look("+/led/%23", NULL);
	shows("a led - - -\n" LED);
	mqtt->browse_close(browse);
	seen_reset(&seen);
	look("", "D-3");
	shows(FAN);
	/* Who does not fit is not shown when he comes, either. */
	announce("d/x", "{}");
	announce("e/fan", "{\"meta\":{\"id\":\"d-3\"}}");
	shows(FAN "e fan - {\"id\":\"d-3\"} d-3\n");
	look_away();
}

/* Only those count that fit; one more than are kept is not lost in silence. */
static void test_too_many(void **state)
{
	size_t count;

	(void)state;
	begin("allow_anonymous true\nmax_queued_messages 0");
	look("", NULL);
	for (int i = 0; i < MCP_SERVERS_MAX; i++) {
		CLEANUP(mem_free_ptr)
		char *topic = mem_printf(PRESENCE "a/%d", i);

		publish(topic, "{}", true);
	}
	do {
		mqtt->browse_list(browse, &count);
		woken = false;
		if (count < MCP_SERVERS_MAX)
			wait_for(&woken, "server");
	} while (count < MCP_SERVERS_MAX);
	assert_false(mqtt->browse_is_cut(browse));
	publish(PRESENCE "z/last", "{}", true);
	while (!mqtt->browse_is_cut(browse)) {
		woken = false;
		wait_for(&woken, "one too many");
	}
	mqtt->browse_list(browse, &count);
	assert_int_equal(count, MCP_SERVERS_MAX);
	mqtt->browse_close(browse);
	seen_reset(&seen);
	look("", "last");
	shows("z last - - - odd\n");
	assert_false(mqtt->browse_is_cut(browse));
	look_away();
}

static void test_broker_goes(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	look("", NULL);
	shows("");
	broker_kill(&broker);
	woken = false;
	wait_for(&woken, "loss");
	assert_int_equal(mqtt->browse_poll(browse, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
	mqtt->browse_close(browse);
	loop_poll(loop);
}

static void test_broker_goes_amid(void **state)
{
	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	dial(&seen, LAMP);
	broker_kill(&broker);
	while (!seen.closed)
		seen_wait(&seen, "closed");
	assert_int_equal(seen.why.kind, ERR_CONNECT);
	assert_non_null(strstr(seen.why.text, "127.0.0.1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_topics),	     TEST(test_updates),
		TEST(test_says_goodbye),     TEST(test_takes_its_presence_back),
		TEST(test_too_large),	     TEST(test_nobody),
		TEST(test_left_presence),    TEST(test_refused),
		TEST(test_not_let_in),	     TEST(test_insecure),
		TEST(test_explained),	     TEST(test_explained_by_length),
		TEST(test_shared),	     TEST(test_chosen),
		TEST(test_none_fits),	     TEST(test_many_fit),
		TEST(test_waited_for),	     TEST(test_waited_for_in_vain),
		TEST(test_who_is_there),     TEST(test_who_fits),
		TEST(test_too_many),	     TEST(test_broker_goes),
		TEST(test_broker_goes_amid),
	};

	return cmocka_run_group_tests_name("mcp over mqtt", tests, NULL, NULL);
}
