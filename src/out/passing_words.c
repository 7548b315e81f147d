/* SPDX-License-Identifier: MIT */
/*
 * Messages in words. Of lists what counts is how many and what is missing; of
 * calls the tool and its arguments; of hellos what was agreed on.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "out/passing.h"
#include "out/wrap.h"
#include "wire/jsonrpc.h"

#define LIST "tools/list"
#define CALL "tools/call"
#define INITIALIZE "initialize"

static cJSON *tree_of(struct span text)
{
	return text.text ? json_parse(text.text, text.len, NULL) : NULL;
}

static void add_word(struct buf *out, const char *text)
{
	if (text && *text)
		buf_printf(out, " %s", text);
}

static void add_value(struct buf *out, const cJSON *value)
{
	if (!value ||
	    (!cJSON_IsString(value) && cJSON_IsObject(value) && !value->child))
		return;
	buf_char(out, ' ');
	json_print(out, value);
}

static void add_id(struct buf *out, struct span id)
{
	buf_text(out, " #");
	buf_add(out, id.text, id.len);
}

/* ---- JSON-RPC ---- */

/* "http://192.168.1.2:8003/mcp/…": the part that tells. */
static void add_host(struct buf *out, const char *url)
{
	const char *host = url ? strstr(url, "://") : NULL;

	if (!host)
		return;
	host += strlen("://");
	buf_printf(out, " vision %.*s", (int)strcspn(host, "/?#"), host);
}

static void add_who(struct buf *out, const cJSON *who)
{
	add_word(out, json_string(who, "name"));
	add_word(out, json_string(who, "version"));
}

static void add_question(struct buf *out, const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *params = tree_of(m->params);

	if (strcmp(m->method, CALL) == 0) {
		add_word(out, json_string(params, "name"));
		add_value(out, json_member(params, "arguments"));
	} else if (strcmp(m->method, INITIALIZE) == 0) {
		add_who(out, json_object(params, "clientInfo"));
		add_host(out,
			 json_string(json_object(json_object(params,
							     "capabilities"),
						 "vision"),
				     "url"));
	} else if (strcmp(m->method, LIST) == 0) {
		const char *cursor = json_string(params, "cursor");

		if (cursor && *cursor)
			buf_printf(out, " from %s", cursor);
		if (json_true(params, "withUserTools"))
			buf_text(out, " with those of the user");
	} else {
		add_value(out, params);
	}
}

static void add_list(struct buf *out, const cJSON *result, size_t size)
{
	const char *next = json_string(result, "nextCursor");

	buf_char(out, ' ');
	wrap_count(out,
		   (uint64_t)cJSON_GetArraySize(json_array(result, "tools")),
		   "tool");
	buf_text(out, ", ");
	wrap_number(out, size);
	buf_text(out, " B");
	if (next && *next)
		buf_printf(out, ", more from %s", next);
}

/* The only text of a tool's result says all that there is. */
static void add_content(struct buf *out, const cJSON *result)
{
	const cJSON *content = json_array(result, "content");
	const cJSON *only = content ? content->child : NULL;
	const cJSON *text =
		only && !only->next ? json_member(only, "text") : NULL;

	if (json_true(result, "isError"))
		buf_text(out, " isError");
	add_value(out, cJSON_IsString(text) ? text : result);
}

static void add_answer(struct buf *out, const struct message *m,
		       const char *method, size_t size)
{
	CLEANUP(json_free_ptr) cJSON *result = tree_of(m->result_text);

	if (strcmp(method, LIST) == 0 && json_array(result, "tools"))
		add_list(out, result, size);
	else if (strcmp(method, INITIALIZE) == 0)
		add_who(out, json_object(result, "serverInfo"));
	else
		add_content(out, result);
}

static void add_error(struct buf *out, const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *error = tree_of(m->error_text);
	const char *text = json_string(error, "message");
	int64_t code;

	if (!text) {
		add_value(out, error);
		return;
	}
	buf_printf(out, " %s", text);
	if (json_integer(error, "code", &code) == 0)
		buf_printf(out, " (%lld)", (long long)code);
}

static const char *short_name(const char *method)
{
	return strcmp(method, CALL) == 0 ? "call" : method;
}

static bool add_reply(struct buf *out, struct frames *f, const struct trace *t,
		      const struct message *m, int64_t *took_us)
{
	struct frame_asked asked = { 0 };
	bool known = frames_answer(f, t, m->id, &asked);

	if (known)
		*took_us = t->at_us - asked.at_us;
	if (m->kind == MESSAGE_ERROR) {
		buf_text(out, "error");
		add_id(out, m->id);
		add_error(out, m);
		return true;
	}
	known = known && strcmp(asked.method, CALL) != 0;
	buf_text(out, known ? asked.method : "result");
	add_id(out, m->id);
	add_answer(out, m, asked.method, t->len);
	return true;
}

static bool add_message(struct buf *out, struct frames *f,
			const struct trace *t, const struct message *m,
			int64_t *took_us)
{
	switch (m->kind) {
	case MESSAGE_REQUEST:
		frames_ask(f, t, m->id, m->method);
		buf_text(out, short_name(m->method));
		add_id(out, m->id);
		add_question(out, m);
		return true;
	case MESSAGE_NOTIFICATION:
		buf_text(out, m->method);
		add_question(out, m);
		return true;
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		return add_reply(out, f, t, m, took_us);
	default:
		return false;
	}
}

/* ---- a device's other messages ---- */

static void add_hello(struct buf *out, const cJSON *hello)
{
	const cJSON *audio = json_object(hello, "audio_params");
	int64_t number;

	if (json_integer(hello, "version", &number) == 0)
		buf_printf(out, " v%lld", (long long)number);
	add_word(out, json_string(hello, "transport"));
	if (json_true(json_object(hello, "features"), "mcp"))
		buf_text(out, " mcp");
	if (json_string(hello, "session_id"))
		buf_printf(out, " session %s",
			   json_string(hello, "session_id"));
	if (json_integer(audio, "sample_rate", &number) == 0)
		buf_printf(out, " %lld Hz", (long long)number);
}

static void add_device_message(struct buf *out, const char *type,
			       struct span text)
{
	CLEANUP(json_free_ptr) cJSON *tree = tree_of(text);
	const cJSON *said = json_member(tree, "text");

	buf_text(out, type);
	if (strcmp(type, "hello") == 0) {
		add_hello(out, tree);
		return;
	}
	if ((strcmp(type, "tts") == 0 || strcmp(type, "stt") == 0) &&
	    cJSON_IsString(said)) {
		add_value(out, said);
		return;
	}
	cJSON_DeleteItemFromObjectCaseSensitive(tree, "type");
	cJSON_DeleteItemFromObjectCaseSensitive(tree, "session_id");
	add_value(out, tree);
}

bool passing_words(struct buf *out, struct frames *f, const struct trace *t,
		   int64_t *took_us)
{
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(mem_free_ptr) char *type = NULL;
	struct span text = { t->data, t->len };

	*took_us = -1;
	if (!frame_open(&text, &type))
		return false;
	if (type) {
		add_device_message(out, type, text);
		return true;
	}
	return message_read(&m, text.text, text.len, NULL) == 0 &&
	       add_message(out, f, t, &m, took_us);
}
