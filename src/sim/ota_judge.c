/* SPDX-License-Identifier: MIT */
/* The pitfalls of device.md 5.4, looked for in a reply. */
#include "sim/ota_judge.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define STORE_NAME 15 /* letters of a name in the board's store */
#define STORE_VALUE 4000 /* bytes of a value */
#define BROKER_PORT_TLS 8883 /* the default; every other port is plain */

static void look_at_store(struct hazard_watch *w, const cJSON *section)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, section) {
		bool kept = cJSON_IsString(m) || cJSON_IsNumber(m);
		const char *text = cJSON_GetStringValue(m);

		if (kept && (strlen(m->string) > STORE_NAME ||
			     (text && strlen(text) > STORE_VALUE)))
			hazard_tell(w, HAZARD_OTA_STORE);
	}
}

/* "2.4.2", "2.4.2-x"; not "v2.4.2", not "2..1" (5.4 item 5). */
static bool is_dotted(const char *version)
{
	for (;;) {
		size_t digits = strspn(version, "0123456789");

		if (!digits || digits > 9)
			return false;
		version += digits;
		if (*version != '.')
			return true;
		version++;
	}
}

static void look_at_firmware(struct hazard_watch *w, const cJSON *firmware)
{
	const char *version = json_string(firmware, "version");

	if (version && json_string(firmware, "url") && !is_dotted(version))
		hazard_tell(w, HAZARD_OTA_FIRMWARE);
}

static void look(struct hazard_watch *w, const cJSON *json)
{
	const cJSON *websocket = json_object(json, "websocket");
	const cJSON *mqtt = json_object(json, "mqtt");

	if (websocket && mqtt)
		hazard_tell(w, HAZARD_OTA_BOTH);
	if (!websocket && !mqtt && !json_object(json, "activation"))
		hazard_tell(w, HAZARD_OTA_NEITHER);
	look_at_store(w, websocket);
	look_at_store(w, mqtt);
	if (json_string(websocket, "version"))
		hazard_tell(w, HAZARD_OTA_VERSION_TEXT);
	look_at_firmware(w, json_object(json, "firmware"));
}

static int refuse(const struct ota_reply *r, struct error *err)
{
	if (r->activation_code || r->activation_challenge) {
		error_set(err, ERR_CONNECT,
			  "the backend wants this device to be activated "
			  "first%s%s",
			  r->activation_code ? ", with the code " : "",
			  r->activation_code ? r->activation_code : "");
		return error_hint(err, "activate it there, then start again "
				       "with the same --device-id");
	}
	error_set(err, ERR_CONNECT,
		  "the OTA reply has no websocket.url: a real device falls "
		  "back to MQTT as it was stored");
	return error_hint(err, "the least that a device needs is "
			       "{\"websocket\":{\"url\":\"ws://…\"}}, or "
			       "{\"mqtt\":{\"endpoint\":\"HOST:PORT\",…}}");
}

int ota_judge(struct ota_reply *out, const char *body, size_t len,
	      struct hazard_watch *watch, struct error *err)
{
	cJSON *json;

	if (ota_reply_decode(out, body, len, err)) {
		if (err)
			err->kind = ERR_CONNECT;
		return -1;
	}
	json = json_parse(body, len, NULL);
	look(watch, json);
	cJSON_Delete(json);
	if (out->activation_code || out->activation_challenge ||
	    (!out->mqtt && !out->websocket_url))
		return refuse(out, err);
	return 0;
}

static int no_endpoint(const cJSON *mqtt, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "the backend offered MQTT without an endpoint%s",
		  json_member(mqtt, "endpoint") ? " that is a text" : "");
	return error_hint(err, "give mqtt.endpoint as HOST:PORT, or leave "
			       "'mqtt' out of the OTA reply: it hides "
			       "'websocket'");
}

/*
 * 2.1: what stands behind the first ':' goes to a parser of integers, which
 * takes leading digits and throws on anything else.
 */
static int read_endpoint(struct broker_where *out, const char *text,
			 struct hazard_watch *watch, struct error *err)
{
	const char *colon = strchr(text, ':');
	size_t host = strcspn(text, ":");
	char digits[6] = "";
	int64_t port = BROKER_PORT_TLS;
	size_t len = colon ? strspn(colon + 1, "0123456789") : 0;

	if (colon && len < sizeof(digits))
		memcpy(digits, colon + 1, len);
	if (host && (!colon || !text_integer(digits, 1, UINT16_MAX, &port))) {
		out->host = mem_strndup(text, host);
		out->port = (uint16_t)port;
		out->tls = port == BROKER_PORT_TLS;
		return 0;
	}
	hazard_tell(watch, HAZARD_OTA_ENDPOINT);
	error_set(err, ERR_CONNECT,
		  "mqtt.endpoint '%.200s' has no host or no port: a real "
		  "device restarts over and over",
		  text);
	return error_hint(err, "write it as HOST:PORT, without a scheme");
}

static char *text_or_null(const cJSON *mqtt, const char *name)
{
	const char *text = json_string(mqtt, name);

	return text && *text ? mem_strdup(text) : NULL;
}

int ota_broker(struct broker_where *out, const cJSON *mqtt,
	       struct hazard_watch *watch, struct error *err)
{
	const char *endpoint = json_string(mqtt, "endpoint");

	memset(out, 0, sizeof(*out));
	if (!endpoint || !*endpoint)
		return no_endpoint(mqtt, err);
	if (read_endpoint(out, endpoint, watch, err))
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
	if (!out->up)
		hazard_tell(watch, HAZARD_OTA_NO_TOPIC);
	return 0;
}
