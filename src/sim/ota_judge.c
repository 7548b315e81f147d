/* SPDX-License-Identifier: MIT */
/* The pitfalls of device.md 5.4, looked for in a reply. */
#include "sim/ota_judge.h"

#include <string.h>

#include "base/json.h"

#define STORE_NAME 15 /* letters of a name in the board's store */
#define STORE_VALUE 4000 /* bytes of a value */

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
	const char *endpoint = json_string(r->mqtt, "endpoint");

	if (r->activation_code || r->activation_challenge) {
		error_set(err, ERR_CONNECT,
			  "the backend wants this device to be activated "
			  "first%s%s",
			  r->activation_code ? ", with the code " : "",
			  r->activation_code ? r->activation_code : "");
		return error_hint(err, "activate it there, then start again "
				       "with the same --device-id");
	}
	if (r->mqtt) {
		error_set(err, ERR_CONNECT,
			  "the backend offered MQTT (%s), which this simulated "
			  "device can't use",
			  endpoint ? endpoint : "without an endpoint");
		return error_hint(err, "leave 'mqtt' out of the OTA reply: it "
				       "hides 'websocket'");
	}
	error_set(err, ERR_CONNECT,
		  "the OTA reply has no websocket.url: a real device falls "
		  "back to MQTT as it was stored");
	return error_hint(err, "the least that a device needs is "
			       "{\"websocket\":{\"url\":\"ws://…\"}}");
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
	if (out->activation_code || out->activation_challenge || out->mqtt ||
	    !out->websocket_url)
		return refuse(out, err);
	return 0;
}
