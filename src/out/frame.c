/* SPDX-License-Identifier: MIT */
#include "out/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "wire/jsonrpc.h"

/* outgoing: the question's direction, not its answer's. */
static uint64_t key_of(const struct trace *t, struct span id, bool outgoing)
{
	CLEANUP(buf_done) struct buf key = { 0 };

	buf_printf(&key, "%c%s ", outgoing ? '>' : '<',
		   t->device ? t->device : "");
	buf_add(&key, id.text, id.len);
	return text_hash(buf_string(&key), key.len);
}

void frames_ask(struct frames *f, const struct trace *t, struct span id,
		const char *method)
{
	uint64_t key = key_of(t, id, t->outgoing);
	struct frame_asked *a = &f->asked[key & (FRAMES_KEPT - 1)];

	*a = (struct frame_asked){ .key = key, .at_us = t->at_us };
	snprintf(a->method, sizeof(a->method), "%s", method);
}

bool frames_answer(struct frames *f, const struct trace *t, struct span id,
		   struct frame_asked *out)
{
	uint64_t key = key_of(t, id, !t->outgoing);
	struct frame_asked *a = &f->asked[key & (FRAMES_KEPT - 1)];

	if (a->key != key)
		return false;
	*out = *a;
	*a = (struct frame_asked){ 0 };
	return true;
}

static void add_took(struct buf *out, struct frames *f, const struct trace *t,
		     struct span id)
{
	struct frame_asked asked;
	char took[32];

	if (!frames_answer(f, t, id, &asked))
		return;
	text_microseconds(t->at_us - asked.at_us, took, sizeof(took));
	buf_printf(out, " %s", took);
}

/* As cJSON prints it: no escapes but those that must be. */
static void add_value(struct buf *out, const cJSON *value)
{
	if (!value)
		return;
	buf_char(out, ' ');
	json_print(out, value);
}

static cJSON *tree_of(struct span text)
{
	return text.text ? json_parse(text.text, text.len, NULL) : NULL;
}

/* "self.x {…}" of a tool's call; else the params. */
static void add_params(struct buf *out, const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *params = tree_of(m->params);
	const char *name = json_string(params, "name");

	if (!name || strcmp(m->method, "tools/call") != 0) {
		add_value(out, params);
		return;
	}
	buf_printf(out, " %s", name);
	add_value(out, json_member(params, "arguments"));
}

/* The only text of a tool's result says all that there is. */
static void add_result(struct buf *out, const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *result = tree_of(m->result_text);
	const cJSON *content = json_array(result, "content");
	const cJSON *only = content ? content->child : NULL;
	const cJSON *text =
		only && !only->next ? json_member(only, "text") : NULL;

	if (cJSON_IsTrue(json_member(result, "isError")))
		buf_text(out, " isError");
	add_value(out, cJSON_IsString(text) ? text : result);
}

static void add_error(struct buf *out, const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *error = tree_of(m->error_text);

	add_value(out, error);
}

static void add_id(struct buf *out, struct span id)
{
	buf_char(out, '#');
	buf_add(out, id.text, id.len);
	buf_char(out, ' ');
}

static bool add_message(struct buf *out, struct frames *f,
			const struct trace *t, const struct message *m)
{
	if (m->kind == MESSAGE_UNKNOWN || m->kind == MESSAGE_BATCH)
		return false;
	if (m->id.text)
		add_id(out, m->id);
	if (m->kind == MESSAGE_REQUEST)
		frames_ask(f, t, m->id, m->method);
	if (m->kind == MESSAGE_REQUEST || m->kind == MESSAGE_NOTIFICATION) {
		buf_text(out, m->method);
		add_params(out, m);
		return true;
	}
	buf_text(out, m->kind == MESSAGE_RESULT ? "result" : "error");
	add_took(out, f, t, m->id);
	if (m->kind == MESSAGE_RESULT)
		add_result(out, m);
	else
		add_error(out, m);
	return true;
}

/* "listen {"state":"start"}": what stands in each of them says nothing. */
static void add_device_message(struct buf *out, const char *type,
			       struct span text)
{
	CLEANUP(json_free_ptr) cJSON *tree = tree_of(text);

	cJSON_DeleteItemFromObjectCaseSensitive(tree, "type");
	cJSON_DeleteItemFromObjectCaseSensitive(tree, "session_id");
	buf_text(out, type);
	if (tree && tree->child)
		add_value(out, tree);
}

bool frame_open(struct span *text, char **type)
{
	struct span member;

	*type = NULL;
	if (json_check(text->text, text->len, NULL))
		return false;
	if (json_span_member(*text, "type", &member))
		*type = json_span_string(member);
	if (*type && strcmp(*type, "mcp") == 0 &&
	    json_span_member(*text, "payload", &member)) {
		*text = member;
		mem_free(TAKE(*type));
	}
	return true;
}

static bool add_frame(struct buf *out, struct frames *f, const struct trace *t,
		      struct span text)
{
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(mem_free_ptr) char *type = NULL;

	if (!frame_open(&text, &type))
		return false;
	if (type) {
		add_device_message(out, type, text);
		return true;
	}
	return message_read(&m, text.text, text.len, NULL) == 0 &&
	       add_message(out, f, t, &m);
}

bool frame_describe(struct buf *out, struct frames *f, const struct trace *t)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	CLEANUP(buf_done) struct buf words = { 0 };

	if (strcmp(t->kind, "text") != 0)
		return false;
	mask_secrets(&masked, t->data, t->len);
	if (!add_frame(&words, f, t,
		       (struct span){ buf_string(&masked), masked.len }))
		return false;
	text_safe(out, buf_string(&words), words.len, TEXT_NAME);
	return true;
}
