/* SPDX-License-Identifier: MIT */
/*
 * Event streams: events as text, comments that keep idle ones alive, and what
 * ends with a stream whose peer went.
 */
#include <string.h>

#include "base/mem.h"
#include "sim/service_listen_private.h"

/* Each line of the data is a field of its own. */
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

static void unlist(struct port_stream *s)
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

	unlist(s);
	if (post)
		port_post_drop(post);
	if (session && session->old) {
		port_line(s->port, "HTTP+SSE: a client went");
		port_session_end(session);
	}
	mem_free(s);
}

static const struct front_stream_events stream_events = { on_gone };

struct port_stream *port_stream_new(struct service_port *p,
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

void port_stream_event(struct port_stream *s, const char *type,
		       const char *data, size_t len)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	port_event_text(&text, type, data, len);
	s->port->front_table->stream_write(s->to, text.data, text.len);
	s->written = true;
}

void port_stream_end(struct port_stream *s)
{
	unlist(s);
	s->port->front_table->stream_end(s->to);
	mem_free(s);
}

/* A comment: the client sees, and a proxy in front passes on, that it lives. */
void port_stream_beat(struct port_stream *s)
{
	static const char comment[] = ": still here\n\n";

	s->port->front_table->stream_write(s->to, comment, sizeof(comment) - 1);
}

void port_streams_beat(struct service_port *p)
{
	for (struct port_stream *s = p->streams; s; s = s->next) {
		if (!s->written)
			port_stream_beat(s);
		s->written = false;
	}
}

void port_streams_free(struct service_port *p)
{
	while (p->streams) {
		struct port_stream *s = p->streams;

		unlist(s);
		mem_free(s);
	}
}
