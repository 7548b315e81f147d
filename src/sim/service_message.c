/* SPDX-License-Identifier: MIT */
/*
 * Messages of clients, one or a batch: JSON-RPC as the specification has it.
 * What the methods do is elsewhere (service_private.h).
 */
#include <string.h>

#include "base/mem.h"
#include "sim/service_private.h"

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
	size_t i;

	if (!json_span_member(message, "params", &params) ||
	    !json_span_member(params, "requestId", &id))
		return;
	for (q = c->first; q; q = q->next) {
		for (i = 0; i < q->count; i++) {
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
	if (!strcmp(method, "notifications/cancelled"))
		cancel(p->question->client, message);
}

static void take_request(struct service_part *p, const char *method,
			 const cJSON *message)
{
	p->params = json_member(message, "params");
	if (p->params && !cJSON_IsObject(p->params)) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'params' must be an object");
	} else if (p->question->batch && !strcmp(method, "initialize")) {
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
	size_t i;

	q->part = mem_zalloc(count * sizeof(*q->part));
	q->count = count;
	for (i = 0; i < count; i++) {
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

void service_take(struct service_question *q, const char *text, size_t len)
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

	return method && !strcmp(method, "initialize") &&
	       json_member(tree, "id") && !find_fault(tree);
}
