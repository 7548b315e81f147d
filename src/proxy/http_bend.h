/* SPDX-License-Identifier: MIT */
/*
 * Answers of an MCP server over HTTP whose messages are changed on the way by
 * --set and --fault. An answer in JSON waits until it is whole, an event of a
 * stream likewise; one that is not changed goes on as it came. What is no
 * message, or above 1 MiB, passes as it comes. A stream with a length waits until
 * that is known; above 1 MiB it goes on in chunks.
 *
 * What a fault does to a frame of a WebSocket it does here to a message: to an
 * answer with its head, or to one event. What is behind it on the same connection
 * waits with it. An answer that does not go on ends what is answered on its
 * connection: another one would be taken for it.
 */
#ifndef PROXY_HTTP_BEND_H
#define PROXY_HTTP_BEND_H

#include "proxy/pair.h"
#include "proxy/talk.h"
#include "wire/http_parts.h"
#include "wire/sse.h"

#define BEND_KEPT_MAX ((size_t)1 << 20)

enum bend_how { BEND_PASS, BEND_WHOLE, BEND_EVENTS, BEND_THROUGH };

struct bend {
	const struct alterations *plan; /* NULL: nothing of this is used */
	struct pair *pair;
	/* What waited has gone on: what came meanwhile is to be read. */
	void (*resumed)(void *owner);
	void *owner;

	struct talk *talk; /* of the answer that is read; NULL: it passes */
	enum bend_how how;
	bool collects; /* events of a body whose length stands in its head */
	bool chunked; /* they go on in chunks */
	struct buf held; /* what of the answer, or of an event, is not whole */
	struct buf out; /* what is collected */
	struct sse sse;
	struct buf event, id; /* of the event that ends here */
	bool has_event, has_id;
	bool mute; /* nothing goes on any more */

	struct timer timer;
	bool waits, resets;
	struct buf then; /* what goes on when the time is over */
	struct buf late; /* what came meanwhile */
};

/* b is zeroed. plan, pair and owner are lent until it is closed. */
void bend_open(struct bend *b, struct loop *l, const struct alterations *plan,
	       struct pair *pair);
/* closed(owner) from the loop; b is to be left alone until then. */
void bend_close(struct bend *b, void (*closed)(void *owner));

/* The head of an answer is there. talk NULL: it passes. */
void bend_begin(struct bend *b, const struct http_parts *rs, struct talk *talk);
/* Bytes of its body, as they came; rs was fed with them. Again with none behind
   resumed(). */
void bend_body(struct bend *b, struct http_parts *rs, const char *data,
	       size_t len);
/* It is over. */
void bend_end(struct bend *b, struct http_parts *rs);
/* It is none, or ends amid: all that is held goes on, and this behind it. */
void bend_give_up(struct bend *b, struct http_parts *rs, const char *data,
		  size_t len);

/* What comes is kept for resumed(). */
bool bend_waits(const struct bend *b);
void bend_keep(struct bend *b, const char *data, size_t len);
/* Bytes that it holds. */
size_t bend_kept(const struct bend *b);
/* At once. */
void bend_go_on(struct bend *b);

/*
 * The request in parts, and what of it goes up: the head of it, then `raw` as
 * it came, or another body; told. Appended to out.
 */
void bend_request(const struct alterations *plan, struct talk *t,
		  const struct http_parts *rq, const struct buf *head,
		  const struct buf *raw, struct buf *out);

#endif
