/* SPDX-License-Identifier: MIT */
/*
 * The port for boards that ask OTA, dial a WebSocket, send a picture. Who may
 * come in is judged by net/front; the bytes are relayed here as they came.
 * Files: web.c (the port), web_leg.c (what they share), web_ws.c, web_http.c,
 * web_ota.c.
 */
#ifndef PROXY_WEB_H
#define PROXY_WEB_H

#include "net/front.h"
#include "proxy/edits.h"
#include "proxy/pair.h"
#include "proxy/talk.h"
#include "proxy/upstream.h"

#define VISION_PATH "/mcpctl-proxy/vision/"
#define VISION_KEPT 1024 /* addresses of pictures */

struct web_place {
	struct web *web;
	struct front *front;
	char *host; /* NULL: all addresses */
	uint16_t number;
};

struct web {
	struct proxy *proxy;
	const struct front_table *front;
	struct web_place *place;
	size_t places, open;
	char *advertised_ws, *advertised_ota; /* by --advertise; NULL */
	struct upstream up; /* that of the command line */
	bool ota; /* it is one; else a WebSocket */
	struct told_urls told; /* WebSockets, by board */
	char *vision[VISION_KEPT]; /* URLs, a ring */
	uint64_t visions;
	struct web_leg *legs; /* those that are open */
	bool closing;
};

/* A connection of a board, of either kind. */
struct web_leg {
	struct web *web;
	struct web_leg *next, *previous;
	struct pair pair;
	struct talk *talk; /* NULL: over */
	struct share share;
	struct upstream up;
	char *reached; /* "HOST:PORT" of ours, as the board sees it */
	char *address; /* of the board */
	bool head_passed; /* the request went up */
	void (*free)(struct web_leg *l); /* what is the kind's */
};

/* The pair of l is opened on fd, and it is among the legs. */
void web_leg_open(struct web_leg *l, struct web *w, int fd,
		  const struct front_head *head,
		  const struct pair_events *events);
/* All is given back: from pair_events.closed. */
void web_leg_closed(struct web_leg *l);
/* Ends its talk; again is fine. */
void web_leg_end(struct web_leg *l, enum event_from from, enum event_end how,
		 int code);
/* It did not reach its upstream: told, with the stage, and ended. */
void web_leg_failed(struct web_leg *l, const struct error *why);
/* The upstream stands: what TLS saw is told. */
void web_leg_up(struct web_leg *l);
/* Dials l->up. */
void web_leg_dial(struct web_leg *l);

/*
 * The head of a request, for its upstream: another Host (with a port as the
 * board writes it), no compression; target NULL: as it was. Appended; *struck:
 * what was left out, or NULL.
 */
void web_request_head(struct buf *out, struct span head,
		      const struct upstream *up, const char *target,
		      const char **struck);

/* The events of the front. */
void web_http(struct web *web, int fd, const struct front_head *head);
void web_websocket(struct web *web, int fd, const struct front_head *head);

/* "http://HOST:PORT" or what --advertise says, for a board that reached us so; yours. ws: ws or wss. */
char *web_base(const struct web *w, const char *reached, bool ws);
/* A URL that web_vision_url gave out: the real one; NULL. Lent. */
const char *web_vision_of(const struct web *w, const char *path);

/*
 * web_ota.c: what is changed in an answer to OTA, so that the board comes
 * through us. board_version: what it runs; NULL. changes: a line each.
 */
void web_ota_edit(struct web_leg *l, struct span body, const char *device,
		  const char *board_version, struct edits *edits,
		  struct buf *changes);

/* Closing: gone with its last leg and place. */
void web_maybe_closed(struct web *w);

int web_open(struct proxy *p, struct error *err);
void web_addresses(const struct proxy *p, struct words *out);
/* proxy_leg_closed follows. */
void web_close(struct proxy *p);

#endif
