/* SPDX-License-Identifier: MIT */
/*
 * Tools: listed, their arguments checked, set to work, stopped. What they
 * answer is service_answer.c's.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/schema.h"
#include "sim/order.h"
#include "sim/service_private.h"

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
	size_t i;

	for (i = 0; i < COUNT(members); i++) {
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
	struct buf out;
	size_t i;

	buf_init(&out, 0);
	buf_text(&out, "{\"tools\":[");
	for (i = 0; i < s->tool_count; i++) {
		if (i)
			buf_char(&out, ',');
		add_tool(p, &out, s->tool[i].json);
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
	buf_done(&out);
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

int service_argument(void *owner, const char *name, struct buf *out)
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
	struct buf out;
	char *filled;

	if (!text)
		return NULL;
	buf_init(&out, 0);
	template_expand(text, &source, &out, NULL);
	filled = buf_take(&out);
	buf_done(&out);
	return filled;
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
	size_t i;

	for (i = 0; i < s->tool_count; i++)
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
