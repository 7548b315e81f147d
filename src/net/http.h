/* SPDX-License-Identifier: MIT */
/*
 * HTTP by libcurl on the loop: MCP over Streamable HTTP and the older HTTP+SSE
 * (mcp.md 2025-03-26, 2024-11-05), and single requests for others. A loaded
 * part: take its table with module_table("http", HTTP_TABLE, err).
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <string.h>

#include "base/module.h"
#include "net/transport.h"

#define HTTP_TABLE "http_table"

/* One request that is no MCP (sim: Ollama). All is lent until fetch returns. */
struct http_request {
	const char *url;
	const struct headers *headers; /* NULL */
	const char *body; /* NULL: it is a GET, else a POST */
	size_t len;
	int64_t connect_timeout, timeout; /* ms; 0: 10 s, none */
	size_t body_max; /* of the answer; 0: 16 MB */
	/*
	 * Certificates, proxy and addresses as its target and the options say;
	 * not its headers. NULL: the system's.
	 */
	const struct endpoint *way;
};

struct http_answer { /* lent */
	int status; /* 0: none came, see why */
	const char *body;
	size_t len;
	const struct headers *headers;
	/*
	 * ERR_NONE, or ERR_CONNECT (code errno where there is one), ERR_TIMEOUT,
	 * ERR_PROTOCOL (too large, cut). retry_after: of Retry-After, also with a
	 * status.
	 */
	const struct error *why;
};

struct http_fetch;
/* Once, from the loop; afterwards the fetch is gone. */
typedef void http_fetch_done(void *owner, const struct http_answer *a);

struct http_table {
	/*
	 * http, https, sse+http, sse+https. ready comes at once from the loop,
	 * before anything is sent: each send is a request of its own.
	 * failed(id) for a request that got no answer: ERR_CONNECT (code errno
	 * or the HTTP status; retry_after), ERR_AUTH (401, 403), ERR_PROTOCOL,
	 * ERR_TIMEOUT. 404 to a request with a session: ERR_CONNECT with code
	 * 404, the session id is forgotten, and initialize may be sent again
	 * over the same transport (mcp/client does). closed with ERR_CONNECT
	 * while no request is under way: the stream for what the server says by
	 * itself stood, and cannot be taken up again, since the session was
	 * forgotten (code 404) or the server is gone.
	 */
	struct transport_ops dial;
	/* -1 (ERR_USAGE): no URL that curl takes. done is not called then. */
	int (*fetch)(struct http_fetch **out, struct loop *l,
		     const struct http_request *rq, http_fetch_done *done,
		     void *owner, struct error *err);
	/* Forget it: done is not called any more. */
	void (*fetch_abandon)(struct http_fetch *f);
	/* "HTTP/2", "HTTP/1.1", "HTTP+SSE" …: how this transport speaks by now; NULL: nothing came yet. Lent. */
	const char *(*spoken)(const struct transport *t);
	/*
	 * Somebody waits for what the server says by itself: a NOTICE_OTHER
	 * tells from now on, or of before, that there is no stream for it.
	 */
	void (*watch)(struct transport *t);
	/*
	 * From now on (or no more) is only waited for what the server says: no
	 * other connection is kept beside that of the stream, since a board may
	 * have seven in all.
	 */
	void (*waits)(struct transport *t, bool only);
	/*
	 * Only answers are wanted, of requests at which a server asks nothing and
	 * tells nothing: no stream is opened for what it says by itself, which
	 * takes a connection, and comes first.
	 */
	void (*answers)(struct transport *t, bool only);
	/* The server named a session, which it may forget. */
	bool (*has_session)(const struct transport *t);
};

/* Exported by the module. */
extern const struct http_table http_table;

/* Of a transport of this module; NULL: it is another's. */
static inline const struct http_table *http_table_of(const struct transport *t)
{
	const struct http_table *http;

	if (!t || !t->ops || strcmp(t->ops->scheme, "http") != 0)
		return NULL;
	http = module_table("http", HTTP_TABLE, NULL);
	return http && t->ops == &http->dial ? http : NULL;
}

static inline void http_watch(struct transport *t)
{
	const struct http_table *http = http_table_of(t);

	if (http)
		http->watch(t);
}

static inline void http_waits(struct transport *t, bool only)
{
	const struct http_table *http = http_table_of(t);

	if (http)
		http->waits(t, only);
}

static inline void http_answers(struct transport *t, bool only)
{
	const struct http_table *http = http_table_of(t);

	if (http)
		http->answers(t, only);
}

static inline bool http_has_session(const struct transport *t)
{
	const struct http_table *http = http_table_of(t);

	return http && http->has_session(t);
}

#endif
