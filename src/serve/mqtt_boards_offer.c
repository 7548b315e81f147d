/* SPDX-License-Identifier: MIT */
/*
 * What a board that asks OTA is told of the broker (device.md 2.1), and what
 * the user is told of it.
 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/head.h"
#include "net/listen.h"
#include "serve/board.h"
#include "serve/door.h"
#include "serve/mqtt_boards_private.h"
#include "wire/broker_topic.h"

/* The first address of this machine that a board can use, else host. */
static void add_reachable(struct buf *out, const char *host, uint16_t port)
{
	char found[1][64];

	/* A colon in it would let the board restart for ever (device.md 2.1). */
	if ((!host || strchr(host, ':')) && local_addresses(found, 1) &&
	    !strchr(found[0], ':'))
		host = found[0];
	authority_print(out, host ? host : "127.0.0.1", port);
}

static void set_endpoint(struct mqtt_boards *r, const char *host)
{
	uint16_t port = r->server->config.mqtt_port;

	if (!r->broker) {
		port = r->where.port;
		if (!address_is_here(r->where.host))
			host = r->where.host;
	} else if (r->advertised) {
		host = r->advertised;
	}
	buf_reset(&r->endpoint);
	add_reachable(&r->endpoint, host, port);
}

/*
 * What a device told may hold anything; a client id of ours does not. Only a
 * colon becomes _: else another's Device-Id could be written so that the client
 * id names this board.
 */
static void add_plain(struct buf *out, const char *text)
{
	for (; *text; text++) {
		int low = text_lower(*text);
		bool plain = (low >= 'a' && low <= 'z') ||
			     (low >= '0' && low <= '9') || low == '.';

		if (low == ':')
			low = '_';
		else if (!plain)
			low = '-';
		buf_char(out, (char)low);
	}
}

/* Two boards must never share one: they would drive each other out. */
static void set_client_id(struct mqtt_boards *r, const struct ota_request *rq,
			  const char *address)
{
	const char *device = rq->device_id[0] ? rq->device_id : "unknown";
	const char *client = rq->client_id;

	if (!*client)
		client = rq->device_id[0] || !*address ? device : address;
	buf_reset(&r->client_id);
	buf_text(&r->client_id, "GID_mcpctl@@@");
	add_plain(&r->client_id, device);
	buf_text(&r->client_id, "@@@");
	add_plain(&r->client_id, client);
}

/*
 * What it shows the broker tells how it reached us (mqtt_boards_reached), since a
 * message over MQTT has no Host. Nobody but the board itself shows it.
 */
static void set_user(struct mqtt_boards *r, const char *address,
		     const char *reached)
{
	struct buf json = { 0 };

	buf_text(&json, "{\"ip\":");
	buf_json_string(&json, address, strlen(address));
	json_add_text(&json, "host", reached);
	buf_char(&json, '}');
	buf_reset(&r->user);
	text_base64_encode(&r->user, json.data, json.len);
	buf_done(&json);
}

char *mqtt_boards_reached(const char *user)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *host;

	if (text_base64_decode(user, strlen(user), &text))
		return NULL;
	json = json_parse(buf_string(&text), text.len, NULL);
	host = json_string(json, "host");
	return host && head_is_host(host) ? mem_strdup(host) : NULL;
}

/*
 * A board asks when it starts: then what was known of it is of the past. Not if
 * somebody asks in its name from elsewhere.
 */
static void expect(struct mqtt_boards *r, const struct ota_request *rq,
		   const char *address)
{
	const struct door *door = r->server->door;
	const char *client_id = buf_string(&r->client_id);
	struct board *d;
	struct error why = { 0 };

	if (r->broker)
		return;
	d = registry_next(&r->server->registry, NULL, client_id);
	if (d && door && door_asked_elsewhere(door, rq->device_id, address))
		return;
	if (d && d->mqtt) {
		error_set(&why, ERR_CONNECT,
			  "it was restarted: it asked OTA again");
		board_end(d, &why);
	}
	mqtt_boards_expect(r, client_id,
			   rq->device_id[0] ? rq->device_id : NULL);
}

void mqtt_boards_offer(struct mqtt_boards *r, const struct ota_request *rq,
		       const struct mqtt_boards_asker *asker,
		       struct ota_mqtt *out)
{
	const char *address = asker->address;
	struct authority a = { .host = "" };

	if (address)
		authority_parse(&a, address, strlen(address), NULL);
	set_endpoint(r, asker->host);
	set_client_id(r, rq, a.host);
	set_user(r, a.host, asker->reached);
	buf_reset(&r->password);
	if (r->key.len)
		r->mqtt->sign(&r->password, &r->key, buf_string(&r->client_id),
			      buf_string(&r->user));
	buf_reset(&r->topic);
	if (r->broker)
		buf_text(&r->topic, BROKER_UP_TOPIC);
	else
		topic_fill(&r->topic, r->up, buf_string(&r->client_id),
			   rq->device_id[0] ? rq->device_id : NULL);
	expect(r, rq, address);
	*out = (struct ota_mqtt){
		.endpoint = buf_string(&r->endpoint),
		.client_id = buf_string(&r->client_id),
		.username = buf_string(&r->user),
		.password = r->key.len ? buf_string(&r->password) : NULL,
		.publish_topic = buf_string(&r->topic),
	};
}

static bool is_any(const char *host)
{
	return !host || !strcmp(host, "0.0.0.0") || !strcmp(host, "::");
}

void mqtt_boards_describe(const struct mqtt_boards *r, struct buf *out)
{
	const char *host = r->host;

	if (!r->broker) {
		buf_printf(out, "%s://", r->where.scheme);
		authority_print(out, r->where.host, r->where.port);
		return;
	}
	if (r->advertised)
		host = r->advertised;
	else if (is_any(host))
		host = NULL;
	buf_text(out, "mqtt://");
	if (host)
		authority_print(out, host, r->server->config.mqtt_port);
	else
		add_reachable(out, NULL, r->server->config.mqtt_port);
	buf_printf(out, " (mosquitto %s)", broker_version(r->broker));
}
