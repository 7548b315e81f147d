/* SPDX-License-Identifier: MIT */
/*
 * Tools of a service that run as tasks, in both forms: up to 2025-11-25 a task
 * belongs to the client that asked for it, whom tasks/result tells its end and
 * asks what it wants to know; from 2026-07-28 on to whoever knows its id, and
 * tasks/get tells all of it.
 */
#include "sim/service_tasks.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/service_call.h"
#include "sim/service_client.h"
#include "sim/service_find.h"
#include "sim/service_reply.h"
#include "sim/service_rounds.h"
#include "sim/service_tools.h"

#define TASK_NOT_COMPLETE (-32000) /* of the ways of small SDKs */

struct service_task {
	struct service_task *next;
	struct service *service;
	const struct service_client *client; /* NULL: of whoever knows its id */
	struct service_client *own; /* whom its work is for then; NULL */
	struct service_question *question; /* its work; NULL: over */
	char id[RANDOM_HEX_SIZE];
	bool modern, cancelled;
	char *said; /* how far it is, in words; NULL */
	int64_t created, updated; /* ms since 1970 */
	int64_t until; /* loop_now() ms when it is forgotten */
	int64_t ttl_ms, poll_ms;
	char *reply; /* a JSON-RPC message; NULL: none */
	struct words queue; /* what it asks, until somebody takes that */
};

/* ---- what is told of it ---- */

static void touch(struct service_task *t)
{
	t->updated = unix_now_ms();
}

static struct service_call *call_of(const struct service_task *t)
{
	return t->question ? t->question->part->call : NULL;
}

static bool reply_part(const struct service_task *t, const char *name,
		       struct span *out)
{
	const struct span whole = { t->reply, t->reply ? strlen(t->reply) : 0 };

	return t->reply && json_span_member(whole, name, out);
}

/* Up to 2025-11-25 a tool that says isError has failed. */
static bool has_failed(const struct service_task *t)
{
	struct span result, flag;

	if (!reply_part(t, "result", &result))
		return true;
	return !t->modern && json_span_member(result, "isError", &flag) &&
	       json_span_literal(flag, "true");
}

static const char *status_of(const struct service_task *t)
{
	const struct service_call *call = call_of(t);

	if (t->cancelled)
		return "cancelled";
	if (!t->question)
		return has_failed(t) ? "failed" : "completed";
	return call && (call->wait || call->asks) ? "input_required" :
						    "working";
}

/* The members that both forms have; the first has no comma. */
static void add_task(struct buf *out, const struct service_task *t)
{
	const char *unit = t->modern ? "Ms" : "";

	buf_printf(out, "\"taskId\":\"%s\",\"status\":\"%s\"", t->id,
		   status_of(t));
	json_add_text(out, "statusMessage", t->said);
	clock_add_json(out, "createdAt", t->created);
	clock_add_json(out, "lastUpdatedAt", t->updated);
	if (t->ttl_ms)
		buf_printf(out, ",\"ttl%s\":%lld", unit, (long long)t->ttl_ms);
	else
		buf_printf(out, ",\"ttl%s\":null", unit);
	buf_printf(out, ",\"pollInterval%s\":%lld", unit,
		   (long long)t->poll_ms);
}

/* 2026-07-28: what came of it, or what it wants to know. */
static void add_outcome(struct buf *out, const struct service_task *t)
{
	struct service_call *call = call_of(t);
	struct span part;

	if (call && call->asks) {
		buf_text(out, ",\"inputRequests\":{");
		service_add_asked(call, out);
		buf_char(out, '}');
	} else if (!t->cancelled && reply_part(t, "result", &part)) {
		buf_printf(out, ",\"result\":%.*s", (int)part.len, part.text);
	} else if (!t->cancelled && reply_part(t, "error", &part)) {
		buf_printf(out, ",\"error\":%.*s", (int)part.len, part.text);
	}
}

/* ---- who waits for its end ---- */

static struct service_part *find_waiting(const struct service_task *t)
{
	const struct service_client *c = t->client;

	for (struct service_question *q = c ? c->first : NULL; q; q = q->next) {
		for (size_t i = 0; i < q->count; i++) {
			if (q->part[i].awaits == t)
				return q->part + i;
		}
	}
	return NULL;
}

/* The result of the tool, or its error. */
static void answer_end(struct service_part *p, const struct service_task *t)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct span part;

	if (t->cancelled) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: the task was cancelled");
	} else if (reply_part(t, "result", &part)) {
		text = mem_strndup(part.text, part.len);
		service_result(p, text);
	} else if (reply_part(t, "error", &part)) {
		buf_printf(&p->reply,
			   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":%.*s}",
			   p->id, (int)part.len, part.text);
	} else {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: the task is gone");
	}
}

/* Its reply is made, and not told yet; NULL: nobody waits. */
static struct service_part *take_waiting(const struct service_task *t)
{
	struct service_part *p = find_waiting(t);

	if (!p)
		return NULL;
	p->awaits = NULL;
	answer_end(p, t);
	return p;
}

/* ---- its work ---- */

static const char too_long[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32603,\"message\":"
	"\"Internal error: the result is too long to be kept\"}}";

static void on_done(void *owner, const char *reply, size_t len)
{
	struct service_task *t = owner;
	struct service_part *p;

	t->question = NULL;
	if (len > SERVICE_TASK_MAX)
		t->reply = mem_strdup(too_long);
	else if (len)
		t->reply = mem_strndup(reply, len);
	words_done(&t->queue);
	touch(t);
	p = take_waiting(t);
	/* Whoever is told may go, and the task with him. */
	if (p)
		service_part_over(p);
}

/* What it asks waits for whoever takes it; what it tells is lost else. */
static bool on_tell(void *owner, const char *text, size_t len)
{
	struct service_task *t = owner;
	struct service_part *p = find_waiting(t);
	const struct span whole = { text, len };
	CLEANUP(buf_done) struct buf message = { 0 };
	struct span id;

	buf_add(&message, text, len);
	if (p && service_tell(p, &message))
		return true;
	if (json_span_member(whole, "id", &id)) {
		if (t->queue.count >= SERVICE_TASK_QUEUE)
			return false;
		words_add(&t->queue, buf_string(&message));
		return true;
	}
	return t->client && t->client->tell &&
	       t->client->tell(t->client->tell_owner, text, len);
}

static const struct mcp_hearer task_hearer = { .done = on_done,
					       .tell = on_tell };

static void task_free(struct service_task *t)
{
	struct service_task **at = &t->service->tasks;
	struct service_part *p = take_waiting(t);

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->service->task_count--;
	if (t->question)
		service_abandon(TAKE(t->question));
	service_client_free(t->own);
	words_done(&t->queue);
	mem_free(t->said);
	mem_free(t->reply);
	mem_free(t);
	if (p)
		service_part_over(p);
}

static void leave(const struct service_client *c)
{
	struct service_task *next;

	for (struct service_task *t = c->service->tasks; t; t = next) {
		next = t->next;
		if (t->client == c) {
			t->client = NULL; /* nobody waits any more */
			task_free(t);
		}
	}
}

void service_tasks_free(struct service *s)
{
	while (s->tasks)
		task_free(s->tasks);
}

static void forget_old(struct service *s)
{
	struct service_task *next;

	for (struct service_task *t = s->tasks; t; t = next) {
		next = t->next;
		if (t->until <= loop_now())
			task_free(t);
	}
}

static struct service_task *task_new(const struct service_part *p,
				     const struct service_tool *tool)
{
	struct service *s = service_of(p);
	struct service_task *t = mem_zalloc(sizeof(*t));

	s->tasks_leave = leave;
	t->service = s;
	t->modern = p->modern;
	t->client = p->modern ? NULL : p->question->client;
	t->own = p->modern ? service_client_new(s) : NULL;
	random_hex(t->id);
	t->created = t->updated = unix_now_ms();
	t->poll_ms = tool->poll_ms;
	t->ttl_ms = tool->ttl_ms;
	t->until = t->ttl_ms ? loop_now() + t->ttl_ms : LOOP_FOREVER;
	t->next = s->tasks;
	s->tasks = t;
	s->task_count++;
	return t;
}

static void run(struct service_task *t, const struct service_part *p)
{
	struct service_client *c = t->own ? t->own : p->question->client;
	struct service_question *q = service_question_begin(c, &task_hearer, t);
	struct service_part *part;

	service_question_parts(q, 1);
	part = q->part;
	t->question = q;
	part->id = mem_strdup("0");
	part->params = p->params;
	part->modern = p->modern;
	part->can = p->can;
	part->log_rank = p->log_rank;
	part->task = t;
	part->said = &t->said;
	service_tools_call(part);
	part->params = NULL;
	service_question_asked(q);
}

static void begin(struct service_part *p, const struct service_tool *tool)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct service *s = service_of(p);
	struct service_task *t;

	forget_old(s);
	if (s->task_count >= SERVICE_TASKS_MAX) {
		service_fail(p, JSONRPC_INTERNAL_ERROR, NULL,
			     "Internal error: there are %d tasks already",
			     SERVICE_TASKS_MAX);
		return;
	}
	t = task_new(p, tool);
	run(t, p);
	buf_text(&out, p->modern ? "{\"resultType\":\"task\"," : "{\"task\":{");
	add_task(&out, t);
	buf_text(&out, p->modern ? "}" : "}}");
	service_result(p, buf_string(&out));
	service_line(s, "%s: runs as the task %s", tool->name, t->id);
}

static void refuse_undeclared(struct service_part *p)
{
	service_fail(
		p, MODERN_CAPABILITY_MISSING,
		"{\"requiredCapabilities\":{\"extensions\":{\"" EXTENSION_TASKS
		"\":{}}}}",
		"Missing required client capability: tasks");
}

static void refuse(struct service_part *p, const struct service_tool *t)
{
	if (p->modern)
		refuse_undeclared(p);
	else
		service_fail(p, JSONRPC_METHOD_NOT_FOUND, NULL,
			     "Method not found: the tool '%s' %s", t->name,
			     t->task ? "runs as a task only" :
				       "does not run as a task");
}

void service_tasks_call(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	const struct service_tool *t = service_tool(service_of(p), name);
	bool wanted = p->modern ? p->tasks :
				  json_given(p->params, "task") &&
					  service_has(p, "2025-11-25");
	bool there = t && !t->hidden && service_of(p)->has_tasks;
	bool can = there && t->task && service_has(p, "2025-11-25");

	if (wanted && can)
		begin(p, t);
	else if ((can && strcmp(t->task, "required") == 0) ||
		 (there && wanted && !p->modern))
		refuse(p, t);
	else
		service_tools_call(p);
}

/* ---- the methods ---- */

/* NULL: there is none, and that was said. */
static struct service_task *find(struct service_part *p)
{
	struct service *s = service_of(p);
	const char *id = json_string(p->params, "taskId");
	struct service_task *t;

	if (p->modern && !p->tasks) {
		refuse_undeclared(p);
		return NULL;
	}
	forget_old(s);
	for (t = s->tasks; t; t = t->next) {
		if (id && strcmp(t->id, id) == 0 && t->modern == p->modern &&
		    (t->modern || t->client == p->question->client))
			return t;
	}
	service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
		     "Invalid params: there is no such task");
	return NULL;
}

void service_tasks_get(struct service_part *p)
{
	const struct service_task *t = find(p);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!t)
		return;
	buf_char(&out, '{');
	add_task(&out, t);
	if (t->modern)
		add_outcome(&out, t);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}

/* What cannot be told here waits for one who hears it. */
static void tell_queue(struct service_task *t, struct service_part *p)
{
	struct words left = { 0 };

	for (size_t i = 0; i < t->queue.count; i++) {
		CLEANUP(buf_done) struct buf message = { 0 };

		buf_text(&message, t->queue.word[i]);
		if (!service_tell(p, &message))
			words_add(&left, t->queue.word[i]);
	}
	words_done(&t->queue);
	t->queue = left;
}

void service_tasks_result(struct service_part *p)
{
	struct service_task *t = find(p);

	if (!t)
		return;
	if (!t->question || t->cancelled) {
		answer_end(p, t);
		return;
	}
	if (service_of(p)->ways.early_result) {
		service_fail(p, TASK_NOT_COMPLETE, NULL, "Task not complete");
		return;
	}
	if (find_waiting(t)) {
		service_fail(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: its result is waited for already");
		return;
	}
	p->awaits = t;
	p->question->open++;
	tell_queue(t, p);
}

void service_tasks_list(struct service_part *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct service *s = service_of(p);

	forget_old(s);
	buf_text(&out, "{\"tasks\":[");
	for (const struct service_task *t = s->tasks; t; t = t->next) {
		if (t->modern || t->client != p->question->client)
			continue;
		buf_text(&out, out.data[out.len - 1] == '[' ? "{" : ",{");
		add_task(&out, t);
		buf_char(&out, '}');
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
}

void service_tasks_cancel(struct service_part *p)
{
	struct service_task *t = find(p);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct service_call *call = t ? call_of(t) : NULL;

	if (!t)
		return;
	if ((!t->question || t->cancelled) && !t->modern) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: the task is over: '%s'",
			     status_of(t));
		return;
	}
	if (call && !t->cancelled) {
		t->cancelled = true;
		touch(t);
		service_call_cancel(call);
	}
	buf_char(&out, '{');
	if (!t->modern)
		add_task(&out, t);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}

void service_tasks_update(struct service_part *p)
{
	struct service_task *t = find(p);
	const cJSON *responses = json_object(p->params, "inputResponses");
	struct service_call *call = t ? call_of(t) : NULL;

	if (!t)
		return;
	if (!responses) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'inputResponses' is missing");
		return;
	}
	if (call && call->asks && !t->cancelled)
		service_answer_task(call, responses);
	service_result(p, "{}");
}
