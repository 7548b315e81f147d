/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC messages: classified and encoded; what a broken one meant. Ids are
 * matched in rpc/session_calls.c.
 */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "wire/jsonrpc.h"

/*
 * One JSON-RPC message classified and encoded. What broken JSON meant
 * stands below; ids are matched in rpc/session_calls.c.
 */

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

/*
 * What a reply meant whose JSON is broken (device.md 3.7): a loose scan for
 * a few keys. No parser; it never fails, it only finds less.
 */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at;
}

/*
 * Behind the first `KEY :` in the text, at the value; NULL. key has its quotes.
 */
static const char *find_value(const char *at, const char *end, const char *key)
{
	size_t key_len = strlen(key);

	while (at < end) {
		at = memmem(at, (size_t)(end - at), key, key_len);
		if (!at)
			return NULL;
		at = skip_space(at + key_len, end);
		if (at < end && *at == ':')
			return skip_space(at + 1, end);
	}
	return NULL;
}

/* A whole number, in quotes or not. */
static bool read_number(const char *at, const char *end, int64_t *out)
{
	char digits[24];
	size_t len = 0;

	if (at < end && *at == '"')
		at++;
	while (at < end && len < sizeof(digits) - 1 &&
	       ((*at >= '0' && *at <= '9') || (*at == '-' && !len)))
		digits[len++] = *at++;
	digits[len] = '\0';
	return text_integer(digits, INT64_MIN, INT64_MAX, out) == 0;
}

static const char *find_last(const char *from, const char *end,
			     const char *word)
{
	size_t len = strlen(word);

	for (const char *at = end - len; at >= from; at--) {
		if (memcmp(at, word, len) == 0)
			return at;
	}
	return NULL;
}

/*
 * The message ends at the last `"}}`, since quotes inside it are not
 * escaped. A peer that puts members behind has `"}`; a cut frame has nothing.
 */
static char *read_message(const char *at, const char *end)
{
	const char *stop = NULL;

	if (end - at >= 3)
		stop = find_last(at, end, "\"}}");
	if (!stop && end - at >= 2)
		stop = find_last(at, end, "\"}");
	return mem_strndup(at, (size_t)((stop ? stop : end) - at));
}

static void read_error(const char *at, const char *end, struct salvage *out)
{
	const char *message = find_value(at, end, "\"message\"");
	const char *code = find_value(at, end, "\"code\"");
	int64_t number;

	if (message && message < end && *message == '"')
		out->message = read_message(message + 1, end);
	/* Behind the message's start it would be part of the text. */
	if (code && (!message || code < message) &&
	    read_number(code, end, &number) && number >= INT_MIN &&
	    number <= INT_MAX) {
		out->has_code = true;
		out->code = (int)number;
	}
}

void jsonrpc_salvage(const char *text, size_t len, struct salvage *out)
{
	const char *end = text + len;
	const char *id, *error, *result;

	*out = (struct salvage){ 0 };
	if (!len)
		return;
	id = find_value(text, end, "\"id\"");
	error = find_value(text, end, "\"error\"");
	result = find_value(text, end, "\"result\"");
	out->has_id = id && read_number(id, end, &out->id);
	out->is_error = error && (!result || error < result);
	if (out->is_error)
		read_error(error, end, out);
}

void salvage_done(struct salvage *s)
{
	mem_free(s->message);
	*s = (struct salvage){ 0 };
}

/*
 * Members into fields of fixed size. Knows no message.
 */

void member_copy(const cJSON *object, const char *name, char *out, size_t size)
{
	const char *found = json_string(object, name);
	const char *text = found ? found : "";
	size_t len = strlen(text);

	assert(size > 0);
	if (len >= size) {
		len = size - 1;
		while (len && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
	}
	memcpy(out, text, len);
	out[len] = '\0';
}

int member_int(const cJSON *object, const char *name)
{
	int64_t value;

	if (json_integer(object, name, &value) || value < INT_MIN ||
	    value > INT_MAX)
		return 0;
	return (int)value;
}
