/* SPDX-License-Identifier: MIT */
/*
 * A pretend MCP server that is no device: its clients and their messages.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/initialize.h"
#include "mcp/log_level.h"
#include "sim/service_private.h"

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
	if (log_level_rank(json_string(p->params, "level"))) {
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

static void link_question(struct service_question *q)
{
	struct service_client *c = q->client;

	q->next = c->first;
	if (q->next)
		q->next->previous = q;
	c->first = q;
}

void service_abandon(struct service_question *q)
{
	for (size_t i = 0; i < q->count; i++)
		service_call_drop(q->part[i].call);
	service_question_free(q);
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
	service_message(c, false, text, len);
	service_take(q, text, len);
	q->asking = false;
	if (q->open) {
		link_question(q);
		return q;
	}
	service_question_over(q);
	return NULL;
}
