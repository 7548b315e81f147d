/* SPDX-License-Identifier: MIT */
/*
 * The head of an HTTP request, as far as the front must see it to decide who
 * serves the socket: request line and fields. Pure; reads no body and answers
 * nothing. Strict where a second parser behind it could understand otherwise.
 */
#ifndef NET_HEAD_H
#define NET_HEAD_H

#include "net/endpoint.h"

enum head_state {
	HEAD_MORE, /* not all there yet */
	HEAD_READY, /* complete: out is filled */
	HEAD_TLS, /* a TLS ClientHello */
	HEAD_GARBAGE, /* no HTTP request line */
	HEAD_BAD /* a request line, but broken fields */
};

struct head {
	char *method, *path, *query; /* query NULL if none; owned */
	char *target_host; /* head_target_host, owned */
	struct headers headers;
	bool http_1_0;
	bool bare_newlines; /* a line ended without CR */
	size_t length; /* bytes with the empty line */
};

/*
 * Look at the first len bytes of a connection. Says HEAD_TLS and HEAD_GARBAGE
 * as soon as it is certain. out is filled only with HEAD_READY (head_done).
 */
enum head_state head_parse(struct head *out, const char *data, size_t len);
void head_done(struct head *h);

/* A request target into path and query (NULL if none), yours; "http://HOST" is cut off. */
void head_split_target(const char *target, size_t len, char **path,
		       char **query);

/* HOST[:PORT] of such a target, yours; NULL: it has none. */
char *head_target_host(const char *target, size_t len);

/*
 * NULL, or why a request with these fields must not be taken, since another
 * parser on its way could see another length or another host in it (RFC 9112,
 * 3.2, 6.3): Host missing (but in HTTP/1.0), twice, no host, or another than
 * target_host (NULL: the target has none); a Content-Length that is twice or no
 * number; a Transfer-Encoding other than chunked, twice, in HTTP/1.0, or beside a
 * Content-Length; a name that is none; a value with control characters, as a carriage return that stands alone is one.
 */
const char *head_problem(const struct headers *fields, const char *target_host,
			 bool http_1_0);

enum head_upgrade {
	HEAD_NO_UPGRADE, /* plain HTTP */
	HEAD_WEBSOCKET, /* RFC 6455, version 13, with a key */
	HEAD_REFUSE /* an upgrade that is none of ours; *reason says why */
};
enum head_upgrade head_upgrade(const struct head *h, const char **reason);

/*
 * The value of `name` (without case) in a query string, decoded ('+' is a
 * space); yours, NULL if absent or badly encoded. query may be NULL.
 */
char *head_query_value(const char *query, const char *name);

/*
 * True if text can stand as HOST[:PORT] in an address that is given to a
 * device: a name, an IPv4 address or [IPv6], at most 200 bytes.
 */
bool head_is_host(const char *text);

void headers_add(struct headers *h, const char *name,
		 const char *value); /* copies */

/* The first value of that name, without case; NULL if none. */
const char *headers_get(const struct headers *h, const char *name);

/*
 * Of a list, which may come in several fields of that name (RFC 9110, 5.3): all of
 * it, yours (NULL: nothing); does it have this word; does a field contain this
 * part? Without case.
 */
char *headers_list(const struct headers *h, const char *name);
bool headers_have(const struct headers *h, const char *name, const char *word);
bool headers_mention(const struct headers *h, const char *name,
		     const char *part);
void headers_done(struct headers *h);

/*
 * Of the user: -1 (ERR_USAGE) for a name or value that cannot be sent, one of
 * `ours` (a NULL ends it), which `setter` sets itself, and more than 48 kB.
 */
int headers_check(const struct headers *h, const char *const *ours,
		  const char *setter, struct error *err);
bool header_name_fits(const char *name);

/* No control character but tab. */
bool header_value_fits(const char *value);

#endif
