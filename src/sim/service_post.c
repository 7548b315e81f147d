/* SPDX-License-Identifier: MIT */
/*
 * Messages that were posted, until they are answered: as JSON, as an event
 * stream for clients that take nothing else, or on the stream of HTTP+SSE.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/service_listen_private.h"

static void post_free(struct port_post *post)
{
	struct port_post **at = &post->port->posts;

	while (*at != post)
		at = &(*at)->next;
	*at = post->next;
	headers_done(&post->headers);
	mem_free(post);
}

/* Its own client goes with it, unless that has begun a session. */
static void leave_session(struct port_post *post)
{
	struct port_session *s = TAKE(post->session);

	if (!s->id[0])
		port_session_end(s);
	else
		s->used = loop_now();
}

void port_post_drop(struct port_post *post)
{
	if (post->question)
		service_abandon(TAKE(post->question));
	leave_session(post);
	post_free(post);
}

static struct port_post *find_request(const struct service_port *p,
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
	struct service_port *p = post->port;

	if (post->question)
		service_abandon(TAKE(post->question));
	if (post->stream)
		port_stream_end(post->stream);
	else
		port_refuse(p, post->request, &post->headers, 404,
			    "the session ended");
	post_free(post);
}

void port_posts_end(struct service_port *p, const struct port_session *s)
{
	struct port_post *next;

	for (struct port_post *post = p->posts; post; post = next) {
		next = post->next;
		if (post->session == s)
			end_post(post);
	}
}

/* ---- the answer ---- */

/* initialize went well, and the client named no session: this begins one. */
static void begin_session(struct port_post *post)
{
	struct port_session *s = post->session;

	if (!post->begins || !service_client_is_initialized(s->client) ||
	    port_session_publish(s))
		return;
	headers_add(&post->headers, "Mcp-Session-Id", s->id);
	port_line(post->port, "Streamable HTTP: a session began (%s)",
		  service_client_revision(s->client));
}

/* The service could not make out whom to answer: that was no message at all. */
static bool is_refusal(const char *reply, size_t len)
{
	const struct span text = { reply, len };
	struct span id;

	return json_span_member(text, "error", &id) &&
	       json_span_member(text, "id", &id) && id.len == 4 &&
	       !memcmp(id.text, "null", 4);
}

static void answer_once(struct port_post *post, const char *reply, size_t len)
{
	const struct front_table *table = post->port->front_table;
	CLEANUP(buf_done) struct buf events = { 0 };

	if (len == 0) {
		table->reply_with(post->request, 202, NULL, &post->headers,
				  NULL, 0);
	} else if (is_refusal(reply, len)) {
		table->reply_with(post->request, 400, PORT_JSON, &post->headers,
				  reply, len);
	} else if (post->wants_events) {
		port_event_text(&events, "message", reply, len);
		table->reply_with(post->request, 200, PORT_EVENTS,
				  &post->headers, events.data, events.len);
	} else {
		table->reply_with(post->request, 200, PORT_JSON, &post->headers,
				  reply, len);
	}
}

static void on_done(void *owner, const char *reply, size_t len)
{
	struct port_post *post = owner;
	bool asking = post->asking;

	if (post->stream) {
		if (len > 0)
			port_stream_event(post->stream, "message", reply, len);
		port_stream_end(post->stream);
	} else {
		begin_session(post);
		answer_once(post, reply, len);
	}
	post->question = NULL;
	post->done = true;
	if (asking)
		return;
	leave_session(post);
	post_free(post);
}

/*
 * Who takes both is given JSON. A client that takes only events may wait long
 * for its answer: so it sees the head, and comments, at once.
 */
static bool wants_events(const struct front_head *head)
{
	const char *accept = headers_get(head->headers, "Accept");

	return accept && text_find(accept, PORT_EVENTS) &&
	       !text_find(accept, PORT_JSON) && !strstr(accept, "*/*") &&
	       !text_find(accept, "application/*");
}

static struct port_post *post_new(struct service_port *p,
				  struct front_request *rq,
				  const struct port_message *m,
				  struct port_session *s)
{
	struct port_post *post = mem_zalloc(sizeof(*post));

	post->port = p;
	post->request = rq;
	post->begins = !s && service_is_initialize(m->text, m->len);
	post->session = s ? s : port_session_new(p);
	post->wants_events = wants_events(m->head);
	post->next = p->posts;
	p->posts = post;
	return post;
}

static void begin_stream(struct port_post *post)
{
	struct front_request *rq = TAKE(post->request);

	post->stream = port_stream_new(post->port, rq, &post->headers);
	post->stream->post = post;
}

void port_post(struct service_port *p, struct front_request *rq,
	       const struct port_message *m, struct port_session *s)
{
	struct port_post *post = post_new(p, rq, m, s);
	struct service_question *question;

	post->asking = true;
	question = service_ask(post->session->client, m->text, m->len, on_done,
			       post);
	post->asking = false;
	if (post->done) {
		leave_session(post);
		post_free(post);
		return;
	}
	post->question = question;
	/* The id of a session that begins is in the head: that must wait. */
	if (post->wants_events && !post->begins)
		begin_stream(post);
}

/* ---- HTTP+SSE ---- */

static void on_old_done(void *owner, const char *reply, size_t len)
{
	struct port_session *s = owner;

	if (!s->inside)
		s->open--;
	s->used = loop_now();
	if (len > 0 && s->stream)
		port_stream_event(s->stream, "message", reply, len);
}

/* Before the reply: the client reads the answer of this request first. */
void port_post_old(struct service_port *p, struct front_request *rq,
		   const struct port_message *m, struct port_session *s)
{
	if (s->open >= PORT_OPEN_MAX) {
		port_refuse(p, rq, NULL, 503, "too many questions are open");
		return;
	}
	p->front_table->reply_with(rq, 202, NULL, NULL, NULL, 0);
	s->inside = true;
	if (service_ask(s->client, m->text, m->len, on_old_done, s))
		s->open++;
	s->inside = false;
}
