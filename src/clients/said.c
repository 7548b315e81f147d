/* SPDX-License-Identifier: MIT */
#include "clients/said.h"

#include <string.h>

#include "base/mem.h"
#include "mcp/rules.h"

/* ---- a message or a batch ---- */

static const char *batch_fault(const char *revision, int count)
{
	if (revision && !mcp_rules.batches(revision))
		return "the revision settled on has no batches";
	if (!count)
		return "a batch with nothing in it";
	return count > SAID_BATCH_MAX ? "a batch with too many messages" : NULL;
}

static void read_batch(struct said_all *s, const char *revision)
{
	const int count = cJSON_GetArraySize(s->tree);

	s->fault = batch_fault(revision, count);
	if (s->fault)
		return;
	s->batch = true;
	s->count = (size_t)count;
	s->next = s->tree->child;
}

int said_read(struct said_all *s, const char *text, size_t len,
	      const char *revision, struct error *err)
{
	*s = (struct said_all){ .text = { text, len }, .count = 1 };
	s->tree = json_parse(text, len, err);
	if (!s->tree)
		return -1;
	if (cJSON_IsArray(s->tree))
		read_batch(s, revision);
	else
		s->next = s->tree;
	return 0;
}

bool said_next(struct said_all *s, const cJSON **message, struct span *text)
{
	if (!s->next)
		return false;
	*message = s->next;
	*text = s->text;
	if (s->batch && !json_span_next(s->text, &s->at, text))
		return false;
	s->next = s->batch ? s->next->next : NULL;
	return true;
}

void said_done(struct said_all *s)
{
	cJSON_Delete(s->tree);
	*s = (struct said_all){ 0 };
}

/* ---- one of them ---- */

const char *said_fault(const cJSON *message)
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

char *said_id(const cJSON *message, struct span text)
{
	const cJSON *id = json_member(message, "id");
	struct span raw;

	if (!cJSON_IsString(id) && !cJSON_IsNumber(id))
		return NULL;
	if (!json_span_member(text, "id", &raw))
		return NULL;
	return mem_strndup(raw.text, raw.len);
}
