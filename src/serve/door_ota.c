/* SPDX-License-Identifier: MIT */
/*
 * The OTA question of a board: answered with the WebSocket or the broker that
 * it shall use, and the time (device.md 5).
 */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/knock.h"
#include "serve/board.h"
#include "serve/door_private.h"
#include "serve/mqtt_boards.h"

#define QUESTION_MAX 65536

static struct ota_clock now(void)
{
	struct ota_clock clock;
	struct tm local;
	time_t seconds;

	clock.now_ms = unix_now_ms();
	clock.offset = 0;
	seconds = (time_t)(clock.now_ms / 1000);
	if (localtime_r(&seconds, &local))
		clock.offset = (int)(local.tm_gmtoff / 60);
	return clock;
}

static bool offers_mqtt(const struct serve *s)
{
	return s->rack && s->config.offer != OFFER_WEBSOCKET;
}

/* The host alone, by which the board reached us: the broker has a port of its own. */
static char *bare_host(const struct visit *v)
{
	const struct door *d = v->door;
	const char *text = knock_host(v->head);
	struct authority a;
	size_t len;

	if (d->advertised_ota) {
		text = strstr(d->advertised_ota, "//") + 2;
		len = strlen(text) - strlen(OTA_PATH);
	} else {
		len = strlen(text);
	}
	if (authority_parse(&a, text, len, NULL))
		return mem_strndup(text, len);
	return mem_strdup(a.host);
}

/* Somebody asks for a board that is connected from elsewhere. */
static const struct board *held_elsewhere(const struct visit *v,
					  const struct ota_request *asked)
{
	const struct board *d = registry_find_written(
		&v->door->server->registry, asked->device_id);

	if (!d || !d->address || memory_same_peer(d->address, v->head->address))
		return NULL;
	return d;
}

static void hint_ota(struct record *r, const struct ota_request *asked,
		     const struct board *elsewhere, bool mqtt)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!asked->device_id[0]) {
		record_hint(r, "a stock board sends the header Device-Id: "
			       "without it no server knows who asks");
	} else if (elsewhere) {
		text = mem_printf("the board with this Device-Id is connected "
				  "from %s: unless it was restarted, somebody "
				  "else asks; for the board that is there this "
				  "changes nothing",
				  elsewhere->address);
		record_hint(r, text);
	} else {
		record_hint(r, mqtt ? "it connects by itself over MQTT" :
				      "now wake it: wake word or button");
	}
}

/* What the record says: who, what it was sent to, what to do next. */
static void tell(const struct visit *v, const struct ota_request *asked,
		 const char *to, bool mqtt)
{
	const struct board *elsewhere = held_elsewhere(v, asked);
	bool warn = !asked->device_id[0] || elsewhere;
	struct buf text = { 0 }, detail = { 0 };
	struct ota_board board;
	struct record *r;

	ota_board(&board, asked);
	if (!asked->device_id[0])
		buf_text(&text, "a board without a Device-Id ");
	ota_describe(&text, asked);
	buf_printf(&text, "; it was sent to %s", to);
	r = door_record(v->door, &v->who, RECORD_OTA,
			warn ? LEVEL_WARN : LEVEL_INFO, buf_string(&text));
	hint_ota(r, asked, elsewhere, mqtt);
	door_member(&detail, "sent_to", to);
	door_member(&detail, "transport", mqtt ? "mqtt" : "websocket");
	door_member(&detail, "board", board.name);
	door_member(&detail, "version", board.version);
	door_member(&detail, "client_id", asked->client_id);
	record_detail(r, &detail);
	buf_done(&text);
}

/* The question is answered: remembered, and shown. */
static void answered(const struct visit *v, const struct ota_request *asked,
		     const char *to, const char *given)
{
	const struct told_it it = { given, to };
	CLEANUP(mem_free_ptr)
	char *before =
		memory_tell(&v->door->memory, asked, v->head->address, &it);
	CLEANUP(mem_free_ptr) char *text = NULL;

	tell(v, asked, to, given != NULL);
	if (!before)
		return;
	text = mem_printf("it is sent to %s now, and was sent to %s before", to,
			  before);
	door_record(v->door, &v->who, RECORD_TOLD, LEVEL_WARN, text);
}

/* Where its connection to the broker will not tell how it reached us. */
static const char *reached(const struct visit *v)
{
	const char *host = knock_host(v->head);

	return v->door->advertised_ota || text_same(host, v->head->local) ?
		       NULL :
		       host;
}

static void send_to_broker(const struct visit *v,
			   const struct ota_request *asked, struct buf *reply,
			   struct error *err)
{
	CLEANUP(mem_free_ptr) char *host = bare_host(v);
	CLEANUP(mem_free_ptr) char *to = NULL;
	const struct mqtt_boards_asker asker = { .address = v->head->address,
						 .host = host,
						 .reached = reached(v) };
	struct ota_clock clock = now();
	struct ota_mqtt mqtt = { 0 };

	mqtt_boards_offer(v->door->server->rack, asked, &asker, &mqtt);
	if (ota_reply_encode(reply, &mqtt, NULL, NULL, &clock, err))
		return;
	to = mem_printf("mqtt://%s as %s", mqtt.endpoint,
			mqtt.client_id ? mqtt.client_id : "");
	answered(v, asked, to, mqtt.client_id ? mqtt.client_id : "");
}

static void send_to_us(const struct visit *v, const struct ota_request *asked,
		       struct buf *reply, struct error *err)
{
	const char *host = knock_host(v->head);
	CLEANUP(mem_free_ptr)
	char *url = door_device_url(v->door, host, v->gate->port);
	const char *token = tokens_for(&v->door->server->tokens,
				       asked->device_id, asked->client_id);
	struct ota_clock clock = now();

	if (!ota_reply_encode(reply, NULL, url, token, &clock, err))
		answered(v, asked, url, NULL);
}

static void too_large(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("asked OTA with a body of %zu bytes: refused, "
				"above %d",
				v->len, QUESTION_MAX);

	visit_refuse(v, 413, "the body is too large for an OTA question");
	door_record(v->door, &v->who, RECORD_REFUSED, LEVEL_WARN, text);
}

/*
 * Every board is answered, also one that sends no Device-Id or no JSON: it
 * would go on with whatever it has stored (device.md 5.4, 2).
 */
void door_ota(const struct visit *v)
{
	struct ota_request asked;
	struct error err = { 0 };
	struct buf reply = { 0 };

	if (v->len > QUESTION_MAX) {
		too_large(v);
		return;
	}
	ota_read(&asked, v->head, v->body, v->len, &err);
	error_reset(&err);
	if (offers_mqtt(v->door->server) && !door_knows(v, &asked))
		return;
	if (offers_mqtt(v->door->server))
		send_to_broker(v, &asked, &reply, &err);
	else
		send_to_us(v, &asked, &reply, &err);
	if (err.kind) {
		visit_refuse(v, 500, err.text);
		record_hint(door_record(v->door, &v->who, RECORD_REFUSED,
					LEVEL_BAD, err.text),
			    err.hint);
	} else {
		visit_answer(v, 200, "application/json", &reply);
	}
	error_reset(&err);
	buf_done(&reply);
}
