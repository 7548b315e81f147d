/* SPDX-License-Identifier: MIT */
/*
 * The port for MCP clients in parts, each above what it uses: what is said
 * there (mcp_stream.c), sessions (mcp_session.c), messages that were
 * posted (mcp_post.c), WebSockets (mcp_socket.c), paths, and the port
 * itself (mcp_port.c). Private to them.
 */
#ifndef CLIENTS_MCP_PORT_STATE_H
#define CLIENTS_MCP_PORT_STATE_H

#include "base/few_lines.h"
#include "base/random.h"
#include "clients/mcp_port.h"
#include "net/port.h"

#define PORT_BODY_MAX (4u << 20) /* bytes of one message */
#define PORT_CONNECTIONS_MAX 512 /* of HTTP, streams included */
#define PORT_SESSIONS_MAX 1000
#define PORT_SOCKETS_MAX 200 /* WebSockets */
/* Bytes that a client has not read: then it is asked, and told, no more. */
#define PORT_WAITS_MAX ((size_t)2 << 20)
#define PORT_OPEN_MAX 64 /* questions of one client at a time */
#define PORT_LEFT_MAX 64 /* posts whose streams are closed, of all sessions */
#define PORT_LEFT_MS 60000 /* how long they wait for their client */
#define PORT_KEPT_MAX (256u << 10) /* bytes of events that one of them keeps */
#define PORT_TOLD_MAX 64 /* last events of a session's stream that are kept, */
#define PORT_TOLD_BYTES 4096 /* if they are no longer than that */
#define PORT_STRANGER_BODY (64u << 10) /* who does not show the token */

#define PORT_JSON "application/json"
#define PORT_EVENTS "text/event-stream"
/* JSON-RPC: Invalid Request. -32000 and below mean something in answerers. */
#define PORT_REFUSED (-32600)

struct port_session;
struct port_post;
struct port_stream;
struct port_socket;

struct mcp_port {
	struct loop *loop;
	const struct answerer *answerer; /* lent */
	struct mcp_port_options options;
	struct mcp_port_observer observer;
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
	/* The peer of s went: s is freed next, and is not listed any more. */
	void (*stream_gone)(const struct port_stream *s);
	unsigned refused; /* without the token, since the last beat */
	struct few_lines comings; /* of clients that come and go */
	struct timer beat, bury;
	unsigned timers; /* not closed yet */
	bool telling; /* comings is open: it is closed last */
	bool front_gone, ending, ended;
};

struct port_session {
	struct mcp_port *port;
	struct port_session *next;
	char id[RANDOM_HEX_SIZE]; /* "" until it is published */
	void *client;
	struct port_stream *stream; /* NULL: there is none now */
	char **told; /* the last events of it; NULL: none; see port_session_stream */
	uint64_t events; /* of it, so far */
	bool old; /* HTTP+SSE: replies go to the stream, and end with it */
	unsigned posts; /* with events that have ids, until now */
	unsigned open; /* old: questions that are not answered */
	int64_t used; /* loop_now() ms */
};

struct port_post {
	struct mcp_port *port;
	struct port_post *next;
	struct port_session *session; /* without an id: it is the post's own */
	struct front_request *request; /* NULL: answered by the stream */
	struct port_stream *stream;
	void *question; /* NULL: amid hear */
	struct headers headers; /* of the answer */
	int status; /* of HTTP */
	bool takes_events, wants_events; /* also; nothing else */
	bool modern; /* of 2026-07-28: without a session */
	bool begins; /* a session, if initialize goes well */
	bool asking, done; /* amid hear; answered */
	/*
	 * Events have ids, and are kept for a client that comes back for them
	 * (Last-Event-ID): the text of all of them, and where each ends.
	 */
	unsigned number; /* of the post, in its session; 0: they have none */
	struct buf kept;
	bool lossy; /* they became too many */
	size_t *end;
	size_t events;
	int64_t left; /* when its stream was closed, loop_now() ms; 0: never */
};
/* A message for that session; NULL: for one of its own. */
struct port_message {
	const struct front_head *head;
	const char *text;
	size_t len;
};

struct port_stream {
	struct mcp_port *port;
	struct port_stream *next;
	struct front_stream *to;
	struct port_session *session; /* whose it is; or */
	struct port_post *post; /* the one that it answers */
	bool written; /* since the last beat */
};

#endif
