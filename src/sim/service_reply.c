/* SPDX-License-Identifier: MIT */
/*
 * What a service answers: results and errors of a message, and the end of a
 * question when all of it is answered.
 */
#include "sim/service_reply.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

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

struct service *service_of(const struct service_part *p)
{
	return p->question->client->service;
}

bool service_has(const struct service_part *p, const char *since)
{
	const char *revision = p->question->client->revision;

	return p->modern || !revision || strcmp(revision, since) >= 0;
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
	mcp_done *done = q->hearer->done;
	void *owner = q->owner;
	CLEANUP(buf_done) struct buf reply = { 0 };

	compose(q, &reply);
	if (reply.len && !q->part->task)
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

void service_status(struct service_part *p, int status)
{
	const struct service_question *q = p->question;

	if (q->hearer->status)
		q->hearer->status(q->owner, status);
}

bool service_tell(const struct service_part *p, const struct buf *message)
{
	const struct service_question *q = p->question;

	if (!q->hearer->tell ||
	    !q->hearer->tell(q->owner, buf_string(message), message->len))
		return false;
	if (!p->task)
		service_message(q->client, true, buf_string(message),
				message->len);
	return true;
}

static void add_server(const struct service *s, struct buf *out)
{
	const char *version = json_string(s->tree, "version");

	buf_text(out, "\"" META_SERVER "\":{\"name\":");
	buf_json_string(out, s->name, strlen(s->name));
	json_add_text(out, "title", json_string(s->tree, "title"));
	json_add_text(out, "version", version ? version : MCPCTL_VERSION);
	buf_char(out, '}');
}

/* {"resultType":…, "_meta":…, what follows in result. */
static void add_modern(const struct service_part *p, struct buf *out,
		       const char *result)
{
	static const char own[] = "{\"resultType\":";
	const struct service *s = service_of(p);

	buf_char(out, '{');
	if (!text_starts(result, own))
		buf_text(out, "\"resultType\":\"complete\",");
	buf_text(out, "\"_meta\":{");
	add_server(s, out);
	if (p->feed)
		buf_printf(out, ",\"" META_SUBSCRIPTION "\":%s", p->id);
	buf_char(out, '}');
	if (p->cacheable)
		buf_printf(out, ",\"ttlMs\":%lld,\"cacheScope\":\"%s\"",
			   (long long)s->ttl_ms, s->cache_scope);
	if (result[1] != '}')
		buf_char(out, ',');
	buf_text(out, result + 1);
}

void service_result(struct service_part *p, const char *result)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (p->modern)
		add_modern(p, &out, result);
	jsonrpc_result(&p->reply, p->id, p->modern ? buf_string(&out) : result);
}

/* What 2026-07-28 wants HTTP to say of an error; 200: nothing. */
static int status_of(int code)
{
	switch (code) {
	case JSONRPC_METHOD_NOT_FOUND:
		return 404;
	case JSONRPC_PARSE_ERROR:
	case JSONRPC_INVALID_REQUEST:
	case MODERN_HEADER_MISMATCH:
	case MODERN_CAPABILITY_MISSING:
	case MODERN_UNSUPPORTED_VERSION:
		return 400;
	default:
		return 200;
	}
}

void service_fail(struct service_part *p, int code, const char *data,
		  const char *format, ...)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	if (p->modern && status_of(code) != 200)
		service_status(p, status_of(code));
	buf_printf(&p->reply,
		   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d",
		   p->id, code);
	buf_text(&p->reply, ",\"message\":");
	buf_json_string(&p->reply, buf_string(&text), text.len);
	if (data)
		buf_printf(&p->reply, ",\"data\":%s", data);
	buf_text(&p->reply, "}}");
}

void service_add_times(struct buf *out, int64_t timeout, int64_t retry_after)
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

/* ---- results of tools ---- */

void service_tool_result(struct service_part *p, const char *content,
			 const char *structured, bool is_error)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"content\":%s", content);
	if (structured)
		buf_printf(&out, ",\"structuredContent\":%s", structured);
	buf_printf(&out, ",\"isError\":%s}", is_error ? "true" : "false");
	service_result(p, buf_string(&out));
}

void service_add_text(struct buf *out, const char *text, size_t len)
{
	buf_text(out, "[{\"type\":\"text\",\"text\":");
	buf_json_string(out, text, len);
	buf_text(out, "}]");
}
