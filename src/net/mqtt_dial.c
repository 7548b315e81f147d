/* SPDX-License-Identifier: MIT */
/*
 * mqtt:// and mqtts://: one device at a broker, named by its client id, over a
 * connection of our own. MCP needs no hello there (device.md 2.2), so it is
 * ready as soon as the broker has accepted us.
 *
 * Of the endpoint: host, port, user, password, cacert, insecure; path is the
 * client id; topic_up and topic_down, or what stock devices are told to use.
 */
#include "net/mqtt_dial.h"

#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "net/admit.h"
#include "net/mqtt_audio.h"
#include "net/mqtt_client.h"
#include "net/why.h"
#include "wire/broker_topic.h"

#define TOPIC_UP "device-server"
#define TOPIC_DOWN_MAC "devices/p2p/{mac}"
#define TOPIC_DOWN_ID "devices/p2p/{client_id}"

struct mqtt_dial {
	struct transport *transport;
	struct mqtt_client *client; /* NULL once closed, or closing */
	struct audio_port *port; /* NULL likewise */
	struct audio *audio;
	char *host, *up, *down, *client_id, *advertise;
	char device_id[18]; /* "" if the client id does not tell it */
	uint16_t number;
	size_t message_max;
	bool ready, heard, closing, insecure;
	unsigned open; /* parts that still have to close */
	struct error why;
};

const struct audio *mqtt_dial_audio(const struct transport *t)
{
	return ((const struct mqtt_dial *)t->impl)->audio;
}

/* ---- the end ---- */

static void release(struct mqtt_dial *d)
{
	mem_free(d->host);
	mem_free(d->up);
	mem_free(d->down);
	mem_free(d->client_id);
	mem_free(d->advertise);
	mem_free(d);
}

static void on_part_closed(void *owner)
{
	struct mqtt_dial *d = owner;
	struct transport *t = d->transport;
	struct error why;

	if (--d->open)
		return;
	why = d->why;
	release(d);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

static void end(struct mqtt_dial *d)
{
	if (d->closing)
		return;
	d->closing = true;
	if (d->audio)
		d->audio->open = false;
	d->open = 1;
	if (d->port)
		d->open++;
	mqtt_client_close(TAKE(d->client), on_part_closed);
	mqtt_audio_leave(TAKE(d->audio));
	if (d->port)
		mqtt_audio_close(TAKE(d->port), on_part_closed, d);
}

void mqtt_dial_close(struct transport *t)
{
	if (t->impl)
		end(t->impl);
}

/* ---- from the loop ---- */

static void warn_insecure(const struct mqtt_dial *d)
{
	const struct transport *t = d->transport;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"the certificate of '%s' is not verified (--insecure)",
		d->host);
	const struct notice n = { .kind = NOTICE_INSECURE, .text = text };

	if (t->events->notice)
		t->events->notice(t->owner, &n);
}

static void on_connected(void *owner)
{
	struct mqtt_dial *d = owner;
	const struct transport *t = d->transport;
	CLEANUP(buf_done) struct buf address = { 0 };
	struct peer_info info = {
		.client_id = d->client_id,
		.device_id = d->device_id[0] ? d->device_id : NULL,
		.tls = mqtt_tls_version(d->client),
		.envelope = true,
		.standby = true,
		.shared = true,
	};

	authority_print(&address, d->host, d->number);
	info.address = buf_string(&address);
	if (d->audio) {
		info.udp = mqtt_audio_offer(d->audio, d->advertise, NULL,
					    mosquitto_socket(d->client->mosq));
		d->audio->open = true;
	}
	d->ready = true;
	if (d->insecure)
		warn_insecure(d);
	if (!d->closing)
		t->events->ready(t->owner, &info);
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct mqtt_dial *d = owner;
	const struct transport *t = d->transport;

	(void)topic;
	if (d->closing)
		return;
	d->heard = true;
	if (len <= d->message_max) {
		t->events->message(t->owner, FRAME_TEXT, data, len);
		return;
	}
	error_set(&d->why, ERR_PROTOCOL,
		  "a message of %zu bytes came, and %zu are the limit", len,
		  d->message_max);
	end(d);
}

static void on_lost(void *owner, const struct error *why)
{
	struct mqtt_dial *d = owner;

	if (d->closing)
		return;
	error_copy(&d->why, why);
	end(d);
}

static const struct mqtt_client_events client_events = {
	.connected = on_connected,
	.message = on_message,
	.lost = on_lost,
};

/* ---- opening ---- */

static char *fill(const char *pattern, const char *client_id,
		  const char *device_id)
{
	CLEANUP(buf_done) struct buf topic = { 0 };

	topic_fill(&topic, pattern, client_id, device_id);
	return buf_take(&topic);
}

static int set_topics(struct mqtt_dial *d, const struct endpoint *to,
		      struct error *err)
{
	const char *up = to->topic_up ? to->topic_up : TOPIC_UP;
	const char *down = to->topic_down;
	const char *device_id = d->device_id[0] ? d->device_id : NULL;
	bool overlap = false;

	if (!down)
		down = device_id ? TOPIC_DOWN_MAC : TOPIC_DOWN_ID;
	if (!device_id && (strstr(up, "{mac}") || strstr(down, "{mac}"))) {
		error_set(
			err, ERR_USAGE,
			"the client id '%.100s' does not tell the device's {mac}",
			d->client_id);
		return error_hint(err,
				  "write the topic out, or use {client_id}");
	}
	d->up = fill(up, d->client_id, device_id);
	d->down = fill(down, d->client_id, device_id);
	if (mosquitto_pub_topic_check(d->down) || !*d->down) {
		error_set(err, ERR_USAGE,
			  "nothing can be published to the topic '%.100s'",
			  d->down);
		return error_hint(err, "name another one: ?down=TOPIC");
	}
	mosquitto_topic_matches_sub(d->up, d->down, &overlap);
	if (!overlap)
		return 0;
	error_set(err, ERR_USAGE,
		  "the topics up '%.100s' and down '%.100s' are the same",
		  d->up, d->down);
	return error_hint(err, "what is sent to the device would come back");
}

static void make_own_id(char *out, size_t size)
{
	uint64_t bits;

	random_bytes(&bits, sizeof(bits));
	snprintf(out, size, MQTT_OWN_ID "%012llx",
		 (unsigned long long)(bits & 0xffffffffffffu));
}

static int connect_to(struct mqtt_dial *d, const struct endpoint *to,
		      struct error *err)
{
	char own_id[32];
	struct mqtt_options options = mqtt_options_to(to);

	make_own_id(own_id, sizeof(own_id));
	options.client_id = own_id;
	d->insecure = options.tls && to->insecure;
	d->client = mqtt_client_open(d->transport->loop, &options,
				     &client_events, d, err);
	if (!d->client)
		return -1;
	if (mqtt_subscribe(d->client, d->up, err) == 0)
		return 0;
	return error_hint(err, "name another one: ?up=TOPIC");
}

/* Nothing of it was seen yet: what is open closes by itself. */
static void discard(struct mqtt_dial *d)
{
	if (d->client)
		mqtt_client_close(d->client, NULL);
	mqtt_audio_leave(d->audio);
	if (d->port)
		mqtt_audio_close(d->port, NULL, NULL);
	release(d);
}

int mqtt_dial_open(struct transport *t, const struct endpoint *to,
		   struct error *err)
{
	struct mqtt_dial *d = mem_zalloc(sizeof(*d));

	d->transport = t;
	d->host = mem_strdup(to->host);
	d->number = to->port;
	d->client_id = mem_strdup(to->path);
	/* A URL is for those that dial in over WebSocket. */
	if (to->advertise && !strstr(to->advertise, "://"))
		d->advertise = admit_advertised(to->advertise);
	d->message_max =
		to->message_max ? to->message_max : TRANSPORT_MESSAGE_MAX;
	if (!client_id_mac(d->client_id, d->device_id))
		d->device_id[0] = '\0';
	if (set_topics(d, to, err) || connect_to(d, to, err)) {
		discard(d);
		return -1;
	}
	/* Without a socket hello still gets its answer, and audio is lost. */
	d->port = mqtt_audio_open(t->loop, NULL, 0, false, NULL);
	if (d->port)
		d->audio = mqtt_audio_join(d->port, t);
	t->impl = d;
	return 0;
}

int mqtt_dial_send(struct transport *t, const char *text, size_t len,
		   struct error *err)
{
	struct mqtt_dial *d = t->impl;

	if (!d || d->closing)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	if (mqtt_publish(d->client, d->down, text, len, err))
		return -1;
	if (d->audio)
		mqtt_audio_passes(d->audio, text, len);
	return 0;
}

int mqtt_dial_send_sound(struct transport *t, const void *data, size_t len,
			 struct error *err)
{
	struct mqtt_dial *d = t->impl;

	if (!d || d->closing || !d->ready)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	return mqtt_audio_send(d->audio, data, len, err);
}

int mqtt_dial_explain(struct transport *t, struct error *err)
{
	const struct mqtt_dial *d = t->impl;

	if (!d || d->heard)
		return 0;
	return why_set(err, &(struct why_facts){
				    .what = d->ready ? WHY_WAITS_DEVICE :
						       WHY_WAITS_BROKER,
				    .with = WITH_MQTT,
				    .host = d->host,
				    .port = d->number,
				    .path = d->down,
				    .to = d->up,
				    .said = d->client_id,
			    });
}

bool mqtt_dial_layers(const struct transport *t, int64_t id, struct layers *out)
{
	const struct mqtt_dial *d = t->impl;

	(void)id;
	return mqtt_layers(d ? d->client : NULL, out);
}
