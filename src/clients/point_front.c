/* SPDX-License-Identifier: MIT */
#include "clients/point_front.h"

#include <string.h>

#include "base/mem.h"
#include "clients/point_link.h"
#include "clients/point_tools.h"
#include "wire/jsonrpc.h"

#define OPEN_MAX 256 /* questions at a time; more are refused */
#define LEFT_SHOWN 6

enum asked {
	ASKED_ANY,
	ASKED_TOOLS, /* tools/list */
	ASKED_TOOL, /* tools/call */
	ASKED_NOTHING, /* a notification: nothing is answered */
	ASKED_BY_US /* nobody there is told; see prime */
};

/* A message that is with the answerer. */
struct point_question {
	struct point_front *front;
	enum asked asked;
	bool lists; /* by us: for the list */
	bool inside; /* hear has not returned */
	bool done; /* it was answered inside */
	void *handle;
	struct point_question *next, **link;
};

struct point_front {
	struct point_front_order order;
	const struct point_front_events *events;
	void *owner;
	struct point_link *link;
	void *client; /* NULL while it is down */
	struct point_question *open;
	size_t count;
	struct point_names names;
	struct timer later; /* lists anew: not amid what the answerer tells */
	size_t told_left; /* how many were left out when that was told */
};

static void line(struct point_front *f, const char *text)
{
	f->events->line(f->owner, text);
}

/* ---- questions ---- */

static struct point_question *question_new(struct point_front *f,
					   enum asked asked)
{
	struct point_question *q = mem_zalloc(sizeof(*q));

	q->front = f;
	q->asked = asked;
	q->inside = true;
	q->next = f->open;
	q->link = &f->open;
	if (q->next)
		q->next->link = &q->next;
	f->open = q;
	f->count++;
	return q;
}

static void question_free(struct point_question *q)
{
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
	q->front->count--;
	mem_free(q);
}

static void abandon_all(struct point_front *f)
{
	while (f->open) {
		struct point_question *q = f->open;

		if (q->handle)
			f->order.answerer->abandon(q->handle);
		question_free(q);
	}
}

/* ---- lists ---- */

/* Each time that it is another number: hosts list again and again. */
static void tell_left(struct point_front *f)
{
	const struct words *left = &f->names.left;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (left->count == f->told_left)
		return;
	f->told_left = left->count;
	if (!left->count)
		return;
	buf_printf(
		&text,
		"%s: %zu tool%s shown, %zu left out (--mcp-endpoint-tools %zu):",
		f->order.url->shown, f->names.shown.count,
		f->names.shown.count == 1 ? "" : "s", left->count,
		f->order.tools_max);
	for (size_t i = 0; i < left->count && i < LEFT_SHOWN; i++)
		buf_printf(&text, "%s %s", i ? "," : "", left->word[i]);
	if (left->count > LEFT_SHOWN)
		buf_printf(&text, " and %zu more", left->count - LEFT_SHOWN);
	line(f, buf_string(&text));
}

/* A reply to tools/list with names as they are called there. False: it is none. */
static bool take_list(struct point_front *f, const char *reply, size_t len,
		      struct buf *out)
{
	const struct span whole = { reply, len };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	struct span result;

	if (!json_span_member(whole, "result", &result))
		return false;
	json = json_parse(result.text, result.len, NULL);
	if (!json_array(json, "tools"))
		return false;
	point_names_make(&f->names,
			 cJSON_GetObjectItemCaseSensitive(json, "tools"),
			 f->order.tools_max);
	tell_left(f);
	buf_add(out, reply, (size_t)(result.text - reply));
	json_print(out, json);
	buf_add(out, result.text + result.len,
		(size_t)(reply + len - result.text) - result.len);
	return true;
}

/* ---- replies ---- */

static void send_text(struct point_front *f, const char *text, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *words = NULL;

	if (!len || point_link_send(f->link, text, len, &why) == 0)
		return;
	words = mem_printf("%s: a reply was not sent: %s", f->order.url->shown,
			   why.text);
	line(f, words);
}

static void send_reply(struct point_question *q, const char *reply, size_t len)
{
	struct point_front *f = q->front;
	CLEANUP(buf_done) struct buf other = { 0 };
	CLEANUP(mem_free_ptr) char *words = NULL;

	switch (q->asked) {
	case ASKED_TOOLS:
		take_list(f, reply, len, &other);
		break;
	case ASKED_TOOL:
		point_reply_fit(&other, reply, len, POINT_RESULT_MAX);
		break;
	default:
		break;
	}
	if (other.len) {
		reply = buf_string(&other);
		len = other.len;
	}
	if (len > POINT_RESULT_MAX && q->asked == ASKED_TOOLS) {
		words = mem_printf(
			"%s: the list of tools has %zu bytes, more than the %d that access points take: show fewer tools (--allow, --deny, --read-only)",
			f->order.url->shown, len, POINT_RESULT_MAX);
		line(f, words);
	}
	send_text(f, reply, len);
}

static void on_done(void *owner, const char *reply, size_t len)
{
	struct point_question *q = owner;
	struct point_front *f = q->front;
	CLEANUP(buf_done) struct buf ignored = { 0 };

	if (q->asked == ASKED_BY_US && q->lists)
		take_list(f, reply, len, &ignored);
	else if (q->asked != ASKED_BY_US && q->asked != ASKED_NOTHING)
		send_reply(q, reply, len);
	q->done = true;
	if (!q->inside)
		question_free(q);
}

/* Of a question, or of none: progress, a list that changed. Nobody answers
   requests there. */
static bool tell(struct point_front *f, const char *text, size_t len)
{
	CLEANUP(message_done) struct message m = { 0 };

	if (!point_link_is_up(f->link) || message_read(&m, text, len, NULL) ||
	    m.kind != MESSAGE_NOTIFICATION)
		return false;
	send_text(f, text, len);
	return true;
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	const struct point_question *q = owner;

	return q->asked != ASKED_BY_US && tell(q->front, text, len);
}

static bool on_reach(void *owner, const char *text, size_t len)
{
	struct point_front *f = owner;
	const bool sent = tell(f, text, len);

	/* Names may be others now; who is there may not ask again. */
	if (sent && memmem(text, len, "tools/list_changed", 18))
		timer_start(&f->later, 0);
	return sent;
}

static const struct mcp_hearer hearer = { .done = on_done, .tell = on_tell };

static void hear(struct point_question *q, const char *text, size_t len)
{
	const struct answerer *a = q->front->order.answerer;
	const struct mcp_said said = { text, len, NULL };

	q->handle = a->hear(q->front->client, &said, &hearer, q);
	q->inside = false;
	if (q->done)
		question_free(q);
}

/* ---- what comes ---- */

static void ask_ourselves(struct point_front *f, const char *text, bool lists)
{
	struct point_question *q = question_new(f, ASKED_BY_US);

	q->lists = lists;
	hear(q, text, strlen(text));
}

static void ask_list(struct point_front *f)
{
	ask_ourselves(
		f,
		"{\"jsonrpc\":\"2.0\",\"id\":\"list\",\"method\":\"tools/list\"}",
		true);
}

/*
 * A robot that was there before us calls without having listed on this
 * connection, or said initialize: so that is done for it.
 */
static void prime(struct point_front *f)
{
	ask_ourselves(
		f,
		"{\"jsonrpc\":\"2.0\",\"id\":\"first\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"access point\",\"version\":\"\"}}}",
		false);
	ask_ourselves(
		f,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
		false);
	ask_list(f);
}

static void on_later(void *owner)
{
	struct point_front *f = owner;

	if (f->client)
		ask_list(f);
}

static enum asked asked_of(const struct message *m)
{
	if (m->kind == MESSAGE_NOTIFICATION)
		return ASKED_NOTHING;
	if (m->kind != MESSAGE_REQUEST)
		return ASKED_ANY;
	if (strcmp(m->method, "tools/list") == 0)
		return ASKED_TOOLS;
	return strcmp(m->method, "tools/call") == 0 ? ASKED_TOOL : ASKED_ANY;
}

static void refuse(struct point_front *f, const struct message *m)
{
	CLEANUP(mem_free_ptr) char *id = mem_strndup(m->id.text, m->id.len);
	CLEANUP(buf_done) struct buf reply = { 0 };

	jsonrpc_error(&reply, id, JSONRPC_INTERNAL_ERROR,
		      "too many questions are open: ask again later");
	send_text(f, reply.data, reply.len);
}

/* The name of a call as the answerer knows it. */
static void put_name(const struct point_front *f, const struct message *m,
		     struct span whole, struct buf *out)
{
	CLEANUP(mem_free_ptr) char *shown = NULL;
	const char *own;
	struct span name;

	if (json_span_member(m->params, "name", &name))
		shown = json_span_string(name);
	own = shown ? point_names_own(&f->names, shown) : NULL;
	if (!own || own == shown)
		return;
	buf_add(out, whole.text, (size_t)(name.text - whole.text));
	buf_json_string(out, own, strlen(own));
	buf_add(out, name.text + name.len,
		(size_t)(whole.text + whole.len - name.text) - name.len);
}

static void on_message(void *owner, const char *text, size_t len)
{
	struct point_front *f = owner;
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(buf_done) struct buf other = { 0 };
	const bool read = message_read(&m, text, len, NULL) == 0;

	if (f->count >= OPEN_MAX) {
		if (read && m.kind == MESSAGE_REQUEST)
			refuse(f, &m);
		return;
	}
	if (read && asked_of(&m) == ASKED_TOOL)
		put_name(f, &m, (struct span){ text, len }, &other);
	hear(question_new(f, read ? asked_of(&m) : ASKED_ANY),
	     other.len ? buf_string(&other) : text,
	     other.len ? other.len : len);
}

/* ---- up and down ---- */

static void on_up(void *owner)
{
	struct point_front *f = owner;
	const struct answerer *a = f->order.answerer;

	f->client = a->client_new(a->owner);
	a->reach(f->client, on_reach, f);
	prime(f);
}

static void drop_client(struct point_front *f)
{
	abandon_all(f);
	if (f->client)
		f->order.answerer->client_free(f->client);
	f->client = NULL;
}

static void on_down(void *owner)
{
	drop_client(owner);
}

static void on_line(void *owner, const char *text)
{
	line(owner, text);
}

static void on_over(void *owner, const struct error *why)
{
	struct point_front *f = owner;

	f->events->over(f->owner, why);
}

static void on_timer_closed(void *owner)
{
	struct point_front *f = owner;
	void (*closed)(void *owner) = f->events->closed;
	void *up = f->owner;

	point_names_done(&f->names);
	mem_free(f);
	closed(up);
}

static void on_closed(void *owner)
{
	struct point_front *f = owner;

	timer_close(&f->later, on_timer_closed);
}

static const struct point_link_events front_link_events = {
	.up = on_up,
	.message = on_message,
	.down = on_down,
	.line = on_line,
	.over = on_over,
	.closed = on_closed,
};

int point_front_open(struct point_front **out,
		     const struct point_front_order *o,
		     const struct point_front_events *events, void *owner,
		     struct error *err)
{
	const struct point_link_order order = { .loop = o->loop,
						.url = o->url->url,
						.shown = o->url->shown,
						.cacert = o->cacert,
						.insecure = o->insecure };
	struct point_front *f = mem_zalloc(sizeof(*f));

	f->order = *o;
	if (!f->order.tools_max)
		f->order.tools_max = POINT_TOOLS_MAX;
	f->events = events;
	f->owner = owner;
	if (point_link_open(&f->link, &order, &front_link_events, f, err)) {
		mem_free(f);
		return -1;
	}
	timer_open(&f->later, o->loop, on_later, f);
	*out = f;
	return 0;
}

void point_front_close(struct point_front *f)
{
	timer_stop(&f->later);
	drop_client(f);
	point_link_close(f->link);
}
