/* SPDX-License-Identifier: MIT */
/* Messages that were posted, and coming back for the rest of an answer. */
#ifndef CLIENTS_MCP_POST_H
#define CLIENTS_MCP_POST_H

#include "clients/mcp_port_state.h"

/* Its posts are answered 404, its stream ends; then as buried. */
void port_session_end(struct port_session *s);
/* mcp_port.stream_gone: what ends with it, or waits for its client. */
void port_stream_gone(const struct port_stream *s);
/* Nobody waits: its question is abandoned; it is freed. */
void port_post_drop(struct port_post *post);
void port_request_gone(void *owner, struct front_request *rq);
/* Those whose client did not come back. */
void port_posts_expire(struct mcp_port *p);
/* s NULL: of none; modern: nor can it begin one. */
void port_post(struct mcp_port *p, struct front_request *rq,
	       const struct port_message *m, struct port_session *s,
	       bool modern);
/* Does its Accept contain that, in one field or another? */
bool port_accepts(const struct front_head *head, const char *type);
bool port_is_initialize(const struct port_message *m);
/*
 * HTTP+SSE: 202, and the reply on the stream.
 * Before the reply: the client reads the answer of this request first.
 */
void port_post_old(struct mcp_port *p, struct front_request *rq,
		   const struct port_message *m, struct port_session *s);
/*
 * A stream for what came behind the event of that id. False: there is nothing
 * of that id.
 */
bool port_post_resume(struct mcp_port *p, struct front_request *rq,
		      const struct port_session *s, const char *id);

#endif
