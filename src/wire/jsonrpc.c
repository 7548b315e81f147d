/* SPDX-License-Identifier: MIT */
/*
 * One JSON-RPC message classified and encoded. What broken JSON meant is in
 * salvage.c; ids are matched in rpc/session_calls.c.
 */
#include "wire/jsonrpc.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void read_id(struct message *m)
{
	m->has_number = json_integer(m->json, "id", &m->number) == 0;
	if (m->has_number || !cJSON_IsString(m->id))
		return;
	m->has_number = text_integer(m->id->valuestring, INT64_MIN, INT64_MAX,
				     &m->number) == 0;
	m->id_was_text = m->has_number;
}

/*
 * A method makes a request even beside `result: null`, which one backend sends
 * (backends.md 1.5).
 */
static enum message_kind object_kind(const struct message *m)
{
	if (m->method)
		return m->id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
	if (!m->id)
		return MESSAGE_UNKNOWN;
	if (m->error && !cJSON_IsNull(m->error))
		return MESSAGE_ERROR;
	if (m->result)
		return MESSAGE_RESULT;
	return m->error ? MESSAGE_ERROR : MESSAGE_UNKNOWN;
}

static void classify(struct message *m)
{
	if (!cJSON_IsObject(m->json)) {
		m->kind = cJSON_IsArray(m->json) ? MESSAGE_BATCH :
						   MESSAGE_UNKNOWN;
		return;
	}
	m->method = json_string(m->json, "method");
	m->id = json_member(m->json, "id");
	m->params = json_member(m->json, "params");
	m->result = json_member(m->json, "result");
	m->error = json_member(m->json, "error");
	m->both = m->result && m->error;
	read_id(m);
	m->kind = object_kind(m);
}

int message_decode_take(struct message *out, cJSON *tree, const char *text,
			size_t len, struct error *err)
{
	*out = (struct message){ .kind = MESSAGE_UNKNOWN };
	if (!tree)
		tree = json_parse(text, len, err);
	if (!tree)
		return -1;
	out->json = tree;
	out->text = mem_copy(text, len);
	out->len = len;
	classify(out);
	return 0;
}

void message_done(struct message *m)
{
	cJSON_Delete(m->json);
	mem_free(m->text);
	*m = (struct message){ .kind = MESSAGE_UNKNOWN };
}

void message_take(struct message *to, struct message *from)
{
	*to = *from;
	*from = (struct message){ .kind = MESSAGE_UNKNOWN };
}

static void add_call(struct buf *out, const char *method, const char *params)
{
	buf_text(out, "\"method\":");
	buf_json_string(out, method, strlen(method));
	if (params) {
		buf_text(out, ",\"params\":");
		buf_text(out, params);
	}
	buf_char(out, '}');
}

void jsonrpc_request(struct buf *out, int32_t id, const char *method,
		     const char *params)
{
	buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%d,", (int)id);
	add_call(out, method, params);
}

void jsonrpc_notification(struct buf *out, const char *method,
			  const char *params)
{
	buf_text(out, "{\"jsonrpc\":\"2.0\",");
	add_call(out, method, params);
}

void jsonrpc_result(struct buf *out, const char *id, const char *result)
{
	buf_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	buf_text(out, id);
	buf_text(out, ",\"result\":");
	buf_text(out, result);
	buf_char(out, '}');
}

void jsonrpc_error(struct buf *out, const char *id, int code,
		   const char *message)
{
	buf_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	buf_text(out, id);
	buf_printf(out, ",\"error\":{\"code\":%d,\"message\":", code);
	buf_json_string(out, message, strlen(message));
	buf_text(out, "}}");
}

const char *jsonrpc_code_name(int code)
{
	static const struct {
		int code;
		const char *name;
	} names[] = {
		{ JSONRPC_PARSE_ERROR, "parse error" },
		{ JSONRPC_INVALID_REQUEST, "invalid request" },
		{ JSONRPC_METHOD_NOT_FOUND, "method not found" },
		{ JSONRPC_INVALID_PARAMS, "invalid params" },
		{ JSONRPC_INTERNAL_ERROR, "internal error" },
		{ MCP_RESOURCE_NOT_FOUND, "resource not found" },
		{ -32020, "header mismatch" },
		{ -32021, "missing client capability" },
		{ -32022, "unsupported protocol version" },
		{ MCP_URL_ELICITATION_REQUIRED, "URL elicitation required" },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		if (names[i].code == code)
			return names[i].name;
	}
	return NULL;
}
