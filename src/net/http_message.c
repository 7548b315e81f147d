/* SPDX-License-Identifier: MIT */
/*
 * As much of JSON-RPC as HTTP makes its transport see: is an answer due, and
 * is this the answer. On slices of text; builds no trees, checks nothing.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_private.h"
#include "wire/jsonrpc.h"

#define NUMBER_MAX 63 /* characters, as in base/json.h */

static bool span_is(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.text, text, s.len) == 0;
}

static struct span trimmed(const char *text, size_t len)
{
	struct span s = { text, 0 };

	s.len = text_trim(&s.text, len);
	return s;
}

static void take_id(struct http_message *out, struct span id)
{
	out->token = mem_strndup(id.text, id.len);
	out->has_id = !text_integer(out->token, -((int64_t)1 << 53),
				    (int64_t)1 << 53, &out->id);
}

static bool ends_with(struct span s, const char *text)
{
	size_t len = strlen(text);

	return s.len >= len && memcmp(s.text + s.len - len, text, len) == 0;
}

/* It only reads, or says what may be said again. */
static bool is_harmless(struct span method)
{
	static const char notes[] = "\"notifications/";
	static const char *const whole[] = { "\"initialize\"", "\"ping\"" };
	static const char *const ends[] = { "/list\"", "/read\"", "/get\"" };

	for (size_t i = 0; i < COUNT(whole); i++) {
		if (span_is(method, whole[i]))
			return true;
	}
	for (size_t i = 0; i < COUNT(ends); i++) {
		if (ends_with(method, ends[i]))
			return true;
	}
	return method.len > sizeof(notes) &&
	       memcmp(method.text, notes, sizeof(notes) - 1) == 0;
}

void http_message_look(struct http_message *out, const char *text, size_t len)
{
	struct span whole = trimmed(text, len), method, id, params, declared;

	*out = (struct http_message){ 0 };
	if (!whole.len || *whole.text == '[') {
		out->is_request = out->may_act = whole.len > 0;
		return;
	}
	if (!json_span_member(whole, "method", &method))
		return;
	out->may_act = !is_harmless(method);
	out->is_initialized = span_is(method, "\"notifications/initialized\"");
	if (!json_span_member(whole, "id", &id))
		return;
	out->is_request = true;
	out->is_initialize = span_is(method, "\"initialize\"");
	if (out->is_initialize && json_span_member(whole, "params", &params) &&
	    json_span_member(params, "capabilities", &declared))
		out->declares = !span_is(declared, "{}");
	take_id(out, id);
}

void http_message_done(struct http_message *m)
{
	mem_free(m->token);
	*m = (struct http_message){ 0 };
}

static bool same_number(const struct http_message *m, struct span id)
{
	CLEANUP(json_free_ptr) cJSON *number = NULL;

	if (!m->has_id || id.len > NUMBER_MAX)
		return false;
	number = json_parse(id.text, id.len, NULL);
	return cJSON_IsNumber(number) && number->valuedouble == (double)m->id;
}

/* Some peers answer 7.0 or "7" to 7; the session takes that, too. */
static bool same_id(const struct http_message *m, struct span id)
{
	size_t len = strlen(m->token);

	if (span_is(id, m->token) || same_number(m, id))
		return true;
	return m->has_id && id.len == len + 2 && id.text[0] == '"' &&
	       memcmp(id.text + 1, m->token, len) == 0;
}

static bool answers(const struct http_message *m, struct span object)
{
	struct span id, part;

	if (!json_span_member(object, "result", &part) &&
	    !json_span_member(object, "error", &part))
		return false;
	return json_span_member(object, "id", &id) && same_id(m, id);
}

bool http_message_answered(const struct http_message *m, const char *text,
			   size_t len)
{
	struct span whole = trimmed(text, len), item;
	size_t at = 0;

	if (!m->is_request || !whole.len)
		return false;
	if (!m->token) /* a batch: any answer will do */
		return *whole.text == '[' || *whole.text == '{';
	if (*whole.text == '{')
		return answers(m, whole);
	while (*whole.text == '[' && json_span_next(whole, &at, &item)) {
		if (answers(m, item))
			return true;
	}
	return false;
}

bool http_message_is_rpc(const char *text, size_t len)
{
	struct span whole = trimmed(text, len), version;

	return whole.len && (*whole.text == '[' ||
			     json_span_member(whole, "jsonrpc", &version));
}

char *http_message_error(const char *text, size_t len)
{
	struct span whole = trimmed(text, len), error, message;

	if (json_check(text, len, NULL) ||
	    !json_span_member(whole, "error", &error))
		return NULL;
	if (error.len && *error.text == '"')
		return json_span_string(error);
	if (!json_span_member(error, "message", &message))
		return NULL;
	return json_span_string(message);
}

bool http_message_is_llm_error(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(text, len, NULL);
	int64_t code;

	return !json_integer(json_object(tree, "error"), "code", &code) &&
	       (code == LLM_TIMEOUT || code == LLM_UNAVAILABLE);
}

/* Seconds; they need not be whole. */
int64_t http_message_retry_after(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(text, len, NULL);
	const cJSON *data = json_object(json_object(tree, "error"), "data");
	const cJSON *asked = json_member(data, "retry_after");

	if (!cJSON_IsNumber(asked) || !(asked->valuedouble > 0))
		return 0;
	if (asked->valuedouble >= HTTP_RETRY_AFTER_MAX_S)
		return (int64_t)HTTP_RETRY_AFTER_MAX_S * 1000;
	return (int64_t)ceil(asked->valuedouble * 1000);
}
