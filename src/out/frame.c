/* SPDX-License-Identifier: MIT */
#include "out/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "out/wrap.h"
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

/* ---- what both forms have ---- */

/* A frame that is put into words. */
struct frame_telling {
	struct buf *out;
	struct frames *frames;
	const struct trace *trace;
	int64_t took_us; /* since what it answers was asked; -1: none */
};

struct frame_form {
	bool (*message)(struct frame_telling *w, const struct message *m);
	void (*of_device)(struct buf *out, const char *type, cJSON *tree);
};

/* As cJSON prints it: no escapes but those that must be. */
static void add_value(struct buf *out, const cJSON *value)
{
	if (!value)
		return;
	buf_char(out, ' ');
	json_print(out, value);
}

/* The same, but {} says nothing. */
static void add_filled(struct buf *out, const cJSON *value)
{
	if (value && (!cJSON_IsObject(value) || value->child))
		add_value(out, value);
}

static void add_id(struct buf *out, struct span id)
{
	buf_char(out, '#');
	buf_add(out, id.text, id.len);
}

static cJSON *tree_of(struct span text)
{
	return text.text ? json_parse(text.text, text.len, NULL) : NULL;
}

/* Returns what is left to say: the only text of a tool's result says all. */
static const cJSON *add_verdict(struct buf *out, const cJSON *result)
{
	const cJSON *content = json_array(result, "content");
	const cJSON *only = content ? content->child : NULL;
	const cJSON *text =
		only && !only->next ? json_member(only, "text") : NULL;

	if (json_true(result, "isError"))
		buf_text(out, " isError");
	return cJSON_IsString(text) ? text : result;
}

static void take_answer(struct frame_telling *w, struct span id,
			struct frame_asked *asked)
{
	*asked = (struct frame_asked){ 0 };
	if (frames_answer(w->frames, w->trace, id, asked))
		w->took_us = w->trace->at_us - asked->at_us;
}

/* What stands in each message of a device says nothing. */
static void add_rest(struct buf *out, cJSON *tree)
{
	cJSON_DeleteItemFromObjectCaseSensitive(tree, "type");
	cJSON_DeleteItemFromObjectCaseSensitive(tree, "session_id");
	add_filled(out, tree);
}

/*
 * {"type":"mcp","payload":{…}}, another message of a device, or MCP alone: *text
 * becomes the message of MCP, or *type is that of a device's (yours; NULL: MCP).
 * False: no JSON.
 */
static bool unwrap(struct span *text, char **type)
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

static bool tell(struct frame_telling *w, struct span text,
		 const struct frame_form *form)
{
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(mem_free_ptr) char *type = NULL;

	w->took_us = -1;
	if (!unwrap(&text, &type))
		return false;
	if (type) {
		CLEANUP(json_free_ptr) cJSON *tree = tree_of(text);

		buf_text(w->out, type);
		form->of_device(w->out, type, tree);
		return true;
	}
	return message_read(&m, text.text, text.len, NULL) == 0 &&
	       form->message(w, &m);
}

/* ---- all of it, for -v ---- */

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

static void add_outcome(struct frame_telling *w, const struct message *m)
{
	const bool fine = m->kind == MESSAGE_RESULT;
	CLEANUP(json_free_ptr)
	cJSON *tree = tree_of(fine ? m->result_text : m->error_text);
	struct frame_asked asked;

	buf_text(w->out, fine ? "result" : "error");
	take_answer(w, m->id, &asked);
	if (w->took_us >= 0) {
		char took[32];

		text_microseconds(w->took_us, took, sizeof(took));
		buf_printf(w->out, " %s", took);
	}
	add_value(w->out, fine ? add_verdict(w->out, tree) : tree);
}

static bool tell_whole(struct frame_telling *w, const struct message *m)
{
	if (m->kind == MESSAGE_UNKNOWN || m->kind == MESSAGE_BATCH)
		return false;
	if (m->id.text) {
		add_id(w->out, m->id);
		buf_char(w->out, ' ');
	}
	if (m->kind == MESSAGE_REQUEST)
		frames_ask(w->frames, w->trace, m->id, m->method);
	if (m->kind == MESSAGE_REQUEST || m->kind == MESSAGE_NOTIFICATION) {
		buf_text(w->out, m->method);
		add_params(w->out, m);
	} else {
		add_outcome(w, m);
	}
	return true;
}

static void tell_other(struct buf *out, const char *type, cJSON *tree)
{
	(void)type;
	add_rest(out, tree);
}

bool frame_describe(struct buf *out, struct frames *f, const struct trace *t)
{
	static const struct frame_form whole = { tell_whole, tell_other };
	CLEANUP(buf_done) struct buf masked = { 0 };
	CLEANUP(buf_done) struct buf words = { 0 };
	struct frame_telling w = { .out = &words, .frames = f, .trace = t };

	if (strcmp(t->kind, "text") != 0)
		return false;
	mask_secrets(&masked, t->data, t->len);
	if (!tell(&w, (struct span){ buf_string(&masked), masked.len }, &whole))
		return false;
	text_safe(out, buf_string(&words), words.len, TEXT_NAME);
	return true;
}

/* ---- what counts of it, for a line ---- */

/*
 * Of lists that is how many and what is missing; of calls the tool and its
 * arguments; of hellos what was agreed on.
 */

#define LIST "tools/list"
#define CALL "tools/call"
#define INITIALIZE "initialize"

static void add_word(struct buf *out, const char *text)
{
	if (text && *text)
		buf_printf(out, " %s", text);
}

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
		add_filled(out, json_member(params, "arguments"));
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
		add_filled(out, params);
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

static void add_answer(struct buf *out, const struct message *m,
		       const char *method, size_t size)
{
	CLEANUP(json_free_ptr) cJSON *result = tree_of(m->result_text);

	if (strcmp(method, LIST) == 0 && json_array(result, "tools"))
		add_list(out, result, size);
	else if (strcmp(method, INITIALIZE) == 0)
		add_who(out, json_object(result, "serverInfo"));
	else
		add_filled(out, add_verdict(out, result));
}

static void add_error(struct buf *out, const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *error = tree_of(m->error_text);
	const char *text = json_string(error, "message");
	int64_t code;

	if (!text) {
		add_filled(out, error);
		return;
	}
	buf_printf(out, " %s", text);
	if (json_integer(error, "code", &code) == 0)
		buf_printf(out, " (%lld)", (long long)code);
}

static void add_reply(struct frame_telling *w, const struct message *m)
{
	const bool failed = m->kind == MESSAGE_ERROR;
	struct frame_asked asked;
	bool known;

	take_answer(w, m->id, &asked);
	known = *asked.method && strcmp(asked.method, CALL) != 0;
	buf_text(w->out, failed ? "error" : known ? asked.method : "result");
	buf_char(w->out, ' ');
	add_id(w->out, m->id);
	if (failed)
		add_error(w->out, m);
	else
		add_answer(w->out, m, asked.method, w->trace->len);
}

static bool tell_brief(struct frame_telling *w, const struct message *m)
{
	switch (m->kind) {
	case MESSAGE_REQUEST:
		frames_ask(w->frames, w->trace, m->id, m->method);
		buf_text(w->out,
			 strcmp(m->method, CALL) == 0 ? "call" : m->method);
		buf_char(w->out, ' ');
		add_id(w->out, m->id);
		add_question(w->out, m);
		return true;
	case MESSAGE_NOTIFICATION:
		buf_text(w->out, m->method);
		add_question(w->out, m);
		return true;
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		add_reply(w, m);
		return true;
	default:
		return false;
	}
}

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

static void tell_device(struct buf *out, const char *type, cJSON *tree)
{
	const cJSON *said = json_member(tree, "text");

	if (strcmp(type, "hello") == 0)
		add_hello(out, tree);
	else if ((strcmp(type, "tts") == 0 || strcmp(type, "stt") == 0) &&
		 cJSON_IsString(said))
		add_value(out, said);
	else
		add_rest(out, tree);
}

bool frame_words(struct buf *out, struct frames *f, const struct trace *t,
		 int64_t *took_us)
{
	static const struct frame_form brief = { tell_brief, tell_device };
	struct frame_telling w = { .out = out, .frames = f, .trace = t };
	bool told = tell(&w, (struct span){ t->data, t->len }, &brief);

	*took_us = w.took_us;
	return told;
}
