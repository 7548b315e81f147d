/* SPDX-License-Identifier: MIT */
/* What a pretend service is asked for: tools, prompts, resources. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "sim/order.h"
#include "sim/service_private.h"
#include "sim/template.h"

/*
 * Tools: listed, their arguments checked, set to work, stopped. What they
 * answer is service.c's.
 */

/* ---- tools/list ---- */

/* Members of a tool, and the revision that brought them. */
static const struct {
	const char *name, *since;
} members[] = {
	{ "name", "" },
	{ "title", "2025-06-18" },
	{ "description", "" },
	{ "inputSchema", "" },
	{ "outputSchema", "2025-06-18" },
	{ "annotations", "2025-03-26" },
};

static void add_tool(const struct service_part *p, struct buf *out,
		     const cJSON *tool)
{
	for (size_t i = 0; i < COUNT(members); i++) {
		const cJSON *member = json_member(tool, members[i].name);

		if (!member || !service_has(p, members[i].since))
			continue;
		buf_printf(out, "%c\"%s\":", i ? ',' : '{', members[i].name);
		json_print(out, member);
	}
	buf_char(out, '}');
}

void service_tools_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"tools\":[");
	for (size_t i = 0; i < s->tool_count; i++) {
		if (i)
			buf_char(&out, ',');
		add_tool(p, &out, s->tool[i].json);
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
}

/* ---- arguments ---- */

/* What the schema gives for arguments that are not there. */
static void add_defaults(cJSON *arguments, const cJSON *input)
{
	const cJSON *property;

	cJSON_ArrayForEach(property, json_object(input, "properties")) {
		const cJSON *value = json_member(property, "default");

		if (value && !json_member(arguments, property->string))
			cJSON_AddItemToObject(arguments, property->string,
					      cJSON_Duplicate(value, true));
	}
}

/* "'who': it is missing"; the path is the client's word. */
static void explain(const struct schema_report *report, struct buf *out)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	const char *path = buf_string(&report->path);

	schema_explain(report, &why);
	buf_printf(out, "%s%.100s%s%.300s", *path ? "'" : "", path,
		   *path ? "': " : "", buf_string(&why));
}

/* Yours; NULL: refused, and said so. */
static cJSON *take_arguments(struct service_part *p,
			     const struct service_tool *t, const cJSON *given,
			     bool direct)
{
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	CLEANUP(buf_done) struct buf why = { 0 };
	cJSON *arguments =
		given ? cJSON_Duplicate(given, true) : cJSON_CreateObject();

	if (!cJSON_IsObject(arguments)) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'arguments' must be an object");
		cJSON_Delete(arguments);
		return NULL;
	}
	if (direct) /* MCP's own, in the params of any request */
		cJSON_DeleteItemFromObjectCaseSensitive(arguments, "_meta");
	add_defaults(arguments, t->input);
	if (schema_check(t->input, arguments, &report))
		return arguments;
	cJSON_Delete(arguments);
	explain(&report, &why);
	service_wrong_arguments(p, direct, buf_string(&why));
	return NULL;
}

/* The source of a tool's templates: its arguments; owner is a cJSON object. */
static int service_argument(void *owner, const char *name, struct buf *out)
{
	const cJSON *value = json_member(owner, name), *one;

	if (!out || !value)
		return 0; /* an optional argument that was not given: nothing */
	if (!cJSON_IsArray(value)) {
		if (cJSON_IsString(value))
			return buf_text(out, value->valuestring);
		json_print(out, value);
		return 0;
	}
	cJSON_ArrayForEach(one, value) {
		if (one != value->child)
			buf_text(out, ", ");
		if (cJSON_IsString(one))
			buf_text(out, one->valuestring);
		else
			json_print(out, one);
	}
	return 0;
}

/* ---- at work ---- */

static void on_timer_closed(void *owner)
{
	mem_free(owner);
}

void service_call_drop(struct service_call *call)
{
	if (!call)
		return;
	exec_abandon(TAKE(call->outside));
	if (call->counted)
		call->service->calls--;
	cJSON_Delete(TAKE(call->arguments));
	call->part = NULL;
	if (call->timer.open)
		timer_close(&call->timer, on_timer_closed);
	else
		mem_free(call);
}

/* It is answered: away with it, then the question may be over. */
static void end(struct service_call *call)
{
	struct service_part *p = call->part;

	service_call_drop(call);
	service_part_over(p);
}

static void on_outside(void *owner, const struct exec_answer *a)
{
	struct service_call *call = owner;

	call->outside = NULL;
	service_answer_outside(call, a);
	end(call);
}

/* What the profile itself gives. */
static void answer_fixed(struct service_call *call)
{
	const struct template_source source = { service_argument,
						call->arguments };
	const cJSON *result = call->tool->result;
	const cJSON *json = json_member(result, "json");
	const char *text = json_string(result, "text");
	const char *error = json_string(result, "error");
	const char *template = json_string(result, "template");
	CLEANUP(buf_done) struct buf out = { 0 };

	if (json) {
		service_answer_json(call, json);
		return;
	}
	if (json_member(result, "content")) {
		service_answer_content(call, json_member(result, "content"));
		return;
	}
	if (template || error)
		template_expand(template ? template : error, &source, &out,
				NULL);
	else if (cJSON_IsString(result) || text)
		buf_text(&out, text ? text : result->valuestring);
	else
		json_print(&out, result);
	service_answer_text(call, buf_string(&out), out.len, error != NULL);
}

static void on_timer(void *owner)
{
	struct service_call *call = owner;

	if (!call->cancelled)
		answer_fixed(call);
	end(call);
}

void service_call_cancel(struct service_call *call)
{
	service_line(call->service, "%s: cancelled", call->tool->name);
	exec_abandon(TAKE(call->outside));
	call->cancelled = true;
	if (!call->timer.open)
		timer_open(&call->timer, call->service->config.loop, on_timer,
			   call);
	timer_start(&call->timer, 0);
}

static void delay(struct service_call *call, int64_t ms)
{
	timer_open(&call->timer, call->service->config.loop, on_timer, call);
	timer_start(&call->timer, ms);
}

/* A text of the order, filled in; yours, NULL if there is none. */
static char *fill(struct service_call *call, const char *text)
{
	const struct template_source source = { service_argument,
						call->arguments };
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!text)
		return NULL;
	template_expand(text, &source, &out, NULL);
	return buf_take(&out);
}

/* -1: it could not even begin; it is answered. */
static int start(struct service_call *call)
{
	const struct service *s = call->service;
	const cJSON *ollama = json_object(call->tool->result, "ollama");
	CLEANUP(mem_free_ptr)
	char *lines = order_lines(json_member(ollama, "system"));
	CLEANUP(mem_free_ptr)
	char *user = order_lines(json_member(ollama, "user"));
	const struct service_prompt *prompt =
		service_prompt(s, json_string(ollama, "prompt"));
	CLEANUP(mem_free_ptr) char *system = fill(call, lines);
	CLEANUP(mem_free_ptr)
	char *asked = fill(call, prompt ? prompt->text : user);
	CLEANUP(buf_done) struct buf arguments = { 0 };
	struct order order = { call->tool->result,
			       s->ollama,
			       &s->config.outside,
			       system,
			       asked,
			       NULL };
	struct error why = { 0 };

	json_print(&arguments, call->arguments);
	order.arguments = buf_string(&arguments);
	if (!order_start(&call->outside, &order, on_outside, call, &why))
		return 0;
	service_answer_outside(call, &(struct exec_answer){ .why = &why });
	error_reset(&why);
	return -1;
}

/* True: it will be answered later. */
static bool begin(struct service_call *call)
{
	int64_t ms = 0;

	if (order_is(call->tool->result))
		return start(call) == 0;
	json_integer(call->tool->result, "delay_ms", &ms);
	if (ms)
		delay(call, ms);
	else
		answer_fixed(call);
	return ms != 0;
}

static void call_tool(struct service_part *p, const struct service_tool *t,
		      const cJSON *given, bool direct)
{
	struct service *s = service_of(p);
	struct service_call *call;
	cJSON *arguments = take_arguments(p, t, given, direct);

	if (!arguments)
		return;
	if (s->calls >= SERVICE_CALLS_MAX) {
		cJSON_Delete(arguments);
		service_busy(p, t);
		return;
	}
	call = mem_zalloc(sizeof(*call));
	call->service = s;
	call->part = p;
	call->tool = t;
	call->arguments = arguments;
	call->direct = direct;
	call->structured = service_has(p, "2025-06-18");
	call->counted = true;
	s->calls++;
	p->call = call;
	p->question->open++;
	if (!begin(call))
		end(call);
}

static void no_tool(struct service_part *p, const char *name)
{
	const struct service *s = service_of(p);
	CLEANUP(mem_free_ptr)
	const char **names = mem_zalloc((s->tool_count + 1) * sizeof(*names));
	CLEANUP(mem_free_ptr) char *near = NULL;

	for (size_t i = 0; i < s->tool_count; i++)
		names[i] = s->tool[i].name;
	near = text_proposal(name, names, s->tool_count);
	service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
		     "Invalid params: there is no tool '%.*s'%s",
		     (int)text_cut(name, strlen(name), SERVICE_QUOTED), name,
		     near);
}

void service_tools_call(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	const struct service_tool *t = service_tool(service_of(p), name);

	if (!name)
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'name' is missing");
	else if (!t)
		no_tool(p, name);
	else
		call_tool(p, t, json_member(p->params, "arguments"), false);
}

bool service_tools_direct(struct service_part *p, const char *name)
{
	const struct service_tool *t = service_tool(service_of(p), name);

	if (t)
		call_tool(p, t, p->params, true);
	return t != NULL;
}

/* Prompts: listed, filled in, completed. */

/* An element of a list begins: {"name":…, and what describes it. */
static void service_add_head(const struct service_part *p, struct buf *out,
			     const char *name, const cJSON *json)
{
	buf_text(out, "{\"name\":");
	buf_json_string(out, name, strlen(name));
	if (service_has(p, "2025-06-18"))
		json_add_text(out, "title", json_string(json, "title"));
	json_add_text(out, "description", json_string(json, "description"));
}

static void add_argument(const struct service_part *p, struct buf *out,
			 const cJSON *argument)
{
	service_add_head(p, out, json_string(argument, "name"), argument);
	buf_printf(out, ",\"required\":%s}",
		   json_true(argument, "required") ? "true" : "false");
}

/* ,"arguments":[…] of a prompt. */
static void service_add_arguments(const struct service_part *p, struct buf *out,
				  const cJSON *arguments)
{
	const cJSON *one;
	bool first = true;

	buf_text(out, ",\"arguments\":[");
	cJSON_ArrayForEach(one, arguments) {
		if (!first)
			buf_char(out, ',');
		first = false;
		add_argument(p, out, one);
	}
	buf_char(out, ']');
}

void service_prompts_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"prompts\":[");
	for (size_t i = 0; i < s->prompt_count; i++) {
		if (i)
			buf_char(&out, ',');
		service_add_head(p, &out, s->prompt[i].name, s->prompt[i].json);
		service_add_arguments(p, &out, s->prompt[i].arguments);
		buf_char(&out, '}');
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
}

/* There is no such prompt; name NULL: the client sent none, or no text. */
static void service_no_prompt(struct service_part *p, const char *name)
{
	const struct service *s = service_of(p);
	CLEANUP(mem_free_ptr)
	const char **names = mem_zalloc((s->prompt_count + 1) * sizeof(*names));
	CLEANUP(mem_free_ptr) char *near = NULL;

	for (size_t i = 0; i < s->prompt_count; i++)
		names[i] = s->prompt[i].name;
	near = text_proposal(name, names, s->prompt_count);
	if (!name)
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'name' is missing");
	else
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: there is no prompt '%.*s'%s",
			     (int)text_cut(name, strlen(name), SERVICE_QUOTED),
			     name, near);
}

/* ---- prompts/get ---- */

struct filling {
	const struct service_prompt *prompt;
	const cJSON *given; /* NULL */
};

static const cJSON *find_argument(const struct service_prompt *prompt,
				  const char *name)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, prompt->arguments) {
		if (strcmp(json_string(one, "name"), name) == 0)
			return one;
	}
	return NULL;
}

static int fill_prompts(void *owner, const char *name, struct buf *out)
{
	const struct filling *f = owner;
	const cJSON *argument = find_argument(f->prompt, name);
	const char *given = json_string(f->given, name);

	if (!argument)
		return -1;
	if (!given)
		given = json_string(argument, "default");
	if (out && given)
		buf_text(out, given);
	return 0;
}

/* True: refused, and said so. */
static bool refuse_arguments(struct service_part *p, const struct filling *f)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, f->given) {
		if (find_argument(f->prompt, one->string) &&
		    cJSON_IsString(one))
			continue;
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: argument '%.*s' %s",
			     (int)text_cut(one->string, strlen(one->string),
					   SERVICE_QUOTED),
			     one->string,
			     cJSON_IsString(one) ? "is none of the prompt's" :
						   "must be a string");
		return true;
	}
	cJSON_ArrayForEach(one, f->prompt->arguments) {
		const char *name = json_string(one, "name");

		if (!json_true(one, "required") || json_string(f->given, name))
			continue;
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: argument '%s' is required", name);
		return true;
	}
	return false;
}

static void reply_prompt(struct service_part *p, struct filling *f)
{
	const struct template_source source = { .get = fill_prompts,
						.owner = f };
	const char *description = json_string(f->prompt->json, "description");
	struct buf text, out;

	buf_init(&text, 0);
	buf_init(&out, 0);
	template_expand(f->prompt->text, &source, &text, NULL);
	buf_text(
		&out,
		"{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
	buf_json_string(&out, buf_string(&text), text.len);
	buf_text(&out, "}}]");
	json_add_text(&out, "description", description);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
	buf_done(&text);
	buf_done(&out);
}

void service_prompts_get(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	const cJSON *given = json_member(p->params, "arguments");
	struct filling f = { service_prompt(service_of(p), name), given };

	if (!f.prompt)
		service_no_prompt(p, name);
	else if (given && !cJSON_IsObject(given))
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'arguments' must be an object");
	else if (!refuse_arguments(p, &f))
		reply_prompt(p, &f);
}

/* ---- completion/complete ---- */

static void add_value(struct buf *out, const cJSON *value)
{
	if (out->data[out->len - 1] != '[')
		buf_char(out, ',');
	json_print(out, value);
}

static void reply_values(struct service_part *p, const cJSON *values,
			 const char *prefix)
{
	const cJSON *one;
	size_t count = 0;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"completion\":{\"values\":[");
	cJSON_ArrayForEach(one, values) {
		if (strncasecmp(one->valuestring, prefix, strlen(prefix)) != 0)
			continue;
		add_value(&out, one);
		count++;
	}
	buf_printf(&out, "],\"total\":%zu,\"hasMore\":false}}", count);
	service_result(p, buf_string(&out));
}

void service_complete(struct service_part *p)
{
	const cJSON *ref = json_object(p->params, "ref");
	const cJSON *asked = json_object(p->params, "argument");
	const char *type = json_string(ref, "type");
	const char *name = json_string(ref, "name");
	const char *argument = json_string(asked, "name");
	const char *prefix = json_string(asked, "value");
	const struct service_prompt *prompt =
		service_prompt(service_of(p), name);

	if (!type || strcmp(type, "ref/prompt") != 0 || !argument || !prefix)
		service_fail(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: 'ref' of type ref/prompt and 'argument' with 'name' and 'value' are needed");
	else if (!prompt)
		service_no_prompt(p, name);
	else
		reply_values(
			p,
			json_array(find_argument(prompt, argument), "values"),
			prefix);
}

/*
 * Resources: the profile's own, and its prompts, which are read as the
 * templates that they are, unfilled.
 */

static void add_resource(const struct service_part *p, struct buf *out,
			 const char *name, const char *uri, const cJSON *json)
{
	const char *mime = json_string(json, "mimeType");

	service_add_head(p, out, name, json);
	json_add_text(out, "uri", uri);
	json_add_text(out, "mimeType", mime ? mime : "text/plain");
	buf_char(out, '}');
}

void service_resources_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"resources\":[");
	for (size_t i = 0; i < s->prompt_count; i++) {
		if (i)
			buf_char(&out, ',');
		add_resource(p, &out, s->prompt[i].name, s->prompt[i].uri,
			     s->prompt[i].json);
	}
	for (size_t i = 0; i < s->resource_count; i++) {
		if (i || s->prompt_count)
			buf_char(&out, ',');
		add_resource(p, &out, s->resource[i].name, s->resource[i].uri,
			     s->resource[i].json);
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
}

/* A resource of either kind. */
struct found {
	const char *name, *uri, *text; /* NULL: there is none */
	const cJSON *json;
	const cJSON *arguments; /* of a prompt; NULL */
};

static bool is_it(const char *asked, bool by_uri, const char *uri,
		  const char *name)
{
	return strcmp(asked, by_uri ? uri : name) == 0;
}

static struct found find(const struct service *s, const char *asked,
			 bool by_uri)
{
	for (size_t i = 0; i < s->prompt_count; i++) {
		const struct service_prompt *one = s->prompt + i;

		if (is_it(asked, by_uri, one->uri, one->name))
			return (struct found){ one->name, one->uri, one->text,
					       one->json, one->arguments };
	}
	for (size_t i = 0; i < s->resource_count; i++) {
		const struct service_resource *one = s->resource + i;

		if (is_it(asked, by_uri, one->uri, one->name))
			return (struct found){ one->name, one->uri, one->text,
					       one->json, NULL };
	}
	return (struct found){ .name = NULL };
}

static void add_contents(struct buf *out, const struct found *f)
{
	const char *mime = json_string(f->json, "mimeType");

	buf_text(out, "\"contents\":[{\"uri\":");
	buf_json_string(out, f->uri, strlen(f->uri));
	json_add_text(out, "mimeType", mime ? mime : "text/plain");
	json_add_text(out, "text", f->text);
	buf_text(out, "}]");
}

static void no_resource(struct service_part *p, const char *uri)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	buf_text(&data, "{\"uri\":");
	buf_json_string(&data, uri, strlen(uri));
	buf_char(&data, '}');
	service_fail(p, MCP_RESOURCE_NOT_FOUND, buf_string(&data),
		     "Resource not found: '%.*s'",
		     (int)text_cut(uri, strlen(uri), SERVICE_QUOTED), uri);
}

void service_resources_read(struct service_part *p)
{
	const char *uri = json_string(p->params, "uri");
	struct found f;
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!uri) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'uri' is missing");
		return;
	}
	f = find(service_of(p), uri, true);
	if (!f.name) {
		no_resource(p, uri);
		return;
	}
	buf_char(&out, '{');
	add_contents(&out, &f);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}

/*
 * The way of the older client of the LLM service: the template by its name, and
 * the same contents as of resources/read.
 */
void service_resources_get(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	struct found f = { .name = NULL };
	CLEANUP(buf_done) struct buf out = { 0 };

	if (name)
		f = find(service_of(p), name, false);
	if (!f.name) {
		service_no_prompt(p, name);
		return;
	}
	service_add_head(p, &out, f.name, f.json);
	json_add_text(&out, "uri", f.uri);
	json_add_text(&out, "text", f.text);
	if (f.arguments)
		service_add_arguments(p, &out, f.arguments);
	buf_char(&out, ',');
	add_contents(&out, &f);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}
