/* SPDX-License-Identifier: MIT */
/*
 * A caller at a broker: where it joins, as whom, and its sound over UDP, which
 * begins and ends with a voice session.
 */
#include <string.h>

#include "base/mem.h"
#include "sim/board_link_private.h"
#include "sim/identity.h"
#include "wire/broker_topic.h"

static void on_ended(void *owner, const char *why)
{
	struct board_link *c = owner;

	board_link_lost(c, why);
	broker_line_close(&c->line.mqtt);
}

static const struct broker_line_events mqtt_events = {
	.opened = board_link_opened,
	.text = board_link_text,
	.ended = on_ended,
	.closed = board_link_line_closed,
};

static char *filled(const char *pattern, const struct board_link *c)
{
	struct buf topic;

	buf_init(&topic, 0);
	topic_fill(&topic, pattern, c->where.client_id, c->device.device_id);
	return buf_take(&topic);
}

static void take_endpoint(struct board_link *c)
{
	const struct endpoint *e = c->plan->mqtt;
	struct broker_where *w = &c->where;

	w->host = mem_strdup(e->host);
	w->port = e->port;
	w->tls = !strcmp(e->scheme, "mqtts");
	w->keepalive = MQTT_KEEPALIVE;
	w->user = mem_strdup(e->user);
	w->password = mem_strdup(c->plan->password);
	/* The target's is the first device's; the others count on from it. */
	w->client_id =
		identity_mqtt(e->path + (e->path[0] == '/'), c->number - 1);
	w->up = filled(e->topic_up ? e->topic_up : MQTT_TOPIC, c);
	if (e->topic_down)
		w->down = filled(e->topic_down, c);
}

/* "ESP32_0A1B2C": what the board's MQTT library takes if it is given none. */
static char *own_client_id(const char *mac)
{
	size_t len = strlen(mac);
	struct buf id;

	buf_init(&id, 0);
	buf_text(&id, "ESP32_");
	for (mac += len > 8 ? len - 8 : 0; *mac; mac++) {
		if (*mac >= 'a' && *mac <= 'f')
			buf_char(&id, (char)(*mac - 'a' + 'A'));
		else if (*mac != ':')
			buf_char(&id, *mac);
	}
	return buf_take(&id);
}

/* What nobody named. */
static void complete(struct board_link *c)
{
	struct broker_where *w = &c->where;

	if (!w->client_id)
		w->client_id = own_client_id(c->device.device_id);
	/* Gateways write the word null where there is no topic (2.1). */
	if (!c->plan->subscribe || (w->down && !strcmp(w->down, "null"))) {
		mem_free(w->down);
		w->down = NULL;
	}
	if (c->plan->subscribe && !w->down)
		w->down = filled("devices/p2p/{mac}", c);
}

static void tell(struct board_link *c)
{
	const struct broker_where *w = &c->where;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s://%s:%u as %s", w->tls ? "mqtts" : "mqtt",
				w->host, (unsigned)w->port, w->client_id);

	c->events->step(c, CALLER_DIALS, text);
}

void board_link_join(struct board_link *c)
{
	struct error err = { 0 };
	struct broker_line_order order = {
		.loop = c->plan->loop,
		.where = &c->where,
		.cacert = c->plan->cacert,
		.insecure = c->plan->insecure,
		.events = &mqtt_events,
		.owner = c,
	};

	if (!c->where.host)
		take_endpoint(c);
	complete(c);
	tell(c);
	pretend_set_mqtt(&c->device, true);
	if (broker_line_open(&c->line.mqtt, &order, &err)) {
		board_link_refuse(c, &err);
		board_link_again(c);
		return;
	}
	c->using = LINE_MQTT;
}

static void on_hazard(void *owner, enum hazard h)
{
	struct board_link *c = owner;

	hazard_tell(&c->device.watch, h);
}

void board_link_audio(void *owner, const struct udp_offer *offer)
{
	struct board_link *c = owner;
	const struct sound_order order = {
		.loop = c->plan->loop,
		.table = c->line.mqtt.table,
		.counts = c->plan->audio,
		.hazard = on_hazard,
		.owner = c,
	};

	sound_close(TAKE(c->sound));
	if (offer)
		c->sound = sound_open(&order, offer);
}

void board_link_sound(struct board_link *c, const void *data, size_t len)
{
	/* Without echo cancelling by the server a board's timestamps are 0. */
	bool timed = c->device.config.profile->hello.aec;

	if (c->sound)
		sound_send(c->sound, timed ? c->device.audio_ms : 0, data, len);
}

void board_link_mqtt_cut(struct board_link *c, const char *text, size_t len)
{
	if (c->using != LINE_MQTT)
		return;
	broker_line_text(&c->line.mqtt, text, len / 2);
	broker_line_close(&c->line.mqtt);
}
