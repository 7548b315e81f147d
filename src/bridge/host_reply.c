/* SPDX-License-Identifier: MIT */
/* Results and errors of a message; the end of a question. */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "bridge/host_private.h"
#include "mcp/initialize.h"

#define META_SERVER "io.modelcontextprotocol/serverInfo"

int host_cut(const char *text)
{
	return (int)text_cut(text, strlen(text), HOST_QUOTED);
}

char *host_who(const cJSON *info)
{
	const char *name = json_string(info, "name");
	const char *version = json_string(info, "version");
	struct buf out = { 0 };

	if (!name)
		return NULL;
	buf_add_cut(&out, name, strlen(name), HOST_QUOTED);
	if (version) {
		buf_char(&out, '/');
		buf_add_cut(&out, version, strlen(version), HOST_QUOTED / 2);
	}
	return buf_take(&out);
}

bool host_waits(struct host_part *p, const char *method)
{
	const struct bridge_host *h = p->question->client->host;
	CLEANUP(buf_done) struct buf params = { 0 };

	if (loop_now() >= h->list_at || bridge_settled(h->bridge))
		return false;
	json_print(&params, p->params);
	p->later = buf_take(&params);
	p->waits = method;
	return true;
}

static void end_part(struct host_part *p)
{
	if (!p->over)
		p->question->open--;
	p->over = true;
}

/* What each result of 2026-07-28 has. */
static void add_modern(struct buf *out, const char *result)
{
	const struct span whole = { result, strlen(result) };
	struct span ignored;

	json_span_open(out, whole);
	if (!json_span_member(whole, "resultType", &ignored))
		buf_text(out, "\"resultType\":\"complete\"");
	if (!json_span_member(whole, "_meta", &ignored))
		buf_text(out,
			 ",\"_meta\":{\"" META_SERVER "\":" CLIENT_INFO "}");
	buf_char(out, '}');
}

void host_result(struct host_part *p, const char *result)
{
	CLEANUP(buf_done) struct buf modern = { 0 }, out = { 0 };

	if (p->modern) {
		add_modern(&modern, result);
		result = buf_string(&modern);
	}
	jsonrpc_result(&out, p->id, result);
	mem_free(p->reply);
	p->reply = buf_take(&out);
	end_part(p);
}

void host_error(struct host_part *p, int code, const char *data,
		const char *format, ...)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_printf(
		&out,
		"{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":",
		p->id ? p->id : "null", code);
	buf_json_string(&out, buf_string(&text), text.len);
	if (data)
		buf_printf(&out, ",\"data\":%s", data);
	buf_text(&out, "}}");
	mem_free(p->reply);
	p->reply = buf_take(&out);
	end_part(p);
}

static void drop_call(struct host_part *p)
{
	if (p->drop)
		p->drop(p);
	p->drop = NULL;
}

void host_silence(struct host_part *p)
{
	drop_call(p);
	end_part(p);
}

void host_status(struct host_part *p, int status)
{
	p->question->status = status;
}

bool host_tell(const struct host_part *p, const char *text, size_t len)
{
	const struct host_question *q = p->question;

	return q->hearer.tell && q->hearer.tell(q->owner, text, len);
}

/* ---- questions ---- */

void host_question_free(struct host_question *q)
{
	if (q->link) {
		*q->link = q->next;
		if (q->next)
			q->next->link = q->link;
		q->client->host->open--;
	}
	for (size_t i = 0; i < q->count; i++) {
		struct host_part *p = &q->part[i];

		drop_call(p);
		mem_free(p->id);
		mem_free(p->reply);
		mem_free(p->later);
		mem_free(p->token);
		mem_free(p->who);
		mem_free(p->tool);
		mem_free(p->arguments);
	}
	mem_free(q->part);
	mem_free(q);
}

static void collect(const struct host_question *q, struct buf *out)
{
	for (size_t i = 0; i < q->count; i++) {
		if (!q->part[i].reply)
			continue;
		if (q->batch)
			buf_char(out, out->len ? ',' : '[');
		buf_text(out, q->part[i].reply);
	}
	if (q->batch && out->len)
		buf_char(out, ']');
}

/* Whoever is told may free the client: nothing of it is touched afterwards. */
bool host_settle(struct host_question *q)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct mcp_hearer hearer = q->hearer;
	void *owner = q->owner;
	int status = q->batch ? 0 : q->status;

	if (q->open || q->inside)
		return false;
	collect(q, &out);
	host_question_free(q);
	if (status && hearer.status)
		hearer.status(owner, status);
	hearer.done(owner, buf_string(&out), out.len);
	return true;
}
