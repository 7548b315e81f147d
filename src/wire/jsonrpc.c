/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC messages: classified and encoded; what a broken one meant. Ids are
 * matched in rpc/session_calls.c.
 */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "wire/jsonrpc.h"

/*
 * One JSON-RPC message classified and encoded. What broken JSON meant
 * stands below; ids are matched in rpc/session_calls.c.
 */

bool jsonrpc_number(struct span token, int64_t *out)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!json_span_begins(token, '"'))
		return json_span_integer(token, out) == 0;
	text = json_span_string(token);
	return text && text_integer(text, INT64_MIN, INT64_MAX, out) == 0;
}

/*
 * A method makes a request even beside `result: null`, which one backend sends
 * (backends.md 1.5).
 */
static enum message_kind object_kind(const struct message *m)
{
	if (m->method)
		return m->id.text ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
	if (!m->id.text)
		return MESSAGE_UNKNOWN;
	if (m->error_text.text && *m->error_text.text != 'n')
		return MESSAGE_ERROR;
	if (m->result_text.text)
		return MESSAGE_RESULT;
	return m->error_text.text ? MESSAGE_ERROR : MESSAGE_UNKNOWN;
}

void message_classify(struct message *out, struct span text,
		      const struct span members[MESSAGE_MEMBERS])
{
	*out = (struct message){ .text = text.text,
				 .len = text.len,
				 .id = members[MEMBER_ID],
				 .method = json_span_string(
					 members[MEMBER_METHOD]),
				 .params = members[MEMBER_PARAMS],
				 .result_text = members[MEMBER_RESULT],
				 .error_text = members[MEMBER_ERROR] };
	out->both = out->result_text.text && out->error_text.text;
	out->has_number = jsonrpc_number(out->id, &out->number);
	out->id_was_text = out->has_number && *out->id.text == '"';
	out->kind = text.len && *text.text == '[' ? MESSAGE_BATCH :
						    object_kind(out);
}

int message_read(struct message *out, const char *text, size_t len,
		 struct error *err)
{
	static const char *const names[] = { MESSAGE_NAMES };
	struct json_places at = { .name = names,
				  .names = MESSAGE_MEMBERS,
				  .inside = MESSAGE_MEMBERS };
	struct span whole = { text, len };
	bool odd;

	*out = (struct message){ 0 };
	if (json_scan(text, len, &at, &odd, err))
		return -1;
	whole.len = text_trim(&whole.text, len);
	message_classify(out, whole, at.outer);
	out->text = text;
	out->len = len;
	out->odd = odd;
	return 0;
}

static int make_tree(cJSON **out, struct span text, bool odd, struct error *err)
{
	if (!text.text)
		return 0;
	*out = json_tree(text, odd, err);
	return *out ? 0 : -1;
}

int message_keep(struct message *m, struct error *err)
{
	struct span *const members[] = { &m->id, &m->params, &m->result_text,
					 &m->error_text };

	if (m->kept)
		return 0;
	if (make_tree(&m->result, m->result_text, m->odd, err) ||
	    make_tree(&m->error, m->error_text, m->odd, err))
		return -1;
	m->kept = mem_copy(m->text, m->len);
	for (size_t i = 0; i < COUNT(members); i++) {
		if (members[i]->text)
			members[i]->text =
				m->kept + (members[i]->text - m->text);
	}
	m->text = m->kept;
	return 0;
}

int message_decode(struct message *out, const char *text, size_t len,
		   struct error *err)
{
	if (message_read(out, text, len, err) || message_keep(out, err)) {
		message_done(out);
		return -1;
	}
	return 0;
}

void message_done(struct message *m)
{
	mem_free(m->kept);
	mem_free(m->method);
	cJSON_Delete(m->result);
	cJSON_Delete(m->error);
	*m = (struct message){ 0 };
}

void message_take(struct message *to, struct message *from)
{
	*to = *from;
	*from = (struct message){ 0 };
}

#define VERSION "\"2.0\""
#define HEAD "{\"jsonrpc\":" VERSION ","

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
	buf_printf(out, HEAD "\"id\":%d,", (int)id);
	add_call(out, method, params);
}

/* Between what is written in front and what is written behind. */
static struct span between(struct span text, size_t front, size_t behind)
{
	return (struct span){ text.text + front, text.len - front - behind };
}

static struct span trimmed(struct span text)
{
	text.len = text_trim(&text.text, text.len);
	return text;
}

void jsonrpc_request_noted(struct buf *out, int32_t id, const char *method,
			   const char *params,
			   struct span member[MESSAGE_MEMBERS])
{
	const size_t params_len = params ? strlen(params) : 0;
	struct span rest;
	const char *comma;

	jsonrpc_request(out, id, method, params);
	rest = between((struct span){ out->data, out->len },
		       strlen("{\"jsonrpc\":"), strlen("}"));
	member[MEMBER_VERSION] = (struct span){ rest.text, strlen(VERSION) };
	rest = between(rest, strlen(VERSION ",\"id\":"), 0);
	comma = memchr(rest.text, ',', rest.len);
	member[MEMBER_ID] =
		(struct span){ rest.text, (size_t)(comma - rest.text) };
	rest = between(rest, member[MEMBER_ID].len + strlen(",\"method\":"),
		       params_len);
	if (params) {
		member[MEMBER_PARAMS] = trimmed(
			(struct span){ rest.text + rest.len, params_len });
		rest.len -= strlen(",\"params\":");
	}
	member[MEMBER_METHOD] = rest;
}

void jsonrpc_notification(struct buf *out, const char *method,
			  const char *params)
{
	buf_text(out, HEAD);
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
		{ MCP_RESOURCE_NOT_FOUND, "not found" },
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

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && text_is_space(*at))
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

/* A whole number, in quotes or not; behind it, or NULL. */
static const char *read_number(const char *at, const char *end, int64_t *out)
{
	char digits[24];
	size_t len = 0;
	bool quoted = at < end && *at == '"';

	at += quoted;
	while (at < end && len < sizeof(digits) - 1 &&
	       ((*at >= '0' && *at <= '9') || (*at == '-' && !len)))
		digits[len++] = *at++;
	digits[len] = '\0';
	if (text_integer(digits, INT64_MIN, INT64_MAX, out))
		return NULL;
	return quoted && at < end && *at == '"' ? at + 1 : at;
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
	const char *id, *id_end, *error, *result;

	*out = (struct salvage){ 0 };
	if (!len)
		return;
	id = find_value(text, end, "\"id\"");
	error = find_value(text, end, "\"error\"");
	result = find_value(text, end, "\"result\"");
	id_end = id ? read_number(id, end, &out->id) : NULL;
	if (id_end) {
		out->has_id = true;
		out->id_text = (struct span){ id, (size_t)(id_end - id) };
	}
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

const char *message_error_text(const struct message *m)
{
	if (cJSON_IsString(m->error))
		return m->error->valuestring;
	return json_string(m->error, "message");
}
