/* SPDX-License-Identifier: MIT */
/*
 * What the peer asks: ping is answered here and at once, the rest as the
 * observer says on the main line, and refused if it says nothing.
 */
#include <string.h>

#include "base/mem.h"
#include "rpc/session_state.h"

int session_answer(struct session *s, const char *id, const char *result,
		   struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	jsonrpc_result(&payload, id, result);
	return session_send(s, &payload, err);
}

int session_refuse(struct session *s, const char *id, int code,
		   const char *message, struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	jsonrpc_error(&payload, id, code, message);
	return session_send(s, &payload, err);
}

/*
 * The raw token, so that an id beyond a double comes back unharmed; NULL: there
 * is none. Yours.
 */
static char *raw_id(const char *text, size_t len)
{
	struct span whole = { text, len }, id;

	if (!text || !json_span_member(whole, "id", &id))
		return NULL;
	return mem_strndup(id.text, id.len);
}

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void refuse_method(struct session *s, const char *method,
			  const char *text, size_t len)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *id = raw_id(text, len);
	CLEANUP(mem_free_ptr)
	char *words = mem_printf("method not found: %s", method);

	if (id)
		session_refuse(s, id, JSONRPC_METHOD_NOT_FOUND, words,
			       &ignored);
}

static void answer_ping(struct session *s, const struct message *m)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *id = raw_id(m->text, m->len);

	if (id)
		session_answer(s, id, "{}", &ignored);
}

void session_request(struct session *s, const struct message *m)
{
	bool ping = strcmp(m->method, "ping") == 0;
	struct event *e =
		session_event(s, EVENT_REQUEST, m->method, m->text, m->len);

	if (e)
		e->answered = ping;
	if (s->link.relayed) /* serve does */
		return;
	if (ping)
		answer_ping(s, m);
	else if (!e || !s->observer.request)
		refuse_method(s, m->method, m->text, m->len);
}

void session_judge_request(struct session *s, struct event *e)
{
	if (e->answered || s->link.relayed || !s->observer.request)
		return;
	e->answered = s->observer.request(s->observer.owner, e);
	if (!e->answered)
		refuse_method(s, e->name, e->text, e->len);
}
