/* SPDX-License-Identifier: MIT */
/* Results and errors of a message; the end of a question. */
#include "bridge/host_reply.h"

#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/initialize.h"

#define META_SERVER "io.modelcontextprotocol/serverInfo"

int host_cut(const char *text)
{
	return text_shown(text, HOST_QUOTED);
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

void host_take_token(struct host_part *p)
{
	const cJSON *token =
		json_member(json_object(p->params, "_meta"), "progressToken");
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!cJSON_IsString(token) && !cJSON_IsNumber(token))
		return;
	json_print(&out, token);
	p->token = buf_take(&out);
	p->tell_at = p->began + HOST_PROGRESS_MS;
}

int64_t host_patience(const struct bridge_host *h)
{
	const int64_t ms = h->bridge->options->ask_timeout;

	return ms ? ms : HOST_ASKED_MS;
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

/* What each result of 2026-07-28 has; that of such a server has it already. */
static void add_modern(struct buf *out, const char *result)
{
	const struct span whole = { result, strlen(result) };
	struct span ignored;
	const bool typed = json_span_member(whole, "resultType", &ignored);
	const bool told = json_span_member(whole, "_meta", &ignored);

	if (typed && told) {
		buf_text(out, result);
		return;
	}
	json_span_open(out, whole);
	if (!typed)
		buf_printf(out, "\"resultType\":\"complete\"%s",
			   told ? "" : ",");
	if (!told)
		buf_text(out,
			 "\"_meta\":{\"" META_SERVER "\":" CLIENT_INFO "}");
	buf_char(out, '}');
}

void host_result(struct host_part *p, const char *result)
{
	CLEANUP(buf_done) struct buf modern = { 0 }, out = { 0 };

	if (p->modern) {
		add_modern(&modern, result);
		result = buf_string(&modern);
	}
	buf_printf(&out, "\"result\":%s}", result);
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
	buf_printf(&out, "\"error\":{\"code\":%d,\"message\":", code);
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

static void unlink_question(struct host_question *q)
{
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
	q->next = NULL;
}

void host_question_link(struct host_question *q, struct host_client *c)
{
	q->client = c;
	q->link = &c->first;
	while (*q->link)
		q->link = &(*q->link)->next;
	*q->link = q;
}

void host_question_free(struct host_question *q)
{
	if (q->link) {
		unlink_question(q);
		q->client->host->open--;
	}
	for (size_t i = 0; i < q->count; i++) {
		struct host_part *p = &q->part[i];

		drop_call(p);
		if (p->round)
			p->round->part = NULL;
		mem_free(p->id);
		mem_free(p->same);
		mem_free(p->reply);
		mem_free(p->later);
		mem_free(p->token);
		mem_free(p->who);
		mem_free(p->tool);
		mem_free(p->arguments);
	}
	mem_free(q->part);
	mem_free(q->whose);
	mem_free(q);
}

static void add_reply(struct buf *out, const struct host_part *p,
		      const char *reply)
{
	buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s",
		   p->id ? p->id : "null", reply);
}

static void collect(const struct host_question *q, struct buf *out)
{
	for (size_t i = 0; i < q->count; i++) {
		if (!q->part[i].reply)
			continue;
		if (q->batch)
			buf_char(out, out->len ? ',' : '[');
		add_reply(out, &q->part[i], q->part[i].reply);
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

	if (q->open || q->inside || q->held)
		return false;
	collect(q, &out);
	host_question_free(q);
	if (status && hearer.status)
		hearer.status(owner, status);
	hearer.done(owner, buf_string(&out), out.len);
	return true;
}

void host_hold(struct host_question *q, const char *result)
{
	CLEANUP(buf_done) struct buf modern = { 0 }, body = { 0 }, out = { 0 };
	const struct mcp_hearer hearer = q->hearer;
	void *owner = q->owner;

	add_modern(&modern, result);
	buf_printf(&body, "\"result\":%s}", buf_string(&modern));
	add_reply(&out, q->part, buf_string(&body));
	unlink_question(q);
	host_question_link(q, &q->client->host->held);
	q->held = true;
	q->hearer = (struct mcp_hearer){ 0 };
	hearer.done(owner, buf_string(&out), out.len);
}

static void swap_text(char **a, char **b)
{
	char *was = *a;

	*a = *b;
	*b = was;
}

struct host_question *host_take_up(struct host_question *q)
{
	struct host_question *held = q->becomes;

	if (!held)
		return q;
	unlink_question(held);
	host_question_link(held, q->client);
	held->held = false;
	held->inside = q->inside;
	held->hearer = q->hearer;
	held->owner = q->owner;
	swap_text(&held->whose, &q->whose);
	swap_text(&held->part->id, &q->part->id);
	swap_text(&held->part->token, &q->part->token);
	held->part->tell_at = loop_now() + HOST_PROGRESS_MS;
	host_question_free(q);
	return held;
}
