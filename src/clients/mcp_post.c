/* SPDX-License-Identifier: MIT */
/*
 * Messages that were posted, until they are answered: as
 * JSON, as an event stream for clients that take nothing else, or on the stream
 * of HTTP+SSE. They end with their session, or with their stream.
 */
#include "clients/mcp_post.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "clients/mcp_session.h"
#include "clients/mcp_stream.h"
#include "wire/jsonrpc.h"

static void post_free(struct port_post *post)
{
	struct port_post **at = &post->port->posts;

	while (*at != post)
		at = &(*at)->next;
	*at = post->next;
	headers_done(&post->headers);
	buf_done(&post->kept);
	mem_free(post->end);
	mem_free(post);
}

/* Its own client goes with it, unless that has begun a session. */
static void leave_session(struct port_post *post)
{
	struct port_session *s = TAKE(post->session);

	if (!s->id[0])
		port_session_bury(s);
	else
		s->used = loop_now();
}

void port_post_drop(struct port_post *post)
{
	if (post->question)
		post->port->answerer->abandon(TAKE(post->question));
	leave_session(post);
	post_free(post);
}

static struct port_post *find_request(const struct mcp_port *p,
				      const struct front_request *rq)
{
	struct port_post *post = p->posts;

	while (post && post->request != rq)
		post = post->next;
	return post;
}

void port_request_gone(void *owner, struct front_request *rq)
{
	struct port_post *post = find_request(owner, rq);

	if (post)
		port_post_drop(post);
}

/* The session is over: it has an end already, so it is left alone. */
static void end_post(struct port_post *post)
{
	struct mcp_port *p = post->port;

	if (post->question)
		post->port->answerer->abandon(TAKE(post->question));
	if (post->stream)
		port_stream_end(post->stream);
	else if (post->request)
		port_refuse(p, post->request, &post->headers, 404,
			    "the session ended");
	post_free(post);
}

static void end_posts(struct mcp_port *p, const struct port_session *s)
{
	struct port_post *next;

	for (struct port_post *post = p->posts; post; post = next) {
		next = post->next;
		if (post->session == s)
			end_post(post);
	}
}

void port_session_end(struct port_session *s)
{
	port_session_bury(s);
	end_posts(s->port, s);
	if (s->stream)
		port_stream_end(s->stream);
}

/* ---- the answer ---- */

/* initialize went well, and the client named no session: this begins one. */
static void begin_session(struct port_post *post)
{
	const struct answerer *a = post->port->answerer;
	struct port_session *s = post->session;

	if (!post->begins || !a->is_initialized(s->client) ||
	    port_session_publish(s))
		return;
	headers_add(&post->headers, "Mcp-Session-Id", s->id);
	port_coming(post->port, "Streamable HTTP: a session began (%s)",
		    a->revision(s->client));
}

/* The answerer could not make out whom to answer: that was no message at all. */
static bool is_refusal(const char *reply, size_t len)
{
	const struct span text = { reply, len };
	struct span id;

	return json_span_member(text, "error", &id) &&
	       json_span_member(text, "id", &id) &&
	       json_span_literal(id, "null");
}

static void answer_once(struct port_post *post, const char *reply, size_t len)
{
	const struct front_table *table = post->port->front_table;
	struct front_request *rq = TAKE(post->request);
	int status = post->status;
	CLEANUP(buf_done) struct buf events = { 0 };

	if (len == 0) {
		table->reply_with(rq, 202, NULL, &post->headers, NULL, 0);
		return;
	}
	if (!status)
		status = is_refusal(reply, len) && !post->port->options.path ?
				 400 :
				 200;
	if (!post->wants_events || status != 200) {
		table->reply_with(rq, status, PORT_JSON, &post->headers, reply,
				  len);
		return;
	}
	port_event_text(&events, "message", reply, len);
	table->reply_with(rq, 200, PORT_EVENTS, &post->headers, events.data,
			  events.len);
}

/* ---- events that have ids ---- */

/* Of what is kept; false: it is too much, and nothing is kept any more. */
static bool keep_event(struct port_post *post, const struct buf *text)
{
	const size_t n = post->events;

	if (post->kept.len + text->len > PORT_KEPT_MAX) {
		buf_done(&post->kept);
		post->lossy = true;
	}
	if (post->lossy)
		return false;
	buf_add(&post->kept, text->data, text->len);
	if (!(n & (n - 1)))
		post->end = mem_realloc(post->end,
					(n ? n * 2 : 1) * sizeof(*post->end));
	post->end[post->events] = post->kept.len;
	return true;
}

/* retry: ms, or -1; data NULL: none, the event says its id only. */
static void write_event(struct port_post *post, const char *data, size_t len,
			int64_t retry)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (post->number)
		buf_printf(&text, "id: %u-%zu\n", post->number,
			   post->events + 1);
	if (retry >= 0)
		buf_printf(&text, "retry: %lld\n", (long long)retry);
	if (data)
		port_event_text(&text, "message", data, len);
	else
		buf_text(&text, "data: \n\n");
	if (post->number) {
		keep_event(post, &text);
		post->events++;
	}
	if (!post->stream)
		return;
	port_stream_write(post->stream, text.data, text.len);
}

static void begin_stream_post(struct port_post *post)
{
	struct front_request *rq = TAKE(post->request);

	post->stream = port_stream_new(post->port, rq, &post->headers);
	post->stream->post = post;
}

/* False: there is no stream, and none can be begun. */
static bool have_stream(struct port_post *post)
{
	if (post->stream || post->left)
		return true;
	if (!post->request || !post->takes_events || post->begins)
		return false;
	begin_stream_post(post);
	if (!post->modern && port_session_resumes(post->session)) {
		post->number = ++post->session->posts;
		write_event(post, NULL, 0, -1);
	}
	return true;
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	struct port_post *post = owner;

	if (have_stream(post)) {
		write_event(post, text, len, -1);
		return true;
	}
	return !post->modern && port_session_tell(post->session, text, len);
}

static void on_status(void *owner, int status)
{
	struct port_post *post = owner;

	post->status = status;
}

/* The oldest of those whose streams are closed, if they are too many. */
static void make_room(struct mcp_port *p)
{
	struct port_post *oldest = NULL;
	size_t count = 0;

	for (struct port_post *post = p->posts; post; post = post->next) {
		if (!post->left || post->asking)
			continue;
		count++;
		if (!oldest || post->left <= oldest->left)
			oldest = post;
	}
	if (count >= PORT_LEFT_MAX)
		port_post_drop(oldest);
}

/*
 * The answerer closes the stream on purpose, and says when to come back. Not of
 * a post whose events are too many to be kept: it would come back for nothing.
 */
static void on_pause(void *owner, int64_t ms)
{
	struct port_post *post = owner;

	if (!have_stream(post) || !post->number || !post->stream || post->lossy)
		return;
	make_room(post->port);
	write_event(post, NULL, 0, ms);
	if (post->stream)
		port_stream_end(post->stream);
	post->left = loop_now();
}

/* The client went, or its line broke. */
static void post_left(struct port_post *post)
{
	if (!post->number || post->lossy || post->done ||
	    !post->session->id[0]) {
		port_post_drop(post);
		return;
	}
	make_room(post->port);
	post->left = loop_now();
}

void port_stream_gone(const struct port_stream *s)
{
	if (s->post)
		post_left(s->post);
	if (s->session && s->session->old) {
		port_coming(s->port, "HTTP+SSE: a client went");
		port_session_end(s->session);
	}
}

void port_posts_expire(struct mcp_port *p)
{
	int64_t now = loop_now();
	struct port_post *next;

	for (struct port_post *post = p->posts; post; post = next) {
		next = post->next;
		if (post->left && now - post->left >= PORT_LEFT_MS)
			port_post_drop(post);
	}
}

/* It is answered: away with it, unless its client must come for the answer. */
static void settle(struct port_post *post)
{
	if (!post->done || post->left)
		return;
	leave_session(post);
	post_free(post);
}

static void on_done(void *owner, const char *reply, size_t len)
{
	struct port_post *post = owner;

	if (post->stream || post->left) {
		if (len > 0)
			write_event(post, reply, len, -1);
		if (post->stream)
			port_stream_end(post->stream);
	} else {
		begin_session(post);
		answer_once(post, reply, len);
	}
	post->question = NULL;
	post->done = true;
	if (!post->asking)
		settle(post);
}

static const struct mcp_hearer post_hearer = {
	.done = on_done,
	.tell = on_tell,
	.pause = on_pause,
	.status = on_status,
};

/* ---- for the rest ---- */

/* "7-3": of the seventh post the third event. */
static bool read_event_id(const char *id, int64_t *number, int64_t *event)
{
	const char *dash = strchr(id, '-');
	char first[16];
	size_t len = dash ? (size_t)(dash - id) : sizeof(first);

	if (len >= sizeof(first))
		return false;
	memcpy(first, id, len);
	first[len] = '\0';
	return !text_integer(first, 1, UINT32_MAX, number) &&
	       !text_integer(dash + 1, 1, UINT32_MAX, event);
}

static struct port_post *find_post(const struct mcp_port *p,
				   const struct port_session *s, const char *id,
				   int64_t *event)
{
	struct port_post *post = p->posts;
	int64_t number;

	if (!read_event_id(id, &number, event))
		return NULL;
	while (post && (post->session != s || post->number != number))
		post = post->next;
	return post && !post->lossy && (size_t)*event <= post->events ? post :
									NULL;
}

bool port_post_resume(struct mcp_port *p, struct front_request *rq,
		      const struct port_session *s, const char *id)
{
	CLEANUP(headers_done) struct headers headers = { 0 };
	int64_t event = 0;
	struct port_post *post = find_post(p, s, id, &event);
	size_t from;

	if (!post)
		return false;
	if (post->stream) /* its end did not reach us yet */
		port_stream_end(post->stream);
	post->stream = port_stream_new(p, rq, &headers);
	post->stream->post = post;
	post->left = 0;
	from = post->end[event - 1];
	if (post->kept.len > from)
		port_stream_write(post->stream, post->kept.data + from,
				  post->kept.len - from);
	else
		port_stream_beat(post->stream);
	if (post->done)
		port_stream_end(post->stream);
	settle(post);
	return true;
}

/* ---- what is posted ---- */

bool port_accepts(const struct front_head *head, const char *type)
{
	return headers_mention(head->headers, "Accept", type);
}

/*
 * Who takes both is given JSON. A client that takes only events may wait long
 * for its answer: so it sees the head, and comments, at once.
 */
static bool wants_events(const struct front_head *head)
{
	return !port_accepts(head, PORT_JSON) && !port_accepts(head, "*/*") &&
	       !port_accepts(head, "application/*");
}

bool port_is_initialize(const struct port_message *m)
{
	struct message read = { 0 };
	bool is = !message_read(&read, m->text, m->len, NULL) &&
		  read.kind == MESSAGE_REQUEST &&
		  strcmp(read.method, "initialize") == 0;

	message_done(&read);
	return is;
}

static struct port_post *post_new(struct mcp_port *p, struct front_request *rq,
				  const struct port_message *m,
				  struct port_session *s, bool modern)
{
	struct port_post *post = mem_zalloc(sizeof(*post));

	post->port = p;
	post->request = rq;
	post->modern = modern;
	post->begins = !s && !modern && port_is_initialize(m);
	post->session = s ? s : port_session_new(p);
	post->takes_events = port_accepts(m->head, PORT_EVENTS);
	post->wants_events = post->takes_events && wants_events(m->head);
	if (p->options.path) { /* one type of answer, and its session */
		post->takes_events = post->wants_events;
		headers_add(&post->headers, "Mcp-Session-Id",
			    post->session->id);
	}
	post->next = p->posts;
	p->posts = post;
	return post;
}

void port_post(struct mcp_port *p, struct front_request *rq,
	       const struct port_message *m, struct port_session *s,
	       bool modern)
{
	const struct mcp_said said = { m->text, m->len, m->head->headers };
	struct port_post *post = post_new(p, rq, m, s, modern);
	void *question;

	post->asking = true;
	question = p->answerer->hear(post->session->client, &said, &post_hearer,
				     post);
	post->asking = false;
	if (post->done) {
		settle(post);
		return;
	}
	post->question = question;
	/* The id of a session that begins is in the head: that must wait. */
	if (post->wants_events && !post->begins && post->request)
		begin_stream_post(post);
}

/* ---- HTTP+SSE ---- */

static void on_old_done(void *owner, const char *reply, size_t len)
{
	struct port_session *s = owner;

	s->open--;
	s->used = loop_now();
	if (len > 0 && s->stream)
		port_stream_event(s->stream, "message", reply, len);
}

static const struct mcp_hearer old_hearer = { .done = on_old_done,
					      .tell = port_session_tell };

void port_post_old(struct mcp_port *p, struct front_request *rq,
		   const struct port_message *m, struct port_session *s)
{
	/* The transport of 2024-11-05 knows no headers: none can be asked for. */
	const struct mcp_said said = { m->text, m->len, NULL };

	if (s->open >= PORT_OPEN_MAX) {
		port_refuse(p, rq, NULL, 503, "too many questions are open");
		return;
	}
	if (s->stream && port_stream_is_full(s->stream)) {
		port_refuse(p, rq, NULL, 503,
			    "the answers on the stream are not read");
		return;
	}
	p->front_table->reply_with(rq, 202, NULL, NULL, NULL, 0);
	s->open++;
	p->answerer->hear(s->client, &said, &old_hearer, s);
}
