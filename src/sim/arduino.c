/* SPDX-License-Identifier: MIT */
/* What the library says to what it hears. */
#include "sim/arduino.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "wire/jsonrpc.h"

#define REQUEST_POOL \
	1024 /* bytes of the document that a request is read into */
#define RESULT_POOL 2048
#define SLOT 16 /* bytes of a value, on 32 bits */
#define RESULT_SLOTS ((size_t)8) /* of a result with one item */
#define CALLS_MAX 16

struct sketch_call {
	struct arduino *arduino;
	struct service_question *question;
	int id; /* as the library has it */
	bool list; /* tools/list; `token` is the id */
	char *token, *tool;
	bool inside, done;
	struct sketch_call *next, **link;
};

struct arduino {
	const struct arduino_events *events;
	void *owner;
	struct service *service;
	struct service_client *client;
	struct sketch_call *calls;
	unsigned count;
};

static void line(struct arduino *a, const char *format, ...) PRINTF_LIKE(2, 3);
static void line(struct arduino *a, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	a->events->line(a->owner, text);
}

static void say(struct arduino *a, const struct buf *text)
{
	a->events->text(a->owner, buf_string(text), text->len);
}

/* ---- documents ---- */

/* Of a value with all that is in it; texts are copied, one by one. */
/* NOLINTNEXTLINE(misc-no-recursion): json_parse bounds the depth */
static size_t pool_of(const cJSON *value)
{
	size_t size = 0;

	if (cJSON_IsString(value))
		size += strlen(value->valuestring) + 1;
	for (const cJSON *v = value ? value->child : NULL; v; v = v->next)
		size += SLOT + (v->string ? strlen(v->string) + 1 : 0) +
			pool_of(v);
	return size;
}

/* An id as text: of a text what is between its quotes, of none "null". */
static char *id_text(struct span id)
{
	if (!id.text)
		return mem_strdup("null");
	return *id.text == '"' ? json_span_string(id) :
				 mem_strndup(id.text, id.len);
}

/* An id as an int: of a text what it reads as a number, else 0. */
static int id_int(struct span id)
{
	CLEANUP(mem_free_ptr) char *text = id_text(id);
	int64_t number;

	return text_integer(text, INT_MIN, INT_MAX, &number) ? 0 : (int)number;
}

/* ---- results ---- */

static void add_text(struct buf *out, const char *text, bool fits)
{
	buf_text(out, "{\"type\":\"text\",\"text\":");
	if (fits)
		buf_json_string(out, text, strlen(text));
	else
		buf_text(out, "null");
	buf_char(out, '}');
}

static void answer_call(const struct sketch_call *c, const char *text,
			bool is_error)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const size_t need =
		RESULT_SLOTS * SLOT + sizeof("text") + strlen(text) + 1;
	const bool fits = need <= RESULT_POOL;

	buf_printf(&out,
		   "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[",
		   c->id);
	add_text(&out, text, fits);
	buf_printf(&out, "],\"isError\":%s}}", is_error ? "true" : "false");
	line(c->arduino, "called %s%s", c->tool, is_error ? ": an error" : "");
	if (!fits)
		line(c->arduino,
		     "its result is lost: %zu bytes are needed, its document has %d",
		     need, RESULT_POOL);
	say(c->arduino, &out);
}

static void take_result(const struct sketch_call *c, const cJSON *reply)
{
	const cJSON *result = json_object(reply, "result");
	const cJSON *content = json_array(result, "content");
	const cJSON *failed = json_object(reply, "error");
	const char *text = content ? json_string(content->child, "text") : NULL;
	CLEANUP(buf_done) struct buf words = { 0 };

	if (result) {
		answer_call(c, text ? text : "", json_true(result, "isError"));
		return;
	}
	text = json_string(failed, "message");
	buf_text(&words, "{\"error\":");
	buf_json_string(&words, text ? text : "", text ? strlen(text) : 0);
	buf_char(&words, '}');
	answer_call(c, buf_string(&words), true);
}

/* Texts go in as they are, also with quotes in them. */
static void take_list(const struct sketch_call *c, const cJSON *reply)
{
	const cJSON *tools = json_array(json_object(reply, "result"), "tools");
	const cJSON *tool;
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t count = 0;

	buf_printf(&out,
		   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[",
		   c->token);
	cJSON_ArrayForEach(tool, tools) {
		const char *name = json_string(tool, "name");
		const char *text = json_string(tool, "description");

		buf_text(&out, tool == tools->child ? "" : ",");
		buf_printf(
			&out,
			"{\"name\":\"%s\",\"description\":\"%s\",\"inputSchema\":",
			name ? name : "", text ? text : "");
		json_print(&out, json_object(tool, "inputSchema"));
		buf_char(&out, '}');
		count++;
	}
	buf_text(&out, "]}}");
	line(c->arduino, "listed %zu tools", count);
	say(c->arduino, &out);
}

/* ---- asked of the service ---- */

static void call_free(struct sketch_call *c)
{
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	c->arduino->count--;
	mem_free(c->token);
	mem_free(c->tool);
	mem_free(c);
}

static void on_done(void *owner, const char *reply, size_t len)
{
	struct sketch_call *c = owner;
	CLEANUP(json_free_ptr) cJSON *json = json_parse(reply, len, NULL);

	if (c->list)
		take_list(c, json);
	else
		take_result(c, json);
	c->done = true;
	if (!c->inside)
		call_free(c);
}

static struct sketch_call *call_new(struct arduino *a)
{
	struct sketch_call *c = mem_zalloc(sizeof(*c));

	c->arduino = a;
	c->inside = true;
	c->next = a->calls;
	c->link = &a->calls;
	if (c->next)
		c->next->link = &c->next;
	a->calls = c;
	a->count++;
	return c;
}

static void ask(struct sketch_call *c, const struct buf *question)
{
	c->question = service_ask(c->arduino->client, buf_string(question),
				  question->len, on_done, c);
	c->inside = false;
	if (c->done)
		call_free(c);
}

static void begin_call(struct arduino *a, const struct message *m,
		       const cJSON *json)
{
	const cJSON *params = json_object(json, "params");
	const char *name = json_string(params, "name");
	CLEANUP(buf_done) struct buf question = { 0 };
	struct sketch_call *c = call_new(a);

	c->id = id_int(m->id);
	c->tool = mem_strdup(name ? name : "null");
	buf_text(
		&question,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":");
	buf_json_string(&question, c->tool, strlen(c->tool));
	buf_text(&question, ",\"arguments\":");
	if (json_object(params, "arguments"))
		json_print(&question, json_object(params, "arguments"));
	else
		buf_text(&question, "{}");
	buf_text(&question, "}}");
	ask(c, &question);
}

static void begin_list(struct arduino *a, const struct message *m)
{
	CLEANUP(buf_done) struct buf question = { 0 };
	struct sketch_call *c = call_new(a);

	c->list = true;
	c->token = id_text(m->id);
	buf_text(&question,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	ask(c, &question);
}

/* ---- heard ---- */

static void answer_ping(struct arduino *a, struct span id)
{
	CLEANUP(mem_free_ptr) char *token = id_text(id);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}",
		   token);
	say(a, &out);
}

static void answer_initialize(struct arduino *a, struct span id)
{
	CLEANUP(mem_free_ptr) char *token = id_text(id);
	CLEANUP(buf_done) struct buf out = { 0 }, then = { 0 };

	buf_printf(
		&out,
		"{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"experimental\":{},\"prompts\":{\"listChanged\":false},\"resources\":{\"subscribe\":false,\"listChanged\":false},\"tools\":{\"listChanged\":false}},\"serverInfo\":{\"name\":\"%s\",\"version\":\"1.0.0\"}}}",
		token, service_name(a->service));
	say(a, &out);
	line(a, "asked to initialize");
	jsonrpc_notification(&then, "notifications/initialized", NULL);
	say(a, &then);
}

void arduino_hear(struct arduino *a, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(text, len, NULL);
	CLEANUP(message_done) struct message m = { 0 };
	const size_t need = pool_of(json);
	const char *method = json_string(json, "method");

	if (!json || message_read(&m, text, len, NULL)) {
		line(a, "a message is dropped: it is no JSON");
	} else if (need > REQUEST_POOL) {
		line(a,
		     "a message is dropped: %zu bytes are needed, its document has %d",
		     need, REQUEST_POOL);
	} else if (text_same(method, "ping")) {
		answer_ping(a, m.id);
	} else if (text_same(method, "initialize")) {
		answer_initialize(a, m.id);
	} else if (a->count >= CALLS_MAX) {
		line(a, "a message is dropped: too many calls are at work");
	} else if (text_same(method, "tools/list")) {
		begin_list(a, &m);
	} else if (text_same(method, "tools/call")) {
		begin_call(a, &m, json);
	}
}

/* ---- made and freed ---- */

static void nothing(void *owner, const char *reply, size_t len)
{
	(void)owner;
	(void)reply;
	(void)len;
}

struct arduino *arduino_new(struct service *s,
			    const struct arduino_events *events, void *owner)
{
	static const char first[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"sketch\",\"version\":\"1\"}}}";
	struct arduino *a = mem_zalloc(sizeof(*a));

	a->events = events;
	a->owner = owner;
	a->service = s;
	a->client = service_client_new(s);
	service_ask(a->client, first, strlen(first), nothing, NULL);
	return a;
}

void arduino_free(struct arduino *a)
{
	if (!a)
		return;
	while (a->calls) {
		if (a->calls->question)
			service_abandon(a->calls->question);
		call_free(a->calls);
	}
	service_client_free(a->client);
	mem_free(a);
}
