/* SPDX-License-Identifier: MIT */
/*
 * A pretend service at a port: Streamable HTTP, HTTP+SSE, WebSocket, and a
 * page.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "mcp/initialize.h"
#include "net/address.h"
#include "net/head.h"
#include "net/port.h"
#include "sim/service.h"
#include "wire/jsonrpc.h"

#define PORT_BODY_MAX (4u << 20) /* bytes of one message */
#define PORT_CONNECTIONS_MAX 512 /* of HTTP, streams included */
#define PORT_SESSIONS_MAX 1000
#define PORT_SOCKETS_MAX 200 /* WebSockets */
#define PORT_OPEN_MAX 64 /* questions of one client at a time */

#define PORT_JSON "application/json"
#define PORT_EVENTS "text/event-stream"
/* JSON-RPC: Invalid Request. -32000 and below mean something in services. */
#define PORT_REFUSED (-32600)

struct port_session;
struct port_post;
struct port_stream;
struct port_socket;

struct service_port {
	struct loop *loop;
	struct service *service;
	const struct service_listen_options *options;
	const struct service_listen_observer *observer;
	const struct front_table *front_table;
	const struct ws_table *ws_table;
	struct front *front;
	char *host; /* of --listen; NULL: all interfaces */
	struct port_session *sessions; /* that have an id */
	struct port_session *buried; /* to be freed by the timer bury */
	size_t session_count;
	struct port_post *posts;
	struct port_stream *streams;
	struct port_socket *sockets;
	size_t socket_count;
	struct timer beat, bury;
	unsigned timers; /* not closed yet */
	bool front_gone, ending, ended;
};

struct port_session {
	struct service_port *port;
	struct port_session *next;
	char id[RANDOM_HEX_SIZE]; /* "" until it is published */
	struct service_client *client;
	struct port_stream *stream; /* NULL: there is none now */
	bool old; /* HTTP+SSE: replies go to the stream, and end with it */
	bool inside; /* old: amid service_ask */
	unsigned open; /* old: questions */
	int64_t used; /* loop_now() ms */
};

struct port_post {
	struct service_port *port;
	struct port_post *next;
	struct port_session *session; /* without an id: it is the post's own */
	struct front_request *request; /* NULL: answered by the stream */
	struct port_stream *stream;
	struct service_question *question; /* NULL: amid service_ask */
	struct headers headers; /* of the answer */
	bool wants_events;
	bool begins; /* a session, if initialize goes well */
	bool asking, done; /* amid service_ask; answered */
};
/* A message for that session; NULL: for one of its own. */
struct port_message {
	const struct front_head *head;
	const char *text;
	size_t len;
};

struct port_stream {
	struct service_port *port;
	struct port_stream *next;
	struct front_stream *to;
	struct port_session *session; /* whose it is; or */
	struct port_post *post; /* the one that it answers */
	bool written; /* since the last beat */
};

static void port_session_end(struct port_session *s);
static void port_post_drop(struct port_post *post);
static void port_posts_end(struct service_port *p,
			   const struct port_session *s);
static void port_post(struct service_port *p, struct front_request *rq,
		      const struct port_message *m, struct port_session *s);
static void port_post_old(struct service_port *p, struct front_request *rq,
			  const struct port_message *m, struct port_session *s);
static PRINTF_LIKE(2, 3) void port_line(const struct service_port *p,
					const char *format, ...);
static void port_check_ended(struct service_port *p);

/* The page that a browser gets from a pretend service: how to reach it. */

static void add_address(struct buf *out, const char *what, const char *before,
			const char *host, const char *behind)
{
	buf_printf(out, "<p>%s: <b>%s", what, before);
	page_text(out, host);
	buf_printf(out, "%s</b></p>\n", behind);
}

static void port_page(const struct service_port *p, struct buf *out,
		      const char *host)
{
	page_start(out);
	buf_text(out, "<p>This is an MCP server, played by 'mcpctl sim': ");
	page_text(out, service_name(p->service));
	buf_text(out, ".</p>\n");
	add_address(out, "JSON-RPC and Streamable HTTP", "http://", host, "/");
	add_address(out, "HTTP+SSE", "http://", host, "/sse");
	add_address(out, "WebSocket", "ws://", host, "/");
	page_end(out);
}

/*
 * Event streams: events as text, comments that keep idle ones alive, and what
 * ends with a stream whose peer went.
 */

/*
 * An event as text, appended.
 * Each line of the data is a field of its own.
 */
static void port_event_text(struct buf *out, const char *type, const char *data,
			    size_t len)
{
	const char *end = data + len;

	buf_printf(out, "event: %s\n", type);
	for (;;) {
		size_t line = 0, left = (size_t)(end - data);

		while (line < left && data[line] != '\n' && data[line] != '\r')
			line++;
		buf_text(out, "data: ");
		buf_add(out, data, line);
		buf_char(out, '\n');
		if (line == left)
			break;
		data += line + 1;
		if (data[-1] == '\r' && data < end && *data == '\n')
			data++;
	}
	buf_char(out, '\n');
}

static void unlist_sse(struct port_stream *s)
{
	struct port_stream **at = &s->port->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	if (s->session)
		s->session->stream = NULL;
	if (s->post)
		s->post->stream = NULL;
}

static void on_gone(void *owner)
{
	struct port_stream *s = owner;
	struct port_session *session = s->session;
	struct port_post *post = s->post;

	unlist_sse(s);
	if (post)
		port_post_drop(post);
	if (session && session->old) {
		port_line(s->port, "HTTP+SSE: a client went");
		port_session_end(session);
	}
	mem_free(s);
}

static const struct front_stream_events stream_events = { on_gone };

/* headers: what a proxy in front must know is added. */
static struct port_stream *port_stream_new(struct service_port *p,
					   struct front_request *rq,
					   struct headers *headers)
{
	struct port_stream *s = mem_zalloc(sizeof(*s));

	/* Else nginx keeps events until it has a buffer full of them. */
	headers_add(headers, "X-Accel-Buffering", "no");
	s->port = p;
	s->to = p->front_table->stream(rq, 200, PORT_EVENTS, headers,
				       &stream_events, s);
	s->next = p->streams;
	p->streams = s;
	return s;
}

static void port_stream_event(struct port_stream *s, const char *type,
			      const char *data, size_t len)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	port_event_text(&text, type, data, len);
	s->port->front_table->stream_write(s->to, text.data, text.len);
	s->written = true;
}

static void port_stream_end(struct port_stream *s)
{
	unlist_sse(s);
	s->port->front_table->stream_end(s->to);
	mem_free(s);
}

/* A comment: the client sees, and a proxy in front passes on, that it lives. */
static void port_stream_beat(struct port_stream *s)
{
	static const char comment[] = ": still here\n\n";

	s->port->front_table->stream_write(s->to, comment, sizeof(comment) - 1);
}

static void port_streams_beat(struct service_port *p)
{
	for (struct port_stream *s = p->streams; s; s = s->next) {
		if (!s->written)
			port_stream_beat(s);
		s->written = false;
	}
}

/* After the front was closed: they are gone. */
static void port_streams_free(struct service_port *p)
{
	while (p->streams) {
		struct port_stream *s = p->streams;

		unlist_sse(s);
		mem_free(s);
	}
}

/*
 * Clients that HTTP requests belong to: by a session id that nobody can
 * guess, or for one request alone. Who is asked what is not seen here.
 */

#define IDLE_MS 1800000 /* half an hour */

static struct port_session *port_session_new(struct service_port *p)
{
	struct port_session *s = mem_zalloc(sizeof(*s));

	s->port = p;
	s->client = service_client_new(p->service);
	s->used = loop_now();
	return s;
}

static bool is_busy(const struct port_session *s)
{
	const struct port_post *post = s->port->posts;

	while (post && post->session != s)
		post = post->next;
	return post || s->stream || s->open || s->inside;
}

/* Clients that never say goodbye must not keep others out. The newest are first in the list. */
static void make_room(struct service_port *p)
{
	struct port_session *oldest = NULL;

	for (struct port_session *s = p->sessions; s; s = s->next) {
		if (!is_busy(s) && (!oldest || s->used <= oldest->used))
			oldest = s;
	}
	if (oldest)
		port_session_end(oldest);
}

/* Give it an id, so that it is found. -1: there is no place. */
static int port_session_publish(struct port_session *s)
{
	struct service_port *p = s->port;

	if (p->session_count >= PORT_SESSIONS_MAX)
		make_room(p);
	if (p->session_count >= PORT_SESSIONS_MAX)
		return -1;
	random_hex(s->id);
	s->next = p->sessions;
	p->sessions = s;
	p->session_count++;
	return 0;
}

/* NULL: there is none of that id and kind. Counts as used. */
static struct port_session *port_session_find(const struct service_port *p,
					      const char *id, bool old)
{
	for (struct port_session *s = p->sessions; s; s = s->next) {
		if (s->old == old && strcmp(s->id, id) == 0) {
			s->used = loop_now();
			return s;
		}
	}
	return NULL;
}

static void unlist(struct port_session *s)
{
	struct port_session **at = &s->port->sessions;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->port->session_count--;
}

/*
 * Its posts are answered 404, its stream ends; freed in another turn of the loop.
 * The service may be at work for this client: it is freed when that is over.
 */
static void port_session_end(struct port_session *s)
{
	struct service_port *p = s->port;

	if (s->id[0])
		unlist(s);
	s->id[0] = '\0';
	port_posts_end(p, s);
	if (s->stream)
		port_stream_end(s->stream);
	s->next = p->buried;
	p->buried = s;
	timer_start(&p->bury, 0);
}

static void free_all(struct port_session **list)
{
	struct port_session *s;

	while ((s = *list) != NULL) {
		*list = s->next;
		service_client_free(s->client);
		mem_free(s);
	}
}

static void port_bury(void *owner)
{
	struct service_port *p = owner;

	free_all(&p->buried);
}

/* Those unused for too long. */
static void port_sessions_expire(struct service_port *p)
{
	int64_t idle = p->options->idle ? p->options->idle : IDLE_MS;
	int64_t now = loop_now();
	struct port_session *next;

	for (struct port_session *s = p->sessions; s; s = next) {
		next = s->next;
		if (is_busy(s) || now - s->used < idle)
			continue;
		port_line(p, "a session ended: it was unused");
		port_session_end(s);
	}
}

/* Now; of all, with those that were buried. */
static void port_sessions_free(struct service_port *p)
{
	free_all(&p->sessions);
	free_all(&p->buried);
	p->session_count = 0;
}

/*
 * What an HTTP request at the port of a pretend service wants: by its path,
 * its method, its headers. Pages that may not ask never get here.
 */

#define METHODS "GET, POST, DELETE, OPTIONS"

/* ---- answers ---- */

/* A JSON-RPC error without an id. headers: more of them; NULL. */
static void port_refuse(struct service_port *p, struct front_request *rq,
			const struct headers *headers, int status,
			const char *text)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	jsonrpc_error(&body, "null", PORT_REFUSED, text);
	p->front_table->reply_with(rq, status, PORT_JSON, headers, body.data,
				   body.len);
}

static void refuse_method(struct service_port *p, struct front_request *rq,
			  const char *allowed)
{
	static const char body[] =
		"{\"error\":\"this method is not for this path\"}\n";
	CLEANUP(headers_done) struct headers headers = { 0 };

	headers_add(&headers, "Allow", allowed);
	p->front_table->reply_with(rq, 405, PORT_JSON, &headers, body,
				   sizeof(body) - 1);
}

static void serve_options(struct service_port *p, struct front_request *rq)
{
	CLEANUP(headers_done) struct headers headers = { 0 };

	headers_add(&headers, "Allow", METHODS);
	p->front_table->reply_with(rq, 204, NULL, &headers, NULL, 0);
}

static void serve_page(struct service_port *p, struct front_request *rq,
		       const struct front_head *head)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	port_page(p, &page, knock_host(head));
	p->front_table->reply(rq, 200, "text/html; charset=utf-8", page.data,
			      page.len);
}

static void serve_health(struct service_port *p, struct front_request *rq)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	buf_text(&body, "{\"status\":\"ok\",\"service\":");
	buf_json_string(&body, service_name(p->service),
			strlen(service_name(p->service)));
	buf_text(&body, "}\n");
	p->front_table->reply(rq, 200, PORT_JSON, body.data, body.len);
}

/* ---- event streams ---- */

static void begin_stream(struct service_port *p, struct front_request *rq,
			 struct port_session *s)
{
	CLEANUP(headers_done) struct headers headers = { 0 };

	if (s->stream) /* the client has lost it, or counts wrong */
		port_stream_end(s->stream);
	s->stream = port_stream_new(p, rq, &headers);
	s->stream->session = s;
}

/* HTTP+SSE: the first event says where to post. */
static void serve_old_stream(struct service_port *p, struct front_request *rq,
			     const struct front_head *head)
{
	struct port_session *s = port_session_new(p);
	char where[64];

	s->old = true;
	if (port_session_publish(s)) {
		port_session_end(s);
		port_refuse(p, rq, NULL, 503, "too many sessions are open");
		return;
	}
	begin_stream(p, rq, s);
	snprintf(where, sizeof(where), "/messages?session=%s", s->id);
	port_stream_event(s->stream, "endpoint", where, strlen(where));
	port_line(p, "HTTP+SSE: %s is connected", head->address);
}

/* ---- the MCP endpoint ---- */

/* False: refused. *out stays NULL if none was named. */
static bool find_session(struct service_port *p, struct front_request *rq,
			 const struct front_head *head,
			 struct port_session **out)
{
	const char *id = headers_get(head->headers, "Mcp-Session-Id");
	const char *revision =
		headers_get(head->headers, "MCP-Protocol-Version");

	if (revision && !revision_known(revision)) {
		port_refuse(p, rq, NULL, 400,
			    "MCP-Protocol-Version is none of " REVISIONS);
		return false;
	}
	if (!id)
		return true;
	*out = port_session_find(p, id, false);
	if (*out)
		return true;
	port_refuse(p, rq, NULL, 404, "there is no such session (any more)");
	return false;
}

static void serve_get(struct service_port *p, struct front_request *rq,
		      const struct front_head *head, struct port_session *s)
{
	const char *accept = headers_get(head->headers, "Accept");
	bool events = accept && text_find(accept, PORT_EVENTS);

	if (s) {
		begin_stream(p, rq, s);
		port_stream_beat(s->stream);
	} else if (events) {
		serve_old_stream(p, rq, head);
	} else if (strcmp(head->path, "/") == 0 ||
		   (accept && text_find(accept, "text/html"))) {
		serve_page(p, rq, head);
	} else {
		refuse_method(p, rq, METHODS);
	}
}

static void serve_delete(struct service_port *p, struct front_request *rq,
			 struct port_session *s)
{
	if (!s) {
		port_refuse(p, rq, NULL, 400, "Mcp-Session-Id is missing");
		return;
	}
	port_line(p, "Streamable HTTP: a session was ended by its client");
	port_session_end(s);
	p->front_table->reply_with(rq, 204, NULL, NULL, NULL, 0);
}

static void serve_endpoint(struct service_port *p, struct front_request *rq,
			   const struct port_message *m)
{
	const char *method = m->head->method;
	struct port_session *s = NULL;

	if (!find_session(p, rq, m->head, &s))
		return;
	if (strcmp(method, "POST") == 0)
		port_post(p, rq, m, s);
	else if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0)
		serve_get(p, rq, m->head, s);
	else if (strcmp(method, "DELETE") == 0)
		serve_delete(p, rq, s);
	else
		refuse_method(p, rq, METHODS);
}

/* ---- the other paths ---- */

static void serve_messages(struct service_port *p, struct front_request *rq,
			   const struct port_message *m)
{
	CLEANUP(mem_free_ptr)
	char *id = head_query_value(m->head->query, "session");
	struct port_session *s;

	if (strcmp(m->head->method, "POST") != 0) {
		refuse_method(p, rq, "POST, OPTIONS");
		return;
	}
	if (!id) {
		port_refuse(
			p, rq, NULL, 400,
			"?session= is missing: the event 'endpoint' of /sse has it");
		return;
	}
	s = port_session_find(p, id, true);
	if (s)
		port_post_old(p, rq, m, s);
	else
		port_refuse(p, rq, NULL, 404,
			    "there is no such session (any more)");
}

/* A client that tries Streamable HTTP here first must see 405. */
static void serve_sse(struct service_port *p, struct front_request *rq,
		      const struct port_message *m)
{
	if (strcmp(m->head->method, "GET") == 0)
		serve_old_stream(p, rq, m->head);
	else
		refuse_method(p, rq, "GET, OPTIONS");
}

static bool is_endpoint(const char *path)
{
	return knock_path_fits("/", path) || knock_path_fits("/mcp", path) ||
	       knock_path_fits("/rpc", path);
}

static void port_http(void *owner, struct front_request *rq,
		      const struct front_head *head, const char *body,
		      size_t len)
{
	struct service_port *p = owner;
	const struct port_message m = { head, body, len };

	if (strcmp(head->method, "OPTIONS") == 0)
		serve_options(p, rq);
	else if (is_endpoint(head->path))
		serve_endpoint(p, rq, &m);
	else if (knock_path_fits("/sse", head->path))
		serve_sse(p, rq, &m);
	else if (knock_path_fits("/messages", head->path))
		serve_messages(p, rq, &m);
	else if (knock_path_fits("/health", head->path))
		serve_health(p, rq);
	else
		port_refuse(p, rq, NULL, 404,
			    "nothing is at this path: MCP is at /");
}

/*
 * WebSockets at the port of a pretend service: a message a frame, plain
 * JSON-RPC, replies in the order in which they are ready.
 */

struct port_socket {
	struct transport transport;
	struct share share;
	struct service_port *port;
	struct port_socket *next;
	struct service_client *client;
	unsigned open; /* questions */
	bool inside; /* amid service_ask */
	bool gone;
};

static void hang_up(struct port_socket *s)
{
	if (!s->gone)
		s->transport.ops->close(&s->transport);
	s->gone = true;
}

static void on_done_ws(void *owner, const char *reply, size_t len)
{
	struct port_socket *s = owner;

	if (!s->inside)
		s->open--;
	if (s->gone || len == 0)
		return;
	if (s->transport.ops->send(&s->transport, reply, len, NULL))
		hang_up(s);
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct port_socket *s = owner;

	port_line(s->port, "WebSocket: %s is connected",
		  peer->address ? peer->address : "?");
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct port_socket *s = owner;

	if (kind != FRAME_TEXT || s->gone)
		return;
	if (s->open >= PORT_OPEN_MAX) {
		port_line(s->port,
			  "WebSocket: closed, more than %d questions are open",
			  PORT_OPEN_MAX);
		hang_up(s);
		return;
	}
	s->inside = true;
	if (service_ask(s->client, data, len, on_done_ws, s))
		s->open++;
	s->inside = false;
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	(void)id;
	(void)why;
}

static void unlist_ws(struct port_socket *s)
{
	struct port_socket **at = &s->port->sockets;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->port->socket_count--;
}

static void on_closed(void *owner, const struct error *why)
{
	struct port_socket *s = owner;
	struct service_port *p = s->port;
	bool told = why && why->kind != ERR_NONE;

	port_line(p, "WebSocket: a client went%s%s", told ? ": " : "",
		  told ? why->text : "");
	unlist_ws(s);
	service_client_free(s->client);
	share_close(&s->share);
	mem_free(s);
	port_check_ended(p);
}

static const struct transport_events socket_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
};

static void adopt(struct service_port *p, int fd, const struct peer_info *peer,
		  struct share *share)
{
	struct port_socket *s = mem_zalloc(sizeof(*s));

	s->port = p;
	s->transport = (struct transport){ .ops = &p->ws_table->dial,
					   .loop = p->loop,
					   .events = &socket_events,
					   .owner = s,
					   .share = &s->share };
	share_move(&s->share, share);
	if (p->ws_table->adopt(&s->transport, fd, peer, PORT_BODY_MAX, NULL)) {
		share_close(&s->share);
		mem_free(s); /* adopt has closed fd */
		return;
	}
	s->client = service_client_new(p->service);
	s->next = p->sockets;
	p->sockets = s;
	p->socket_count++;
}

static int port_upgrade(void *owner, int fd, const struct front_head *head,
			const char **reason)
{
	struct service_port *p = owner;
	const struct peer_info peer = { .address = head->address,
					.headers = head->headers,
					.path = head->path };

	if (p->ending || p->socket_count >= PORT_SOCKETS_MAX) {
		*reason = "too many clients";
		return 503;
	}
	adopt(p, fd, &peer, head->share);
	return 0;
}

static void port_sockets_close(struct service_port *p)
{
	for (struct port_socket *s = p->sockets; s; s = s->next)
		hang_up(s);
}

/*
 * Messages that were posted, until they are answered: as JSON, as an event
 * stream for clients that take nothing else, or on the stream of HTTP+SSE.
 */

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

/* Nobody waits: its question is abandoned; it is freed. */
static void port_post_drop(struct port_post *post)
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

static void port_request_gone(void *owner, struct front_request *rq)
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

static void port_posts_end(struct service_port *p, const struct port_session *s)
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
	       json_span_member(text, "id", &id) &&
	       json_span_literal(id, "null");
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

static void begin_stream_post(struct port_post *post)
{
	struct front_request *rq = TAKE(post->request);

	post->stream = port_stream_new(post->port, rq, &post->headers);
	post->stream->post = post;
}

static void port_post(struct service_port *p, struct front_request *rq,
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
		begin_stream_post(post);
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

/*
 * HTTP+SSE: 202, and the reply on the stream.
 * Before the reply: the client reads the answer of this request first.
 */
static void port_post_old(struct service_port *p, struct front_request *rq,
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

/*
 * The port of a pretend service: opened, watched over, closed with all that
 * goes on at it. What is said there is the matter of the other files.
 */

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT 8088
#define BEAT_MS 15000
#define END_MS 3000

/* A line for the observer; what a peer sent may be in it. */
static void port_line(const struct service_port *p, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	if (!p->observer || !p->observer->line)
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	p->observer->line(p->observer->owner, text);
}

static void port_check_ended(struct service_port *p)
{
	p->ended = p->ending && p->front_gone && !p->sockets && !p->timers;
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	const char *text = knock_noise(what);

	if (!address)
		return;
	if (what == FRONT_TLS)
		port_line(owner, "%s speaks TLS, this port does not: http://",
			  address);
	else if (text && what != FRONT_CUT)
		port_line(owner, "%s: %s", address, text);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	port_line(owner, "%s%s%s%s%s%s", r->address ? r->address : "",
		  r->address ? ": " : "", r->text, r->hint ? " (" : "",
		  r->hint ? r->hint : "", r->hint ? ")" : "");
}

static const struct front_events front_events = {
	.http = port_http,
	.upgrade = port_upgrade,
	.gone = port_request_gone,
	.noise = on_noise,
	.refused = on_refused,
};

/* ---- the clock ---- */

static void start_beat(struct service_port *p)
{
	timer_start(&p->beat,
		    p->options->keep_alive ? p->options->keep_alive : BEAT_MS);
}

static void on_beat(void *owner)
{
	struct service_port *p = owner;

	port_streams_beat(p);
	port_sessions_expire(p);
	start_beat(p);
}

static void open_timers(struct service_port *p)
{
	timer_open(&p->beat, p->loop, on_beat, p);
	timer_open(&p->bury, p->loop, port_bury, p);
	p->timers = 2;
	start_beat(p);
}

static void on_timer_closed(void *owner)
{
	struct service_port *p = owner;

	p->timers--;
	port_check_ended(p);
}

/* ---- from the beginning to the end ---- */

static void tell_address(const struct service_port *p)
{
	CLEANUP(buf_done) struct buf url = { 0 };

	if (!p->observer || !p->observer->listening)
		return;
	buf_text(&url, "http://");
	authority_print(&url, p->host ? p->host : DEFAULT_HOST,
			p->front_table->port(p->front));
	buf_char(&url, '/');
	p->observer->listening(p->observer->owner, buf_string(&url));
}

static int open_front(struct service_port *p, struct error *err)
{
	struct front_config config = { .port = DEFAULT_PORT,
				       .admit = p->options->admit,
				       .body_max = PORT_BODY_MAX,
				       .connections_max =
					       PORT_CONNECTIONS_MAX };
	const char *where = p->options->listen;

	if (!where || !*where)
		p->host = mem_strdup(DEFAULT_HOST);
	else if (endpoint_parse_listen(where, &p->host, &config.port, err))
		return -1;
	config.host = p->host;
	p->front =
		p->front_table->open(p->loop, &config, &front_events, p, err);
	if (!p->front)
		return -1;
	tell_address(p);
	return 0;
}

static void on_front_closed(void *owner)
{
	struct service_port *p = owner;

	p->front_gone = true;
	port_check_ended(p);
}

/* What the front held is gone as soon as it is told to close. */
static void finish(struct service_port *p)
{
	p->ending = true;
	if (p->front)
		p->front_table->close(p->front, on_front_closed);
	else
		p->front_gone = true;
	port_streams_free(p);
	while (p->posts)
		port_post_drop(p->posts);
	port_sessions_free(p);
	port_sockets_close(p);
	timer_close(&p->beat, on_timer_closed);
	timer_close(&p->bury, on_timer_closed);
	while (loop_wait(p->loop, &p->ended, loop_now() + END_MS, NULL))
		; /* handles still point into what is released next */
	mem_free(p->host);
}

int service_listen(struct loop *l, struct service *s,
		   const struct service_listen_options *o,
		   const struct service_listen_observer *observer,
		   struct error *err)
{
	struct service_port p = {
		.loop = l, .service = s, .options = o, .observer = observer
	};
	int64_t until = o->run_for ? loop_now() + o->run_for : LOOP_FOREVER;
	int status;

	if (port_parts_load(&p.front_table, &p.ws_table, err) ||
	    p.ws_table->hold(l, err))
		return -1;
	open_timers(&p);
	status = open_front(&p, err);
	if (!status)
		status = loop_stay(l, NULL, until, err);
	finish(&p);
	p.ws_table->let_go(l);
	return status;
}
