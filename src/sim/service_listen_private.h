/* SPDX-License-Identifier: MIT */
/*
 * The port of a pretend service in parts: opening and closing
 * (service_listen.c), what an HTTP request wants (service_http.c), messages
 * that were posted (service_post.c), sessions (service_session.c), event
 * streams (service_sse.c), WebSockets (service_ws.c). Private to them.
 */
#ifndef SIM_SERVICE_LISTEN_PRIVATE_H
#define SIM_SERVICE_LISTEN_PRIVATE_H

#include "base/random.h"
#include "net/port_parts.h"
#include "sim/service.h"

#define PORT_BODY_MAX (4u << 20) /* bytes of one message */
#define PORT_CONNECTIONS_MAX 512 /* of HTTP, streams included */
#define PORT_SESSIONS_MAX 1000
#define PORT_SOCKETS_MAX 200 /* WebSockets */
#define PORT_OPEN_MAX 64 /* questions of one client at a time */

#define PORT_JSON "application/json"
#define PORT_EVENTS "text/event-stream"
/* JSON-RPC: Invalid Request. -32000 and below mean something in services. */
#define PORT_REFUSED (-32600)

struct port_session;
struct port_post;
struct port_stream;
struct port_socket;

struct service_port {
	struct loop *loop;
	struct service *service;
	const struct service_listen_options *options;
	const struct service_listen_observer *observer;
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
	struct timer beat, bury;
	unsigned timers; /* not closed yet */
	bool front_gone, ending, ended;
};

/* service_listen.c: a line for the observer; what a peer sent may be in it. */
PRINTF_LIKE(2, 3)
void port_line(const struct service_port *p, const char *format, ...);
void port_check_ended(struct service_port *p);

/* service_http.c */
void port_http(void *owner, struct front_request *rq,
	       const struct front_head *head, const char *body, size_t len);
/* A JSON-RPC error without an id. headers: more of them; NULL. */
void port_refuse(struct service_port *p, struct front_request *rq,
		 const struct headers *headers, int status, const char *text);
void port_page(const struct service_port *p, struct buf *out,
	       const char *host); /* service_page.c */

/* service_session.c */
struct port_session {
	struct service_port *port;
	struct port_session *next;
	char id[RANDOM_HEX_SIZE]; /* "" until it is published */
	struct service_client *client;
	struct port_stream *stream; /* NULL: there is none now */
	bool old; /* HTTP+SSE: replies go to the stream, and end with it */
	bool inside; /* old: amid service_ask */
	unsigned open; /* old: questions */
	int64_t used; /* loop_now() ms */
};
struct port_session *port_session_new(struct service_port *p);
/* Give it an id, so that it is found. -1: there is no place. */
int port_session_publish(struct port_session *s);
/* NULL: there is none of that id and kind. Counts as used. */
struct port_session *port_session_find(const struct service_port *p,
				       const char *id, bool old);
/* Its posts are answered 404, its stream ends; freed in another turn of the loop. */
void port_session_end(struct port_session *s);
/* Those unused for too long. */
void port_sessions_expire(struct service_port *p);
/* Now; of all, with those that were buried. */
void port_sessions_free(struct service_port *p);
void port_bury(void *owner); /* the timer */

/* service_post.c */
struct port_post {
	struct service_port *port;
	struct port_post *next;
	struct port_session *session; /* without an id: it is the post's own */
	struct front_request *request; /* NULL: answered by the stream */
	struct port_stream *stream;
	struct service_question *question; /* NULL: amid service_ask */
	struct headers headers; /* of the answer */
	bool wants_events;
	bool begins; /* a session, if initialize goes well */
	bool asking, done; /* amid service_ask; answered */
};
/* A message for that session; NULL: for one of its own. */
struct port_message {
	const struct front_head *head;
	const char *text;
	size_t len;
};
void port_post(struct service_port *p, struct front_request *rq,
	       const struct port_message *m, struct port_session *s);
/* HTTP+SSE: 202, and the reply on the stream. */
void port_post_old(struct service_port *p, struct front_request *rq,
		   const struct port_message *m, struct port_session *s);
/* Nobody waits: its question is abandoned; it is freed. */
void port_post_drop(struct port_post *post);
void port_posts_end(struct service_port *p, const struct port_session *s);
void port_request_gone(void *owner, struct front_request *rq);

/* service_sse.c */
struct port_stream {
	struct service_port *port;
	struct port_stream *next;
	struct front_stream *to;
	struct port_session *session; /* whose it is; or */
	struct port_post *post; /* the one that it answers */
	bool written; /* since the last beat */
};
/* headers: what a proxy in front must know is added. */
struct port_stream *port_stream_new(struct service_port *p,
				    struct front_request *rq,
				    struct headers *headers);
void port_stream_event(struct port_stream *s, const char *type,
		       const char *data, size_t len);
void port_stream_end(struct port_stream *s);
void port_stream_beat(struct port_stream *s);
void port_streams_beat(struct service_port *p); /* where nothing else came */
/* After the front was closed: they are gone. */
void port_streams_free(struct service_port *p);
/* An event as text, appended. */
void port_event_text(struct buf *out, const char *type, const char *data,
		     size_t len);

/* service_ws.c */
int port_upgrade(void *owner, int fd, const struct front_head *head,
		 const char **reason);
void port_sockets_close(struct service_port *p);

#endif
