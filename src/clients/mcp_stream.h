/* SPDX-License-Identifier: MIT */
/* What is said at the port: event streams, refusals, lines. */
#ifndef CLIENTS_MCP_STREAM_H
#define CLIENTS_MCP_STREAM_H

#include "clients/mcp_port_state.h"

/* A line for the observer; what a peer sent may be in it. */
void port_line(const struct mcp_port *p, const char *format, ...)
	PRINTF_LIKE(2, 3);
/* One that any client can cause, as often as it likes: few of a format are told. */
void port_coming(struct mcp_port *p, const char *format, ...) PRINTF_LIKE(2, 3);
bool port_asks_token(const struct mcp_port *p);
/* By its token, if one is asked for. */
bool port_may_ask(const struct mcp_port *p, const struct front_head *head);
/* Told by and by. */
void port_count_refused(struct mcp_port *p, const struct front_head *head);
/* A JSON-RPC error without an id. headers: more of them; NULL. */
void port_refuse(struct mcp_port *p, struct front_request *rq,
		 const struct headers *headers, int status, const char *text);
/* Sets p->ended when nothing is left. */
void port_check_ended(struct mcp_port *p);
/* headers: what a proxy in front must know is added. */
struct port_stream *port_stream_new(struct mcp_port *p,
				    struct front_request *rq,
				    struct headers *headers);
void port_stream_write(struct port_stream *s, const char *text, size_t len);
void port_stream_event(struct port_stream *s, const char *type,
		       const char *data, size_t len);
/* That event as text, added to out: each line of the data is a field of its own. */
void port_event_text(struct buf *out, const char *type, const char *data,
		     size_t len);
/* Its client reads so slowly that nothing more is to be sent. */
bool port_stream_is_full(const struct port_stream *s);
void port_stream_end(struct port_stream *s);
/* A comment: the client sees, and a proxy in front passes on, that it lives. */
void port_stream_beat(struct port_stream *s);
void port_streams_beat(struct mcp_port *p);
/* After the front was closed: they are gone. */
void port_streams_free(struct mcp_port *p);

#endif
