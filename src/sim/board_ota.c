/* SPDX-License-Identifier: MIT */
#include "sim/board_ota.h"

#include <string.h>

#include "base/mem.h"
#include "net/why.h"
#include "sim/board_link.h"
#include "wire/board_text.h"
#include "wire/refusal.h"

/* What a real board does not get past. Returns -1. */
static int dies(struct ota_fate *fate, enum diag_code of, struct error *err)
{
	fate->dead = true;
	fate->of = of;
	return error_set(err, ERR_UNMET, "a real device %s (%s)",
			 of == O305 ? "aborts here, at every start" :
				      "restarts here, over and over",
			 finding_row(of)->code);
}

int ota_no_address(const char *what, struct error *err)
{
	error_set(err, ERR_CONNECT, "%s", what);
	return error_hint(
		err,
		"the least that a device needs is {\"websocket\":{\"url\":\"ws://…\"}}, or {\"mqtt\":{\"endpoint\":\"HOST:PORT\",…}}");
}

/* {"error":"…"} with status 200: the reason stands there. */
static int add_words(const char *body, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr) char *words = refusal_words(body, len);

	CLEANUP(mem_free_ptr) char *hint = mem_strdup(err ? err->hint : NULL);

	if (!words || !err)
		return -1;
	error_set(err, err->kind, "%s; it says: %s", err->text, words);
	return error_hint(err, "%s", hint);
}

static int refuse(const struct ota_reply *r, struct error *err)
{
	if (!r->activation_code && !r->activation_challenge)
		return ota_no_address(
			"the OTA reply has neither 'websocket' nor 'mqtt': a real device uses MQTT as it was stored",
			err);
	error_set(err, ERR_CONNECT,
		  "the backend wants this device to be activated first%s%s",
		  r->activation_code ? ", with the code " : "",
		  r->activation_code ? r->activation_code : "");
	return error_hint(
		err,
		"activate it there, then start again with the same --device-id");
}

int ota_judge(struct ota_reply *out, const struct ota_answer *a,
	      struct ota_fate *fate, struct error *err)
{
	fate->found = diag_ota(fate->diag, a);
	if (ota_reply_decode(out, a->body, a->len, err)) {
		if (err)
			err->kind = ERR_CONNECT;
		return add_words(a->body, a->len, err);
	}
	/* In the order in which firmware comes to them. */
	if (fate->found & OTA_BIT(O305))
		return dies(fate, O305, err);
	if (fate->found & OTA_BIT(O307))
		return dies(fate, O307, err);
	if (out->activation_code || out->activation_challenge)
		return refuse(out, err);
	if (!out->mqtt && !out->websocket) {
		refuse(out, err);
		return add_words(a->body, a->len, err);
	}
	return 0;
}

static int no_endpoint(const cJSON *mqtt, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "the backend offered MQTT without an endpoint%s",
		  json_member(mqtt, "endpoint") ? " that is a text" : "");
	return error_hint(
		err,
		"give mqtt.endpoint as HOST:PORT, or leave 'mqtt' out of the OTA reply: it would hide a 'websocket'");
}

static int read_endpoint(struct broker_where *out, const char *text,
			 struct ota_fate *fate, struct error *err)
{
	struct board_endpoint e;

	if (board_endpoint_read(&e, text)) {
		out->host = mem_strndup(text, e.host_len);
		out->port = (uint16_t)e.port;
		out->tls = e.tls;
		return 0;
	}
	if (e.fault == BOARD_URL_NO_NUMBER)
		dies(fate, O302, err);
	else
		error_set(err, ERR_CONNECT, "mqtt.endpoint '%.200s' has no %s",
			  text,
			  e.fault == BOARD_URL_NO_HOST ? "host" :
							 "port of 1 to 65535");
	return error_hint(err, "write it as HOST:PORT, without a scheme");
}

static char *text_or_null(const cJSON *mqtt, const char *name)
{
	const char *text = json_string(mqtt, name);

	return text && *text ? mem_strdup(text) : NULL;
}

int ota_broker(struct broker_where *out, const cJSON *mqtt,
	       struct ota_fate *fate, struct error *err)
{
	const char *endpoint = json_string(mqtt, "endpoint");

	*out = (struct broker_where){ 0 };
	if (!endpoint || !*endpoint)
		return no_endpoint(mqtt, err);
	if (read_endpoint(out, endpoint, fate, err))
		return -1;
	out->keepalive = MQTT_KEEPALIVE;
	if (!json_integer(mqtt, "keepalive", &out->keepalive) &&
	    (out->keepalive < 5 || out->keepalive > UINT16_MAX))
		out->keepalive = MQTT_KEEPALIVE;
	out->user = text_or_null(mqtt, "username");
	out->password = text_or_null(mqtt, "password");
	out->client_id = text_or_null(mqtt, "client_id");
	out->up = text_or_null(mqtt, "publish_topic");
	out->down = text_or_null(mqtt, "subscribe_topic");
	return 0;
}
