/* SPDX-License-Identifier: MIT */
/* Clients at the port, by session id or for one request. */
#ifndef CLIENTS_MCP_SESSION_H
#define CLIENTS_MCP_SESSION_H

#include "clients/mcp_port_state.h"

struct port_session *port_session_new(struct mcp_port *p);
/* Give it an id, so that it is found. -1: there is no place. */
int port_session_publish(struct port_session *s);
/* NULL: there is none of that id and kind. Counts as used. */
struct port_session *port_session_find(const struct mcp_port *p, const char *id,
				       bool old);
/*
 * Nobody finds it any more; it is freed in another turn of the loop, by when it
 * has no post and no stream. The answerer may be at work for this client: it is
 * freed when that is over.
 */
void port_session_bury(struct port_session *s);
/* That turn; owner is the port. */
void port_sessions_buried(void *owner);
/* Those unused for too long end. */
void port_sessions_expire(struct mcp_port *p);
/* Now; all, with those that were buried. */
void port_sessions_free(struct mcp_port *p);
/* Whether its client can come back for what it missed. */
bool port_session_resumes(const struct port_session *s);
/*
 * This request is answered by its stream, in place of one that it has. Behind
 * the event `last` ("0-7": the seventh; NULL) the client gets what is kept.
 */
void port_session_stream(struct port_session *s, struct front_request *rq,
			 const char *last);
/* What belongs to no question, for the stream of a session. */
bool port_session_tell(void *owner, const char *text, size_t len);

#endif
