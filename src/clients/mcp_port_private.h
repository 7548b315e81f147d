/* SPDX-License-Identifier: MIT */
/*
 * The port for MCP clients in parts, each above what it uses: what is said
 * there (mcp_stream.c), sessions (mcp_session.c), messages that were
 * posted (mcp_post.c), WebSockets (mcp_socket.c), paths, and the port
 * itself (mcp_port.c). Private to them.
 */
#ifndef CLIENTS_MCP_PORT_PRIVATE_H
#define CLIENTS_MCP_PORT_PRIVATE_H

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

/* mcp_stream.c. A line for the observer; what a peer sent may be in it. */
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

/* mcp_session.c */
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

/* mcp_post.c. Its posts are answered 404, its stream ends; then as buried. */
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

/* mcp_narrow.c: any request, where mcp_port_options.path is given. */
void port_narrow(struct mcp_port *p, struct front_request *rq,
		 const struct port_message *m);

/* mcp_socket.c */
int port_upgrade(void *owner, int fd, const struct front_head *head,
		 const char **reason);
void port_sockets_close(struct mcp_port *p);

#endif
