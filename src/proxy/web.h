/* SPDX-License-Identifier: MIT */
/*
 * The port for boards that ask OTA, dial a WebSocket, send a picture. Who may
 * come in is judged by net/front; the bytes are relayed here as they came.
 * Files: web.c (the port), web_leg.c (what they share), web_ws.c, web_http.c,
 * web_ota.c.
 */
#ifndef PROXY_WEB_H
#define PROXY_WEB_H

#include "base/random.h"
#include "net/front.h"
#include "net/why.h"
#include "proxy/edits.h"
#include "proxy/lull.h"
#include "proxy/pair.h"
#include "proxy/talk.h"
#include "proxy/turn.h"
#include "proxy/upstream.h"

#define VISION_PATH "/mcpctl-proxy/vision/"
#define VISION_KEPT 1024 /* addresses of pictures */
#define VISION_URL_MAX 2048 /* bytes; a longer one stays as it is */

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
	/* URLs, a ring; each is given out under a name that nobody guesses. */
	struct vision {
		char *url;
		char name[RANDOM_HEX_SIZE];
	} vision[VISION_KEPT];
	uint64_t visions;
	struct web_leg *legs; /* those that are open */
	bool closing;
};

#define BUSY_TURN "busy: too many wait to be passed on"

struct web_leg;
/* What differs between a WebSocket and a request; from the loop. */
struct web_leg_kind {
	void (*came)(struct web_leg *l, enum side from, const char *data,
		     size_t len);
	/* It ends for a reason of ours, or of its upstream, which is told behind this. */
	void (*failed)(struct web_leg *l);
	/* It waited for its turn too long: answered so, it ends. */
	void (*late)(struct web_leg *l);
	/* See pair_events.kept. */
	size_t (*kept)(const struct web_leg *l);
	void (*ended)(struct web_leg *l, enum side from, enum event_end how);
	void (*free)(struct web_leg *l); /* all of it */
};

/* A connection of a board, of either kind. */
struct web_leg {
	const struct web_leg_kind *kind;
	struct web *web;
	struct web_leg *next, *previous;
	struct pair pair;
	struct talk *talk; /* NULL: over */
	struct share share;
	struct turn turn;
	struct lull lull; /* its peer is to speak */
	struct upstream up;
	char *reached; /* "HOST:PORT" of ours, as the board sees it */
	char *address; /* of the board */
	char *from; /* its host alone */
	struct front *front; /* where it came in */
	const char *listens; /* the host of that; NULL: all addresses; lent */
};

int web_open(struct proxy *p, struct error *err);
void web_addresses(const struct proxy *p, struct words *out);
/* proxy_leg_closed follows. */
void web_close(struct proxy *p);

#endif
