/* SPDX-License-Identifier: MIT */
/*
 * What is at work for a message, whatever it wants: begun, its templates filled
 * in, put off, ended, and what it answers where it can have no result.
 */
#include "sim/service_call.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/exec.h"
#include "sim/service_reply.h"
#include "sim/service_ways.h"

/* ---- its texts ---- */

/* answer.KEY.content.name, roots.0.uri: one step after another. */
static const cJSON *find_answer(const cJSON *answers, const char *path)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(path);
	const cJSON *at = answers;
	char *rest = copy, *word;
	int64_t index;

	while (at && (word = strsep(&rest, ".")) != NULL) {
		if (!cJSON_IsArray(at))
			at = json_member(at, word);
		else if (text_integer(word, 0, INT32_MAX, &index))
			at = NULL;
		else
			at = cJSON_GetArrayItem(at, (int)index);
	}
	return at;
}

#define ANSWER "answer."

int service_call_value(void *owner, const char *name, struct buf *out)
{
	const struct service_call *call = owner;
	const cJSON *value = json_member(call->arguments, name), *one;

	if (!value && text_starts(name, ANSWER))
		value = find_answer(call->answers, name + strlen(ANSWER));
	if (out && !value && call->n && strcmp(name, "n") == 0)
		return buf_printf(out, "%lld", (long long)call->n);
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

char *service_call_fill_text(struct service_call *call, const char *text)
{
	const struct template_source source = { service_call_value, call };
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!text)
		return NULL;
	template_expand(text, &source, &out, NULL);
	return buf_take(&out);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a profile is, or a bound */
cJSON *service_call_fill(struct service_call *call, const cJSON *json)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	cJSON *filled;
	const cJSON *one;

	if (cJSON_IsString(json)) {
		text = service_call_fill_text(call, json->valuestring);
		return cJSON_CreateString(text);
	}
	if (!cJSON_IsArray(json) && !cJSON_IsObject(json))
		return json ? cJSON_Duplicate(json, true) : NULL;
	filled = cJSON_IsArray(json) ? cJSON_CreateArray() :
				       cJSON_CreateObject();
	cJSON_ArrayForEach(one, json) {
		cJSON *item = service_call_fill(call, one);

		if (one->string)
			cJSON_AddItemToObject(filled, one->string, item);
		else
			cJSON_AddItemToArray(filled, item);
	}
	return filled;
}

/* ---- its beginning ---- */

/* Too many calls are at work. */
static void service_busy(struct service_part *p, bool model)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	service_add_times(&data, 0, OUTSIDE_RETRY_MS);
	service_fail(p, model ? LLM_UNAVAILABLE : JSONRPC_INTERNAL_ERROR,
		     buf_string(&data), "%s: %d calls are at work already",
		     model ? "LLM unavailable" : "Internal error",
		     SERVICE_CALLS_MAX);
}

struct service_call *service_call_new(struct service_part *p, const char *name,
				      const cJSON *steps, cJSON *arguments,
				      bool model)
{
	struct service *s = service_of(p);
	struct service_call *call;

	if (s->calls >= SERVICE_CALLS_MAX) {
		cJSON_Delete(arguments);
		service_busy(p, model);
		return NULL;
	}
	call = mem_zalloc(sizeof(*call));
	call->service = s;
	call->part = p;
	call->name = name;
	call->steps = steps;
	call->step = steps ? steps->child : NULL;
	call->arguments = arguments;
	call->structured = service_has(p, "2025-06-18");
	call->counted = true;
	s->calls++;
	p->call = call;
	p->question->open++;
	return call;
}

/* ---- its end ---- */

void service_wait_free(struct service_call *call)
{
	while (call->wait) {
		struct service_wait *w = call->wait;

		call->wait = w->next;
		mem_free(w);
	}
}

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
	service_wait_free(call);
	cJSON_Delete(TAKE(call->arguments));
	cJSON_Delete(TAKE(call->answers));
	cJSON_Delete(TAKE(call->responses));
	mem_free(TAKE(call->progress));
	mem_free(TAKE(call->failed));
	mem_free(TAKE(call->uri));
	call->part = NULL;
	if (call->timer.open)
		timer_close(&call->timer, on_timer_closed);
	else
		mem_free(call);
}

void service_call_end(struct service_call *call)
{
	struct service_part *p = call->part;

	service_call_drop(call);
	service_part_over(p);
}

static void on_timer(void *owner)
{
	struct service_call *call = owner;

	if (!call->cancelled && call->after(call))
		return;
	service_call_end(call);
}

void service_call_later(struct service_call *call, int64_t ms,
			bool (*after)(struct service_call *call))
{
	call->after = after;
	if (!call->timer.open)
		timer_open(&call->timer, call->service->config.loop, on_timer,
			   call);
	timer_start(&call->timer, ms);
}

void service_call_cancel(struct service_call *call)
{
	service_line(call->service, "%s: cancelled", call->name);
	exec_abandon(TAKE(call->outside));
	call->cancelled = true;
	service_call_later(call, 0, NULL);
}

/* ---- what it answers ---- */

void service_call_text(struct service_call *call, const char *text, size_t len,
		       bool is_error)
{
	CLEANUP(buf_done) struct buf content = { 0 };

	if (is_error && call->direct) {
		service_fail(call->part, JSONRPC_INTERNAL_ERROR, NULL,
			     "Internal error: %.*s", (int)len, text);
		return;
	}
	if (service_ways_drops(call->service, len))
		buf_text(&content, "[]");
	else
		service_add_text(&content, text, len);
	service_tool_result(call->part, buf_string(&content), NULL, is_error);
}

void service_call_failed(struct service_call *call, const char *why)
{
	if (call->tool)
		service_call_text(call, why, strlen(why), true);
	else
		service_fail(call->part, JSONRPC_INTERNAL_ERROR, NULL,
			     "Internal error: %s", why);
}
