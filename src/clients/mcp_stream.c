/* SPDX-License-Identifier: MIT */
/*
 * What is said at the port: event streams, refusals, lines
 * for whoever watches.
 */
#include "clients/mcp_stream.h"

#include "base/mem.h"
#include "wire/jsonrpc.h"

void port_line(const struct mcp_port *p, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	if (!p->observer.line)
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	p->observer.line(p->observer.owner, text);
}

void port_coming(struct mcp_port *p, const char *format, ...)
{
	va_list args;

	if (!p->observer.line)
		return;
	va_start(args, format);
	few_lines_tell(&p->comings, format, args);
	va_end(args);
}

/* ---- who may ask ---- */

bool port_asks_token(const struct mcp_port *p)
{
	return p->options.tokens && p->options.tokens->count;
}

/* Each is looked at: how long that takes tells nothing. */
bool port_may_ask(const struct mcp_port *p, const struct front_head *head)
{
	const char *given = headers_get(head->headers, "Authorization");
	const struct words *tokens = p->options.tokens;
	bool fits = !port_asks_token(p);

	for (size_t i = 0; tokens && i < tokens->count; i++)
		fits |= knock_token_fits(tokens->word[i], given);
	return fits;
}

void port_count_refused(struct mcp_port *p, const struct front_head *head)
{
	if (p->refused++ == 0)
		port_coming(p,
			    "%s was refused: it shows no token, or a wrong one",
			    head->address);
}

/* ---- refusals ---- */

static void on_told(void *owner)
{
	struct mcp_port *p = owner;

	p->ended = true;
}

/* Those that go with the port are counted, too. */
void port_check_ended(struct mcp_port *p)
{
	if (!p->ending || !p->front_gone || p->sockets || p->timers ||
	    !p->telling)
		return;
	p->telling = false;
	few_lines_close(&p->comings, on_told, p);
}

void port_refuse(struct mcp_port *p, struct front_request *rq,
		 const struct headers *headers, int status, const char *text)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	jsonrpc_error(&body, "null", PORT_REFUSED, text);
	p->front_table->reply_with(rq, status, PORT_JSON, headers, body.data,
				   body.len);
}

/* ---- event streams ---- */

void port_event_text(struct buf *out, const char *type, const char *data,
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

	unlist_sse(s);
	s->port->stream_gone(s);
	mem_free(s);
}

static const struct front_stream_events stream_events = { on_gone };

struct port_stream *port_stream_new(struct mcp_port *p,
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

void port_stream_write(struct port_stream *s, const char *text, size_t len)
{
	s->port->front_table->stream_write(s->to, text, len);
	s->written = true;
}

void port_stream_event(struct port_stream *s, const char *type,
		       const char *data, size_t len)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	port_event_text(&text, type, data, len);
	port_stream_write(s, text.data, text.len);
}

bool port_stream_is_full(const struct port_stream *s)
{
	return s->port->front_table->stream_waiting(s->to) > PORT_WAITS_MAX;
}

void port_stream_end(struct port_stream *s)
{
	unlist_sse(s);
	s->port->front_table->stream_end(s->to);
	mem_free(s);
}

void port_stream_beat(struct port_stream *s)
{
	static const char comment[] = ": still here\n\n";

	s->port->front_table->stream_write(s->to, comment, sizeof(comment) - 1);
}

void port_streams_beat(struct mcp_port *p)
{
	for (struct port_stream *s = p->streams; s; s = s->next) {
		if (!s->written)
			port_stream_beat(s);
		s->written = false;
	}
}

void port_streams_free(struct mcp_port *p)
{
	while (p->streams) {
		struct port_stream *s = p->streams;

		unlist_sse(s);
		mem_free(s);
	}
}
