/* SPDX-License-Identifier: MIT */
/*
 * What the files of the module `http` share. From below: the engine (what is
 * to be told, on the loop), a transfer (one request, carried out by libcurl,
 * http_curl.c), and two users of it: fetch, and the transport with its
 * exchanges.
 */
#ifndef NET_HTTP_PRIVATE_H
#define NET_HTTP_PRIVATE_H

#include <curl/curl.h>

#include "base/json.h"
#include "base/loop.h"
#include "net/bearer.h"
#include "net/head.h"
#include "net/http.h"
#include "net/why.h"
#include "wire/sse.h"

struct curl_socket;

struct http_engine;
struct http_transfer;
struct curl_engine;
struct curl_request;

/* ---- http_curl.c: one for each loop, while somebody uses it ---- */

struct http_engine {
	struct http_engine *next;
	struct loop *loop;
	struct timer timer; /* tells what stirs outside of the loop's turns */
	struct http_transfer *first, *last; /* with something to tell */
	unsigned users;
	bool telling;
	struct curl_engine *curl;
};

/* ---- http_transfer.c: one request ---- */

struct http;

/* Where requests go, and how; lent to transfers for their lives. */
struct http_site {
	char *url, *host; /* without brackets */
	uint16_t port;
	bool tls, insecure;
	bool here; /* this machine itself */
	char *cacert; /* NULL: the system's */
	char *proxy; /* NULL: as the environment says; "": none */
	struct words resolve; /* "HOST:PORT:ADDRESS" */
	int64_t connect_timeout; /* ms */
};

/* Either may free the transfer, and release the engine. */
struct http_transfer_events {
	/* The head is whole, and nothing else came yet; may be NULL. */
	void (*head)(void *owner);
	/* Bytes of the body; the head is known before. Lent. */
	void (*data)(void *owner, const char *data, size_t len);
	void (*done)(void *owner);
};

/* How a request ended; WHY_NONE: with a whole answer. */
struct http_outcome {
	enum why what; /* WHY_CLOSED: before the answer was whole */
	int error; /* errno, of a proxy perhaps an HTTP status; 0 */
	char text[256]; /* OpenSSL's words, curl's; of a proxy: which, or why */
};

struct http_transfer {
	struct http_engine *engine;
	const struct http_site *site;
	const struct http_transfer_events *events;
	void *owner;
	/* the request */
	char *url, *method;
	const char *body; /* NULL: none; lent */
	size_t len;
	/* Before start: it may be carried out once only, so it is sent once. */
	bool once;
	bool parts; /* likewise: its connection is not kept */
	bool lasts; /* Before start: its answer is a stream without an end */
	struct headers headers;
	/* the answer */
	int status; /* 0: none yet */
	const char *version; /* "HTTP/1.1"; static */
	struct headers answer;
	struct buf arrived; /* of its body, and not told yet */
	bool finished;
	struct http_outcome outcome; /* once finished */
	/* private */
	struct curl_request *request; /* NULL: not started */
	struct http_transfer *next; /* of those with something to tell */
	bool waits; /* is among them */
};

struct http_request_line {
	const char *url,
		*method; /* method NULL: POST if there is a body, else GET */
	const char *body; /* NULL: none; lent until http_transfer_free */
	size_t len;
};
#define HTTP_RETRY_AFTER_MAX_S 86400 /* however long a server asks to wait */

/* ---- http_exchange.c: as much of JSON-RPC as the transport must see ---- */

struct http_message {
	bool is_request; /* an answer will come: id and method, or a batch */
	bool is_initialize, is_initialized;
	bool may_act; /* being carried out twice may do harm */
	bool declares; /* initialize with capabilities: the server may ask */
	bool lasts; /* its answer is a stream without an end */
	bool has_id; /* a whole number: id */
	int64_t id;
	char *token; /* the id's JSON text; NULL if none; owned */
};

/* ---- the transport ---- */

enum http_purpose {
	HTTP_POST, /* a message of ours */
	HTTP_LISTEN, /* the GET stream of Streamable HTTP */
	HTTP_OLD, /* the stream of HTTP+SSE */
	HTTP_DELETE
};

enum http_body {
	HTTP_BODY_NONE, /* the head was not looked at yet */
	HTTP_BODY_EVENTS,
	HTTP_BODY_WHOLE, /* kept until its end */
	HTTP_BODY_DROPPED /* nobody wants it */
};

struct http;

/* One request with all of its tries. */
struct http_exchange {
	struct http *http;
	struct http_exchange *next;
	enum http_purpose purpose;
	bool dead; /* released as soon as nobody stands in it */
	char *text; /* of a POST; NULL once it is sent and its answer is sure */
	size_t len;
	struct http_message message;
	struct headers extra; /* for this message alone, before the user's */
	bool alone; /* it has some: nothing of a session is with it */
	struct http_transfer *transfer; /* NULL: waits, or between two tries */
	bool waiting; /* not sent yet */
	bool with_session; /* the session id was sent */
	bool resuming; /* a POST's answer is fetched by GET */
	bool answered; /* its reply came */
	bool stray; /* its stream had a reply to none of ours: body, the last */
	/* a POST that is no request, and a 2xx came: nobody waits for its end */
	bool taken;
	/* of OAuth: http_token.c */
	bool parked; /* it waits for a token; its answer is kept meanwhile */
	bool asked; /* whether the token is over, before it was sent first */
	bool as_it_is; /* its refusal is final */
	unsigned refusals; /* so far */
	char *token; /* that was sent; NULL */
	char *hint; /* in place of the usual one, if it fails; NULL */
	bool stood; /* HTTP_LISTEN: the stream was there in one of the tries */
	bool heard; /* an event came in this try */
	unsigned redirects, failures; /* failures: tries in a row */
	int64_t started, alarm; /* loop_now() ms; alarm LOOP_FOREVER */
	int64_t retry; /* ms that the server wants between two tries */
	enum http_body kind;
	struct buf body;
	struct sse sse;
};

struct http {
	struct transport *transport;
	struct http_engine *engine;
	struct http_site site;
	struct headers headers; /* the user's */
	const struct bearer *bearer; /* lent; NULL: there is no OAuth */
	unsigned parked; /* exchanges that wait for a token */
	bearer_done *judged; /* what becomes of one that did (its arg) */
	struct timer timer;
	size_t message_max;
	struct http_exchange *exchanges; /* in the order of their making */
	unsigned inside; /* callbacks that stand in an exchange */
	bool ready, closing, deleting, ended;
	int64_t close_deadline;
	char *session_id, *revision; /* NULL: none */
	const char *spoken; /* NULL: nothing came yet; static */
	bool old, forced; /* HTTP+SSE; by the target's scheme */
	char *post_url; /* HTTP+SSE: where messages go; NULL: not known yet */
	struct error first; /* why HTTP+SSE was tried */
	bool listen_due; /* initialized was taken */
	bool unlistened; /* there is no GET stream in this session */
	char *unheard; /* why, as long as nobody was told; NULL */
	bool watched; /* somebody wants to know of that (http_table.watch) */
	bool waits; /* http_table.waits */
	bool answers; /* http_table.answers */
	bool forgotten; /* the server forgot the session; no other stands yet */
	bool declared; /* the server may ask, by the GET stream */
	bool speaks; /* its capabilities are for more than answers */
	/* loop_now() ms: a call was answered, the stream spoke; 0: none was */
	int64_t last_heard;
	int64_t hold_until; /* loop_now() ms: messages wait for that stream */
	struct error why; /* for closed */
};

/* http.c */
void http_notice(struct http *h, enum notice_kind kind, const char *format, ...)
	PRINTF_LIKE(3, 4);
void http_deliver(struct http *h, const char *text, size_t len);
/* Tell why x has no answer; x stays. */
void http_fail(const struct http_exchange *x, const struct error *why);
/* The connection is lost: closed comes from the loop. */
void http_lost(struct http *h, const struct error *why);
/* Around everything that comes from the loop. */
void http_enter(struct http *h);
void http_leave(struct http *h);

struct curl_engine {
	struct http_engine *http;
	CURLM *multi;
	struct timer timer;
	struct curl_socket *sockets;
};

struct curl_request {
	struct http_transfer *transfer;
	struct http_engine *engine;
	CURL *easy;
	bool added;
	bool sent; /* curl began to send it, for the first time */
	curl_socket_t fd; /* that curl waits for last, of it; CURL_SOCKET_BAD */
	struct curl_slist *headers, *resolve;
	size_t head_bytes;
	char problem[CURL_ERROR_SIZE];
};

#endif
