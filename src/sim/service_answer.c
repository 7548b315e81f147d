/* SPDX-License-Identifier: MIT */
/*
 * What a service answers: replies and errors of a message, the results of a
 * tool, and the end of a question when all of it is answered.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "sim/exec.h"
#include "sim/normalise.h"
#include "sim/service_private.h"

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

struct service *service_of(const struct service_part *p)
{
	return p->question->client->service;
}

bool service_has(const struct service_part *p, const char *since)
{
	const char *revision = p->question->client->revision;

	return !revision || strcmp(revision, since) >= 0;
}

/* ---- the end of a question ---- */

static void unlink_question(struct service_question *q)
{
	if (q->previous)
		q->previous->next = q->next;
	else if (q->client->first == q)
		q->client->first = q->next;
	if (q->next)
		q->next->previous = q->previous;
}

void service_question_free(struct service_question *q)
{
	unlink_question(q);
	for (size_t i = 0; i < q->count; i++) {
		mem_free(q->part[i].id);
		buf_done(&q->part[i].reply);
	}
	mem_free(q->part);
	mem_free(q);
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

void service_message(const struct service_client *c, bool outgoing,
		     const char *text, size_t len)
{
	const struct service_config *config = &c->service->config;

	if (config->message)
		config->message(config->owner, outgoing, text, len);
}

/* Everything is said. The owner may free the client while it is told. */
void service_question_over(struct service_question *q)
{
	service_done *done = q->done;
	void *owner = q->owner;
	CLEANUP(buf_done) struct buf reply = { 0 };

	compose(q, &reply);
	if (reply.len)
		service_message(q->client, true, buf_string(&reply), reply.len);
	service_question_free(q);
	done(owner, buf_string(&reply), reply.len);
}

void service_part_over(struct service_part *p)
{
	struct service_question *q = p->question;

	p->call = NULL;
	if (--q->open || q->asking)
		return;
	service_question_over(q);
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
