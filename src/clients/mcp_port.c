/* SPDX-License-Identifier: MIT */
/* The port for MCP clients: opened and closed, its paths, and a page. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "clients/mcp_narrow.h"
#include "clients/mcp_post.h"
#include "clients/mcp_session.h"
#include "clients/mcp_socket.h"
#include "clients/mcp_stream.h"
#include "mcp/revision.h"
#include "net/address.h"
#include "net/head.h"
#include "wire/jsonrpc.h"

/* The page that a browser gets: how to reach it. */

static void add_address(struct buf *out, const char *what, const char *before,
			const char *host, const char *behind)
{
	buf_printf(out, "<p>%s: <b>%s", what, before);
	page_text(out, host);
	buf_printf(out, "%s</b></p>\n", behind);
}

static void port_page(const struct mcp_port *p, struct buf *out,
		      const char *host)
{
	const bool named = p->options.named_paths;

	page_start(out);
	buf_text(out, "<p>This is an MCP server");
	if (p->options.by)
		buf_printf(out, ", %s", p->options.by);
	buf_text(out, ": ");
	page_text(out, p->answerer->name(p->answerer->owner));
	buf_text(out, port_asks_token(p) ? ". It asks for a token.</p>\n" :
					   ".</p>\n");
	add_address(out, "JSON-RPC and Streamable HTTP", "http://", host,
		    named ? "/mcp" : "/");
	add_address(out, "HTTP+SSE", "http://", host, "/sse");
	add_address(out, "WebSocket", "ws://", host, named ? "/ws" : "/");
	page_end(out);
}

/*
 * What an HTTP request at the port wants: by its path,
 * its method, its headers. Pages that may not ask never get here.
 */

#define METHODS "GET, POST, DELETE, OPTIONS"

/* ---- answers ---- */

static void refuse_method(struct mcp_port *p, struct front_request *rq,
			  const char *allowed)
{
	static const char body[] =
		"{\"error\":\"this method is not for this path\"}\n";
	CLEANUP(headers_done) struct headers headers = { 0 };

	headers_add(&headers, "Allow", allowed);
	p->front_table->reply_with(rq, 405, PORT_JSON, &headers, body,
				   sizeof(body) - 1);
}

static void serve_options(struct mcp_port *p, struct front_request *rq)
{
	CLEANUP(headers_done) struct headers headers = { 0 };

	headers_add(&headers, "Allow", METHODS);
	p->front_table->reply_with(rq, 204, NULL, &headers, NULL, 0);
}

static void serve_page(struct mcp_port *p, struct front_request *rq,
		       const struct front_head *head)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	port_page(p, &page, knock_host(head));
	p->front_table->reply(rq, 200, "text/html; charset=utf-8", page.data,
			      page.len);
}

static void serve_health(struct mcp_port *p, struct front_request *rq)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	buf_text(&body, "{\"status\":\"ok\",\"service\":");
	buf_json_string(&body, p->answerer->name(p->answerer->owner),
			strlen(p->answerer->name(p->answerer->owner)));
	buf_text(&body, "}\n");
	p->front_table->reply(rq, 200, PORT_JSON, body.data, body.len);
}

/* ---- event streams ---- */

/* HTTP+SSE: the first event says where to post. */
static void serve_old_stream(struct mcp_port *p, struct front_request *rq,
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
	port_session_stream(s, rq, NULL);
	snprintf(where, sizeof(where), "/messages?session=%s", s->id);
	port_stream_event(s->stream, "endpoint", where, strlen(where));
	port_coming(p, "HTTP+SSE: %s is connected", head->address);
}

/* ---- the MCP endpoint ---- */

/* False: refused. *out stays NULL if none was named. */
static bool find_session(struct mcp_port *p, struct front_request *rq,
			 const struct front_head *head,
			 struct port_session **out)
{
	const char *id = headers_get(head->headers, "Mcp-Session-Id");
	const char *revision =
		headers_get(head->headers, "MCP-Protocol-Version");

	if (revision && !revision_known(ERA_LEGACY, revision)) {
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

/* Who only looks (HEAD: s NULL, no stream) takes nobody's stream away. */
static void serve_get(struct mcp_port *p, struct front_request *rq,
		      const struct front_head *head, struct port_session *s)
{
	const char *last = headers_get(head->headers, "Last-Event-ID");
	bool events = port_accepts(head, PORT_EVENTS) &&
		      strcmp(head->method, "GET") == 0;

	if (s && last && port_post_resume(p, rq, s, last)) {
		port_coming(p,
			    "Streamable HTTP: a client came back for the rest");
	} else if (s) {
		port_session_stream(s, rq, last);
		port_stream_beat(s->stream);
	} else if (events && p->answerer->is_legacy(p->answerer->owner)) {
		serve_old_stream(p, rq, head);
	} else if (strcmp(head->path, "/") == 0 ||
		   port_accepts(head, "text/html")) {
		serve_page(p, rq, head);
	} else {
		refuse_method(p, rq, METHODS);
	}
}

static void serve_delete(struct mcp_port *p, struct front_request *rq,
			 struct port_session *s)
{
	if (!s) {
		port_refuse(p, rq, NULL, 400, "Mcp-Session-Id is missing");
		return;
	}
	port_coming(p, "Streamable HTTP: a session was ended by its client");
	port_session_end(s);
	p->front_table->reply_with(rq, 204, NULL, NULL, NULL, 0);
}

/* Without sessions there is nothing to GET but the page, and nothing to end. */
static void serve_modern(struct mcp_port *p, struct front_request *rq,
			 const struct port_message *m)
{
	const char *method = m->head->method;

	if (strcmp(method, "POST") == 0)
		port_post(p, rq, m, NULL, true);
	else if (strcmp(method, "GET") == 0 &&
		 port_accepts(m->head, "text/html"))
		serve_page(p, rq, m->head);
	else
		refuse_method(p, rq, "POST, OPTIONS");
}

static void serve_endpoint(struct mcp_port *p, struct front_request *rq,
			   const struct port_message *m)
{
	const char *method = m->head->method;
	const struct mcp_said said = { m->text, m->len, m->head->headers };
	struct port_session *s = NULL;

	if (p->answerer->is_modern(p->answerer->owner, &said)) {
		serve_modern(p, rq, m);
		return;
	}
	if (!find_session(p, rq, m->head, &s))
		return;
	if (strcmp(method, "POST") == 0)
		port_post(p, rq, m, s, false);
	else if (strcmp(method, "GET") == 0)
		serve_get(p, rq, m->head, s);
	else if (strcmp(method, "HEAD") == 0)
		serve_get(p, rq, m->head, NULL);
	else if (strcmp(method, "DELETE") == 0)
		serve_delete(p, rq, s);
	else
		refuse_method(p, rq, METHODS);
}

/* ---- the other paths ---- */

static void serve_messages(struct mcp_port *p, struct front_request *rq,
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
static void serve_sse(struct mcp_port *p, struct front_request *rq,
		      const struct port_message *m)
{
	if (strcmp(m->head->method, "GET") == 0 &&
	    p->answerer->is_legacy(p->answerer->owner))
		serve_old_stream(p, rq, m->head);
	else
		refuse_method(p, rq, "GET, OPTIONS");
}

static bool is_endpoint(const struct mcp_port *p, const char *path)
{
	return knock_path_fits("/mcp", path) ||
	       (!p->options.named_paths &&
		(knock_path_fits("/", path) || knock_path_fits("/rpc", path)));
}

/* What needs no token: true, and it was answered. */
static bool serve_public(struct mcp_port *p, struct front_request *rq,
			 const struct front_head *head)
{
	const bool named = p->options.named_paths;

	if (strcmp(head->method, "OPTIONS") == 0)
		serve_options(p, rq);
	else if (knock_path_fits("/health", head->path))
		serve_health(p, rq);
	else if (named && knock_path_fits("/", head->path) &&
		 strcmp(head->method, "GET") == 0)
		serve_page(p, rq, head);
	else
		return false;
	return true;
}

/* ---- who may ask ---- */

static void refuse_token(struct mcp_port *p, struct front_request *rq,
			 const struct front_head *head)
{
	CLEANUP(headers_done) struct headers headers = { 0 };
	const char *given = headers_get(head->headers, "Authorization");

	headers_add(&headers, "WWW-Authenticate",
		    given ? "Bearer error=\"invalid_token\"" : "Bearer");
	port_count_refused(p, head);
	port_refuse(p, rq, &headers, 401,
		    given ? "the token is wrong" :
			    "a token is needed: Authorization: Bearer");
}

static enum front_standing on_standing(void *owner,
				       const struct front_head *head)
{
	const struct mcp_port *p = owner;

	return port_asks_token(p) && port_may_ask(p, head) ? FRONT_SHOWN :
							     FRONT_STRANGER;
}

static size_t on_body_max(void *owner, const struct front_head *head)
{
	return port_may_ask(owner, head) ? PORT_BODY_MAX : PORT_STRANGER_BODY;
}

static void serve_nothing(struct mcp_port *p, struct front_request *rq)
{
	port_refuse(p, rq, NULL, 404,
		    p->options.named_paths ?
			    "nothing is at this path: MCP is at /mcp" :
			    "nothing is at this path: MCP is at /");
}

static bool is_door(const struct mcp_port *p, const char *path)
{
	return is_endpoint(p, path) || knock_path_fits("/sse", path) ||
	       knock_path_fits("/messages", path);
}

/*
 * Where nothing is that is said to everybody: clients that were asked for a
 * token look whether somebody here gives one.
 */
static void port_http(void *owner, struct front_request *rq,
		      const struct front_head *head, const char *body,
		      size_t len)
{
	struct mcp_port *p = owner;
	const struct port_message m = { head, body, len };

	/* Many requests may come in one turn, each with a session of its own. */
	port_sessions_buried(p);
	if (p->options.path) {
		port_narrow(p, rq, &m);
		return;
	}
	if (serve_public(p, rq, head))
		return;
	if (!is_door(p, head->path))
		serve_nothing(p, rq);
	else if (!port_may_ask(p, head))
		refuse_token(p, rq, head);
	else if (is_endpoint(p, head->path))
		serve_endpoint(p, rq, &m);
	else if (knock_path_fits("/sse", head->path))
		serve_sse(p, rq, &m);
	else
		serve_messages(p, rq, &m);
}

/*
 * The port itself: opened, watched over, closed with all that
 * goes on at it. What is said there is the matter of the other files.
 */

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT 8088
#define BEAT_MS 15000
#define END_MS 3000

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
	.standing = on_standing,
	.body_max = on_body_max,
};

/* ---- the clock ---- */

static void start_beat(struct mcp_port *p)
{
	timer_start(&p->beat,
		    p->options.keep_alive ? p->options.keep_alive : BEAT_MS);
}

static void tell_refused(struct mcp_port *p)
{
	if (p->refused > 1)
		port_line(p, "%u more were refused without the token",
			  p->refused - 1);
	p->refused = 0;
}

static void on_beat(void *owner)
{
	struct mcp_port *p = owner;

	tell_refused(p);
	port_streams_beat(p);
	port_posts_expire(p);
	port_sessions_expire(p);
	start_beat(p);
}

static void open_timers(struct mcp_port *p)
{
	timer_open(&p->beat, p->loop, on_beat, p);
	timer_open(&p->bury, p->loop, port_sessions_buried, p);
	few_lines_open(&p->comings, p->loop, p->observer.line,
		       p->observer.owner);
	p->telling = true;
	p->timers = 2;
	start_beat(p);
}

static void on_timer_closed(void *owner)
{
	struct mcp_port *p = owner;

	p->timers--;
	port_check_ended(p);
}

/* ---- from the beginning to the end ---- */

static void tell_address(const struct mcp_port *p)
{
	CLEANUP(buf_done) struct buf url = { 0 };

	if (!p->observer.listening)
		return;
	buf_text(&url, "http://");
	authority_print(&url, p->host ? p->host : DEFAULT_HOST,
			p->front_table->port(p->front));
	buf_text(&url, p->options.path	      ? p->options.path :
		       p->options.named_paths ? "/mcp" :
						"/");
	p->observer.listening(p->observer.owner, buf_string(&url));
}

static int open_front(struct mcp_port *p, struct error *err)
{
	struct front_config config = {
		.port = DEFAULT_PORT,
		.admit = p->options.admit,
		.body_max = PORT_BODY_MAX,
		.connections_max = p->options.connections_max ?
					   p->options.connections_max :
					   PORT_CONNECTIONS_MAX,
		.counts_questions = port_asks_token(p)
	};
	const char *where = p->options.listen;

	if (!where || !*where)
		p->host = mem_strdup(DEFAULT_HOST);
	else if (endpoint_parse_listen(where, &p->host, &config.port, err))
		return -1;
	if (!p->host && p->options.home)
		p->host = mem_strdup(DEFAULT_HOST);
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
	struct mcp_port *p = owner;

	p->front_gone = true;
	port_check_ended(p);
}

/* What the front held is gone as soon as it is told to close. */
static void finish(struct mcp_port *p)
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
}

void mcp_port_close(struct mcp_port *p)
{
	if (!p)
		return;
	finish(p);
	p->ws_table->let_go(p->loop);
	mem_free(p->host);
	mem_free(p);
}

static struct mcp_port *port_new(struct loop *l, const struct answerer *a,
				 const struct mcp_port_options *o,
				 const struct mcp_port_observer *observer)
{
	struct mcp_port *p = mem_zalloc(sizeof(*p));

	p->loop = l;
	p->answerer = a;
	p->options = *o;
	if (observer)
		p->observer = *observer;
	p->stream_gone = port_stream_gone;
	return p;
}

int mcp_port_open(struct mcp_port **out, struct loop *l,
		  const struct answerer *a, const struct mcp_port_options *o,
		  const struct mcp_port_observer *observer, struct error *err)
{
	struct mcp_port *p = port_new(l, a, o, observer);

	*out = NULL;
	if (port_parts_load(&p->front_table, &p->ws_table, err) ||
	    p->ws_table->hold(l, err)) {
		mem_free(p);
		return -1;
	}
	open_timers(p);
	if (open_front(p, err)) {
		mcp_port_close(p);
		return -1;
	}
	*out = p;
	return 0;
}
