/* SPDX-License-Identifier: MIT */
/*
 * One connection to a broker that serves many devices; each of them is a
 * transport.
 */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "broker/sign.h"
#include "net/mcp_browse.h"
#include "net/mqtt_audio.h"
#include "net/mqtt_client.h"
#include "net/mqtt_dial.h"
#include "net/mqtt_five.h"
#include "net/mqtt_five_send.h"
#include "net/why.h"
#include "wire/broker_topic.h"

struct mqtt_peer {
	struct mqtt_peer *next_due;
	struct mqtt_hub *hub;
	struct transport *
		transport; /* NULL: given up by its owner, still at the broker */
	char *client_id, *device_id, *address, *down;
	struct audio *audio; /* NULL */
	int64_t number; /* of its connection, from the plugin; 0 */
	bool due, ready, closing;
	struct error *why; /* for closed; NULL: properly */
};

struct mqtt_hub {
	struct loop *loop;
	const struct mqtt_hub_events *events;
	void *owner;
	void (*closed)(void *owner);
	struct mqtt_client *client;
	bool plugin;
	size_t message_max;
	char *up, *down; /* patterns; NULL with the plugin */
	char *advertise; /* NULL */
	char *broker; /* "host:port" */
	struct audio_port *audio; /* NULL */
	struct map peers; /* by client id */
	int64_t joining; /* number of the connection that is being told of; 0 */
	struct mqtt_peer *due,
		**due_last; /* to be told something from the loop */
	struct timer timer;
};

static void mqtt_peer_end(struct mqtt_peer *p, const struct error *why);

/* The devices of a hub by client id, which is theirs to choose. */

static struct mqtt_peer *mqtt_peers_find(const struct mqtt_hub *hub,
					 const char *client_id)
{
	uint64_t hash = map_hash_text(client_id);
	struct mqtt_peer *p;
	size_t at = 0;

	while ((p = map_find(&hub->peers, hash, &at))) {
		if (strcmp(p->client_id, client_id) == 0)
			break;
	}
	return p;
}

static void mqtt_peers_add(struct mqtt_hub *hub, struct mqtt_peer *p)
{
	map_add(&hub->peers, map_hash_text(p->client_id), p);
}

/* Another may have its place already. */
static void mqtt_peers_remove(struct mqtt_hub *hub, struct mqtt_peer *p)
{
	map_remove(&hub->peers, map_hash_text(p->client_id), p);
}

/*
 * A device of a hub as a transport. What it has to be told from the loop
 * waits in the hub's list of what is due.
 */

static void make_due(struct mqtt_peer *p)
{
	struct mqtt_hub *hub = p->hub;

	if (p->due)
		return;
	p->due = true;
	p->next_due = NULL;
	*hub->due_last = p;
	hub->due_last = &p->next_due;
	timer_start(&hub->timer, 0);
}

static void mqtt_peer_free(struct mqtt_peer *p)
{
	mqtt_audio_leave(p->audio);
	error_reset(p->why);
	mem_free(p->why);
	mem_free(p->client_id);
	mem_free(p->device_id);
	mem_free(p->address);
	mem_free(p->down);
	mem_free(p);
}

static void tell_ready(struct mqtt_peer *p)
{
	const struct transport *t = p->transport;
	struct mosquitto *mosq = p->hub->client->mosq;
	struct peer_info info = {
		.address = p->address ? p->address : p->hub->broker,
		.device_id = p->device_id,
		.client_id = p->client_id,
		.envelope = true,
		.standby = true,
	};

	p->ready = true;
	if (p->audio) {
		info.udp = mqtt_audio_offer(p->audio, p->hub->advertise,
					    p->address,
					    mosq ? mosquitto_socket(mosq) : -1);
		p->audio->open = true;
	}
	t->events->ready(t->owner, &info);
}

/* Behind it is nothing; but the client is known until it leaves the broker. */
static void tell_closed(struct mqtt_peer *p)
{
	struct transport *t = TAKE(p->transport);
	struct mqtt_hub *hub = p->hub;
	struct error *why = TAKE(p->why);
	const struct error proper = { 0 };

	mqtt_audio_leave(TAKE(p->audio));
	if (mqtt_peers_find(hub, p->client_id) == p && hub->plugin && !why) {
		p->closing = false;
	} else {
		mqtt_peers_remove(hub, p);
		mqtt_peer_free(p);
	}
	t->impl = NULL;
	t->events->closed(t->owner, why ? why : &proper);
	error_reset(why);
	mem_free(why);
}

/* Tell what is due; from the loop only. */
static void mqtt_peers_due(struct mqtt_hub *hub)
{
	while (hub->due) {
		struct mqtt_peer *p = hub->due;

		hub->due = p->next_due;
		if (!hub->due)
			hub->due_last = &hub->due;
		p->due = false;
		if (p->closing)
			tell_closed(p);
		else if (!p->ready)
			tell_ready(p);
	}
}

/* From the loop: its message, its end (why is copied; NULL: properly). */
static void mqtt_peer_receive(struct mqtt_peer *p, const void *data, size_t len)
{
	const struct transport *t = p->transport;
	CLEANUP(error_reset) struct error why = { 0 };

	if (!p->closing && !p->ready)
		tell_ready(p);
	if (p->closing)
		return;
	if (len <= p->hub->message_max) {
		t->events->message(t->owner, FRAME_TEXT, data, len);
		return;
	}
	error_set(&why, ERR_PROTOCOL,
		  "a message of %zu bytes came, and %zu are the limit", len,
		  p->hub->message_max);
	error_hint(&why, "--message-max allows more");
	mqtt_peer_end(p, &why);
}

static void mqtt_peer_end(struct mqtt_peer *p, const struct error *why)
{
	if (p->closing)
		return;
	p->closing = true;
	if (p->audio)
		p->audio->open = false;
	if (why) {
		p->why = mem_zalloc(sizeof(*p->why));
		error_copy(p->why, why);
	}
	make_due(p);
}

/* ---- the transport ---- */

static int peer_open(struct transport *t, const struct endpoint *to,
		     struct error *err)
{
	(void)t;
	(void)to;
	return error_set(err, ERR_USAGE, "a device of a broker is not dialled");
}

static int peer_send(struct transport *t, const char *text, size_t len,
		     struct error *err)
{
	struct mqtt_peer *p = t->impl;

	if (!p || p->closing || !p->ready)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	if (mqtt_publish(p->hub->client, p->down, text, len, err))
		return -1;
	if (p->audio)
		mqtt_audio_passes(p->audio, text, len);
	return 0;
}

static int peer_send_sound(struct transport *t, const void *data, size_t len,
			   struct error *err)
{
	struct mqtt_peer *p = t->impl;

	if (!p || p->closing || !p->ready)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	return mqtt_audio_send(p->audio, data, len, err);
}

static void peer_close(struct transport *t)
{
	if (t->impl)
		mqtt_peer_end(t->impl, NULL);
}

static bool peer_layers(const struct transport *t, int64_t id,
			struct layers *out)
{
	const struct mqtt_peer *p = t->impl;

	(void)id;
	return mqtt_layers(p ? p->hub->client : NULL, out);
}

static const struct transport_ops mqtt_peer_ops = {
	.scheme = "mqtt",
	.open = peer_open,
	.send = peer_send,
	.close = peer_close,
	.layers = peer_layers,
	.send_sound = peer_send_sound,
};

static char *down_topic(const struct mqtt_hub *hub, const char *client_id,
			const char *device_id)
{
	CLEANUP(buf_done) struct buf topic = { 0 };

	if (hub->plugin)
		broker_topic_encode(&topic, BROKER_DOWN, client_id);
	else
		topic_fill(&topic, hub->down, client_id, device_id);
	return buf_take(&topic);
}

static int mqtt_ask(struct mqtt_hub *hub, const struct mqtt_joined *who,
		    const char *text, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *topic = down_topic(hub, who->client_id, who->device_id);

	return mqtt_publish(hub->client, topic, text, len, err);
}

static int mqtt_adopt(struct transport *t, struct mqtt_hub *hub,
		      const struct mqtt_joined *who, struct error *err)
{
	struct mqtt_peer *p = mqtt_peers_find(hub, who->client_id);

	if (p && p->transport)
		return error_set(err, ERR_CONNECT,
				 "the client '%s' is served already",
				 who->client_id);
	if (p) {
		mqtt_peers_remove(hub, p);
		mqtt_peer_free(p);
	}
	p = mem_zalloc(sizeof(*p));
	p->hub = hub;
	p->transport = t;
	p->number = hub->joining;
	p->client_id = mem_strdup(who->client_id);
	p->device_id = mem_strdup(who->device_id);
	p->address = mem_strdup(who->address);
	p->down = down_topic(hub, p->client_id, p->device_id);
	if (hub->audio)
		p->audio = mqtt_audio_join(hub->audio, t);
	mqtt_peers_add(hub, p);
	t->ops = &mqtt_peer_ops;
	t->impl = p;
	make_due(p);
	return 0;
}

/*
 * One connection to a broker that serves many devices: who joined, who left,
 * whose message it is. With our plugin in the broker, or by topics alone.
 */

/* Tell all that is due, in order, before whatever happens next. */
static void end_peer(struct mqtt_peer *p, const struct error *why)
{
	struct mqtt_hub *hub = p->hub;

	mqtt_peer_end(p, why);
	mqtt_peers_due(hub);
}

/* It is at the broker no more: also a client that was given up. */
static void forget(struct mqtt_peer *p, const struct error *why)
{
	struct mqtt_hub *hub = p->hub;

	if (p->transport) {
		mqtt_peers_remove(hub, p);
		end_peer(p, why);
		return;
	}
	mqtt_peers_remove(hub, p);
	mqtt_peer_free(p);
}

/* ---- with the plugin ---- */

/* Two of one client id drive each other out, for ever. */
static void again(struct error *why, const struct mqtt_peer *old,
		  const struct mqtt_joined *new)
{
	if (!old->address || !new->address ||
	    strcmp(old->address, new->address) == 0) {
		error_set(why, ERR_CONNECT, "it connected again");
		error_code(why, EEXIST);
		return;
	}
	error_set(why, ERR_CONNECT,
		  "a client with the same id connected, from %s", new->address);
	error_hint(
		why,
		"if these are two boards: each needs a client id of its own, which OTA gives it");
	error_code(why, EEXIST);
}

static void on_joined(struct mqtt_hub *hub, const char *client_id,
		      const char *data, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(data, len, NULL);
	CLEANUP(error_reset) struct error why = { 0 };
	struct mqtt_peer *old = mqtt_peers_find(hub, client_id);
	int64_t number = 0;
	char device_id[18];
	const struct mqtt_joined who = {
		.client_id = client_id,
		.device_id =
			client_id_mac(client_id, device_id) ? device_id : NULL,
		.address = json_string(json, "address"),
		.user = json_string(json, "user"),
	};

	json_integer(json, "n", &number);
	if (old && number && old->number == number)
		return; /* told again, because we had gone */
	if (old) {
		again(&why, old, &who);
		forget(old, &why);
	}
	hub->joining = number;
	hub->events->joined(hub->owner, &who);
	hub->joining = 0;
}

static void on_left(struct mqtt_peer *p, const char *data, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(data, len, NULL);
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t reason = -1, number = p->number;

	json_integer(json, "reason", &reason);
	json_integer(json, "n", &number);
	if (p->number && number != p->number)
		return; /* its connection before this one */
	if (reason == MOSQ_ERR_KEEPALIVE) {
		error_set(
			&why, ERR_CONNECT,
			"the broker heard nothing of it for longer than its keepalive");
		error_code(&why, ETIMEDOUT);
	} else if (reason != 0) {
		error_set(&why, ERR_CONNECT,
			  "its connection to the broker ended");
		if (reason == MOSQ_ERR_CONN_LOST)
			error_reason(&why, WHY_FIN);
	}
	/* It said goodbye to the broker: that is a proper end. */
	forget(p, reason == 0 ? NULL : &why);
}

static void on_refused(struct mqtt_hub *hub, const char *client_id,
		       const char *data, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(data, len, NULL);
	const char *text = json_string(json, "text");

	if (hub->events->refused)
		hub->events->refused(
			hub->owner, client_id, json_string(json, "address"),
			text ? text : "refused", json_string(json, "hint"));
}

/* It may be heard without having joined: if we connected after it. */
static void on_up(struct mqtt_hub *hub, const char *client_id, const char *data,
		  size_t len)
{
	struct mqtt_peer *p = mqtt_peers_find(hub, client_id);

	if (!p) {
		on_joined(hub, client_id, "", 0);
		p = mqtt_peers_find(hub, client_id);
	}
	if (p && p->transport)
		mqtt_peer_receive(p, data, len);
}

static void plugin_message(struct mqtt_hub *hub, const char *topic,
			   const char *data, size_t len)
{
	CLEANUP(buf_done) struct buf id = { 0 };
	enum broker_topic kind = broker_topic_decode(topic, &id);
	struct mqtt_peer *p;

	if (!id.len)
		return;
	switch (kind) {
	case BROKER_JOINED:
		on_joined(hub, buf_string(&id), data, len);
		break;
	case BROKER_UP:
		on_up(hub, buf_string(&id), data, len);
		break;
	case BROKER_LEFT:
		p = mqtt_peers_find(hub, buf_string(&id));
		if (p)
			on_left(p, data, len);
		break;
	case BROKER_REFUSED:
		on_refused(hub, buf_string(&id), data, len);
		break;
	case BROKER_NONE:
	case BROKER_DOWN:
	case BROKER_KICK:
		break;
	}
}

/* ---- a foreign broker ---- */

static void topic_message(struct mqtt_hub *hub, const char *topic,
			  const void *data, size_t len)
{
	CLEANUP(buf_done) struct buf id = { 0 }, mac = { 0 };
	struct mqtt_joined who = { 0 };
	struct mqtt_peer *p;
	char device_id[18];

	if (!topic_match(hub->up, topic, &id, &mac) || (!id.len && !mac.len))
		return;
	who.client_id = buf_string(id.len ? &id : &mac);
	who.device_id = mac.len ? buf_string(&mac) : NULL;
	if (!mac.len && client_id_mac(who.client_id, device_id))
		who.device_id = device_id;
	p = mqtt_peers_find(hub, who.client_id);
	if (!p) {
		hub->events->joined(hub->owner, &who);
		p = mqtt_peers_find(hub, who.client_id);
	}
	if (p)
		mqtt_peer_receive(p, data, len);
}

/* ---- the connection ---- */

static void on_connected(void *owner)
{
	struct mqtt_hub *hub = owner;

	if (hub->events->broker)
		hub->events->broker(hub->owner, NULL);
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct mqtt_hub *hub = owner;

	if (hub->plugin)
		plugin_message(hub, topic, data, len);
	else
		topic_message(hub, topic, data, len);
	/* Who was adopted hears of it at once, from the loop as this is. */
	mqtt_peers_due(hub);
}

/* Whom somebody uses is told first, and removed when it was. */
static bool end_or_drop(void *owner, void *peer)
{
	struct mqtt_peer *p = peer;
	const bool keep = p->transport;

	if (keep)
		mqtt_peer_end(p, owner);
	else
		mqtt_peer_free(p);
	return keep;
}

/* Sessions are clean: a device must connect again, and is told of again. */
static void on_lost(void *owner, const struct error *why)
{
	struct mqtt_hub *hub = owner;
	CLEANUP(error_reset) struct error gone = { 0 };

	if (hub->events->broker)
		hub->events->broker(hub->owner, why);
	error_set(&gone, ERR_CONNECT, "the broker went away");
	error_code(&gone, why->code);
	error_reason(&gone, why->reason);
	map_sweep(&hub->peers, end_or_drop, &gone);
	mqtt_peers_due(hub);
}

static const struct mqtt_client_events client_events = {
	.connected = on_connected,
	.message = on_message,
	.lost = on_lost,
};

static void on_timer(void *owner)
{
	mqtt_peers_due(owner);
}

/* ---- opening and closing ---- */

static int check_topics(const struct mqtt_hub_config *c, struct error *err)
{
	bool tells = strstr(c->up, "{client_id}") || strstr(c->up, "{mac}");

	if (!tells) {
		error_set(err, ERR_USAGE,
			  "the topic '%.100s' does not tell devices apart",
			  c->up);
		return error_hint(
			err,
			"it must hold {client_id} or {mac}, as in mcpctl/up/{client_id}");
	}
	if (mosquitto_pub_topic_check(c->down) || !*c->down)
		return error_set(
			err, ERR_USAGE,
			"nothing can be published to the topic '%.100s'",
			c->down);
	return 0;
}

/* With the plugin nothing is subscribed: it hands its messages to our client id. */
static int subscribe(struct mqtt_hub *hub, struct error *err)
{
	CLEANUP(buf_done) struct buf filter = { 0 };

	if (hub->plugin)
		return 0;
	topic_filter(&filter, hub->up);
	return mqtt_subscribe(hub->client, buf_string(&filter), err);
}

static void release(struct mqtt_hub *hub)
{
	struct mqtt_peer *p;
	size_t at = 0;

	while ((p = map_each(&hub->peers, &at)))
		mqtt_peer_free(p);
	map_done(&hub->peers);
	mem_free(hub->up);
	mem_free(hub->down);
	mem_free(hub->advertise);
	mem_free(hub->broker);
	mem_free(hub);
}

static void on_timer_closed(void *owner)
{
	struct mqtt_hub *hub = owner;
	void (*closed)(void *owner) = hub->closed;

	owner = hub->owner;
	release(hub);
	if (closed)
		closed(owner);
}

static void on_client_closed(void *owner)
{
	struct mqtt_hub *hub = owner;

	timer_close(&hub->timer, on_timer_closed);
}

static void mqtt_hub_close(struct mqtt_hub *hub, void (*closed)(void *owner))
{
	hub->closed = closed;
	if (hub->client)
		mqtt_client_close(TAKE(hub->client), on_client_closed);
}

static struct mqtt_hub *mqtt_hub_open(struct loop *l,
				      const struct mqtt_hub_config *c,
				      const struct mqtt_hub_events *events,
				      void *owner, struct error *err)
{
	struct mqtt_hub *hub;
	CLEANUP(buf_done) struct buf broker = { 0 };

	if (!c->plugin && check_topics(c, err))
		return NULL;
	hub = mem_zalloc(sizeof(*hub));
	hub->loop = l;
	hub->events = events;
	hub->owner = owner;
	hub->plugin = c->plugin;
	hub->message_max =
		c->message_max ? c->message_max : TRANSPORT_MESSAGE_MAX;
	hub->audio = c->audio;
	hub->due_last = &hub->due;
	hub->client = mqtt_client_open(l, &c->broker, &client_events, hub, err);
	if (!hub->client) {
		mem_free(hub);
		return NULL;
	}
	hub->up = mem_strdup(c->up);
	hub->down = mem_strdup(c->down);
	hub->advertise = mem_strdup(c->advertise);
	authority_print(&broker, c->broker.host, c->broker.port);
	hub->broker = buf_take(&broker);
	timer_open(&hub->timer, l, on_timer, hub);
	if (subscribe(hub, err) == 0)
		return hub;
	mqtt_hub_close(hub, NULL);
	return NULL;
}

static void mqtt_hub_kick(struct mqtt_hub *hub, const char *client_id)
{
	CLEANUP(buf_done) struct buf topic = { 0 };

	if (!hub->plugin || !hub->client)
		return;
	broker_topic_encode(&topic, BROKER_KICK, client_id);
	mqtt_publish(hub->client, buf_string(&topic), "", 0, NULL);
}

/*
 * The table that this module exports.
 */

static bool audio_counts(const struct transport *t, struct audio_counts *out)
{
	const struct audio *d = NULL;

	*out = (struct audio_counts){ 0 };
	if (!t->impl)
		return false;
	if (t->ops == &mqtt_peer_ops)
		d = ((const struct mqtt_peer *)t->impl)->audio;
	else if (t->ops == &mqtt_table.dial)
		d = mqtt_dial_audio(t);
	if (!d)
		return false;
	*out = d->counts;
	return true;
}

const struct mqtt_table mqtt_table = {
	.dial = {
		.scheme = "mqtt",
		.open = mqtt_dial_open,
		.send = mqtt_dial_send,
		.send_sound = mqtt_dial_send_sound,
		.close = mqtt_dial_close,
		.explain = mqtt_dial_explain,
		.layers = mqtt_dial_layers,
	},
	.mcp_dial = {
		.scheme = "mcp+mqtt",
		.open = mcp_mqtt_open,
		.send = mcp_mqtt_send,
		.close = mcp_mqtt_close,
		.explain = mcp_mqtt_explain,
		.layers = mcp_mqtt_layers,
	},
	.browse_open = mcp_browse_open,
	.browse_poll = mcp_browse_poll,
	.browse_list = mcp_browse_list,
	.browse_is_cut = mcp_browse_is_cut,
	.browse_close = mcp_browse_close,
	.client_open = mqtt_client_open,
	.subscribe = mqtt_subscribe,
	.publish = mqtt_publish,
	.publish_five = mqtt_publish_five,
	.subscribe_five = mqtt_subscribe_five,
	.unsubscribe = mqtt_unsubscribe,
	.property = mqtt_property,
	.client_close = mqtt_client_close,
	.hub_open = mqtt_hub_open,
	.adopt = mqtt_adopt,
	.ask = mqtt_ask,
	.kick = mqtt_hub_kick,
	.hub_close = mqtt_hub_close,
	.audio_open = mqtt_audio_open,
	.audio_port = mqtt_audio_number,
	.audio_close = mqtt_audio_close,
	.audio_counts = audio_counts,
	.cipher = mqtt_cipher,
	.sign = broker_sign,
};
