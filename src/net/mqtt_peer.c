/* SPDX-License-Identifier: MIT */
/*
 * A device of a hub as a transport. What it has to be told from the loop
 * waits in the hub's list of what is due.
 */
#include <string.h>

#include "base/mem.h"
#include "net/mqtt_private.h"
#include "wire/broker_topic.h"

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

void mqtt_peer_free(struct mqtt_peer *p)
{
	mqtt_audio_leave(p->audio);
	if (p->why)
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
	if (why)
		error_reset(why);
	mem_free(why);
}

void mqtt_peers_due(struct mqtt_hub *hub)
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

void mqtt_peer_receive(struct mqtt_peer *p, const void *data, size_t len)
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

void mqtt_peer_end(struct mqtt_peer *p, const struct error *why)
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

static void peer_close(struct transport *t)
{
	if (t->impl)
		mqtt_peer_end(t->impl, NULL);
}

const struct transport_ops mqtt_peer_ops = {
	.scheme = "mqtt",
	.brief = "a device at a broker",
	.open = peer_open,
	.send = peer_send,
	.close = peer_close,
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

int mqtt_ask(struct mqtt_hub *hub, const struct mqtt_joined *who,
	     const char *text, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *topic = down_topic(hub, who->client_id, who->device_id);

	return mqtt_publish(hub->client, topic, text, len, err);
}

int mqtt_adopt(struct transport *t, struct mqtt_hub *hub,
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
