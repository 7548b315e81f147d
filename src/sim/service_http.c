/* SPDX-License-Identifier: MIT */
/*
 * What an HTTP request at the port of a pretend service wants: by its path,
 * its method, its headers. Pages that may not ask never get here.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/initialize.h"
#include "net/address.h"
#include "net/head.h"
#include "net/knock.h"
#include "sim/service_listen_private.h"
#include "wire/jsonrpc.h"

#define METHODS "GET, POST, DELETE, OPTIONS"

/* ---- answers ---- */

void port_refuse(struct service_port *p, struct front_request *rq,
		 const struct headers *headers, int status, const char *text)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	jsonrpc_error(&body, "null", PORT_REFUSED, text);
	p->front_table->reply_with(rq, status, PORT_JSON, headers, body.data,
				   body.len);
}

static void refuse_method(struct service_port *p, struct front_request *rq,
			  const char *allowed)
{
	static const char body[] = "{\"error\":\"this method is not for this "
				   "path\"}\n";
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
	} else if (!strcmp(head->path, "/") ||
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
	if (!strcmp(method, "POST"))
		port_post(p, rq, m, s);
	else if (!strcmp(method, "GET") || !strcmp(method, "HEAD"))
		serve_get(p, rq, m->head, s);
	else if (!strcmp(method, "DELETE"))
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
		port_refuse(p, rq, NULL, 400,
			    "?session= is missing: the event "
			    "'endpoint' of /sse has it");
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
	if (!strcmp(m->head->method, "GET"))
		serve_old_stream(p, rq, m->head);
	else
		refuse_method(p, rq, "GET, OPTIONS");
}

static bool is_endpoint(const char *path)
{
	return knock_path_fits("/", path) || knock_path_fits("/mcp", path) ||
	       knock_path_fits("/rpc", path);
}

void port_http(void *owner, struct front_request *rq,
	       const struct front_head *head, const char *body, size_t len)
{
	struct service_port *p = owner;
	const struct port_message m = { head, body, len };

	if (!strcmp(head->method, "OPTIONS"))
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
