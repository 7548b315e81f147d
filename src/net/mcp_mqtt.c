/* SPDX-License-Identifier: MIT */
/*
 * mcp+mqtt:// and mcp+mqtts://: one server at a broker, by MCP over MQTT 5
 * (mcp-mqtt.md). It is ready once its topics are subscribed; whether anybody
 * listens there shows when initialize is sent.
 *
 * Of the endpoint: host, port, user, password, cacert, insecure; path is
 * ID/NAME, or a filter that one server fits, which `device` fits, too, for which
 * it waits as long as `wait` says. Lent until closed.
 */
#include "net/mcp_mqtt.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/mcp_broker.h"
#include "net/mcp_browse.h"
#include "net/mqtt_five_send.h"
#include "net/why.h"
#include "wire/jsonrpc.h"
#include "wire/mcp_topic.h"

#define NO_SUBSCRIBERS 0x10 /* MQTT 5, 3.4.2.1 */
#define REFUSED 0x80 /* and above */
#define SHOWN_MAX 6 /* servers, of those that fit */
#define IN_FLIGHT_MAX 64
#define DISCONNECTED "{\"jsonrpc\":\"2.0\",\"method\":\"" MCP_DISCONNECTED "\"}"

/* Asked for in this order. */
enum { RPC, CAPABILITY, PRESENCE, TOPICS };

/* Published, and not acknowledged by the broker. */
struct mcp_sent {
	int number;
	int64_t id; /* of the request; 0: it is none */
	bool initialize;
};

struct mcp_mqtt {
	struct transport *transport;
	const struct endpoint *to;
	struct mcp_browse *browse; /* until it is known which server; NULL */
	struct mcp_broker *broker; /* NULL: not yet, or lost */
	struct mcp_guest guest;
	char *server; /* "ID/NAME"; NULL: not known yet */
	char *topic[TOPICS], *control;
	bool ready, heard, closing;
	bool waiting; /* for a server to come */
	bool announced; /* its presence stands there */
	bool began; /* initialize was sent */
	struct mcp_sent sent[IN_FLIGHT_MAX];
	size_t in_flight;
	struct words watched; /* URIs of resources that were subscribed */
	size_t message_max;
	struct timer timer;
	struct error why;
};

/* ---- the end ---- */

static void on_timer_closed(void *owner)
{
	struct mcp_mqtt *m = owner;
	struct transport *t = m->transport;
	struct error why = m->why;

	for (size_t i = 0; i < TOPICS; i++)
		mem_free(m->topic[i]);
	mem_free(m->control);
	mem_free(m->server);
	words_done(&m->watched);
	mem_free(m);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

static void on_left(void *owner)
{
	struct mcp_mqtt *m = owner;

	timer_close(&m->timer, on_timer_closed);
}

/* The connection may go on for others. */
static void say_goodbye(struct mcp_mqtt *m)
{
	if (m->began)
		mcp_broker_publish(m->broker, m->topic[RPC], DISCONNECTED,
				   strlen(DISCONNECTED), NULL, NULL);
	for (size_t i = 0; i < TOPICS && m->broker->client; i++)
		mqtt_unsubscribe(m->broker->client, m->topic[i]);
}

static void end(struct mcp_mqtt *m)
{
	if (m->closing)
		return;
	m->closing = true;
	timer_stop(&m->timer);
	mcp_browse_close(TAKE(m->browse));
	if (!m->broker) {
		on_left(m);
		return;
	}
	if (m->ready)
		say_goodbye(m);
	mcp_broker_leave(TAKE(m->broker), &m->guest);
}

static void fail(struct mcp_mqtt *m, const struct error *why)
{
	if (m->closing)
		return;
	error_copy(&m->why, why);
	end(m);
}

void mcp_mqtt_close(struct transport *t)
{
	if (t->impl)
		end(t->impl);
}

static void on_lost(void *owner, const struct error *why)
{
	struct mcp_mqtt *m = owner;

	m->broker = NULL;
	fail(m, why);
}

/* ---- what is said of it ---- */

static int hint_scan(const struct mcp_mqtt *m, struct error *err)
{
	CLEANUP(buf_done) struct buf target = { 0 };

	endpoint_mcp_text(&target, m->to, NULL, NULL);
	return error_hint(err, "'mcpctl targets --scan %s' shows who is there",
			  buf_string(&target));
}

/* The request, not the connection: that ends with it. */
static void fail_request(struct mcp_mqtt *m, int64_t id,
			 const struct error *why)
{
	const struct transport *t = m->transport;

	if (id)
		t->events->failed(t->owner, id, why);
	else
		fail(m, why);
}

/* Nobody has subscribed to where initialize went. */
static void fail_nobody(struct mcp_mqtt *m, int64_t id)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf topic = { 0 };

	if (!m->announced) {
		error_set(&why, ERR_CONNECT,
			  "no server '%s' is at the broker '%s'", m->server,
			  m->to->host);
		hint_scan(m, &why);
		fail_request(m, id, &why);
		return;
	}
	error_set(
		&why, ERR_CONNECT,
		"the server '%s' announces itself at the broker '%s', but nobody listens there: it ended, and its presence was left",
		m->server, m->to->host);
	words_quote(&topic, m->topic[PRESENCE]);
	error_hint(
		&why,
		"it is there again when it comes back; mosquitto_pub -h %s -p %u -r -n -t %s takes the presence away, for who may",
		m->to->host, (unsigned)m->to->port, buf_string(&topic));
	fail_request(m, id, &why);
}

static void fail_refused(struct mcp_mqtt *m, const char *what,
			 const char *topic, int code, int64_t id)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, mcp_broker_kind(code),
		  "the broker '%s' refused to %s '%s' (0x%02x%s)", m->to->host,
		  what, topic, (unsigned)code, mcp_broker_words(code));
	if (code == MCP_NOT_AUTHORIZED)
		error_hint(
			&why,
			"its access rules must let this user read and write $mcp-rpc/ and $mcp-client/ of its client id, read $mcp-server/presence/ and capability/, write to the server");
	fail_request(m, id, &why);
}

static void fail_gone(struct mcp_mqtt *m, const char *how)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "the server '%s' went: %s", m->server,
		  how);
	fail(m, &why);
}

static void fail_none(struct mcp_mqtt *m)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (mcp_browse_saw_draft(m->browse)) {
		error_set(
			&why, ERR_CONNECT,
			"at the broker '%s' there are only servers of an older draft of MCP over MQTT ($mcp-service/)",
			m->to->host);
		error_hint(
			&why,
			"their SDK must be a newer one: no client of today speaks that");
	} else {
		endpoint_mcp_none(m->to, &why);
	}
	fail(m, &why);
}

static void fail_many(struct mcp_mqtt *m, const struct mcp_server *list,
		      size_t count)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
		buf_text(&names, i ? ", " : "");
		endpoint_mcp_text(&names, m->to, list[i].id, list[i].name);
	}
	if (count > SHOWN_MAX)
		buf_printf(&names, " and %zu more", count - SHOWN_MAX);
	error_set(&why, ERR_USAGE,
		  "%zu MCP servers%s at the broker '%s' fit '%s'%s%s%s", count,
		  mcp_browse_is_cut(m->browse) ? " and more" : "", m->to->host,
		  *m->to->path ? m->to->path : "#",
		  m->to->device ? " and -d '" : "",
		  m->to->device ? m->to->device : "", m->to->device ? "'" : "");
	error_hint(&why,
		   "name one by its target or by -d, or ask them --all: %s",
		   buf_string(&names));
	fail(m, &why);
}

int mcp_mqtt_explain(struct transport *t, struct error *err)
{
	const struct mcp_mqtt *m = t->impl;

	if (!m || m->heard || m->closing)
		return 0;
	if (!m->ready && (mcp_broker_unanswered(m->broker, err) ||
			  mcp_browse_explain(m->browse, m->to, err)))
		return -1;
	if (!m->ready)
		return why_set(
			err, &(struct why_facts){ .what = WHY_WAITS_BROKER,
						  .with = WITH_MQTT | WITH_FIVE,
						  .host = m->to->host,
						  .port = m->to->port });
	error_set(
		err, ERR_CONNECT,
		"the server '%s' says nothing, though the broker '%s' took what was sent%s",
		m->server, m->to->host,
		m->announced ? "" : "; and it does not announce itself");
	if (strlen(m->topic[RPC]) >= MCP_TOPIC_SHORT)
		return error_hint(
			err,
			"its topics have %zu bytes: an SDK for microcontrollers cuts them at %d",
			strlen(m->topic[RPC]), MCP_TOPIC_SHORT);
	return error_hint(
		err,
		"a bridge between brokers can lose what the server needs (user properties), its presence may be left from before, or access rules keep its answers from us");
}

/* ---- what comes ---- */

static void warn_insecure(struct mcp_mqtt *m)
{
	const struct transport *t = m->transport;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"the certificate of '%s' is not verified (--insecure)",
		m->to->host);
	const struct notice n = { .kind = NOTICE_INSECURE, .text = text };

	if (m->broker->insecure_told || !m->to->insecure ||
	    !endpoint_has(m->to, SCHEME_TLS))
		return;
	m->broker->insecure_told = true;
	if (t->events->notice)
		t->events->notice(t->owner, &n);
}

static void become_ready(struct mcp_mqtt *m)
{
	const struct transport *t = m->transport;
	CLEANUP(buf_done) struct buf address = { 0 };
	struct peer_info info = { .plain = true };

	authority_print(&address, m->to->host, m->to->port);
	info.address = buf_string(&address);
	info.tls = mqtt_tls_version(m->broker->client);
	info.path = m->server;
	info.headers = m->broker->told.count ? &m->broker->told : NULL;
	m->ready = true;
	warn_insecure(m);
	if (!m->closing)
		t->events->ready(t->owner, &info);
}

static void on_subscribed(void *owner, size_t count, const int *code)
{
	struct mcp_mqtt *m = owner;

	/* Without presence it is only not known when the server goes. */
	for (size_t i = 0; i < count && i < PRESENCE; i++) {
		if (code[i] < REFUSED)
			continue;
		fail_refused(m, "subscribe to", m->topic[i], code[i], 0);
		return;
	}
	become_ready(m);
}

static void on_connected(void *owner)
{
	struct mcp_mqtt *m = owner;
	CLEANUP(error_reset) struct error why = { 0 };

	m->control = mcp_topic_make(MCP_TOPIC_CONTROL, NULL, m->server);
	m->topic[PRESENCE] =
		mcp_topic_make(MCP_TOPIC_PRESENCE, NULL, m->server);
	m->topic[CAPABILITY] =
		mcp_topic_make(MCP_TOPIC_CAPABILITY, NULL, m->server);
	m->topic[RPC] = mcp_topic_make(MCP_TOPIC_RPC, m->broker->id, m->server);
	if (mcp_broker_subscribe(m->broker, &m->guest, m->topic, TOPICS, &why))
		fail(m, &why);
}

static struct mcp_sent take_sent(struct mcp_mqtt *m, int number)
{
	struct mcp_sent none = { 0 };

	for (size_t i = 0; i < m->in_flight; i++) {
		struct mcp_sent found = m->sent[i];

		if (found.number != number)
			continue;
		m->sent[i] = m->sent[--m->in_flight];
		return found;
	}
	return none;
}

static void on_published(void *owner, int number, int reason)
{
	struct mcp_mqtt *m = owner;
	const struct transport *t = m->transport;
	struct mcp_sent sent = take_sent(m, number);
	CLEANUP(error_reset) struct error why = { 0 };

	if (!sent.number || m->closing)
		return;
	if (reason == NO_SUBSCRIBERS && sent.initialize) {
		fail_nobody(m, sent.id);
	} else if (reason >= REFUSED && sent.initialize) {
		fail_refused(m, "publish to", m->control, reason, sent.id);
	} else if (reason == NO_SUBSCRIBERS && sent.id) {
		error_set(&why, ERR_CONNECT, "nobody listens any more at '%s'",
			  m->server);
		t->events->failed(t->owner, sent.id, &why);
	} else if (reason >= REFUSED && sent.id) {
		error_set(
			&why, mcp_broker_kind(reason),
			"the broker '%s' refused to publish to '%s' (0x%02x%s)",
			m->to->host, m->topic[RPC], (unsigned)reason,
			mcp_broker_words(reason));
		t->events->failed(t->owner, sent.id, &why);
	}
}

/* A server may tell of a part of what was subscribed to. */
static bool is_watched(const struct mcp_mqtt *m, const char *uri)
{
	for (size_t i = 0; i < m->watched.count; i++) {
		if (text_starts(uri, m->watched.word[i]))
			return true;
	}
	return false;
}

/* All clients get all updates: of a resource that this one did not ask for. */
static bool is_others(const struct mcp_mqtt *m, const char *data, size_t len)
{
	CLEANUP(mem_free_ptr) char *uri = NULL;
	CLEANUP(mem_free_ptr) char *method = NULL;
	struct span whole = { data, len }, value = { 0 }, params = { 0 };

	if (json_check(data, len, NULL) ||
	    !json_span_member(whole, "method", &value))
		return false;
	method = json_span_string(value);
	if (!text_same(method, "notifications/resources/updated") ||
	    !json_span_member(whole, "params", &params) ||
	    !json_span_begins(params, '{') ||
	    !json_span_member(params, "uri", &value))
		return false;
	uri = json_span_string(value);
	return uri && !is_watched(m, uri);
}

static bool says_goodbye(const char *data, size_t len)
{
	struct span whole = { data, len }, value = { 0 };

	return len < 1024 && !json_check(data, len, NULL) &&
	       json_span_begins(whole, '{') &&
	       json_span_member(whole, "method", &value) &&
	       json_span_is(value, MCP_DISCONNECTED);
}

static void deliver(struct mcp_mqtt *m, const void *data, size_t len)
{
	const struct transport *t = m->transport;
	CLEANUP(error_reset) struct error why = { 0 };

	m->heard = true;
	if (len <= m->message_max) {
		t->events->message(t->owner, FRAME_TEXT, data, len);
		return;
	}
	error_set(&why, ERR_PROTOCOL,
		  "a message of %zu bytes came, and %zu are the limit", len,
		  m->message_max);
	fail(m, &why);
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct mcp_mqtt *m = owner;

	if (m->closing)
		return;
	if (text_same(topic, m->topic[PRESENCE])) {
		m->announced = len > 0;
		if (!len && m->began)
			fail_gone(m, "its presence was taken back");
	} else if (!m->ready) {
		return;
	} else if (text_same(topic, m->topic[CAPABILITY])) {
		if (!is_others(m, data, len))
			deliver(m, data, len);
	} else if (text_same(topic, m->topic[RPC])) {
		if (says_goodbye(data, len))
			fail_gone(m, "it said so");
		else
			deliver(m, data, len);
	}
}

/* ---- which server ---- */

static int enter(struct mcp_mqtt *m, struct error *err)
{
	m->guest = (struct mcp_guest){ .server = m->server,
				       .owner = m,
				       .connected = on_connected,
				       .subscribed = on_subscribed,
				       .published = on_published,
				       .message = on_message,
				       .lost = on_lost,
				       .left = on_left };
	m->broker = mcp_broker_enter(m->transport->loop, m->to, &m->guest, err);
	return m->broker ? 0 : -1;
}

static void choose(struct mcp_mqtt *m, const struct mcp_server *one)
{
	CLEANUP(error_reset) struct error why = { 0 };

	m->server = mem_printf("%s/%s", one->id, one->name);
	timer_stop(&m->timer);
	if (enter(m, &why))
		fail(m, &why);
	mcp_browse_close(TAKE(m->browse));
}

static void on_browsed(void *owner)
{
	struct mcp_mqtt *m = owner;
	CLEANUP(error_reset) struct error why = { 0 };
	const struct mcp_server *list;
	size_t count;
	int status;

	if (m->closing || m->server)
		return;
	status = mcp_browse_poll(m->browse, &why);
	if (status < 0)
		fail(m, &why);
	if (status <= 0)
		return;
	list = mcp_browse_list(m->browse, &count);
	if (count == 1)
		choose(m, &list[0]);
	else if (count > 1)
		fail_many(m, list, count);
	else if (!m->waiting)
		fail_none(m);
}

static void on_timer(void *owner)
{
	struct mcp_mqtt *m = owner;

	m->waiting = false;
	on_browsed(m);
}

static int look_for(struct mcp_mqtt *m, struct error *err)
{
	m->browse = mcp_browse_open(m->transport->loop, m->to, NULL, err);
	if (!m->browse)
		return -1;
	mcp_browse_tell(m->browse, on_browsed, m);
	m->waiting = m->to->wait > 0;
	if (m->waiting)
		timer_start(&m->timer, m->to->wait);
	return 0;
}

/* ---- opening and sending ---- */

static void on_discarded(void *owner)
{
	struct mcp_mqtt *m = owner;

	mem_free(m->server);
	mem_free(m);
}

int mcp_mqtt_open(struct transport *t, const struct endpoint *to,
		  struct error *err)
{
	struct mcp_mqtt *m = mem_zalloc(sizeof(*m));
	int status;

	m->transport = t;
	m->to = to;
	m->message_max =
		to->message_max ? to->message_max : TRANSPORT_MESSAGE_MAX;
	timer_open(&m->timer, t->loop, on_timer, m);
	if (mcp_filter_is_exact(to->path) && !to->device) {
		m->server = mem_strdup(to->path);
		status = enter(m, err);
	} else {
		status = look_for(m, err);
	}
	if (status) {
		timer_close(&m->timer, on_discarded);
		return -1;
	}
	t->impl = m;
	return 0;
}

/* resources/subscribe and its opposite: which updates are ours. */
static void note_watched(struct mcp_mqtt *m, const struct message *said)
{
	bool on = text_same(said->method, "resources/subscribe");
	struct span value = { 0 };
	CLEANUP(mem_free_ptr) char *uri = NULL;

	if ((!on && !text_same(said->method, "resources/unsubscribe")) ||
	    !json_span_begins(said->params, '{') ||
	    !json_span_member(said->params, "uri", &value))
		return;
	uri = json_span_string(value);
	if (uri && on)
		words_add_once(&m->watched, uri);
	else if (uri)
		words_drop(&m->watched, uri);
}

static void note_sent(struct mcp_mqtt *m, int number,
		      const struct message *said, bool initialize)
{
	if (m->in_flight == IN_FLIGHT_MAX)
		return;
	m->sent[m->in_flight++] = (struct mcp_sent){
		.number = number,
		.id = said->kind == MESSAGE_REQUEST && said->has_number ?
			      said->number :
			      0,
		.initialize = initialize,
	};
}

int mcp_mqtt_send(struct transport *t, const char *text, size_t len,
		  struct error *err)
{
	struct mcp_mqtt *m = t->impl;
	CLEANUP(message_done) struct message said = { 0 };
	bool initialize;
	int number = 0;

	if (!m || m->closing || !m->ready)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	/* What is no JSON is sent as it is: to servers that are tried. */
	message_read(&said, text, len, NULL);
	initialize = said.kind == MESSAGE_REQUEST &&
		     text_same(said.method, "initialize");
	if (mcp_broker_publish(m->broker,
			       initialize ? m->control : m->topic[RPC], text,
			       len, &number, err))
		return -1;
	m->began = m->began || initialize;
	note_watched(m, &said);
	note_sent(m, number, &said, initialize);
	return 0;
}

bool mcp_mqtt_layers(const struct transport *t, int64_t id, struct layers *out)
{
	const struct mcp_mqtt *m = t->impl;

	(void)id;
	return mqtt_layers(m && m->broker ? m->broker->client : NULL, out);
}
