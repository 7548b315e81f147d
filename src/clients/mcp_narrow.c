/* SPDX-License-Identifier: MIT */
/*
 * The port as a small SDK has it (espressif.md 1 to 3): one path, a session for
 * whoever brings none, one type of answer, refusals as HTML, and no second way.
 */
#include "clients/mcp_narrow.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "clients/mcp_post.h"
#include "clients/mcp_session.h"
#include "clients/mcp_stream.h"
#include "mcp/revision.h"
#include "net/head.h"

#define METHODS "GET, POST, DELETE, HEAD"

/* The connection ends behind it (there without a word of that). */
static void refuse(struct mcp_port *p, struct front_request *rq, int status,
		   const char *text)
{
	CLEANUP(headers_done) struct headers headers = { 0 };

	headers_add(&headers, "Connection", "close");
	p->front_table->reply_with(rq, status, "text/html", &headers, text,
				   strlen(text));
}

/* The clock is asked only when somebody asks something. A stream keeps nothing. */
static void sweep(struct mcp_port *p)
{
	int64_t idle = p->options.idle, now = loop_now();
	struct port_session *next;

	for (struct port_session *s = p->sessions; idle && s; s = next) {
		next = s->next;
		if (now - s->used < idle)
			continue;
		port_coming(p, "a session ended: it was unused");
		port_session_end(s);
	}
}

/* Yours; NULL: none is named. */
static char *session_id(const struct front_head *head)
{
	const char *named = headers_get(head->headers, "Mcp-Session-Id");
	char *id = named ? mem_strdup(named) :
			   head_query_value(head->query, "sessionId");

	return id ? id : head_query_value(head->query, "session_id");
}

/* The one that is named, or a new one. NULL: refused, and said so. */
static struct port_session *have_session(struct mcp_port *p,
					 struct front_request *rq,
					 const struct front_head *head)
{
	CLEANUP(mem_free_ptr) char *id = session_id(head);
	struct port_session *s;

	if (id) {
		s = port_session_find(p, id, false);
		if (!s)
			refuse(p, rq, 404, "Unknown MCP session");
		return s;
	}
	s = port_session_new(p);
	if (!port_session_publish(s))
		return s;
	port_session_end(s);
	refuse(p, rq, 503, "Too many sessions");
	return NULL;
}

static bool takes_json(const struct port_message *m)
{
	return !headers_get(m->head->headers, "Accept") ||
	       port_accepts(m->head, PORT_JSON) ||
	       port_accepts(m->head, "*/*") ||
	       (port_accepts(m->head, PORT_EVENTS) && port_is_initialize(m));
}

/* NULL: it can be answered. */
static const char *post_fault(const struct mcp_port *p,
			      const struct port_message *m, int *status)
{
	const char *type = headers_get(m->head->headers, "Content-Type");

	*status = 400;
	if (p->options.body_max && m->len > p->options.body_max)
		return "Content too long";
	if (!type || !text_find(type, PORT_JSON))
		return "Content-Type must be application/json";
	*status = 406;
	return takes_json(m) ? NULL : "Not Acceptable";
}

static void post(struct mcp_port *p, struct front_request *rq,
		 const struct port_message *m)
{
	int status;
	const char *fault = post_fault(p, m, &status);
	struct port_session *s;

	if (fault) {
		refuse(p, rq, status, fault);
		return;
	}
	s = have_session(p, rq, m->head);
	if (s)
		port_post(p, rq, m, s, false);
}

static void get(struct mcp_port *p, struct front_request *rq,
		const struct front_head *head)
{
	static const char first[] =
		"id: 00000001-00000001\ndata: \n\n: mcp-sse-open\n\n";
	CLEANUP(headers_done) struct headers headers = { 0 };
	struct port_session *s = have_session(p, rq, head);

	if (!s)
		return;
	if (s->stream)
		port_stream_end(s->stream);
	headers_add(&headers, "Mcp-Session-Id", s->id);
	s->stream = port_stream_new(p, rq, &headers);
	s->stream->session = s;
	p->front_table->stream_write(s->stream->to, first, sizeof(first) - 1);
}

static void end_session(struct mcp_port *p, struct front_request *rq,
			const struct front_head *head)
{
	CLEANUP(mem_free_ptr) char *id = session_id(head);
	struct port_session *s = id ? port_session_find(p, id, false) : NULL;

	if (!s) {
		refuse(p, rq, 404, "Unknown MCP session");
		return;
	}
	port_coming(p, "Streamable HTTP: a session was ended by its client");
	port_session_end(s);
	p->front_table->reply_with(rq, 200, NULL, NULL, "", 0);
}

static void tell_methods(struct mcp_port *p, struct front_request *rq)
{
	CLEANUP(headers_done) struct headers headers = { 0 };

	headers_add(&headers, "Allow", METHODS);
	p->front_table->reply_with(rq, 204, NULL, &headers, NULL, 0);
}

void port_narrow(struct mcp_port *p, struct front_request *rq,
		 const struct port_message *m)
{
	const char *method = m->head->method;
	const char *revision =
		headers_get(m->head->headers, "MCP-Protocol-Version");

	sweep(p);
	if (strcmp(m->head->path, p->options.path) != 0)
		refuse(p, rq, 404, "Nothing matches the given URI");
	else if (strcmp(method, "HEAD") == 0)
		tell_methods(p, rq);
	else if (revision && !revision_known(ERA_LEGACY, revision))
		refuse(p, rq, 400, "Unsupported MCP-Protocol-Version");
	else if (strcmp(method, "POST") == 0)
		post(p, rq, m);
	else if (strcmp(method, "GET") == 0)
		get(p, rq, m->head);
	else if (strcmp(method, "DELETE") == 0)
		end_session(p, rq, m->head);
	else
		refuse(p, rq, 405, "Request method is not supported");
}
