/* SPDX-License-Identifier: MIT */
/* How requests are begun, and what is known of the server for them. */
#include "mcp/client_start.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "mcp/kwargs.h"
#include "mcp/modern.h"
#include "mcp/param_headers.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

/* ---- what it offers ---- */

bool client_is_silent(const struct client *c)
{
	return c->device || !c->initialize.text;
}

bool client_offers(const struct client *c, const char *name)
{
	/* The first revision has completion, but no word for it. */
	if (strcmp(name, "completions") == 0 && c->revision &&
	    strcmp(c->revision, "2024-11-05") == 0)
		return true;
	return client_is_silent(c) || json_given(c->capabilities, name);
}

bool client_has_tasks(const struct client *c, const cJSON **tasks)
{
	const cJSON *extensions = json_object(c->capabilities, "extensions");

	*tasks = c->modern ? NULL : json_object(c->capabilities, "tasks");
	if (c->device)
		return false;
	return !c->initialize.text || *tasks ||
	       (c->modern && json_given(extensions, MODERN_TASKS));
}

/* ---- its tools ---- */

static void know_params(struct client *c, const struct tool *t)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct tool_params *p;
	size_t count;

	if (t->duplicate || (!c->modern && !c->kwargs))
		return;
	if (c->modern &&
	    (param_headers_check(t->schema, &count, &ignored) || !count))
		return;
	c->params = mem_grow(c->params, &c->params_capacity, c->params_count,
			     sizeof(*c->params));
	p = &c->params[c->params_count++];
	p->name = mem_strdup(t->name);
	p->schema = cJSON_Duplicate(t->schema, true);
}

void client_forget_tools(struct client *c)
{
	name_set_done(&c->hints);
	for (size_t i = 0; i < c->params_count; i++) {
		mem_free(c->params[i].name);
		json_free_ptr(&c->params[i].schema);
	}
	mem_free(TAKE(c->params));
	c->params_count = c->params_capacity = 0;
}

/*
 * execution.taskSupport; that a tool is never a task counts only where others
 * can be (mcp.md 2025-11-25).
 */
static size_t task_hint(const struct client *c, const struct tool *t)
{
	const cJSON *execution = json_object(t->json, "execution"), *tasks;
	const char *task = json_string(execution, "taskSupport");

	if (c->modern)
		return 0;
	if (tool_is_task_only(t))
		return HINT_TASK_ONLY;
	if (!client_has_tasks(c, &tasks) || !tasks ||
	    (task && strcmp(task, "optional") == 0))
		return 0;
	return HINT_TASK_NEVER;
}

/* A name that stands twice: the first counts, as for tool_list_find. */
void client_know_tools(struct client *c, const struct tool_list *list)
{
	client_forget_tools(c);
	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];
		const cJSON *annotations = json_object(t->json, "annotations");
		size_t hints = task_hint(c, t);

		if (json_true(annotations, "idempotentHint") ||
		    json_true(annotations, "readOnlyHint"))
			hints |= HINT_REPEATABLE;
		if (hints && !t->duplicate)
			name_set_add(&c->hints, t->name, hints);
		know_params(c, t);
	}
}

/* ---- requests ---- */

/*
 * The same object with _meta.progressToken as its last member. False: it is no
 * object, or has a _meta of its own.
 */
static bool add_token(struct buf *out, const char *params, int32_t token)
{
	struct span whole = { params, strlen(params) }, meta;

	if (json_check(params, whole.len, NULL) ||
	    json_span_member(whole, "_meta", &meta) ||
	    !json_span_open(out, whole))
		return false;
	buf_printf(out, "\"_meta\":{\"progressToken\":%d}}", (int)token);
	return true;
}

static const struct tool_params *find_params(const struct client *c,
					     const char *name)
{
	for (size_t i = 0; name && i < c->params_count; i++) {
		if (strcmp(c->params[i].name, name) == 0)
			return &c->params[i];
	}
	return NULL;
}

const char *client_tool_arguments(struct client *c, const char *tool,
				  const char *arguments, struct buf *room,
				  struct error *err)
{
	const struct tool_params *known = find_params(c, tool);

	if (!c->kwargs)
		return arguments;
	if (!c->kwargs_told)
		session_tell(
			c->session, NOTICE_OTHER,
			"this SDK takes arguments in 'kwargs', in the order of the schema: so they are sent (?args=plain behind the target sends them as they are)");
	c->kwargs_told = true;
	buf_reset(room);
	if (kwargs_wrap(room, known ? known->schema : NULL, arguments, err))
		return NULL;
	return buf_string(room);
}

/* For -v: headers are in no frame. */
static void tell_headers(struct client *c, const struct headers *h, size_t from)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = from; i < h->count; i++)
		buf_printf(&text, "%s%s: %s", i > from ? "\n" : "",
			   h->item[i].name, h->item[i].value);
	if (text.len)
		session_tell(c->session, NOTICE_DETAIL, "headers: %s",
			     buf_string(&text));
}

static void add_param_headers(struct client *c, const struct call *call,
			      const struct client_request *rq,
			      struct headers *out)
{
	const struct tool_params *known = find_params(c, call->subject);
	CLEANUP(json_free_ptr) cJSON *arguments = NULL;
	size_t from = out->count;

	if (!known || !rq->arguments)
		return;
	arguments = json_parse(rq->arguments, strlen(rq->arguments), NULL);
	param_headers_add(out, known->schema, arguments);
	tell_headers(c, out, from);
}

int client_start_modern(struct client *c, struct call *call,
			const struct client_request *rq, const char *revision,
			struct error *err)
{
	const struct client_answers none = { 0 };
	const struct modern_meta meta = {
		.revision = revision,
		.answers = c->config ? &c->config->answers : &none,
		.log_level = client_offers(c, "logging") ? c->log_level : NULL,
		.token = rq->progress ? session_next_id(c->session) : 0,
		.tasks = rq->tasks || text_starts(rq->method, "tasks/"),
	};
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(headers_done) struct headers headers = { 0 };
	struct request_order order = { .method = rq->method,
				       .timeout = rq->timeout,
				       .headers = &headers };

	modern_params(&params, rq->params, &meta);
	order.params = buf_string(&params);
	if (session_takes_headers(c->session)) {
		modern_headers(&headers, rq->method, order.params);
		add_param_headers(c, call, rq, &headers);
	}
	return session_start_order(c->session, call, &order, err);
}

int client_start(struct client *c, struct call *call,
		 const struct client_request *rq, struct error *err)
{
	if (c->modern)
		return client_start_modern(c, call, rq, c->era.revision, err);

	CLEANUP(buf_done) struct buf with_token = { 0 };
	const char *params = rq->params;
	bool plain = session_link(c->session)->dialect == DIALECT_PLAIN;

	if (rq->progress && plain && params &&
	    add_token(&with_token, params, session_next_id(c->session)))
		params = buf_string(&with_token);
	return session_start(c->session, call, rq->method, params, rq->timeout,
			     err);
}
