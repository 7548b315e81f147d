/* SPDX-License-Identifier: MIT */
/*
 * The table of hazards and the looks at frames that find them. Members are
 * found without case, as the device finds them.
 */
#include "sim/hazard.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *const texts[HAZARD_COUNT] = {
	[HAZARD_EARLY_INITIALIZE] =
		"initialize came before the server hello: it waits until the hello comes, at most 10 s; some firmware never answers it",
	[HAZARD_EARLY_MCP] =
		"a request came before the server hello: it waits until the hello comes, at most 10 s",
	[HAZARD_BEFORE_DEVICE_HELLO] =
		"a message came before the device had said hello",
	[HAZARD_TWICE_INITIALIZE] = "initialize came twice on one connection",
	[HAZARD_NO_INITIALIZE] =
		"tools were asked for without initialize: the device then knows no vision address",
	[HAZARD_NO_INITIALIZED] =
		"notifications/initialized never followed initialize",
	[HAZARD_NO_SESSION_ID] = "an envelope had no session_id",
	[HAZARD_CAMEL_SESSION_ID] =
		"an envelope had 'sessionId' instead of session_id",
	[HAZARD_EMPTY_SESSION_ID] = "an envelope had an empty session_id",
	[HAZARD_OTHER_SESSION_ID] =
		"an envelope had another session_id than the server hello gave",
	[HAZARD_REUSED_ID] =
		"a request id was used again: replies cannot be told apart",
	[HAZARD_ID_ZERO] = "a request had the id 0, which some relays lose",
	[HAZARD_ID_10000] = "request ids start at 10000",
	[HAZARD_ID_STRING] =
		"a request id was a string: firmware never answers it",
	[HAZARD_ID_NULL] =
		"a request id was missing, null, true or a list: firmware never answers it",
	[HAZARD_ID_RANGE] =
		"a request id was no whole number within 32 bits: firmware answers with another one",
	[HAZARD_RESULT_MEMBER] =
		"a request had a 'result' or 'error' member: strict devices take it for a reply",
	[HAZARD_PARAMS_NULL] =
		"a request had \"params\":null: firmware never answers it",
	[HAZARD_PARAMS_SHAPE] =
		"a request had params that are no object: firmware never answers it",
	[HAZARD_NO_JSONRPC] =
		"a payload had no \"jsonrpc\":\"2.0\": firmware never answers it",
	[HAZARD_BATCH] = "a batch of requests came: firmware never answers it",
	[HAZARD_RESPONSE] = "a response came although nothing was asked",
	[HAZARD_PAYLOAD_SHAPE] = "an mcp message had no object as payload",
	[HAZARD_EMPTY_CURSOR] =
		"the first tools/list had an empty cursor: {\"cursor\":\"\"}",
	[HAZARD_FIRST_PAGE_ONLY] =
		"nextCursor was not followed to the last page: some tools stay unknown",
	[HAZARD_REPEATED_CURSOR] = "the same page of tools was asked for again",
	[HAZARD_USER_TOOLS_DROPPED] =
		"withUserTools was not repeated on a later page: the listing breaks off",
	[HAZARD_PING] =
		"ping was used: firmware has none and answers with an error",
	[HAZARD_UNKNOWN_METHOD] =
		"a method was used that firmware does not have",
	[HAZARD_UNSCHEMED_VISION] =
		"the vision address is null, a placeholder or no http address",
	[HAZARD_PHOTO_WITHOUT_VISION] =
		"a photo was asked for before a vision address was given",
	[HAZARD_LARGE] =
		"a message was above 8,192 bytes, which a gateway or a modem drops",
	[HAZARD_NOT_JSON] = "a text frame was no JSON",
	[HAZARD_NO_TYPE] = "a message had no 'type': the device ignores it",
	[HAZARD_OVERSIZED_REPLY] =
		"a result above 65,535 bytes was asked for: the device cannot send it",
	[HAZARD_HELLO_NO_TRANSPORT] =
		"the server hello had no 'transport': a real device crashes and restarts",
	[HAZARD_HELLO_TRANSPORT_IGNORED] =
		"the server hello had no 'transport': the device ignores it, and firmware up to 2.4.2 crashes and restarts",
	[HAZARD_HELLO_OTHER_TRANSPORT] =
		"the server hello had another 'transport' than \"websocket\": the device ignores it",
	[HAZARD_HELLO_TWICE] = "the server said hello twice",
	[HAZARD_HELLO_NO_SESSION] = "the server hello had no session_id",
	[HAZARD_HELLO_LATE] = "the server hello did not come within 10 s",
	[HAZARD_CLOSE_LEFT_OPEN] =
		"a Close frame came and TCP was left open: the device neither answers Close nor closes",
	[HAZARD_LOCAL_TOO_LONG] =
		"a message above 4,096 bytes came at the local port",
	[HAZARD_OTA_TOO_LONG] =
		"the OTA reply had about 8 kB or more: a real device hangs for good",
	[HAZARD_OTA_BOTH] =
		"the OTA reply had both mqtt and websocket: mqtt wins, websocket is not used",
	[HAZARD_OTA_NEITHER] =
		"the OTA reply had neither mqtt nor websocket: a device then uses MQTT as stored",
	[HAZARD_OTA_STORE] =
		"the OTA reply had a name above 15 characters or a value above 4,000 bytes in mqtt or websocket: a real device aborts at every start",
	[HAZARD_OTA_VERSION_TEXT] =
		"the OTA reply had websocket.version as a string: the device takes version 1",
	[HAZARD_OTA_URL] =
		"the OTA reply had a websocket.url whose port is no number: a real device restarts when it dials",
	[HAZARD_OTA_PORT] =
		"the OTA reply had a websocket.url with more behind the number of its port: the device takes the number and ignores the rest",
	[HAZARD_OTA_NO_URL] =
		"the OTA reply had a websocket without url: the device stays on WebSocket with the address it has stored",
	[HAZARD_OTA_FIRMWARE] =
		"the OTA reply had a firmware.version that is no dotted number: a real device restarts over and over",
	[HAZARD_OTA_LENGTH] =
		"the OTA reply had no Content-Length and was not chunked: the device waits until the server closes",
	[HAZARD_OTA_ENDPOINT] =
		"the OTA reply had an mqtt.endpoint with no number behind its ':' (as with a scheme): a real device restarts over and over",
	[HAZARD_OTA_NO_TOPIC] =
		"the OTA reply had no mqtt.publish_topic: the device connects and never says anything",
	[HAZARD_HELLO_NOT_UDP] =
		"the server hello over MQTT had another 'transport' than \"udp\": the device ignores it",
	[HAZARD_HELLO_NO_UDP] =
		"the server hello over MQTT had no udp object with server, port (a number), key and nonce (32 hex digits): the device ignores it, older ones crash",
	[HAZARD_GOODBYE_SESSION] =
		"a goodbye had no session_id, or another one than the session: the device ignores it",
	[HAZARD_FRAME_LENGTH] =
		"a binary frame was shorter than its head says, or had another version: a real board reads beyond its end",
	[HAZARD_AUDIO_BROKEN] =
		"a UDP packet had another type than 1 or another length than it says: the device drops it",
	[HAZARD_AUDIO_OLD] =
		"a UDP packet had no higher sequence than the one before it: the device drops it",
	[HAZARD_UPLOAD_TOO_LONG] =
		"the answer to an upload had about 8 kB or more: a real device hangs for good",
	[HAZARD_UPLOAD_LENGTH] =
		"the answer to an upload had no Content-Length and was not chunked: the device waits until the server closes",
};

const char *hazard_text(enum hazard h)
{
	return texts[h];
}

void hazard_watch_start(struct hazard_watch *w)
{
	struct hazard_watch fresh = { .found = w->found, .owner = w->owner };

	*w = fresh;
}

bool hazard_is_fatal(enum hazard h)
{
	static const enum hazard fatal[] = {
		HAZARD_HELLO_NO_TRANSPORT, HAZARD_OTA_TOO_LONG,
		HAZARD_OTA_STORE,	   HAZARD_OTA_URL,
		HAZARD_OTA_FIRMWARE,	   HAZARD_OTA_ENDPOINT,
		HAZARD_UPLOAD_TOO_LONG,
	};

	for (size_t i = 0; i < COUNT(fatal); i++) {
		if (fatal[i] == h)
			return true;
	}
	return false;
}

void hazard_tell(struct hazard_watch *w, enum hazard h)
{
	if (w->times[h] < UINT32_MAX)
		w->times[h]++;
	w->found(w->owner, h);
}

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItem(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(member(object, name));

	return text ? text : "";
}

static void look_at_envelope(struct hazard_watch *w, const cJSON *root)
{
	const cJSON *id = member(root, "session_id");

	if (!cJSON_IsObject(member(root, "payload")))
		hazard_tell(w, HAZARD_PAYLOAD_SHAPE);
	if (member(root, "sessionId"))
		hazard_tell(w, HAZARD_CAMEL_SESSION_ID);
	else if (!cJSON_IsString(id) && (!w->standby || w->hello_received))
		hazard_tell(w, HAZARD_NO_SESSION_ID);
	else if (!cJSON_IsString(id))
		return;
	else if (!*id->valuestring && *w->session_id)
		hazard_tell(w, HAZARD_EMPTY_SESSION_ID);
	else if (*w->session_id && strncmp(id->valuestring, w->session_id,
					   sizeof(w->session_id) - 1) != 0)
		hazard_tell(w, HAZARD_OTHER_SESSION_ID);
}

void hazard_frame(struct hazard_watch *w, const cJSON *root, size_t len,
		  bool bare)
{
	if (len > 8192)
		hazard_tell(w, HAZARD_LARGE);
	if (!root) {
		hazard_tell(w, HAZARD_NOT_JSON);
		return;
	}
	if (bare)
		return;
	if (!w->hello_sent && !w->standby)
		hazard_tell(w, HAZARD_BEFORE_DEVICE_HELLO);
	if (!cJSON_IsString(member(root, "type")))
		hazard_tell(w, HAZARD_NO_TYPE);
	else if (strcmp(text_of(root, "type"), "mcp") == 0)
		look_at_envelope(w, root);
}

static void look_at_number(struct hazard_watch *w, const cJSON *id)
{
	int32_t number = id->valueint;
	size_t kept = COUNT(w->ids), i;

	if (id->valuedouble != (double)number)
		hazard_tell(w, HAZARD_ID_RANGE);
	if (number == 0)
		hazard_tell(w, HAZARD_ID_ZERO);
	if (number == 10000 && w->requests == 0)
		hazard_tell(w, HAZARD_ID_10000);
	for (i = 0; i < kept && i < w->requests; i++) {
		if (w->ids[i] == number)
			hazard_tell(w, HAZARD_REUSED_ID);
	}
	w->ids[w->requests++ % kept] = number;
}

static void look_at_id(struct hazard_watch *w, const cJSON *id)
{
	if (cJSON_IsString(id))
		hazard_tell(w, HAZARD_ID_STRING);
	else if (!cJSON_IsNumber(id))
		hazard_tell(w, HAZARD_ID_NULL);
	else
		look_at_number(w, id);
}

static void look_at_params(struct hazard_watch *w, const cJSON *params)
{
	if (cJSON_IsNull(params))
		hazard_tell(w, HAZARD_PARAMS_NULL);
	else if (params && !cJSON_IsObject(params))
		hazard_tell(w, HAZARD_PARAMS_SHAPE);
}

static void look_at_vision(struct hazard_watch *w, const cJSON *params)
{
	const cJSON *vision = member(member(params, "capabilities"), "vision");
	const cJSON *url = member(vision, "url");

	if (!vision)
		return;
	if (!cJSON_IsString(url) || !text_starts(url->valuestring, "http"))
		hazard_tell(w, HAZARD_UNSCHEMED_VISION);
}

static void look_at_initialize(struct hazard_watch *w, const cJSON *params)
{
	if (w->initialized)
		hazard_tell(w, HAZARD_TWICE_INITIALIZE);
	w->initialized = true;
	look_at_vision(w, params);
}

static void look_at_list(struct hazard_watch *w, const cJSON *params)
{
	const char *cursor = text_of(params, "cursor");
	bool user_tools = cJSON_IsTrue(member(params, "withUserTools"));

	if (!w->initialized)
		hazard_tell(w, HAZARD_NO_INITIALIZE);
	if (!*cursor && member(params, "cursor"))
		hazard_tell(w, HAZARD_EMPTY_CURSOR);
	if (*cursor && w->user_tools && !user_tools)
		hazard_tell(w, HAZARD_USER_TOOLS_DROPPED);
	if (*cursor && strncmp(w->cursor, cursor, sizeof(w->cursor) - 1) == 0)
		hazard_tell(w, HAZARD_REPEATED_CURSOR);
	w->user_tools = user_tools;
	snprintf(w->cursor, sizeof(w->cursor), "%.63s", cursor);
}

static void look_at_call(struct hazard_watch *w, const cJSON *params,
			 bool vision)
{
	if (!w->initialized)
		hazard_tell(w, HAZARD_NO_INITIALIZE);
	if (!vision &&
	    strcmp(text_of(params, "name"), "self.camera.take_photo") == 0)
		hazard_tell(w, HAZARD_PHOTO_WITHOUT_VISION);
}

static void look_at_method(struct hazard_watch *w, const cJSON *payload,
			   bool vision)
{
	const char *method = text_of(payload, "method");
	const cJSON *params = member(payload, "params");

	if (strcmp(method, "initialize") == 0)
		look_at_initialize(w, params);
	else if (strcmp(method, "tools/list") == 0)
		look_at_list(w, params);
	else if (strcmp(method, "tools/call") == 0)
		look_at_call(w, params, vision);
	else if (strcmp(method, "ping") == 0)
		hazard_tell(w, HAZARD_PING);
	else
		hazard_tell(w, HAZARD_UNKNOWN_METHOD);
}

void hazard_payload(struct hazard_watch *w, const cJSON *payload, bool vision)
{
	const char *method = text_of(payload, "method");

	if (cJSON_IsArray(payload)) {
		hazard_tell(w, HAZARD_BATCH);
		return;
	}
	if (strcmp(text_of(payload, "jsonrpc"), "2.0") != 0)
		hazard_tell(w, HAZARD_NO_JSONRPC);
	if (!cJSON_IsString(member(payload, "method"))) {
		hazard_tell(w, HAZARD_RESPONSE);
		return;
	}
	if (member(payload, "result") || member(payload, "error"))
		hazard_tell(w, HAZARD_RESULT_MEMBER);
	look_at_params(w, member(payload, "params"));
	if (text_starts(method, "notifications")) {
		w->notified = w->notified ||
			      strcmp(method, "notifications/initialized") == 0;
		return;
	}
	if (w->hello_sent && !w->hello_received && !w->standby)
		hazard_tell(w, strcmp(method, "initialize") ?
				       HAZARD_EARLY_MCP :
				       HAZARD_EARLY_INITIALIZE);
	look_at_id(w, member(payload, "id"));
	look_at_method(w, payload, vision);
}

void hazard_hello(struct hazard_watch *w, const cJSON *hello)
{
	const cJSON *id = member(hello, "session_id");

	if (w->hello_received)
		hazard_tell(w, HAZARD_HELLO_TWICE);
	if (!cJSON_IsString(id) || !*id->valuestring)
		hazard_tell(w, HAZARD_HELLO_NO_SESSION);
	else
		snprintf(w->session_id, sizeof(w->session_id), "%.63s",
			 id->valuestring);
	w->hello_received = true;
}

void hazard_page(struct hazard_watch *w, bool has_next)
{
	w->listed = true;
	w->more_pages = has_next;
}

void hazard_end(struct hazard_watch *w)
{
	if (w->more_pages)
		hazard_tell(w, HAZARD_FIRST_PAGE_ONLY);
	if (w->initialized && !w->notified && w->listed)
		hazard_tell(w, HAZARD_NO_INITIALIZED);
}
