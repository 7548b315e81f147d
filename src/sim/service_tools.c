/* SPDX-License-Identifier: MIT */
/*
 * The tools of a service: listed, their arguments checked, set to work. What
 * they answer has two forms: the result of tools/call, and the plain object of
 * the direct method tools/NAME; what went wrong outside is a JSON-RPC error.
 */
#include "sim/service_tools.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "sim/exec.h"
#include "sim/normalise.h"
#include "sim/order.h"
#include "sim/service_call.h"
#include "sim/service_find.h"
#include "sim/service_reply.h"
#include "sim/service_steps.h"
#include "sim/service_ways.h"
#include "sim/template.h"

#define SAID_MAX 300 /* bytes of a model's words in an error */

/* ---- results ---- */

static void service_answer_json(struct service_call *call, const cJSON *value)
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
	service_add_text(&content, buf_string(&text), text.len);
	service_tool_result(call->part, buf_string(&content),
			    structured ? buf_string(&text) : NULL, false);
}

static void service_answer_content(struct service_call *call, const cJSON *list)
{
	CLEANUP(buf_done) struct buf content = { 0 };

	json_print(&content, list);
	service_tool_result(call->part, buf_string(&content), NULL, false);
}

/*
 * Arguments do not fit the tool's inputSchema: an error of the tool, which a
 * model gets to read, in a session of 2025-11-25 or later; else, and for the
 * direct method, invalid params.
 */
static void service_wrong_arguments(struct service_part *p, bool direct,
				    const char *why)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf content = { 0 };
	bool session = p->modern || p->question->client->revision;

	if (direct || !session || !service_has(p, "2025-11-25")) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: %s", why);
		return;
	}
	buf_printf(&text, "Invalid arguments: %s", why);
	service_add_text(&content, buf_string(&text), text.len);
	service_tool_result(p, buf_string(&content), NULL, true);
}

/* ---- what came from outside ---- */

/* The model, or the command, is not there or too slow: no result at all. */
static void fail_outside(struct service_call *call, const struct exec_answer *a)
{
	const struct error *why = a->why;
	CLEANUP(buf_done) struct buf data = { 0 };

	if (why->code == LLM_TIMEOUT) {
		service_add_times(&data, a->timeout, why->retry_after);
		service_fail(call->part, why->code, buf_string(&data),
			     "Internal error: LLM timeout");
	} else if (why->code == LLM_UNAVAILABLE) {
		service_add_times(&data, 0, why->retry_after);
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
	service_line(call->service, "%s: %s", call->name, buf_string(&text));
	service_call_text(call, buf_string(&text), text.len, true);
}

static void tell(const struct service_call *call, const struct exec_answer *a)
{
	const char *who = json_member(call->tool->result, "ollama") ?
				  "ollama" :
				  "the command";

	if (a->why->kind) {
		service_line(call->service, "%s: %s", call->name, a->why->text);
	} else {
		char took[32];

		service_line(call->service, "%s: %s answered in %s", call->name,
			     who,
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

static void service_answer_outside(struct service_call *call,
				   const struct exec_answer *a)
{
	const cJSON *rules = json_object(call->tool->result, "normalise");
	CLEANUP(json_free_ptr) cJSON *said = NULL;
	CLEANUP(json_free_ptr) cJSON *regular = NULL;

	tell(call, a);
	if (a->why->kind) {
		if (a->why->kind == ERR_PEER)
			service_call_text(call, a->why->text,
					  strlen(a->why->text), true);
		else
			fail_outside(call, a);
		return;
	}
	if (!rules && !call->tool->output) {
		service_call_text(call, a->text, a->len, false);
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
		     const struct service_tool *t)
{
	for (size_t i = 0; i < COUNT(members); i++) {
		const cJSON *member = json_member(t->json, members[i].name);

		if (!member || !service_has(p, members[i].since))
			continue;
		buf_printf(out, "%c\"%s\":", i ? ',' : '{', members[i].name);
		json_print(out, member);
	}
	if (t->task && !p->modern && service_has(p, "2025-11-25"))
		buf_printf(out, ",\"execution\":{\"taskSupport\":\"%s\"}",
			   t->task);
	buf_char(out, '}');
}

static size_t tool_length(const struct service_part *p, size_t at)
{
	const struct service_tool *t = service_ways_tool(service_of(p), at);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!t->hidden)
		add_tool(p, &text, t);
	return text.len;
}

void service_tools_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct service_tool *next;
	size_t from, to;

	if (service_ways_page(p, tool_length, &from, &to))
		return;
	buf_text(&out, "{\"tools\":[");
	for (size_t i = from; i < to; i++) {
		const struct service_tool *t = service_ways_tool(s, i);

		if (t->hidden)
			continue;
		if (out.data[out.len - 1] != '[')
			buf_char(&out, ',');
		add_tool(p, &out, t);
	}
	buf_char(&out, ']');
	next = service_ways_tool(s, to);
	json_add_text(&out, "nextCursor", next ? next->name : NULL);
	buf_char(&out, '}');
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
	if (service_of(p)->ways.every_argument || service_of(p)->ways.lax) {
		cJSON_Delete(arguments);
		return service_ways_arguments(p, t, given);
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

/* ---- at work ---- */

static void on_outside(void *owner, const struct exec_answer *a)
{
	struct service_call *call = owner;

	call->outside = NULL;
	service_answer_outside(call, a);
	service_call_end(call);
}

static void add_times(struct buf *out, const char *text, const cJSON *result)
{
	int64_t times = 1;

	json_integer(result, "times", &times);
	while (times-- > 0)
		buf_text(out, text);
}

/* What the profile itself gives. */
static void answer_fixed(struct service_call *call)
{
	const struct template_source source = { service_call_value, call };
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
		add_times(&out, text ? text : result->valuestring, result);
	else
		json_print(&out, result);
	service_call_text(call, buf_string(&out), out.len, error != NULL);
}

static bool answer_late(struct service_call *call)
{
	answer_fixed(call);
	return false;
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
	CLEANUP(mem_free_ptr)
	char *system = service_call_fill_text(call, lines);
	CLEANUP(mem_free_ptr)
	char *asked =
		service_call_fill_text(call, prompt ? prompt->text : user);
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

static bool finish_tool(struct service_call *call)
{
	int64_t ms = 0;

	if (order_is(call->tool->result))
		return start(call) == 0;
	json_integer(call->tool->result, "delay_ms", &ms);
	if (ms)
		service_call_later(call, ms, answer_late);
	else
		answer_fixed(call);
	return ms != 0;
}

static void call_tool(struct service_part *p, const struct service_tool *t,
		      const cJSON *given, bool direct)
{
	cJSON *arguments = take_arguments(p, t, given, direct);
	struct service_call *call;

	if (!arguments)
		return;
	call = service_call_new(p, t->name, t->steps, arguments,
				json_member(t->result, "ollama") != NULL);
	if (!call)
		return;
	call->tool = t;
	call->direct = direct;
	call->finish = finish_tool;
	service_steps_begin(call);
}

void service_tools_call(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	const struct service_tool *t = service_tool(service_of(p), name);

	if (!t || t->hidden)
		service_no_tool(p, name);
	else
		call_tool(p, t, json_member(p->params, "arguments"), false);
}

bool service_tools_direct(struct service_part *p, const char *name)
{
	const struct service_tool *t = service_tool(service_of(p), name);

	if (!t || t->hidden)
		return false;
	call_tool(p, t, p->params, true);
	return true;
}
