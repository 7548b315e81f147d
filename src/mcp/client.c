/* SPDX-License-Identifier: MIT */
/*
 * list, call, ping over a session, each waiting for its answer; initialize is
 * in opening.c, how one is asked in client_ask.c. Shows nothing; dialects are
 * the link's matter.
 */
#include <string.h>

#include "base/mem.h"
#include "mcp/client_private.h"

static void add_string(struct buf *out, const char *text)
{
	buf_json_string(out, text, strlen(text));
}

/* ---- lists ---- */

static int list_page(struct client *c, struct listing *listing,
		     struct buf *params, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	struct client_request rq = { .method = listing_method(listing) };

	listing_params(listing, params);
	rq.params = params->len ? buf_string(params) : NULL;
	if (client_ask(c, &call, &rq, err))
		return listing_failed(listing, err);
	return listing_feed_take(listing, &call.reply, err);
}

static int list_pages(struct client *c, struct listing *listing,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	int status = 0;

	while (!status && !listing->done)
		status = list_page(c, listing, &params, err);
	listing_done(listing);
	return status;
}

int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err)
{
	struct listing listing;
	int status;

	*out = (struct tool_list){ 0 };
	listing_init(&listing, out, c->device && !backend_view);
	status = list_pages(c, &listing, err);
	client_know_tools(c, out);
	return status;
}

int client_list(struct client *c, enum list_kind kind, struct page_list *out,
		struct error *err)
{
	struct listing listing;

	*out = (struct page_list){ .kind = kind };
	listing_init_items(&listing, out);
	return list_pages(c, &listing, err);
}

/* A name that stands twice: the first counts, as for tool_list_find. */
void client_know_tools(struct client *c, const struct tool_list *list)
{
	name_set_done(&c->hints);
	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];
		const cJSON *annotations = json_object(t->json, "annotations");
		const cJSON *execution = json_object(t->json, "execution");
		const char *task = json_string(execution, "taskSupport");
		size_t hints = 0;

		if (json_true(annotations, "idempotentHint") ||
		    json_true(annotations, "readOnlyHint"))
			hints |= HINT_REPEATABLE;
		if (task && strcmp(task, "required") == 0)
			hints |= HINT_TASK_ONLY;
		if (hints && !t->duplicate)
			name_set_add(&c->hints, t->name, hints);
	}
}

/* ---- calls ---- */

int client_tool_error(const struct result *r, struct error *err)
{
	const char *text = NULL;

	for (size_t i = 0; i < r->count && !text; i++) {
		if (r->content[i].kind == CONTENT_TEXT)
			text = r->content[i].text;
	}
	if (!text || !text[0])
		return error_set(err, ERR_PEER,
				 "the tool reported an error without a text");
	error_set(err, ERR_PEER, "%s", text);
	if (strlen(text) >= sizeof(err->text))
		error_detail(err, text, strlen(text));
	return -1;
}

static int finish_tool_call(struct client *c, struct call *call, int status,
			    struct result *out, struct error *err)
{
	int64_t took = call->ended_us - call->started_us;

	if (status && client_restarted_as_told(c, call)) {
		error_reset(err);
		out->note = "the device restarted: the connection dropped, as "
			    "it does for 'self.reboot', which firmware never "
			    "answers";
		out->took_us = took;
		return 0;
	}
	if (status) {
		message_take(&out->message, &call->reply);
		out->took_us = took;
		return -1;
	}
	result_decode_take(out, &call->reply);
	out->from_device = c->device;
	out->took_us = took;
	return out->is_error ? client_tool_error(out, err) : 0;
}

static int refuse_task(const char *name, struct error *err)
{
	error_set(err, ERR_UNMET,
		  "the tool '%.100s' can only be called as a task "
		  "(execution.taskSupport is 'required'), and mcpctl speaks no "
		  "tasks",
		  name);
	return error_hint(err, "'request tools/call' sends params of your own, "
			       "with \"task\" too");
}

int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request rq = { .method = "tools/call", .progress = true };
	size_t hints = name_set_find(&c->hints, name);
	int status;

	*out = (struct result){ 0 };
	if (hints != NAME_NONE && (hints & HINT_TASK_ONLY))
		return refuse_task(name, err);
	buf_text(&params, "{\"name\":");
	add_string(&params, name);
	buf_printf(&params, ",\"arguments\":%s}",
		   arguments && arguments[0] ? arguments : "{}");
	call.subject = mem_strdup(name);
	rq.params = buf_string(&params);
	status = client_ask(c, &call, &rq, err);
	return finish_tool_call(c, &call, status, out, err);
}

/* A reply whose JSON is broken is an answer too. */
static bool is_answer(const struct call *call)
{
	return call->done && (call->broken || call->failure.kind == ERR_PEER);
}

int client_ping(struct client *c, int64_t *took_us, bool *was_error,
		struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	const struct client_request rq = { .method = "ping" };
	int status = client_ask(c, &call, &rq, err);

	*took_us = call.ended_us - call.started_us;
	*was_error = status != 0;
	if (!status || !is_answer(&call))
		return status;
	error_reset(err);
	return 0;
}

/* ---- any ---- */

/* The tool that a tools/call names, for messages about it; NULL. */
static char *params_subject(const char *method, const char *params)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	if (!params || strcmp(method, "tools/call") != 0)
		return NULL;
	tree = json_parse(params, strlen(params), &ignored);
	return mem_strdup(json_string(tree, "name"));
}

int client_request(struct client *c, const char *method, const char *params,
		   struct message *out, int64_t *took_us, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	struct client_request rq = { .method = method, .params = params };
	int status;

	rq.progress = strcmp(method, "resources/read") == 0 ||
		      strcmp(method, "prompts/get") == 0;
	call.subject = params_subject(method, params);
	status = client_ask(c, &call, &rq, err);
	*took_us = call.ended_us - call.started_us;
	message_take(out, &call.reply);
	return status;
}
