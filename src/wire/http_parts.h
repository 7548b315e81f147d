/* SPDX-License-Identifier: MIT */
/*
 * One message of HTTP/1, read beside a stream that somebody else relays: its
 * head, where its body ends (RFC 9112, 6.3), and the body without chunks, as
 * far as it is kept. Pure.
 */
#ifndef WIRE_HTTP_PARTS_H
#define WIRE_HTTP_PARTS_H

#include "base/json.h"

#define HTTP_PARTS_HEAD_MAX 65536

enum body_end {
	BODY_NONE, /* the head is all */
	BODY_LENGTH,
	BODY_CHUNKED,
	BODY_TO_END /* of the connection */
};

struct http_parts {
	bool answer; /* it is one; else a request */
	bool to_head; /* … to a HEAD: it has no body */
	size_t keep; /* bytes of the body that are kept */

	struct buf head; /* its lines, with the empty one */
	bool has_head, over, broken;
	int status; /* of an answer */
	enum body_end how;
	bool has_length;
	uint64_t length; /* Content-Length */
	uint64_t left; /* of it, or of the chunk */
	unsigned char chunk_state;
	size_t line_len; /* of a line among the chunks */
	char line[20];
	struct buf body;
	uint64_t size; /* of the whole body */
};

/*
 * Reads on; returns how many bytes belong to it (the rest to what follows). A
 * head alone is returned before its body: look at has_head, call again.
 */
size_t http_parts_feed(struct http_parts *p, const char *data, size_t len);
/* The connection ended. True: so did the message, properly. */
bool http_parts_end(struct http_parts *p);
/* The value of a field of a head, without case; text NULL: it has none. */
struct span http_parts_field(const char *head, size_t len, const char *name);
/* The same as text, yours; NULL: it has none. */
char *http_parts_text(const struct buf *head, const char *name);
/* Of a list, which may come in several fields (RFC 9110, 5.3): all of it, as that. */
char *http_parts_list(const struct buf *head, const char *name);
/* Its Content-Type begins with that. */
bool http_parts_is(const struct buf *head, const char *type);
void http_parts_done(struct http_parts *p);

/*
 * A head with other fields, appended. value NULL: the field is left out; else
 * it stands in place of the first of that name, as far as there is one.
 */
void http_parts_replace(struct buf *out, const char *head, size_t len,
			const char *name, const char *value);
/* The message that p read, with that head of it and another body; appended. */
void http_parts_instead(struct buf *out, const struct http_parts *p,
			const struct buf *head, struct span body);

#endif
