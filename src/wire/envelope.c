/* SPDX-License-Identifier: MIT */
/*
 * The outer object of the device dialect. What is inside the payload is
 * wire/jsonrpc's matter, what a type means rpc/link's.
 */
#include "wire/envelope.h"

#include <string.h>

#include "base/mem.h"

static void decode_session(struct envelope *out)
{
	const char *id = json_string(out->json, "session_id");

	if (!id) {
		id = json_string(out->json, "sessionId");
		out->camel_case = id != NULL;
	}
	out->session_id = mem_strdup(id);
}

/*
 * A JSON-RPC object may have a member called "type" too: with "jsonrpc" and
 * without a payload it is no envelope.
 */
static bool is_bare(const cJSON *json)
{
	return !json_string(json, "type") ||
	       (json_string(json, "jsonrpc") && !json_object(json, "payload"));
}

static void decode_object(struct envelope *out, const char *text, size_t len)
{
	struct span whole = { text, len };

	if (is_bare(out->json))
		return;
	out->type = mem_strdup(json_string(out->json, "type"));
	decode_session(out);
	if (strcmp(out->type, "mcp") != 0)
		return;
	out->payload = json_object(out->json, "payload");
	if (!json_span_member(whole, "payload", &out->payload_text))
		out->payload_text = (struct span){ 0 };
}

int envelope_decode(struct envelope *out, const char *text, size_t len,
		    struct error *err)
{
	*out = (struct envelope){ 0 };
	out->json = json_parse(text, len, err);
	if (!out->json)
		return error_detail(err, text, len);
	if (cJSON_IsArray(out->json))
		return 0;
	if (!cJSON_IsObject(out->json)) {
		envelope_done(out);
		error_set(err, ERR_PROTOCOL,
			  "message is neither a JSON object nor an array");
		return error_detail(err, text, len);
	}
	decode_object(out, text, len);
	return 0;
}

void envelope_done(struct envelope *e)
{
	mem_free(e->type);
	mem_free(e->session_id);
	cJSON_Delete(e->json);
	*e = (struct envelope){ 0 };
}

void envelope_encode(struct buf *out, const char *session_id,
		     const char *payload, size_t len)
{
	buf_char(out, '{');
	if (session_id) {
		buf_text(out, "\"session_id\":");
		buf_json_string(out, session_id, strlen(session_id));
		buf_char(out, ',');
	}
	buf_text(out, "\"type\":\"mcp\",\"payload\":");
	buf_add(out, payload, len);
	buf_char(out, '}');
}
