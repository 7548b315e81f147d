/* SPDX-License-Identifier: MIT */
/* A pretend board's HTTP requests, and their replies. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/why.h"
#include "sim/board_http.h"
#include "wire/refusal.h"

#define REFUSAL_BODY_MAX 4096 /* of another status, for its words */
#define REFUSAL_MS 500 /* likewise */

/* A TCP connection for one request. What the body means is the owner's matter. */

static void fail(struct board_http *a, enum http_failure what,
		 const struct error *why)
{
	if (a->over)
		return;
	a->over = true;
	a->events->failed(a->owner, what, why);
}

static void fail_for(struct board_http *a, enum http_failure what,
		     enum why reason, const char *text)
{
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "%s", text);
	error_reason(&why, (int)reason);
	fail(a, what, &why);
	error_reset(&why);
}

void board_http_close(struct board_http *a)
{
	a->over = true;
	tcp_close(&a->tcp);
}

static void on_connected(struct tcp *t)
{
	struct board_http *a = t->owner;

	a->asked = true;
	tcp_deadline(t, HTTP_WAIT_MS);
	a->size = a->request.len;
	if (a->events->asks)
		a->events->asks(a->owner, &a->request);
	tcp_write(t, a->request.data, a->request.len);
	buf_done(&a->request);
}

static void take(struct board_http *a, enum http_state state)
{
	bool has_head = a->reply.has_head;
	struct error why = { 0 };

	switch (state) {
	case HTTP_MORE:
		break;
	case HTTP_WHOLE:
		a->whole = true;
		a->events->answered(a->owner, buf_string(&a->reply.body),
				    a->reply.body.len);
		break;
	case HTTP_REFUSED:
		board_refused(&why, a->reply.status, a->reply.line);
		fail(a, HTTP_OTHER_STATUS, &why);
		error_reset(&why);
		break;
	case HTTP_BROKEN:
		fail_for(a, has_head ? HTTP_NO_BODY : HTTP_NO_HEAD, WHY_FOREIGN,
			 a->reply.line);
		break;
	case HTTP_HANGS:
		fail_for(
			a, HTTP_HUNG, WHY_OTHER,
			"the reply is 8 kB or more: a real device hangs here for good");
		break;
	}
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	struct board_http *a = t->owner;
	bool had_head = a->reply.has_head;
	enum http_state state;

	if (a->over || a->whole || !a->asked)
		return;
	if (!a->reply.in.len)
		a->unsent = tcp_waiting(t);
	state = board_reply_feed(&a->reply, data, len);
	if (!had_head && a->reply.has_head) {
		tcp_deadline(t, a->reply.status == 200 ? HTTP_WAIT_MS :
							 REFUSAL_MS);
		a->events->head(a->owner);
	}
	take(a, state);
}

static enum http_failure stage(const struct board_http *a)
{
	if (!a->asked)
		return HTTP_UNREACHABLE;
	return a->reply.has_head ? HTTP_NO_BODY : HTTP_NO_HEAD;
}

/* It ended before a head was whole: cut, or of another protocol. */
static void fail_headless(struct board_http *a)
{
	const struct buf *in = &a->reply.in;
	CLEANUP(mem_free_ptr)
	char *line = refusal_line(buf_string(in), in->len);
	CLEANUP(mem_free_ptr)
	char *words = mem_printf("no HTTP came, but: %s", line ? line : "");

	if (line && !text_starts(line, "HTTP/"))
		fail_for(a, stage(a), WHY_FOREIGN, words);
	else
		fail_for(a, stage(a), WHY_CUT,
			 "closed before the reply was whole");
}

static void on_ended(struct tcp *t, const struct error *why)
{
	struct board_http *a = t->owner;

	if (a->whole)
		return; /* as the board's own Connection: close wants it */
	if (!a->reply.in.len)
		a->unsent = a->asked ? tcp_waiting(t) : 0;
	if (!a->over && !why)
		take(a, board_reply_end(&a->reply));
	if (a->whole)
		return;
	if (why)
		fail(a, stage(a), why);
	else if (!a->reply.has_head)
		fail_headless(a);
	else
		fail_for(a, stage(a), WHY_CUT,
			 "closed before the reply was whole");
}

static void on_deadline(struct tcp *t)
{
	struct board_http *a = t->owner;

	if (a->reply.has_head && a->reply.status != 200)
		take(a, board_reply_end(&a->reply));
	else if (!a->whole)
		fail_for(a, stage(a), WHY_SILENT, "no whole reply within 30 s");
}

static void on_closed(struct tcp *t)
{
	struct board_http *a = t->owner;

	buf_done(&a->request);
	board_reply_done(&a->reply);
	a->events->closed(a->owner);
}

static const struct tcp_events tcp_events = {
	.connected = on_connected,
	.data = on_data,
	.ended = on_ended,
	.deadline = on_deadline,
	.closed = on_closed,
};

void board_http_open(struct board_http *a, struct loop *l,
		     const struct board_ws_url *u, struct buf *request,
		     const struct board_http_events *events, void *owner)
{
	struct tcp_order to = board_ws_url_order(u, l);

	*a = (struct board_http){ 0 };
	a->events = events;
	a->owner = owner;
	a->request = *request;
	*request = (struct buf){ 0 };
	board_reply_init(&a->reply);
	to.events = &tcp_events;
	to.owner = a;
	tcp_open(&a->tcp, &to);
}

/* The head and the body of one reply; who asked is board_http.c's matter. */

#define REPLY_MAX (256u << 10)
#define HEAD_MAX 16384

void board_reply_init(struct board_reply *r)
{
	*r = (struct board_reply){ 0 };
	buf_init(&r->in, REPLY_MAX);
	buf_init(&r->body, REPLY_MAX);
	r->length = -1;
}

void board_reply_done(struct board_reply *r)
{
	buf_done(&r->in);
	buf_done(&r->body);
	mem_free(r->location);
	mem_free(r->type);
	mem_free(r->coding);
	r->location = r->type = r->coding = NULL;
}

/* The value of a header inside the head; NULL. *len without spaces. */
static const char *header(const char *head, const char *name, size_t *len)
{
	const char *at = head;
	size_t size = strlen(name);

	while ((at = strstr(at, "\r\n")) != NULL) {
		at += 2;
		if (strncasecmp(at, name, size) != 0 || at[size] != ':')
			continue;
		at += size + 1;
		at += strspn(at, " \t");
		*len = strcspn(at, "\r");
		return at;
	}
	return NULL;
}

/* NULL: it is not there. Yours. */
static char *header_copy(const char *head, const char *name)
{
	size_t len = 0;
	const char *value = header(head, name, &len);

	return value ? mem_strndup(value, len) : NULL;
}

static void read_headers(struct board_reply *r, const char *head)
{
	char digits[16] = "";
	const char *value;
	size_t len = 0;

	value = header(head, "Content-Length", &len);
	if (value && len < sizeof(digits)) {
		memcpy(digits, value, len);
		if (text_integer(digits, 0, INT32_MAX, &r->length))
			r->length = -1;
	}
	r->has_length = r->length >= 0;
	r->location = header_copy(head, "Location");
	r->type = header_copy(head, "Content-Type");
	r->coding = header_copy(head, "Content-Encoding");
	value = header(head, "Transfer-Encoding", &len);
	r->chunked = value && len >= 7 && strncasecmp(value, "chunked", 7) == 0;
	/* 5.4: with length 0 the board waits until the server closes, too */
	if (!r->length)
		r->length = -1;
}

static enum http_state take_head(struct board_reply *r)
{
	const char *text = buf_string(&r->in);
	const char *blank = strstr(text, "\r\n\r\n");
	size_t line = strcspn(text, "\r\n");
	CLEANUP(mem_free_ptr) char *head = NULL;

	if (!blank && r->in.len <= HEAD_MAX)
		return HTTP_MORE;
	r->status = board_status(text, line);
	if (r->status != 200)
		snprintf(r->line, sizeof(r->line), "%.*s",
			 (int)(line < 200 ? line : 200), text);
	if (r->status < 0 || (r->status != 200 && !blank))
		return r->status < 0 ? HTTP_BROKEN : HTTP_REFUSED;
	if (!blank) {
		snprintf(r->line, sizeof(r->line), "the answer is no HTTP");
		return HTTP_BROKEN;
	}
	head = mem_strndup(text, (size_t)(blank - text));
	read_headers(r, head);
	r->has_head = true;
	r->body_at = (size_t)(blank + 4 - text);
	return HTTP_WHOLE;
}

int http_unchunk(const char *text, size_t len, struct buf *out)
{
	size_t at = 0;

	buf_reset(out);
	for (;;) {
		const char *line = text + at;
		const char *end = memchr(line, '\n', len - at);
		size_t size = 0;
		int digits = 0;

		if (!end)
			return len - at > 64 ? -1 : 0;
		for (; digits < 7 && strchr("0123456789abcdefABCDEF", *line) &&
		       *line;
		     line++, digits++)
			size = size * 16 +
			       (size_t)(*line <= '9' ? *line - '0' :
						       (*line | 32) - 'a' + 10);
		if (!digits || digits == 7)
			return -1;
		at = (size_t)(end + 1 - text);
		if (!size)
			return 1;
		if (len - at < size + 2)
			return 0;
		buf_add(out, text + at, size);
		at += size + 2;
	}
}

/* 1 whole, 0 not yet, -1 broken; r->body has what is there. */
static int collect(struct board_reply *r, bool ended)
{
	const char *from = buf_string(&r->in) + r->body_at;
	size_t len = r->in.len - r->body_at;

	if (r->chunked)
		return http_unchunk(from, len, &r->body);
	buf_reset(&r->body);
	if (r->length >= 0 && len > (size_t)r->length)
		len = (size_t)r->length;
	buf_add(&r->body, from, len);
	if (r->length < 0)
		return ended;
	return len == (size_t)r->length;
}

/* A board goes by the status alone; who watches it wants the words, too. */
static enum http_state refuse(struct board_reply *r)
{
	CLEANUP(mem_free_ptr)
	char *words = refusal_words(buf_string(&r->body), r->body.len);
	size_t len = strlen(r->line);

	if (words && !strstr(r->line, words))
		snprintf(r->line + len, sizeof(r->line) - len, ": %s", words);
	return HTTP_REFUSED;
}

static enum http_state take_body(struct board_reply *r, bool ended)
{
	int state = collect(r, ended);

	if (r->status != 200)
		return state || ended || r->body.len >= REFUSAL_BODY_MAX ?
			       refuse(r) :
			       HTTP_MORE;
	if (state < 0) {
		snprintf(r->line, sizeof(r->line),
			 "the chunked reply is broken");
		return HTTP_BROKEN;
	}
	if (r->body.len >= HTTP_HANG || r->in.full)
		return HTTP_HANGS;
	return state ? HTTP_WHOLE : HTTP_MORE;
}

enum http_state board_reply_feed(struct board_reply *r, const char *data,
				 size_t len)
{
	buf_add(&r->in, data, len);
	if (!r->has_head) {
		enum http_state state = take_head(r);

		if (state != HTTP_WHOLE)
			return state;
	}
	return take_body(r, false);
}

enum http_state board_reply_end(struct board_reply *r)
{
	return r->has_head ? take_body(r, true) : HTTP_MORE;
}

/* ---- as others see it ---- */

/* Its lines, without the empty one; all of it where that did not come. */
static struct span head_of(const struct buf *from)
{
	const char *text = buf_string(from), *blank = strstr(text, "\r\n\r\n");

	return (struct span){ text,
			      blank ? (size_t)(blank + 2 - text) : from->len };
}

void board_http_trace_request(struct trace *t, const struct buf *request,
			      bool body)
{
	const struct span head = head_of(request);
	const size_t at =
		head.len + 2 < request->len ? head.len + 2 : request->len;

	*t = (struct trace){ .outgoing = true,
			     .kind = "text",
			     .head = head,
			     .data = buf_string(request) + at,
			     .len = body ? request->len - at : 0,
			     .size = request->len - at };
}

void board_http_trace_reply(struct trace *t, const struct board_reply *r)
{
	*t = (struct trace){ .kind = "text",
			     .head = head_of(&r->in),
			     .status = r->status,
			     .data = buf_string(&r->body),
			     .len = r->body.len };
}
