/* SPDX-License-Identifier: MIT */
/*
 * A pretend MCP server that is no device: its clients, their messages, its
 * answers.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/initialize.h"
#include "mcp/schema.h"
#include "sim/exec.h"
#include "sim/normalise.h"
#include "sim/service_private.h"

/*
 * What a tool answers, in its two forms: the result of tools/call, and the
 * plain object of the direct method tools/NAME; and what went wrong outside,
 * as JSON-RPC errors.
 */

#define SAID_MAX 300 /* bytes of a model's words in an error */

/* ---- results ---- */

/* content and structured are JSON; structured NULL: none. */
static void reply_part(struct service_part *p, const char *content,
		       const char *structured, bool is_error)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"content\":%s", content);
	if (structured)
		buf_printf(&out, ",\"structuredContent\":%s", structured);
	buf_printf(&out, ",\"isError\":%s}", is_error ? "true" : "false");
	service_result(p, buf_string(&out));
}

static void add_content(struct buf *out, const char *text, size_t len)
{
	buf_text(out, "[{\"type\":\"text\",\"text\":");
	buf_json_string(out, text, len);
	buf_text(out, "}]");
}

void service_answer_text(struct service_call *call, const char *text,
			 size_t len, bool is_error)
{
	CLEANUP(buf_done) struct buf content = { 0 };

	if (is_error && call->direct) {
		service_fail(call->part, JSONRPC_INTERNAL_ERROR, NULL,
			     "Internal error: %.*s", (int)len, text);
		return;
	}
	add_content(&content, text, len);
	reply_part(call->part, buf_string(&content), NULL, is_error);
}

void service_answer_json(struct service_call *call, const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf content = { 0 };
	bool object = cJSON_IsObject(value);
	bool structured = object && call->structured;

	json_print(&text, value);
	if (object && call->direct) {
		service_result(call->part, buf_string(&text));
		return;
	}
	add_content(&content, buf_string(&text), text.len);
	reply_part(call->part, buf_string(&content),
		   structured ? buf_string(&text) : NULL, false);
}

void service_answer_content(struct service_call *call, const cJSON *list)
{
	CLEANUP(buf_done) struct buf content = { 0 };

	json_print(&content, list);
	reply_part(call->part, buf_string(&content), NULL, false);
}

void service_wrong_arguments(struct service_part *p, bool direct,
			     const char *why)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf content = { 0 };
	bool session = p->question->client->revision != NULL;

	if (direct || !session || !service_has(p, "2025-11-25")) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: %s", why);
		return;
	}
	buf_printf(&text, "Invalid arguments: %s", why);
	add_content(&content, buf_string(&text), text.len);
	reply_part(p, buf_string(&content), NULL, true);
}

/* ---- what came from outside ---- */

/* {"timeout_seconds":30,"retry_after":5}; either may be 0: left out. */
static void add_times(struct buf *out, int64_t timeout, int64_t retry_after)
{
	CLEANUP(json_free_ptr) cJSON *data = cJSON_CreateObject();

	if (timeout)
		cJSON_AddNumberToObject(data, "timeout_seconds",
					(double)timeout / 1000);
	if (retry_after)
		cJSON_AddNumberToObject(data, "retry_after",
					(double)retry_after / 1000);
	json_print(out, data);
}

void service_busy(struct service_part *p, const struct service_tool *t)
{
	CLEANUP(buf_done) struct buf data = { 0 };
	bool model = json_member(t->result, "ollama") != NULL;

	add_times(&data, 0, OUTSIDE_RETRY_MS);
	service_fail(p, model ? LLM_UNAVAILABLE : JSONRPC_INTERNAL_ERROR,
		     buf_string(&data), "%s: %d calls are at work already",
		     model ? "LLM unavailable" : "Internal error",
		     SERVICE_CALLS_MAX);
}

/* The model, or the command, is not there or too slow: no result at all. */
static void fail_outside(struct service_call *call, const struct exec_answer *a)
{
	const struct error *why = a->why;
	CLEANUP(buf_done) struct buf data = { 0 };

	if (why->code == LLM_TIMEOUT) {
		add_times(&data, a->timeout, why->retry_after);
		service_fail(call->part, why->code, buf_string(&data),
			     "Internal error: LLM timeout");
	} else if (why->code == LLM_UNAVAILABLE) {
		add_times(&data, 0, why->retry_after);
		service_fail(call->part, why->code, buf_string(&data),
			     "LLM unavailable: %s%s%s%s", why->text,
			     *why->hint ? " (" : "", why->hint,
			     *why->hint ? ")" : "");
	} else {
		service_fail(call->part, JSONRPC_INTERNAL_ERROR, NULL,
			     "Internal error: %s", why->text);
	}
}

/* There are words, but they make no result. */
static void refuse_words(struct service_call *call, const char *why,
			 const struct exec_answer *a)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t cut = text_cut(a->text, a->len, SAID_MAX);

	buf_printf(&text, "%s %s: %.*s%s",
		   json_member(call->tool->result, "ollama") ? "the model" :
							       "the command",
		   why, (int)cut, a->text, cut < a->len ? "…" : "");
	service_line(call->service, "%s: %s", call->tool->name,
		     buf_string(&text));
	service_answer_text(call, buf_string(&text), text.len, true);
}

static void tell(const struct service_call *call, const struct exec_answer *a)
{
	const char *who = json_member(call->tool->result, "ollama") ?
				  "ollama" :
				  "the command";

	if (a->why->kind) {
		service_line(call->service, "%s: %s", call->tool->name,
			     a->why->text);
	} else {
		char took[32];

		service_line(call->service, "%s: %s answered in %s",
			     call->tool->name, who,
			     text_milliseconds(a->took_ms, took, sizeof(took)));
	}
}

/* The object in the words fits what the tool promises. */
static void answer_object(struct service_call *call,
			  const struct exec_answer *a, const cJSON *value)
{
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	CLEANUP(buf_done) struct buf why = { 0 };

	if (!call->tool->output ||
	    schema_check(call->tool->output, value, &report)) {
		service_answer_json(call, value);
		return;
	}
	buf_printf(&why,
		   "said what does not fit the tool's outputSchema ('%s': ",
		   buf_string(&report.path));
	schema_explain(&report, &why);
	buf_char(&why, ')');
	refuse_words(call, buf_string(&why), a);
}

void service_answer_outside(struct service_call *call,
			    const struct exec_answer *a)
{
	const cJSON *rules = json_object(call->tool->result, "normalise");
	CLEANUP(json_free_ptr) cJSON *said = NULL;
	CLEANUP(json_free_ptr) cJSON *regular = NULL;

	tell(call, a);
	if (a->why->kind) {
		if (a->why->kind == ERR_PEER)
			service_answer_text(call, a->why->text,
					    strlen(a->why->text), true);
		else
			fail_outside(call, a);
		return;
	}
	if (!rules && !call->tool->output) {
		service_answer_text(call, a->text, a->len, false);
		return;
	}
	said = normalise_find(a->text, a->len);
	if (!said) {
		refuse_words(call, "said no JSON object", a);
		return;
	}
	if (rules)
		regular = normalise(rules, call->arguments, said);
	answer_object(call, a, regular ? regular : said);
}

/*
 * The table of methods, and those that say who the service is. Prompts,
 * resources and tools have files of their own.
 */

/* The revision that initialize with these params settles on; NULL: it is refused. */
static const char *service_settle(const cJSON *params)
{
	const char *wanted = json_string(params, "protocolVersion");
	const char *known = wanted ? revision_known(wanted) : NULL;

	if (!wanted || !json_object(params, "capabilities") ||
	    !json_string(json_object(params, "clientInfo"), "name"))
		return NULL;
	return known ? known : REVISION_NEWEST;
}

static void add_capabilities(const struct service_part *p, struct buf *out)
{
	const struct service *s = service_of(p);

	buf_text(out, ",\"capabilities\":{\"logging\":{}");
	if (s->tool_count)
		buf_text(out, ",\"tools\":{\"listChanged\":false}");
	if (s->prompt_count)
		buf_text(out, ",\"prompts\":{\"listChanged\":false}");
	if (s->prompt_count || s->resource_count)
		buf_text(
			out,
			",\"resources\":{\"subscribe\":false,\"listChanged\":false}");
	if (s->prompt_count && service_has(p, "2025-03-26"))
		buf_text(out, ",\"completions\":{}");
	buf_char(out, '}');
}

static void initialize(struct service_part *p)
{
	const struct service *s = service_of(p);
	const char *revision = service_settle(p->params);
	const char *version = json_string(s->tree, "version");
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!revision) {
		service_fail(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: initialize needs 'protocolVersion', 'capabilities' and 'clientInfo' with a 'name'");
		return;
	}
	p->question->client->revision = revision;
	buf_printf(&out, "{\"protocolVersion\":\"%s\"", revision);
	add_capabilities(p, &out);
	buf_text(&out, ",\"serverInfo\":{\"name\":");
	buf_json_string(&out, s->name, strlen(s->name));
	if (service_has(p, "2025-06-18"))
		json_add_text(&out, "title", json_string(s->tree, "title"));
	json_add_text(&out, "version", version ? version : MCPCTL_VERSION);
	buf_char(&out, '}');
	json_add_text(&out, "instructions",
		      json_string(s->tree, "instructions"));
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}

static void ping(struct service_part *p)
{
	service_result(p, "{}");
}

static void set_level(struct service_part *p)
{
	static const char *const levels[] = { "debug",	 "info",     "notice",
					      "warning", "error",    "critical",
					      "alert",	 "emergency" };
	const char *level = json_string(p->params, "level");

	for (size_t i = 0; level && i < COUNT(levels); i++) {
		if (strcmp(level, levels[i]) != 0)
			continue;
		service_result(p, "{}");
		return;
	}
	service_fail(
		p, JSONRPC_INVALID_PARAMS, NULL,
		"Invalid params: 'level' must be debug, info, notice, warning, error, critical, alert or emergency");
}

static void no_templates(struct service_part *p)
{
	service_result(p, "{\"resourceTemplates\":[]}");
}

static const struct method {
	const char *name;
	void (*run)(struct service_part *p);
	bool paged; /* takes a cursor; there is one page only */
} methods[] = {
	{ "initialize", initialize, false },
	{ "ping", ping, false },
	{ "tools/list", service_tools_list, true },
	{ "tools/call", service_tools_call, false },
	{ "prompts/list", service_prompts_list, true },
	{ "prompts/get", service_prompts_get, false },
	{ "resources/list", service_resources_list, true },
	{ "resources/templates/list", no_templates, true },
	{ "resources/read", service_resources_read, false },
	{ "resources/get", service_resources_get, false },
	{ "completion/complete", service_complete, false },
	{ "logging/setLevel", set_level, false },
};

static void unknown(struct service_part *p, const char *method)
{
	const char *names[COUNT(methods)];
	size_t len = text_cut(method, strlen(method), SERVICE_QUOTED), i;
	CLEANUP(mem_free_ptr) char *near = NULL;

	for (i = 0; i < COUNT(methods); i++)
		names[i] = methods[i].name;
	near = text_proposal(method, names, COUNT(methods));
	service_fail(p, JSONRPC_METHOD_NOT_FOUND, NULL,
		     "Method not found: '%.*s'%s", (int)len, method, near);
}

/* Run a method of a request. */
static void service_method(struct service_part *p, const char *method)
{
	for (size_t i = 0; i < COUNT(methods); i++) {
		if (strcmp(method, methods[i].name) != 0)
			continue;
		if (methods[i].paged && json_member(p->params, "cursor"))
			service_fail(
				p, JSONRPC_INVALID_PARAMS, NULL,
				"Invalid params: no such cursor: there is only one page");
		else
			methods[i].run(p);
		return;
	}
	if (!text_starts(method, "tools/") ||
	    !service_tools_direct(p, method + strlen("tools/")))
		unknown(p, method);
}

/*
 * Messages of clients, one or a batch: JSON-RPC as the specification has it.
 * What the methods do is elsewhere (service_private.h).
 */

#define BATCH_REVISION "2025-03-26" /* the one that has batches */

/* The bytes of the id as they came; NULL if it is none that MCP allows. */
static char *read_id(const cJSON *message, struct span text)
{
	const cJSON *id = json_member(message, "id");
	struct span raw;

	if (!cJSON_IsString(id) && !cJSON_IsNumber(id))
		return NULL;
	if (!json_span_member(text, "id", &raw))
		return NULL;
	return mem_strndup(raw.text, raw.len);
}

/* notifications/cancelled: the newest open request of that id. */
static void cancel(struct service_client *c, struct span message)
{
	struct service_question *q;
	struct span params, id;

	if (!json_span_member(message, "params", &params) ||
	    !json_span_member(params, "requestId", &id))
		return;
	for (q = c->first; q; q = q->next) {
		for (size_t i = 0; i < q->count; i++) {
			const struct service_part *p = q->part + i;

			if (!p->call || strlen(p->id) != id.len ||
			    memcmp(p->id, id.text, id.len) != 0)
				continue;
			service_call_cancel(p->call);
			return;
		}
	}
}

/* No message that JSON-RPC knows: what is wrong with it. */
static void refuse(struct service_part *p, const char *why)
{
	if (!p->id)
		p->id = mem_strdup("null");
	service_fail(p, JSONRPC_INVALID_REQUEST, NULL, "Invalid Request: %s",
		     why);
}

static const char *find_fault(const cJSON *message)
{
	const char *version = json_string(message, "jsonrpc");
	const cJSON *method = json_member(message, "method");
	const cJSON *id = json_member(message, "id");

	if (!cJSON_IsObject(message))
		return "a message is an object";
	if (!version || strcmp(version, "2.0") != 0)
		return "'jsonrpc' must be \"2.0\"";
	if (!method && !json_member(message, "result") &&
	    !json_member(message, "error"))
		return "'method' is missing";
	if (method && !cJSON_IsString(method))
		return "'method' must be a string";
	if (method && id && !cJSON_IsString(id) && !cJSON_IsNumber(id))
		return "'id' must be a string or a number";
	return NULL;
}

/* Like a request without a place for the reply. */
static void notice(struct service_part *p, const char *method,
		   struct span message)
{
	if (strcmp(method, "notifications/cancelled") == 0)
		cancel(p->question->client, message);
}

static void take_request(struct service_part *p, const char *method,
			 const cJSON *message)
{
	p->params = json_member(message, "params");
	if (p->params && !cJSON_IsObject(p->params)) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'params' must be an object");
	} else if (p->question->batch && strcmp(method, "initialize") == 0) {
		refuse(p, "initialize must not be part of a batch");
	} else {
		service_method(p, method);
	}
	p->params = NULL;
}

static void take(struct service_part *p, const cJSON *message, struct span text)
{
	const char *method = json_string(message, "method");
	const char *fault = find_fault(message);

	p->id = read_id(message, text);
	if (fault)
		refuse(p, fault);
	else if (method && p->id)
		take_request(p, method, message);
	else if (method)
		notice(p, method, text);
	/* A response: nothing was asked, so nothing waits for it. */
}

/* ---- a message or a batch ---- */

static void add_parts(struct service_question *q, size_t count)
{
	q->part = mem_zalloc(count * sizeof(*q->part));
	q->count = count;
	for (size_t i = 0; i < count; i++) {
		q->part[i].question = q;
		buf_init(&q->part[i].reply, 0);
	}
}

static const char *batch_fault(const struct service_client *c, int count)
{
	if (c->revision && strcmp(c->revision, BATCH_REVISION) != 0)
		return "the revision settled on has no batches";
	if (!count)
		return "a batch with nothing in it";
	return count > SERVICE_BATCH_MAX ? "a batch with too many messages" :
					   NULL;
}

static void take_batch(struct service_question *q, const cJSON *list,
		       struct span text)
{
	const char *fault = batch_fault(q->client, cJSON_GetArraySize(list));
	const cJSON *message;
	struct span one;
	size_t at = 0, i = 0;

	if (fault) {
		add_parts(q, 1);
		refuse(q->part, fault);
		return;
	}
	q->batch = true;
	add_parts(q, (size_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach(message, list) {
		if (!json_span_next(text, &at, &one))
			break;
		take(q->part + i++, message, one);
	}
}

/* Make the parts of a question and run them. */
static void service_take(struct service_question *q, const char *text,
			 size_t len)
{
	const struct span whole = { text, len };
	struct error err = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(text, len, &err);

	if (!tree) {
		add_parts(q, 1);
		q->part->id = mem_strdup("null");
		service_fail(q->part, JSONRPC_PARSE_ERROR, NULL,
			     "Parse error: %s", err.text);
		error_reset(&err);
	} else if (cJSON_IsArray(tree)) {
		take_batch(q, tree, whole);
	} else {
		add_parts(q, 1);
		take(q->part, tree, whole);
	}
}

bool service_is_initialize(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(text, len, NULL);
	const char *method = json_string(tree, "method");

	return method && strcmp(method, "initialize") == 0 &&
	       json_member(tree, "id") && !find_fault(tree);
}

/*
 * A service, its clients, and their questions from being asked to being
 * answered.
 */

static struct service *make(const struct service_config *config)
{
	struct service *s = mem_zalloc(sizeof(*s));

	s->config = *config;
	s->config.outside.loop = config->loop;
	return s;
}

struct service *service_load(const char *name_or_path,
			     const struct service_config *config,
			     struct error *err)
{
	struct service *s = make(config);

	if (!service_read(s, name_or_path, err))
		return s;
	service_free(s);
	return NULL;
}

struct service *service_load_text(const char *text, const char *file,
				  const struct service_config *config,
				  struct error *err)
{
	struct service *s = make(config);

	if (!service_parse(s, text, strlen(text), file, err))
		return s;
	service_free(s);
	return NULL;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->prompt_count; i++) {
		mem_free(s->prompt[i].text);
		mem_free(s->prompt[i].uri);
	}
	for (size_t i = 0; i < s->resource_count; i++)
		mem_free(s->resource[i].text);
	mem_free(s->tool);
	mem_free(s->prompt);
	mem_free(s->resource);
	cJSON_Delete(s->tree);
	mem_free(s);
}

const char *service_name(const struct service *s)
{
	return s->name;
}

void service_line(const struct service *s, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	if (!s->config.line)
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	s->config.line(s->config.owner, text);
}

const struct service_tool *service_tool(const struct service *s,
					const char *name)
{
	for (size_t i = 0; name && i < s->tool_count; i++) {
		if (strcmp(s->tool[i].name, name) == 0)
			return s->tool + i;
	}
	return NULL;
}

const struct service_prompt *service_prompt(const struct service *s,
					    const char *name)
{
	for (size_t i = 0; name && i < s->prompt_count; i++) {
		if (strcmp(s->prompt[i].name, name) == 0)
			return s->prompt + i;
	}
	return NULL;
}

/* ---- clients ---- */

struct service_client *service_client_new(struct service *s)
{
	struct service_client *c = mem_zalloc(sizeof(*c));

	c->service = s;
	return c;
}

void service_client_free(struct service_client *c)
{
	if (!c)
		return;
	while (c->first)
		service_abandon(c->first);
	mem_free(c);
}

bool service_client_is_initialized(const struct service_client *c)
{
	return c->revision != NULL;
}

const char *service_client_revision(const struct service_client *c)
{
	return c->revision;
}

/* ---- questions ---- */

struct service *service_of(const struct service_part *p)
{
	return p->question->client->service;
}

bool service_has(const struct service_part *p, const char *since)
{
	const char *revision = p->question->client->revision;

	return !revision || strcmp(revision, since) >= 0;
}

static void question_free(struct service_question *q)
{
	for (size_t i = 0; i < q->count; i++) {
		mem_free(q->part[i].id);
		buf_done(&q->part[i].reply);
		service_call_drop(q->part[i].call);
	}
	mem_free(q->part);
	mem_free(q);
}

static void link_question(struct service_question *q)
{
	struct service_client *c = q->client;

	q->next = c->first;
	if (q->next)
		q->next->previous = q;
	c->first = q;
}

static void unlink_question(struct service_question *q)
{
	if (q->previous)
		q->previous->next = q->next;
	else if (q->client->first == q)
		q->client->first = q->next;
	if (q->next)
		q->next->previous = q->previous;
}

/* All replies of a batch in one list; nothing if there are none. */
static void compose(const struct service_question *q, struct buf *out)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct buf *reply = &q->part[i].reply;

		if (!reply->len)
			continue;
		if (q->batch)
			buf_char(out, out->len ? ',' : '[');
		buf_add(out, reply->data, reply->len);
	}
	if (q->batch && out->len)
		buf_char(out, ']');
}

/* Everything is said. The owner may free the client while it is told. */
static void finish(struct service_question *q)
{
	service_done *done = q->done;
	void *owner = q->owner;
	CLEANUP(buf_done) struct buf reply = { 0 };

	compose(q, &reply);
	question_free(q);
	done(owner, buf_string(&reply), reply.len);
}

void service_abandon(struct service_question *q)
{
	unlink_question(q);
	question_free(q);
}

void service_part_over(struct service_part *p)
{
	struct service_question *q = p->question;

	p->call = NULL;
	if (--q->open || q->asking)
		return;
	unlink_question(q);
	finish(q);
}

struct service_question *service_ask(struct service_client *c, const char *text,
				     size_t len, service_done *done,
				     void *owner)
{
	struct service_question *q = mem_zalloc(sizeof(*q));

	q->client = c;
	q->done = done;
	q->owner = owner;
	q->asking = true;
	service_take(q, text, len);
	q->asking = false;
	if (q->open) {
		link_question(q);
		return q;
	}
	finish(q);
	return NULL;
}

/* ---- replies ---- */

void service_result(struct service_part *p, const char *result)
{
	jsonrpc_result(&p->reply, p->id, result);
}

void service_fail(struct service_part *p, int code, const char *data,
		  const char *format, ...)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_printf(&p->reply,
		   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d",
		   p->id, code);
	buf_text(&p->reply, ",\"message\":");
	buf_json_string(&p->reply, buf_string(&text), text.len);
	if (data)
		buf_printf(&p->reply, ",\"data\":%s", data);
	buf_text(&p->reply, "}}");
}
