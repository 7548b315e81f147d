/* SPDX-License-Identifier: MIT */
/*
 * A service, its clients, and their questions from being asked to being
 * answered. What stands in them is service_message.c's.
 */
#include <string.h>

#include "base/mem.h"
#include "sim/service_private.h"

static struct service *make(const struct service_config *config)
{
	struct service *s = mem_zalloc(sizeof(*s));

	s->config = *config;
	s->config.outside.loop = config->loop;
	return s;
}

struct service *service_load(const char *name_or_path,
			     const struct service_config *config,
			     struct error *err)
{
	struct service *s = make(config);

	if (!service_read(s, name_or_path, err))
		return s;
	service_free(s);
	return NULL;
}

struct service *service_load_text(const char *text, const char *file,
				  const struct service_config *config,
				  struct error *err)
{
	struct service *s = make(config);

	if (!service_parse(s, text, strlen(text), file, err))
		return s;
	service_free(s);
	return NULL;
}

void service_free(struct service *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->prompt_count; i++) {
		mem_free(s->prompt[i].text);
		mem_free(s->prompt[i].uri);
	}
	for (i = 0; i < s->resource_count; i++)
		mem_free(s->resource[i].text);
	mem_free(s->tool);
	mem_free(s->prompt);
	mem_free(s->resource);
	cJSON_Delete(s->tree);
	mem_free(s);
}

const char *service_name(const struct service *s)
{
	return s->name;
}

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
		if (!strcmp(s->tool[i].name, name))
			return s->tool + i;
	}
	return NULL;
}

const struct service_prompt *service_prompt(const struct service *s,
					    const char *name)
{
	for (size_t i = 0; name && i < s->prompt_count; i++) {
		if (!strcmp(s->prompt[i].name, name))
			return s->prompt + i;
	}
	return NULL;
}

/* ---- clients ---- */

struct service_client *service_client_new(struct service *s)
{
	struct service_client *c = mem_zalloc(sizeof(*c));

	c->service = s;
	return c;
}

void service_client_free(struct service_client *c)
{
	if (!c)
		return;
	while (c->first)
		service_abandon(c->first);
	mem_free(c);
}

bool service_client_is_initialized(const struct service_client *c)
{
	return c->revision != NULL;
}

const char *service_client_revision(const struct service_client *c)
{
	return c->revision;
}

/* ---- questions ---- */

struct service *service_of(const struct service_part *p)
{
	return p->question->client->service;
}

bool service_has(const struct service_part *p, const char *since)
{
	const char *revision = p->question->client->revision;

	return !revision || strcmp(revision, since) >= 0;
}

static void question_free(struct service_question *q)
{
	size_t i;

	for (i = 0; i < q->count; i++) {
		mem_free(q->part[i].id);
		buf_done(&q->part[i].reply);
		service_call_drop(q->part[i].call);
	}
	mem_free(q->part);
	mem_free(q);
}

static void link_question(struct service_question *q)
{
	struct service_client *c = q->client;

	q->next = c->first;
	if (q->next)
		q->next->previous = q;
	c->first = q;
}

static void unlink_question(struct service_question *q)
{
	if (q->previous)
		q->previous->next = q->next;
	else if (q->client->first == q)
		q->client->first = q->next;
	if (q->next)
		q->next->previous = q->previous;
}

/* All replies of a batch in one list; nothing if there are none. */
static void compose(const struct service_question *q, struct buf *out)
{
	size_t i;

	for (i = 0; i < q->count; i++) {
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

/* Everything is said. The owner may free the client while it is told. */
static void finish(struct service_question *q)
{
	service_done *done = q->done;
	void *owner = q->owner;
	struct buf reply;

	buf_init(&reply, 0);
	compose(q, &reply);
	question_free(q);
	done(owner, buf_string(&reply), reply.len);
	buf_done(&reply);
}

void service_abandon(struct service_question *q)
{
	unlink_question(q);
	question_free(q);
}

void service_part_over(struct service_part *p)
{
	struct service_question *q = p->question;

	p->call = NULL;
	if (--q->open || q->asking)
		return;
	unlink_question(q);
	finish(q);
}

struct service_question *service_ask(struct service_client *c, const char *text,
				     size_t len, service_done *done,
				     void *owner)
{
	struct service_question *q = mem_zalloc(sizeof(*q));

	q->client = c;
	q->done = done;
	q->owner = owner;
	q->asking = true;
	service_take(q, text, len);
	q->asking = false;
	if (q->open) {
		link_question(q);
		return q;
	}
	finish(q);
	return NULL;
}

/* ---- replies ---- */

void service_result(struct service_part *p, const char *result)
{
	jsonrpc_result(&p->reply, p->id, result);
}

void service_fail(struct service_part *p, int code, const char *data,
		  const char *format, ...)
{
	struct buf text;
	va_list args;

	buf_init(&text, 0);
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
	buf_done(&text);
}
